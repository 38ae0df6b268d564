/* Held values that are worth their memory.
 * Must not know: how a value is computed. */
#ifndef ORR_GRAPH_KEPT_AGAIN_H
#define ORR_GRAPH_KEPT_AGAIN_H

#include "runtime/graph/capture.h"

/* References to the nodes of a full capture that should become outputs, `most` bytes together at most, and their number. 0: none, or no
 * memory for the search; *chosen is NULL. The caller frees the array. */
int orr__kept_again(const orr__capture *p, size_t most, orr__node ***chosen);

#endif
