/* The gradients of single examples by the parameters of one layer: their norms and their weighted sum, from the layer's input and
 * the cotangent of its result.
 * Must not know: losses, clipping. */
#ifndef ORR_OPS_PRIVACY_GHOST_H
#define ORR_OPS_PRIVACY_GHOST_H

#include <orrery/nn.h>
#include "runtime/base/status.h"

/* One application of a layer in the forward pass. */
typedef struct orr__ghost {
    const orr_module *m;
    orr_tensor *x, *z, *g; /* input, result before the activation, cotangent of the result; g is borrowed */
    orr_tensor *
        each; /* (batch, groups, p, D): the gradients of all examples, where the norms were taken from them; else NULL */
    orr_tensor *bias; /* (batch, p): gradients by the bias, if there are positions; else NULL */
    int param;        /* the number of the layer's first parameter in the model */
} orr__ghost;

/* True if m is a layer with a rule in ghost.c. */
bool orr__ghost_knows(const orr_module *m);
/* (batch): the squared norm of each example's gradient by the layer's parameters. */
orr_tensor *orr__ghost_square(orr__site at, orr__ghost *l);
/* sum[l->param …] = the sums of the examples' gradients times their factors f (batch). */
void orr__ghost_sums(orr__site at, const orr__ghost *l, orr_tensor *f, orr_tensor **sum);
/* f·g, with f (batch) along the batch axis of g; 0 where f is 0, even if g is NaN. */
orr_tensor *orr__ghost_scaled(orr__site at, orr_tensor *f, orr_tensor *g);

#endif
