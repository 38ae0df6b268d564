/* The placement and order of hand-made plans: the calling thread or a worker; the engine's statistics on that.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include "tests/harness/engine_plans.h"

/* y = x + 1 over 100 rows. */
static hand *one_step(int ntiles)
{
    hand *h = hand_new();
    int x = hand_leaf(h, 100);

    hand_output(h, hand_step(h, 100, ntiles, false, 1, &x));
    return h;
}

/* While one worker is busy, other tasks are submitted; the one on the longest path is submitted last, and runs
 * first. */
static void tasks_on_the_longest_path_go_first(void)
{
    enum { N = 6 };
    static const double way_us[N] = { 100, 10, 10, 10, 80, 10 };
    hand *h = hand_new();
    int x = hand_leaf(h, 100);
    orr__buffer *leaf = ramp(100, 0), *out[N];

    for (int i = 0; i < N; i++) {
        hand_output(h, hand_step(h, 100, 1, false, 1, &x));
        h->step[i].urgency.from_start = way_us[i];
    }
    h->plan.urgency.longest = way_us[0];
    static atomic_bool all_there;
    orr__run *run = NULL;
    orr__scalar s = { .f = 0 };
    atomic_store(&all_there, false);
    h->kernel[0].seconds = 120;
    h->kernel[0].gate = &all_there;
    NEED_STARPU;
    (void)setenv("STARPU_SCHED", "prio", 1);
    (void)setenv("STARPU_NCPU", "1", 1);
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    atomic_store(&fake_turns, 0);
    ORR_REQUIRE(orr__engine_execute(HERE, &h->plan, &leaf, &s, out, &run) == ORR_OK);
    atomic_store(&all_there, true);
    ORR_REQUIRE(run != NULL && orr__run_wait(run) == ORR_OK);
    orr__run_unref(run);
    ORR_CHECK_MSG(h->kernel[4].turn == 2, "it was number %d", h->kernel[4].turn);
    for (int i = 0; i < N; i++)
        orr__buffer_unref(out[i]);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    (void)unsetenv("STARPU_SCHED");
    (void)unsetenv("STARPU_NCPU");
    free(h);
}

static void small_plans_run_on_the_calling_thread(void)
{
    hand *h = one_step(4);
    orr__buffer *leaf = ramp(100, 0), *out;
    orr__run *run = NULL;
    orr__scalar s = { .f = 1 };
    orr_stat row[4];

    h->plan.us = 1;
    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    ORR_REQUIRE(orr__engine_execute(HERE, &h->plan, &leaf, &s, &out, &run) == ORR_OK);
    ORR_CHECK(run == NULL && leaf->tiles == NULL && out->tiles == NULL && is_ramp(out, 100, 1, 1));
    ORR_CHECK(atomic_load(&h->kernel[0].launches) == 1);
    ORR_CHECK(orr__engine_stats(row, 4) == 1 && strcmp(row[0].worker, "inline") == 0 && row[0].tasks == 1);
    orr__buffer_unref(out);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(h);
}

/* With a single task the caller would wait for a worker that does what the caller could do. */
static void a_plan_of_one_task_runs_on_the_thread_that_waits(void)
{
    hand *h = one_step(1);
    orr__buffer *leaf = ramp(100, 0), *out;
    orr__run *run = NULL;
    orr__scalar s = { .f = 1 };
    orr_stat row[4];

    h->plan.ntasks = 1; /* of 1 s, as predicted */
    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    ORR_REQUIRE(orr__engine_execute(HERE, &h->plan, &leaf, &s, &out, NULL) == ORR_OK);
    ORR_CHECK(is_ramp(out, 100, 1, 1));
    ORR_CHECK(orr__engine_stats(row, 4) == 1 && strcmp(row[0].worker, "inline") == 0 && row[0].tasks == 1);
    orr__buffer_unref(out);
    orr__engine_stats_reset();
    ORR_REQUIRE(orr__engine_execute(HERE, &h->plan, &leaf, &s, &out, &run) ==
                ORR_OK); /* a caller that does not wait is not delayed */
    ORR_REQUIRE(run != NULL && orr__run_wait(run) == ORR_OK);
    ORR_CHECK(orr__engine_stats(row, 4) == 1 && strncmp(row[0].worker, "CPU ", 4) == 0);
    orr__run_unref(run);
    orr__buffer_unref(out);
    h->kernel[0].fail_row = 50;
    ORR_CHECK(orr__engine_execute(HERE, &h->plan, &leaf, &s, &out, NULL) == ORR_EINDEX);
    h->plan.ntasks = 2;
    ORR_CHECK(orr__engine_execute(HERE, &h->plan, &leaf, &s, &out, NULL) == ORR_EINDEX); /* nor by a task */
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(h);
}

static void statistics_count_tasks_by_worker(void)
{
    hand *h = hand_new();
    int x = hand_leaf(h, 100), n;
    orr__buffer *leaf = ramp(100, 0), *out;
    orr_stat row[16];
    uint64_t tasks = 0;

    hand_output(h, hand_step(h, 100, 20, false, 1, &x));
    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    ORR_CHECK(strncmp(orr__engine_name(), "starpu 1.", 9) == 0);
    for (int k = 0; k < 3; k++) {
        ORR_REQUIRE(hand_run(h, &leaf, 0, &out) == ORR_OK);
        orr__buffer_unref(out);
    }
    n = orr__engine_stats(row, 16);
    for (int i = 0; i < n; i++) {
        ORR_CHECK(strcmp(row[i].kind, "fake map") == 0 && strncmp(row[i].worker, "CPU ", 4) == 0);
        tasks += row[i].tasks;
    }
    ORR_CHECK(tasks == 60);
    orr__engine_stats_reset();
    ORR_CHECK(orr__engine_stats(row, 16) == 0);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    ORR_CHECK(orr__engine_name()[0] == '\0');
    free(h);
}

static void wrong_names_and_states_are_errors(void)
{
    hand *h = hand_new();
    orr__run *run;

    ORR_CHECK(engine_up("fast") == ORR_EINVAL);
    ORR_CHECK(orr__engine_execute(HERE, &h->plan, NULL, NULL, NULL, &run) == ORR_ESTATE);
    ORR_REQUIRE(engine_up("serial") == ORR_OK);
    ORR_CHECK(engine_up("serial") == ORR_ESTATE);
    hand_leaf(h, 10);
    ORR_CHECK(orr__engine_execute(HERE, &h->plan, (orr__buffer *[]){ NULL }, NULL, NULL, &run) == ORR_EGRAPH);
    orr__engine_stop();
    orr__engine_stop();
    free(h);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(tasks_on_the_longest_path_go_first),
        ORR_TEST(small_plans_run_on_the_calling_thread),
        ORR_TEST(a_plan_of_one_task_runs_on_the_thread_that_waits),
        ORR_TEST(statistics_count_tasks_by_worker),
        ORR_TEST(wrong_names_and_states_are_errors),
        { 0 },
    };
    int failed = orr_test_main(argc, argv, "engine.place", tests);

    orr__pool_trim();
    return failed;
}
