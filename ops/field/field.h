/* Shared by the operations on BN254: operands, nodes, costs, and the numbers in a node's attributes by which kernels know what to do.
 * Must not know: any single operation, instruction sets. */
#ifndef ORR_OPS_FIELD_H
#define ORR_OPS_FIELD_H

#include <orrery/field.h>
#include "ops/record.h"

/* attr.axis is the field or the curve, attr.index one of these. */
enum {
    ORR__ELEMENTS_ADD,
    ORR__ELEMENTS_SUB,
    ORR__ELEMENTS_MUL,
    ORR__ELEMENTS_NEG,
    ORR__ELEMENTS_SQUARE,
    ORR__ELEMENTS_INVERSE,
    ORR__ELEMENTS_POW
};
enum {
    ORR__POINTS_ADD,
    ORR__POINTS_NEG,
    ORR__POINTS_DOUBLE,
    ORR__POINTS_MULTIPLY,
    ORR__POINTS_CONTAINS,
    ORR__POINTS_IN_GROUP,
    ORR__POINTS_COMPRESS,
    ORR__POINTS_DECOMPRESS,
    ORR__POINTS_ENTER /* the inner form of sums of multiples */
};

enum {
    ORR__LIMBS = 4,
    ORR__PRODUCT_FLOPS = 16,  /* a product of two elements beside a flop */
    ORR__SUM_FIELD_WORDS = 16 /* u64 of a sum in XYZZ coordinates, on G1; on G2 twice as many */
};

/* The moduli r and q. */
extern const uint64_t orr__field_prime[2][ORR__LIMBS];

/* The trailing axes of an element (1), of a point of G1 (2) and of G2 (3). */
static inline int orr__point_axes(orr_curve c)
{
    return c == ORR_G1 ? 2 : 3;
}
/* Elements of a point. */
static inline int orr__point_elements(orr_curve c)
{
    return c == ORR_G1 ? 2 : 4;
}
/* Windows of c bits for all of a scalar and its last digit's carry. */
static inline int orr__field_windows(int c)
{
    return (255 + c - 1) / c;
}

/* An operand (…, 4), (…, 2, 4) or (…, 2, 2, 4) by `axes`; false: *bad. */
bool orr__field_operand(orr__site at, const orr_tensor *t, const char *name, int axes, orr_shape *shape,
                        orr_tensor **bad);
bool orr__field_known(orr__site at, orr_field f, orr_tensor **bad);
bool orr__curve_known(orr__site at, orr_curve c, orr_tensor **bad);
/* The batch of a shape: all but its last `axes`; and a batch followed by the axes of an element or a point. */
orr_shape orr__batch(orr_shape s, int axes);
orr_shape orr__batch_with(orr_shape batch, int axes);
/* The common batch of two operands; false: *bad. */
bool orr__batches(orr__site at, const orr_shape *x, const orr_shape *y, orr_shape *both, orr_tensor **bad);

/* A node on operands that are good or poison. */
orr_tensor *orr__field_node(orr__site at, const orr__op *op, orr_dtype dtype, orr_shape shape, int nin,
                            orr_tensor *const *in, const orr__attr *a);
/* The iteration: so many rows × all else of the result. */
int orr__field_rows(const orr__call *c, int64_t rows, int64_t *dim);
/* Elements of all but the last `axes` axes. */
int64_t orr__batch_count(const orr_shape *s, int axes);
/* The rule of nodes of this pack: u64 operands. */
const char *orr__field_verify(const orr__node *n, const orr__node *const *in, int nin);

#define ORR__FIELD_OP(word, operands, spaces, works)                                                                   \
    const orr__op orr__op_##word = { .id = ORR__OP_##word,                                                             \
                                     .name = #word,                                                                    \
                                     .arity = operands,                                                                \
                                     .form = ORR__FORM_KERNEL,                                                         \
                                     .attrs = ORR__ATTR_AXIS | ORR__ATTR_INDEX | ORR__ATTR_START,                      \
                                     .flags = ORR__OP_MAY_FAIL,                                                        \
                                     .verify = orr__field_verify,                                                      \
                                     .work = works,                                                                    \
                                     .space = spaces }

#endif
