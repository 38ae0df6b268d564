/* Processor time of a program that evaluates now and then: little more than the work takes alone, and none while the program rests.
 * Must not know: how workers wait. */
#include "config.h"

#include <orrery.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "tests/harness/harness.h"

enum { WARM = 60, CALLS = 60 };

/* Of all threads. */
static double cpu_time(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void evaluate(orr_tensor *x)
{
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_eval(orr_softmax(orr_tanh(orr_mul(x, x)), 1)) == ORR_OK);
    (void)orr_scope_end(s);
}

/* CPU seconds of a call, the least mean of five rows: other load only adds to it (caches, and the wait for a helper that has lost its core). */
static double each(orr_tensor *x, useconds_t rest)
{
    double best = 1e9;
    for (int row = 0; row < 5; row++) {
        double t0 = cpu_time();
        for (int i = 0; i < CALLS / 5; i++) {
            if (rest)
                (void)usleep(rest);
            evaluate(x);
        }
        double took = (cpu_time() - t0) / (CALLS / 5);
        best = took < best ? took : best;
    }
    return best;
}

/* The same computation without workers. */
static double alone(int64_t rows)
{
    ORR_CHECK(setenv("ORRERY_ENGINE", "serial", 1) == 0 && orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(rows, 512));
    for (int i = 0; i < WARM; i++)
        evaluate(x);
    double t = each(x, 10000);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_ENGINE") == 0);
    return t;
}

static double with_workers(int64_t rows)
{
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(rows, 512));
    for (int i = 0; i < WARM; i++)
        evaluate(x);
    for (int i = 0; i < WARM; i++) { /* the gaps are learned */
        (void)usleep(10000);
        evaluate(x);
    }
    double t = each(x, 10000);
    (void)orr_scope_end(s);
    return t;
}

/* CPU time of a call at most `factor` of that alone, and `more` seconds; one of three measurements suffices, as other load may take part in each. */
static void takes_little_more(int64_t rows, double factor, double more)
{
    double base = 0, t = 1;
    for (int i = 0; i < 3 && t >= factor * base + more; i++) {
        base = alone(rows);
        t = with_workers(rows);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    ORR_CHECK_MSG(t < factor * base + more, "%.0f us of all threads, %.0f alone", t * 1e6, base * 1e6);
}

static void little_work_now_and_then_takes_little_more_than_alone(void)
{
    takes_little_more(256, 1.3, 20e-6); /* some 100 us */
}

/* Workers are woken, which costs them some 10 us each time. */
static void work_that_is_shared_takes_little_more_than_alone(void)
{
    takes_little_more(4096, 1.5, 50e-6);
}

enum { LONG = 3000000 };

/* CPU seconds of a sort, which is one task, the least of five. */
static double of_one_task(const char *engine)
{
    double best = 1e9;
    ORR_CHECK(setenv("ORRERY_ENGINE", engine, 1) == 0 && orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(LONG), 0, 1);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    for (int i = 0; i < 5; i++) {
        orr_scope *inner = orr_scope_begin();
        double t0 = cpu_time();
        ORR_CHECK(orr_eval(orr_sort(x, 0, false)) == ORR_OK);
        double took = cpu_time() - t0;
        best = took < best ? took : best;
        (void)orr_scope_end(inner);
    }
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_ENGINE") == 0);
    return best;
}

/* A worker that spun through the run would double the processor time. */
static void workers_without_a_task_nap(void)
{
#ifdef HAVE_STARPU
    ORR_CHECK(setenv("STARPU_NCPU", "2", 1) == 0 && setenv("ORRERY_INLINE_US", "0", 1) == 0);
    double base = of_one_task("serial"), t = of_one_task("starpu");
    ORR_CHECK(unsetenv("STARPU_NCPU") == 0 && unsetenv("ORRERY_INLINE_US") == 0);
    ORR_CHECK_MSG(t < 1.4 * base, "%.1f ms of all threads, %.1f alone", t * 1e3, base * 1e3);
#else
    ORR_SKIP("built without StarPU");
#endif
}

enum { THREADS = 8, EACH = 200 };

typedef struct {
    double cpu;
    long waits; /* voluntary context switches */
} thread_load;

static void *evaluate_often(void *user)
{
    thread_load *load = user;
    struct rusage before, after;
    struct timespec t[2];
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(256, 64));
    for (int i = 0; i < WARM; i++)
        evaluate(x);
    getrusage(RUSAGE_THREAD, &before);
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t[0]);
    for (int i = 0; i < EACH; i++)
        evaluate(x);
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t[1]);
    getrusage(RUSAGE_THREAD, &after);
    load->waits = after.ru_nvcsw - before.ru_nvcsw;
    load->cpu = ((double)(t[1].tv_sec - t[0].tv_sec) + 1e-9 * (double)(t[1].tv_nsec - t[0].tv_nsec)) / EACH;
    (void)orr_scope_end(s);
    return NULL;
}

/* In a convoy each evaluation waits for a lock once or more, and a spinning thread uses the time of others. */
static void threads_hardly_wait_for_each_other(void)
{
    pthread_t thread[THREADS];
    thread_load one, load[THREADS], sum = { .cpu = 0 };
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    (void)evaluate_often(&one);
    for (int i = 0; i < THREADS; i++)
        ORR_REQUIRE(pthread_create(&thread[i], NULL, evaluate_often, &load[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(thread[i], NULL);
        sum.waits += load[i].waits;
        sum.cpu += load[i].cpu / THREADS;
    }
    ORR_CHECK_MSG(sum.waits < THREADS * EACH / 2, "%ld waits in %d evaluations", sum.waits, THREADS * EACH);
    ORR_CHECK_MSG(sum.cpu < 4 * one.cpu + 100e-6, "%g us of a processor, %g alone", 1e6 * sum.cpu, 1e6 * one.cpu);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Voluntary context switches of the process while its only running thread sleeps. */
static void at_rest_nothing_wakes(void)
{
    struct rusage before, after;
    (void)with_workers(4096);
    (void)usleep(1500000); /* the crew leaves, workers sleep, free memory returns to the system */
    double t0 = cpu_time();
    getrusage(RUSAGE_SELF, &before);
    (void)usleep(1000000);
    getrusage(RUSAGE_SELF, &after);
    ORR_CHECK_MSG(after.ru_nvcsw - before.ru_nvcsw <= 5, "%ld wake-ups in a second", after.ru_nvcsw - before.ru_nvcsw);
    ORR_CHECK_MSG(cpu_time() - t0 < 0.005, "%g s of processor time in a second", cpu_time() - t0);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(little_work_now_and_then_takes_little_more_than_alone),
                                      ORR_TEST(work_that_is_shared_takes_little_more_than_alone),
                                      ORR_TEST(workers_without_a_task_nap),
                                      ORR_TEST(threads_hardly_wait_for_each_other),
                                      ORR_TEST(at_rest_nothing_wakes),
                                      { 0 } };
    if (setenv("ORRERY_JIT", "wait", 1) != 0)
        return 1;
    return orr_test_main(argc, argv, "engine.pace", tests);
}
