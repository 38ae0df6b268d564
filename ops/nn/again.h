/* A recomputed value's node, as it is recorded and derived.
 * Must not know: modules. */
#ifndef ORR_OPS_NN_AGAIN_H
#define ORR_OPS_NN_AGAIN_H

#include "runtime/graph/node.h"

/* Its operands: x, other tensors that have gradients, the value. Its scalars: what made the value, and where the random streams
 * were. */
enum { ORR__AGAIN_WHAT, ORR__AGAIN_SEED, ORR__AGAIN_STREAM };
enum { ORR__AGAIN_MOST = 64 };

/* Records on x again what made the value; set by the first orr_recompute. */
extern orr_tensor *(*orr__recompute_forward)(orr__site at, uint64_t what, orr_tensor *x);
/* Is a module recorded again for its gradient? Then its states stay. */
bool orr__module_recomputes(void);

#endif
