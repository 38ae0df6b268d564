/* One node on the way back from a result to its operands: the view of a derivative.
 * Must not know: how a graph is walked. */
#ifndef ORR_OPS_BACK_H
#define ORR_OPS_BACK_H

#include "ops/record.h"

/* Operands and result as tensors, and the cotangent g of the result. An operation's vjp gives the cotangent of operand k,
 * of its shape and dtype, made of public operations, so that it derives again. */
typedef struct orr__back {
    orr__site at;
    const orr__node *node;
    int nin;
    orr_tensor *const *in;
    orr_tensor *out, *g;
} orr__back;

#endif
