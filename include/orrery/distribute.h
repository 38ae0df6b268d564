/* More than one process: ranks, process grids.
 * Must not know: how messages travel. */
#ifndef ORRERY_DISTRIBUTE_H
#define ORRERY_DISTRIBUTE_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- ranks ------------------------------------------------------------------------------------------------- */

/* A program that mpirun or srun started n times runs as n ranks: every process is the same program and records the same graph.
 * orr_init and orr_shutdown are collective then: every rank calls them. A rank that dies, ends without orr_shutdown, or is silent
 * for ORRERY_RANK_TIMEOUT seconds ends the others, with a line on stderr that names it. */

/** Number of this process among the ranks, from 0; 0 without a launcher, and outside orr_init … orr_shutdown. Thread-safe. */
ORR_API int orr_rank(void);
/** Number of ranks; 1 without a launcher, and outside orr_init … orr_shutdown. Thread-safe. */
ORR_API int orr_ranks(void);
/** Waits until every rank is here. Collective: all ranks call it, from one thread each.
 * errors:   ORR_ERANK when a rank has failed, ORR_ESTATE before orr_init. */
ORR_API orr_status orr_barrier_at(const char *file, int line);
#define orr_barrier() orr_barrier_at(ORR_HERE)

/* -- process grids ----------------------------------------------------------------------------------------- */

/** The largest number of axes of a process grid. */
enum { ORR_GRID_AXES = 3 };
/** All ranks as the places of a grid in row-major order: rank r of a 2 × 3 grid is at (r / 3, r % 3). */
typedef struct orr_grid orr_grid;
/** A grid whose extents multiply to orr_ranks().
 * @param extent  `axes` numbers ≥ 1; one of them may be −1: what is left of the ranks
 * @return   to be freed with orr_grid_free; grids of the same extents are the same pointer. NULL on ORR_EINVAL, ORR_ENOMEM.
 * Local: nothing is sent. Thread-safe. */
ORR_API orr_grid *orr_grid_make_at(const char *file, int line, int axes, const int64_t *extent);
#define orr_grid_make(...) orr_grid_make_at(ORR_HERE, __VA_ARGS__)
/** Gives a grid back. Tensors that are distributed over it keep it. NULL is fine. */
ORR_API void orr_grid_free(orr_grid *g);
/** This rank's place along an axis; −1 for an axis that the grid lacks or NULL. */
ORR_API int64_t orr_grid_place(const orr_grid *g, int axis);

#ifdef __cplusplus
}
#endif
#endif
