/* Cancelled evaluations over ranks: one rank stops, all have the same status, and the next evaluation is right.
 * Must not know: how the ranks agree. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/harness/cancel_help.h"
#include "tests/harness/ranks.h"

enum { N = 96, LINKS = 8, FEW = 12, MANY = 334 };
#define WORKERS "1" /* there are more ranks than cores */

/* Each link moves the columns by one, and adds one by a maximum over all ranks. */
static orr_tensor *ramp(orr_grid *g)
{
    return orr_shard(cancel_ramp(N), g, ORR_AXES(0));
}

/* x is the ramp after so many links. */
static orr_tensor *chain(orr_tensor *x, orr_tensor *p, int links)
{
    for (int k = links; k < links + LINKS; k++) {
        orr_tensor *one = orr_sub(orr_max(x, ORR_ALL_AXES, false), orr_scalar(N * N - 2 + k));
        x = orr_add(orr_matmul(x, p), one);
    }
    return x;
}

/* -- ways to cancel ---------------------------------------------------------------------------------------------------- */

/* Each way evaluates t on all ranks, and cancels that after so many seconds. */
static orr_status by_limit_of_all(orr_tensor *t, double seconds, int one)
{
    (void)one;
    return orr_eval_for(t, seconds);
}

static orr_status by_limit_of_one(orr_tensor *t, double seconds, int one)
{
    return orr_rank() == one ? orr_eval_for(t, seconds) : orr_eval(t);
}

static orr_status by_thread_of_one(orr_tensor *t, double seconds, int one)
{
    return orr_rank() == one ? cancel_by_thread(t, seconds) : orr_eval(t);
}

typedef orr_status way(orr_tensor *t, double seconds, int one);
static way *const ways[] = { by_limit_of_all, by_limit_of_one, by_thread_of_one };
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct {
    orr_grid *grid;
    orr_tensor *p, *v;
    int links; /* that v has behind it */
    unsigned long long seed;
    double whole; /* seconds of the fastest evaluation so far */
} work;

static double whole_time(const work *w)
{
    double best = 1;
    for (int i = 0; i < 3; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = chain(ramp(w->grid), w->p, 0);
        double t0 = cancel_now();
        ORR_CHECK_MSG(orr_eval(t) == ORR_OK, "%s", orr_error_message());
        double took = cancel_now() - t0;
        best = took < best ? took : best;
        ORR_CHECK(cancel_is_after(t, N, LINKS));
        orr_scope_end(s);
    }
    return best;
}

/* One chain of tensors, or of the variable. If a rank had another status, it would evaluate less or more than the others next. */
static bool waited(work *w, int i)
{
    bool assigns = i / WAYS % 2;
    orr_tensor *t = assigns ? w->v : chain(ramp(w->grid), w->p, 0);
    if (assigns)
        ORR_CHECK(orr_assign(w->v, chain(w->v, w->p, w->links)) == ORR_OK);
    double after = cancel_moment(&w->seed, w->whole), t0 = cancel_now();
    orr_status st = ways[i % WAYS](t, after, i % orr_ranks());
    bool cancelled = st == ORR_ECANCELLED;
    w->whole = cancelled ? w->whole : fmin(w->whole, cancel_now() - t0);
    ORR_CHECK_MSG(st == ORR_OK || cancelled, "%s", orr_error_message());
    w->links += assigns ? LINKS : 0;
    ORR_CHECK(cancel_is_after(t, N, assigns ? w->links : LINKS));
    return cancelled;
}

static bool as_event(work *w, int i)
{
    orr_tensor *t = chain(ramp(w->grid), w->p, 0);
    canceller c = { NULL, cancel_moment(&w->seed, w->whole), ORR_OK };
    ORR_CHECK_MSG(orr_eval_async(ORR_TENSORS(t), &c.event) == ORR_OK, "%s", orr_error_message());
    if (orr_rank() == i % orr_ranks())
        (void)cancel_later(&c);
    orr_status st = orr_wait(c.event);
    bool cancelled = st == ORR_ECANCELLED;
    ORR_CHECK_MSG(c.said == ORR_OK && (st == ORR_OK || cancelled), "%s", orr_error_message());
    if (cancelled)
        ORR_CHECK(orr_eval(t) == ORR_ECANCELLED);
    else
        ORR_CHECK(cancel_is_after(t, N, LINKS));
    ORR_CHECK(cancel_is_after(chain(ramp(w->grid), w->p, 0), N, LINKS));
    return cancelled;
}

static void random_moments(const cancel_lane *l, unsigned long long seed)
{
    if (!cancel_up(l, WORKERS))
        return;
    int trials = getenv("ORR_TEST_FULL") ? MANY : FEW, cancelled = 0;
    orr_scope *s = orr_scope_begin();
    work w = { .grid = orr_grid_make(1, ((int64_t[]){ -1 })), .p = cancel_shift(N), .seed = seed };
    w.v = orr_variable(ramp(w.grid));
    w.whole = whole_time(&w);
    size_t live = 0;
    for (int i = 0; i < trials; i++) {
        orr_scope *inner = orr_scope_begin();
        cancelled += i % 4 == 3 ? as_event(&w, i) : waited(&w, i);
        orr_scope_end(inner);
        if (i == trials / 2)
            live = orr_memory_stats().live;
    }
    ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
    ORR_CHECK_MSG(orr_memory_stats().live <= live, "%zu bytes live, %zu before", orr_memory_stats().live, live);
    ORR_CHECK_MSG(trials < MANY || cancelled > trials / 50, "%d of %d", cancelled, trials);
    orr_scope_end(s);
    orr_grid_free(w.grid);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void cancelled_at_random_moments_all_ranks_agree_and_the_next_evaluation_is_right(void)
{
    for (int i = 0; i < CANCEL_LANES; i++)
        random_moments(&cancel_lanes[i], 42 + (unsigned long long)i);
}

/* A limit of nothing on one rank, in each lane: the others have its name. */
static void the_rank_that_ends_an_evaluation_is_named(void)
{
    for (int i = 0; i < CANCEL_LANES; i++) {
        if (!cancel_up(&cancel_lanes[i], WORKERS))
            continue;
        orr_scope *s = orr_scope_begin();
        work w = { .grid = orr_grid_make(1, ((int64_t[]){ -1 })), .p = cancel_shift(N) };
        orr_tensor *t = chain(ramp(w.grid), w.p, 0);
        ORR_CHECK(by_limit_of_one(t, 0, 1) == ORR_ECANCELLED);
        const char *named = orr_rank() == 1 ? "limit of 0 s" : "rank 1 ";
        ORR_CHECK_MSG(strstr(orr_error_message(), named) != NULL, "%s", orr_error_message());
        ORR_CHECK(cancel_is_after(t, N, LINKS));
        orr_scope_end(s);
        orr_grid_free(w.grid);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

static int sleeps(const orr_kernel_args *a)
{
    (void)usleep(20000);
    memcpy(a->out, a->in[0].data, sizeof(double));
    return 0;
}

/* 500 calls of 20 ms each, on ranks without a limit: the rank with one tells them. */
static void ranks_without_a_limit_end_soon(void)
{
    static const orr_kernel_def def = { .name = "sleeps", .n_inputs = 1, .cpu = sleeps };
    for (int i = 0; i < CANCEL_LANES; i++) {
        if (!cancel_up(&cancel_lanes[i], WORKERS))
            continue;
        orr_scope *s = orr_scope_begin();
        orr_grid *grid = orr_grid_make(1, ((int64_t[]){ -1 }));
        const orr_op *op = orr_define_kernel(&def);
        orr_tensor *x = orr_zeros(ORR_F64, ORR_SHAPE(1));
        for (int k = 0; k < 500; k++)
            x = orr_apply(op, ORR_TENSORS(x));
        orr_tensor *all =
            orr_sum(orr_shard(orr_add(x, orr_zeros(ORR_F64, ORR_SHAPE(64))), grid, ORR_AXES(0)), ORR_ALL_AXES, false);
        double from = cancel_now();
        ORR_CHECK(by_limit_of_one(all, 0.05, 0) == ORR_ECANCELLED);
        ORR_CHECK_MSG(cancel_now() - from < 5, "%g s", cancel_now() - from);
        orr_scope_end(s);
        orr_grid_free(grid);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

/* Assignments that a limit of one rank leaves pending are computed by an event of all, also beside another event, which the ranks see end at
 * different times. */
static void what_a_limit_of_one_rank_leaves_pending_an_event_computes(void)
{
    static const orr_kernel_def def = { .name = "sleeps", .n_inputs = 1, .cpu = sleeps };
    for (int i = 0; i < CANCEL_LANES; i++) {
        if (!cancel_up(&cancel_lanes[i], WORKERS))
            continue;
        orr_scope *all = orr_scope_begin();
        orr_grid *grid = orr_grid_make(1, ((int64_t[]){ -1 }));
        orr_tensor *p = cancel_shift(N), *v = orr_variable(ramp(grid)), *w = orr_variable(ramp(grid));
        ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
        for (int k = 0, links = 0; k < 4; k++) {
            orr_scope *s = orr_scope_begin();
            orr_event *before = NULL, *e = NULL;
            orr_tensor *own = orr_apply(orr_define_kernel(&def), ORR_TENSORS(orr_zeros(ORR_F64, ORR_SHAPE(1))));
            if (k % 2 && orr_rank() == 0) { /* of this rank alone */
                orr_tensor *mine = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(1)));
                ORR_CHECK(orr_eval(mine) == ORR_OK && orr_assign(mine, own) == ORR_OK);
                ORR_CHECK(orr_eval_async(ORR_TENSORS(own), &before) == ORR_OK);
            }
            ORR_CHECK(orr_assign(v, chain(v, p, links)) == ORR_OK &&
                      orr_assign(w, orr_add(v, orr_scalar(0))) == ORR_OK);
            ORR_CHECK(by_limit_of_one(v, 0, 1) == ORR_ECANCELLED);
            ORR_CHECK_MSG(orr_eval_async(NULL, 0, &e) == ORR_OK && orr_wait(e) == ORR_OK, "%s", orr_error_message());
            ORR_CHECK(!before || orr_wait(before) == ORR_OK);
            links += LINKS;
            ORR_CHECK(cancel_is_after(v, N, links) && cancel_is_after(w, N, links));
            (void)orr_scope_end(s);
        }
        orr_grid_free(grid);
        (void)orr_scope_end(all);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(
                                          cancelled_at_random_moments_all_ranks_agree_and_the_next_evaluation_is_right),
                                      ORR_TEST(the_rank_that_ends_an_evaluation_is_named),
                                      ORR_TEST(ranks_without_a_limit_end_soon),
                                      ORR_TEST(what_a_limit_of_one_rank_leaves_pending_an_event_computes),
                                      { 0 } };
    return orr_test_ranks_main(argc, argv, "cancel", tests, (const int[]){ 2, 3, 0 });
}
