/* The graph of a capture as new nodes, with the values of one submission as its leaves: an explicit graph then evaluates as tensors do.
 * Must not know: plans, the engine. */
#ifndef ORR_API_INSTANCE_H
#define ORR_API_INSTANCE_H

#include "runtime/graph/capture.h"

/* A node of the operation of n, with its attributes and name, for the shape and the operands, whose references it takes over. */
orr__node *orr__instance_node(orr__site at, const orr__node *n, orr_dtype dtype, const orr_shape *shape, int nin,
                              orr__node *const *in);
/* Nodes for all of p, in its order, a reference each. NULL: no memory. */
orr__node **orr__instance_make(const orr__capture *p);
void orr__instance_free(const orr__capture *p, orr__node **nodes);

#endif
