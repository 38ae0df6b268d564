/* The partition of a capture: from the global graph, in which tensors lie over ranks, to the graph that one rank computes.
 * Must not know: how nodes are computed, how messages travel. */
#ifndef ORR_DISTRIBUTE_PARTITION_H
#define ORR_DISTRIBUTE_PARTITION_H

#include <stdio.h>
#include "runtime/distribute/choice.h"
#include "runtime/distribute/move.h"

/* A node that the ranks compute together, between the runs of their own graphs. Its value, a leaf, exists after that. */
typedef struct orr__joint {
    orr__node *out, **in;        /* references; local */
    int nin, after;              /* follows so many exchanges */
    const orr__node *node;       /* of the global graph, borrowed */
    orr__distribution as, *lies; /* out; in */
    orr_shape *global;           /* of in */
} orr__joint;

/* A local node that uses data of the global capture in addition to its operands: the value of a leaf, or scalars. */
typedef struct orr__taker {
    orr__node *node; /* reference                                        */
    int leaf, slot;  /* number of the leaf; of the first scalar; -1: none */
} orr__taker;

typedef struct orr__partition {
    int nroot;
    orr__node **root; /* by output of the capture: its local value, references          */
    int *placed;      /* the number of its distribution                                 */
    orr__exchanges exchanges;
    orr__joint *joint;
    int njoint;
    orr__taker *taker;
    int ntaker, taker_cap;
} orr__partition;

/* True if a leaf lies over ranks, or a node requests that. p may be a light capture. */
bool orr__partition_needed(const orr__capture *p);
/* Makes the partition for the rank whose grids the distributions hold. It is a pure function of p without the values of leaves: nothing
 * is sent, and the leaves of the local graph have no values yet. Of scalars only zero or not zero matters. p is a capture in full. */
orr_status orr__partition_make(orr__site at, const orr__capture *p, bool jointly, orr__partition *q);
/* Gives the local leaves the values of p's. */
void orr__partition_fill(orr__partition *q, const orr__capture *p);
void orr__partition_free(orr__partition *q);
/* Replaces p, if it lies over ranks, by the capture that this rank computes. */
orr_status orr__partition_local(orr__site at, bool jointly, orr__capture *p);
/* Prints how each value lies, and each move, on a line each. */
orr_status orr__partition_explain(FILE *to, orr__site at, const orr__capture *p, bool jointly);

#endif
