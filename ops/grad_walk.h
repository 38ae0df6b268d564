/* A node and those of its ancestors through which a gradient may flow, in topological order.
 * Must not know: derivatives. */
#ifndef ORR_OPS_GRAD_WALK_H
#define ORR_OPS_GRAD_WALK_H

#include "runtime/graph/node.h"

/* Node i's inputs are node[arg[arg0[i]]] … node[arg[arg0[i + 1] − 1]]; all numbers are below i. y is the last. A node without inputs here
 * is a leaf, or lost them (lost[i]), or no gradient flows through it to an x: it stops gradients, or has whole numbers, or was recorded
 * before all x and depends on no variable. So a walk does not enter the work that was recorded before, which would make a loop of n steps cost n². */
typedef struct orr__ancestry {
    int n, narg, cap, arg_cap;
    orr__node **node; /* each holds a reference */
    int32_t *arg0, *arg;
    bool *lost;     /* an evaluation dropped the node's inputs */
    int32_t *slot;  /* hash table of node numbers, -1: free */
    uint32_t nslot; /* a power of two, or 0                 */
} orr__ancestry;

/* For the gradient of y by x[0 … nx). */
orr_status orr__ancestry_make(orr__site at, orr__node *y, orr__node *const *x, int nx, orr__ancestry *a);
/* The same through whole numbers and truth values, too. The nodes of derivatives are leaves: there the derivative of what is constant piece by
 * piece is 0 and no mistake. */
orr_status orr__ancestry_whole(orr__site at, orr__node *y, orr__node *const *x, int nx, orr__ancestry *a);
/* All ancestors of y[0 … n), and these. */
orr_status orr__ancestry_all(orr__site at, orr__node *const *y, int n, orr__ancestry *a);
void orr__ancestry_free(orr__ancestry *a);
/* The number of a node; -1 if it is no ancestor. */
int orr__ancestry_find(const orr__ancestry *a, const orr__node *n);

#endif
