/* Inside the search for values that an evaluation may write over; all under the graph lock.
 * Must not know: how a value is computed. */
#ifndef ORR_GRAPH_TAKE_SEARCH_H
#define ORR_GRAPH_TAKE_SEARCH_H

#include "runtime/graph/donation.h"

/* What the outputs are made from, in the order in which it was met; a node's `index` is its number here. */
typedef struct {
    orr__node *node;
    int inner;   /* references from within              */
    bool out;    /* will be published                   */
    bool wanted; /* by somebody outside, afterwards too */
} orr__place;

typedef struct {
    orr__place *at;
    int n, cap, *stack; /* the stack: room for n */
    uint64_t epoch;
    orr__take_state state; /* of the worst leaf */
    bool oom;
} orr__search;

static inline bool orr__place_held(const orr__place *p)
{
    return atomic_load_explicit(&p->node->refs, memory_order_acquire) > p->inner;
}

/* Marks what is needed by who is held and gets no value. */
void orr__search_wanted(orr__search *s);
/* The node that gets the same value as a DETACH in front of it. */
const orr__node *orr__search_behind(const orr__node *n);
/* Is it of the kind and size that may be taken, whoever refers to it? */
bool orr__take_could(const orr__buffer *b);

/* Which nodes should be published too, so that their holders need no old values: in t->kept. `wanted` is found anew, as if they
 * were. False: none. */
bool orr__keep_choose(orr__search *s, orr__takes *t);
void orr__keep_drop(orr__takes *t);

#endif
