/* The gradients of single examples by the parameters of one layer: their norms and their weighted sum, from the layer's input and
 * its result's cotangent.
 * Must not know: losses, clipping. */
#ifndef ORR_OPS_PRIVACY_GHOST_H
#define ORR_OPS_PRIVACY_GHOST_H

#include <orrery/nn.h>
#include "runtime/base/status.h"

/* One layer as the forward pass went through it. */
typedef struct orr__ghost {
    const orr_module *m;
    orr_tensor *x, *z, *g; /* input, result before the activation, its cotangent: kept handles, g borrowed */
    orr_tensor *
        each; /* (batch, groups, p, D): the gradients of all examples, where the norms were taken from them; else NULL */
    orr_tensor *bias; /* (batch, p): those by the bias, where there are positions; else NULL */
    int param; /* the number of the layer's first parameter among those of the model */
} orr__ghost;

/* Whether the parameters of m are those of a layer that has a rule here. */
bool orr__ghost_knows(const orr_module *m);
/* Σ over the layer's parameters of the squared gradient of each example: (batch). */
orr_tensor *orr__ghost_square(orr__site at, orr__ghost *l);
/* sum[l->param …] = the sums of the examples' gradients, each by its factor of f (batch). */
void orr__ghost_sums(orr__site at, const orr__ghost *l, orr_tensor *f, orr_tensor **sum);
/* f·g, f (batch) beside the batch axis of g; zeros where f is 0, even where g is NaN. */
orr_tensor *orr__ghost_scaled(orr__site at, orr_tensor *f, orr_tensor *g);

#endif
