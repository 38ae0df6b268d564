/* Inside the search for donors; all under the graph lock.
 * Must not know: how a value is computed. */
#ifndef ORR_GRAPH_DONATION_SEARCH_H
#define ORR_GRAPH_DONATION_SEARCH_H

#include "runtime/graph/donation.h"

/* The nodes that the outputs are computed from, in the order of the walk; a node's `index` is its number here. */
typedef struct {
    orr__node *node;
    int inner;   /* references from within              */
    bool out;    /* will be published                   */
    bool needed; /* by a holder outside, after the evaluation, too */
} orr__place;

typedef struct {
    orr__place *at;
    int n, cap, *stack; /* the stack: room for n */
    uint64_t epoch;
    orr__donor_state state; /* of the worst leaf */
    bool oom;
} orr__search;

static inline bool orr__place_held(const orr__place *p)
{
    return atomic_load_explicit(&p->node->refs, memory_order_acquire) > p->inner;
}

/* Marks the nodes that are needed by held nodes without a value. */
void orr__search_needed(orr__search *s);
/* The node that gets the same value as a DETACH in front of it. */
const orr__node *orr__search_behind(const orr__node *n);
/* Has it the kind and size of a donor, whatever refers to it? */
bool orr__donor_possible(const orr__buffer *b);

/* The nodes that should be outputs, too, so that their holders need no old values: in d->retained. `needed` is found anew, as if they
 * were. False: none. */
bool orr__retained_choose(orr__search *s, orr__donors *d);
void orr__retained_drop(orr__donors *d);

#endif
