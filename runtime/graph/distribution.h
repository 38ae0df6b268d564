/* Distributions: how a tensor lies over a process grid. Equal distributions have one number, which nodes and keys hold.
 * Must not know: operations, how a distribution changes. */
#ifndef ORR_GRAPH_DISTRIBUTION_H
#define ORR_GRAPH_DISTRIBUTION_H

#include <stdatomic.h>
#include <stddef.h>
#include <orrery/tensor.h>
#include "runtime/base/status.h"
#include "runtime/graph/spread.h"
#include "runtime/ranks/ranks.h"

/* Whole along the axes that the grid lacks and along those of extent 1. grid NULL: whole on every rank, number 0. */
typedef struct orr__distribution {
    orr_grid *grid;
    orr__spread along[ORR__GRID_AXES];
} orr__distribution;

/* The number of a distribution; 0 is whole. Numbers are never released: programs have few distributions. -1: no memory, or too many
 * (last error). */
int orr__distribution_number(orr__site at, const orr__distribution *d);
orr__distribution orr__distribution_of(int number);
/* The number of a grid, for keys; the grid of a number. -1 as above. */
int orr__grid_number(orr__site at, orr_grid *g);
orr_grid *orr__grid_of(int number);
/* True if this process has made a distribution other than the whole one, or has failed to make the tensor. */
extern atomic_bool orr__distributed;
static inline bool orr__distributions_exist(void)
{
    return atomic_load_explicit(&orr__distributed, memory_order_relaxed);
}

bool orr__distribution_equal(const orr__distribution *a, const orr__distribution *b);
static inline bool orr__distribution_whole(const orr__distribution *d)
{
    for (int g = 0; d->grid && g < d->grid->axes; g++)
        if (d->along[g].kind != ORR__WHOLE)
            return false;
    return true;
}
/* The number of places, of `length` along an axis, that the rank at `coordinate` of `extent` ranks has. */
int64_t orr__spread_places(orr__spread s, int64_t length, int64_t coordinate, int64_t extent);
/* The local shape of a tensor on the grid's rank. */
orr_shape orr__distribution_local(const orr__distribution *d, const orr_shape *global);
/* True if a matrix is sharded and not partial. Its rows are sharded along axis *rows of the grid, its columns along
 * *cols; -1: not. */
bool orr__distribution_of_blocks(const orr__distribution *d, int *rows, int *cols);
/* "replicated", or "axis 0 over 4 ranks, axis 1 over 2 in blocks of 64", "partial sums over 4 ranks". */
const char *orr__distribution_text(const orr__distribution *d, char *text, size_t size);

#endif
