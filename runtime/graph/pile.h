/* Piles: pending work that grows without an evaluation, as in a loop of training steps whose loss is read every thousandth step. A thread
 * submits its pile by itself, when there are enough nodes to be worth a plan. Laziness is then seen in time alone: the values of variables
 * are computed early, and nothing that a gradient could flow through is lost.
 * Must not know: how a value is computed. */
#ifndef ORR_GRAPH_PILE_H
#define ORR_GRAPH_PILE_H

#include "runtime/base/threshold.h"
#include "runtime/graph/node.h"

/* The least nodes that a thread has recorded since its last evaluation. From some hundred nodes on, an evaluation costs as much per node
 * as a larger one, and a plan that is found again is not made again: the pile is cut before the assignment of the variable that was
 * assigned first, where each round of a loop looks alike. If that variable is no longer assigned, the cut is before any that is pending,
 * after ORR__PILE_ROUNDS times as many nodes. So many nodes fill a kernel for each core.
 * (cases: loss_read_every with 1, 10, 100 steps) */
enum { ORR__PILE_NODES = ORR__T_FEW_LINES * ORR__T_REGION_OPS, ORR__PILE_ROUNDS = 4 };

/* Evaluates the pile of the calling thread without waiting. Set while the library runs; else NULL. */
extern void (*_Atomic orr__pile_submit)(orr__site at);
/* After a pile could not be submitted: the thread does not try again before its next evaluation. */
void orr__pile_refuse(void);

/* The values that the submission of a pile computes: the pending ones, and values inside that someone else holds. References. */
typedef struct {
    orr__node **node;
    int n;
} orr__pile;
/* Adds to the pending nodes:
 *  - former values of variables on which a held node depends. With them its history ends, and is not computed again;
 *  - held nodes, so that they are not computed again, unless they show or repeat other values.
 * False: no memory, or these values have more bytes than the nodes that the submission releases, in which case the pile is cheaper as it
 * is. Held nodes that depend on no variable may have `most` bytes instead. */
bool orr__pile_find(orr__node *const *pending, int n, size_t most, orr__pile *p);
void orr__pile_free(orr__pile *p);

#endif
