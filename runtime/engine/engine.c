/* Chooses an engine, starts and stops it, passes plans to it.
 * Must not know: how an engine runs a plan. */
#include "config.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "runtime/base/callback.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/mapped_file.h"
#include "runtime/base/regret.h"
#include "runtime/base/trace.h"
#include "runtime/engine/core_lease.h"
#include "runtime/engine/denormals.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/ranges.h"
#include "runtime/ranks/ranks.h"
#include "runtime/engine/machine_profile.h"

bool orr__engine_naps;

static const orr__engine_impl *_Atomic engine; /* NULL: not started */
static char name[160];
enum { MOST_TRIES = 3 }; /* of an evaluation, after the first, if devices fail repeatedly */
static int named;        /* the backend that the user named; ORR__BACKEND_AUTO: none */
static bool orphan;      /* in the child of a fork: StarPU does not survive it */

/* The environment has precedence over the arguments of orr_init. */
static orr_status choose(orr__site at, const orr_config *config, int *choice)
{
    static const char *const names[] = { "auto", "starpu", "serial" };

    *choice = orr__env.engine;
    if (*choice != ORR__ENGINE_AUTO || !config || !config->engine)
        return ORR_OK;
    for (int i = 0; i < 3; i++)
        if (strcmp(config->engine, names[i]) == 0) {
            *choice = i;
            return ORR_OK;
        }
    return orr__fail(at, ORR_EINVAL, "engine \"%s\" is none of auto, starpu, serial", config->engine);
}

orr_status orr__engine_backend(orr__site at, const orr_config *config, int *choice)
{
    static const char *const names[] = { "auto", "cpu", "cuda", "opencl" };

    *choice = orr__env.backend;
    if (*choice != ORR__BACKEND_AUTO || !config || !config->backend)
        return ORR_OK;
    for (int i = 0; i < 4; i++)
        if (strcmp(config->backend, names[i]) == 0) {
            *choice = i;
            return ORR_OK;
        }
    return orr__fail(at, ORR_EINVAL, "backend \"%s\" is none of auto, cpu, cuda, opencl", config->backend);
}

const orr__engine_impl *orr__engine_now(void)
{
    return atomic_load(&engine);
}

static orr_status start_one(orr__site at, const orr_config *config, const orr__engine_impl *e)
{
    orr__regret_clear();
    orr_status st = e->start(at, config);

    if (st != ORR_OK)
        return st;
    e->describe(name, sizeof name);
    orr__ranges_start();
    atomic_store(&engine, e);
    orr__profile_start(e);
    for (int w = 1; orr__tracing() && w <= orr__works_workers(); w++) {
        char text[48];
        orr__engine_worker(w, text, sizeof text);
        orr__trace_track(w, text);
    }
    return ORR_OK;
}

/* A fork does not copy StarPU's threads: in the child the engine is stopped, and nothing waits for it. */
static void in_child(void)
{
    const orr__engine_impl *e = atomic_load(&engine);

    if (!e || e == &orr__engine_serial)
        return;
    orphan = true;
    orr__profile_orphan();
    orr__buffer_engine = (orr__buffer_hooks){ 0 };
    atomic_store(&engine, NULL);
    name[0] = '\0';
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);
    orr__plan_cache_guard();
    orr__works_guard();
    orr__models_guard();
}

bool orr__engine_may_use_cuda(const orr_config *config)
{
    orr__site at = { NULL, 0, "init" };
    int choice, backend;
    if (choose(at, config, &choice) != ORR_OK || orr__engine_backend(at, config, &backend) != ORR_OK) {
        orr_error_clear(); /* the start reports the error */
        return false;
    }
    return choice != ORR__ENGINE_SERIAL && (backend == ORR__BACKEND_AUTO || backend == ORR__BACKEND_CUDA);
}

orr_status orr__engine_start(orr__site at, const orr_config *config)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int choice, backend = ORR__BACKEND_AUTO;
    orr_status st = choose(at, config, &choice);

    (void)pthread_once(&once, watch_forks);
    orr__leases_start();
    if (st == ORR_OK)
        st = orr__engine_backend(at, config, &backend);
    if (st != ORR_OK)
        return st;
    if (atomic_load(&engine))
        return orr__fail(at, ORR_ESTATE, "an engine is running already");
    named = backend;
    if (choice != ORR__ENGINE_SERIAL) {
#ifdef HAVE_STARPU
        st = orphan
                 ? orr__fail(at, ORR_EDEVICE,
                             "StarPU cannot run in a process that was forked while StarPU ran: fork before orr_init, "
                             "or use ORRERY_ENGINE=serial")
                 : start_one(at, config, &orr__engine_starpu);
#else
        st = orr__fail(at, ORR_EDEVICE, "this library was built without StarPU");
#endif
        /* An unavailable engine or backend is an error only if the user named it. */
        if (st != ORR_EDEVICE || choice == ORR__ENGINE_STARPU || backend == ORR__BACKEND_OPENCL ||
            backend == ORR__BACKEND_CUDA)
            return st;
        orr__log(1, "no StarPU, the serial engine runs instead: %s", orr_error_message());
        orr_error_clear();
    }
    return start_one(at, config, &orr__engine_serial);
}

void orr__engine_stop(void)
{
    const orr__engine_impl *e = atomic_load(&engine);

    if (!e)
        return;
    orr__profile_stop();
    e->stop();
    orr__models_store();
    orr__denormals_report();
    orr__ranges_stop();
    orr__buffer_engine = (orr__buffer_hooks){ 0 };
    atomic_store(&engine, NULL);
    name[0] = '\0';
}

void orr__engine_pause(bool begins)
{
    const orr__engine_impl *e = atomic_load(&engine);

    if (begins)
        orr__profile_wait();
    if (e && e->pause)
        e->pause(begins);
}

bool orr__engine_running(void)
{
    return atomic_load(&engine) != NULL;
}

bool orr__engine_orphaned(void)
{
    return orphan;
}

const char *orr__engine_name(void)
{
    return name;
}

size_t orr__engine_held(void)
{
    const orr__engine_impl *e = atomic_load(&engine);

    return e && e->held ? e->held() : 0;
}

bool orr__engine_in_turn(const orr__plan *plan, bool now)
{
    const orr__engine_impl *e = atomic_load(&engine);

    return !e || !e->in_turn || e->in_turn(plan, now);
}

bool orr__engine_offers(const orr__plan *plan, orr__offer offer[ORR__LANES])
{
    const orr__engine_impl *e = atomic_load(&engine);

    if (e && e->offers)
        e->offers(plan, offer);
    return e && e->offers;
}

void orr__engine_settle(void)
{
    const orr__engine_impl *e = atomic_load(&engine);

    if (e && e->settle)
        e->settle();
}

static orr_status no_such_memory(orr__site at, const orr__device_at *p)
{
    return orr__fail(at, ORR_EDEVICE, "the engine %s knows host memory alone, not that of device %d", name, p->id);
}

orr_status orr__engine_move(orr__site at, orr__buffer *b, const orr__device_at *to, bool wait)
{
    const orr__engine_impl *e = atomic_load(&engine);

    orr_status st = orr__form_none(b) ? ORR_OK : orr__form_undo(b);
    if (st != ORR_OK)
        return st;
    if (e && e->move)
        return e->move(at, b, to, wait);
    return to->kind == ORR_DEVICE_CPU ? orr__buffer_sync(b) : no_such_memory(at, to);
}

orr_status orr__engine_evict(orr__site at, orr__buffer *b)
{
    const orr__engine_impl *e = atomic_load(&engine);

    return e && e->evict ? e->evict(at, b) : ORR_OK;
}

bool orr__engine_is_on(orr__buffer *b, const orr__device_at *where)
{
    const orr__engine_impl *e = atomic_load(&engine);

    return e && e->is_on ? e->is_on(b, where) : where->kind == ORR_DEVICE_CPU;
}

orr_status orr__engine_room(orr__site at, const orr__device_at *where, size_t *total, size_t *left)
{
    const orr__engine_impl *e = atomic_load(&engine);

    return e && e->room ? e->room(at, where, total, left) : no_such_memory(at, where);
}

bool orr__engine_device(int i, orr__device_state *s)
{
    const orr__engine_impl *e = atomic_load(&engine);

    return e && e->device && e->device(i, s);
}

/* The run of the first output that has a leaf as donor; NULL: none. */
static orr__run *over_leaves(const orr__plan *plan, orr__buffer *const *leaf, orr__buffer *const *out)
{
    for (int i = 0; plan->ndonors > 0 && i < plan->nout; i++) {
        int donor = orr__leaf_donor(plan, &plan->value[plan->out[i]]);
        if (donor >= 0 && out[i] == leaf[plan->value[donor].leaf])
            return out[i]->run ? orr__run_ref(out[i]->run) : NULL;
    }
    return NULL;
}

/* After a failure: releases the outputs. The overwritten leaves are known only when the whole run has ended, not the awaited part. */
static void undo(const orr__plan *plan, orr__buffer *const *leaf, orr__buffer **out)
{
    orr__run *all = over_leaves(plan, leaf, out);
    orr__run_await(all);
    orr__exec_spoil(all, plan, leaf);
    orr__run_unref(all);
    for (int i = 0; i < plan->nout; i++)
        orr__buffer_unref(out[i]);
}

/* False if a leaf was overwritten: nothing can be recomputed from it. */
static bool leaves_remain(const orr__plan *plan, orr__buffer *const *leaf)
{
    for (int i = 0; plan->ndonors > 0 && i < plan->nleaf; i++)
        if (atomic_load(&leaf[i]->overwritten))
            return false;
    return true;
}

/* A leaf that only a device had is lost with the device, unless it can be recomputed. */
static bool leaves_are_home(const orr__plan *plan, orr__buffer *const *leaf)
{
    for (int i = 0; i < plan->nleaf; i++)
        if (orr__buffer_sync(leaf[i]) != ORR_OK)
            return false;
    return true;
}

bool orr__exec_on_device_alone(void)
{
    return !orr__env.fallback && (named == ORR__BACKEND_OPENCL || named == ORR__BACKEND_CUDA);
}

/* ORRERY_FALLBACK=off: each step needs a kernel of the named backend. Exchanges between ranks are no computations. */
static orr_status check_kernels(const orr__plan *plan)
{
    bool cuda = named == ORR__BACKEND_CUDA;
    for (int i = 0; i < plan->nstep; i++) {
        const orr__step *s = &plan->step[i];
        const orr__region *r = s->region;
        bool there =
            orr__step_can(s, cuda ? ORR__ON_CUDA : ORR__ON_OPENCL) || (cuda && s->graph && orr__exec_cuda->tile);
        if (there || (r->call.op && r->call.op->flags & ORR__OP_POSTS))
            continue;
        return orr__fail(
            orr__region_site(r), ORR_EDEVICE,
            "the backend %s has no kernel for this operation on these shapes and dtypes, and ORRERY_FALLBACK=off "
            "keeps it from the CPU; ORRERY_FALLBACK=on computes it there",
            cuda ? "cuda" : "opencl");
    }
    return ORR_OK;
}

/* Neither a task nor a lease would repay its cost. */
static bool briefly(const orr__plan *plan)
{
    return plan->us < ORR__LEASE_US && plan->us < orr__inline_us();
}

static orr_status execute(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                          void *const *into, orr__buffer **out, orr__run **run, bool little)
{
    const orr__engine_impl *e = atomic_load(&engine);
    uint64_t exchanged = orr__exchanges_of_values(); /* the other ranks make no exchange twice */
    orr__run *r = NULL;
    orr_status st;

    if (run)
        *run = NULL;
    if (!e)
        return orr__fail(at, ORR_ESTATE, "the library is not started: call orr_init first");
    if (!orr__plan_state_of(plan))
        (void)orr__plan_state_make(plan);
    if (briefly(plan) && !into && orr__exec_direct(plan, leaf, scalar, out, &st))
        return st;
    if ((st = orr__exec_check(at, plan, leaf)) != ORR_OK)
        return st;
    if (orr__exec_on_device_alone() && (st = check_kernels(plan)) != ORR_OK)
        return st;
    for (int tries = 0;; tries++) {
        st = e->execute(at, plan, leaf, scalar, into, out, &r, !run, little);
        if (run)
            *run = r;
        if (!r || run)
            return st;
        st = orr__run_wait(r);
        bool lost = st != ORR_OK && atomic_load(&r->lost) && orr__exchanges_of_values() == exchanged;
        orr__run_unref(r);
        r = NULL;
        if (st == ORR_OK)
            return ORR_OK;
        undo(plan, leaf, out);
        if (!lost || tries == MOST_TRIES || !leaves_remain(plan, leaf) || !leaves_are_home(plan, leaf))
            return st;
        orr__log(2, "an evaluation begins again, since a device lost values of it: %s", orr_error_message());
        orr_error_clear();
    }
}

/* threads that evaluate and wait; small evaluations are not counted */
static atomic_int callers;

int orr__exec_callers(void)
{
    return atomic_load_explicit(&callers, memory_order_relaxed);
}

static void count_caller(int more)
{
    int before = atomic_fetch_add_explicit(&callers, more, memory_order_relaxed);
    const orr__engine_impl *e = before + more > 0 ? atomic_load(&engine) : NULL;

    if (e && e->borrow && before > 0)
        e->borrow(0);
}

/* Adds an evaluation to the ledger of regret. Short ones are many, and one in SAMPLE stands for the others. */
static orr_status execute_counted(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                                  void *const *into, orr__buffer **out, orr__run **run, bool little)
{
    enum { SAMPLE = 16 }; /* limit of a measurement */
    static _Thread_local unsigned n __attribute__((tls_model("initial-exec")));
    unsigned stands_for = run ? 0 : !little ? 1 : n++ % SAMPLE == 0 ? SAMPLE : 0;
    double t0 = stands_for ? orr__now() : 0;

    orr_status st = execute(at, plan, leaf, scalar, into, out, run, little);
    if (stands_for && st == ORR_OK)
        orr__regret_evaluated(stands_for, stands_for * (orr__now() - t0));
    return st;
}

orr_status orr__engine_execute(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                               orr__buffer **out, orr__run **run)
{
    return orr__engine_execute_into(at, plan, leaf, scalar, NULL, out, run);
}

bool orr__engine_briefly(orr__site at, const orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                         orr__buffer **out)
{
    orr_status st;

    return briefly(plan) && orr__plan_state_of(plan) && orr__may_wait(at) == ORR_OK &&
           orr__mapped_whole(at, leaf, plan->nleaf) == ORR_OK && orr__exec_direct(plan, leaf, scalar, out, &st) &&
           st == ORR_OK;
}

orr_status orr__engine_execute_into(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                                    void *const *into, orr__buffer **out, orr__run **run)
{
    bool little = plan->us < orr__inline_us(), shared = plan->lanes.together < plan->lanes.alone;
    bool counts = !run && (!briefly(plan) || shared);

    orr_status st = orr__may_wait(at);
    if (st == ORR_OK)
        st = orr__stop_check(orr__stop_mine);
    if (st == ORR_OK)
        st = orr__mapped_whole(at, leaf, plan->nleaf);
    if (st != ORR_OK)
        return st;
    if (counts)
        count_caller(1);
    st = execute_counted(at, plan, leaf, scalar, into, out, run, little);
    if (counts)
        count_caller(-1);
    return st;
}

void orr__engine_worker(int w, char *text, size_t size)
{
    const orr__engine_impl *e = atomic_load(&engine);

    if (w > 0 && e && e->worker)
        e->worker(w, text, size);
    else
        snprintf(text, size, "inline");
}
