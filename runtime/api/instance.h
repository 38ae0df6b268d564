/* The graph of a capture as new nodes, with the values of one submission as its leaves: an explicit graph then evaluates as tensors do.
 * Must not know: plans, the engine. */
#ifndef ORR_API_INSTANCE_H
#define ORR_API_INSTANCE_H

#include "runtime/graph/capture.h"

/* Nodes for all of p, in its order, a reference each. NULL: no memory. */
orr__node **orr__instance_make(const orr__capture *p);
void orr__instance_free(const orr__capture *p, orr__node **nodes);

#endif
