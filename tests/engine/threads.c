/* Many threads submit and read at once; any thread waits for runs, in any order.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include <pthread.h>
#include "tests/harness/engine_plans.h"

enum { THREADS = 8, ROUNDS = 60, N = 700 };

static hand *shared;
static orr__buffer *leaf;
static atomic_int wrong;

/* y = x + c over four tiles, z = y + x over three, and their partial sums. */
static hand *three_steps(void)
{
    hand *h = hand_new();
    int x = hand_leaf(h, N), y = hand_step(h, N, 4, false, 1, &x), z = hand_step(h, N, 3, false, 2, (int[]){ y, x });
    int p = hand_step(h, N, 6, true, 1, &z);

    hand_output(h, z);
    hand_output(h, hand_step(h, 6, 1, true, 1, &p));
    return h;
}

static void note(bool ok)
{
    if (!ok)
        atomic_fetch_add(&wrong, 1);
}

static void check(orr__buffer **out, double c)
{
    note(is_ramp(out[0], N, 2 * c, 2));
    orr__buffer_unref(out[0]);
    orr__buffer_unref(out[1]);
}

static void *synchronous(void *arg)
{
    for (int k = 0; k < ROUNDS; k++) {
        double c = 1000.0 * (double)(size_t)arg + k;
        orr__buffer *out[2];
        if (hand_run(shared, &leaf, c, out) == ORR_OK)
            check(out, c);
        else
            note(false);
    }
    return NULL;
}

/* Keeps four runs in progress; each reads the result of the previous one. */
static void *chained(void *arg)
{
    orr__buffer *in = orr__buffer_ref(leaf), *out[2];

    for (int k = 0; k < ROUNDS; k++) {
        orr__scalar s = { .f = (double)(size_t)arg };
        orr__run *run;
        if (orr__engine_execute(HERE, &shared->plan, &in, &s, out, &run) != ORR_OK) {
            note(false);
            break;
        }
        orr__run_unref(run);
        orr__buffer_unref(in);
        orr__buffer_unref(out[1]);
        in = out[0];
        if (k % 4 == 3) {
            /* in = 2·(previous in + c), four times: 16·i + 30·c */
            note(is_ramp(in, N, 30 * s.f, 16));
            orr__buffer_unref(in);
            in = orr__buffer_ref(leaf);
        }
    }
    orr__buffer_unref(in);
    return NULL;
}

static void together(void *(*f)(void *))
{
    pthread_t t[THREADS];

    shared = three_steps();
    leaf = ramp(N, 0);
    wrong = 0;
    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    for (size_t i = 0; i < THREADS; i++)
        ORR_REQUIRE(pthread_create(&t[i], NULL, f, (void *)(i + 1)) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    ORR_CHECK_MSG(wrong == 0, "%d wrong results", wrong);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(shared);
}

static void threads_evaluate_at_once(void)
{
    together(synchronous);
}

static void threads_chain_runs_without_waiting(void)
{
    together(chained);
}

static void small_and_large_plans_mix(void)
{
    hand *small = three_steps();
    pthread_t t;

    shared = three_steps();
    small->plan.us = 1;
    leaf = ramp(N, 0);
    wrong = 0;
    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    ORR_REQUIRE(pthread_create(&t, NULL, chained, (void *)(size_t)3) == 0);
    for (int k = 0; k < 10 * ROUNDS; k++) {
        orr__buffer *out[2];
        note(hand_run(small, &leaf, k, out) == ORR_OK);
        check(out, k);
    }
    pthread_join(t, NULL);
    ORR_CHECK_MSG(wrong == 0, "%d wrong results", wrong);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(shared);
    free(small);
}

static void *wait_for(void *arg)
{
    note(orr__run_wait(arg) == ORR_OK && orr__run_done(arg));
    orr__run_unref(arg);
    return NULL;
}

static void several_threads_wait_for_one_run(void)
{
    pthread_t t[THREADS];
    orr__scalar s = { .f = 2 };
    orr__buffer *out[2];
    orr__run *run;

    static atomic_bool seen;
    shared = three_steps();
    shared->kernel[0].seconds = 120; /* long enough for the check that it is not done */
    shared->kernel[0].gate = &seen;
    atomic_store(&seen, false);
    leaf = ramp(N, 0);
    wrong = 0;
    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    ORR_REQUIRE(orr__engine_execute(HERE, &shared->plan, &leaf, &s, out, &run) == ORR_OK);
    ORR_CHECK(!orr__run_done(run));
    atomic_store(&seen, true);
    orr__buffer_unref(leaf); /* the run still reads it */
    for (int i = 0; i < THREADS; i++)
        ORR_REQUIRE(pthread_create(&t[i], NULL, wait_for, orr__run_ref(run)) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    check(out, 2);
    orr__run_unref(run);
    ORR_CHECK(wrong == 0);
    orr__engine_stop();
    free(shared);
}

static void *evaluate(void *arg)
{
    orr__buffer *out = NULL;
    orr__scalar s = { .f = 1 };
    note(orr__engine_execute(HERE, &((hand *)arg)->plan, &leaf, &s, &out, NULL) == ORR_OK);
    orr__buffer_unref(out);
    return NULL;
}

static hand *four_tiles(void)
{
    hand *h = hand_new();
    int x = hand_leaf(h, N);

    hand_output(h, hand_step(h, N, 4, false, 1, &x));
    h->plan.us = 5000;
    return h;
}

/* All workers are busy for a waiting caller; the tasks of another would wait for them. */
static void callers_who_leave_no_two_processors_compute_themselves(void)
{
    static atomic_bool seen;
    hand *busy = four_tiles(), *own = four_tiles();
    pthread_t t;

    NEED_STARPU;
    (void)setenv("STARPU_NCPU", "2", 1);
    leaf = ramp(N, 0);
    wrong = 0;
    busy->kernel[0].seconds = 60;
    busy->kernel[0].gate = &seen;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    int workers = orr__machine_here.workers < 2 ? 1 : 2;
    ORR_REQUIRE(pthread_create(&t, NULL, evaluate, busy) == 0);
    for (double until = orr__now() + 3; atomic_load(&busy->kernel[0].launches) < workers && orr__now() < until;)
        (void)usleep(1000);
    double began = orr__now();
    (void)evaluate(own);
    ORR_CHECK_MSG(orr__now() - began < 20, "it took %g s", orr__now() - began);
    ORR_CHECK(orr__exec_callers() == 1);
    atomic_store(&seen, true);
    pthread_join(t, NULL);
    ORR_CHECK(wrong == 0 && orr__exec_callers() == 0);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    (void)unsetenv("STARPU_NCPU");
    free(busy);
    free(own);
}

static void stop_waits_for_work_under_way(void)
{
    orr__scalar s = { .f = 2 };
    orr__buffer *out[2];
    orr__run *run;

    shared = three_steps();
    shared->kernel[1].seconds = 5e-3;
    leaf = ramp(N, 0);
    NEED_STARPU;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    ORR_REQUIRE(orr__engine_execute(HERE, &shared->plan, &leaf, &s, out, &run) == ORR_OK);
    orr__engine_stop();
    ORR_CHECK(orr__run_done(run));
    ORR_CHECK(is_ramp(out[0], N, 4, 2));
    orr__buffer_unref(out[0]);
    orr__buffer_unref(out[1]);
    orr__buffer_unref(leaf);
    orr__run_unref(run);
    free(shared);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(threads_evaluate_at_once),
        ORR_TEST(threads_chain_runs_without_waiting),
        ORR_TEST(small_and_large_plans_mix),
        ORR_TEST(several_threads_wait_for_one_run),
        ORR_TEST(stop_waits_for_work_under_way),
        ORR_TEST(callers_who_leave_no_two_processors_compute_themselves),
        { 0 },
    };
    int failed = orr_test_main(argc, argv, "engine.threads", tests);

    orr__pool_trim();
    return failed;
}
