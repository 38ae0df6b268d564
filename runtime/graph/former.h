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
/* Fills f for those of the n pending nodes whose variable has had a value. Returns their number. */
int orr__formers(orr__node *const *pending, int n, orr__former *f);
/* The last value of the variable of which n is a pending one, borrowed from this thread; NULL: none is kept. */
orr__node *orr__former_of(const orr__node *n);
/* Gives the variables their old values again, unless they have been assigned meanwhile. A node that was recorded from a new one is evaluated no
 * more: the capture of an undone value is ORR_ECANCELLED. Any thread. */
void orr__formers_revert(const orr__former *f, int n);
/* A pending assignment of this thread is pending no more. */
void orr__pending_forget(const orr__node *n);

/* The assignments of an evaluation under way, which are undone if it fails. */
typedef struct orr__undo {
    int n;
    orr__former *former;
    const void *of; /* that evaluation */
    struct orr__undo *next;
} orr__undo;

/* Of those of the n pending nodes whose variable has had a value. NULL: no memory. */
orr__undo *orr__undo_new(orr__node *const *pending, int n);
void orr__undo_free(orr__undo *u);
/* The evaluation has failed: undoes its assignments, and frees u. Over ranks orr__undo_settle does, since each rank hears of a failure at a time
 * of its own, and what all record meanwhile reads the same nodes. */
void orr__undo_failed(orr__undo *u);
/* A call that all ranks make at the same place learns how the evaluation has ended; those that failed before it are undone, too. */
void orr__undo_settle(const void *of);

#endif
