/* Agreement: all ranks evaluate the same graph, or each returns an error that shows two lines.
 * Must not know: how the graph is computed. */
#ifndef ORR_DISTRIBUTE_AGREE_H
#define ORR_DISTRIBUTE_AGREE_H

#include "runtime/graph/capture.h"

/* A hash of what a capture is, scalars and the values of leaves apart: equal on all ranks for equal graphs. */
typedef struct orr__structure {
    uint64_t a, b;
} orr__structure;
/* p is a capture in full. */
orr__structure orr__agree_structure(const orr__capture *p);

/* The first rank whose graph is not that of rank 0, and how many nodes that has. rank 0: all graphs are one. */
typedef struct orr__difference {
    int rank;
    int64_t nodes;
} orr__difference;

/* Collective, by one message of a few bytes. `structure` is p's, which may be a light capture; scalars count too. */
orr_status orr__agree(orr__site at, orr__structure structure, const orr__capture *p, orr__difference *d);
/* Collective, where there is a difference: ORR_ERANK, with the first node that differs as rank 0 and the other rank have it. p is a
 * capture in full. */
orr_status orr__agree_tell(orr__site at, const orr__capture *p, const orr__difference *d);

#endif
