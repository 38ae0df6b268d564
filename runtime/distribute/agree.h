/* Agreement: all ranks evaluate the same graph, or each returns an error that shows two lines.
 * Must not know: how the graph is computed. */
#ifndef ORR_DISTRIBUTE_AGREE_H
#define ORR_DISTRIBUTE_AGREE_H

#include "runtime/graph/capture.h"

/* A hash of a capture without scalars and values of leaves: equal on all ranks for equal graphs. */
typedef struct orr__structure {
    uint64_t a, b;
} orr__structure;
/* p is a capture in full. */
orr__structure orr__agree_structure(const orr__capture *p);

/* The first rank whose graph differs from that of rank 0, and the number of nodes of rank 0's graph. rank 0: all
 * graphs are equal. */
typedef struct orr__difference {
    int rank;
    int64_t nodes;
} orr__difference;

/* Collective: one message of a few bytes. `structure` is that of p, which may be a light capture. Scalars are
 * compared too. stops: on input, whether this rank may stop the evaluation, on return, whether any may. */
orr_status orr__agree(orr__site at, orr__structure structure, const orr__capture *p, orr__difference *d, bool *stops);
/* Collective, if there is a difference. Returns ORR_ERANK, with the first node that differs as rank 0 and the other rank have it. p is a
 * capture in full. */
orr_status orr__agree_tell(orr__site at, const orr__capture *p, const orr__difference *d);

#endif
