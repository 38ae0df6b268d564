/* Measures the times of tasks and messages between the ranks at hand, by small runs with few kinds of work, and the program that is to be
 * compared. All take turns, so that other load on the machine affects all alike, and the least time of each counts.
 * Must not know: what is simulated with them. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include "tools/scale.h"

/* The library cuts a block into tiles of a twelfth of the order, with at least SMALL rows; that of a product into tiles of 512. */
enum { SIDE = 12, SIDE_OF_PRODUCT = 4, SMALL = 128, ROUNDS = 24, ENOUGH = 3 };
#define SECONDS 60 /* after ENOUGH rounds no other one begins later */

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- trials --------------------------------------------------------------------------------------------------- */

/* ONE: rank 0 alone, without tiles. HERE: rank 0 has all tiles, and no message is sent. SPREAD: tiles are block-cyclic over the ranks. GATHER:
 * every rank receives an array of n numbers from each other rank. */
typedef enum { ONE, HERE, SPREAD, GATHER } place;

/* The least seconds of a trial; of that run, the number of tasks on this rank, their seconds, and the average seconds by kind. */
typedef struct {
    place where;
    int64_t n, tile;
    orr_tensor *x;
    double least, tasks, work, task[SCALE_KINDS], load;
} trial;

static const char *const name_of[SCALE_GRAPHS][SCALE_KINDS] = {
    { "cholesky potrf, over ranks", "cholesky trsm, over ranks", "cholesky syrk, over ranks",
      "cholesky gemm, over ranks", "" },
    { "", "", "", "matmul, over ranks", "" },
    { "", "lu top, over ranks", "", "lu update, over ranks", "lu panel, over ranks" },
};

static void count_tasks(scale_which which, trial *t)
{
    static const char mark[] = ", over ranks";
    orr_stat row[256];
    int n = orr_stats(row, 256);
    double time[SCALE_KINDS + 1] = { 0 }, tasks[SCALE_KINDS + 1] = { 0 };
    t->tasks = t->work = 0;
    for (int i = 0; i < n && i < 256; i++) {
        size_t length = strlen(row[i].kind);
        if (length < sizeof mark || strcmp(row[i].kind + length - (sizeof mark - 1), mark) != 0)
            continue;
        t->tasks += (double)row[i].tasks;
        t->work += row[i].seconds;
        for (int k = 0; k <= SCALE_KINDS; k++)
            if (strcmp(row[i].kind, k < SCALE_KINDS ? name_of[which][k] : "load, over ranks") == 0) {
                time[k] += row[i].seconds;
                tasks[k] += (double)row[i].tasks;
            }
    }
    for (int k = 0; k < SCALE_KINDS; k++)
        t->task[k] = tasks[k] > 0 ? time[k] / tasks[k] : 0;
    t->load = tasks[SCALE_KINDS] > 0 ? time[SCALE_KINDS] / tasks[SCALE_KINDS] : 0;
}

static bool make(trial *t, orr_grid *g)
{
    orr_tensor *x;
    if (t->where == GATHER) {
        t->x = orr_shard(orr_rand(ORR_F64, ORR_SHAPE(orr_ranks(), t->n), 0, 1), g, ORR_AXES(0));
        return orr_eval(t->x) == ORR_OK;
    }
    int64_t block = t->where == SPREAD ? t->tile : t->n;
    x = orr_rand_keyed(ORR_F64, ORR_SHAPE(t->n, t->n), -0.5, 0.5, 1);
    x = orr_add(orr_add(x, orr_transpose(x)), orr_mul(orr_scalar((double)t->n), orr_eye(ORR_F64, t->n, t->n, 0)));
    t->x = t->where == ONE ? x : orr_shard_cyclic(x, g, ORR_AXES(0, 1), ORR_INDEX(block, block));
    return (t->where == ONE && orr_rank() > 0) || orr_eval(t->x) == ORR_OK;
}

static bool compute(scale_which which, const trial *t)
{
    if (t->where == GATHER)
        return orr_eval(orr_replicate(t->x)) == ORR_OK;
    if (which == SCALE_CHOLESKY)
        return orr_eval(orr_cholesky(t->x)) == ORR_OK;
    if (which == SCALE_PRODUCT)
        return orr_eval(orr_matmul(t->x, t->x)) == ORR_OK;
    orr_slogdet_result det = orr_slogdet(t->x);
    return orr_eval_all(ORR_TENSORS(det.sign, det.logabsdet)) == ORR_OK;
}

/* From the common start of all ranks until the end of the last one. */
static bool run(scale_which which, trial *t)
{
    orr_scope *s = orr_scope_begin();
    orr_stats_reset();
    bool ok = orr_barrier() == ORR_OK;
    double from = seconds();
    ok = ok && ((t->where == ONE && orr_rank() > 0) || compute(which, t)) && orr_barrier() == ORR_OK;
    double took = seconds() - from;
    if (took < t->least) {
        t->least = took;
        count_tasks(which, t);
    }
    (void)orr_scope_end(s);
    return ok;
}

/* True on all ranks if a rank has so many seconds. *ok: false after an error. */
static bool any_has(double now, double limit, orr_grid *line, bool *ok)
{
    double late = 0, *each = calloc((size_t)orr_ranks(), sizeof *each);
    for (int i = 0; each && i < orr_ranks(); i++)
        each[i] = now >= limit;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = each ? orr_from(ORR_F64, ORR_SHAPE(orr_ranks()), each) : NULL;
    *ok = x && orr_item(orr_max(orr_shard(x, line, ORR_AXES(0)), ORR_ALL_AXES, false), &late) == ORR_OK;
    (void)orr_scope_end(s);
    free(each);
    return late > 0;
}

/* The first round warms up and is dropped. */
static bool run_all(scale_which which, trial *t, int n, const int64_t grid[2])
{
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(2, grid), *line = orr_grid_make(1, ((int64_t[]){ -1 }));
    bool ok = g && line;
    for (int i = 0; ok && i < n; i++)
        ok = make(&t[i], t[i].where == GATHER ? line : g);
    double from = seconds();
    bool late = false;
    for (int k = 0; ok && !late && k < ROUNDS + 1; k++) {
        for (int i = 0; ok && i < n; i++) {
            t[i].least = k < 2 ? INFINITY : t[i].least;
            ok = run(which, &t[i]);
        }
        late = ok && k >= ENOUGH && any_has(seconds() - from, SECONDS, line, &ok);
    }
    orr_grid_free(g);
    orr_grid_free(line);
    (void)orr_scope_end(s);
    return ok;
}

/* -- all ------------------------------------------------------------------------------------------------------ */

/* The plan's messages in bytes, and its operations, for n × n numbers. */
static scale_result planned(scale_which which, int64_t n, int64_t tile, const int64_t grid[2])
{
    scale_machine m = { .nodes_ranks = 1, .workers = 1, .gflops = { 1, 1, 1, 1, 1 } };
    scale_graph g = {
        .which = which, .n = n, .tile = tile, .element = 8, .p = (int)grid[0], .q = (int)grid[1], .window = -1
    };
    scale_result r = { 0 };
    (void)scale_graph_run(&m, &g, &r);
    return r;
}

/* One rank computes without tiles: every kind gets the speed of a smaller matrix. */
static void take_one(scale_machine *m, double flops, const trial *t)
{
    for (int k = 0; k < SCALE_KINDS; k++)
        m->gflops[k] = flops / t->least * 1e-9;
    m->workers = 1;
    m->task_us = m->element_ns = 0;
}

/* The average operations of a task. A panel has the rows from its diagonal down, 1.5 · rows / tile − 0.5 times the work of one tile. */
static double flops_of(scale_kind kind, int64_t tile, int side)
{
    static const double part[SCALE_KINDS] = { 1.0 / 3, 1, 1, 2, 2.0 / 3 };
    double n = (double)tile, of = part[kind] * n * n * n;
    return kind == SCALE_PANEL ? of * (0.75 * (side + 1) - 0.5) : of;
}

bool scale_measure_ranks(scale_machine *m, const scale_graph *g, scale_checked *c, const char **why)
{
    enum { ALONE, ALL, LARGE, SMALLER, SPREADS, FEW, MANY, LITTLE, TRIALS };
    scale_which which = g->which;
    int side = which == SCALE_PRODUCT ? SIDE_OF_PRODUCT : SIDE;
    int64_t tile = g->tile, smaller = tile * 3 / 4 > 0 ? tile * 3 / 4 : 1, numbers = tile * tile;
    const int64_t grid[2] = { g->p, g->q };
    bool one = orr_ranks() == 1;
    trial t[TRIALS] = {
        [ALONE] = { .where = ONE, .n = g->n, .tile = tile },
        [ALL] = { .where = SPREAD, .n = g->n, .tile = tile },
        [LARGE] = { .where = one ? ONE : HERE,
                    .n = one ? side * (tile * 2 / 3 > 0 ? tile * 2 / 3 : 1) : side * tile,
                    .tile = tile },
        [SMALLER] = { .where = HERE, .n = side * smaller, .tile = smaller },
        [SPREADS] = { .where = SPREAD, .n = side * smaller, .tile = smaller },
        [FEW] = { .where = GATHER, .n = numbers / 8 },
        [MANY] = { .where = GATHER, .n = numbers },
        [LITTLE] = { .where = HERE, .n = SIDE * SMALL, .tile = SMALL },
    };
    *why = NULL;
    if (!run_all(which, t, one ? SMALLER : which == SCALE_CHOLESKY ? TRIALS : LITTLE, grid))
        return false;
    *c = (scale_checked){ .alone = t[ALONE].least, .together = t[ALL].least };
    if (one) {
        take_one(m, planned(which, t[LARGE].n, t[LARGE].n, grid).flops, &t[LARGE]);
        return true;
    }
    if (orr_rank() > 0)
        return true;
    double ranks = orr_ranks(), cores = fmin(ranks, m->cores), bytes = 8 * (double)numbers;
    const trial *large = &t[LARGE], *little = &t[LITTLE];
    for (int k = 0; k < SCALE_KINDS; k++) {
        if (!*name_of[which][k])
            continue;
        if (t[which == SCALE_PRODUCT ? ALL : LARGE].task[k] <= 0)
            *why = "no tasks over ranks were counted: they take StarPU-MPI";
        /* A product of matrices on one rank is no graph over ranks: all of its time is that of its tasks. */
        m->gflops[k] = which == SCALE_PRODUCT ? planned(which, large->n, large->n, grid).flops / large->least * 1e-9
                                              : flops_of((scale_kind)k, large->tile, side) / large->task[k] * 1e-9;
    }
    /* The time beside the tasks: an overhead of each, and in a Cholesky factorisation a copy of each element, which the other plans do by tasks. */
    double beside[2] = { fmax(0, little->least - little->work),
                         which == SCALE_PRODUCT ? 0 : fmax(0, large->least - large->work) };
    double elements[2] = { (double)(little->n * little->n), (double)(large->n * large->n) };
    bool two = which == SCALE_CHOLESKY && elements[1] > elements[0];
    double element = two ? fmax(0, (beside[1] - beside[0]) / (elements[1] - elements[0])) : 0;
    double tasks = two ? little->tasks : large->tasks;
    m->task_us = 1e6 * fmax(0, beside[!two] - element * elements[0]) / fmax(1, tasks);
    m->element_ns = which == SCALE_LU ? 1e9 * large->load / (double)numbers : 1e9 * element;
    /* Work takes longer over ranks than on one: waiting threads (idle workers, and those of StarPU-MPI, which poll) take time from working ones,
     * and tasks that alternate on a core find less data in its caches. Smaller tiles show the factor. The time to copy their messages is
     * subtracted; gathers, whose messages are copied in the same way, measure it. */
    double second = fmax(0, cores * (t[MANY].least - t[FEW].least) / (ranks * (ranks - 1)) / (2 * (bytes - bytes / 8)));
    double copied = 2 * second * planned(which, t[SPREADS].n, smaller, grid).bytes;
    double longer = fmax(1, (cores * t[SPREADS].least - copied) / t[SMALLER].least);
    m->copy_gbytes = second > 0 ? 1e-9 / second : 0;
    m->poll = (1 - 1 / longer) * cores / ranks;
    m->message_us = m->latency_us = m->gbytes = m->device_gbytes = 0; /* a core copies messages */
    return !*why;
}
