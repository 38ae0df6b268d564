/* Posted work on values in a CUDA device's memory: StarPU copies them there and keeps them until the work ends; no worker takes part.
 * Must not know: what the work is, how tasks are submitted. */
#include "config.h"
#include <stdlib.h>
#include "runtime/base/clock.h"
#include "runtime/base/exit.h"
#include "runtime/engine/finite.h"
#include "runtime/engine/starpu/starpu.h"

#ifdef ORR__STAR_CUDA

/* Posted work runs on the device of the first CUDA worker. */
static int worker_that_posts(void)
{
    return orr__star.cudas > 0 ? starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0) : -1;
}

typedef struct posting {
    orr__task *task;
    orr__star_ended ended;
    unsigned node;
    atomic_int missing; /* operands that have not arrived, plus one during the requests */
    atomic_int refused; /* StarPU's error at the request of an operand; 0: none */
    int n;
    struct operand {
        struct posting *all;
        starpu_data_handle_t handle; /* NULL: not ours to release */
    } operand[];
} posting;

bool orr__star_posts_on_device(const orr__task *a)
{
    const orr__region *r = a->step->region;
    int worker = worker_that_posts();
    if (!r->call.op || !(r->call.op->flags & ORR__OP_POSTS) || !a->step->cuda || a->step->ntiles != 1 || worker < 0 ||
        r->nout + r->nin > ORR__STAR_POST_OPERANDS || a->run->meter || a->run->placement == ORR__CPU_ALONE ||
        orr__device_rests(worker))
        return false;
    for (int j = 0; j < r->nout + r->nin; j++)
        if (orr__star_span(a->run, a->step, a->tile, j).n > 1)
            return false;
    return true;
}

static void note_results(const orr__task *a)
{
    const orr__region *r = a->step->region;
    for (int k = 0; k < r->nout; k++) {
        orr__span s = orr__star_span(a->run, a->step, a->tile, k);
        if (s.n == 0)
            continue;
        s.tiles->maker = a->work->label;
        s.tiles->file = r->file;
        s.tiles->line = r->line;
        atomic_store_explicit(&s.tiles->away, true, memory_order_release);
    }
}

/* The last call may free the run, so nothing is accessed after it. */
static void give_back(posting *p)
{
    orr__task *a = p->task;
    orr__star_ended ended = p->ended;
    for (int i = 0; i < p->n; i++)
        if (p->operand[i].handle)
            starpu_data_release_on_node(p->operand[i].handle, (int)p->node);
    free(p);
    ended(a);
}

static void done(void *argument, orr_status st, const char *text)
{
    posting *p = argument;
    orr__task *a = p->task;
    if (st == ORR_OK) {
        note_results(a);
        (void)orr__work_done(a->work, a->step, a->tile, ORR__ON_CUDA, 1 + worker_that_posts(), a->began);
    } else {
        orr__run_fail(a->run, st, text ? text : "");
    }
    give_back(p);
}

/* The device address of element 0 of the whole array of operand j. NULL: it has no bytes, or its content is lost. */
static void *address(const posting *p, int j, bool *lost)
{
    orr__span s = orr__star_span(p->task->run, p->task->step, p->task->tile, j);
    if (s.n == 0)
        return NULL;
    orr__tile_data *d = starpu_data_get_interface_on_node(s.tiles->handle[s.first], p->node);
    bool reads = j >= p->task->step->region->nout;
    *lost = *lost || (reads && d->lost);
    d->lost = d->lost && reads;
    return (void *)d->at.ptr;
}

static void begin(posting *p)
{
    orr__task *a = p->task;
    const orr__region *r = a->step->region;
    int n = r->nin + r->nout;
    void *all[ORR__STAR_POST_OPERANDS] = { NULL };
    bool lost = false, said = orr__run_is_over(a->run);
    orr_status st = said ? orr__run_status(a->run) : ORR_OK;
    int refused = atomic_load(&p->refused);
    if (refused)
        st = orr__fail(orr__region_site(r), ORR_EDEVICE,
                       "StarPU does not provide an operand in the memory of the device "
                       "(starpu_data_acquire_on_node_cb: error %d)",
                       refused);
    for (int j = 0; j < n && st == ORR_OK; j++)
        all[j] = address(p, j, &lost);
    if (lost) {
        static const orr__tiles unnamed = { .n = 0 };
        st = orr__tiles_fail_lost(orr__region_site(r), &unnamed);
        atomic_store(&a->run->lost, true);
    }
    if (st == ORR_OK) {
        orr__ending ending = { done, p };
        orr__launch l = {
            .region = r, .hi = r->dim[0], .in = all + r->nout, .out = all, .scalar = a->run->scalar, .ending = &ending
        };
        a->began = orr__now();
        orr__finite_unseen(a->step);
        orr__work_begins(ORR__WORK_DEVICE);
        st = orr__exec_cuda->launch(a->step->cuda, &l); /* after ORR_OK p may be freed */
        orr__work_ends(ORR__WORK_DEVICE);
        if (st == ORR_OK)
            return;
    }
    if (!said) {
        orr__run_fail(a->run, st, orr_error_message());
        orr_error_clear();
    }
    give_back(p);
}

static void arrived(void *arg)
{
    struct operand *o = arg;
    if (atomic_fetch_sub(&o->all->missing, 1) == 1)
        begin(o->all);
}

orr_status orr__star_post_on_device(orr__task *a, int n, const starpu_data_handle_t *handle,
                                    const enum starpu_data_access_mode *mode, orr__star_ended ended)
{
    posting *p = calloc(1, sizeof *p + (size_t)n * sizeof *p->operand);
    if (!p)
        return orr__fail_place(ORR__SITE(NULL, 0, a->step->region->label), ORR_ENOMEM);
    p->task = a;
    p->ended = ended;
    p->node = starpu_worker_get_memory_node((unsigned)worker_that_posts());
    p->n = n;
    atomic_init(&p->missing, n + 1);
    for (int i = 0; i < n; i++) {
        struct operand *o = &p->operand[i];
        *o = (struct operand){ p, handle[i] };
        bool again = false;
        for (int k = 0; k < i; k++)
            again = again || handle[k] == handle[i];
        int err = again ? 0 : starpu_data_acquire_on_node_cb(handle[i], (int)p->node, mode[i], arrived, o);
        if (err != 0)
            atomic_store(&p->refused, err);
        if (again || err != 0) {
            o->handle = NULL;
            arrived(o); /* never the last one, which follows below */
        }
    }
    if (atomic_fetch_sub(&p->missing, 1) == 1)
        begin(p);
    return ORR_OK;
}

#else

bool orr__star_posts_on_device(const orr__task *a)
{
    (void)a;
    return false;
}

orr_status orr__star_post_on_device(orr__task *a, int n, const starpu_data_handle_t *handle,
                                    const enum starpu_data_access_mode *mode, orr__star_ended ended)
{
    (void)n;
    (void)handle;
    (void)mode;
    (void)ended;
    return orr__fail(ORR__SITE(NULL, 0, a->step->region->label), ORR_EINTERNAL, "StarPU was built without CUDA");
}

#endif
