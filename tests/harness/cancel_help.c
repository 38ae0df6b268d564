/* Evaluations that are cancelled at a given moment, of chains whose values are known.
 * Must not know: the shape of a chain, how work is stopped. */
#include "config.h"

#include "tests/harness/cancel_help.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

const cancel_lane cancel_lanes[CANCEL_LANES] = { { "serial", "auto" }, { "starpu", "0" }, { "starpu", "auto" } };

bool cancel_up(const cancel_lane *l, const char *workers)
{
    (void)setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    (void)setenv("ORRERY_ENGINE", l->engine, 1);
    (void)setenv("ORRERY_INLINE_US", l->inline_us, 1);
    (void)setenv("STARPU_NCPU", workers, 1);
    bool is = orr_init(NULL) == ORR_OK;
    if (!is && orr_error_status() == ORR_EDEVICE)
        orr_error_clear();
    else
        ORR_CHECK_MSG(is, "%s", orr_error_message());
    return is;
}

double cancel_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cancel_moment(unsigned long long *seed, double whole)
{
    return whole * 1.2 * (double)(orr_test_rand(seed) >> 11) * 0x1p-53;
}

orr_tensor *cancel_shift(int n)
{
    double *p = calloc((size_t)n * (size_t)n, sizeof *p);
    for (int i = 0; p && i < n; i++)
        p[i * n + (i + 1) % n] = 1;
    orr_tensor *t = orr_from(ORR_F64, ORR_SHAPE(n, n), p);
    free(p);
    return t;
}

orr_tensor *cancel_ramp(int n)
{
    return orr_reshape(orr_arange(ORR_F64, 0, (double)n * n, 1), ORR_SHAPE(n, n));
}

bool cancel_is_after(orr_tensor *t, int n, int links)
{
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    double *got = malloc(bytes);
    bool all = got && orr_read(t, got, bytes) == ORR_OK;
    ORR_CHECK_MSG(all, "%s", orr_error_message());
    for (int i = 0; i < n && all; i++)
        for (int k = 0; k < n && all; k++)
            all = got[i * n + (k + links) % n] == i * n + k + links;
    free(got);
    return all;
}

void *cancel_later(void *arg)
{
    canceller *c = arg;
    double t0 = cancel_now();
    while (cancel_now() - t0 < c->after)
        (void)usleep(20);
    c->said = orr_cancel(c->event);
    return NULL;
}

orr_status cancel_by_thread(orr_tensor *t, double seconds)
{
    pthread_t thread;
    canceller c = { orr_cancellable_begin(INFINITY), seconds, ORR_OK };
    ORR_CHECK(c.event && pthread_create(&thread, NULL, cancel_later, &c) == 0);
    orr_status st = orr_eval(t);
    ORR_CHECK(pthread_join(thread, NULL) == 0 && c.said == ORR_OK);
    ORR_CHECK(orr_cancellable_end(c.event) == ORR_OK);
    return st;
}
