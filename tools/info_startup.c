/* orrery-info --startup: the time of each phase in a fresh process.
 * Must not know: anything but the public headers. */
#include <stdio.h>
#include <time.h>
#include <orrery.h>
#include "tools/info.h"

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void phase(const char *name, double from, const char *what)
{
    printf("%-16s %10.3f ms  %s\n", name, (now() - from) * 1e3, what);
}

static int evaluate(int64_t n)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(n));
    orr_status st = orr_eval(orr_sum(orr_mul(orr_add(x, x), x), ORR_ALL_AXES, false));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : orr_error_print(stderr);
}

/* The median time of a few evaluations whose plan and kernel exist. */
static double again(int64_t n, int *rc)
{
    enum { TIMES = 21 };
    double t[TIMES];

    for (int i = 0; i < TIMES; i++) {
        double from = now();
        *rc |= evaluate(n);
        t[i] = now() - from;
        for (int k = i; k > 0 && t[k] < t[k - 1]; k--) {
            double x = t[k];
            t[k] = t[k - 1];
            t[k - 1] = x;
        }
    }
    return t[TIMES / 2];
}

int info_startup(void)
{
    enum { SMALL = 64, LARGE = 1 << 22 };
    double from = now();
    int n = orr_devices(NULL, 0), rc;
    char text[80];

    (void)snprintf(text, sizeof text, "%d device%s", n, n == 1 ? "" : "s");
    phase("discovery", from, text);
    from = now();
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    phase("init", from, orr_engine_name());
    from = now();
    rc = evaluate(SMALL);
    phase("first graph", from, "record, plan and run 64 elements");
    from = now();
    rc |= evaluate(LARGE);
    phase("first kernel", from, "the same for 2^22, with tasks and kernels");
    double t = again(SMALL, &rc);
    printf("%-16s %10.3f ms  %s\n", "dispatch", t * 1e3, "an evaluation of 64 elements whose plan is there");
    t = again(LARGE, &rc);
    printf("%-16s %10.3f ms  %s\n", "dispatch, large", t * 1e3, "the same of 2^22");
    from = now();
    if (orr_shutdown() != ORR_OK)
        return orr_error_print(stderr);
    phase("shutdown", from, "");
    return rc || ferror(stdout) ? 1 : 0;
}
