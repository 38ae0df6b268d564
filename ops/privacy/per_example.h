/* Per-example gradients: their norms, and their sums with a weight for each example.
 * Must not know: noise, accounting, optimizers. */
#ifndef ORR_OPS_PRIVACY_PER_EXAMPLE_H
#define ORR_OPS_PRIVACY_PER_EXAMPLE_H

#include <orrery/privacy.h>
#include "runtime/base/status.h"

/* A model: a module, or a function of parameters. */
typedef struct orr__model {
    const orr_module *module; /* NULL: fn */
    orr_dp_loss *loss;        /* of the module's output */
    void *loss_user;
    orr_dp_losses *fn;
    void *fn_user;
    int n; /* parameters */
    orr_tensor **param;
} orr__model;

orr_status orr__model_check(orr__site at, const orr__model *m);
/* Makes m a model with the module's parameters; the caller frees m->param. */
orr_status orr__model_of(orr__site at, orr__model *m, const orr_module *module, orr_dp_loss *loss, void *user);

/* Results, owned by the current scope. sum[i]: Σ over the batch of weight · clipped gradient. */
typedef struct orr__clipped {
    orr_tensor **sum;
    orr_tensor *norm;   /* (batch): before clipping, over all parameters */
    orr_tensor *losses; /* (batch) */
} orr__clipped;
/* weight: (batch), f32; NULL: ones. */
orr_status orr__clipped_grads(orr__site at, const orr__model *m, orr_tensor *x, orr_tensor *target, orr_tensor *weight,
                              orr_dp_clipping clipping, double clip, orr__clipped *out);

#endif
