/* Runs a plan: inline, as tasks, or in limited memory; and the run for which the caller waits.
 * Must not know: how tasks are submitted, what they compute. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include "codelets/jit/jit.h"
#include "runtime/base/ablation.h"
#include "runtime/base/clock.h"
#include "runtime/base/pool.h"
#include "runtime/base/regret.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/core_lease.h"
#include "runtime/engine/starpu/starpu.h"
#include "runtime/ranks/ranks.h"

/* Records the runs under way that make our leaves: their failure will be ours. A failure that is known already is returned. */
static orr_status depend(orr__run *r, orr__buffer *const *leaf)
{
    int n = r->plan->nleaf;

    for (int i = 0; i < n; i++) {
        orr__run *d = leaf[i] ? leaf[i]->run : NULL;
        if (!d)
            continue;
        if (orr__run_done(d)) {
            if (orr__run_status(d) != ORR_OK)
                return orr__run_wait(d);
            continue;
        }
        if (!r->dep && !(r->dep = orr__alloc_n((size_t)n, sizeof(*r->dep))))
            return ORR_ENOMEM;
        r->dep[r->ndep++] = orr__run_ref(d);
        r->firm = r->firm && d->safe;
    }
    return ORR_OK;
}

/* True if the run was a trial that took too long, and has been cut off. */
static bool was_cut_off(orr__run *r)
{
    return r->lane.most < HUGE_VAL && orr__run_status(r) == ORR_ECANCELLED;
}

static void ended(orr__run *r)
{
    if (was_cut_off(r)) /* the caller computes all of it again */
        orr__regret_add(r->lane.most / (1 + ORR__REGRET_MOST));
    if (orr__run_status(r) == ORR_OK || was_cut_off(r))
        orr__lane_end(r->plan, &r->lane, orr__now() - r->lane_began);
    else
        orr__lane_drop(&r->lane);
    orr__stall_unwatch(r);
    orr__meter_end(r);
    orr__placement_end(r);
    orr__star_rest(true);
}

static bool exchanges(const orr__plan *plan)
{
    bool does = false;
    for (int i = 0; i < plan->nstep && !does; i++)
        does = orr__step_posts(&plan->step[i]);
    return does;
}

/* True if the plan has exchanges that only its caller may carry out. */
static bool keeps_to_caller(const orr__plan *plan)
{
    return orr__ranks_in_calls() && exchanges(plan);
}

/* A caller that waits now, in addition to `others`. */
static orr__wish waiting(const orr__plan *plan, int others)
{
    return (orr__wish){ .plan = plan,
                        .wait = true,
                        .little = plan->us < orr__inline_us(),
                        .others = others,
                        .share = orr__star_would_share };
}

bool orr__star_in_turn(const orr__plan *plan, bool now)
{
    bool asked = orr__env.inline_us >= 0;

    if (keeps_to_caller(plan))
        return true;
    for (int i = 0; i < plan->nstep; i++)
        if (orr__region_needs_device(plan->step[i].region))
            return false;
    const orr__wish w = waiting(plan, orr__exec_callers());
    orr__offer offer[ORR__LANES];
    if (now)
        return orr__star_offers(&w, offer) != ORR__TASKS;
    if (plan->us < orr__inline_us())
        return !orr__ablated(ORR__OFF_INLINE_LANE);
    return !asked && plan->ntasks <= 1 && orr__star.opencls + orr__star.cudas == 0;
}

void orr__star_offers_now(const orr__plan *plan, orr__offer offer[ORR__LANES])
{
    const orr__wish w = waiting(plan, orr__exec_callers());
    (void)orr__star_offers(&w, offer);
}

/* The lane of this run, as far as the plan's runs before show that more than one thread pays. */
static orr__lane_run leave_for(const orr__plan *plan, const orr__offer *offer, orr__lane wish)
{
    bool choice =
        plan->lanes.together < plan->lanes.alone || (plan->ntasks > 1 && plan->lanes.tasks < plan->lanes.alone);
    return choice && isfinite(offer[ORR__ALONE].us) && !orr__star_paused() && orr__env.inline_us < 0
               ? orr__lane_begin(plan, wish)
               : orr__lane_plain(wish);
}

/* Runs a plan without tasks. The device's copies stay valid, so that large work later finds them there. */
static orr_status without_tasks(const orr__lane_run *lane, orr__plan *plan, orr__buffer *const *leaf,
                                const orr__scalar *scalar, void *const *into, orr__buffer **out)
{
    orr_status st;

    for (int i = 0; i < plan->nleaf && !orr__star.one_memory; i++) {
        st = leaf[i] ? orr__tiles_host_read(leaf[i]) : ORR_OK;
        if (st != ORR_OK)
            return st;
    }
    if (lane->by == ORR__TOGETHER && orr__star_crew(lane->most, plan, leaf, scalar, into, out, &st))
        return st;
    return orr__exec_inline(plan, leaf, scalar, into, out, 0, NULL);
}

/* Divides the run, so that the caller waits only for the awaited outputs. Excluded are runs that may be stopped, and those with exchanges, whose
 * values are all complete before any is published; those that read values on which the ranks have yet to agree; devices, whose times are
 * measured by whole runs; and leaves in the user's memory, which may be written as soon as the user has a result. The next run needs memory in
 * addition to this one's, so the plan must need little; in a plan that needs much, the wait is negligible. */
static bool divide(orr__run *r, orr__buffer *const *leaf, size_t budget)
{
    bool may = r->plan->waited_tasks > 0 && !r->stop && r->plan->memory.all <= ORR__T_LAST_CACHE && budget == 0 &&
               orr__star.one_memory && !exchanges(r->plan);
    for (int i = 0; may && i < r->plan->nleaf; i++)
        may = (leaf[i]->cap > 0 || leaf[i]->bytes == 0) && !(leaf[i]->run && atomic_load(&leaf[i]->run->votes));
    return !may || orr__run_divide(r, r->plan->waited_tasks);
}

/* Each output refers to the run that writes it. If its donor is a leaf, this replaces the run that wrote the leaf. */
static void mark_outputs(orr__run *r, orr__buffer **out)
{
    for (int k = 0; k < r->plan->nout; k++) {
        const orr__value *v = &r->plan->value[r->plan->out[k]];
        if (orr__run_over_leaf(r, r->plan->out[k]) && v->output == k) {
            r->before[r->plan->out[k]] = out[k]->run;
            out[k]->run = NULL;
        }
        if (v->leaf < 0 && !out[k]->run)
            out[k]->run = orr__run_ref(r->part && v->awaited ? r->part : r);
    }
}

/* Idle workers would steal each next task of a chain, and its data, from the worker that has both in its caches, which costs as much as
 * a small task. While other runs are under way idle workers have other work, and the chosen worker may be busy. */
static bool keeps_to_one(const orr__plan *plan)
{
    return plan->urgency.chain && !orr__ablated(ORR__OFF_ONE_WORKER) && orr__star.thieves &&
           orr__star.opencls + orr__star.cudas == 0;
}

/* True if a leaf was overwritten: nothing can be recomputed from it. */
static bool spoiled(const orr__plan *plan, orr__buffer *const *leaf)
{
    for (int i = 0; plan->ndonors > 0 && i < plan->nleaf; i++)
        if (atomic_load(&leaf[i]->overwritten))
            return true;
    return false;
}

/* The same, measured. */
static orr_status timed_without_tasks(const orr__lane_run *lane, orr__plan *plan, orr__buffer *const *leaf,
                                      const orr__scalar *scalar, void *const *into, orr__buffer **out)
{
    double t0 = lane->measured ? orr__now() : 0;
    orr_status st = without_tasks(lane, plan, leaf, scalar, into, out);
    if (lane->measured && st == ORR_OK)
        orr__lane_end(plan, lane, orr__now() - t0);
    else
        orr__lane_drop(lane);
    return st;
}

/* budget: the bytes that the run may use; 0: all that it needs, at once. */
static orr_status execute_once(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                               void *const *into, orr__buffer **out, orr__run **run, const orr__lane_run *lane,
                               size_t budget)
{
    orr__run *r = orr__run_new(plan, scalar);
    orr_status st = r && budget > 0 && !orr__meter_begin(r, budget) ? ORR_ENOMEM : ORR_OK;

    if (!r) {
        orr__lane_drop(lane);
        return ORR_ENOMEM;
    }
    r->lane = *lane;
    r->lane.cold = orr__star_sleeps();
    orr__star_nap_begin(orr__star_rested() || orr__jit_compiles());
    r->lane_began = lane->measured ? orr__now() : 0;
    r->ended = ended;
    r->into = into;
    orr__star_crew_dismiss(false);
    bool alone = orr__star_wake(true);
    if (alone && keeps_to_one(plan))
        r->worker = starpu_worker_get_by_type(STARPU_CPU_WORKER, 0);
    orr__placement_begin(r, orr__star.hybrid);
    r->firm = orr__exec_is_firm(plan, leaf);
    r->safe = r->firm && !r->stop;
    if (st == ORR_OK && !divide(r, leaf, budget))
        st = ORR_ENOMEM;
    if (st == ORR_OK && (st = depend(r, leaf)) == ORR_OK && (st = orr__star_bind(r, leaf)) == ORR_OK &&
        (st = orr__star_submit(at, r)) == ORR_OK) {
        orr__exec_outputs(plan, r->value, out);
        mark_outputs(r, out);
        orr__recipe_keep(plan, leaf, scalar, out);
        *run = orr__run_ref(r->part ? r->part : r);
    } else {
        orr__run_fail(r, st, orr_error_message());
        atomic_store(&r->votes, false); /* the caller does */
    }
    orr__run_task_done(r);
    if (st == ORR_OK) {
        orr__run_unref(r);
        return ORR_OK;
    }
    st = orr__run_wait(r); /* an earlier error of a task has precedence */
    orr__exec_spoil(r, plan, leaf);
    orr__run_unref(r);
    return st;
}

/* StarPU ends the process if malloc fails for its tasks and handles. True if as much memory as they may need is available. */
static bool room_for_starpu(const orr__plan *plan)
{
    size_t n = (size_t)plan->nvalue + (size_t)plan->ntasks, bytes;
    bytes = ((size_t)256 << 10) + n * ((size_t)8 << 10);
    void *volatile p = malloc(bytes < (size_t)64 << 20 ? bytes : (size_t)64 << 20); /* volatile: not optimised away */
    bool there = p != NULL;
    free(p);
    return there;
}

/* Runs a plan on its caller, and the crew with it, after the runs that write its leaves. */
static orr_status execute_on_caller(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                                    void *const *into, orr__buffer **out)
{
    orr_status st = ORR_OK;

    for (int i = 0; i < plan->nstep && st == ORR_OK; i++)
        if (orr__region_needs_device(plan->step[i].region))
            st = orr__fail(
                orr__region_site(plan->step[i].region), ORR_EDEVICE,
                "the operation needs a device, and exchanges of the same evaluation the calling thread, since the "
                "program has started MPI with less than MPI_THREAD_MULTIPLE: ask MPI_Init_thread for that");
    for (int i = 0; i < plan->nleaf && st == ORR_OK; i++)
        st = leaf[i] ? orr__run_wait(leaf[i]->run) : ORR_OK;
    orr__tilepool_settle();
    if (st == ORR_OK && plan->memory.peak > orr__engine_left()) {
        orr__star_wait_runs(0);
        (void)orr__tilepool_trim();
        st = orr__exec_admit(at, plan);
    }
    if (st != ORR_OK)
        return st;
    const orr__wish w = waiting(plan, orr__exec_callers() - 1);
    orr__offer offer[ORR__LANES];
    (void)orr__star_offers(&w, offer);
    const orr__lane_run lane =
        orr__lane_plain(offer[ORR__TOGETHER].us < plan->lanes.alone ? ORR__TOGETHER : ORR__ALONE);
    return without_tasks(&lane, plan, leaf, scalar, into, out);
}

static size_t tight_budget(const orr__plan *plan)
{
    size_t room = orr__engine_left();

    return room > plan->memory.peak ? room : plan->memory.peak + 1; /* the excess goes to files */
}

/* Runs in as little memory as possible, one such run at a time; refused if even that is too much. */
static orr_status execute_tightly(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                                  void *const *into, orr__buffer **out, orr__run **run, const orr__wish *w)
{
    static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
    orr_status st;

    pthread_mutex_lock(&alone);
    orr__star_wait_runs(0); /* the memory of other runs, and memory held for reuse, may suffice */
    (void)orr__tilepool_trim();
    st = orr__exec_admit(at, plan);
    orr__offer offer[ORR__LANES];
    const orr__lane_run lane = orr__lane_plain(st == ORR_OK ? orr__star_offers(w, offer) : ORR__ALONE);
    if (st == ORR_OK && lane.by != ORR__TASKS)
        st = without_tasks(&lane, plan, leaf, scalar, into, out);
    else if (st == ORR_OK)
        st = execute_once(at, plan, leaf, scalar, into, out, run, &lane, tight_budget(plan));
    pthread_mutex_unlock(&alone);
    return st;
}

/* True if nothing is lost when tasks of the plan do nothing: no leaf is overwritten, nothing else may stop it, no caller waits for a part. */
static bool may_be_cut_off(const orr__plan *plan, void *const *into)
{
    return plan->ndonors == 0 && plan->waited_tasks == 0 && !into && !orr__stop_mine && !exchanges(plan);
}

/* A trial of tasks that ends after lane->most seconds: then tasks that have not begun do nothing, and the caller computes the plan. */
static orr_status try_tasks(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                            void *const *into, orr__buffer **out, orr__run **run, const orr__lane_run *lane)
{
    orr__stop *limit = orr__stop_new(at, lane->most), *outer = orr__stop_begins(limit);
    orr_status st = execute_once(at, plan, leaf, scalar, into, out, run, lane, 0);
    orr__stop_ends(outer);
    orr__stop_unref(limit);
    bool submitted = st == ORR_OK;
    if (submitted)
        st = orr__run_wait(*run);
    if (!limit || st != ORR_ECANCELLED)
        return submitted ? ORR_OK : st; /* the run has its status */
    orr_error_clear();
    for (int i = 0; submitted && i < plan->nout; i++)
        orr__buffer_unref(out[i]);
    if (submitted)
        orr__run_unref(*run);
    *run = NULL;
    const orr__lane_run alone = orr__lane_plain(ORR__ALONE);
    return without_tasks(&alone, plan, leaf, scalar, into, out);
}

orr_status orr__star_execute(orr__site at, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                             void *const *into, orr__buffer **out, orr__run **run, bool wait, bool little)
{
    if (keeps_to_caller(plan))
        return execute_on_caller(at, plan, leaf, scalar, into, out);

    orr__wish w = waiting(plan, orr__exec_callers() - 1);
    w.leaf = leaf;
    w.wait = wait;
    w.little = little;
    w.share = orr__star_share;
    orr__offer offer[ORR__LANES];
    if (wait)
        orr__star_crew_asked();
    orr__lane by = orr__star_offers(&w, offer);
    bool small = by != ORR__TASKS;
    uint64_t exchanged = orr__exchanges_of_values();
    orr_status st;

    orr__tilepool_settle();
    if ((small ? plan->memory.peak : plan->memory.all) > orr__engine_left())
        return execute_tightly(at, plan, leaf, scalar, into, out, run, &w);
    orr__lane_run lane = leave_for(plan, offer, by);
    if (lane.by != ORR__TASKS) {
        uint64_t lease = lane.by == ORR__ALONE ? orr__lease_begin(w.others + 1, orr__lane_alone_us(plan)) : 0;
        st = timed_without_tasks(&lane, plan, leaf, scalar, into, out);
        orr__lease_end(lease);
        return st;
    }
    if (!room_for_starpu(plan)) {
        (void)orr__tilepool_trim();
        orr__pool_trim();
        if (!room_for_starpu(plan)) {
            orr__lane_drop(&lane);
            return orr__fail(at, ORR_ENOMEM, "no memory for the tasks of %d steps", plan->nstep);
        }
    }
    if (lane.most < HUGE_VAL && !may_be_cut_off(plan, into))
        lane.most = HUGE_VAL;
    st = lane.most < HUGE_VAL ? try_tasks(at, plan, leaf, scalar, into, out, run, &lane)
                              : execute_once(at, plan, leaf, scalar, into, out, run, &lane, 0);
    bool again = st == ORR_ENOMEM && !spoiled(plan, leaf) && orr__exchanges_of_values() == exchanged;
    return again ? execute_tightly(at, plan, leaf, scalar, into, out, run, &w) : st;
}
