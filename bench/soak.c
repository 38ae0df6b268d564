/* Case soak: training steps for --seconds; compares speed and memory of the last tenth with those of the first.
 * Must not know: the network, other cases. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <orrery.h>
#include "bench/bench.h"
#include "bench/train.h"

enum { PARTS = 10, SAMPLES = 20000 };
#define WARM_SECONDS 3.0 /* kernels are compiled, models learnt */

/* A tenth of the time. If it has more steps than fit, each is kept with the same probability. */
typedef struct part {
    double step[SAMPLES];
    long steps;
    double rss, most; /* MB: sum and maximum of its readings */
    int readings;
} part;

static part parts[PARTS]; /* all memory of the measurement, allocated at the start */

static double resident(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    int n = f ? fscanf(f, "%*d %ld", &pages) : 0;
    if (f)
        (void)fclose(f);
    return n == 1 ? (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6 : 0.0;
}

static void keep(part *p, double seconds)
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    long at = p->steps < SAMPLES ? p->steps : (long)((state >> 33) % (unsigned long long)(p->steps + 1));
    if (at < SAMPLES)
        p->step[at] = seconds;
    p->steps++;
}

static void read_memory(part *p)
{
    double rss = resident();
    p->rss += rss;
    p->most = rss > p->most ? rss : p->most;
    p->readings++;
}

static int go_on(double seconds)
{
    double begin = bench_now(), last = begin, next = begin;
    while (last - begin < seconds) {
        part *p = &parts[(int)((last - begin) / seconds * PARTS)];
        if (train_ours_once(NULL) != 0)
            return 1;
        double now = bench_now();
        keep(p, now - last);
        if (now >= next) {
            read_memory(p);
            next = now + 0.05;
        }
        last = bench_now();
    }
    return 0;
}

static int warm(void)
{
    double begin = bench_now();
    int rc = 0;
    while (rc == 0 && bench_now() - begin < WARM_SECONDS)
        rc = train_ours_once(NULL);
    return rc;
}

static int add(bench_sink *out, const char *metric, const char *unit, double last, double first, double seconds)
{
    bench_record r = { .name = "soak",
                       .metric = metric,
                       .unit = unit,
                       .value = last,
                       .reference = "the first tenth of the time",
                       .reference_value = first };
    (void)snprintf(r.params, sizeof r.params, "\"network\": \"mnist5\", \"what\": \"%s\", \"seconds\": %g", metric,
                   seconds);
    r.ratio = bench_ratio(&r, false);
    return bench_add(out, &r);
}

int bench_soak(bench_sink *out, int rounds)
{
    double losses = 0.0, seconds = bench_opt.seconds > 0.0 ? bench_opt.seconds : 30.0;
    part *first = &parts[0], *last = &parts[PARTS - 1];
    (void)rounds;
    for (int i = 0; i < PARTS; i++) {
        parts[i].steps = parts[i].readings = 0;
        parts[i].rss = parts[i].most = 0.0;
        for (int k = 0; k < SAMPLES; k++) /* touches its pages */
            parts[i].step[k] = 1.0;
    }
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("soak");
    int rc = train_ours_prepare("mnist5", &losses);
    rc = rc != 0 ? rc : warm();
    rc = rc != 0 ? rc : go_on(seconds);
    train_ours_drop();
    if (orr_shutdown() != ORR_OK || rc != 0)
        return bench_failed("soak");
    if (!first->steps || !last->steps || !first->readings || !last->readings) {
        (void)fputs("orrery-bench: soak: a tenth of the time is too short for a step: --seconds\n", stderr);
        return 1;
    }
    int n = first->steps < SAMPLES ? (int)first->steps : SAMPLES,
        m = last->steps < SAMPLES ? (int)last->steps : SAMPLES;
    return add(out, "step time", "ms", 1e3 * bench_median(last->step, m), 1e3 * bench_median(first->step, n), seconds) |
           add(out, "mean memory", "MB", last->rss / last->readings, first->rss / first->readings, seconds) |
           add(out, "most memory", "MB", last->most, first->most, seconds);
}
