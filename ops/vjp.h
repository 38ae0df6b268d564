/* Derivatives of the primitives, written with public ops, so that they can be differentiated again.
 * Must not know: how a graph is walked. */
#ifndef ORR_OPS_VJP_H
#define ORR_OPS_VJP_H

#include "ops/record.h"

/* One node on the way back: its operands and result as tensors, the cotangent g of the result. */
typedef struct {
    orr__site at;
    const orr__node *node;
    int nin;
    orr_tensor *const *in;
    orr_tensor *out, *g;
} orr__back;

/* The cotangent of operand k, of its shape and dtype; NULL: none flows there. Poison on errors. */
orr_tensor *orr__vjp(const orr__back *b, int k);
orr_tensor *orr__vjp_slice(const orr__back *b);
orr_tensor *orr__vjp_cholesky(const orr__back *b);
orr_tensor *orr__vjp_solve(const orr__back *b, int k);
orr_tensor *orr__vjp_reduce(const orr__back *b);

#endif
