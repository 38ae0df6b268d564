/* One node in reverse mode, as the derivative of its operation sees it.
 * Must not know: how a graph is walked. */
#ifndef ORR_OPS_BACK_H
#define ORR_OPS_BACK_H

#include "ops/record.h"

/* For operations of many operands: the operands that were passed, and their length in all. An operation that added up the lengths for
 * each operand anew would cost n² for n of them. */
typedef struct {
    int n;
    int64_t length;
} orr__passed;

/* Operands and result as tensors, and the cotangent g of the result. An operation's vjp returns the cotangent of
 * operand k, in the shape and dtype of that operand. It is composed of public operations, so that it can be
 * differentiated again. */
typedef struct orr__back {
    orr__site at;
    const orr__node *node;
    int nin;
    orr_tensor *const *in;
    orr_tensor *out, *g;
    orr__passed *passed; /* zero before the first operand of the node */
} orr__back;

/* orr_grad under the name of another call. Adds to *reached the number of x on which y depends; NULL: it is an error if y does not depend on
 * an x that was computed, or through whole numbers alone. */
orr_status orr__grad(orr__site at, orr_tensor *y, orr_tensor *const *x, int n, orr_tensor **grads, int *reached);
/* orr_vjp for derivatives, in which a y that was recorded before an x is no mistake: its gradient is zero. */
orr_status orr__vjp(orr__site at, orr_tensor *y, orr_tensor *seed, orr_tensor *const *x, int n, orr_tensor **grads);

#endif
