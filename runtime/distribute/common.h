/* The nodes of a capture that the ranks compute in common: those that lie over ranks, or are computed from such. The others each rank computes
 * alone, when it likes.
 * Must not know: how values move, how nodes are computed. */
#ifndef ORR_DISTRIBUTE_COMMON_H
#define ORR_DISTRIBUTE_COMMON_H

#include "runtime/graph/capture.h"

/* common[i]: node i of p, a capture in full. */
void orr__common_find(const orr__capture *p, bool *common);

#endif
