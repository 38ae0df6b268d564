/* Pieces of the reference evaluation: arrays by logical index, one function per primitive.
 * Must not know: fusion, plans, speed. */
#ifndef ORR_OPS_REFERENCE_H
#define ORR_OPS_REFERENCE_H

#include "ops/ops.h"

/* A row-major array in memory. */
typedef struct orr__array {
    orr_dtype dtype;
    orr_shape shape;
    int64_t count;
    uint8_t *data;
} orr__array;

orr__scalar orr__array_get(const orr__array *a, int64_t i);
static inline void *orr__array_at(const orr__array *a, int64_t i)
{
    return a->data + (size_t)i * orr__dtype_size(a->dtype);
}
/* Copies element k of `from`, of the same dtype, to element i of a. */
static inline void orr__array_copy(const orr__array *a, int64_t i, const orr__array *from, int64_t k)
{
    memcpy(orr__array_at(a, i), orr__array_at(from, k), orr__dtype_size(a->dtype));
}
void orr__array_set(const orr__array *a, int64_t i, orr__scalar v);
/* Converts an element number to an index per axis, and back. */
void orr__array_unravel(const orr_shape *s, int64_t i, int64_t index[ORR_MAX_RANK]);
int64_t orr__array_ravel(const orr_shape *s, const int64_t index[ORR_MAX_RANK]);

/* The evaluation of one primitive: node, its scalars in this capture, operands, and the array for the result, whose
 * dtype and shape are set. */
typedef struct orr__reference {
    const orr__node *node;
    const orr__scalar *s;
    int nin;
    orr__array in[3];      /* the first three                     */
    const orr__array *all; /* arrays of the capture, by node      */
    const int32_t *arg;    /* all operands' numbers               */
    orr__array out;
} orr__reference;

/* The place that errors name. */
static inline orr__site orr__reference_site(const orr__reference *j)
{
    const orr__node *n = j->node;
    return ORR__SITE(n->file, n->line, n->as ? n->as : n->op->name);
}
/* Copies operand 0, element by element. */
orr_status orr__reference_copy(const orr__reference *j);
/* True if x replaces `best` as the extremum. The first NaN is the extremum. */
bool orr__reference_better(int rop, orr_dtype dtype, orr__scalar x, orr__scalar best);
/* An axis of a shape: outer × length × inner. */
typedef struct orr__line {
    int64_t outer, length, inner;
} orr__line;
orr__line orr__reference_line(const orr_shape *s, int axis);
/* Index number m of operand 1 as a place; negative ones count from the end. -1 if out of range, with the error set. */
int64_t orr__reference_index(const orr__reference *j, int64_t m, int64_t length);
/* Elements of float dtypes as long double. */
long double orr__reference_get(const orr__array *a, int64_t i);
void orr__reference_set(const orr__array *a, int64_t i, long double v);

#endif
