/* A StarPU task on a CPU worker, or on no worker: finds the addresses of whole arrays, launches, counts.
 * Must not know: how tasks are submitted. */
#include "config.h"
#include <sched.h>
#include <stdlib.h>
#include "runtime/base/array.h"
#include "runtime/base/clock.h"
#include "runtime/engine/starpu/starpu.h"

/* A CPU worker sees data at home. ending: of a task on no worker, else NULL. */
static orr_status launch(const orr__task *a, const orr__ending *ending)
{
    const orr__region *r = a->step->region;
    int n = r->nin + r->nout;
    void *few[32], **p = orr__array_begin(few, sizeof few, (size_t)n, sizeof *p);
    orr_status st;

    if (!p)
        return ORR_ENOMEM;
    for (int k = 0; k < r->nout; k++)
        p[k] = a->run->value[a->step->out[k]]->host;
    for (int i = 0; i < r->nin; i++)
        p[r->nout + i] = a->run->value[a->step->in[i]]->host;
    st = ending ? orr__exec_post(a->step, p + r->nout, p, a->run->scalar, a->run->known, ending)
                : orr__exec_launch(a->step, a->tile, p + r->nout, p, a->run->scalar, a->run->known);
    orr__array_end(p, few);
    return st;
}

/* From now on the leaves that are donors hold partly old and partly new values, should the run fail. */
static void note_leaves(const orr__task *a)
{
    for (int k = 0; a->run->plan->ndonors > 0 && k < a->step->region->nout; k++)
        if (orr__run_over_leaf(a->run, a->step->out[k]))
            atomic_store(&a->run->overwrote, true);
}

static const orr__tiles *lost_operand(const orr__task *a)
{
    for (int j = 0; j < a->step->region->nin; j++) {
        orr__span p = orr__star_span(a->run, a->step, a->tile, a->step->region->nout + j);
        for (int k = 0; k < p.n; k++)
            if (orr__tile_is_lost(p.tiles->handle[p.first + k]))
                return p.tiles;
    }
    return NULL;
}

bool orr__star_complete(orr__task *a, void *buffers[])
{
    const orr__region *r = a->step->region;
    if (orr__tile_operands(buffers))
        return true;
    const orr__tiles *t = orr__bundle_size(a->step) == 1 ? lost_operand(a) : NULL;
    static const orr__tiles unnamed = { .n = 0 };
    (void)orr__tiles_fail_lost(orr__region_site(r), t ? t : &unnamed);
    atomic_store(&a->run->lost, true);
    orr__run_fail(a->run, ORR_EDEVICE, orr_error_message());
    orr_error_clear();
    return false;
}

void orr__star_cpu(void *buffers[], void *arg)
{
    orr__task *a = arg;
    int worker = 1 + starpu_worker_get_id();

    if (orr__run_is_over(a->run) || !orr__star_complete(a, buffers))
        return;
    orr__task_runs(a);
    uint32_t stands_for = orr__work_begin(a->work, worker);
    bool compiled = stands_for && orr__step_compiled(a->step);
    double t0 = stands_for ? orr__now() : 0;
    note_leaves(a);
    orr__stop *outer = orr__stop_begins(a->run->stop);
    orr_status st = launch(a, NULL);
    orr__stop_ends(outer);
    orr__exec_rest(a->step, a->tile, a->run->value);
    if (st != ORR_OK) {
        orr__run_fail(a->run, st, orr_error_message());
        orr_error_clear();
    }
    double t1 = stands_for ? orr__work_end(a->work, a->step, a->tile, worker, t0, stands_for) : 0;
    if (st == ORR_OK && stands_for)
        orr__exec_took(a->run->plan, a->step, a->tile, ORR__ON_CPU, t1 - t0, compiled);
}

/* -- tasks of no worker ------------------------------------------------------------------------------------------------ */

bool orr__star_core_is_left(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) > orr__star.cpus;
}

bool orr__star_posts(const orr__step *s)
{
    const orr__region *r = s->region;
    return r->call.op && r->call.op->flags & ORR__OP_POSTS && !r->epilogue && s->ntiles == 1 && !s->partial &&
           orr__bundle_size(s) == 1 && orr__star.one_memory && orr__star.cpus > 0 &&
           orr__star_core_is_left(); /* else posted work waits for a core longer than the overlap gains */
}

/* StarPU ends a task after two calls, in either order: its own when the post has returned, and this release. Its lock on the count
 * orders the writes before one call before the code that follows the other. The last call may free the run, so nothing is accessed after
 * it. */
static void posted_ends(void *argument, orr_status st, const char *text)
{
    orr__task *a = argument;

    orr__exec_rest(a->step, a->tile, a->run->value);
    if (st == ORR_OK)
        (void)orr__work_done(a->work, a->step, a->tile, ORR__ON_CPU, 0, a->began);
    else
        orr__run_fail(a->run, st, text ? text : "");
    orr__star_posting(false);
    starpu_task_end_dep_release(a->task);
}

bool orr__star_only_order(const orr__run *r, const orr__step *s, int k)
{
    const orr__plan *p = r->plan;
    const orr__value *v = &p->value[s->in[k]];
    return k == 1 && orr__star_posts(s) && !r->meter && v->leaf < 0 && v->recipient < 0 &&
           !orr__step_bundled(p, v->first) && orr__star_posts(&p->step[v->first]);
}

static void post(orr__task *a)
{
    orr_status st;

    if (!orr__run_is_over(a->run)) {
        note_leaves(a);
        a->began = orr__now();
        st = launch(a, &(orr__ending){ posted_ends, a });
        if (st == ORR_OK)
            return;
        orr__run_fail(a->run, st, orr_error_message());
        orr_error_clear();
    }
    orr__star_posting(false);
    starpu_task_end_dep_release(a->task);
}

/* Removes and returns the waiting task whose turn it is; NULL: it is not ready yet. Under the lock. */
static orr__task *whose_turn(orr__run *r)
{
    for (orr__task **p = &r->parked; *p; p = &(*p)->parked)
        if ((*p)->turn == r->turn) {
            orr__task *a = *p;
            *p = a->parked;
            return a;
        }
    return NULL;
}

/* All ranks post in the same order. A task that is ready before its turn waits, and the task before it posts it. The run exists until
 * this function returns, since its task has not ended yet. */
void orr__star_post(void *arg)
{
    orr__task *a = arg;
    orr__run *r = a->run;

    orr__star_posting(true);
    pthread_mutex_lock(&r->lock);
    a->parked = r->parked;
    r->parked = a;
    orr__task *next = r->posting ? NULL : whose_turn(r);
    r->posting = next != NULL;
    while (next) {
        pthread_mutex_unlock(&r->lock);
        post(next);
        pthread_mutex_lock(&r->lock);
        r->turn++;
        next = whose_turn(r);
        r->posting = next != NULL;
    }
    pthread_mutex_unlock(&r->lock);
}
