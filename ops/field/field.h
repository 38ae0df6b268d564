/* Shared by the operations on BN254: operands, nodes, costs, and the attributes of nodes that select the function of a kernel.
 * Must not know: any single operation, instruction sets. */
#ifndef ORR_OPS_FIELD_H
#define ORR_OPS_FIELD_H

#include <orrery/field.h>
#include "ops/record.h"
#include "ops/rule.h"
#include "runtime/base/element.h"
#include "runtime/base/threshold.h"

/* The operands' dtype is the field. attr.axis is the curve, attr.index one of these functions. */
enum {
    ORR__ELEMENTS_INVERSE,
    ORR__ELEMENTS_POW,
    ORR__ELEMENTS_ENTER,       /* from limbs          */
    ORR__ELEMENTS_LEAVE,       /* as limbs            */
    ORR__ELEMENTS_OF_INTEGERS, /* from an integer dtype */
    ORR__ELEMENTS_AS_INTEGERS, /* to an integer dtype */
    ORR__ELEMENTS_NOT_ZERO     /* the elements; an error if one is 0 */
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
    ORR__POINTS_CHECK /* the points; an error if one is not on its curve */
};

/* Limits of arithmetic, and elements whose array stays in a core's caches. */
enum {
    ORR__PRODUCT_FLOPS = 16,   /* the cost of a product of two elements, in flops */
    ORR__SUM_FIELD_WORDS = 16, /* u64 of a sum in XYZZ coordinates, on G1; on G2 twice as many */
    ORR__NEAR_ELEMENTS = ORR__CACHE_SHARE / (8 * ORR__LIMBS)
};

/* The trailing axes of a point: (2) on G1, (2, 2) on G2. */
static inline int orr__point_axes(orr_curve c)
{
    return c == ORR_G1 ? 1 : 2;
}
/* Elements of a point. */
static inline int orr__point_elements(orr_curve c)
{
    return c == ORR_G1 ? 2 : 4;
}
/* Number of windows of c bits for a scalar and the carry of its last digit. */
static inline int orr__field_windows(int c)
{
    return (255 + c - 1) / c;
}

/* Checks an operand of `field`. axes: 0 for elements, 1 for points (…, 2) of G1, 2 for points (…, 2, 2) of G2. false: return
 * *bad. */
bool orr__field_operand(orr__site at, const orr_tensor *t, const char *name, orr_dtype field, int axes,
                        orr_shape *shape, orr_tensor **bad);
/* Checks an operand of elements of any field, which *field receives. */
bool orr__field_any(orr__site at, const orr_tensor *t, const char *name, orr_dtype *field, orr_shape *shape,
                    orr_tensor **bad);
bool orr__curve_known(orr__site at, orr_curve c, orr_tensor **bad);
/* The batch of a shape: all but its last `axes` axes; and a batch followed by `axes` axes of length 2. */
orr_shape orr__batch(orr_shape s, int axes);
orr_shape orr__batch_with(orr_shape batch, int axes);
/* The common batch of two operands; false: return *bad. */
bool orr__batches(orr__site at, const orr_shape *x, const orr_shape *y, orr_shape *both, orr_tensor **bad);

/* A node on operands that are valid or poison. */
orr_tensor *orr__field_node(orr__site at, const orr__op *op, orr_dtype dtype, orr_shape shape, int nin,
                            orr_tensor *const *in, const orr__attr *a);
/* Sets the error of function `what`, ORR__ELEMENTS_…, for element `number` of its operand, which it does not take or cannot convert
 * to `to`. */
orr_status orr__element_refused(orr__site at, int what, int64_t number, orr_dtype to);
/* The iteration space: `rows` × the rest of the result. */
int orr__field_rows(const orr__call *c, int64_t rows, int64_t *dim);
/* The number of elements along all but the last `axes` axes. */
int64_t orr__batch_count(const orr_shape *s, int axes);
/* Checks nodes of this pack, whose operands are elements, integers or bytes. */
const char *orr__field_verify(const orr__node *n, const orr__node *const *in, int nin);

/* rule: the distribution of the operation over ranks; NULL: every rank computes it. */
#define ORR__FIELD_OP(word, operands, spaces, works, rule)                                                             \
    const orr__op orr__op_##word = { .id = ORR__OP_##word,                                                             \
                                     .name = #word,                                                                    \
                                     .arity = operands,                                                                \
                                     .pattern = ORR__PATTERN_KERNEL,                                                   \
                                     .attrs = ORR__ATTR_AXIS | ORR__ATTR_INDEX | ORR__ATTR_START,                      \
                                     .flags = ORR__OP_MAY_FAIL,                                                        \
                                     .kinds = ORR__TAKES_FIELD,                                                        \
                                     .verify = orr__field_verify,                                                      \
                                     .distribute = rule,                                                               \
                                     .work = works,                                                                    \
                                     .space = spaces }

#endif
