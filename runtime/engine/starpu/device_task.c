/* A StarPU task on a device's worker, of one step or of a bundle; if the device fails, the same task on the host.
 * Must not know: how a device's text is made or compiled, what its calls are. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/array.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/exit.h"
#include "runtime/base/minmax.h"
#include "runtime/engine/finite.h"
#include "runtime/engine/ranges.h"
#include "runtime/engine/starpu/starpu.h"

#if defined(ORR__STAR_OPENCL) || defined(ORR__STAR_CUDA)

/* Every operand is one tile or empty, as the submitter ensures. mem[j] is its memory object, off[j] the number of the element at its
 * start. */
typedef struct {
    orr__task *task;
    const orr__backend *backend;
    orr__kernel *kernel;
    orr__launch launch;  /* of a bundle: of the current step */
    const orr__use *use; /* the operands of a bundle, NULL: those of a step */
    int n;
    void *room; /* of the arrays, one block */
    void **mem;
    int64_t *off;
    orr__span *span;
    size_t *byte; /* offset in the memory object */
    orr__tile_data **tile;
} device_call;

static atomic_bool warned;

static size_t span_bytes(const orr__span *p)
{
    size_t off = (size_t)p->first * p->tiles->bytes, left = p->tiles->buf->bytes - off;

    return left < p->tiles->bytes ? left : p->tiles->bytes;
}

/* Is operand j written? */
static bool is_written(const device_call *c, int j)
{
    return c->use ? c->use[j].write : j < c->task->step->region->nout;
}

/* The address of operand j in the device's memory. */
static void place(device_call *c, int j)
{
    const orr__span *s = &c->span[j];
    if (s->n == 0)
        return;
    c->byte[j] = STARPU_VARIABLE_GET_OFFSET(c->tile[j]);
    c->mem[j] = (void *)STARPU_VARIABLE_GET_DEV_HANDLE(c->tile[j]);
    c->off[j] = (int64_t)((size_t)s->first * s->tiles->bytes / s->elem) - (int64_t)(c->byte[j] / s->elem);
    if (!c->use && j < c->task->step->region->nout &&
        c->task->step->partial) /* it folds into its own row, passed as a whole */
        c->off[j] = -(int64_t)(c->byte[j] / s->elem);
}

static bool gather(device_call *c, void *buffers[])
{
    const orr__step *s = c->task->step;
    const orr__region *r = s->region;
    int at = 0;

    c->use = orr__bundle_size(s) > 1 ? s->bundle.use : NULL;
    c->n = c->use ? s->bundle.nuse : r->nin + r->nout;
    size_t n = (size_t)c->n;
    c->room =
        orr__alloc_n(n + 1, sizeof *c->mem + sizeof *c->off + sizeof *c->span + sizeof *c->byte + sizeof *c->tile);
    if (!c->room)
        return false;
    c->span = c->room; /* all elements are aligned as pointers */
    c->off = (int64_t *)(void *)(c->span + n);
    c->mem = (void **)(void *)(c->off + n);
    c->byte = (size_t *)(void *)(c->mem + n);
    c->tile = (orr__tile_data **)(void *)(c->byte + n);
    for (int j = 0; j < c->n; j++) {
        c->span[j] = c->use ? orr__star_range(c->task->run, c->use[j].value, c->use[j].first, c->use[j].end)
                            : orr__star_span(c->task->run, s, c->task->tile, j);
        c->tile[j] = c->span[j].n > 0 ? buffers[at++] : NULL;
        place(c, j);
    }
    c->launch.region = r;
    c->launch.scalar = c->task->run->scalar;
    if (c->use)
        return true;
    c->launch.in = c->mem + r->nout;
    c->launch.out = c->mem;
    c->launch.in_off = c->off + r->nout;
    c->launch.out_off = c->off;
    orr__step_rows(c->task->step, c->task->tile, &c->launch.lo, &c->launch.hi);
    return true;
}

/* True if the library checks for the device's errors before StarPU does, and can recover from them. */
static bool is_guarded(const device_call *c)
{
    return c->backend == orr__exec_opencl || orr__star.guards_cuda;
}

static orr_status launch(const device_call *c, const orr__step *s, orr__kernel *k)
{
    bool range = orr__range_begins(s->region);
    orr_status st = c->backend->launch(k, &c->launch);

    orr__range_ends(range, s->region);
    orr__finite_unseen(s);
    return st;
}

/* A bundle's launches. of[v]: the operand of value v, -1: none, it is local. mem and off are those of the current step. */
typedef struct {
    device_call *c;
    int *of;
    char *room;
    void **mem;
    int64_t *off;
} bundle_call;

static orr_status member_on_device(const bundle_call *b, const orr__step *s)
{
    device_call *c = b->c;
    const orr__plan *plan = c->task->run->plan;
    void **mem = b->mem;
    int64_t *off = b->off;
    const int *of = b->of;
    int nout = s->region->nout;

    for (int j = 0; j < nout + s->region->nin; j++) {
        int v = j < nout ? s->out[j] : s->in[j - nout];
        bool local = plan->value[v].local;
        mem[j] = local ? b->room + plan->value[v].scratch : of[v] >= 0 ? c->mem[of[v]] : NULL;
        off[j] = local || of[v] < 0 ? 0 : c->off[of[v]];
    }
    c->launch.region = s->region;
    c->launch.in = mem + nout;
    c->launch.out = mem;
    c->launch.in_off = off + nout;
    c->launch.out_off = off;
    c->launch.after = &c->task->after; /* stays empty: no step of a bundle can fail */
    orr__step_rows(s, 0, &c->launch.lo, &c->launch.hi);
    return launch(c, s, s->cuda);
}

/* All launches, in order: a failure of the run ends none of them, since they may be recorded. */
static orr_status members_on_device(void *arg)
{
    const bundle_call *b = arg;
    const orr__step *first = b->c->task->step;
    orr_status st = ORR_OK;
    for (int i = 0; st == ORR_OK && i < orr__bundle_size(first); i++)
        st = member_on_device(b, &first[i]);
    return st;
}

/* As a sequence that the backend repeats: the launches depend on the places of operands and of local values, and on the scalars. */
static orr_status repeat_on_device(bundle_call *b)
{
    const device_call *c = b->c;
    const orr__step *first = c->task->step;
    size_t n = (size_t)c->n, word = sizeof(int64_t),
           scalars = (size_t)c->task->run->plan->nscalar * sizeof *c->launch.scalar;
    orr__sequence s = { .at = orr__region_site(first->region),
                        .queue = c->launch.queue,
                        .each = members_on_device,
                        .arg = b,
                        .places = (2 * n + 1) * word,
                        .values = scalars };
    char few[4096], *key = orr__array_begin(few, sizeof few, s.places + s.values, 1);
    if (!key)
        return ORR_ENOMEM;
    memcpy(key, c->off, n * word);
    for (size_t i = 0; i <= n; i++) {
        const void *p = i < n ? c->mem[i] : b->room;
        memcpy(key + (n + i) * word, &p, sizeof p);
    }
    if (scalars > 0)
        memcpy(key + s.places, c->launch.scalar, scalars);
    s.key = key;
    orr_status st = c->backend->repeat(first->cuda, &s);
    orr__array_end(key, few);
    return st;
}

/* Each launch is seen by itself: by a profiler, or by a search for numbers that are not finite. */
static bool are_seen(void)
{
    return orr__finite_watched() || atomic_load_explicit(&orr__ranges_on, memory_order_relaxed);
}

/* Local values are in memory of the queue, whose order keeps them from the next bundle's. */
static orr_status bundle_on_device(device_call *c)
{
    const orr__step *first = c->task->step;
    const orr__plan *plan = c->task->run->plan;
    int few_of[256], most = 0;
    void *few_mem[64];
    int64_t few_off[64];
    for (int i = 0; i < orr__bundle_size(first); i++)
        most = ORR__MAX(first[i].region->nin + first[i].region->nout, most);
    bundle_call b = { .c = c,
                      .of = orr__array_begin(few_of, sizeof few_of, (size_t)plan->nvalue, sizeof *b.of),
                      .mem = orr__array_begin(few_mem, sizeof few_mem, (size_t)most, sizeof *b.mem),
                      .off = orr__array_begin(few_off, sizeof few_off, (size_t)most, sizeof *b.off) };
    orr_status st = b.of && b.mem && b.off ? ORR_OK : ORR_ENOMEM;
    bool needs = plan->memory.scratch_bytes > 0;
    b.room = st == ORR_OK && needs ? c->backend->room(&c->launch, plan->memory.scratch_bytes) : NULL;
    if (needs && !b.room)
        st = ORR_ENOMEM;
    for (int v = 0; st == ORR_OK && v < plan->nvalue; v++)
        b.of[v] = -1;
    for (int j = 0; st == ORR_OK && j < c->n; j++)
        b.of[c->use[j].value] = j;
    if (st == ORR_OK)
        st = c->backend->repeat && !are_seen() ? repeat_on_device(&b) : members_on_device(&b);
    orr__array_end(b.of, few_of);
    orr__array_end(b.mem, few_mem);
    orr__array_end(b.off, few_off);
    return st;
}

static orr_status on_device(device_call *c)
{
    orr_status st = c->use ? bundle_on_device(c) : launch(c, c->task->step, c->kernel);

    return st == ORR_OK && is_guarded(c) ? c->backend->finish(&c->launch) : st;
}

static void failed(const device_call *c, orr__loss loss, const char *why)
{
    bool gone = is_guarded(c) && c->backend->gone && c->backend->gone(&c->launch);
    orr__device_failed(c->task->worker, gone ? ORR__DEVICE_GONE : loss, why);
}

/* The tile of operand j for a read on the host: its replacement, its home memory, or a copy. NULL: lost, or no memory. */
static const void *operand(device_call *c, int j, void **copy)
{
    const orr__span *p = &c->span[j];
    orr__tile_data *d = c->tile[j];
    const void *home = d->lost ? NULL : d->host ? d->host : orr__tile_at_home(p->tiles->handle[p->first]);
    if (home || d->lost || !(*copy = orr__alloc(span_bytes(p))))
        return home;
    if (c->backend->read(&c->launch, c->mem[j], c->byte[j], *copy, span_bytes(p)) == ORR_OK)
        return *copy;
    failed(c, ORR__MEMORY_FAILED, orr_error_message());
    d->lost = true;
    return NULL;
}

/* Copies the tile of output j to the device, or lets it stand in for the device's memory. */
static orr_status result(device_call *c, int j, void **host)
{
    int worker = c->task->worker;
    bool may_stand_in = is_guarded(c);
    orr_status st = ORR_EDEVICE;
    if (!may_stand_in || (c->mem[j] && !orr__device_rests(worker)))
        st = c->backend->write(&c->launch, c->mem[j], c->byte[j], *host, span_bytes(&c->span[j]));
    if (st == ORR_OK) {
        orr__tile_stand_in(c->tile[j], NULL);
        return ORR_OK;
    }
    if (!orr__device_rests(worker))
        failed(c, ORR__MEMORY_FAILED, orr_error_message());
    if (!may_stand_in)
        return st;
    orr__tile_stand_in(c->tile[j], *host);
    *host = NULL;
    return ORR_OK;
}

/* The steps of a bundle, whose operand j begins at base[j]. */
static orr_status bundle_on_host(const device_call *c, void *const *base)
{
    const orr__step *first = c->task->step;
    const orr__plan *plan = c->task->run->plan;
    char *room = malloc(plan->memory.scratch_bytes + 1);
    void **value = orr__alloc_n((size_t)plan->nvalue, sizeof *value);
    orr_status st = room && value ? ORR_OK : ORR_ENOMEM;

    for (int v = 0; st == ORR_OK && v < plan->nvalue; v++)
        value[v] = plan->value[v].local ? room + plan->value[v].scratch : NULL;
    for (int j = 0; st == ORR_OK && j < c->n; j++)
        value[c->use[j].value] = base[j];
    for (int i = 0; st == ORR_OK && i < orr__bundle_size(first); i++)
        st = orr__exec_step(plan, &first[i], 0, value, c->task->run->scalar, NULL, 1 + c->task->worker, NULL);
    free(room);
    free(value);
    return st;
}

/* Copies operands to host memory, computes, and copies results to where StarPU expects them: slow but correct. */
static orr_status on_host(device_call *c)
{
    const orr__step *s = c->task->step;
    void **host = orr__alloc_n((size_t)c->n, sizeof *host), **base = orr__alloc_n((size_t)c->n, sizeof *base);
    orr_status st = host && base ? ORR_OK : ORR_ENOMEM;

    for (int j = 0; j < c->n && st == ORR_OK; j++) {
        const orr__span *p = &c->span[j];
        bool written = is_written(c, j);
        if (p->n == 0)
            continue;
        const void *tile = written ? (host[j] = malloc(span_bytes(p))) : operand(c, j, &host[j]);
        if (!tile && !written && c->tile[j]->lost) {
            st = orr__tiles_fail_lost(orr__region_site(s->region), p->tiles);
            atomic_store(&c->task->run->lost, true);
        } else if (!tile) {
            st = ORR_ENOMEM;
        }
        base[j] = (void *)((uintptr_t)tile - (size_t)p->first * p->tiles->bytes);
    }
    if (st == ORR_OK)
        st = c->use ? bundle_on_host(c, base)
                    : orr__exec_launch(s, c->task->tile, base + s->region->nout, base, c->task->run->scalar, NULL);
    for (int j = 0; j < c->n && st == ORR_OK; j++)
        if (is_written(c, j) && c->span[j].n > 0)
            st = result(c, j, &host[j]);
    for (int j = 0; host && j < c->n; j++)
        free(host[j]);
    free(host);
    free(base);
    return st;
}

/* The device is on trial, or works again: a tile that was allocated while it rested gets memory there, and the content that stands in
 * for it is copied there. Inputs come first, since an input may be an output too. ORR_ENOMEM: no memory for a tile, which is no failure
 * of the device; nor is a lost input. */
static orr_status settle(device_call *c, bool *lost)
{
    orr_status st = ORR_OK;
    *lost = false;
    for (int i = 0; orr__devices_lost() && i < 2 * c->n && st == ORR_OK; i++) {
        int j = i % c->n;
        bool written = is_written(c, j);
        orr__tile_data *d = written == (i >= c->n) ? c->tile[j] : NULL;
        if (!d)
            continue;
        if (d->lost && !written) {
            *lost = true;
            return ORR_EDEVICE;
        }
        if (!orr__tile_get_memory(d, c->task->worker))
            return ORR_ENOMEM;
        if (!written && d->host)
            st = c->backend->write(&c->launch, (void *)STARPU_VARIABLE_GET_DEV_HANDLE(d), STARPU_VARIABLE_GET_OFFSET(d),
                                   d->host, span_bytes(&c->span[j]));
        if (st == ORR_OK && d->host)
            orr__tile_stand_in(d, NULL);
        d->lost = d->lost && st != ORR_OK;
    }
    for (int j = 0; j < c->n; j++)
        place(c, j);
    return st;
}

/* Written operand j is on the device, made by this task. */
static void sign(const device_call *c, int j)
{
    const orr__task *a = c->task;
    const orr__plan *plan = a->run->plan;
    const orr__step *s = c->use ? &plan->step[plan->value[c->use[j].value].first] : a->step;
    orr__tiles *t = c->span[j].tiles;
    t->maker = (a->work ? a->work : orr__work_of_step(plan, s))->label;
    t->file = s->region->file;
    t->line = s->region->line;
    atomic_store_explicit(&t->away, true, memory_order_release);
}

/* Launches on the device, or computes on the host if the device fails. */
static void run(device_call *c, void *buffers[])
{
    orr__task *a = c->task;
    orr_status st = ORR_ENOMEM;

    orr__work_begins(ORR__WORK_DEVICE);
    if (gather(c, buffers)) {
        bool rests = orr__device_rests(a->worker), alone = orr__region_needs_device(a->step->region), lost = false;
        st = rests && !alone ? ORR_EDEVICE : settle(c, &lost);
        if (st == ORR_OK && (st = on_device(c)) == ORR_OK)
            orr__device_worked(a->worker);
        if ((st == ORR_EDEVICE || st == ORR_ENOMEM) && orr__env.fallback && !alone) {
            /* Only the first failure is a warning. */
            if (!rests && !lost)
                orr__log(atomic_exchange(&warned, true) ? 3 : 1, "%s: done again on the host: %s",
                         a->work ? a->work->label : a->step->region->label, orr_error_message());
            char why[240];
            (void)snprintf(why, sizeof why, "%.200s", orr_error_message());
            bool kernel = st == ORR_EDEVICE && !rests && !lost;
            orr_error_clear();
            atomic_fetch_add_explicit(&orr__device_did.redone, 1, memory_order_relaxed);
            st = on_host(c);
            if (kernel && st == ORR_OK)
                failed(c, ORR__KERNEL_FAILED, why);
        }
        for (int j = 0; j < c->n; j++)
            if (is_written(c, j) && c->span[j].n > 0)
                sign(c, j);
    }
    orr__work_ends(ORR__WORK_DEVICE);
    free(c->room);
    if (st != ORR_OK)
        orr__run_fail(a->run, st, orr_error_message());
    orr_error_clear();
}

static bool begin(orr__task *a)
{
    if (orr__run_is_over(a->run))
        return false;
    orr__task_runs(a);
    a->worker = starpu_worker_get_id();
    a->began = orr__now();
    return true;
}

#endif

#ifdef ORR__STAR_OPENCL
void orr__star_opencl(void *buffers[], void *arg)
{
    device_call c = { .task = arg, .backend = orr__exec_opencl };
    cl_command_queue queue;
    cl_context context;
    cl_device_id id;
    int device;

    if (!begin(c.task))
        return;
    device = starpu_worker_get_devid(c.task->worker);
    starpu_opencl_get_queue(device, &queue);
    starpu_opencl_get_context(device, &context);
    starpu_opencl_get_device(device, &id);
    c.kernel = c.task->step->opencl;
    c.launch.queue = queue;
    c.launch.context = context;
    c.launch.device = id;
    run(&c, buffers);
}
#endif

#ifdef ORR__STAR_CUDA
/* Returns when all work is enqueued on the worker's stream; StarPU waits for the stream. */
void orr__star_cuda(void *buffers[], void *arg)
{
    device_call c = { .task = arg, .backend = orr__exec_cuda };

    if (!begin(c.task))
        return;
    c.kernel = c.task->step->cuda;
    c.launch.queue = starpu_cuda_get_local_stream();
    c.launch.after = &c.task->after;
    run(&c, buffers);
}
#endif

/* A device reports only that an index was wrong. The host reports its value too, if all operands are at home. The better of the two
 * messages becomes the last error. */
static void tell_in_full(const orr__task *a, orr_status st)
{
    const orr__region *r = a->step->region;
    char said[640];
    void **p = orr__alloc_n((size_t)(r->nin + r->nout), sizeof *p), *out[ORR__REGION_OUTS] = { NULL };
    bool home = p != NULL;

    (void)snprintf(said, sizeof said, "%s", orr_error_message());
    for (int j = 0; j < r->nin + r->nout && home; j++) {
        orr__span s = orr__star_span(a->run, a->step, a->tile, j);
        if (j >= r->nout) {
            p[j] = a->run->value[a->step->in[j - r->nout]]->host;
            home = s.n == 0 || !atomic_load_explicit(&s.tiles->away, memory_order_acquire);
        } else if (s.n > 0) {
            home = (out[j] = orr__alloc((size_t)s.n * s.tiles->bytes)) != NULL;
            p[j] = (void *)((uintptr_t)out[j] - (size_t)s.first * s.tiles->bytes);
        }
    }
    if (!home || orr__exec_launch(a->step, a->tile, p + r->nout, p, a->run->scalar, NULL) != ORR_EINDEX)
        (void)orr__fail_text(st, said);
    for (int k = 0; k < r->nout; k++)
        free(out[k]);
    free(p);
}

static orr__on kind_of(int worker)
{
    return starpu_worker_get_type(worker) == STARPU_CUDA_WORKER ? ORR__ON_CUDA : ORR__ON_OPENCL;
}

static double ended[STARPU_NMAXWORKERS]; /* each written by its own worker only */

/* The tasks of one worker overlap; the time of each counts from the end of the one before it. */
static double begins(int worker, double began)
{
    return ended[worker] > began ? ended[worker] : began;
}

double orr__star_device_took(orr__work *w, const orr__step *s, int tile, int worker, double began)
{
    double from = begins(worker, began);

    ended[worker] = orr__work_done(w, s, tile, kind_of(worker), 1 + worker, from);
    return ended[worker] - from;
}

/* The steps of a bundle share its time by their predicted ones, and no model learns from it. */
static void bundle_done(orr__task *a)
{
    int members = orr__bundle_size(a->step);
    orr__on on = kind_of(a->worker);
    double from = begins(a->worker, a->began), now = orr__now(), all = 0;

    for (int i = 0; i < members; i++)
        all += a->step[i].bundle.us[on];
    for (int i = 0; i < members; i++) {
        const orr__step *s = &a->step[i];
        (void)orr__work_done(orr__work_of_step(a->run->plan, s), s, 0, on, 1 + a->worker,
                             orr__now() - (now - from) * s->bundle.us[on] / all);
    }
    ended[a->worker] = now;
}

void orr__star_device_done(orr__task *a)
{
    orr_status st;

    if (a->worker < 0)
        return;
    if (orr__bundle_size(a->step) > 1) {
        bundle_done(a);
        return;
    }
    if (a->after.check && (st = a->after.check(&a->after)) != ORR_OK) {
        tell_in_full(a, st);
        orr__run_fail(a->run, st, orr_error_message());
        orr_error_clear();
    }
    double took = orr__star_device_took(a->work, a->step, a->tile, a->worker, a->began);
    if (orr__run_status(a->run) == ORR_OK)
        orr__exec_took(a->run->plan, a->step, a->tile, kind_of(a->worker), took, true);
}
