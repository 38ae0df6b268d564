/* Engines run hand-made plans: tiles, partial results, slots, many inputs, errors, restart.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include <unistd.h>
#include "tests/harness/engine_plans.h"

#ifdef HAVE_STARPU
enum { ENGINES = 2 };
#else
enum { ENGINES = 1 };
#endif
static const char *const engines[] = { "serial", "starpu" };
#define EACH_ENGINE                                                                                                    \
    for (int e = 0; e < ENGINES; e++)                                                                                  \
        if (engine_up(engines[e]) != ORR_OK)                                                                           \
            ORR_CHECK_MSG(false, "%s", orr_error_message());                                                           \
        else

/* y = x + 1 in four tiles, z = y + x + 2 in three, their sum in five partial sums and one. */
static void chain(int64_t n)
{
    hand *h = hand_new();
    int x = hand_leaf(h, n), y = hand_step(h, n, 4, false, 1, &x), z, p, s;
    double want = 0;
    orr__buffer *leaf = ramp(n, 5), *out[2];

    h->kernel[0].add = 1;
    z = hand_step(h, n, 3, false, 2, (int[]){ y, x });
    h->kernel[1].add = 2;
    p = hand_step(h, n, 5, true, 1, &z);
    s = hand_step(h, 5, 1, true, 1, &p);
    hand_output(h, z);
    hand_output(h, s);
    for (int64_t i = 0; i < n; i++)
        want += 2 * (5 + (double)i) + 3;
    for (int k = 0; k < 3; k++) {
        ORR_REQUIRE(hand_run(h, &leaf, 0, out) == ORR_OK);
        ORR_CHECK(is_ramp(out[0], n, 13, 2));
        ORR_CHECK(is_ramp(out[1], 1, want, 0));
        orr__buffer_unref(out[0]);
        orr__buffer_unref(out[1]);
    }
    orr__buffer_unref(leaf);
    free(h);
}

static void tiles_and_partial_sums_give_the_same_on_both_engines(void)
{
    EACH_ENGINE
    {
        chain(1000);
        chain(60);
        orr__engine_stop();
    }
}

static void a_leaf_that_is_an_output_is_the_same_buffer(void)
{
    EACH_ENGINE
    {
        hand *h = hand_new();
        int x = hand_leaf(h, 10), y = hand_step(h, 10, 1, false, 1, &x);
        orr__buffer *leaf = ramp(10, 0), *out[3];

        hand_output(h, y);
        h->outs[h->plan.nout++] = x;
        h->outs[h->plan.nout++] = y;
        ORR_CHECK(hand_run(h, &leaf, 3, out) == ORR_OK);
        ORR_CHECK(out[1] == leaf && out[0] == out[2] && is_ramp(out[0], 10, 3, 1));
        for (int i = 0; i < 3; i++)
            orr__buffer_unref(out[i]);
        orr__buffer_unref(leaf);
        orr__engine_stop();
        free(h);
    }
}

/* y = x + 1, for which the caller waits, and z = x + 1, which takes longer. */
static hand *early_and_late(double seconds)
{
    hand *h = hand_new();
    int x = hand_leaf(h, 10), y = hand_step(h, 10, 1, false, 1, &x), z = hand_step(h, 10, 1, false, 1, &x);

    hand_output(h, y);
    hand_output(h, z);
    h->kernel[0].add = h->kernel[1].add = 1;
    h->kernel[1].seconds = seconds;
    h->value[y].awaited = h->step[0].waited = true;
    h->plan.waited_tasks = 1;
    return h;
}

static void awaited_outputs_exist_before_the_others(void)
{
    NEED_STARPU;
    hand *h = early_and_late(0.4);
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    orr__buffer *leaf = ramp(10, 0), *theirs = orr__buffer_wrap(leaf->host, 80, NULL, NULL), *out[2];
    orr__scalar s = { .f = 0 };

    for (int k = 0; k < 3; k++) { /* large runs do not overlap; the user's own memory is read before the call returns */
        orr__run *run = NULL;
        double t0 = orr__now();
        h->plan.memory.all = k == 1 ? (size_t)1 << 30 : 160;
        ORR_REQUIRE(orr__engine_execute(HERE, &h->plan, k == 2 ? &theirs : &leaf, &s, out, &run) == ORR_OK);
        ORR_CHECK(orr__run_wait(run) == ORR_OK && is_ramp(out[0], 10, 1, 1));
        bool all = orr__run_done(out[1]->run);
        ORR_CHECK(k ? all : !all || orr__now() - t0 > 0.4);
        ORR_CHECK(is_ramp(out[1], 10, 1, 1) && orr__now() - t0 > 0.4);
        orr__run_unref(run);
        orr__buffer_unref(out[0]);
        orr__buffer_unref(out[1]);
    }
    orr__buffer_unref(theirs);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(h);
}

static void a_late_failure_is_told_to_who_reads_it(void)
{
    NEED_STARPU;
    for (int bad = 0; bad < 2; bad++) {
        hand *h = early_and_late(0.3);
        ORR_REQUIRE(engine_up("starpu") == ORR_OK);
        orr__buffer *leaf = ramp(10, 0), *out[2], *more[2];
        orr__run *run = NULL;
        orr__scalar s = { .f = 0 };

        h->kernel[bad].fail_row = 3;
        ORR_REQUIRE(orr__engine_execute(HERE, &h->plan, &leaf, &s, out, &run) == ORR_OK);
        ORR_CHECK(orr__run_wait(run) == (bad ? ORR_OK : ORR_EINDEX));
        ORR_CHECK(orr__buffer_sync(out[0]) == (bad ? ORR_OK : ORR_EINDEX));
        ORR_CHECK(orr__buffer_sync(out[1]) == ORR_EINDEX && strstr(orr_error_message(), "row 3 is bad") != NULL);
        h->kernel[bad].fail_row = -1;
        ORR_CHECK(hand_run(h, &out[1], 0, more) == ORR_EINDEX); /* values computed from it fail, too */
        ORR_REQUIRE(hand_run(h, &leaf, 0, more) == ORR_OK);
        ORR_CHECK(is_ramp(more[0], 10, 1, 1) && is_ramp(more[1], 10, 1, 1));
        orr__run_unref(run);
        for (int k = 0; k < 2; k++) {
            orr__buffer_unref(out[k]);
            orr__buffer_unref(more[k]);
        }
        orr__buffer_unref(leaf);
        orr__engine_stop();
        free(h);
    }
}

static void more_buffers_than_a_starpu_task_holds_inline(void)
{
    EACH_ENGINE
    {
        enum { N = 40 };
        hand *h = hand_new();
        int in[N + 1];
        orr__buffer *leaf[N], *out;

        for (int i = 0; i < N; i++) {
            in[i] = hand_leaf(h, 64);
            leaf[i] = ramp(64, i);
        }
        in[N] = hand_step(h, 64, 16, false, 1, in); /* sixteen tiles, all read by the only task of the next step */
        hand_output(h, hand_step(h, 64, 1, false, N + 1, in));
        for (int k = 0; k < 3; k++) {
            ORR_REQUIRE(hand_run(h, leaf, 0, &out) == ORR_OK);
            ORR_CHECK(is_ramp(out, 64, N * (N - 1) / 2, N + 1));
            orr__buffer_unref(out);
        }
        for (int i = 0; i < N; i++)
            orr__buffer_unref(leaf[i]);
        orr__engine_stop();
        free(h);
    }
}

static void tiles_may_overlap_the_inputs_tiles(void)
{
    EACH_ENGINE
    {
        hand *h = hand_new();
        int x = hand_leaf(h, 103), y = hand_step(h, 103, 10, false, 1, &x), z = hand_step(h, 100, 7, false, 1, &y);
        orr__buffer *leaf = ramp(103, 0), *out;

        h->access[1][0].offset = 3;
        hand_output(h, z);
        ORR_REQUIRE(hand_run(h, &leaf, 0, &out) == ORR_OK);
        ORR_CHECK(is_ramp(out, 100, 3, 1));
        orr__buffer_unref(out);
        orr__buffer_unref(leaf);
        orr__engine_stop();
        free(h);
    }
}

/* Six steps, two slots: an early overwrite would show. The tilings differ, so handles differ. */
static void slots_are_reused_in_order(void)
{
    EACH_ENGINE
    {
        hand *h = hand_new();
        int64_t n = 960;
        int x = hand_leaf(h, n), v = x;
        orr__buffer *leaf = ramp(n, 0), *out;

        for (int i = 0; i < 12; i++) {
            v = hand_step(h, n, i < 6 ? 4 : 3, false, 1, &v);
            h->value[v].slot = i % 2;
            h->kernel[i].add = 1;
            h->kernel[i].seconds = i % 3 == 0 ? 2e-4 : 0;
        }
        hand_output(h, v);
        for (int k = 0; k < 5; k++) {
            ORR_REQUIRE(hand_run(h, &leaf, 0, &out) == ORR_OK);
            ORR_CHECK(is_ramp(out, n, 12, 1));
            orr__buffer_unref(out);
        }
        orr__buffer_unref(leaf);
        orr__engine_stop();
        free(h);
    }
}

static void empty_values_run(void)
{
    EACH_ENGINE
    {
        hand *h = hand_new();
        int x = hand_leaf(h, 0), y = hand_step(h, 0, 1, false, 1, &x), s = hand_step(h, 0, 1, true, 1, &y);
        orr__buffer *leaf = orr__buffer_new(0), *out[2];

        hand_output(h, y);
        hand_output(h, s);
        ORR_REQUIRE(hand_run(h, &leaf, 0, out) == ORR_OK);
        ORR_CHECK(out[0]->bytes == 0 && is_ramp(out[1], 1, 0, 0));
        orr__buffer_unref(out[0]);
        orr__buffer_unref(out[1]);
        orr__buffer_unref(leaf);
        orr__engine_stop();
        free(h);
    }
}

static void a_failing_kernel_fails_the_run_and_what_depends_on_it(void)
{
    EACH_ENGINE
    {
        hand *bad = hand_new(), *next = hand_new();
        int x = hand_leaf(bad, 100), y = hand_step(bad, 100, 5, false, 1, &x);
        orr__buffer *leaf = ramp(100, 0), *out = NULL, *out2 = NULL;
        orr__run *run = NULL, *run2 = NULL;
        orr__scalar s = { .f = 0 };
        orr_status st;

        hand_output(bad, hand_step(bad, 100, 5, false, 1, &y));
        bad->kernel[0].fail_row = 50;
        bad->kernel[0].seconds = 1e-3;
        x = hand_leaf(next, 100);
        hand_output(next, hand_step(next, 100, 3, false, 1, &x));
        st = orr__engine_execute(HERE, &bad->plan, &leaf, &s, &out, &run);
        if (st == ORR_OK) {
            st = orr__engine_execute(HERE, &next->plan, &out, &s, &out2, &run2);
            if (st == ORR_OK) {
                ORR_CHECK(orr__run_wait(run2) == ORR_EINDEX);
                ORR_CHECK(strcmp(orr_error_message(), "user.c:7: fake: row 50 is bad") == 0);
                orr__buffer_unref(out2);
            } else {
                ORR_CHECK(st == ORR_EINDEX);
            }
            orr__run_unref(run2);
            st = orr__run_wait(run);
            ORR_CHECK(orr__buffer_sync(out) == ORR_EINDEX);
            ORR_CHECK(orr__engine_execute(HERE, &next->plan, &out, &s, &out2, &run2) == ORR_EINDEX);
            orr__buffer_unref(out);
        }
        ORR_CHECK(st == ORR_EINDEX);
        ORR_CHECK(strcmp(orr_error_message(), "user.c:7: fake: row 50 is bad") == 0);
        orr__run_unref(run);
        bad->kernel[0].fail_row = -1;
        ORR_CHECK(hand_run(bad, &leaf, 0, &out) == ORR_OK && is_ramp(out, 100, 0, 1));
        orr__buffer_unref(out);
        orr__buffer_unref(leaf);
        orr__engine_stop();
        free(bad);
        free(next);
    }
}

static void engines_start_again_after_stop(void)
{
    for (int k = 0; k < 3; k++)
        tiles_and_partial_sums_give_the_same_on_both_engines();
}

/* True if the plan runs on the calling thread alone. */
static bool runs_inline(hand *h, orr__buffer *leaf)
{
    orr_stat row[8];
    orr__buffer *out[2];
    orr__scalar s = { .f = 0 };
    bool alone = true;
    orr__engine_stats_reset();
    ORR_CHECK(orr__engine_execute(HERE, &h->plan, &leaf, &s, out, NULL) == ORR_OK);
    int n = orr__engine_stats(row, 8);
    for (int i = 0; i < n && i < 8; i++)
        alone = alone && strcmp(row[i].worker, "inline") == 0;
    orr__buffer_unref(out[0]);
    return alone;
}

/* Waking takes longer than the work; a series of calls is worth it. The machine may be busy, so there are many tries. */
static void short_work_does_not_wake_workers(void)
{
    enum { TRIES = 400, ROW = 200000 };
    NEED_STARPU;
    (void)setenv("ORRERY_MACHINE", "fixed", 1);
    (void)unsetenv("ORRERY_INLINE_US");
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    hand *h = hand_new();
    int x = hand_leaf(h, 1000), y = hand_step(h, 1000, 2, false, 1, &x);
    hand_output(h, hand_step(h, 1000, 2, false, 1, &y));
    h->plan.us = h->plan.lanes.alone = h->plan.lanes.together = 350;
    h->plan.lanes.tasks = 200;
    h->plan.ntasks = 4;
    orr__buffer *leaf = ramp(1000, 0);
    bool inline_once = false, tasks_once = false;
    for (int k = 0; k < TRIES && !inline_once; k++) {
        usleep(10000);
        inline_once = runs_inline(h, leaf);
    }
    ORR_CHECK(inline_once);
    for (int k = 0; k < ROW && !tasks_once; k++)
        tasks_once = !runs_inline(h, leaf);
    ORR_CHECK(tasks_once);
    h->plan.lanes.tasks = 400; /* tasks take longer, however close the calls are */
    tasks_once = false;
    for (int k = 0; k < 1000 && !tasks_once; k++)
        tasks_once = !runs_inline(h, leaf);
    ORR_CHECK(!tasks_once);
    h->plan.lanes.tasks = 200;
    h->plan.us = 1e6; /* long work wakes them */
    usleep(10000);
    ORR_CHECK(!runs_inline(h, leaf));
    orr__buffer_unref(leaf);
    orr__engine_stop();
    (void)unsetenv("ORRERY_MACHINE");
    free(h);
}

static void idle_workers_sleep_and_wake(void)
{
    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    for (int k = 0; k < 4; k++) {
        usleep(10000);
        chain(500);
    }
    usleep(10000);
    orr__engine_stop();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(tiles_and_partial_sums_give_the_same_on_both_engines),
        ORR_TEST(a_leaf_that_is_an_output_is_the_same_buffer),
        ORR_TEST(awaited_outputs_exist_before_the_others),
        ORR_TEST(a_late_failure_is_told_to_who_reads_it),
        ORR_TEST(more_buffers_than_a_starpu_task_holds_inline),
        ORR_TEST(tiles_may_overlap_the_inputs_tiles),
        ORR_TEST(slots_are_reused_in_order),
        ORR_TEST(empty_values_run),
        ORR_TEST(a_failing_kernel_fails_the_run_and_what_depends_on_it),
        ORR_TEST(engines_start_again_after_stop),
        ORR_TEST(idle_workers_sleep_and_wake),
        ORR_TEST(short_work_does_not_wake_workers),
        { 0 },
    };
    int failed = orr_test_main(argc, argv, "engine.run", tests);

    orr__pool_trim();
    return failed;
}
