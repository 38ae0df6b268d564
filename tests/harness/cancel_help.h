/* Evaluations that are cancelled at a given moment, of chains whose values are known.
 * Must not know: the shape of a chain, how work is stopped. */
#ifndef ORR_TESTS_CANCEL_HELP_H
#define ORR_TESTS_CANCEL_HELP_H

#include <orrery.h>
#include "tests/harness/harness.h"

/* The lanes: the calling thread, the workers by tasks, and the library's own choice, which has a crew. */
typedef struct {
    const char *engine, *inline_us;
} cancel_lane;
enum { CANCEL_LANES = 3 };
extern const cancel_lane cancel_lanes[CANCEL_LANES];
/* Starts the library with so many workers ("2"). False: it lacks the engine. */
bool cancel_up(const cancel_lane *l, const char *workers);

double cancel_now(void); /* seconds */
/* A moment of an evaluation that takes so many seconds, or shortly after it. */
double cancel_moment(unsigned long long *seed, double whole);

/* The matrix that moves the columns of an n × n matrix by one; the matrix 0, 1, 2, …; true if t is the latter after so many moves, each of which
 * adds one. */
orr_tensor *cancel_shift(int n);
orr_tensor *cancel_ramp(int n);
bool cancel_is_after(orr_tensor *t, int n, int links);

typedef struct {
    orr_event *event;
    double after;
    orr_status said; /* of orr_cancel */
} canceller;
/* Cancels the event after so many seconds: the function of a thread, or a call. */
void *cancel_later(void *canceller);
/* Evaluates t, and cancels that from another thread after so many seconds. */
orr_status cancel_by_thread(orr_tensor *t, double seconds);

#endif
