/* Events: waits for evaluations under way, and their cancellation; stretches of a thread's calls that can be cancelled.
 * Must not know: devices, StarPU. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/api/event.h"
#include "runtime/api/handle_name.h"
#include "runtime/base/array.h"
#include "runtime/base/element.h"
#include "runtime/base/env.h"
#include "runtime/graph/former.h"

/* An event: its own run, NULL if that had already ended, and the runs of other evaluations that write the rest of its values. */
struct event {
    orr__named named;
    orr__run *run, **also;
    int nalso, cap;
    struct landing {
        orr__buffer *b;
        orr_dtype dtype;
        int64_t n;
        void *to;
    } * landing; /* values that the wait brings to memory of the program */
    int nlanding, landing_cap;
    orr__stop *stop;
    bool stretch;       /* of orr_cancellable_begin: it has no runs                       */
    atomic_bool waited; /* a caller of orr_wait has it                                    */
};

static atomic_int live; /* events that have a name */

static void destroy(struct event *e)
{
    orr__run_unref(e->run);
    for (int i = 0; i < e->nalso; i++)
        orr__run_unref(e->also[i]);
    for (int i = 0; i < e->nlanding; i++)
        orr__buffer_unref(e->landing[i].b);
    orr__stop_unref(e->stop);
    free(e->landing);
    free(e->also);
    free(e);
}

static void event_unref(struct event *e)
{
    if (!orr__named_unref(&e->named))
        return;
    destroy(e);
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
}

void orr__events_report(void)
{
    int n = atomic_load(&live);
    if (n)
        orr__log(1,
                 "shutdown: %d event%s never ended: call orr_wait for each event of an evaluation, and "
                 "orr_cancellable_end for each orr_cancellable_begin",
                 n, n == 1 ? " was" : "s were");
}

orr_event *orr__event_new(orr__site at, double seconds)
{
    struct event *e = orr__alloc(sizeof *e);
    if (!e)
        return NULL;
    e->stop = orr__stop_new(at, seconds);
    orr_event *name = e->stop ? orr__token_new(&e->named) : NULL;
    if (!name)
        destroy(e);
    else
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return name;
}

orr__stop *orr__event_enter(orr_event *event)
{
    struct event *e = orr__token_get(event, false);
    orr__stop *stop = e->stop;
    event_unref(e); /* the name holds a reference, too */
    return orr__stop_begins(stop);
}

void orr__event_adopt(orr_event *event, orr__run *run)
{
    struct event *e = orr__token_get(event, false);
    e->run = run;
    event_unref(e);
}

static bool is_among(const struct event *e, const orr__run *r)
{
    bool found = r == e->run;
    for (int i = 0; i < e->nalso && !found; i++)
        found = r == e->also[i];
    return found;
}

/* A run that has failed already is among the awaited ones, too: the wait reports it. */
orr_status orr__event_awaits_run(orr_event *event, orr__run *r)
{
    if (orr__run_done(r) && orr__run_wait(r) == ORR_OK)
        return ORR_OK;
    struct event *e = orr__token_get(event, false);
    orr_status st = ORR_OK;
    if (!is_among(e, r)) {
        orr__run **more = orr__array_reserve(e->also, &e->cap, e->nalso + 1, sizeof(orr__run *));
        e->also = more ? more : e->also;
        if (more)
            e->also[e->nalso++] = orr__run_ref(r);
        else
            st = ORR_ENOMEM;
    }
    event_unref(e);
    return st;
}

orr_status orr__event_awaits(orr_event *event, const orr__buffer *b)
{
    return b ? orr__event_awaits_run(event, b->run) : ORR_OK;
}

bool orr__event_reserve(orr_event *event, int more)
{
    struct event *e = orr__token_get(event, false);
    struct landing *to = orr__array_reserve(e->landing, &e->landing_cap, e->nlanding + more, sizeof *to);
    e->landing = to ? to : e->landing;
    event_unref(e);
    return to || more == 0;
}

void orr__event_lands(orr_event *event, orr__buffer *b, orr_dtype dtype, int64_t n, void *to)
{
    struct event *e = orr__token_get(event, false);
    e->landing[e->nlanding++] = (struct landing){ b, dtype, n, to };
    event_unref(e);
}

orr_status orr__land(orr__buffer *b, orr_dtype dtype, int64_t n, void *to)
{
    orr_status st = orr__buffer_sync(b);
    if (st != ORR_OK || b->host == to || n == 0)
        return st;
    if (orr__is_field(dtype))
        orr__elements_leave(dtype, to, b->host, n);
    else
        memcpy(to, b->host, (size_t)n * orr_dtype_size(dtype));
    return ORR_OK;
}

void orr__event_drop(orr_event *event)
{
    event_unref(orr__token_get(event, true));
}

static bool is_done(const struct event *e)
{
    bool done = orr__run_done(e->run);
    for (int i = 0; i < e->nalso && done; i++)
        done = orr__run_done(e->also[i]);
    return done;
}

static orr_status wait_for_run(orr__run *r)
{
    orr_status st = orr__run_wait(r);
    if (st != ORR_OK)
        orr__undo_settle(r);
    return st;
}

/* The first failure becomes the last error. */
static orr_status wait_for(const struct event *e)
{
    orr_status st = wait_for_run(e->run), first = st;
    int failed = -1;
    for (int i = 0; i < e->nalso; i++) {
        st = wait_for_run(e->also[i]);
        failed = st != ORR_OK && first == ORR_OK ? i : failed;
        first = first == ORR_OK ? st : first;
    }
    if (first != ORR_OK)
        return orr__run_wait(failed < 0 ? e->run : e->also[failed]);
    for (int i = 0; i < e->nlanding && first == ORR_OK; i++)
        first = orr__land(e->landing[i].b, e->landing[i].dtype, e->landing[i].n, e->landing[i].to);
    return first;
}

/* The object behind the name; NULL: last error set. A stretch is an event of its own kind. */
static struct event *get(orr__site at, const orr_event *event)
{
    struct event *e = event ? orr__token_get(event, false) : NULL;
    if (!event)
        (void)orr__fail(at, ORR_EINVAL, "the event is NULL");
    else if (!e)
        (void)orr__fail(at, ORR_EHANDLE, "no event: it was waited for or ended already, or never was one");
    return e;
}

static orr_status fits(orr__site at, const struct event *e, bool stretch)
{
    return e->stretch == stretch ? ORR_OK
                                 : orr__fail(at, ORR_EINVAL, "the event is of %s",
                                             stretch ? "an evaluation: orr_wait ends it"
                                                     : "a stretch of calls: orr_cancellable_end ends it");
}

orr_status orr_wait_at(const char *file, int line, orr_event *event)
{
    orr__site at = ORR__SITE(file, line, "wait");
    struct event *e = get(at, event);
    if (!e)
        return orr_error_status();
    orr_status st = fits(at, e, false);
    if (st == ORR_OK && atomic_exchange(&e->waited, true))
        st = orr__fail(at, ORR_EHANDLE, "another call waits for the event already");
    else if (st == ORR_OK) {
        st = is_done(e) || orr__engine_running()
                 ? wait_for(e)
                 : orr__fail(at, ORR_ESTATE,
                             "the evaluation of this event belongs to the parent of this forked process");
        event_unref(orr__token_get(event, true)); /* the name has lasted so long, for orr_cancel */
    }
    event_unref(e);
    return st;
}

bool orr_event_done(const orr_event *event)
{
    struct event *e = orr__token_get(event, false);
    bool done = !e || (is_done(e) && !e->stretch);
    if (e)
        event_unref(e);
    return done;
}

/* -- cancellation ------------------------------------------------------------------------------------------------------ */

orr_status orr_cancel_at(const char *file, int line, orr_event *event)
{
    orr__site at = ORR__SITE(file, line, "cancel");
    struct event *e = get(at, event);
    if (!e)
        return orr_error_status();
    atomic_store(&e->stop->asked, true);
    event_unref(e);
    return ORR_OK;
}

static orr_status check_limit(orr__site at, double seconds)
{
    if (!(seconds >= 0))
        return orr__fail(at, ORR_EINVAL, "the time limit is %g seconds; it is 0 or more, INFINITY for none", seconds);
    return ORR_OK;
}

orr_status orr__limit_new(orr__site at, double seconds, orr__stop **limit)
{
    orr_status st = check_limit(at, seconds);
    if (st == ORR_OK && !(*limit = orr__stop_new(at, seconds)))
        st = orr__fail_place(at, ORR_ENOMEM);
    return st;
}

orr_event *orr_cancellable_begin_at(const char *file, int line, double seconds)
{
    orr__site at = ORR__SITE(file, line, "cancellable_begin");
    orr_event *name = check_limit(at, seconds) == ORR_OK ? orr__event_new(at, seconds) : NULL;
    if (!name) {
        (void)orr__fail_place(at, orr_error_status());
        return NULL;
    }
    struct event *e = orr__token_get(name, false);
    e->stretch = true;
    (void)orr__stop_begins(e->stop);
    event_unref(e);
    return name;
}

orr_status orr_cancellable_end_at(const char *file, int line, orr_event *event)
{
    orr__site at = ORR__SITE(file, line, "cancellable_end");
    struct event *e = get(at, event);
    if (!e)
        return orr_error_status();
    orr_status st = fits(at, e, true);
    if (st == ORR_OK && e->stop != orr__stop_mine) /* else it is this thread's */
        st = orr__fail(at, ORR_EINVAL, "it is not the innermost stretch that this thread has begun and not ended");
    if (st == ORR_OK) {
        orr__stop_ends(e->stop->outer);
        event_unref(orr__token_get(event, true));
    }
    event_unref(e);
    return st;
}
