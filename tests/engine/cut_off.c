/* Runs in another lane than the calling thread's that take far longer than expected: they are cut off, and values are right.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#ifdef HAVE_STARPU
#include "runtime/engine/starpu/starpu.h"
#endif
#include "runtime/base/regret.h"
#include "tests/harness/engine_plans.h"

#ifdef HAVE_STARPU
enum { N = 800, STEPS = 8, TILES = 8 };

static const double alone_us = 4e4;

/* x + 8 c, in eight shared steps of eight tiles, of which each launch takes that long. */
static hand *chain_of_steps(void)
{
    hand *h = hand_new();
    int v = hand_leaf(h, N);
    for (int i = 0; i < STEPS; i++) {
        v = hand_step(h, N, TILES, false, 1, &v);
        h->step[i].cost.us = alone_us / STEPS;
        h->step[i].shared = true;
    }
    hand_output(h, v);
    h->plan.ntasks = STEPS * TILES;
    h->plan.us = h->plan.lanes.alone = alone_us;
    return h;
}

static void last(hand *h, double seconds)
{
    for (int i = 0; i < STEPS; i++)
        h->kernel[i].seconds = seconds;
}

/* The launches of one run with c = 2; -1: it failed, or its value is wrong. */
static int launches_of(hand *h, orr__buffer *leaf)
{
    orr__buffer *out[1];
    orr__scalar c = { .f = 2 };
    int before = 0, after = 0;
    for (int i = 0; i < STEPS; i++)
        before += atomic_load(&h->kernel[i].launches);
    orr_status st = orr__engine_execute(HERE, &h->plan, &leaf, &c, out, NULL);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    if (st != ORR_OK)
        return -1;
    for (int i = 0; i < STEPS; i++)
        after += atomic_load(&h->kernel[i].launches);
    bool right = is_ramp(out[0], N, STEPS * 2, 1);
    ORR_CHECK(right);
    orr__buffer_unref(out[0]);
    return right ? after - before : -1;
}

/* One run on the calling thread, then one in the lane with these predicted times, which takes twenty times as long as the first. */
static void slow_lane(double together, double tasks, int all)
{
    (void)setenv("STARPU_NCPU", "2", 1);
    (void)setenv("ORRERY_MACHINE", "measured", 1);
    ORR_REQUIRE(engine_up("starpu") == ORR_OK && orr__star.cpus == 2);
    orr__regret_clear();
    orr__regret_evaluated(1, 1e4); /* room for trials */
    hand *h = chain_of_steps();
    orr__buffer *leaf = ramp(N, 0);
    last(h, 1e-6 * alone_us / STEPS);
    h->plan.lanes.together = 0.9 * alone_us; /* not clearly faster */
    h->plan.lanes.tasks = 2 * alone_us;
    int alone = launches_of(h, leaf);
    ORR_CHECK_MSG(alone == STEPS, "%d launches of the calling thread", alone);

    last(h, 0.1);
    h->plan.lanes.together = together;
    h->plan.lanes.tasks = tasks;
    int n = launches_of(h, leaf);
    ORR_CHECK_MSG(n > STEPS && n < all / 2 + STEPS, "%d launches, and %d without an end", n, all);
    ORR_CHECK_MSG(orr__regret_now().excess > 1e-6 * alone_us / 4, "%g s", orr__regret_now().excess);
    last(h, 1e-6 * alone_us / STEPS);
    for (int i = 0; i < 3; i++)
        ORR_CHECK(launches_of(h, leaf) >= STEPS);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(h);
}
#endif

static void a_crew_is_left_when_it_takes_too_long(void)
{
#ifdef HAVE_STARPU
    slow_lane(0.5 * alone_us, 2 * alone_us, STEPS * 4);
#else
    NEED_STARPU;
#endif
}

static void tasks_that_have_not_begun_do_nothing_when_it_takes_too_long(void)
{
#ifdef HAVE_STARPU
    slow_lane(2 * alone_us, 0.5 * alone_us, STEPS * TILES);
#else
    NEED_STARPU;
#endif
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_crew_is_left_when_it_takes_too_long),
                                      ORR_TEST(tasks_that_have_not_begun_do_nothing_when_it_takes_too_long),
                                      { 0 } };
    return orr_test_main(argc, argv, "engine.cut_off", tests);
}
