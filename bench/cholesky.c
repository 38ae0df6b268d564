/* Case cholesky: A = L·Lᵀ for one matrix.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"

typedef struct cholesky {
    int n;
    orr_dtype dtype;
    size_t bytes;
    void *a, *work;
    orr_tensor *ta;
} cholesky;

static int ours_start(void *user)
{
    cholesky *c = user;
    bench_settle();
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("cholesky");
    c->ta = orr_wrap(c->dtype, ORR_SHAPE(c->n, c->n), c->a, NULL, NULL);
    return 0;
}

static int ours_once(void *user)
{
    cholesky *c = user;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_eval(orr_cholesky(c->ta));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("cholesky");
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

/* potrf works in place; the copy of the matrix before each call is not timed. */
static int blas_once(void *user)
{
    cholesky *c = user;
    double t = bench_now();
    memcpy(c->work, c->a, c->bytes);
    bench_untimed(bench_now() - t);
    return peer_blas_potrf(c->dtype == ORR_F64, c->n, c->work);
}

/* A symmetric matrix far from singular: 1/(1 + |i − j|), and n on the diagonal. */
static void fill(cholesky *c)
{
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++) {
            double v = i == j ? c->n : 1.0 / (1 + abs(i - j));
            size_t at = (size_t)i * (size_t)c->n + (size_t)j;
            if (c->dtype == ORR_F64)
                ((double *)c->a)[at] = v;
            else
                ((float *)c->a)[at] = (float)v;
        }
}

static int one_size(bench_sink *out, int rounds, int n, orr_dtype dtype)
{
    static const bench_side ours = { ours_start, ours_once, ours_stop }, blas = { blas_start, blas_once, NULL };
    size_t bytes = (size_t)n * (size_t)n * orr_dtype_size(dtype);
    cholesky c = { .n = n, .dtype = dtype, .bytes = bytes, .a = malloc(bytes), .work = malloc(bytes) };
    double t = 0, direct = 0;
    int rc = c.a && c.work ? 0 : 1;
    if (rc == 0) {
        fill(&c);
        rc = bench_interleave(&ours, &blas, &c, rounds, 0.2, &t, &direct);
    }
    if (rc == 0) {
        double gflop = (double)n * (double)n * (double)n / 3e9;
        bench_record r = { .name = "cholesky",
                           .metric = "rate",
                           .unit = "GFLOP/s",
                           .value = gflop / t,
                           .reference = "potrf of the BLAS library, in place, all cores",
                           .reference_value = gflop / direct };
        (void)snprintf(r.params, sizeof r.params, "\"n\": %d, \"dtype\": \"%s\"", n, orr_dtype_name(dtype));
        r.ratio = bench_ratio(&r, true);
        rc = bench_add(out, &r);
    }
    free(c.work);
    free(c.a);
    return rc;
}

int bench_cholesky(bench_sink *out, int rounds)
{
    int rc = 0;
    if (!peer_blas_has_potrf()) {
        (void)fputs("cholesky: this BLAS library has no LAPACK in it\n", stderr);
        return 1;
    }
    for (int n = 512; n <= 4096; n *= 2)
        if (!bench_opt.filter || atoi(bench_opt.filter) == n)
            rc |= one_size(out, rounds, n, ORR_F32) | one_size(out, rounds, n, ORR_F64);
    return rc;
}
