/* More callers than cores: they compute one after another, in the order of their coming, and no holder keeps others waiting for ever.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include "runtime/base/fork.h"
#include "runtime/engine/core_lease.h"
#include "tests/harness/engine_plans.h"

enum { MANY = 1000000, WAITERS = 3, THREADS = 8, ROUNDS = 40, N = 500, PLACES = 3 };
static const double long_us = 1e9; /* of so many callers: a lease of half an hour at least */

/* At most two cores for the leases; takes a lease for each place, where there is room for them. Returns the places of long work. */
static int two_cores(uint64_t lease[PLACES])
{
    cpu_set_t before, two;
    int n = 0;
    ORR_CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    CPU_ZERO(&two);
    for (size_t i = 0; i < CPU_SETSIZE && n < 2; i++)
        if (CPU_ISSET(i, &before)) {
            CPU_SET(i, &two);
            n++;
        }
    ORR_CHECK(sched_setaffinity(0, sizeof two, &two) == 0);
    orr__leases_start();
    ORR_CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
    int places = orr__lease_places(long_us);
    ORR_CHECK(places > n && places <= PLACES && orr__lease_places(ORR__LEASE_US) == 2 * n);
    for (int i = 0; lease && i < places; i++)
        ORR_CHECK((lease[i] = orr__lease_begin(MANY, long_us)) != 0);
    return places;
}

static int waiting(void)
{
    int n;
    uint64_t lent;
    orr__lease_counts(&n, &lent);
    return n;
}

static void await(int n)
{
    for (int i = 0; i < 10000 && waiting() != n; i++)
        (void)usleep(1000);
    ORR_CHECK_MSG(waiting() == n, "%d wait, not %d", waiting(), n);
}

static void few_callers_and_short_work_have_no_lease(void)
{
    int n = two_cores(NULL);
    ORR_CHECK(orr__lease_begin(n, long_us) == 0);
    ORR_CHECK(orr__lease_begin(MANY, ORR__LEASE_US - 1) == 0);
    uint64_t lease = orr__lease_begin(n + 1, long_us);
    ORR_CHECK(lease != 0);
    orr__lease_end(lease);
    orr__lease_end(lease); /* over: nothing happens */
    orr__lease_end(0);
}

static int order[WAITERS];
static atomic_int came;

static void *wait_in_turn(void *number)
{
    uint64_t lease = orr__lease_begin(MANY, long_us);
    order[atomic_fetch_add(&came, 1)] = *(int *)number;
    orr__lease_end(lease);
    return NULL;
}

static void cores_are_lent_in_the_order_of_coming(void)
{
    pthread_t thread[WAITERS];
    uint64_t lease[PLACES];
    int number[WAITERS], n = two_cores(lease);
    atomic_store(&came, 0);
    for (int i = 0; i < WAITERS; i++) {
        number[i] = i;
        ORR_REQUIRE(pthread_create(&thread[i], NULL, wait_in_turn, &number[i]) == 0);
        await(i + 1);
    }
    ORR_CHECK(atomic_load(&came) == 0);
    orr__lease_end(lease[0]);
    for (int i = 0; i < WAITERS; i++)
        (void)pthread_join(thread[i], NULL);
    for (int i = 0; i < WAITERS; i++)
        ORR_CHECK_MSG(order[i] == i, "thread %d is number %d", order[i], i);
    for (int i = 1; i < n; i++)
        orr__lease_end(lease[i]);
}

static void a_holder_that_does_not_end_keeps_nobody_waiting(void)
{
    int n = two_cores(NULL);
    uint64_t held[PLACES];
    for (int i = 0; i < n; i++)
        held[i] = orr__lease_begin(n + 1, 10 * ORR__LEASE_US);
    double t0 = orr__now();
    for (int i = 0; i < 5; i++) /* none of these ends */
        ORR_CHECK(orr__lease_begin(n + 1, long_us) != 0);
    ORR_CHECK_MSG(orr__now() - t0 < 5, "%g s", orr__now() - t0);
    for (int i = 0; i < n; i++)
        orr__lease_end(held[i]);
    ORR_CHECK(waiting() == 0);
}

/* A child knows neither the waiters, whose threads it has not, nor the holders. */
static void a_forked_child_waits_for_nobody(void)
{
    pthread_t thread;
    uint64_t lease[PLACES];
    int number = 0, n = two_cores(lease), status = -1;
    atomic_store(&came, 0);
    ORR_REQUIRE(pthread_create(&thread, NULL, wait_in_turn, &number) == 0);
    await(1);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(20);
        uint64_t mine = orr__lease_begin(MANY, long_us);
        orr__lease_end(mine);
        _exit(mine != 0 && waiting() == 0 ? 0 : 1);
    }
    ORR_CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    for (int i = 0; i < n; i++)
        orr__lease_end(lease[i]);
    (void)pthread_join(thread, NULL);
    ORR_CHECK(waiting() == 0);
}

static orr__buffer *leaf;
static atomic_int wrong;

/* Each thread has a plan of its own, x + c of 200 µs. */
static void *evaluate(void *unused)
{
    hand *h = hand_new();
    int x = hand_leaf(h, N);
    hand_output(h, hand_step(h, N, 1, false, 1, &x));
    h->plan.us = h->plan.lanes.alone = 200;
    h->kernel[0].seconds = 2e-4;
    for (int k = 0; k < ROUNDS; k++) {
        orr__buffer *out;
        orr__scalar c = { .f = k };
        if (orr__engine_execute(HERE, &h->plan, &leaf, &c, &out, NULL) != ORR_OK || !is_ramp(out, N, k, 1))
            atomic_fetch_add(&wrong, 1);
        else
            orr__buffer_unref(out);
    }
    free(h);
    return unused;
}

static void crowd(const char *engine)
{
    pthread_t thread[THREADS];
    uint64_t before, after;
    int n;
    ORR_REQUIRE(engine_up(engine) == ORR_OK);
    (void)two_cores(NULL);
    leaf = ramp(N, 0);
    orr__lease_counts(&n, &before);
    for (int i = 0; i < THREADS; i++)
        ORR_REQUIRE(pthread_create(&thread[i], NULL, evaluate, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(thread[i], NULL);
    orr__lease_counts(&n, &after);
    ORR_CHECK(atomic_load(&wrong) == 0 && n == 0);
    ORR_CHECK_MSG(after - before > THREADS * ROUNDS / 4, "%d leases", (int)(after - before));
    orr__buffer_unref(leaf);
    orr__engine_stop();
}

static void eight_threads_evaluate_by_leases(void)
{
    crowd("serial");
}

static void eight_threads_evaluate_by_leases_beside_workers(void)
{
#ifdef HAVE_STARPU
    (void)setenv("STARPU_NCPU", "2", 1);
    crowd("starpu");
#else
    NEED_STARPU;
#endif
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(few_callers_and_short_work_have_no_lease),
                                      ORR_TEST(cores_are_lent_in_the_order_of_coming),
                                      ORR_TEST(a_holder_that_does_not_end_keeps_nobody_waiting),
                                      ORR_TEST(a_forked_child_waits_for_nobody),
                                      ORR_TEST(eight_threads_evaluate_by_leases),
                                      ORR_TEST(eight_threads_evaluate_by_leases_beside_workers),
                                      { 0 } };
    return orr_test_main(argc, argv, "engine.core_lease", tests);
}
