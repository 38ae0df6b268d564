/* Case recipes: the cost of keeping the leaves of results that only a device has: memory and time, beside a run without them.
 * Must not know: how results are computed again. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <orrery.h>
#include "bench/bench.h"

enum { RESULTS = 16, N = 1 << 20 };

/* Evaluates results that stay, each of a leaf that the program drops: the seconds of an evaluation, and the live bytes after
 * it. */
static int results(double *seconds, double *bytes)
{
    orr_tensor *kept[RESULTS] = { NULL };
    bool ok = true;
    float *v = calloc(N, sizeof *v);
    orr_memory_trim();
    size_t before = orr_memory_stats().live;
    *seconds = 0.0;
    for (int i = 0; v && ok && i < RESULTS; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(N), v);
        kept[i] = orr_keep(orr_sum(orr_reshape(orr_exp(x), ORR_SHAPE(N / 16, 16)), ORR_AXES(1), false));
        double begin = bench_now();
        ok = orr_eval(kept[i]) == ORR_OK;
        *seconds += (bench_now() - begin) / RESULTS;
        (void)orr_scope_end(s);
    }
    orr_memory_trim();
    *bytes = (double)orr_memory_stats().live - (double)before;
    for (int i = 0; i < RESULTS; i++)
        (void)orr_free(kept[i]);
    free(v);
    return v && ok ? 0 : bench_failed("recipes");
}

/* One start of the library with the mechanism `off` switched off. The least time counts, since the first evaluations compile. */
static int side(const char *off, int rounds, double *seconds, double *bytes)
{
    *seconds = HUGE_VAL;
    (void)setenv("ORRERY_ABLATE", off, 1);
    int rc = orr_init(NULL) == ORR_OK ? 0 : bench_failed("recipes");
    (void)unsetenv("ORRERY_ABLATE");
    for (int i = 0; rc == 0 && i < rounds; i++) {
        double t;
        rc = results(&t, bytes);
        *seconds = t < *seconds ? t : *seconds;
    }
    return orr_shutdown() == ORR_OK ? rc : bench_failed("recipes");
}

int bench_recipes(bench_sink *out, int rounds)
{
    enum { TURNS = 3, DEVICE = 1 };
    size_t total, left;
    double seconds[2][TURNS], bytes[2];
    (void)setenv("ORRERY_INLINE_US", "0", 0);
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("recipes");
    bool there = orr_device_memory(DEVICE, &total, &left) == ORR_OK;
    orr_error_clear();
    if (orr_shutdown() != ORR_OK)
        return bench_failed("recipes");
    if (!there) {
        (void)fputs("orrery-bench: recipes: no device with a memory of its own takes part in this run\n", stderr);
        return 0;
    }
    for (int i = 0; i < TURNS; i++)
        for (int off = 0; off < 2; off++)
            if (side(off ? "recipes" : "", rounds, &seconds[off][i], &bytes[off]) != 0)
                return 1;
    bench_record r = { .name = "recipes",
                       .params = "\"results\": 16, \"leaf\": \"4 MiB\"",
                       .metric = "time",
                       .unit = "ms",
                       .value = 1e3 * bench_median(seconds[0], TURNS),
                       .reference = "leaves are dropped",
                       .reference_value = 1e3 * bench_median(seconds[1], TURNS) };
    r.ratio = bench_ratio(&r, false);
    if (bench_add(out, &r) != 0)
        return 1;
    r.metric = "memory";
    r.unit = "MB";
    r.value = 1e-6 * bytes[0];
    r.reference_value = 1e-6 * bytes[1];
    r.ratio = bench_ratio(&r, false);
    return bench_add(out, &r);
}
