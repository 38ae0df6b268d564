/* Donors: values whose memory an evaluation may use for its outputs, since they have no other reader.
 * Must not know: how a value is computed, which output uses a donor's memory. */
#ifndef ORR_GRAPH_DONATION_H
#define ORR_GRAPH_DONATION_H

#include "runtime/graph/node.h"

/* The donors of one evaluation, exclusive to its thread until it ends. */
typedef struct {
    orr__node **leaf;
    int n;
    orr__node **retained; /* references: held values that would be computed from donors later; they become outputs */
    int nretained;
} orr__donors;

/* Which values may be overwritten: all without a reader; those that element-wise operations alone read, up to the next published value, so
 * that all other work can be repeated from what is left; none. */
typedef enum { ORR__DONATE_ALL, ORR__DONATE_ELEMENTS, ORR__DONATE_NONE } orr__donation;

/* Finds the large leaves without a reader once out[0 … nout) are published; retain: and the values that must be published too for this
 * (runtime/graph/donation_retained.c). Called before the capture of the outputs, to each of which the caller holds a reference. A thread
 * that captures one of these leaves waits until orr__donors_release. Without memory no donor is found. */
void orr__donors_find(orr__node *const *out, int nout, bool retain, orr__donation may, orr__donors *d);
/* Called after publication or failure: waiting threads go on. Readers of a value that is still `overwritten` get an error. */
void orr__donors_release(orr__donors *d);

/* True if the calling thread's evaluation may overwrite b. If it does and fails, it sets `overwritten`. */
bool orr__donor_mine(const orr__buffer *b);
/* For readers without a capture: a reference to the value of n, which must have one. Waits while another thread may overwrite it. */
orr_status orr__node_value_ref(orr__site at, const orr__node *n, orr__buffer **b);

/* -- for walks of the graph, under its lock ---------------------------------------------------------------- */

extern bool orr__donors_exist; /* false: this process has had none yet */
typedef enum { ORR__DONOR_FREE, ORR__DONOR_BUSY, ORR__DONOR_LOST } orr__donor_state;
/* BUSY: another thread may overwrite b now. LOST: one has, and failed. */
orr__donor_state orr__donor_state_of(const orr__buffer *b);
uint64_t orr__donors_released(void); /* evaluations that had donors and have ended */
/* Called without the lock. BUSY: waits until more evaluations have ended than `seen`. LOST: returns an error at
 * once. */
orr_status orr__donor_wait(orr__site at, orr__donor_state state, uint64_t seen);

#endif
