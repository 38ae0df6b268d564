/* The life of a stop, and its message.
 * Must not know: what the work is. */
#include "config.h"
#include "runtime/base/buffer.h"
#include "runtime/base/stop.h"

#include <stdlib.h>

_Thread_local orr__stop *orr__stop_mine __attribute__((tls_model("initial-exec")));

orr__stop *orr__stop_new(orr__site at, double seconds)
{
    orr__stop *s = orr__alloc(sizeof *s);
    if (!s)
        return NULL;
    atomic_init(&s->refs, 1);
    s->at = at;
    s->seconds = seconds;
    s->until = seconds < HUGE_VAL ? orr__now() + seconds : HUGE_VAL;
    s->outer = orr__stop_ref(orr__stop_mine);
    return s;
}

orr__stop *orr__stop_ref(orr__stop *s)
{
    if (s)
        (void)atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void orr__stop_unref(orr__stop *s)
{
    while (s && atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1) {
        orr__stop *outer = s->outer;
        free(s->vote);
        free(s);
        s = outer;
    }
}

orr_status orr__stop_error(const orr__stop *s)
{
    while (!orr__stop_asked_itself(s))
        s = s->outer;
    static const char rest[] = "work that had begun has ended, the rest was not computed";
    if (s->joint)
        return orr__fail(s->at, ORR_ECANCELLED, "rank %d has ended the evaluation, by orr_cancel or a time limit: %s",
                         atomic_load(&s->by), rest);
    return atomic_load(&s->asked)
               ? orr__fail(s->at, ORR_ECANCELLED, "cancelled by orr_cancel: %s", rest)
               : orr__fail(s->at, ORR_ECANCELLED, "the time limit of %g s has passed: %s", s->seconds, rest);
}
