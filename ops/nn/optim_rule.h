/* An optimiser's inside: options, state, and one update rule per kind.
 * Must not know: modules. */
#ifndef ORR_OPS_NN_OPTIM_RULE_H
#define ORR_OPS_NN_OPTIM_RULE_H

#include <orrery/distribute.h>
#include <orrery/optim.h>
#include "runtime/base/object.h"
#include "runtime/base/status.h"

#define ORR__OPTIM_SLOTS 3

/* Scalars of one step, recorded once and shared by all variables. They are numbers in the graph, not structure: a new
 * learning rate or t does not make a new plan. */
typedef struct orr__rates {
    orr_tensor *decay; /* weight decay; ADAMW: the factor 1 − lr·wd; NULL: none          */
    orr_tensor *rate;  /* −lr, with the kind's corrections                               */
    orr_tensor *eps;
    orr_tensor *first;  /* ADAM: 1−β1;  SGD: 1−dampening;  RMSPROP: 1−alpha               */
    orr_tensor *root;   /* LAMB: the corrections                                         */
    orr_tensor *second; /* ADAM: 1−β2;  SGD, RMSPROP: momentum                            */
} orr__rates;

/* An update rule. update: reads p, g, s[], returns the new p and replaces s[] by the new state. All have one float
 * dtype. */
typedef struct orr__rule {
    orr_tensor *(*update)(orr__site at, const orr_optim_options *o, const orr__rates *r, orr_tensor *p, orr_tensor *g,
                          orr_tensor **s);
    void (*rates)(orr__site at, const orr_optim_options *o, double t, orr__rates *r);
    /* The names of the state variables, in order. Returns their number, without those that the options do not need. */
    int (*slots)(const orr_optim_options *o, const char *name[ORR__OPTIM_SLOTS]);
    orr_optim_options defaults;
    const char *name;
} orr__rule;

const orr__rule *orr__optim_rule(orr_optim_kind kind); /* NULL: no such kind */

typedef struct orr__slot {
    orr_tensor *variable;  /* the user's */
    orr_dtype dtype, work; /* of the variable; of state and arithmetic */
    orr_tensor *state[ORR__OPTIM_SLOTS];
    orr_tensor *sum; /* of accumulated gradients; NULL: never used */
    orr_tensor
        *unsent; /* (ranks, elements): the rounding errors of each rank's gradients; NULL: these are not compressed */
} orr__slot;

extern const orr__object_kind orr__kind_optim;
/* The gradients g of the loss by the n variables x. ORR_EGRAPH if the loss depends on none of them. */
orr_status orr__optim_grads(orr__site at, const orr_optim *o, orr_tensor *loss, orr_tensor **x, orr_tensor **g);
/* The sums of the gradients over the ranks, and what of them is left out (orr__optim_compress). The gradients are checked. */
orr_status orr__optim_reduce(orr__site at, const orr_optim *o, orr_tensor **g, orr_tensor **unsent);
/* Clips the gradients, if the options say so, and records the step. unsent NULL: these come from earlier calls. */
orr_status orr__optim_finish(orr__site at, orr_optim *o, orr_tensor **g, orr_tensor *const *unsent);

struct orr_optim {
    orr_optim_kind kind;
    const orr__rule *rule;
    orr_optim_options options;
    int64_t t;                  /* steps made */
    orr_grid *grid;             /* batches are cut along its axis 0; NULL: one rank, or none of the following */
    bool shard_state, compress; /* the state is sharded along that axis; gradients travel as bf16 */
    bool waiting;               /* the sums hold gradients */
    int n, nstate;
    const char *name[ORR__OPTIM_SLOTS];
    orr__slot *slot;
};

#endif
