/* Measures the times of tasks and messages between the ranks at hand, by small runs with few kinds of work.
 * Must not know: what is simulated with them. */
#include "config.h"
#include <math.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include "tools/scale.h"

/* SIDE tiles along a side. The library cuts a block into tiles of a twelfth of the order, with at least SMALL rows. */
enum { SIDE = 12, SMALL = 128, ROUNDS = 20 };

static double clock_seconds(clockid_t which)
{
    struct timespec t;
    (void)clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

/* -- tasks ---------------------------------------------------------------------------------------------------- */

static const char *const name_of[SCALE_KINDS] = { "cholesky potrf, over ranks", "cholesky trsm, over ranks",
                                                  "cholesky syrk, over ranks", "cholesky gemm, over ranks" };

/* The times of the fastest factorisation: its seconds, and the average seconds of a task by kind on this rank. */
typedef struct {
    double task[SCALE_KINDS], all;
} tile_times;

static void averages(double task[SCALE_KINDS])
{
    orr_stat row[256];
    int n = orr_stats(row, 256);
    for (int k = 0; k < SCALE_KINDS; k++) {
        double time = 0, tasks = 0;
        for (int i = 0; i < n && i < 256; i++)
            if (strcmp(row[i].kind, name_of[k]) == 0) {
                time += row[i].seconds;
                tasks += (double)row[i].tasks;
            }
        task[k] = tasks > 0 ? time / tasks : 0;
    }
}

/* A matrix of SIDE × SIDE tiles. spread: the tiles are block-cyclic over the ranks; else rank 0 has all, and no message is sent. */
typedef struct {
    int64_t tile;
    bool spread;
    orr_tensor *x;
    tile_times t;
} matrix;

static bool make(matrix *m, orr_grid *g)
{
    int64_t n = SIDE * m->tile, block = m->spread ? m->tile : n;
    orr_tensor *x = orr_rand_keyed(ORR_F64, ORR_SHAPE(n, n), -0.5, 0.5, 1);
    x = orr_add(orr_add(x, orr_transpose(x)), orr_mul(orr_scalar((double)n), orr_eye(ORR_F64, n, n, 0)));
    m->x = orr_shard_cyclic(x, g, ORR_AXES(0, 1), ORR_INDEX(block, block));
    m->t.all = INFINITY;
    return orr_eval(m->x) == ORR_OK;
}

static bool factorise(matrix *m)
{
    orr_scope *s = orr_scope_begin();
    orr_stats_reset();
    bool ok = orr_barrier() == ORR_OK;
    double from = seconds();
    ok = ok && orr_eval(orr_cholesky(m->x)) == ORR_OK && orr_barrier() == ORR_OK;
    double took = seconds() - from;
    if (took < m->t.all) {
        m->t.all = took;
        averages(m->t.task);
    }
    (void)orr_scope_end(s);
    return ok;
}

/* Factorises the matrices in turns, so that other load on the machine affects all alike. */
static bool factorise_all(matrix *m, int n, const int64_t grid[2])
{
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(2, grid);
    bool ok = g != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = make(&m[i], g);
    for (int k = 0; ok && k < ROUNDS * n; k++)
        ok = factorise(&m[k % n]);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    return ok;
}

static const double tasks_of[SCALE_KINDS] = { SIDE, SIDE *(SIDE - 1) / 2.0, SIDE *(SIDE - 1) / 2.0,
                                              SIDE *(SIDE - 1) * (SIDE - 2) / 6.0 };

static double all_tasks(void)
{
    return tasks_of[0] + tasks_of[1] + tasks_of[2] + tasks_of[3];
}

/* The seconds of all tasks, without their overhead. */
static double work(const tile_times *t)
{
    double sum = 0;
    for (int k = 0; k < SCALE_KINDS; k++)
        sum += tasks_of[k] * t->task[k];
    return sum;
}

/* -- bytes ---------------------------------------------------------------------------------------------------- */

/* The least seconds in which every rank receives an array of `bytes` bytes from each other rank. */
static double gather(double bytes)
{
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = orr_rand(ORR_F64, ORR_SHAPE(orr_ranks(), (int64_t)(bytes / 8)), 0, 1);
    x = g ? orr_shard(x, g, ORR_AXES(0)) : NULL;
    bool ok = x && orr_eval(x) == ORR_OK;
    double least = INFINITY;
    for (int k = 0; ok && k < 2 * ROUNDS; k++) {
        orr_scope *one = orr_scope_begin();
        ok = orr_barrier() == ORR_OK;
        double from = seconds();
        ok = ok && orr_eval(orr_replicate(x)) == ORR_OK && orr_barrier() == ORR_OK;
        least = fmin(least, seconds() - from);
        (void)orr_scope_end(one);
    }
    orr_grid_free(g);
    (void)orr_scope_end(s);
    return ok ? least : -1;
}

/* -- all ------------------------------------------------------------------------------------------------------ */

/* The number of messages of a factorisation of SIDE × SIDE tiles, by the model. */
static double messages(const int64_t grid[2])
{
    scale_machine m = { .nodes_ranks = 1, .workers = 1, .gflops = { 1, 1, 1, 1 } };
    scale_cholesky c = { .n = SIDE, .tile = 1, .element = 8, .p = (int)grid[0], .q = (int)grid[1], .window = -1 };
    scale_result r;
    return scale_cholesky_run(&m, &c, &r) ? r.messages : 0;
}

/* One rank factorises without tiles: every kind gets the speed of a smaller matrix. */
static bool measure_alone(scale_machine *m, int64_t tile)
{
    matrix x = { .tile = tile * 2 / 3 > 0 ? tile * 2 / 3 : 1 };
    if (!factorise_all(&x, 1, (int64_t[]){ 1, 1 }))
        return false;
    double n = SIDE * (double)x.tile;
    for (int k = 0; k < SCALE_KINDS; k++)
        m->gflops[k] = n * n * n / 3 / x.t.all * 1e-9;
    m->workers = 1;
    m->task_us = m->element_ns = 0;
    return true;
}

/* Work takes longer over ranks than on one: waiting threads (idle workers, and those of StarPU-MPI, which poll) take time from
 * working ones, and tasks that alternate on a core find less data in its caches. Smaller tiles show the factor. The time to copy
 * their messages is subtracted; gathers, whose messages are copied in the same way, measure it. */
bool scale_measure_ranks(scale_machine *m, int64_t tile, const int64_t grid[2], const char **why)
{
    static const double part[SCALE_KINDS] = { 1.0 / 3, 1, 1, 2 };
    double n = (double)tile, ranks = orr_ranks(), bytes = 8 * n * n, cores = fmin(ranks, m->cores);
    int64_t smaller = tile * 3 / 4;
    matrix x[] = { { .tile = tile }, { .tile = SMALL }, { .tile = smaller }, { .tile = smaller, .spread = true } };
    *why = NULL;
    if (orr_ranks() == 1)
        return measure_alone(m, tile);
    bool ok = factorise_all(x, sizeof x / sizeof *x, grid);
    double few = ok ? gather(bytes / 8) : -1, many = few > 0 ? gather(bytes) : -1;
    if (many < 0)
        return false;
    if (orr_rank() > 0)
        return true;
    const tile_times *large = &x[0].t, *small = &x[1].t, *alone = &x[2].t, *spread = &x[3].t;
    for (int k = 0; k < SCALE_KINDS; k++) {
        if (large->task[k] <= 0 || small->task[k] <= 0)
            *why = "no tasks of a factorisation over ranks were counted: they take StarPU-MPI";
        m->gflops[k] = part[k] * n * n * n / large->task[k] * 1e-9;
    }
    double beside[2] = { fmax(0, small->all - work(small)), fmax(0, large->all - work(large)) };
    double elements[2] = { SIDE * SIDE * (double)(SMALL * SMALL), SIDE * SIDE * n * n };
    double element = fmax(0, (beside[1] - beside[0]) / (elements[1] - elements[0]));
    m->element_ns = 1e9 * element;
    m->task_us = 1e6 * fmax(0, beside[0] - element * elements[0]) / all_tasks();
    double second = fmax(0, cores * (many - few) / (ranks * (ranks - 1)) / (2 * (bytes - bytes / 8)));
    double copied = 2 * messages(grid) * second * 8 * (double)(smaller * smaller);
    double longer = fmax(1, (cores * spread->all - copied) / alone->all);
    m->copy_gbytes = second > 0 ? 1e-9 / second : 0;
    m->poll = (1 - 1 / longer) * cores / ranks;
    m->message_us = m->latency_us = m->gbytes = m->device_gbytes = 0; /* a core copies messages */
    return !*why;
}
