/* Stops: a request, or a time limit, by which a stretch of work ends early. Work that has begun ends, the rest does not begin.
 * Must not know: what the work is. */
#ifndef ORR_BASE_STOP_H
#define ORR_BASE_STOP_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "runtime/base/clock.h"
#include "runtime/base/status.h"

typedef struct orr__stop {
    atomic_int refs;
    atomic_bool asked;       /* by a call, or by another rank */
    uint64_t joint;          /* the number of an evaluation that the ranks stop together; 0: this process stops alone */
    atomic_int by;           /* the other rank that has asked */
    bool votes;              /* a run of it votes at its end */
    void *vote;              /* … what that needs, in one block   */
    double seconds, until;   /* the limit, and its end on the clock of orr__now; HUGE_VAL: none */
    orr__site at;            /* of the call that began the stretch */
    struct orr__stop *outer; /* a reference; its end is the end of this one, too */
} orr__stop;

/* The stop of the work that this thread begins, borrowed from its owner; NULL: none. */
extern _Thread_local orr__stop *orr__stop_mine __attribute__((tls_model("initial-exec")));

/* Work of this thread belongs to s (NULL: to none) until orr__stop_ends, which gets the result. */
static inline orr__stop *orr__stop_begins(orr__stop *s)
{
    orr__stop *outer = orr__stop_mine;
    orr__stop_mine = s;
    return outer;
}
static inline void orr__stop_ends(orr__stop *outer)
{
    orr__stop_mine = outer;
}

/* A stop inside that of this thread, with one reference. seconds: from now on, HUGE_VAL: no limit. NULL: no memory, last error set. */
orr__stop *orr__stop_new(orr__site at, double seconds);
orr__stop *orr__stop_ref(orr__stop *s); /* NULL is fine here and below */
void orr__stop_unref(orr__stop *s);
/* True once the work of s must end, by s itself or by an outer one. */
static inline bool orr__stop_asked_itself(const orr__stop *s)
{
    return atomic_load_explicit(&s->asked, memory_order_relaxed) || (s->until < HUGE_VAL && orr__now() >= s->until);
}
static inline bool orr__stop_asked(const orr__stop *s)
{
    while (s && !orr__stop_asked_itself(s))
        s = s->outer;
    return s;
}
orr_status orr__stop_error(const orr__stop *s); /* ORR_ECANCELLED with its message; s was asked to end */
/* ORR_OK, or orr__stop_error once the work of s must end. */
static inline orr_status orr__stop_check(const orr__stop *s)
{
    return orr__stop_asked(s) ? orr__stop_error(s) : ORR_OK;
}

#endif
