/* Former values of variables: an evaluation that computes new ones, and is cancelled, leaves the old ones.
 * Must not know: how a value is computed, why an evaluation ends. */
#ifndef ORR_GRAPH_FORMER_H
#define ORR_GRAPH_FORMER_H

#include "runtime/graph/node.h"

/* A new value of a variable, and the last one before its pending assignments; references. */
typedef struct orr__former {
    orr__node *node, *old;
} orr__former;

/* The pending assignments of this thread will not be undone, and the last values of their variables need not stay, unless the assignments may
 * read values that are undone. */
void orr__pending_final(void);
/* So many evaluations more that undo their assignments if they fail are under way. */
void orr__formers_under_way(int by);
/* Fills f for those of the n pending nodes whose variable has had a value. Returns their number. */
int orr__formers(orr__node *const *pending, int n, orr__former *f);
/* The last value of the variable of which n is a pending one, borrowed from this thread; NULL: none is kept. */
orr__node *orr__former_of(const orr__node *n);
/* Gives the variables their old values again, unless they have been assigned meanwhile. A node that was recorded from a new one is evaluated no
 * more: the capture of an undone value is ORR_ECANCELLED. A value that the ranks compute in common becomes the old one itself. Any thread. */
void orr__formers_revert(const orr__former *f, int n);
/* A pending assignment of this thread is pending no more. */
void orr__pending_forget(const orr__node *n);
void orr__formers_free(orr__former *f, int n);

#endif
