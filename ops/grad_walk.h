/* A node and its ancestors in topological order, with the detach nodes, which a capture leaves out.
 * Must not know: derivatives. */
#ifndef ORR_OPS_GRAD_WALK_H
#define ORR_OPS_GRAD_WALK_H

#include "runtime/graph/node.h"

/* Node i's inputs are node[arg[arg0[i]]] … node[arg[arg0[i + 1] − 1]]; all numbers are below i. y is the last. */
typedef struct orr__ancestry {
    int n, narg, cap, arg_cap;
    orr__node **node; /* each holds a reference */
    int32_t *arg0, *arg;
    int32_t *slot;  /* hash table of node numbers, -1: free */
    uint32_t nslot; /* a power of two, or 0                 */
} orr__ancestry;

orr_status orr__ancestry_make(orr__site at, orr__node *y, orr__ancestry *a);
void orr__ancestry_free(orr__ancestry *a);
/* The number of a node; -1 if it is no ancestor. */
int orr__ancestry_find(const orr__ancestry *a, const orr__node *n);

#endif
