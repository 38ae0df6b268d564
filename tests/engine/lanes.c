/* Leave for more threads than the caller's, by times of the test.
 * Must not know: how a plan runs. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/base/regret.h"
#include "runtime/engine/execution.h"
#include "tests/harness/harness.h"

static orr__plan plan;

/* Predicted µs. */
static void begin(double alone, double together)
{
    orr__env.machine = ORR__MACHINE_MEASURED;
    orr__env.deterministic = false;
    orr__regret_clear();
    free(atomic_load(&plan.state));
    memset(&plan, 0, sizeof plan);
    atomic_init(&plan.refs, 1 << 20);
    plan.us = plan.lanes.alone = alone;
    plan.lanes.together = together;
    ORR_REQUIRE(orr__plan_state_make(&plan) != NULL);
}

/* n evaluations with this wish, which take the seconds of their lane. Returns the number of those that ran so. */
static int run(int n, orr__lane wish, const double seconds[ORR__LANES])
{
    int so = 0;
    for (int i = 0; i < n; i++) {
        orr__lane_run r = orr__lane_begin(&plan, wish);
        so += r.by == wish;
        orr__lane_end(&plan, &r, seconds[r.by]);
        orr__regret_evaluated(1, seconds[r.by]);
    }
    return so;
}

static void a_faster_lane_is_used_at_once(void)
{
    static const double seconds[] = { 2e-3, 1e-3, 1 };
    begin(2000, 1000);
    ORR_CHECK(run(3, ORR__ALONE, seconds) == 3);
    ORR_CHECK(run(1000, ORR__TOGETHER, seconds) == 1000);
    ORR_CHECK(orr__regret_now().excess == 0 && orr__regret_now().trials == 0);
}

static void one_slow_run_is_forgiven(void)
{
    static const double seconds[] = { 2e-3, 1e-3, 1 }, woken[] = { 2e-3, 4e-3, 1 };
    begin(2000, 1000);
    ORR_CHECK(run(3, ORR__ALONE, seconds) == 3);
    ORR_CHECK(run(1, ORR__TOGETHER, woken) == 1 && run(100, ORR__TOGETHER, seconds) == 100);
}

/* Ten times slower than predicted, as where other programs have the cores. */
static void a_hopeless_lane_costs_no_more_than_the_bound(void)
{
    static const double seconds[] = { 1e-3, 1e-2, 1 };
    begin(1000, 500);
    ORR_CHECK(run(3, ORR__ALONE, seconds) == 3);
    int so = run(50, ORR__TOGETHER, seconds);
    ORR_CHECK_MSG(so <= 2, "%d of the first runs", so);
    so = run(5000, ORR__TOGETHER, seconds);
    orr__regret now = orr__regret_now();
    ORR_CHECK_MSG(so < 40, "%d runs of 5000", so);
    ORR_CHECK_MSG(now.excess <= now.bound, "%g s of %g", now.excess, now.bound);
}

/* One run of a lane has taken 200 times as long, as where a share waits for a core: the next one needs room in the ledger for as much. */
static void a_lane_returns_with_leave_alone(void)
{
    static const double seconds[] = { 1e-3, 0.2, 1 };
    begin(1000, 500);
    ORR_CHECK(run(3, ORR__ALONE, seconds) == 3 && run(1, ORR__TOGETHER, seconds) == 1);
    int so = run(3000, ORR__TOGETHER, seconds); /* three seconds allow 160 ms */
    ORR_CHECK_MSG(so == 0, "%d", so);
    so = run(30000, ORR__TOGETHER, seconds);
    ORR_CHECK_MSG(so > 0 && so < 10, "%d", so);
}

/* The cores are free again. */
static void a_lane_that_was_slow_comes_back(void)
{
    static const double busy[] = { 1e-3, 5e-3, 1 }, quiet[] = { 1e-3, 5e-4, 1 };
    begin(1000, 500);
    ORR_CHECK(run(3, ORR__ALONE, busy) == 3);
    (void)run(200, ORR__TOGETHER, busy);
    ORR_CHECK(run(20, ORR__TOGETHER, busy) < 5);
    (void)run(2000, ORR__TOGETHER, quiet);
    ORR_CHECK(run(20, ORR__TOGETHER, quiet) == 20);
}

static void a_lane_that_was_predicted_too_well_gives_way_to_the_caller(void)
{
    static const double seconds[] = { 1e-3, 5e-3, 1 };
    begin(1000, 500);
    int so = run(100, ORR__TOGETHER, seconds); /* the crew was there from the first run on */
    ORR_CHECK_MSG(so < 6, "%d", so);
}

/* Prediction and doubt: a lane that is expected to gain little waits for room in the ledger; one that is expected to lose is not tried. */
static void little_gain_waits(void)
{
    static const double seconds[] = { 1e-3, 9e-4, 1 };
    begin(1000, 950);
    ORR_CHECK(run(3, ORR__ALONE, seconds) == 3);
    ORR_CHECK(run(1, ORR__TOGETHER, seconds) == 0);
    ORR_CHECK(run(20, ORR__TOGETHER, seconds) > 0);
    ORR_CHECK(run(20, ORR__TOGETHER, seconds) == 20);
    begin(1000, 2000);
    ORR_CHECK(run(3, ORR__ALONE, seconds) == 3 && run(500, ORR__TOGETHER, seconds) == 0);
}

/* The caller's time is from before its kernels were compiled; after pauses the lane, whose workers sleep, is as slow as that. */
static void the_callers_time_is_taken_again_when_the_lane_is_slower(void)
{
    static const double cold[] = { 2.3e-3, 1, 1 }, steady[] = { 2.2e-4, 1, 2e-4 }, paced[] = { 2.3e-4, 1, 2.2e-3 };
    begin(230, 1e9);
    plan.lanes.tasks = 210;
    ORR_CHECK(run(3, ORR__ALONE, cold) == 3);
    int so = run(500, ORR__TASKS, steady);
    ORR_CHECK_MSG(so > 480, "%d", so);
    so = run(100, ORR__TASKS, paced);
    ORR_CHECK_MSG(so < 10, "%d", so);
    (void)run(2000, ORR__TASKS, steady);
    so = run(20, ORR__TASKS, steady);
    ORR_CHECK_MSG(so >= 19, "%d: the lane is back", so);
    orr__regret now = orr__regret_now();
    ORR_CHECK_MSG(now.excess <= now.bound, "%g s of %g", now.excess, now.bound);
}

/* A lane that is slow but never was faster, beside a caller's time of cold kernels. */
static void the_callers_time_is_taken_again_in_time(void)
{
    static const double cold[] = { 2.3e-3, 1, 1 }, steady[] = { 2.2e-4, 4e-4, 1 };
    begin(230, 210);
    ORR_CHECK(run(3, ORR__ALONE, cold) == 3);
    (void)run(100, ORR__TOGETHER, steady);
    int so = run(100, ORR__TOGETHER, steady);
    ORR_CHECK_MSG(so < 10, "%d", so);
}

/* Workers that sleep after each run by the caller: a first run wakes them in 5 ms, those after it take half of the caller's time. After pauses
 * each run does so. */
static void a_lane_that_wakes_its_workers_is_tried_once_more(void)
{
    static const double warm = 5e-4, cold = 5e-3, alone = 1e-3;
    bool sleeps = true;
    int so = 0;
    begin(1000, 1e9);
    plan.lanes.tasks = 700;
    for (int i = 0; i < 2100; i++) {
        bool paced = i >= 2000;
        orr__lane_run r = orr__lane_begin(&plan, i < 3 ? ORR__ALONE : ORR__TASKS);
        r.cold = sleeps || paced;
        double t = r.by == ORR__ALONE ? alone : r.cold ? cold : warm;
        sleeps = r.by == ORR__ALONE;
        orr__lane_end(&plan, &r, t);
        orr__regret_evaluated(1, t);
        so += (i >= 1000 && !paced && r.by == ORR__TASKS) - (i >= 2020 && r.by == ORR__TASKS);
    }
    ORR_CHECK_MSG(so >= 960, "%d of 1000 in the loop, less those after pauses", so);
}

static void a_fixed_machine_follows_predictions(void)
{
    static const double seconds[] = { 1e-3, 1, 1 };
    begin(1000, 500);
    orr__env.machine = ORR__MACHINE_FIXED;
    ORR_CHECK(run(3, ORR__ALONE, seconds) == 3 && run(10, ORR__TOGETHER, seconds) == 10);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_faster_lane_is_used_at_once),
                                      ORR_TEST(one_slow_run_is_forgiven),
                                      ORR_TEST(a_hopeless_lane_costs_no_more_than_the_bound),
                                      ORR_TEST(a_lane_returns_with_leave_alone),
                                      ORR_TEST(a_lane_that_was_slow_comes_back),
                                      ORR_TEST(a_lane_that_was_predicted_too_well_gives_way_to_the_caller),
                                      ORR_TEST(little_gain_waits),
                                      ORR_TEST(the_callers_time_is_taken_again_when_the_lane_is_slower),
                                      ORR_TEST(the_callers_time_is_taken_again_in_time),
                                      ORR_TEST(a_lane_that_wakes_its_workers_is_tried_once_more),
                                      ORR_TEST(a_fixed_machine_follows_predictions),
                                      { 0 } };
    return orr_test_main(argc, argv, "engine.lanes", tests);
}
