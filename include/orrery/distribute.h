/* More than one process: ranks, process grids, distributed tensors.
 * Must not know: how messages are sent. */
#ifndef ORRERY_DISTRIBUTE_H
#define ORRERY_DISTRIBUTE_H

#include <orrery/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- ranks ------------------------------------------------------------------------------------------------- */

/* A program that mpirun or srun starts n times runs as n ranks: every process is the same program and records the same graph.
 * orr_init and orr_shutdown are then collective: every rank calls them. If a rank dies, ends without orr_shutdown, or is
 * silent for ORRERY_RANK_TIMEOUT seconds, the others end, too, with a line on stderr that names it. */

/** Number of this process among the ranks, from 0; 0 without a launcher, and outside orr_init … orr_shutdown. Thread-safe. */
ORR_API int orr_rank(void);
/** Number of ranks; 1 without a launcher, and outside orr_init … orr_shutdown. Thread-safe. */
ORR_API int orr_ranks(void);
/** Waits until every rank has called this function. Collective: all ranks call it, from one thread each.
 * errors:   ORR_ERANK when a rank has failed, ORR_ESTATE before orr_init. */
ORR_API orr_status orr_barrier_at(const char *file, int line);
#define orr_barrier() orr_barrier_at(ORR_HERE)

/* -- process grids ----------------------------------------------------------------------------------------- */

/** The largest number of axes of a process grid. */
enum { ORR_GRID_AXES = 3 };
/** All ranks as the places of a grid in row-major order: rank r of a 2 × 3 grid is at (r / 3, r % 3). */
typedef struct orr_grid orr_grid;
/** A grid whose extents multiply to orr_ranks().
 * @param extent  [axes] numbers ≥ 1; one of them may be −1: all remaining ranks
 * @return   to be freed with orr_grid_free; grids of the same extents are the same pointer. NULL on ORR_EINVAL, ORR_ENOMEM.
 * Local: nothing is sent. Thread-safe. */
ORR_API orr_grid *orr_grid_make_at(const char *file, int line, int axes, const int64_t *extent);
#define orr_grid_make(...) orr_grid_make_at(ORR_HERE, __VA_ARGS__)
/** Releases a grid. Tensors that are distributed over it keep it alive. NULL is fine. */
ORR_API void orr_grid_free(orr_grid *g);
/** This rank's place along an axis; −1 for an axis that the grid lacks or NULL. */
ORR_API int64_t orr_grid_place(const orr_grid *g, int axis);

/* -- distributed tensors ----------------------------------------------------------------------------------- */

/* Every rank records the same graph with the tensors' full shapes. A tensor is replicated (every rank has all of it: the usual
 * case), or sharded: a rank has only its blocks. Results computed from a sharded tensor are sharded by the rules of the operations,
 * or replicated; sums over ranks and other exchanges are inserted where needed. Values do not depend on the number of ranks, except
 * for the order of sums. docs/distributed-tensors.md has the rules.
 * An evaluation of a sharded tensor is collective: all ranks evaluate the same tensors in the same order. So are orr_read,
 * orr_data, orr_item, orr_print and the functions that save a sharded tensor, which gather its value; rank 0 writes the file,
 * and all ranks return its status. */

/** In the axes of orr_shard: along this axis of the grid the tensor is whole. */
enum { ORR_WHOLE = 127 };
/** t, cut into blocks along axes of a process grid.
 * @param axes  element g: the axis of t that is cut along axis g of the grid, or ORR_WHOLE; missing elements are ORR_WHOLE.
 *              Negative axes count from the last. An axis of length n over p ranks: rank r has ⌈n/p⌉ places from r·⌈n/p⌉ on; the
 *              last ranks may have fewer, or none.
 * @return   a tensor of the same shape, dtype and value, owned by the current scope; t itself on a grid of one rank. Poison on
 *           ORR_EINVAL, ORR_EAXIS.
 * grad:     g.    effects: lazy; a replicated tensor is cut without a message. Safe from any thread. */
ORR_API orr_tensor *orr_shard_at(const char *file, int line, orr_tensor *t, orr_grid *grid, orr_axes axes);
#define orr_shard(...) orr_shard_at(ORR_HERE, __VA_ARGS__)
/** As orr_shard, in blocks of a given length that are dealt to the ranks in turn: place i of an axis over p ranks is on rank
 * (i / block) mod p.
 * @param blocks  one for each of the axes; 0: ⌈n/p⌉, as in orr_shard */
ORR_API orr_tensor *orr_shard_cyclic_at(const char *file, int line, orr_tensor *t, orr_grid *grid, orr_axes axes,
                                        orr_index blocks);
#define orr_shard_cyclic(...) orr_shard_cyclic_at(ORR_HERE, __VA_ARGS__)
/** t with its whole value on every rank. grad: g. effects: lazy. Safe from any thread. */
ORR_API orr_tensor *orr_replicate_at(const char *file, int line, orr_tensor *t);
#define orr_replicate(...) orr_replicate_at(ORR_HERE, __VA_ARGS__)
/** t in the distribution of `like`, which has the same shape and is not computed for this. grad: g by t. Poison on
 * ORR_ESHAPE.
 * effects: lazy. Safe from any thread. */
ORR_API orr_tensor *orr_redistribute_at(const char *file, int line, orr_tensor *t, orr_tensor *like);
#define orr_redistribute(...) orr_redistribute_at(ORR_HERE, __VA_ARGS__)
/** Returns the distribution of the value of t: "replicated", or "axis 0 over 4 ranks in blocks of 25". For a tensor without a
 * value: the distribution that orr_shard requested, else "not evaluated". Valid until the thread's next call of it. Never NULL. */
ORR_API const char *orr_distribution(const orr_tensor *t);

#ifdef __cplusplus
}
#endif
#endif
