/* Time, medians, interleaved rounds.
 * Must not know: the cases. */
#include "config.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <orrery/status.h>
#include "bench/bench.h"

double bench_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *x, int n)
{
    if (n < 1)
        return 0.0;
    qsort(x, (size_t)n, sizeof *x, order);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

double bench_typical(double *x, int n)
{
    double median = bench_median(x, n);
    return bench_opt.least && n > 0 ? x[0] : median;
}

void bench_settle(void)
{
    (void)usleep(150000); /* OpenBLAS's threads spin for some tens of ms after a call */
}

void bench_await_kernels(bool on)
{
    static bool ours;
    if (on)
        ours = !getenv("ORRERY_JIT") && setenv("ORRERY_JIT", "wait", 1) == 0;
    else if (ours)
        (void)unsetenv("ORRERY_JIT");
}

int bench_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

double bench_ratio(const bench_record *r, bool larger_is_better)
{
    double over = larger_is_better ? r->value : r->reference_value;
    double under = larger_is_better ? r->reference_value : r->value;
    return under > 0.0 ? over / under : 0.0;
}

int bench_failed(const char *name)
{
    (void)fprintf(stderr, "orrery-bench: %s: %s\n", name, orr_error_message());
    return 1;
}

static double untimed;

void bench_untimed(double seconds)
{
    untimed += seconds;
}

/* Median of calls that fill `seconds` (at least 3), after two warm-up calls; < 0: failed. */
static double round_of(const bench_side *side, void *user, double seconds)
{
    enum { MOST = 4096 };
    static double t[MOST];
    double median = -1.0;
    if (side->start && side->start(user) != 0)
        return -1.0;
    if (side->once(user) == 0 && side->once(user) == 0) {
        double begin = bench_now(), last = begin;
        int n = 0, rc = 0;
        while (rc == 0 && n < MOST && (n < 3 || last - begin < seconds)) {
            untimed = 0.0;
            rc = side->once(user);
            double now = bench_now();
            t[n++] = now - last - untimed;
            last = now;
        }
        median = rc == 0 ? bench_median(t, n) : -1.0;
    }
    if (side->stop)
        side->stop(user);
    return median;
}

int bench_interleave(const bench_side *a, const bench_side *b, void *user, int rounds, double seconds, double *ta,
                     double *tb)
{
    double *x = calloc((size_t)rounds * 2, sizeof *x);
    int rc = x ? 0 : 1;
    for (int i = 0; rc == 0 && i < rounds; i++) {
        x[i] = round_of(a, user, seconds);
        x[rounds + i] = x[i] < 0.0 ? -1.0 : round_of(b, user, seconds);
        rc = x[rounds + i] < 0.0;
    }
    if (rc == 0) {
        *ta = bench_typical(x, rounds);
        *tb = bench_typical(x + rounds, rounds);
    }
    free(x);
    return rc;
}
