/* Partitions of a graph for all ranks of a grid, run in this process one at a time; exchanges are done here.
 * Must not know: which graph. */
#ifndef ORR_TESTS_SIMULATE_H
#define ORR_TESTS_SIMULATE_H

#include "runtime/graph/capture.h"
#include "runtime/graph/distribution.h"
#include "tests/harness/ops_help.h"

typedef struct {
    int axes;
    int64_t extent[ORR_GRID_AXES];
} sim_grid;

/* The distribution of a leaf, or that requested by a `distribute` node: the tensor's axis along each axis of the grid (−1:
 * whole), and blocks. */
typedef struct {
    orr__node *node;
    int axis[ORR_GRID_AXES];
    int64_t block[ORR_GRID_AXES];
} sim_lies;

/* Computes the values of the nodes, assembled from all ranks: row-major; the caller frees them. False after failed checks:
 * partitions that do not fit each other, replicas that differ, errors. */
bool sim_run(orr__node *const *out, int nout, const sim_grid *g, const sim_lies *lies, int nlies, void **value);
/* The number of exchanges of the last run; and, by id, the operations of which any run has had a node that was not whole. */
extern int sim_exchanges;
extern bool sim_lay[ORR__OP_EW + 256];

#endif
