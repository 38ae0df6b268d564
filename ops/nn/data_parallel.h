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

#endif
