/* The census: where a thread that records without an evaluation makes its nodes.
 * Must not know: how a value is computed. */
#ifndef ORR_GRAPH_CENSUS_H
#define ORR_GRAPH_CENSUS_H

#include "runtime/graph/thread_state.h"

/* The thread has used up its free nodes. Begins a census if it has recorded ORRERY_NODES without an evaluation. */
void orr__census_begin(orr__tls *tls);
/* Counts a new node. The last one of the census ends it with a line of the log. */
void orr__census_add(orr__tls *tls, const orr__node *n);

#endif
