/* Case gemm: C = A·B, square, f32.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <orrery.h>
#include "bench/bench.h"

typedef struct gemm {
    int n;
    float *a, *b, *c;
    orr_tensor *ta, *tb;
} gemm;

static int ours_start(void *user)
{
    gemm *g = user;
    bench_settle();
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("gemm");
    orr_shape shape = ORR_SHAPE(g->n, g->n);
    g->ta = orr_wrap(ORR_F32, shape, g->a, NULL, NULL);
    g->tb = orr_wrap(ORR_F32, shape, g->b, NULL, NULL);
    return 0;
}

static int ours_once(void *user)
{
    gemm *g = user;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_eval(orr_matmul(g->ta, g->tb));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("gemm");
}

static void ours_stop(void *user)
{
    (void)user;
    (void)orr_shutdown();
}

static int blas_start(void *user)
{
    (void)user;
    peer_blas_threads(bench_cores());
    return 0;
}

static int blas_once(void *user)
{
    gemm *g = user;
    peer_blas_gemm(false, false, g->n, g->n, g->n, g->a, g->b, g->c);
    return 0;
}

static int one_size(bench_sink *out, int rounds, int n)
{
    static const bench_side ours = { ours_start, ours_once, ours_stop }, blas = { blas_start, blas_once, NULL };
    size_t bytes = sizeof(float) * (size_t)n * (size_t)n;
    gemm g = { .n = n, .a = malloc(bytes), .b = malloc(bytes), .c = malloc(bytes) };
    double t = 0.0, direct = 0.0;
    int rc = g.a && g.b && g.c ? 0 : 1;
    for (int i = 0; rc == 0 && i < n * n; i++) {
        g.a[i] = (float)(i % 17 - 8) * 0.125f;
        g.b[i] = (float)(i % 13 - 6) * 0.25f;
        g.c[i] = 0.0f;
    }
    if (rc == 0)
        rc = bench_interleave(&ours, &blas, &g, rounds, 0.2, &t, &direct);
    if (rc == 0) {
        double gflop = 2e-9 * (double)n * (double)n * (double)n;
        bench_record r = { .name = "gemm",
                           .metric = "rate",
                           .unit = "GFLOP/s",
                           .value = gflop / t,
                           .reference = "direct BLAS, all cores",
                           .reference_value = gflop / direct };
        (void)snprintf(r.params, sizeof r.params, "\"n\": %d, \"dtype\": \"float32\"", n);
        r.ratio = bench_ratio(&r, true);
        rc = bench_add(out, &r);
    }
    free(g.c);
    free(g.b);
    free(g.a);
    return rc;
}

int bench_gemm(bench_sink *out, int rounds)
{
    int rc = 0;
    for (int n = 16; n <= 4096; n *= 2)
        if (!bench_opt.filter || atoi(bench_opt.filter) == n)
            rc |= one_size(out, rounds, n);
    return rc;
}
