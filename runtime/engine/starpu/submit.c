/* Submits a plan's tasks.
 * Must not know: what a task computes, who waits for them. */
#include "config.h"
#include <sched.h>
#include <stdlib.h>
#include "runtime/base/env.h"
#include "runtime/base/decimal.h"
#include "runtime/engine/finite.h"
#include "runtime/engine/starpu/starpu.h"

/* Yields after the last task: the worker has nothing to do now, and would spin on the core that a waiting thread needs, for up to 1.5
 * ms, until the kernel preempts it. */
static void called_back(void *arg)
{
    orr__task *a = arg;

    orr__star_device_done(a);
    orr__task_state(a, ORR__TASK_DONE);
    orr__meter_done(a->run, a->step, true);
    if (a->step->waited)
        orr__run_early_done(a->run);
    orr__star_doze(a->task != NULL);
    if (orr__run_task_done(a->run))
        sched_yield();
}

/* True if an earlier operand has the same handle, as a donor and its recipient do. */
static bool again(const starpu_data_handle_t *handle, int i)
{
    for (int k = 0; k < i; k++)
        if (handle[k] == handle[i])
            return true;
    return false;
}

/* No worker can run the task: the submitting thread does, with the data at home. */
static orr_status host_lane(orr__task *a, int n, starpu_data_handle_t *handle, const enum starpu_data_access_mode *mode)
{
    int got = 0, err = 0;

    while (got < n && (again(handle, got) || (err = starpu_data_acquire(handle[got], mode[got])) == 0))
        got++;
    if (got == n)
        (orr__bundle_size(a->step) > 1 ? orr__star_bundle : orr__star_cpu)(NULL, a);
    orr__task_state(a, ORR__TASK_DONE);
    for (int i = 0; i < got; i++)
        if (!again(handle, i))
            starpu_data_release(handle[i]);
    return got == n
               ? ORR_OK
               : orr__fail(orr__region_site(a->step->region), ORR_EDEVICE,
                           "StarPU does not provide an operand in host memory (starpu_data_acquire: error %d)", err);
}

enum { FEW = 16 };

/* One task during submission: its operands' spans, and their handles. */
typedef struct {
    orr__task *a;
    struct starpu_task *task;
    orr__span few[FEW], *span;
    starpu_data_handle_t *handle;
    enum starpu_data_access_mode *mode;
    int operands;
    int n;           /* handles */
    unsigned device; /* kinds of device workers that could run it: one tile per operand, and memory for all */
} draft;

/* True if operand j of a step is an output that uses the memory of its donor, or is that donor. */
static bool donated(const orr__run *r, const orr__step *s, int j)
{
    int nout = s->region->nout, v = j < nout ? s->out[j] : r->plan->value[s->in[j - nout]].recipient;

    for (int k = 0; k < nout; k++)
        if (s->out[k] == v)
            return orr__run_donated(r, v);
    return false;
}

/* A donor and its recipient are the same handle, which a task names once, as its output: under dmda and dmdas of StarPU 1.4 some tasks of many
 * handles that named one twice waited for ever. Partial products are added in any order, except for the first, which begins the sum, and the
 * last, which has additional work. */
static enum starpu_data_access_mode mode_of(const draft *d, int j)
{
    const orr__step *s = d->a->step;
    bool bundle = orr__bundle_size(s) > 1;

    if (!bundle && donated(d->a->run, s, j))
        return orr__step_commutes(d->a->run->plan, s) ? STARPU_RW | STARPU_COMMUTE : STARPU_RW;
    return (bundle ? s->bundle.use[j].write : j < s->region->nout) ? STARPU_W : STARPU_R;
}

/* Posted work does not run on a device's worker (device_post.c). */
static unsigned devices_of(const orr__step *s)
{
    unsigned where = s->opencl && orr__star.opencls > 0 ? STARPU_OPENCL : 0;

    if (s->region->call.op && s->region->call.op->flags & ORR__OP_POSTS)
        return 0;
    return where | (s->cuda && orr__star.cudas > 0 ? STARPU_CUDA : 0); /* of a bundle: all of its steps */
}

static orr_status look_up(orr__site at, draft *d)
{
    const orr__step *s = d->a->step;
    bool bundle = orr__bundle_size(s) > 1;
    const orr__use *use = s->bundle.use;
    size_t bytes = 0;

    d->operands = bundle ? s->bundle.nuse : s->region->nout + s->region->nin;
    d->span = d->few;
    if (d->operands > FEW && !(d->span = orr__alloc_n((size_t)d->operands, sizeof *d->span)))
        return ORR_ENOMEM;
    d->device = d->a->run->placement == ORR__CPU_ALONE ? 0 : devices_of(s);
    for (int j = 0; j < d->operands; j++) {
        orr__span p = d->span[j] = bundle ? orr__star_range(d->a->run, use[j].value, use[j].first, use[j].end)
                                          : orr__star_span(d->a->run, s, d->a->tile, j);
        if (!bundle && ((j >= s->region->nout && donated(d->a->run, s, j)) ||
                        (j > s->region->nout && orr__star_only_order(d->a->run, s, j - s->region->nout))))
            p.n = d->span[j].n = 0;
        if (!bundle && j < s->region->nout && !orr__star_fits(d->a->run, s, d->a->tile, j, &p))
            return orr__fail(at, ORR_EINTERNAL, "%s: tile %d is no whole number of its output's tiles",
                             s->region->label, d->a->tile);
        d->n += p.n;
        if (p.n > 1 && d->device && orr__exec_on_device_alone())
            return orr__fail(at, ORR_EDEVICE,
                             "%s: an operand lies in %d tiles, a device's task reads one, and ORRERY_FALLBACK=off keeps it from "
                             "the CPU: set ORRERY_FALLBACK=on",
                             s->region->label, (int)p.n);
        d->device = p.n <= 1 ? d->device : 0;
        bytes += p.n > 0 ? (size_t)p.n * p.tiles->bytes : 0;
    }
    if (orr__star.shy && d->device && orr__region_needs_device(s->region))
        return orr__fail(at, ORR_EDEVICE,
                         "%s: a device alone can do it, and STARPU_SCHED=%s gives devices no such task: take another "
                         "policy (unset, it is dmdas)",
                         s->region->label, orr__star.shy);
    if (d->device && orr__star.device_bytes > 0 && bytes > orr__star.device_bytes / 10 * 8) {
        d->device = 0;
        if (orr__exec_on_device_alone())
            return orr__fail(
                at, ORR_EDEVICE,
                "%s: a task needs %zu bytes, the device has %zu, and ORRERY_FALLBACK=off keeps it from the CPU: set "
                "ORRERY_FALLBACK=on, or smaller tiles (ORRERY_TILE_US)",
                s->region->label, bytes, orr__star.device_bytes);
    }
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
    if (d->device && (d->a->run->placement == ORR__DEVICES_ALONE || orr__exec_on_device_alone() ||
                      orr__region_needs_device(d->a->step->region)))
        d->task->where = (int32_t)d->device;
    if (d->task->cl == &orr__star_posted) {
        d->a->task = d->task;
        d->a->turn = d->a->run->posters;
        d->task->where = (int32_t)STARPU_NOWHERE;
        d->task->prologue_callback_func = orr__star_post;
        d->task->prologue_callback_arg = d->a;
        starpu_task_end_dep_add(d->task, 1);
    } else if (d->a->run->worker >= 0) {
        d->task->execute_on_a_specific_worker = 1;
        d->task->workerid = (unsigned)d->a->run->worker;
    } else {
        orr__star_go_home(d->task, d->a->tile, d->a->step->ntiles);
    }
    d->task->priority =
        orr__star_policy_priority(d->task->where, orr__star_urgency(d->a->run->plan, d->a->step->urgency.from_start));
    return ORR_OK;
}

/* Owns the task from here on, also after an error. */
static orr_status send(draft *d)
{
    orr_status st;
    int err;

    if (d->device || orr__star.cpus > 0) {
        orr__meter_started(d->a->run);
        bool named = d->task->execute_on_a_specific_worker; /* the task may end in the call */
        err = starpu_task_submit(d->task);
        if (err == 0) {
            orr__star_call(0, named);
            d->a->sent = true;
            d->a->run->posters += d->a->task != NULL;
            return ORR_OK;
        }
        orr__meter_done(d->a->run, d->a->step, false);
        orr__log(3, "%s: no worker takes it (error %d), the calling thread does", d->a->step->region->label, err);
    }
    st = host_lane(d->a, d->n, d->handle, d->mode);
    if (st == ORR_OK && d->a->step->waited)
        orr__run_early_done(d->a->run);
    orr__meter_started(d->a->run);
    orr__meter_done(d->a->run, d->a->step, true);
    d->task->destroy = 0;
    starpu_task_destroy(d->task);
    return st;
}

/* Every operand is at most one tile. */
static orr_status post_on_device(const draft *d)
{
    starpu_data_handle_t handle[ORR__STAR_POST_OPERANDS];
    enum starpu_data_access_mode mode[ORR__STAR_POST_OPERANDS];
    int n = 0;

    for (int j = 0; j < d->operands; j++) {
        const orr__span *p = &d->span[j];
        if (p->n == 0)
            continue;
        handle[n] = p->tiles->handle[p->first];
        mode[n++] = mode_of(d, j);
    }
    orr_status st = orr__star_post_on_device(d->a, n, handle, mode, called_back);
    d->a->sent = st == ORR_OK;
    return st;
}

static orr_status submit(orr__site at, orr__task *a)
{
    draft d; /* its arrays are filled only as far as they are used */
    d.a = a;
    d.n = 0;
    d.task = NULL;
    struct starpu_codelet *cl = orr__star_posts(a->step) ? &orr__star_posted : orr__star_codelet(a->work, a->step);
    orr_status st = look_up(at, &d);

    if (st == ORR_OK && orr__star_posts_on_device(a)) {
        st = post_on_device(&d);
        if (d.span != d.few)
            free(d.span);
        return st;
    }
    if (st == ORR_OK && (!cl || !(d.task = starpu_task_create())))
        st = orr__fail(at, ORR_ENOMEM, "no memory for a task");
    if (st == ORR_OK) {
        d.task->cl = cl;
        d.task->name = orr__star_task_name(a->step->region);
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

/* Submits all tasks even after a failure (they skip their work), so that tasks that depend on an output find it written. */
orr_status orr__star_submit(orr__site at, orr__run *r)
{
    const orr__plan *plan = r->plan;
    orr__task *a;
    int n = 0, sent = 0;
    bool full = orr__star_is_full(r);
    orr_status st = ORR_OK;

    for (int i = 0; i < plan->nstep; i++)
        n += plan->step[i].ntiles;
    if (!(a = r->tasks = orr__alloc_n((size_t)n + 1, sizeof *a)))
        return ORR_ENOMEM;
    r->ntasks = n;
    orr__stall_watch(r);
    orr__star_submits(true);
    atomic_fetch_add_explicit(&r->planned, n, memory_order_relaxed);
    atomic_fetch_add_explicit(&r->left, n, memory_order_relaxed); /* at once: the counter is in the workers' caches */
    locale_t before = orr__point_begin(); /* StarPU reads performance models, and ends the process at a decimal comma */
    for (int i = 0; i < plan->nstep && st == ORR_OK; i++) {
        const orr__step *s = &plan->step[i];
        bool bundle = orr__bundle_size(s) > 1;
        st = orr__meter_bind(r, s);
        if (st == ORR_OK && s->graph) {
            orr__finite_unseen(s);
            st = orr__star_cholesky(at, r, s);
            continue;
        }
        for (int t = 0; t < s->ntiles && st == ORR_OK; t++, a++) {
            a->run = r;
            a->step = s;
            a->work = bundle ? NULL : orr__work_of_step(plan, s);
            a->tile = t;
            a->worker = -1;
            orr__task_state(a, ORR__TASK_WAITS);
            st = submit(at, a);
            sent += a->sent;
        }
        if (full && st == ORR_OK)
            orr__star_last(r, i);
        i += bundle ? s->bundle.members - 1 : 0;
    }
    orr__point_end(before);
    orr__star_submits(false);
    atomic_fetch_sub_explicit(&r->planned, n - sent, memory_order_relaxed);
    atomic_fetch_sub_explicit(&r->left, n - sent, memory_order_acq_rel); /* one count is ours: not yet zero */
    starpu_do_schedule(); /* some policies hold tasks back until this call */
    return st;
}
