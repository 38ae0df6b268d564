/* Training on batches that are distributed over the ranks of a program.
 * Must not know: how gradients are sent. */
#ifndef ORRERY_DATA_PARALLEL_H
#define ORRERY_DATA_PARALLEL_H

#include <orrery/distribute.h>
#include <orrery/loader.h>
#include <orrery/optim.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of orr_data_parallel. All zero: one axis of all ranks, and the whole state on each. Sharded state is the first stage
 * of ZeRO (S. Rajbhandari et al., 2020): less memory and less work for each rank, and the same number of bytes sent.
 * With compress a rank sends bf16(g + e) for its part g of a gradient, and e' = g + e − bf16(g + e) is added to its part in the next
 * step (F. Seide et al., 2014; S. P. Karimireddy et al., 2019); the sums are computed in the dtype of the step, rounded and fed back
 * likewise (H. Tang et al., 2019; with shard_state they are not rounded). e is state of the optimiser ("unsent"): one element for each
 * of the parameters on every rank. An element that is not finite leaves no e. */
typedef struct orr_data_parallel_options {
    orr_grid *grid;   /**< batches are cut along its axis 0; NULL: all ranks along one axis                        */
    bool shard_state; /**< each rank has a part of the optimiser's state, and computes that part of each step      */
    bool compress;    /**< gradients travel as bf16, with error feedback: half the bytes of f32                    */
} orr_data_parallel_options;

/** Prepares a module and its optimiser for batches that are distributed over the ranks (orr_loader_options.grid, or orr_shard).
 * All ranks get the parameters and states of the module of rank 0; the state of the optimiser is distributed as `options` say. Then
 * the program trains as one process does: the graph is that of the global batch, so a mean over axis 0 is that of the global batch,
 * and batch normalisation takes its statistics from it. Gradients are sums over the ranks, reduced in buckets. orr_optim_accumulate
 * and orr_optim_step_accumulated work as in one process. So do checkpoints: rank 0 writes them, and a run with any number of ranks
 * may continue from them. ORRERY_DETERMINISTIC=1 gives the same bits in every run with the same number of ranks.
 * Collective: all ranks call it, after creating both and before loading a checkpoint. On one rank nothing happens.
 * @param options  NULL: all zero
 * errors:   ORR_EINVAL (NULL), ORR_ERANK (the ranks have different options, or a rank has failed), ORR_ENOMEM, and those of orr_eval. */
ORR_API orr_status orr_data_parallel_at(const char *file, int line, orr_module *m, orr_optim *o,
                                        const orr_data_parallel_options *options);
#define orr_data_parallel(...) orr_data_parallel_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
