/* Shape arithmetic with checked sizes.
 * Must not know: tensors, devices. */
#ifndef ORR_BASE_SHAPE_H
#define ORR_BASE_SHAPE_H

#include <stdbool.h>
#include <orrery/dtype.h>

bool orr__shape_valid(const orr_shape *s); /* rank in 0..8, dims ≥ 0, element count fits */
/* Number of elements; -1 if it (or its bytes at 8 each) would overflow int64_t. */
int64_t orr__shape_count(const orr_shape *s);
static inline bool orr__shape_equal(const orr_shape *a, const orr_shape *b)
{
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++)
        same = a->dim[i] == b->dim[i];
    return same;
}
/* NumPy broadcasting of two shapes; false if they do not fit. */
bool orr__shape_broadcast(const orr_shape *a, const orr_shape *b, orr_shape *out);
/* Row-major strides in elements. */
void orr__shape_strides(const orr_shape *s, int64_t stride[ORR_MAX_RANK]);
/* Negative axes count from the end; -1: out of range. */
int orr__axis(int axis, int rank);
/* Converts axes to a bit mask; n = -1 means all. false: out of range or repeated. */
bool orr__axes_mask(orr_axes a, int rank, uint32_t *mask);
bool orr__mul64(int64_t a, int64_t b, int64_t *out); /* false on overflow; a, b ≥ 0 */

/* The text of a shape for messages, in a struct so that it can be an argument: orr__str(s).s */
typedef struct {
    char s[192];
} orr__shape_str;
orr__shape_str orr__str(orr_shape s);

/* Equality that ignores axes of length 1. */
bool orr__shape_squeeze_equal(const orr_shape *a, const orr_shape *b);

#endif
