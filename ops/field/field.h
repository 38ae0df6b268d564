/* Shared by the operations on BN254: operands, nodes, costs, and the numbers in a node's attributes by which kernels know what to do.
 * Must not know: any single operation, instruction sets. */
#ifndef ORR_OPS_FIELD_H
#define ORR_OPS_FIELD_H

#include <orrery/field.h>
#include "ops/record.h"
#include "ops/rule.h"
#include "runtime/base/element.h"

/* The field is that of the operands' dtype. attr.axis is the curve, attr.index one of these. */
enum {
    ORR__ELEMENTS_INVERSE,
    ORR__ELEMENTS_POW,
    ORR__ELEMENTS_ENTER,       /* from limbs          */
    ORR__ELEMENTS_LEAVE,       /* as limbs            */
    ORR__ELEMENTS_OF_INTEGERS, /* from an integer dtype */
    ORR__ELEMENTS_AS_INTEGERS, /* to one              */
    ORR__ELEMENTS_NOT_ZERO     /* the elements, none of which is 0 */
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
    ORR__POINTS_CHECK /* the points themselves, which are on their curve */
};

enum {
    ORR__PRODUCT_FLOPS = 16,  /* a product of two elements beside a flop */
    ORR__SUM_FIELD_WORDS = 16 /* u64 of a sum in XYZZ coordinates, on G1; on G2 twice as many */
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
/* Windows of c bits for all of a scalar and its last digit's carry. */
static inline int orr__field_windows(int c)
{
    return (255 + c - 1) / c;
}

/* An operand of elements of `field`, of points (…, 2) of G1 with 1 for `axes`, of points (…, 2, 2) of G2 with 2; false: *bad. */
bool orr__field_operand(orr__site at, const orr_tensor *t, const char *name, orr_dtype field, int axes,
                        orr_shape *shape, orr_tensor **bad);
/* An operand of elements of any field: *field. */
bool orr__field_any(orr__site at, const orr_tensor *t, const char *name, orr_dtype *field, orr_shape *shape,
                    orr_tensor **bad);
bool orr__curve_known(orr__site at, orr_curve c, orr_tensor **bad);
/* The batch of a shape: all but its last `axes`; and a batch followed by so many axes of length 2. */
orr_shape orr__batch(orr_shape s, int axes);
orr_shape orr__batch_with(orr_shape batch, int axes);
/* The common batch of two operands; false: *bad. */
bool orr__batches(orr__site at, const orr_shape *x, const orr_shape *y, orr_shape *both, orr_tensor **bad);

/* A node on operands that are good or poison. */
orr_tensor *orr__field_node(orr__site at, const orr__op *op, orr_dtype dtype, orr_shape shape, int nin,
                            orr_tensor *const *in, const orr__attr *a);
/* The error of function `what`, one of ORR__ELEMENTS_…, whose operand's element `number` it does not take, or does not make `to` of. */
orr_status orr__element_refused(orr__site at, int what, int64_t number, orr_dtype to);
/* The iteration: so many rows × all else of the result. */
int orr__field_rows(const orr__call *c, int64_t rows, int64_t *dim);
/* Elements of all but the last `axes` axes. */
int64_t orr__batch_count(const orr_shape *s, int axes);
/* The rule of nodes of this pack: operands of elements, of integers or of bytes. */
const char *orr__field_verify(const orr__node *n, const orr__node *const *in, int nin);

/* rule: how the operation lies over ranks; NULL: every rank computes it. */
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
