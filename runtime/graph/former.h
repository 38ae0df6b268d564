/* Former values of variables: an evaluation that computes new ones, and is cancelled, leaves the old ones.
 * Must not know: how a value is computed, why an evaluation ends. */
#ifndef ORR_GRAPH_FORMER_H
#define ORR_GRAPH_FORMER_H

#include "runtime/graph/node.h"

/* A new value of a variable, and the last one before its pending assignments; references. */
typedef struct orr__former {
    orr__node *node, *old;
} orr__former;

/* The pending assignments of this thread will not be undone: the last values of their variables need not stay. */
void orr__pending_final(void);
/* Fills f for those of the n pending nodes whose variable has had a value. Returns their number. */
int orr__formers(orr__node *const *pending, int n, orr__former *f);
/* The last value of the variable of which n is a pending one, borrowed from this thread; NULL: none is kept. */
orr__node *orr__former_of(const orr__node *n);
/* Gives the new nodes the values of the old ones, where these have one. The values that they had stay in memory as long as the nodes, since other threads
 * may be about to refer to them. Any thread. */
void orr__formers_revert(const orr__former *f, int n);
void orr__formers_free(orr__former *f, int n);

#endif
