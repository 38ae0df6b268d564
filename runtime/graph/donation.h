/* Values that an evaluation may write over, since nobody but it can see them any more.
 * Must not know: how a value is computed. */
#ifndef ORR_GRAPH_TAKE_H
#define ORR_GRAPH_TAKE_H

#include "runtime/graph/node.h"

enum { ORR__TAKE_LEAST = 64 << 10 }; /* bytes of a value that is worth it */

/* Leaves of one evaluation that are its thread's alone until it ends. */
typedef struct {
    orr__node **leaf;
    int n, nfree;     /* those from nfree on if kept[] are published as well, the others whatever becomes of these */
    orr__node **kept; /* references: held by somebody who would compute them from old values later                 */
    int nkept;
} orr__takes;

/* Before the capture of out[0 … nout), to each of which the caller holds a reference: finds the large values that are read for
 * them and that nobody can reach when they are published, and what else should be published for that (runtime/graph/donation_holders.c).
 * From here on who captures one of these waits. With no memory, or nothing to find, there are none. */
void orr__takes_begin(orr__node *const *out, int nout, orr__takes *t);
/* kept[] are not published: what depends on them is given back. */
void orr__takes_part(orr__takes *t);
/* After the publication, or the failure: who waits goes on. A value that was `overwritten` then is an error for whoever reads
 * it. */
void orr__takes_end(orr__takes *t);

/* May the calling thread's evaluation write over b? If it has, and fails, it sets `overwritten`. */
bool orr__take_mine(const orr__buffer *b);
/* For who reads a value without a capture: a reference to that of n, which has one, as soon as no other thread may write over
 * it. */
orr_status orr__take_ref(orr__site at, const orr__node *n, orr__buffer **b);

/* -- for walks of the graph, under its lock ---------------------------------------------------------------- */

extern bool orr__takes_matter; /* false: nobody has taken anything */
typedef enum { ORR__TAKE_NONE, ORR__TAKE_BUSY, ORR__TAKE_SPOILED } orr__take_state;
/* BUSY: another thread may write over b now. */
orr__take_state orr__take_of(const orr__buffer *b);
uint64_t orr__takes_ended(void); /* evaluations that had taken something */
/* Without the lock: after BUSY, until more have ended than `seen`; after SPOILED at once, as an error. */
orr_status orr__takes_wait(orr__site at, orr__take_state state, uint64_t seen);

#endif
