/* Buffers and handles are recycled together, the user's memory is released once, limits are respected.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include "tests/harness/engine_plans.h"

static hand *one_map(int64_t n, int tiles)
{
    hand *h = hand_new();
    int x = hand_leaf(h, n);

    hand_output(h, hand_step(h, n, tiles, false, 1, &x));
    return h;
}

static void outputs_take_the_memory_and_handles_of_dropped_ones(void)
{
    hand *h = one_map(1000, 4), *other = one_map(1000, 5);
    orr__buffer *leaf = ramp(1000, 0), *out;
    void *host, *tiles;

    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    ORR_REQUIRE(hand_run(h, &leaf, 1, &out) == ORR_OK);
    host = out->host;
    tiles = out->tiles;
    ORR_CHECK(tiles != NULL);
    orr__buffer_unref(out);
    ORR_REQUIRE(hand_run(other, &leaf, 2, &out) == ORR_OK);
    ORR_CHECK(out->host != host); /* other tiles */
    orr__buffer_unref(out);
    ORR_REQUIRE(hand_run(h, &leaf, 3, &out) == ORR_OK);
    ORR_CHECK(out->host == host && out->tiles == tiles && is_ramp(out, 1000, 3, 1));
    orr__buffer_unref(out);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    ORR_CHECK(orr__pool_get_stats().live == 0);
    free(h);
    free(other);
}

static void buffers_outlive_the_engine(void)
{
    hand *h = one_map(1000, 4);
    orr__buffer *leaf = ramp(1000, 0), *out, *again;

    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    ORR_REQUIRE(hand_run(h, &leaf, 1, &out) == ORR_OK);
    orr__engine_stop();
    ORR_CHECK(out->tiles == NULL && is_ramp(out, 1000, 1, 1));
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    ORR_REQUIRE(hand_run(h, &out, 1, &again) == ORR_OK);
    ORR_CHECK(is_ramp(again, 1000, 2, 1));
    orr__buffer_unref(again);
    orr__buffer_unref(out);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(h);
}

static int released;
static void release(void *host, void *user)
{
    ORR_CHECK(host == user);
    released++;
}

/* The last reference is released on the calling thread, or on a worker when the run ends. */
static void the_users_memory_is_released_once(void)
{
    hand *h = one_map(100, 4);
    static double x[100];
    orr__buffer *out;

    static atomic_bool looked;
    h->kernel[0].seconds = 120;
    h->kernel[0].gate = &looked;
    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    for (int early = 0; early < 2; early++) {
        orr__buffer *b = orr__buffer_wrap(x, sizeof x, release, x);
        orr__scalar s = { .f = 1 };
        orr__run *run;
        released = 0;
        atomic_store(&looked, false);
        ORR_REQUIRE(orr__engine_execute(HERE, &h->plan, &b, &s, &out, &run) == ORR_OK);
        if (early)
            orr__buffer_unref(b);
        ORR_CHECK(released == 0);
        atomic_store(&looked, true);
        ORR_CHECK(orr__run_wait(run) == ORR_OK);
        if (!early)
            orr__buffer_unref(b);
        ORR_CHECK(released == 1);
        ORR_CHECK(is_ramp(out, 100, 1, 0));
        orr__run_unref(run);
        orr__buffer_unref(out);
    }
    orr__engine_stop();
    ORR_CHECK(released == 1);
    free(h);
}

static void memory_held_for_reuse_gives_way_to_the_limit(void)
{
    hand *a = one_map(1000, 4), *b = one_map(1200, 4);
    orr__buffer *la, *lb, *out;

    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    la = ramp(1000, 0);
    lb = ramp(1200, 0);
    orr__pool_limit(30000); /* two leaves and one output */
    for (int k = 0; k < 3; k++) {
        ORR_REQUIRE(hand_run(a, &la, 1, &out) == ORR_OK);
        orr__buffer_unref(out);
        ORR_REQUIRE(hand_run(b, &lb, 1, &out) == ORR_OK);
        orr__buffer_unref(out);
    }
    orr__pool_limit(20000);
    double many[5000] = { 0 };
    ORR_CHECK(orr_tensor_status(orr_from(ORR_F64, ORR_SHAPE(5000), many)) == ORR_ENOMEM);
    ORR_CHECK_MSG(strstr(orr_error_message(), "tests/engine/memory.c:") &&
                      strstr(orr_error_message(), ": from: 40000 bytes") && strstr(orr_error_message(), "20000 bytes"),
                  "%s", orr_error_message());
    ORR_CHECK(hand_run(a, &la, 1, &out) == ORR_ENOMEM);
    orr__pool_limit(0);
    ORR_CHECK(hand_run(a, &la, 1, &out) == ORR_OK && is_ramp(out, 1000, 1, 1));
    orr__buffer_unref(out);
    orr__buffer_unref(la);
    orr__buffer_unref(lb);
    orr__engine_stop();
    ORR_CHECK(orr__pool_get_stats().live == 0);
    free(a);
    free(b);
}

/* Every allocation fails in turn: an error, no leak, and the next call works. */
static void every_allocation_may_fail(void)
{
    hand *h = hand_new();
    int x = hand_leaf(h, 100), y = hand_step(h, 100, 4, false, 1, &x), failed = 0;
    orr__buffer *leaf = ramp(100, 0), *out;

    hand_output(h, hand_step(h, 100, 5, false, 1, &y));
    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    for (long n = 0; n < 40; n++) {
        orr_status st;
        orr__pool_fail_after(n);
        st = hand_run(h, &leaf, 1, &out);
        orr__pool_fail_after(-1);
        if (st == ORR_OK) {
            ORR_CHECK(is_ramp(out, 100, 2, 1));
            orr__buffer_unref(out);
        } else {
            ORR_CHECK(st == ORR_ENOMEM);
            failed++;
        }
        ORR_REQUIRE(hand_run(h, &leaf, 1, &out) == ORR_OK);
        ORR_CHECK(is_ramp(out, 100, 2, 1));
        orr__buffer_unref(out);
    }
    ORR_CHECK_MSG(failed < 40, "%d", failed);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    ORR_CHECK(orr__pool_get_stats().live == 0);
    free(h);
}

/* More runs than may be in progress at once, and more sizes than the pool keeps. */
static void long_streams_of_runs_stay_bounded(void)
{
    orr__buffer *leaf = ramp(4000, 0), *out[200];
    hand *h[20];

    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    for (int i = 0; i < 20; i++)
        h[i] = one_map(3000 + i, 100 + i);
    for (int round = 0; round < 10; round++) {
        for (int k = 0; k < 200; k++) {
            orr__scalar s = { .f = k };
            orr__run *run;
            ORR_REQUIRE(orr__engine_execute(HERE, &h[k % 20]->plan, &leaf, &s, &out[k], &run) == ORR_OK);
            orr__run_unref(run);
        }
        for (int k = 0; k < 200; k++) {
            ORR_CHECK(is_ramp(out[k], 3000 + k % 20, k, 1));
            orr__buffer_unref(out[k]);
        }
    }
    orr__buffer_unref(leaf);
    orr__engine_stop();
    ORR_CHECK(orr__pool_get_stats().live == 0);
    for (int i = 0; i < 20; i++)
        free(h[i]);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(outputs_take_the_memory_and_handles_of_dropped_ones),
        ORR_TEST(buffers_outlive_the_engine),
        ORR_TEST(the_users_memory_is_released_once),
        ORR_TEST(memory_held_for_reuse_gives_way_to_the_limit),
        ORR_TEST(every_allocation_may_fail),
        ORR_TEST(long_streams_of_runs_stay_bounded),
        { 0 },
    };
    int failed = orr_test_main(argc, argv, "engine.memory", tests);

    orr__pool_trim();
    return failed;
}
