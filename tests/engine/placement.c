/* Processors with a device are not slower than the faster of the two alone: the trial of a plan's first runs, on
 * artificial times, and on a device that shares the processor and so can only slow it down.
 * Must not know: planner, policies. */
#include "config.h"

#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/regret.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/execution.h"
#include "runtime/graph/node.h"
#include "runtime/graph/capture.h"
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

static orr__region region;
static orr__step step;
static orr__plan plan;

static void begin(bool device)
{
    orr__regret_clear();
    orr__regret_evaluated(1000, 1e4); /* room for all trials */
    orr__env.deterministic = false;
    region = (orr__region){ .rank = 1, .dim = { 8 }, .label = "made up" };
    step = (orr__step){ .region = &region, .opencl = device ? (orr__kernel *)(void *)&region : NULL };
    free(atomic_load(&plan.state));
    memset(&plan, 0, sizeof plan);
    atomic_init(&plan.refs, 1 << 20);
    plan.nstep = 1;
    plan.step = &step;
    ORR_REQUIRE(orr__plan_state_make(&plan) != NULL);
}

/* One run, which takes the seconds of its placement. */
static orr__placement run(const double *seconds)
{
    orr__run r = { .plan = &plan };
    orr__placement_begin(&r, true);
    orr__placement way = r.placement;
    r.began = orr__now() - seconds[way];
    orr__placement_end(&r);
    return way;
}

static void the_fastest_way_stays(void)
{
    static const struct {
        double seconds[ORR__PLACEMENTS];
        orr__placement best;
    } cases[] = {
        { { 2, 1, 3 }, ORR__CPU_ALONE },
        { { 2, 3, 1 }, ORR__DEVICES_ALONE },
        { { 1, 2, 2 }, ORR__MIXED },
        { { 1.02, 1, 2 }, ORR__MIXED }, /* within noise */
    };
    char text[160];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(true);
        orr__placement_describe(&plan, text, sizeof text);
        ORR_CHECK(!text[0]);
        for (int k = 0; k < ORR__CLEAR + ORR__T_SETTLED * ORR__PLACEMENTS; k++)
            (void)run(cases[i].seconds);
        ORR_CHECK(orr__plan_state_of(&plan)->trial.decided);
        for (int k = 0; k < 5; k++)
            ORR_CHECK(run(cases[i].seconds) == cases[i].best);
        orr__placement_describe(&plan, text, sizeof text);
        ORR_CHECK(text[0]);
    }
}

/* Runs on the other placements, of 200. */
static int others(const double *seconds)
{
    int n = 0;
    for (int k = 0; k < 200; k++)
        n += run(seconds) != ORR__MIXED;
    return n;
}

static void trials_cost_no_more_than_the_ledger_allows(void)
{
    static const double slow[ORR__PLACEMENTS] = { 1, 1.3, 5 };
    begin(true);
    orr__regret_clear(); /* no evaluation so far */
    ORR_CHECK(others(slow) == 0 && orr__regret_now().excess == 0);
    begin(true);
    int n = others(slow);
    orr__regret now = orr__regret_now();
    ORR_CHECK_MSG(n == ORR__T_SETTLED + 1 && now.trials == (uint64_t)n,
                  "%d other runs: some of a placement that is not far behind, one of a hopeless one", n);
    ORR_CHECK_MSG(now.excess > 5.1 && now.excess < 5.4 && now.excess < now.bound, "%g", now.excess);
}

static void without_a_choice_there_is_no_trial(void)
{
    static const double seconds[ORR__PLACEMENTS] = { 3, 1, 1 };
    begin(false);
    for (int k = 0; k < 80; k++)
        ORR_CHECK(run(seconds) == ORR__MIXED);
    ORR_CHECK(orr__plan_state_of(&plan)->trial.starts == 0);
    begin(true);
    orr__env.deterministic = true;
    ORR_CHECK(run(seconds) == ORR__MIXED && orr__plan_state_of(&plan)->trial.starts == 0);
    orr__env.deterministic = false;
}

static void runs_that_overlap_are_no_trial(void)
{
    static const double seconds[ORR__PLACEMENTS] = { 3, 1, 1 };
    begin(true);
    orr__run other = { .plan = &plan };
    orr__placement_begin(&other, true);
    for (int k = 0; k < 30; k++)
        ORR_CHECK(run(seconds) == ORR__MIXED);
    ORR_CHECK(!orr__plan_state_of(&plan)->trial.decided && orr__plan_state_of(&plan)->trial.n[ORR__MIXED] == 0);
    orr__placement_end(&other);
}

/* Seconds of the fastest of N evaluations, and the numbers of tasks on processors and on devices. */
enum { N = 20 };
static double evaluations(orr_tensor *x, uint64_t tasks[2])
{
    static orr_stat row[64];
    double best = 1e9;
    orr_stats_reset();
    for (int i = 0; i < N; i++) {
        orr_scope *inner = orr_scope_begin();
        double t0 = orr__now();
        ORR_CHECK(orr_eval(orr_softmax(orr_tanh(orr_mul(x, x)), -1)) == ORR_OK);
        double took = orr__now() - t0;
        best = took < best ? took : best;
        (void)orr_scope_end(inner);
    }
    int n = orr_stats(row, 64);
    tasks[0] = tasks[1] = 0;
    for (int i = 0; i < n && i < 64; i++)
        tasks[strstr(row[i].worker, "OpenCL") != NULL] += row[i].tasks;
    return best;
}

/* The fastest placement depends on the machine and its load; tasks use the placement that the trial chose. Runs before
 * the choice are not counted. */
static void tasks_go_the_way_that_was_found_the_fastest(void)
{
    static const char *const alone[2] = { "placed on devices alone", "placed on processors alone" };
    bool held = false;
    setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
    setenv("STARPU_NOPENCL", "1", 1);
    setenv("STARPU_NCPU", "1", 1);
    setenv("ORRERY_INLINE_US", "0", 1);
    setenv("ORRERY_JIT", "wait", 1);
    orr_status st = orr_init(NULL);
    if (st != ORR_OK || !strstr(orr_engine_name(), "OpenCL")) {
        (void)orr_shutdown();
        ORR_SKIP("no OpenCL device, or no StarPU");
    }
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(2048, 512), 0.0, 1.0);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    for (int round = 0; round < 10 && !held; round++) {
        uint64_t tasks[2];
        char *before = explained_text(orr_softmax(orr_tanh(orr_mul(x, x)), -1));
        double best = evaluations(x, tasks);
        char *after = explained_text(orr_softmax(orr_tanh(orr_mul(x, x)), -1));
        const char *was = strstr(before, "placed on"), *is = strstr(after, "placed on");
        printf("    %.0f us, %d tasks on processors, %d on the device; %.*s\n", best * 1e6, (int)tasks[0],
               (int)tasks[1], is ? (int)strcspn(is, "\n") : 13, is ? is : "not yet found");
        held = was && is && strncmp(was, is, strcspn(is, ":")) == 0;
        ORR_CHECK(tasks[0] + tasks[1] >= N);
        for (int on = 0; held && on < 2; on++)
            ORR_CHECK_MSG(!strstr(after, alone[on]) || tasks[on] == 0, "%d tasks, %.200s", (int)tasks[on], is);
        free(before);
        free(after);
    }
    ORR_CHECK(held);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(the_fastest_way_stays),
                                      ORR_TEST(trials_cost_no_more_than_the_ledger_allows),
                                      ORR_TEST(without_a_choice_there_is_no_trial),
                                      ORR_TEST(runs_that_overlap_are_no_trial),
                                      ORR_TEST(tasks_go_the_way_that_was_found_the_fastest),
                                      { 0 } };
    return orr_test_main(argc, argv, "engine.placement", tests);
}
