/* Parts of batches and of optimisers' state over the ranks.
 * Must not know: layers, losses. */
#ifndef ORR_OPS_NN_DATA_PARALLEL_H
#define ORR_OPS_NN_DATA_PARALLEL_H

#include <orrery/distribute.h>
#include <orrery/optim.h>
#include "runtime/base/status.h"

/* This rank's examples of `length`, as orr_shard cuts axis 0 along axis 0 of the grid. g NULL: all. */
void orr__grid_part(const orr_grid *g, int64_t length, int64_t *first, int64_t *count);
/* The distributed tensor of `length` examples of which `part` is this rank's part. */
orr_tensor *orr__of_part(orr__site at, orr_tensor *part, orr_grid *g, int64_t length);

/* Part: this rank's part of a value, in an optimiser with sharded state. Whole: the value again from its parts. For
 * other optimisers both return t. */
orr_tensor *orr__optim_part(orr__site at, const orr_optim *o, orr_tensor *t);
orr_tensor *orr__optim_whole(orr__site at, const orr_optim *o, orr_tensor *t);

/* Replaces the gradients g[0 … o->n) by their sums over the ranks, and sets unsent[i] to the next value of slot i's `unsent`, which the
 * caller assigns with the step. Without compression g stays, and unsent[i] is NULL. */
orr_status orr__optim_compress(orr__site at, const orr_optim *o, orr_tensor **g, orr_tensor **unsent);
/* Gives the optimiser the memory for it. */
orr_status orr__optim_compress_start(orr__site at, orr_optim *o);
/* An array of a file for a variable: t, or, if the variable holds the rounding errors of the ranks and another number of ranks wrote the
 * file, their sum as the errors of rank 0. o NULL: t. */
orr_tensor *orr__optim_fit(orr__site at, const orr_optim *o, const orr_tensor *variable, orr_tensor *t);

#endif
