/* The node of a recomputed value, for recording and derivative.
 * Must not know: modules. */
#ifndef ORR_OPS_NN_AGAIN_H
#define ORR_OPS_NN_AGAIN_H

#include "runtime/graph/node.h"

/* Operands: x, other tensors that have gradients, the value. Scalars: the module that made the value, and the state of the
 * random streams. */
enum { ORR__AGAIN_WHAT, ORR__AGAIN_SEED, ORR__AGAIN_STREAM };
enum { ORR__AGAIN_MOST = 64 };

/* The gradients of the last node of this thread whose recording made those of all operands at once. */
typedef struct {
    const orr__node *node;
    orr_tensor *g, *grads[ORR__AGAIN_MOST];
    int n;
} orr__again_grads;
orr__again_grads *orr__again_last(orr__site at); /* NULL: no memory, last error set */

/* Records the module `what` again on x; set by the first orr_recompute. */
extern orr_tensor *(*orr__recompute_forward)(orr__site at, uint64_t what, orr_tensor *x);
/* True if a module is being recorded again for its gradient; its states are then not updated. */
bool orr__module_recomputes(void);

#endif
