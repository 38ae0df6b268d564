/* A long call of a library that runs alone uses the cores of idle workers, and returns them.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include <pthread.h>
#include "tests/harness/engine_plans.h"

enum { CORES = 2 };
static const double forever = 120;

/* Starts two workers, and a library with as many threads of its own. False: it cannot lend them. */
static bool up(void)
{
    (void)setenv("STARPU_NCPU", "2", 1);
    return orr__cpu_blas_get_threads() >= CORES && orr__cpu_blas_threads_change() && engine_up("starpu") == ORR_OK;
}

#define NEED_THREADS                                                                                                   \
    NEED_STARPU;                                                                                                       \
    if (!up())                                                                                                         \
    ORR_SKIP("BLAS has no second thread to lend")

/* A step over x that borrows, and runs until it is told to end. */
static int borrower(hand *h, int x)
{
    int s = h->plan.nstep, v = hand_step(h, 10, 1, false, 1, &x);
    h->step[s].borrows = true;
    h->kernel[s].seconds = forever;
    return v;
}

static hand *alone(void)
{
    hand *h = hand_new();
    hand_output(h, borrower(h, hand_leaf(h, 10)));
    return h;
}

static orr__run *submit(hand *h, orr__buffer **leaf, orr__buffer **out)
{
    orr__scalar zero = { .f = 0 };
    orr__run *run = NULL;
    *leaf = ramp(10, 0);
    ORR_CHECK(orr__engine_execute(HERE, &h->plan, leaf, &zero, out, &run) == ORR_OK);
    return run;
}

static void end(hand *h, orr__run *run, orr__buffer *leaf, orr__buffer **out)
{
    ORR_CHECK(orr__run_wait(run) == ORR_OK);
    orr__run_unref(run);
    for (int i = 0; i < h->plan.nout; i++)
        orr__buffer_unref(out[i]);
    orr__buffer_unref(leaf);
    free(h);
}

/* Waits as the caller, and within the plan's only task. */
static bool call(hand *h)
{
    orr__scalar zero = { .f = 0 };
    orr__buffer *leaf = ramp(10, 0), *out[1];
    bool ok = orr__engine_execute(HERE, &h->plan, &leaf, &zero, out, NULL) == ORR_OK;
    if (ok)
        orr__buffer_unref(out[0]);
    orr__buffer_unref(leaf);
    return ok;
}

/* True if the number of threads becomes `threads` within the time that a busy machine may need. */
static bool becomes(int threads)
{
    double until = orr__now() + 60;
    while (orr__cpu_blas_get_threads() != threads && orr__now() < until)
        usleep(100);
    return orr__cpu_blas_get_threads() == threads;
}

static void a_task_alone_borrows_and_gives_back(void)
{
    int found = orr__cpu_blas_get_threads();
    orr__buffer *leaf, *out[1];
    NEED_THREADS;
    ORR_CHECK(orr__cpu_blas_get_threads() == 1);
    for (int k = 0; k < 20; k++) {
        hand *h = alone();
        h->kernel[0].wanted = CORES;
        orr__run *run = submit(h, &leaf, out);
        ORR_CHECK(orr__run_wait(run) == ORR_OK);
        ORR_CHECK_MSG(atomic_load(&h->kernel[0].threads) == CORES, "round %d: %d threads", k, h->kernel[0].threads);
        ORR_CHECK(orr__cpu_blas_get_threads() == 1);
        end(h, run, leaf, out);
    }
    orr__engine_stop();
    ORR_CHECK(orr__cpu_blas_get_threads() == found);
}

static void a_waiting_caller_does_it_with_the_workers_cores(void)
{
    NEED_THREADS;
    for (int k = 0; k < 20; k++) {
        hand *h = alone();
        h->plan.ntasks = 1;
        h->kernel[0].wanted = CORES;
        usleep(k % 2 ? 5000 : 0); /* workers sleep or spin */
        ORR_CHECK(call(h));
        ORR_CHECK_MSG(atomic_load(&h->kernel[0].threads) == CORES, "round %d: %d threads", k, h->kernel[0].threads);
        ORR_CHECK(orr__cpu_blas_get_threads() == 1);
        free(h);
    }
    orr__engine_stop();
}

/* A later run finds its worker; the call goes on with one thread until that run has ended. */
static void others_get_their_cores_at_once(void)
{
    orr__buffer *leaf, *out[1], *in = ramp(100, 0), *sum;
    static atomic_bool go;
    NEED_THREADS;
    atomic_store(&go, false);
    hand *h = alone();
    h->kernel[0].gate = &go;
    orr__run *run = submit(h, &leaf, out);
    ORR_CHECK(becomes(CORES));
    for (int k = 0; k < 20; k++) {
        hand *other = hand_new();
        int x = hand_leaf(other, 100), y = hand_step(other, 100, 2, false, 1, &x);
        hand_output(other, hand_step(other, 100, 1, false, 1, &y));
        other->plan.ntasks = 3;
        other->kernel[0].seconds = other->kernel[1].seconds = k % 2 ? 0 : 1e-3;
        ORR_CHECK(hand_run(other, &in, 1, &sum) == ORR_OK);
        ORR_CHECK_MSG(atomic_load(&other->kernel[0].threads) == 1 && atomic_load(&other->kernel[1].threads) == 1,
                      "round %d", k);
        orr__buffer_unref(sum);
        free(other);
        ORR_CHECK_MSG(becomes(CORES), "round %d", k);
    }
    ORR_CHECK(atomic_load(&h->kernel[0].launches) == 1);
    atomic_store(&go, true);
    end(h, run, leaf, out);
    ORR_CHECK(orr__cpu_blas_get_threads() == 1);
    orr__buffer_unref(in);
    orr__engine_stop();
}

/* Two such steps in one plan have a worker each. The remaining one borrows the other's core. */
static void two_do_not_borrow(void)
{
    orr__buffer *leaf, *out[2];
    static atomic_bool go;
    NEED_THREADS;
    atomic_store(&go, false);
    hand *h = hand_new();
    int x = hand_leaf(h, 10);
    hand_output(h, borrower(h, x));
    hand_output(h, borrower(h, x));
    h->kernel[0].gate = &go;
    h->kernel[1].wanted = CORES;
    orr__run *run = submit(h, &leaf, out);
    while (atomic_load(&h->kernel[0].launches) + atomic_load(&h->kernel[1].launches) < 2)
        usleep(100);
    ORR_CHECK(becomes(1));
    usleep(20000);
    ORR_CHECK(orr__cpu_blas_get_threads() == 1);
    atomic_store(&go, true);
    end(h, run, leaf, out);
    orr__engine_stop();
}

static void *calls(void *h)
{
    return call(h) ? h : NULL;
}

static void two_callers_do_not_borrow(void)
{
    static atomic_bool go[2];
    hand *h[2];
    pthread_t thread[2];
    void *ok;
    NEED_THREADS;
    for (int i = 0; i < 2; i++) {
        h[i] = alone();
        h[i]->plan.ntasks = 1;
        atomic_store(&go[i], false);
        h[i]->kernel[0].gate = &go[i];
        ORR_REQUIRE(pthread_create(&thread[i], NULL, calls, h[i]) == 0);
        ORR_CHECK(becomes(i == 0 ? CORES : 1));
    }
    for (int i = 0; i < 2; i++) {
        atomic_store(&go[i], true);
        (void)pthread_join(thread[i], &ok);
        ORR_CHECK(ok != NULL);
        ORR_CHECK(becomes(i == 0 ? CORES : 1));
        free(h[i]);
    }
    orr__engine_stop();
}

/* The steps after one that borrows have workers. */
static void successors_run(void)
{
    NEED_THREADS;
    for (int k = 0; k < 50; k++) {
        orr__buffer *leaf, *out[1];
        hand *h = hand_new();
        int v = borrower(h, hand_leaf(h, 10));
        h->kernel[0].wanted = CORES;
        for (int i = 0; i < 5; i++)
            v = hand_step(h, 10, 2, false, 1, &v);
        hand_output(h, v);
        orr__run *run = submit(h, &leaf, out);
        end(h, run, leaf, out);
    }
    ORR_CHECK(orr__cpu_blas_get_threads() == 1);
    orr__engine_stop();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_task_alone_borrows_and_gives_back),
                                      ORR_TEST(a_waiting_caller_does_it_with_the_workers_cores),
                                      ORR_TEST(others_get_their_cores_at_once),
                                      ORR_TEST(two_do_not_borrow),
                                      ORR_TEST(two_callers_do_not_borrow),
                                      ORR_TEST(successors_run),
                                      { 0 } };
    return orr_test_main(argc, argv, "engine.borrow", tests);
}
