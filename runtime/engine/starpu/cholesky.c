/* Cholesky factorisations as graphs of tasks: a handle per square tile, and the operations of codelets/cholesky.h on the tiles.
 * Devices take part in large factorisations: squares have handles of their own, and are copied.
 * The output's own tiles are ranges of whole rows, for its readers. One task opens each range (its rows of the input, zeros above the
 * diagonal), and one closes it when its squares are done. The squares share that memory, which StarPU does not know. This is sound
 * because graphs are planned only if all CPU workers see all data at home.
 * Must not know: how a tile is computed. */
#include "config.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cholesky.h"
#include "runtime/base/clock.h"
#include "runtime/base/exit.h"
#include "runtime/base/hash.h"
#include "runtime/engine/denormals.h"
#include "runtime/engine/starpu/starpu.h"

enum { OPEN = ORR__TILE_KINDS, CLOSE, KINDS };

/* One matrix of the batch, during submission. */
typedef struct {
    orr__site at;
    orr__run *run;
    const orr__step *step;
    int64_t n, block, matrix; /* its order, rows of a tile, its number */
    int tiles;
    bool away; /* devices take part */
    orr_dtype dtype;
    orr__work *work[KINDS];
    starpu_data_handle_t *square; /* (i, j) at i·(i + 1)/2 + j */
} factorisation;

/* The arguments of a task; StarPU frees them. */
typedef struct {
    orr__run *run;
    const orr__step *step;
    orr__work *work;
    int64_t n, block, matrix;
    orr_dtype dtype;
    int kind;
    orr__tileop op;
    int first, end; /* OPEN, CLOSE: rows of tiles */
    bool away;
    int worker; /* of a device, else -1 */
    double began;
    orr__after after; /* facts known after the device has finished */
} job;

/* -- on a worker ------------------------------------------------------------------------------------------- */

static void open_rows(const job *a, void *buffers[])
{
    int64_t lo = a->first * a->block, hi = a->end * a->block;
    size_t z = orr_dtype_size(a->dtype);

    orr__cholesky_load(a->dtype, a->n, lo, hi < a->n ? hi : a->n,
                       (const char *)a->run->value[a->step->in[0]]->host + (size_t)(a->matrix * a->n * a->n) * z,
                       (void *)(STARPU_VARIABLE_GET_PTR(buffers[0]) - (uintptr_t)(lo * a->n) * z));
}

static orr_status operate(const job *a, void *buffers[])
{
    orr__tileat at[3] = { { NULL, 0 } };
    int tile[2][2], reads = orr__cholesky_reads(&a->op, tile);
    int64_t minor = 0;

    for (int k = 0; k <= reads; k++)
        at[k] = (orr__tileat){ (void *)STARPU_MATRIX_GET_PTR(buffers[k]), (int64_t)STARPU_MATRIX_GET_LD(buffers[k]) };
    uint64_t mode = orr__denormals_begin();
    orr_status st = orr__cholesky_tile(&a->op, a->dtype, a->n, at, &minor);
    orr__denormals_end(mode);
    return minor ? orr__cholesky_fail(a->step->region, a->matrix, minor) : st;
}

/* The libraries of devices may have used the elements above the diagonal, so zeros are written again. */
static void close_rows(const job *a, void *buffers[])
{
    size_t z = orr_dtype_size(a->dtype);
    int at = 1;

    for (int i = a->first; i < a->end; i++) {
        at += i; /* the diagonal square is the last in a row of squares */
        char *p = (char *)STARPU_MATRIX_GET_PTR(buffers[at]);
        size_t ld = STARPU_MATRIX_GET_LD(buffers[at]), n = STARPU_MATRIX_GET_NX(buffers[at]);
        for (size_t r = 0; r < n; r++)
            memset(p + (r * ld + r + 1) * z, 0, (n - r - 1) * z);
        at++;
    }
}

/* After a failure the other tasks do nothing, so that the graph ends and no caller waits for ever. */
static void on_worker(void *buffers[], void *arg)
{
    const job *a = arg;
    orr_status st = ORR_OK;
    double t0 = orr__now();

    if (orr__run_is_over(a->run))
        return;
    orr__work_begins(ORR__WORK_COMPUTES);
    if (a->kind == OPEN)
        open_rows(a, buffers);
    else if (a->kind != CLOSE)
        st = operate(a, buffers);
    else if (a->away)
        close_rows(a, buffers);
    orr__work_ends(ORR__WORK_COMPUTES);
    if (st != ORR_OK) {
        orr__run_fail(a->run, st, orr_error_message());
        orr_error_clear();
    }
    (void)orr__work_done(a->work, a->step, -1, ORR__ON_CPU, 1 + starpu_worker_get_id(), t0);
}

#ifdef ORR__STAR_CUDA
static void on_device(void *buffers[], void *arg)
{
    job *a = arg;
    orr__tilejob j = { .op = a->op,
                       .dtype = a->dtype,
                       .n = a->n,
                       .region = a->step->region,
                       .matrix = a->matrix,
                       .queue = starpu_cuda_get_local_stream(),
                       .after = &a->after };

    if (orr__run_is_over(a->run))
        return;
    a->worker = starpu_worker_get_id();
    a->began = orr__now();
    orr__work_begins(ORR__WORK_DEVICE);
    orr_status st = orr__star_tile(&j, buffers);
    orr__work_ends(ORR__WORK_DEVICE);
    if (st != ORR_OK)
        orr__run_fail(a->run, st, orr_error_message());
    orr_error_clear();
}
#endif

static void device_done(const job *a)
{
    orr__after after = a->after;

    if (a->worker < 0)
        return;
    orr_status st = after.check ? after.check(&after) : ORR_OK;
    if (st != ORR_OK) {
        orr__run_fail(a->run, st, orr_error_message());
        orr_error_clear();
    }
    (void)orr__star_device_took(a->work, a->step, -1, a->worker, a->began);
}

static void done(void *arg)
{
    const job *a = arg;

    device_done(a);
    orr__meter_done(a->run, a->step, true);
    orr__star_call(1, false);
    if (orr__run_task_done(a->run))
        sched_yield();
}

/* -- kinds of tasks ------------------------------------------------------------------------------------------ */

static uint32_t footprint(struct starpu_task *task)
{
    const job *a = task->cl_arg;
    int64_t facts[5] = { a->kind, a->dtype, a->block, a->kind >= OPEN ? a->n : 0, a->end - a->first };
    uint64_t h;

    for (int k = 0, at[3] = { a->op.i, a->op.j, a->op.k }; a->kind < OPEN && k < 3; k++)
        facts[4] += ((at[k] + 1) * a->block > a->n) << k; /* tiles at the edge are smaller */
    h = orr__hash(facts, sizeof facts, 0);
    return (uint32_t)(h ^ h >> 32);
}

#define ROW(label)                                                                                                     \
    {                                                                                                                  \
        .type = STARPU_HISTORY_BASED, .symbol = ORR__STAR_MODEL(label), .footprint = footprint                         \
    }
static struct starpu_perfmodel model[KINDS] = { ROW("potrf"), ROW("trsm"), ROW("syrk"),
                                                ROW("gemm"),  ROW("open"), ROW("close") };
#define KIND(label)                                                                                                    \
    {                                                                                                                  \
        .where = STARPU_CPU, .cpu_funcs = { on_worker }, .nbuffers = STARPU_VARIABLE_NBUFFERS,                         \
        .name = "cholesky " label                                                                                      \
    }
#ifdef ORR__STAR_CUDA
#define TILE_KIND(label)                                                                                               \
    {                                                                                                                  \
        .where = STARPU_CPU | STARPU_CUDA, .cpu_funcs = { on_worker }, .cuda_funcs = { on_device },                    \
        .cuda_flags = { STARPU_CUDA_ASYNC }, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "cholesky " label           \
    }
#else
#define TILE_KIND(label) KIND(label)
#endif
static struct starpu_codelet kind_of[KINDS] = { TILE_KIND("potrf"), TILE_KIND("trsm"), TILE_KIND("syrk"),
                                                TILE_KIND("gemm"),  KIND("open"),      KIND("close") };

void orr__star_cholesky_models(bool use)
{
    for (int i = 0; i < KINDS; i++)
        kind_of[i].model = use ? &model[i] : NULL;
}

static orr__work *work_of(int kind)
{
    orr__region r = { .key = orr__hash(kind_of[kind].name, strlen(kind_of[kind].name), 0) };

    snprintf(r.label, sizeof r.label, "%s", kind_of[kind].name);
    return orr__work_of(&r);
}

/* The longest path from the operation to the end, in operations, scaled to the step's share of the plan. */
static int priority(const factorisation *f, const job *a)
{
    int64_t all = 3 * (int64_t)f->tiles, way = 0;

    if (a->kind != OPEN && a->kind != CLOSE) {
        way = 3 * (f->tiles - a->op.i);
        way += a->kind == ORR__POTRF ? 0 : a->op.i - a->op.k + (a->kind == ORR__SYRK ? 0 : 1);
    } else if (a->kind == OPEN) {
        way = 3 * (f->tiles - a->first);
    }
    double part = (double)way / (double)all, whole = f->step->urgency.from_start - f->step->urgency.from_end;
    return orr__star_urgency(f->run->plan, f->step->urgency.from_end + part * whole);
}

/* -- submission ---------------------------------------------------------------------------------------------- */

typedef struct {
    struct starpu_task *task;
    job *a;
    int n, room;
} draft;

static starpu_data_handle_t square(const factorisation *f, int i, int j)
{
    return f->square[(size_t)i * ((size_t)i + 1) / 2 + (size_t)j];
}

static void add(draft *d, starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
    (d->task->dyn_handles ? d->task->dyn_handles : d->task->handles)[d->n] = handle;
    (d->task->dyn_modes ? d->task->dyn_modes : d->task->modes)[d->n++] = mode;
}

/* Begins a task of that kind with space for `room` buffers. */
static bool begin(const factorisation *f, int kind, int room, draft *d)
{
    *d = (draft){ .task = starpu_task_create(), .a = orr__alloc(sizeof *d->a), .room = room };
    if (d->task && room > STARPU_NMAXBUFS) {
        d->task->dyn_handles = malloc((size_t)room * sizeof *d->task->dyn_handles);
        d->task->dyn_modes = malloc((size_t)room * sizeof *d->task->dyn_modes);
    }
    if (!d->task || !d->a || (room > STARPU_NMAXBUFS && (!d->task->dyn_handles || !d->task->dyn_modes))) {
        free(d->a);
        if (d->task) {
            d->task->destroy = 0;
            starpu_task_destroy(d->task);
        }
        (void)orr__fail(f->at, ORR_ENOMEM, "no memory for a task");
        return false;
    }
    *d->a = (job){ .run = f->run,
                   .step = f->step,
                   .work = f->work[kind],
                   .n = f->n,
                   .block = f->block,
                   .matrix = f->matrix,
                   .dtype = f->dtype,
                   .kind = kind,
                   .away = f->away,
                   .worker = -1 };
    return true;
}

static orr_status send(const factorisation *f, draft *d)
{
    int err;

    d->task->cl = &kind_of[d->a->kind];
    d->task->nbuffers = d->n;
    d->task->cl_arg = d->a;
    d->task->cl_arg_free = 1;
    d->task->callback_func = done;
    d->task->callback_arg = d->a;
    d->task->where = STARPU_CPU | (f->away && d->a->kind < OPEN ? STARPU_CUDA : 0);
    d->task->priority = orr__star_policy_priority(d->task->where, priority(f, d->a));
    atomic_fetch_add_explicit(&f->run->planned, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&f->run->left, 1, memory_order_relaxed);
    orr__meter_started(f->run);
    if ((err = starpu_task_submit(d->task)) == 0) {
        orr__star_call(0, false);
        return ORR_OK;
    }
    orr__meter_done(f->run, f->step, false);
    atomic_fetch_sub_explicit(&f->run->planned, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&f->run->left, 1, memory_order_relaxed);
    d->task->destroy = 0;
    starpu_task_destroy(d->task);
    return orr__fail(f->at, ORR_EDEVICE, "StarPU does not accept a task (starpu_task_submit: error %d)", err);
}

/* Rows [first, end) of tiles are tile number `tile` of the output. */
static orr_status submit_rows(const factorisation *f, int kind, int tile, int first, int end)
{
    orr__span out = orr__star_span(f->run, f->step, tile, 0), in = { .n = 0 };
    int64_t base = f->matrix * f->n * f->n, to = end * f->block;
    draft d;

    if (out.n != 1)
        return orr__fail(f->at, ORR_EINTERNAL, "tile %d of the output is %d", tile, out.n);
    if (kind == OPEN)
        in = orr__star_range(f->run, f->step->in[0], base + first * f->block * f->n,
                             base + (to < f->n ? to : f->n) * f->n);
    if (!begin(f, kind, 1 + (end * (end + 1) - first * (first + 1)) / 2 + in.n, &d))
        return ORR_ENOMEM;
    d.a->first = first;
    d.a->end = end;
    add(&d, out.tiles->handle[out.first], kind == OPEN ? STARPU_W : STARPU_RW);
    for (int i = first; i < end; i++)
        for (int j = 0; j <= i; j++)
            add(&d, square(f, i, j), kind == OPEN ? STARPU_W : STARPU_R);
    for (int k = 0; k < in.n; k++)
        add(&d, in.tiles->handle[in.first + k], STARPU_R);
    return send(f, &d);
}

static orr_status submit_all_rows(const factorisation *f, int kind)
{
    bool batch = f->step->region->rank > 2; /* in a batch a tile of the output is a matrix, else a row of tiles */
    orr_status st = ORR_OK;

    for (int i = 0; i < (batch ? 1 : f->tiles) && st == ORR_OK; i++)
        st = submit_rows(f, kind, batch ? (int)f->matrix : i, i, batch ? f->tiles : i + 1);
    return st;
}

static orr_status submit_op(const factorisation *f, const orr__tileop *op)
{
    int read[2][2], reads = orr__cholesky_reads(op, read);
    draft d;

    if (!begin(f, (int)op->kind, 1 + reads, &d))
        return ORR_ENOMEM;
    d.a->op = *op;
    add(&d, square(f, op->i, op->j), STARPU_RW);
    for (int k = 0; k < reads; k++)
        add(&d, square(f, read[k][0], read[k][1]), STARPU_R);
    return send(f, &d);
}

static void register_squares(const factorisation *f)
{
    size_t z = orr_dtype_size(f->dtype);
    char *base = (char *)f->run->value[f->step->out[0]]->host + (size_t)(f->matrix * f->n * f->n) * z;

    for (int i = 0, at = 0; i < f->tiles; i++)
        for (int j = 0; j <= i; j++, at++) {
            int64_t rows = f->n - i * f->block, cols = f->n - j * f->block;
            starpu_matrix_data_register(&f->square[at], STARPU_MAIN_RAM,
                                        (uintptr_t)(base + (size_t)((i * f->n + j) * f->block) * z), (uint32_t)f->n,
                                        (uint32_t)(cols < f->block ? cols : f->block),
                                        (uint32_t)(rows < f->block ? rows : f->block), z);
        }
}

static orr_status submit_matrix(const factorisation *f)
{
    orr__tileop op = { ORR__POTRF, 0, 0, 0 };
    orr_status st;

    register_squares(f);
    st = submit_all_rows(f, OPEN);
    while (st == ORR_OK && (st = submit_op(f, &op)) == ORR_OK && orr__cholesky_next(&op, f->tiles))
        continue;
    if (st == ORR_OK)
        st = submit_all_rows(f, CLOSE);
    for (int i = 0; i < f->tiles * (f->tiles + 1) / 2; i++)
        starpu_data_unregister_submit(f->square[i]); /* after their last task */
    return st;
}

orr_status orr__star_cholesky(orr__site at, orr__run *r, const orr__step *s)
{
    int64_t n = s->region->dim[s->region->rank - 1], batch = s->region->rank > 2 ? s->region->dim[0] : 1;
    factorisation f = { .at = at,
                        .run = r,
                        .step = s,
                        .n = n,
                        .block = orr__cholesky_block(n),
                        .tiles = orr__cholesky_tiles(n),
                        .away = r->placement != ORR__CPU_ALONE && !orr__star.shy && orr__exec_shares(s),
                        .dtype = (orr_dtype)s->region->out_dtype[0] };
    orr_status st = ORR_OK;

    if (!(f.square = orr__alloc_n((size_t)f.tiles * ((size_t)f.tiles + 1) / 2, sizeof(starpu_data_handle_t))))
        return ORR_ENOMEM;
    for (int k = 0; k < KINDS; k++)
        f.work[k] = work_of(k);
    for (f.matrix = 0; f.matrix < batch && st == ORR_OK; f.matrix++)
        st = submit_matrix(&f);
    free(f.square);
    return st;
}
