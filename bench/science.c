/* Case science: sorting, searching, sums along a line, a product of five tensors, transforms and random points, beside NumPy, JAX and PyTorch.
 * Must not know: how they are computed. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"
#include "bench/fusion.h"
#include "bench/side.h"

#define TURN_SECONDS 0.5
#define CASE_SECONDS 30 /* no further round begins after this time */

enum { LINE = 10000000, ROWS = 4096, COLS = 1024, BEST = 100, OUTER = 64, INNER = 24 };
enum { WAVE = 1 << 20, PRIME = 1000003, SIDE = 1024, IMAGE = 4096, POINTS = 100000000 };

/* -- the computations; bench/peers/science.py has the same --------------------------------------------------- */

static orr_tensor *input[5];

#define WORK(name, expr)                                                                                               \
    static orr_tensor *name(void)                                                                                      \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }
WORK(sort, orr_sort(input[0], -1, false))
WORK(argsort, orr_argsort(input[0], -1, false))
WORK(cumulative_sum, orr_cumulative_sum(input[0], -1, false))
WORK(columns, orr_cumulative_sum(input[0], 0, false))
WORK(fft, orr_fft(input[0], 0, -1, ORR_FFT_BACKWARD))
WORK(convolve, orr_convolve(input[0], input[1], ORR_CONV_SAME, ORR_CONV_ZERO))
WORK(einsum, orr_einsum("ai,bj,ck,dl,ijkl->abcd", input, 5))

static orr_tensor *topk(void)
{
    orr_tensor *values, *places;
    (void)orr_topk(input[0], BEST, -1, true, &values, &places);
    return values;
}

static orr_tensor *unique(void)
{
    orr_tensor *values, *counts;
    (void)orr_unique_counts(input[0], &values, &counts);
    return counts;
}

/* Pi, from the share of points inside the circle, and 0. */
static orr_tensor *pi(void)
{
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(POINTS), -1, 1), *y = orr_rand(ORR_F32, ORR_SHAPE(POINTS), -1, 1);
    orr_tensor *in = orr_less_equal(orr_add(orr_square(x), orr_square(y)), orr_scalar(1));
    orr_tensor *hits = orr_cast(orr_sum(in, ORR_ALL_AXES, false), ORR_F64);
    return orr_mul(orr_arange(ORR_F64, 0, 2, 1), orr_mul(hits, orr_scalar(4.0 / POINTS)));
}

static const struct {
    const char *name;
    orr_tensor *(*work)(void);
    bool rows; /* 4096 × 1024 elements; else a line of 10⁷ */
    int n, m;  /* order of a transform; taps per axis of a convolution, m = 1: separable ones */
} cases[] = {
    { "sort", sort, false, 0, 0 },
    { "argsort", argsort, false, 0, 0 },
    { "sort-rows", sort, true, 0, 0 },
    { "argsort-rows", argsort, true, 0, 0 },
    { "topk", topk, false, 0, 0 },
    { "topk-rows", topk, true, 0, 0 },
    { "cumulative-sum", cumulative_sum, false, 0, 0 },
    { "cumulative-sum-rows", cumulative_sum, true, 0, 0 },
    { "cumulative-sum-columns", columns, true, 0, 0 },
    { "unique", unique, false, 0, 0 },
    { "einsum", einsum, false, 0, 0 },
    { "pi", pi, false, 0, 0 },
    { "fft", fft, false, 1, WAVE },
    { "fft-rows", fft, false, SIDE, SIDE },
    { "fft-prime", fft, false, 1, PRIME },
    { "convolve-5", convolve, false, 5, 5 },
    { "convolve-15", convolve, false, 15, 15 },
    { "convolve-63", convolve, false, 63, 63 },
    { "convolve-separable", convolve, false, 31, 1 },
};

static int number;

static double once(void *unused)
{
    (void)unused;
    double begin = bench_now();
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_eval(cases[number].work());
    (void)orr_scope_end(s);
    return st == ORR_OK ? bench_now() - begin : -1.0;
}

static orr_tensor *filled(orr_shape s, int which)
{
    int64_t n = 1;
    for (int d = 0; d < s.rank; d++)
        n *= s.dim[d];
    float *x = malloc((size_t)n * sizeof *x);
    if (x)
        fusion_fill(x, n, which, -1.0f, 1.0f);
    orr_tensor *t = orr_from(ORR_F32, s, x);
    free(x);
    return t;
}

/* The outer product of two rows of n taps. */
static orr_tensor *separable(int n)
{
    float *w = calloc((size_t)(n * n + 2 * n), sizeof *w);
    if (w) {
        float *u = w + n * n, *v = u + n;
        fusion_fill(u, n, 1, -1.0f, 1.0f);
        fusion_fill(v, n, 2, -1.0f, 1.0f);
        for (int i = 0; i < n * n; i++)
            w[i] = u[i / n] * v[i % n];
    }
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(n, n), w);
    free(w);
    return t;
}

/* The integer values of unique's line are 0 … 99999, a hundred of each. */
static void prepare(void)
{
    if (cases[number].work == einsum)
        for (int k = 0; k < 5; k++)
            input[k] = filled(k < 4 ? ORR_SHAPE(OUTER, INNER) : ORR_SHAPE(INNER, INNER, INNER, INNER), k);
    else if (cases[number].work == fft)
        input[0] = orr_complex(filled(ORR_SHAPE(cases[number].n, cases[number].m), 0),
                               filled(ORR_SHAPE(cases[number].n, cases[number].m), 1));
    else if (cases[number].work == convolve)
        for (int k = 0; k < 2; k++)
            input[k] = !k                    ? filled(ORR_SHAPE(IMAGE, IMAGE), 0)
                       : cases[number].m > 1 ? filled(ORR_SHAPE(cases[number].n, cases[number].m), k)
                                             : separable(cases[number].n);
    else if (cases[number].work == pi)
        input[0] = orr_zeros(ORR_F32, ORR_SHAPE(1));
    else
        input[0] = filled(cases[number].rows ? ORR_SHAPE(ROWS, COLS) : ORR_SHAPE(LINE), 0);
    if (cases[number].work == unique)
        input[0] = orr_floor(orr_mul(orr_add(input[0], orr_scalar(1)), orr_scalar(50000)));
}

/* Σ y[i] · (i mod 17) / n, by which the sides' results are compared. */
static double checksum(orr_tensor *y)
{
    int64_t n = orr_tensor_size(y);
    y = orr_tensor_dtype(y) == ORR_C64 ? orr_real(y) : y;
    const double *v = orr_data(orr_cast(y, ORR_F64));
    double sum = 0;
    for (int64_t i = 0; v && i < n; i++)
        sum += v[i] * (double)(i % 17);
    return v ? sum / (double)n : NAN;
}

static int one(bench_sink *out, side_peers *peers)
{
    char what[64];
    int all = peers->rounds, rounds = all, rc = 0;
    double *t = calloc((size_t)rounds, sizeof *t);
    if (!t || orr_init(NULL) != ORR_OK) {
        free(t);
        return bench_failed("science");
    }
    orr_scope *s = orr_scope_begin();
    prepare();
    double sum = orr_eval(input[0]) == ORR_OK ? checksum(cases[number].work()) : NAN;
    for (int i = 0; i < 3; i++)
        (void)once(NULL);
    (void)snprintf(what, sizeof what, "science:%s", cases[number].name);
    side_prepare(peers, what, 0, sum, 1e-3);
    double end = bench_now() + CASE_SECONDS;
    for (int r = 0; r < rounds && rc == 0; r++) {
        t[r] = fusion_time(once, NULL, TURN_SECONDS);
        rc = isnan(sum) || t[r] < 0;
        side_round(peers, r, TURN_SECONDS);
        peers->rounds = rounds = bench_now() > end ? r + 1 : rounds;
    }
    if (rc) {
        rc = bench_failed("science");
    } else {
        bench_record r = { .name = "science", .metric = "time", .unit = "ms", .value = 1e3 * bench_median(t, rounds) };
        (void)snprintf(r.params, sizeof r.params, "\"work\": \"%s\", \"cores\": %d", cases[number].name, bench_cores());
        side_add(peers, &r, 1e3);
        for (int k = 0; k < BENCH_PEERS && r.peer[k].name; k++)
            if (!r.reference || r.peer[k].value < r.reference_value) {
                r.reference = r.peer[k].name;
                r.reference_value = r.peer[k].value;
            }
        r.ratio = r.reference ? bench_ratio(&r, false) : 0;
        rc = bench_add(out, &r);
    }
    peers->rounds = all;
    (void)orr_scope_end(s);
    (void)orr_shutdown();
    free(t);
    return rc;
}

int bench_science(bench_sink *out, int rounds)
{
    side_peers peers;
    int rc = side_start(&peers, NULL, bench_cores(), rounds);
    for (number = 0; rc == 0 && number < (int)(sizeof cases / sizeof *cases); number++)
        if (!bench_opt.filter || !strcmp(bench_opt.filter, cases[number].name))
            rc = one(out, &peers);
    side_end(&peers);
    return rc;
}
