/* Agreement: all ranks evaluate the same graph, or each returns an error that shows two lines.
 * Must not know: how the graph is computed. */
#ifndef ORR_DISTRIBUTE_AGREE_H
#define ORR_DISTRIBUTE_AGREE_H

#include "runtime/graph/capture.h"

/* Collective. ORR_ERANK where graphs differ: the first node that does, as rank 0 and the first other rank have it. */
orr_status orr__agree(orr__site at, const orr__capture *p);

#endif
