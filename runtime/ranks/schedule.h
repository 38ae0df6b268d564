/* The messages and reductions of one rank in an exchange, by one of several algorithms: a pure function of the exchange.
 * Must not know: how a message travels, which algorithm is the fastest. */
#ifndef ORR_RANKS_SCHEDULE_H
#define ORR_RANKS_SCHEDULE_H

#include "runtime/ranks/ranks.h"

/* P ranks; q = ⌈log₂ P⌉; a part is 1/P of the array.
 *  DIRECT     all-reduce: every rank sends each part to the rank that reduces it, which sends the result to all. Others: one round
 *  WHOLE      all-reduce: every rank sends the whole array to all others and reduces all of it
 *  DOUBLING   all-reduce: q rounds, in each of which two ranks send each other all that they have reduced. A number of ranks that is no
 *             power of two takes two rounds more
 *  HALVING    all-reduce: q rounds that halve the array that a rank still reduces, and q that double the part that it has (J. Träff,
 *             2023, for any number of ranks). Reduce-scatter, all-gather: one half of this. Broadcast: the root sends a part to each
 *             rank, and the ranks gather the parts
 *  RING       P − 1 rounds for each half, with messages from each rank to its successor only
 *  NODES      all-reduce: reduces among the ranks of a node, then between nodes, each rank its own part; and back. All nodes have
 *             equally many ranks
 *  TREE       broadcast: q rounds; each rank that has the array sends it on
 * DIRECT and WHOLE add in the order of the ranks. The others add in an order that depends on the algorithm and P only; f16 and bf16
 * travel in f32 until they are reduced, and are rounded once. All ranks get the same bits. */
typedef enum {
    ORR__BY_DIRECT,
    ORR__BY_WHOLE,
    ORR__BY_DOUBLING,
    ORR__BY_HALVING,
    ORR__BY_RING,
    ORR__BY_NODES,
    ORR__BY_TREE,
    ORR__ALGORITHMS
} orr__algorithm;

/* The arrays of an exchange. WORK is memory of the exchange for partial results, or OUT; PEERS is memory for contributions of others. */
typedef enum { ORR__ARRAY_IN, ORR__ARRAY_OUT, ORR__ARRAY_WORK, ORR__ARRAY_PEERS } orr__array;
typedef struct orr__place {
    orr__array array;
    int64_t at; /* element */
} orr__place;

/* SEND, RECEIVE: `count` elements of `place`, to or from `peer`, a place in the group.
 * WAIT: until all earlier messages have arrived. FOLD and COPY wait likewise.
 * FOLD: place[i] = the reduction of `operands` arrays in order; number `peer` is `from`, the others are in PEERS from `other` on, each
 * `count` long.
 * COPY: place = from. */
typedef enum { ORR__ACT_SEND, ORR__ACT_RECEIVE, ORR__ACT_WAIT, ORR__ACT_FOLD, ORR__ACT_COPY } orr__act;
typedef struct orr__action {
    orr__act act;
    int peer, operands;
    orr__place place, from;
    int64_t other, count;
} orr__action;

typedef struct orr__schedule {
    orr__action *action;
    int n, room;
    int64_t peers, work; /* elements of PEERS and WORK; work 0: WORK is OUT */
    bool wide;           /* the elements of PEERS and WORK are f32, those of IN and OUT f16 or bf16 */
    bool lacks_memory;
} orr__schedule;

/* The nodes (machines) of a group's ranks. */
typedef struct orr__layout {
    const int *node; /* of each place of the group, from 0; NULL: all are on one  */
    int nodes;       /* 0: one */
    int per_node;    /* ranks on each; 0: not equally many */
} orr__layout;

/* True if the algorithm can carry out such exchanges. */
bool orr__schedule_fits(orr__exchange_kind kind, orr__algorithm by, const orr__layout *l);
/* The schedule of place x->group->self in a group of at least two. false: no memory. Free with orr__schedule_free in any case. */
bool orr__schedule_make(orr__schedule *s, const orr__exchange *x, orr__algorithm by, const orr__layout *l);
void orr__schedule_free(orr__schedule *s);
const char *orr__algorithm_name(orr__algorithm by);

#endif
