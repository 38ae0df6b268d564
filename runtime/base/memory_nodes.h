/* The memory nodes (NUMA) of the machine, and the division of arrays among them.
 * Must not know: tensors, workers, StarPU. */
#ifndef ORR_BASE_MEMORY_NODES_H
#define ORR_BASE_MEMORY_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORR__NODES_MOST = 64 }; /* limit of memory */

/* The nodes that have cores for this process; 1 without hwloc. Read once, when first asked. */
int orr__nodes_here(void);
/* The nodes among which arrays are divided: the same, or 1 with STARPU_USE_NUMA=0. */
int orr__nodes(void);
/* Cores of a node. */
int orr__node_cores(int node);
/* The node of hardware thread `pu`, by hwloc's logical number; -1: of none. */
int orr__node_of_pu(int pu);
/* The node where place `at` of an array is at home: each node has one part, in order, and all parts are equal. */
static inline int orr__node_in(int64_t at, int64_t size, int nodes)
{
    return size > 0 ? (int)(at * nodes / size) : 0;
}
/* Hardware threads (hwloc's logical numbers) of n different cores, in the order of the nodes, from each as many as from the others if it has them.
 * False: there are fewer cores. */
bool orr__nodes_spread(int n, unsigned pu[]);
/* Pages of a fresh mapping will lie at home, by orr__node_in, whoever writes them first. Without effect on one node. */
void orr__nodes_settle(void *mapping, size_t bytes);
/* The part of a node in a mapping, in whole pages. */
void orr__nodes_part(size_t bytes, int node, int nodes, size_t page, size_t *from, size_t *to);

#endif
