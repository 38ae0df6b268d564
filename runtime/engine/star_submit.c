/* Submits a plan's tasks, or runs a small plan inline.
 * Must not know: what a task computes. */
#include "config.h"
#include <sched.h>
#include <stdlib.h>
#include "runtime/base/env.h"
#include "runtime/base/point.h"
#include "runtime/base/pool.h"
#include "runtime/engine/star.h"

/* Runs under way that make our leaves: their failure will be ours. A failure that is known already is the answer. */
static orr_status depend(orr__run *r, orr__buf *const *leaf)
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
    }
    return ORR_OK;
}

/* -- tasks ------------------------------------------------------------------------------------------------ */

/* The worker has nothing to do now, and would spin on the core that a waiting thread needs: up to 1.5 ms, until the
 * kernel takes it away. */
static void called_back(void *arg)
{
    orr__task *a = arg;

    orr__star_device_done(a);
    orr__task_state(a, ORR__TASK_DONE);
    orr__meter_done(a->run, a->step, true);
    if (orr__run_task_done(a->run))
        sched_yield();
}

/* What is read and written in place is there twice. */
static bool again(const starpu_data_handle_t *handle, int i)
{
    for (int k = 0; k < i; k++)
        if (handle[k] == handle[i])
            return true;
    return false;
}

/* No worker can do it: the submitting thread does, with the data brought home. */
static orr_status host_lane(orr__task *a, int n, starpu_data_handle_t *handle, const enum starpu_data_access_mode *mode)
{
    int got = 0;

    while (got < n && (again(handle, got) || starpu_data_acquire(handle[got], mode[got]) == 0))
        got++;
    if (got == n)
        (a->step->members > 1 ? orr__star_bundle : orr__star_cpu)(NULL, a);
    orr__task_state(a, ORR__TASK_DONE);
    for (int i = 0; i < got; i++)
        if (!again(handle, i))
            starpu_data_release(handle[i]);
    return got == n ? ORR_OK
                    : orr__fail(ORR__SITE(a->step->region->file, a->step->region->line, a->step->region->label),
                                ORR_EDEVICE, "StarPU does not give the data back");
}

/* One task on its way: its operands' spans, and the handles that they are. */
typedef struct {
    orr__task *a;
    struct starpu_task *task;
    orr__span few[16], *span;
    starpu_data_handle_t *handle;
    enum starpu_data_access_mode *mode;
    int operands;
    int n;           /* handles */
    unsigned device; /* workers of devices that could do it: one tile per operand, and room for all */
} draft;

/* In place, both operands are the same handle: StarPU wants to be told the same of both. */
static enum starpu_data_access_mode mode_of(const draft *d, int j)
{
    const orr__step *s = d->a->step;
    int nout = s->region->nout, over = s->members > 1 ? -1 : d->a->run->plan->value[s->out[0]].over;

    if (over >= 0 && (j == 0 || (j >= nout && s->in[j - nout] == over)))
        return STARPU_RW;
    return (s->members > 1 ? s->use[(ptrdiff_t)d->a->tile * s->nuse + j].write : j < nout) ? STARPU_W : STARPU_R;
}

static unsigned devices_of(const orr__step *s)
{
    unsigned where = s->opencl && orr__star.opencls > 0 ? STARPU_OPENCL : 0;

    return s->members > 1 ? 0 : where | (s->cuda && orr__star.cudas > 0 ? STARPU_CUDA : 0);
}

static orr_status look_up(orr__site at, draft *d)
{
    const orr__step *s = d->a->step;
    bool bundle = s->members > 1;
    const orr__use *use = bundle ? s->use + (ptrdiff_t)d->a->tile * s->nuse : NULL;
    size_t bytes = 0;

    d->operands = bundle ? s->nuse : s->region->nout + s->region->nin;
    d->span = d->few;
    if (d->operands > 16 && !(d->span = orr__alloc_n((size_t)d->operands, sizeof *d->span)))
        return ORR_ENOMEM;
    d->device = d->a->run->way == ORR__CPU_ALONE ? 0 : devices_of(s);
    for (int j = 0; j < d->operands; j++) {
        orr__span p = d->span[j] = bundle ? orr__star_range(d->a->run, use[j].value, use[j].first, use[j].end)
                                          : orr__star_span(d->a->run, s, d->a->tile, j);
        if (!bundle && j < s->region->nout && !orr__star_fits(d->a->run, s, d->a->tile, j, &p))
            return orr__fail(at, ORR_EINTERNAL, "%s: tile %d is no whole number of its output's tiles",
                             s->region->label, d->a->tile);
        d->n += p.n;
        d->device = p.n <= 1 ? d->device : 0;
        bytes += p.n > 0 ? (size_t)p.n * p.tiles->bytes : 0;
    }
    if (orr__star.shy && d->device && orr__region_needs_device(s->region))
        return orr__fail(at, ORR_EDEVICE,
                         "%s: a device alone can do it, and STARPU_SCHED=%s gives devices no such task: take another "
                         "policy (unset, it is dmdas)",
                         s->region->label, orr__star.shy);
    if (orr__star.device_bytes > 0 && bytes > orr__star.device_bytes / 10 * 8)
        d->device = 0;
    return ORR_OK;
}

static orr_status fill_in(orr__site at, draft *d)
{
    int n = 0;

    d->handle = d->task->handles;
    d->mode = d->task->modes;
    if (d->n > STARPU_NMAXBUFS) {
        d->handle = d->task->dyn_handles = malloc((size_t)d->n * sizeof *d->handle);
        d->mode = d->task->dyn_modes = malloc((size_t)d->n * sizeof *d->mode);
        if (!d->handle || !d->mode)
            return orr__fail(at, ORR_ENOMEM, "no memory for the %d buffers of a task", d->n);
    }
    for (int j = 0; j < d->operands; j++) {
        const orr__span *p = &d->span[j];
        for (int k = 0; k < p->n; k++, n++) {
            d->handle[n] = p->tiles->handle[p->first + k];
            d->mode[n] = mode_of(d, j);
        }
    }
    d->task->nbuffers = n;
    d->task->cl_arg = d->a;
    d->task->callback_func = called_back;
    d->task->callback_arg = d->a;
    d->task->where = (int32_t)(STARPU_CPU | d->device);
    if (d->device && (d->a->run->way == ORR__DEVICES_ALONE || orr__region_needs_device(d->a->step->region)))
        d->task->where = (int32_t)d->device;
    d->task->priority = orr__star_policy_priority(d->task->where, d->task->priority);
    return ORR_OK;
}

/* Takes the task over, whatever comes of it. */
static orr_status send(draft *d)
{
    orr_status st;
    int err;

    if (d->device || orr__star.cpus > 0) {
        orr__meter_started(d->a->run);
        err = starpu_task_submit(d->task);
        if (err == 0) {
            d->a->sent = true;
            return ORR_OK;
        }
        orr__meter_done(d->a->run, d->a->step, false);
        orr__log(3, "%s: no worker takes it (error %d), the calling thread does", d->a->step->region->label, err);
    }
    st = host_lane(d->a, d->n, d->handle, d->mode);
    orr__meter_started(d->a->run);
    orr__meter_done(d->a->run, d->a->step, true);
    d->task->destroy = 0;
    starpu_task_destroy(d->task);
    return st;
}

static orr_status submit(orr__site at, orr__task *a)
{
    draft d; /* its arrays are filled as far as they are used */
    d.a = a;
    d.n = 0;
    d.task = NULL;
    struct starpu_codelet *cl = orr__star_codelet(a->work, a->step);
    orr_status st = look_up(at, &d);

    if (st == ORR_OK && (!cl || !(d.task = starpu_task_create())))
        st = orr__fail(at, ORR_ENOMEM, "no memory for a task");
    if (st == ORR_OK) {
        d.task->cl = cl;
        st = fill_in(at, &d);
        if (st == ORR_OK) {
            st = send(&d);
        } else {
            d.task->destroy = 0;
            starpu_task_destroy(d.task);
        }
    }
    if (d.span != d.few)
        free(d.span);
    return st;
}

/* All of them even when one has failed meanwhile (they skip their work): who depends on an output finds it written. */
static orr_status submit_all(orr__site at, orr__run *r)
{
    const orr__plan *plan = r->plan;
    orr__task *a;
    int n = 0, sent = 0;
    orr_status st = ORR_OK;

    for (int i = 0; i < plan->nstep; i++)
        n += plan->step[i].ntiles;
    if (!(a = r->tasks = orr__alloc_n((size_t)n + 1, sizeof *a)))
        return ORR_ENOMEM;
    r->ntasks = n;
    orr__stall_watch(r);
    atomic_fetch_add_explicit(&r->left, n, memory_order_relaxed); /* at once: workers have it in their caches */
    locale_t before = orr__point_begin(); /* StarPU reads performance models, and ends the process over a comma */
    for (int i = 0; i < plan->nstep && st == ORR_OK; i++) {
        const orr__step *s = &plan->step[i];
        bool bundle = s->members > 1;
        st = orr__meter_bind(r, s);
        if (st == ORR_OK && s->graph) {
            st = orr__star_cholesky(at, r, s);
            continue;
        }
        for (int t = 0; t < s->ntiles && st == ORR_OK; t++, a++) {
            a->run = r;
            a->step = s;
            a->work = bundle ? NULL : orr__work_of_step(s);
            a->tile = t;
            a->worker = -1;
            orr__task_state(a, ORR__TASK_WAITS);
            st = submit(at, a);
            sent += a->sent;
        }
        i += bundle ? s->members - 1 : 0;
    }
    orr__point_end(before);
    atomic_fetch_sub_explicit(&r->left, n - sent, memory_order_acq_rel); /* one is ours: it is not the last */
    starpu_do_schedule(); /* some policies hold tasks back until they are told that there are no more */
    return st;
}

/* -- a run ------------------------------------------------------------------------------------------------ */

static void ended(orr__run *r)
{
    orr__stall_unwatch(r);
    orr__meter_end(r);
    orr__guard_end(r);
    orr__star_rest(true);
}

/* What is small is not worth a task; nor is what would be one alone, of a caller who waits for it: no other worker could help. */
static bool worth_tasks(const orr__plan *plan, bool wait)
{
    if (plan->us < orr__plan_inline_us())
        return false;
    return !wait || plan->ntasks > 1 || orr__env.inline_us >= 0 || orr__star.opencls + orr__star.cudas > 0;
}

/* Whether the calling thread does it: if it can begin at once. */
static bool suits_inline(const orr__plan *plan, orr__buf *const *leaf, bool wait)
{
    if (worth_tasks(plan, wait))
        return false;
    for (int i = 0; i < plan->nstep; i++)
        if (orr__region_needs_device(plan->step[i].region))
            return false;
    for (int i = 0; i < plan->nleaf; i++) {
        orr__tiles *t = leaf[i] ? orr__buf_tiles(leaf[i]) : NULL;
        if (leaf[i] && leaf[i]->run && (!orr__run_done(leaf[i]->run) || orr__run_status(leaf[i]->run) != ORR_OK))
            return false;
        if (t && atomic_load_explicit(&t->away, memory_order_acquire))
            return false;
    }
    return true;
}

/* budget: bytes that it has to do with; 0: it takes what it needs, at once. */
static orr_status execute_once(orr__site at, orr__plan *plan, orr__buf *const *leaf, const orr__scalar *scalar,
                               orr__buf **out, orr__run **run, size_t budget)
{
    orr__run *r = orr__run_new(plan, scalar);
    orr_status st = r && budget > 0 && !orr__meter_begin(r, budget) ? ORR_ENOMEM : ORR_OK;

    if (!r)
        return ORR_ENOMEM;
    r->ended = ended;
    orr__star_wake(true);
    orr__guard_begin(r, orr__star.hybrid);
    if (st == ORR_OK && (st = depend(r, leaf)) == ORR_OK && (st = orr__star_bind(r, leaf)) == ORR_OK &&
        (st = submit_all(at, r)) == ORR_OK) {
        orr__exec_outputs(plan, r->value, out);
        for (int k = 0; k < plan->nout; k++)
            if (plan->value[plan->out[k]].leaf < 0 && !out[k]->run)
                out[k]->run = orr__run_ref(r);
    } else {
        orr__run_fail(r, st, orr_error_message());
    }
    orr__run_task_done(r);
    if (st == ORR_OK) {
        *run = r;
        return ORR_OK;
    }
    st = orr__run_wait(r); /* an error of a task that was first counts more */
    orr__run_unref(r);
    return st;
}

/* StarPU ends the process when malloc fails for its tasks and handles: is there as much as they may need? */
static bool room_for_starpu(const orr__plan *plan)
{
    size_t n = (size_t)plan->nvalue + (size_t)plan->ntasks, bytes;
    bytes = ((size_t)256 << 10) + n * ((size_t)8 << 10);
    void *volatile p = malloc(bytes < (size_t)64 << 20 ? bytes : (size_t)64 << 20); /* volatile: not to be left out */
    bool there = p != NULL;
    free(p);
    return there;
}

static size_t tight_budget(const orr__plan *plan)
{
    size_t room = orr__engine_left();

    return room > plan->bytes_peak ? room : plan->bytes_peak + 1; /* the rest goes to files */
}

/* In as little memory as can be, alone among those that do so; refused when that is too much. */
static orr_status execute_tightly(orr__site at, orr__plan *plan, orr__buf *const *leaf, const orr__scalar *scalar,
                                  orr__buf **out, orr__run **run, bool wait)
{
    static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
    orr_status st;

    pthread_mutex_lock(&alone);
    orr__star_wait_runs(0); /* what other runs hold, and what waits for reuse, may be enough */
    (void)orr__tilepool_trim();
    st = orr__exec_admit(at, plan);
    if (st == ORR_OK && suits_inline(plan, leaf, wait))
        st = orr__exec_inline(at, plan, leaf, scalar, out);
    else if (st == ORR_OK)
        st = execute_once(at, plan, leaf, scalar, out, run, tight_budget(plan));
    pthread_mutex_unlock(&alone);
    return st;
}

orr_status orr__star_execute(orr__site at, orr__plan *plan, orr__buf *const *leaf, const orr__scalar *scalar,
                             orr__buf **out, orr__run **run, bool wait)
{
    bool small = suits_inline(plan, leaf, wait);
    orr_status st;

    orr__tilepool_settle();
    if ((small ? plan->bytes_peak : plan->bytes_all) > orr__engine_left())
        return execute_tightly(at, plan, leaf, scalar, out, run, wait);
    if (small)
        return orr__exec_inline(at, plan, leaf, scalar, out);
    if (!room_for_starpu(plan)) {
        (void)orr__tilepool_trim();
        orr__pool_trim();
        if (!room_for_starpu(plan))
            return orr__fail(at, ORR_ENOMEM, "no memory for the tasks of %d steps", plan->nstep);
    }
    st = execute_once(at, plan, leaf, scalar, out, run, 0);
    return st == ORR_ENOMEM ? execute_tightly(at, plan, leaf, scalar, out, run, wait) : st;
}
