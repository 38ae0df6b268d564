/* Donors: values of which an evaluation may use the memory for its outputs, since no other reader of them is left.
 * Must not know: how a value is computed, which output uses a donor's memory. */
#ifndef ORR_GRAPH_DONATION_H
#define ORR_GRAPH_DONATION_H

#include "runtime/graph/node.h"

enum { ORR__DONATION_LEAST = 64 << 10 }; /* bytes of a value that is worth it */

/* The donors of one evaluation, exclusive to its thread until it ends. */
typedef struct {
    orr__node **leaf;
    int n;
    orr__node **retained; /* references: values that somebody holds and would compute from donors later; outputs, too */
    int nretained;
} orr__donors;

/* Before the capture of out[0 … nout), to each of which the caller holds a reference: finds the large leaves without a reader once
 * these are published, and the values that must be published as well for that (runtime/graph/donation_retained.c). A thread that captures
 * one of these leaves waits until orr__donors_release. Without memory there are none. */
void orr__donors_find(orr__node *const *out, int nout, orr__donors *d);
/* After the publication, or the failure: threads that wait go on. A value that was `overwritten` then is an error for its readers. */
void orr__donors_release(orr__donors *d);

/* May the calling thread's evaluation write over b? If it does, and fails, it sets `overwritten`. */
bool orr__donor_mine(const orr__buffer *b);
/* For readers without a capture: a reference to the value of n, which has one, as soon as no other thread may write over it. */
orr_status orr__node_value_ref(orr__site at, const orr__node *n, orr__buffer **b);

/* -- for walks of the graph, under its lock ---------------------------------------------------------------- */

extern bool orr__donors_exist; /* false: there was none yet in this process */
typedef enum { ORR__DONOR_FREE, ORR__DONOR_BUSY, ORR__DONOR_LOST } orr__donor_state;
/* BUSY: another thread may write over b now. LOST: one has, and failed. */
orr__donor_state orr__donor_state_of(const orr__buffer *b);
uint64_t orr__donors_released(void); /* evaluations that had donors and have ended */
/* Without the lock: after BUSY, until more have ended than `seen`; after LOST at once, as an error. */
orr_status orr__donor_wait(orr__site at, orr__donor_state state, uint64_t seen);

#endif
