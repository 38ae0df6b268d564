/* Internals of the search for donors; all under the graph lock.
 * Must not know: how a value is computed. */
#ifndef ORR_GRAPH_DONATION_SEARCH_H
#define ORR_GRAPH_DONATION_SEARCH_H

#include "runtime/graph/donation.h"

/* A node from which the outputs are computed. The array is in the order of the walk; `index` of a node is its number
 * here. */
typedef struct {
    orr__node *node;
    int inner;   /* references from within              */
    bool out;    /* will be published                   */
    bool needed; /* a holder outside needs it after the evaluation */
} orr__reached;

typedef struct {
    orr__reached *at;
    int n, cap, *stack; /* the stack has space for n */
    uint64_t epoch;
    orr__donor_state state; /* of the worst leaf */
    bool oom;
} orr__search;

static inline bool orr__reached_held(const orr__reached *p)
{
    return atomic_load_explicit(&p->node->refs, memory_order_acquire) > p->inner;
}

/* Lists the nodes from which the outputs are computed, and counts the references among them. */
void orr__search_spread(orr__search *s, orr__node *const *out, int nout);
/* Marks the nodes that are needed by held nodes without a value. */
void orr__search_needed(orr__search *s);
/* The node that computes the value of n: n itself, or the node below a chain of DETACH. */
const orr__node *orr__search_behind(const orr__node *n);
/* True if b has the kind and size of a donor, regardless of references. */
bool orr__donor_possible(const orr__buffer *b);

/* Puts into d->retained the nodes that should become outputs, so that their holders need no old values, and updates `needed` as if they
 * were outputs. False: none. */
bool orr__retained_choose(orr__search *s, orr__donors *d);
void orr__retained_drop(orr__donors *d);

#endif
