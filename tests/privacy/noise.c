/* Every noise against its stated distribution: Kolmogorov-Smirnov, chi-squared, moments, tails, with fixed seeds; a lower
 * bound of ε from the results of mechanisms for two neighbours; errors; remains in memory.
 * Must not know: how numbers are drawn. */
#include "config.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include <orrery/privacy.h>
#include "tests/harness/harness.h"
#include "tests/harness/memory_search.h"

static int64_t numbers(void)
{
    const char *full = getenv("ORR_TEST_FULL");
    return full && full[0] == '1' ? 10000000 : 200000;
}

/* -- distributions ------------------------------------------------------------------------------------------ */

typedef struct law {
    bool gaussian, discrete;
    double scale;     /* deviation, or Laplace's b */
    double norm;      /* discrete: 1/Σ             */
    double var, kurt; /* E[x²], E[x⁴]/E[x²]²       */
} law;

static double weight(const law *l, double z)
{
    return l->gaussian ? exp(-z * z / (2.0 * l->scale * l->scale)) : exp(-fabs(z) / l->scale);
}

static law law_of(bool gaussian, bool discrete, double scale)
{
    law l = { gaussian, discrete, scale, 0.0, gaussian ? scale * scale : 2.0 * scale * scale, gaussian ? 3.0 : 6.0 };
    double sum = 0.0, two = 0.0, four = 0.0, end = ceil(60.0 * scale) + 10.0;
    for (double z = -end; discrete && z <= end; z++) {
        double w = weight(&l, z);
        sum += w;
        two += w * z * z;
        four += w * z * z * z * z;
    }
    if (discrete)
        l = (law){ gaussian, true, scale, 1.0 / sum, two / sum, four * sum / (two * two) };
    return l;
}

/* P(X ≤ z). Sums from one end, so `z` must grow from call to call for discrete distributions. */
static double below(const law *l, double z)
{
    if (!l->discrete)
        return l->gaussian ? 0.5 * erfc(-z / l->scale * M_SQRT1_2)
               : z < 0.0   ? 0.5 * exp(z / l->scale)
                           : 1.0 - 0.5 * exp(-z / l->scale);
    double sum = 0.0;
    if (z < 0.0)
        for (double k = z; k > z - 60.0 * l->scale - 10.0; k--)
            sum += weight(l, k);
    else
        for (double k = z + 1.0; k < z + 60.0 * l->scale + 10.0; k++)
            sum += weight(l, k);
    return z < 0.0 ? sum * l->norm : 1.0 - sum * l->norm;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* √n times the largest distance of the two distribution functions; 1.95 has probability 0.001. */
static double distance(double *v, int64_t n, const law *l)
{
    double worst = 0.0;
    qsort(v, (size_t)n, sizeof *v, ascending);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && v[end] <= v[i]; end++)
            ;
        double at = below(l, v[i]);
        double d = l->discrete ? fabs((double)end / (double)n - at)
                               : fmax(fabs((double)end / (double)n - at), fabs((double)i / (double)n - at));
        worst = fmax(worst, d);
    }
    return worst * sqrt((double)n);
}

/* The difference from the expected share of values beyond k scales on either side, in standard deviations. */
static double tail(const double *v, int64_t n, const law *l, double k)
{
    double beyond = 0.0, edge = ceil(k * l->scale), p = 2.0 * below(l, -edge - (l->discrete ? 1.0 : 0.0));
    for (int64_t i = 0; i < n; i++)
        beyond += fabs(v[i]) > edge;
    return (beyond - p * (double)n) / sqrt(fmax(p * (double)n, 1.0));
}

static void fits(const char *name, double *v, int64_t n, law l)
{
    double mean = 0.0, two = 0.0, four = 0.0, count = (double)n;
    for (int64_t i = 0; i < n; i++) {
        mean += v[i] / count;
        two += v[i] * v[i] / count;
        four += v[i] * v[i] * v[i] * v[i] / count;
    }
    ORR_CHECK_MSG(fabs(mean) < 4.0 * sqrt(l.var / count), "%s %g: mean %g", name, l.scale, mean);
    ORR_CHECK_MSG(fabs(two / l.var - 1.0) < 4.0 * sqrt((l.kurt - 1.0) / count), "%s %g: variance %g, not %g", name,
                  l.scale, two, l.var);
    double spread = (l.gaussian ? 96.0 : 40320.0) / l.kurt / l.kurt; /* of x⁴, approximately */
    ORR_CHECK_MSG(fabs(four / (l.var * l.var * l.kurt) - 1.0) < 4.0 * sqrt((spread + 1.0 / l.var) / count),
                  "%s %g: kurtosis %g, not %g", name, l.scale, four / (l.var * l.var), l.kurt);
    for (double k = 1.0; k < 5.0; k++)
        ORR_CHECK_MSG(fabs(tail(v, n, &l, k)) < 4.0, "%s %g: beyond %g: off by %g deviations", name, l.scale, k,
                      tail(v, n, &l, k));
    double d = distance(v, n, &l);
    ORR_CHECK_MSG(d < 1.95, "%s %g: distance %g", name, l.scale, d);
}

/* The elements of t as doubles; NULL after a failed check. */
static double *values_of(orr_tensor *t)
{
    int64_t n = orr_tensor_size(t);
    double *v = n >= 0 ? malloc((size_t)(n + 1) * sizeof *v) : NULL;
    orr_status st = orr_read(orr_cast(t, ORR_F64), v, (size_t)(n < 0 ? 0 : n) * sizeof *v);
    if (!orr_test_check(st == ORR_OK && v, "the tensor is read", __FILE__, __LINE__, "%s", orr_error_message())) {
        free(v);
        return NULL;
    }
    return v;
}

static void take(const char *name, orr_tensor *t, law l)
{
    double *v = values_of(t);
    if (v)
        fits(name, v, orr_tensor_size(t), l);
    free(v);
}

static void float_noise_has_its_distribution(void)
{
    int64_t n = numbers();
    orr_dp_seed(11);
    for (int d = ORR_F32; d <= ORR_F64; d++)
        for (double scale = 0.01; scale < 1e3; scale *= 60.0) {
            orr_scope *s = orr_scope_begin();
            orr_tensor *zero = orr_zeros((orr_dtype)d, ORR_SHAPE(n));
            take("laplace", orr_dp_laplace(zero, 2.0 * scale, 2.0), law_of(false, false, scale));
            take("gaussian", orr_dp_gaussian(zero, 0.5, 2.0 * scale), law_of(true, false, scale));
            (void)orr_scope_end(s);
        }
    orr_dp_unseed();
}

static void exact_noise_has_its_distribution(void)
{
    static const double scale[] = { 0.2, 0.5, 1.0, 2.25, 3.7, 40.0 };
    int64_t n = numbers();
    orr_dp_seed(12);
    for (size_t k = 0; k < sizeof scale / sizeof *scale; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *zero = orr_zeros(ORR_I64, ORR_SHAPE(n));
        take("discrete laplace", orr_dp_discrete_laplace(zero, 3, 3.0 / scale[k]), law_of(false, true, scale[k]));
        take("discrete gaussian", orr_dp_discrete_gaussian(zero, 2.0, scale[k] / 2.0), law_of(true, true, scale[k]));
        (void)orr_scope_end(s);
    }
    /* Wide discrete distributions are tested like continuous ones. */
    orr_scope *s = orr_scope_begin();
    orr_tensor *zero = orr_zeros(ORR_I64, ORR_SHAPE(n));
    take("wide laplace", orr_dp_discrete_laplace(zero, 1 << 20, 1.0), law_of(false, false, 0x1p20));
    take("wide gaussian", orr_dp_discrete_gaussian(zero, 1.0, 12345678.0), law_of(true, false, 12345678.0));
    (void)orr_scope_end(s);
    orr_dp_unseed();
}

/* Σ (seen − p·n)²/(p·n) of k classes, as its difference from the mean k − 1 in standard deviations. */
static double chi_squared(const double *seen, const double *p, int k, double n)
{
    double sum = 0.0;
    for (int i = 0; i < k; i++)
        sum += (seen[i] - p[i] * n) * (seen[i] - p[i] * n) / (p[i] * n);
    return (sum - (k - 1)) / sqrt(2.0 * (k - 1));
}

static void responses_stay_as_often_as_they_should(void)
{
    enum { K = 5 };
    int64_t n = numbers();
    orr_dp_seed(13);
    for (double epsilon = 0.25; epsilon < 5.0; epsilon *= 2.0) {
        orr_scope *s = orr_scope_begin();
        double *v = values_of(orr_dp_randomised_response(orr_full(ORR_I64, ORR_SHAPE(n), 3.0), K, epsilon));
        double seen[K] = { 0.0 }, p[K], other = 1.0 / (exp(epsilon) + K - 1);
        for (int64_t i = 0; v && i < n; i++)
            seen[(int)v[i]]++;
        for (int i = 0; i < K; i++)
            p[i] = i == 3 ? exp(epsilon) * other : other;
        ORR_CHECK_MSG(chi_squared(seen, p, K, (double)n) < 4.0, "ε %g", epsilon);
        double estimate = orr_dp_response_estimate(seen[3], (double)n, K, epsilon);
        ORR_CHECK_MSG(fabs(estimate / (double)n - 1.0) < 5.0 / sqrt((double)n) / (p[3] - other), "%g of %lld", estimate,
                      (long long)n);
        free(v);
        (void)orr_scope_end(s);
    }
    orr_dp_unseed();
}

static void the_exponential_mechanism_chooses_by_weight(void)
{
    enum { K = 6 };
    static const float score[K] = { 1.0f, 4.0f, 2.5f, -3.0f, 4.0f, 0.0f };
    int64_t n = numbers() / 10;
    double seen[K] = { 0.0 }, p[K], sum = 0.0;
    orr_dp_seed(14);
    orr_scope *s = orr_scope_begin();
    orr_tensor *scores = orr_from(ORR_F32, ORR_SHAPE(K), score);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = -1;
        ORR_REQUIRE(orr_dp_exponential(scores, 2.0, 1.5, &k) == ORR_OK && k >= 0 && k < K);
        seen[k]++;
    }
    for (int i = 0; i < K; i++)
        sum += p[i] = exp(1.5 * (double)score[i] / 4.0);
    for (int i = 0; i < K; i++)
        p[i] /= sum;
    double off = chi_squared(seen, p, K, (double)n);
    ORR_CHECK_MSG(off < 4.0, "off by %g deviations", off);
    (void)orr_scope_end(s);
    orr_dp_unseed();
}

/* P(X > x) of the difference of Laplace numbers of scales a and b, x ≥ 0. */
static double difference_above(double a, double b, double x)
{
    return (a * a * exp(-x / a) - b * b * exp(-x / b)) / (2.0 * (a * a - b * b));
}

static void sparse_vector_answers_as_often_as_it_should(void)
{
    int64_t n = numbers() / 10;
    orr_dp_seed(15);
    for (int monotone = 0; monotone < 2; monotone++)
        for (double gap = 0.0; gap < 9.0; gap += 4.0) {
            double c = 3.0, epsilon = 2.0, sensitivity = 0.5, factor = (monotone ? 1.0 : 2.0) * c;
            double first = epsilon / (1.0 + pow(factor, 2.0 / 3.0)), above = 0.0;
            double p = difference_above(sensitivity * factor / (epsilon - first), sensitivity / first, gap);
            for (int64_t i = 0; i < n; i++) {
                orr_dp_sparse *sparse = orr_dp_sparse_new(10.0, sensitivity, 3, monotone, epsilon);
                bool yes = false;
                ORR_REQUIRE(sparse && orr_dp_sparse_ask(sparse, 10.0 - gap, &yes) == ORR_OK);
                above += yes;
                orr_dp_sparse_free(sparse);
            }
            double off = (above - p * (double)n) / sqrt((double)n * p * (1.0 - p));
            ORR_CHECK_MSG(fabs(off) < 4.0, "gap %g: %g of %lld, not %g", gap, above, (long long)n, p * (double)n);
        }
    orr_dp_unseed();
}

static void poisson_samples_are_independent(void)
{
    enum { N = 2000, TIMES = 400 };
    const double q = 0.13;
    static int64_t index[N], count;
    static double taken[N];
    double sum = 0.0, squares = 0.0, both = 0.0;
    orr_dp_seed(16);
    for (int t = 0; t < TIMES; t++) {
        ORR_REQUIRE(orr_dp_poisson(N, q, index, &count) == ORR_OK);
        sum += (double)count;
        squares += (double)count * (double)count;
        for (int64_t i = 0; i < count; i++) {
            ORR_REQUIRE(index[i] >= 0 && index[i] < N && (i == 0 || index[i] > index[i - 1]));
            taken[index[i]]++;
            both += i > 0 && index[i] == index[i - 1] + 1;
        }
    }
    double mean = sum / TIMES, var = squares / TIMES - mean * mean, chi = 0.0, all = (double)N * TIMES;
    ORR_CHECK_MSG(fabs(mean - q * N) < 4.0 * sqrt(N * q * (1 - q) / TIMES), "mean %g", mean);
    ORR_CHECK_MSG(fabs(var / (N * q * (1 - q)) - 1.0) < 4.0 * sqrt(2.0 / TIMES), "variance %g", var);
    for (int i = 0; i < N; i++)
        chi += (taken[i] - q * TIMES) * (taken[i] - q * TIMES) / (TIMES * q * (1 - q));
    ORR_CHECK_MSG(fabs(chi - N) < 4.0 * sqrt(2.0 * N), "chi-squared %g", chi);
    ORR_CHECK_MSG(fabs(both - q * q * all) < 5.0 * sqrt(q * q * all), "neighbours %g, not %g", both, q * q * all);
    ORR_CHECK(orr_dp_poisson(N, 0.0, index, &count) == ORR_OK && count == 0);
    ORR_CHECK(orr_dp_poisson(N, 1.0, index, &count) == ORR_OK && count == N && index[N - 1] == N - 1);
    ORR_CHECK(orr_dp_poisson(0, 0.5, NULL, &count) == ORR_OK && count == 0);
    orr_dp_unseed();
}

static void seeds_repeat_and_the_system_does_not(void)
{
    int64_t v[4][64];
    for (int i = 0; i < 4; i++) {
        orr_scope *s = orr_scope_begin();
        if (i < 2)
            orr_dp_seed(99);
        ORR_CHECK(orr_read(orr_dp_discrete_laplace(orr_zeros(ORR_I64, ORR_SHAPE(64)), 1000, 1.0), v[i], sizeof v[i]) ==
                  ORR_OK);
        orr_dp_unseed();
        (void)orr_scope_end(s);
    }
    ORR_CHECK(memcmp(v[0], v[1], sizeof v[0]) == 0);
    ORR_CHECK(memcmp(v[1], v[2], sizeof v[0]) != 0 && memcmp(v[2], v[3], sizeof v[0]) != 0);
    float f[2][8];
    for (int i = 0; i < 2; i++) { /* the seed of other random tensors does not determine noise */
        orr_scope *s = orr_scope_begin();
        orr_seed(5);
        ORR_CHECK(orr_read(orr_dp_gaussian(orr_zeros(ORR_F32, ORR_SHAPE(8)), 1.0, 1.0), f[i], sizeof f[i]) == ORR_OK);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(memcmp(f[0], f[1], sizeof f[0]) != 0);
}

/* -- an audit ------------------------------------------------------------------------------------------------ */

/* A bound of a share from below, or above, that holds with probability 0.9999 (Hoeffding). */
static double sure(double seen, double n, double sign)
{
    return fmin(fmax(seen / n + sign * sqrt(log(1e4) / (2.0 * n)), 0.0), 1.0);
}

/* The largest certain log(P/Q) over events "value ≥ edge". */
static double audit(const double *with, const double *without, int64_t n, double lo, double hi)
{
    double best = 0.0;
    for (int k = 0; k <= 40; k++) {
        double edge = lo + (hi - lo) * k / 40.0, p = 0.0, q = 0.0;
        for (int64_t i = 0; i < n; i++) {
            p += with[i] >= edge;
            q += without[i] >= edge;
        }
        best = fmax(best, log(fmax(sure(p, (double)n, -1.0), 1e-300) / fmax(sure(q, (double)n, 1.0), 1e-300)));
    }
    return best;
}

static void audited(const char *name, orr_tensor *with, orr_tensor *without, double epsilon, double least)
{
    double *p = values_of(with), *q = values_of(without);
    if (p && q) {
        double bound = audit(p, q, orr_tensor_size(with), -4.0, 4.0);
        ORR_CHECK_MSG(bound <= epsilon && bound >= least * epsilon, "%s: sure of ε %g, stated %g", name, bound,
                      epsilon);
    }
    free(p);
    free(q);
}

/* A count of 1 beside one of 0. The bounds are near the stated values: noise of the wrong scale would exceed them. */
static void mechanisms_leak_no_more_than_they_state(void)
{
    int64_t n = 4 * numbers();
    const double e = 0.8;
    orr_dp_seed(17);
    orr_scope *s = orr_scope_begin();
    orr_tensor *zero = orr_zeros(ORR_I64, ORR_SHAPE(n)), *one = orr_ones(ORR_I64, ORR_SHAPE(n));
    orr_tensor *none = orr_cast(zero, ORR_F32), *some = orr_cast(one, ORR_F32);
    audited("laplace", orr_dp_laplace(some, 1.0, e), orr_dp_laplace(none, 1.0, e), e, 0.9);
    audited("discrete laplace", orr_dp_discrete_laplace(one, 1, e), orr_dp_discrete_laplace(zero, 1, e), e, 0.9);
    audited("randomised response", orr_dp_randomised_response(one, 2, e), orr_dp_randomised_response(zero, 2, e), e,
            0.9);
    double sigma = 0.0;
    ORR_CHECK(orr_dp_gaussian_sigma(e, 1e-5, &sigma) == ORR_OK);
    audited("gaussian", orr_dp_gaussian(some, 1.0, sigma), orr_dp_gaussian(none, 1.0, sigma), e, 0.2);
    audited("discrete gaussian", orr_dp_discrete_gaussian(one, 1.0, sigma), orr_dp_discrete_gaussian(zero, 1.0, sigma),
            e, 0.2);
    (void)orr_scope_end(s);
    orr_dp_unseed();
}

/* -- errors and memory ---------------------------------------------------------------------------------------- */

static bool poison(orr_tensor *t, orr_status want, const char *part)
{
    bool yes = orr_tensor_status(t) == want && orr_eval(t) == want && strstr(orr_error_message(), part);
    if (!yes)
        (void)fprintf(stderr, "status %s: %s\n", orr_status_name(orr_tensor_status(t)), orr_error_message());
    return yes;
}

static void bad_calls_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *f = orr_zeros(ORR_F32, ORR_SHAPE(3)), *i = orr_zeros(ORR_I64, ORR_SHAPE(3));
    ORR_CHECK(poison(orr_dp_laplace(i, 1.0, 1.0), ORR_EDTYPE, "write orr_cast(x, ORR_F32)"));
    orr_tensor *e = orr_zeros(ORR_FR254, ORR_SHAPE(3)), *c = orr_zeros(ORR_C64, ORR_SHAPE(3));
    ORR_CHECK(poison(orr_dp_gaussian(e, 1.0, 1.0), ORR_EDTYPE, "before the numbers become elements of a field"));
    ORR_CHECK(poison(orr_dp_laplace(e, 1.0, 1.0), ORR_EDTYPE, "x is fr254, and a float dtype is needed: add"));
    ORR_CHECK(poison(orr_dp_discrete_gaussian(e, 1.0, 1.0), ORR_EDTYPE, "x is fr254, and i64 is needed: add"));
    ORR_CHECK(poison(orr_dp_gaussian(c, 1.0, 1.0), ORR_EDTYPE, "orr_real(x) and orr_imag(x)"));
    ORR_CHECK(poison(orr_dp_laplace(f, 0.0, 1.0), ORR_EINVAL, "sensitivity"));
    ORR_CHECK(poison(orr_dp_laplace(f, 1.0, -1.0), ORR_EINVAL, "ε"));
    ORR_CHECK(poison(orr_dp_gaussian(f, 1.0, NAN), ORR_EINVAL, "σ"));
    ORR_CHECK(poison(orr_dp_gaussian(f, INFINITY, 1.0), ORR_EINVAL, "sensitivity"));
    ORR_CHECK(poison(orr_dp_discrete_gaussian(f, 1.0, 1.0), ORR_EDTYPE, "write orr_cast(x, ORR_I64)"));
    ORR_CHECK(poison(orr_dp_discrete_gaussian(i, 1.0, 1e-4), ORR_EINVAL, "2^-10"));
    ORR_CHECK(poison(orr_dp_discrete_gaussian(i, 1.0, 1e9), ORR_EINVAL, "2^26"));
    ORR_CHECK(poison(orr_dp_discrete_gaussian(i, -1.0, 1.0), ORR_EINVAL, "sensitivity"));
    ORR_CHECK(poison(orr_dp_discrete_laplace(i, 0, 1.0), ORR_EINVAL, "sensitivity"));
    ORR_CHECK(poison(orr_dp_discrete_laplace(i, 1, 1e-12), ORR_EINVAL, "2^30"));
    ORR_CHECK(poison(orr_dp_discrete_laplace(i, 1, NAN), ORR_EINVAL, "ε"));
    ORR_CHECK(poison(orr_dp_randomised_response(i, 1, 1.0), ORR_EINVAL, "categories"));
    ORR_CHECK(poison(orr_dp_randomised_response(i, 2, -1.0), ORR_EINVAL, "ε"));
    ORR_CHECK(poison(orr_dp_randomised_response(f, 2, 1.0), ORR_EDTYPE, "i64"));
    orr_tensor *bad = orr_add(orr_zeros(ORR_F32, ORR_SHAPE(2)), f);
    ORR_CHECK(poison(orr_dp_laplace(bad, 1.0, 1.0), ORR_ESHAPE, "add"));
    ORR_CHECK(poison(orr_dp_gaussian(bad, 1.0, 1.0), ORR_ESHAPE, "add"));
    ORR_CHECK(poison(orr_dp_discrete_laplace(bad, 1, 1.0), ORR_ESHAPE, "add"));
    ORR_CHECK(orr_tensor_status(orr_dp_laplace(NULL, 1.0, 1.0)) != ORR_OK);
    ORR_CHECK(orr_tensor_status(orr_dp_discrete_gaussian(NULL, 1.0, 1.0)) != ORR_OK);
    int64_t k = -7;
    double with_nan[2] = { 1.0, NAN };
    ORR_CHECK(orr_dp_exponential(orr_from(ORR_F64, ORR_SHAPE(2), with_nan), 1.0, 1.0, &k) == ORR_EINVAL);
    ORR_CHECK(orr_dp_exponential(orr_zeros(ORR_F32, ORR_SHAPE(0)), 1.0, 1.0, &k) == ORR_ESHAPE);
    ORR_CHECK(orr_dp_exponential(orr_zeros(ORR_F32, ORR_SHAPE(2, 2)), 1.0, 1.0, &k) == ORR_ESHAPE);
    ORR_CHECK(orr_dp_exponential(f, 0.0, 1.0, &k) == ORR_EINVAL && orr_dp_exponential(f, 1.0, 0.0, &k) == ORR_EINVAL);
    ORR_CHECK(orr_dp_exponential(f, 1.0, 1.0, NULL) == ORR_EINVAL &&
              orr_dp_exponential(bad, 1.0, 1.0, &k) == ORR_ESHAPE);
    ORR_CHECK(orr_dp_exponential(orr_full(ORR_F64, ORR_SHAPE(2), 1e300), 1.0, 1.0, &k) == ORR_EINVAL && k == -7);
    ORR_CHECK(!orr_dp_sparse_new(NAN, 1.0, 1, false, 1.0) && !orr_dp_sparse_new(1.0, 0.0, 1, false, 1.0));
    ORR_CHECK(!orr_dp_sparse_new(1.0, 1.0, 0, false, 1.0) && !orr_dp_sparse_new(1.0, 1.0, 1, false, 0.0));
    orr_dp_sparse *sparse = orr_dp_sparse_new(0.0, 1.0, 2, false, 5.0);
    bool yes = false;
    ORR_REQUIRE(sparse);
    ORR_CHECK(orr_dp_sparse_ask(sparse, NAN, &yes) == ORR_EINVAL && orr_dp_sparse_ask(sparse, 1.0, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_dp_sparse_ask(NULL, 1.0, &yes) == ORR_EINVAL);
    ORR_CHECK(orr_dp_sparse_ask(sparse, -1e6, &yes) == ORR_OK && !yes);
    ORR_CHECK(orr_dp_sparse_ask(sparse, 1e6, &yes) == ORR_OK && yes);
    ORR_CHECK(orr_dp_sparse_ask(sparse, 1e6, &yes) == ORR_OK && yes);
    ORR_CHECK(orr_dp_sparse_ask(sparse, 1e6, &yes) == ORR_ESTATE && strstr(orr_error_message(), "2 answers"));
    orr_dp_sparse_free(sparse);
    orr_dp_sparse_free(NULL);
    int64_t index[4], count = -7;
    ORR_CHECK(orr_dp_poisson(-1, 0.5, index, &count) == ORR_EINVAL &&
              orr_dp_poisson(4, 1.5, index, &count) == ORR_EINVAL);
    ORR_CHECK(orr_dp_poisson(4, NAN, index, &count) == ORR_EINVAL &&
              orr_dp_poisson(4, 0.5, NULL, &count) == ORR_EINVAL);
    ORR_CHECK(orr_dp_poisson(4, 0.5, index, NULL) == ORR_EINVAL && count == -7);
    (void)orr_scope_end(s);
}

/* With the sum and the values a reader could subtract the noise: the noise itself must not stay in memory. */
static void exact_noise_is_wiped(void)
{
    enum { N = 5000, LOOK = 6 };
    static int64_t sum[N];
    int64_t noise[LOOK];
    NEED_MEMORY_SEARCH();
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_add(orr_arange(ORR_I64, 0, N, 1), orr_scalar(1e12));
    orr_tensor *y = orr_dp_discrete_gaussian(x, 1.0, 1e7);
    ORR_CHECK(orr_read(y, sum, sizeof sum) == ORR_OK);
    (void)orr_scope_end(s);
    for (int i = 0; i < LOOK; i++)
        noise[i] = sum[N / 2 + i] - 1000000000000 - N / 2 - i;
    needle hidden = needle_of("noise", noise, sizeof noise), known = needle_of("the sum", sum + N / 2, sizeof noise);
    explicit_bzero(noise, sizeof noise);
    ORR_CHECK(memory_count(&known) > 0); /* the search finds existing numbers */
    ORR_CHECK(memory_count(&hidden) == 0);
}

/* A body of a scan that adds noise to its carry. */
static void noisy_step(orr_tensor **carry, orr_tensor *const *x, orr_tensor **y, void *user)
{
    (void)x;
    (void)y;
    (void)user;
    carry[0] = orr_dp_gaussian(carry[0], 1, 1);
}

/* Two submissions with one noise would give the difference of their inputs away. */
static void noise_is_for_one_release(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_placeholder(ORR_F32, ORR_SHAPE(4)), *n = orr_placeholder(ORR_I64, ORR_SHAPE(4));
    orr_tensor *const noisy[] = { orr_dp_gaussian(x, 1, 1), orr_dp_laplace(x, 1, 1), orr_dp_discrete_gaussian(n, 1, 1),
                                  orr_dp_discrete_laplace(n, 1, 1), orr_dp_randomised_response(n, 3, 1) };
    for (int i = 0; i < 5; i++) {
        orr_tensor *y = orr_mul(noisy[i], orr_scalar(2));
        ORR_CHECK(!orr_graph_build(i < 2 ? &x : &n, 1, &y, 1) && orr_error_status() == ORR_EGRAPH);
        ORR_CHECK(strstr(orr_error_message(), "this noise protects one value") != NULL);
    }
    orr_tensor *w = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(4))), *y = orr_dp_gaussian(w, 1, 1);
    ORR_CHECK(!orr_graph_build(NULL, 0, &y, 1) && orr_error_status() == ORR_EGRAPH);
    /* A scan in a loop is such a graph; an unrolled one draws noise for each step. */
    orr_tensor *carry[] = { orr_zeros(ORR_F32, ORR_SHAPE(4)) };
    orr_scan_lists lists = { .carry = carry, .n_carry = 1, .steps = 3 };
    ORR_CHECK(orr_scan(noisy_step, &lists, NULL, &(orr_scan_options){ .loop = true }) == ORR_EGRAPH);
    carry[0] = orr_zeros(ORR_F32, ORR_SHAPE(4));
    ORR_CHECK(orr_scan(noisy_step, &lists, NULL, NULL) == ORR_OK && orr_eval(carry[0]) == ORR_OK);
    /* A release is a value like any other. */
    orr_tensor *release = orr_dp_gaussian(orr_ones(ORR_F32, ORR_SHAPE(4)), 1, 1), *sum = orr_add(release, x), *r[1];
    ORR_CHECK(orr_eval(release) == ORR_OK);
    orr_graph *g = orr_graph_build(&x, 1, &sum, 1);
    orr_tensor *zeros = orr_zeros(ORR_F32, ORR_SHAPE(4));
    ORR_CHECK(g && orr_graph_submit(g, &zeros, 1, r, 1, NULL) == ORR_OK);
    (void)orr_graph_free(g);
    (void)orr_scope_end(s);
}

static orr_tensor *add_noise(const orr_module *m, orr_tensor *const *x, int n, void *user)
{
    (void)m, (void)n, (void)user;
    return orr_square(orr_dp_gaussian(x[0], 1, 1));
}

/* The gradient of the square has the noise itself; a module that is computed again for its gradient would draw another one. */
static void noise_is_not_drawn_again_for_a_gradient(void)
{
    orr_scope *s = orr_scope_begin();
    orr_module *m = orr_module_new("noisy", add_noise, NULL, NULL);
    orr_tensor *x = orr_zeros(ORR_F64, ORR_SHAPE(4)), *y = orr_forward(m, x), *g = NULL;
    double noise[4], slope[4];
    ORR_CHECK(orr_eval(x) == ORR_OK && orr_grad(y, &x, 1, &g) == ORR_OK);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(y, g)) == ORR_OK && orr_read(y, noise, sizeof noise) == ORR_OK &&
              orr_read(g, slope, sizeof slope) == ORR_OK);
    for (int i = 0; i < 4; i++)
        ORR_CHECK(fabs(slope[i] * slope[i] / 4 - noise[i]) <= 1e-12 * noise[i]);
    y = orr_recompute(m, x);
    orr_status st = orr_grad(y, &x, 1, &g);
    if (st == ORR_OK)
        st = orr_eval(g);
    ORR_CHECK_MSG(st == ORR_EGRAPH && strstr(orr_error_message(), "drawn once"), "%s", orr_error_message());
    orr_module_free(m);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(float_noise_has_its_distribution),
        ORR_TEST(exact_noise_has_its_distribution),
        ORR_TEST(responses_stay_as_often_as_they_should),
        ORR_TEST(the_exponential_mechanism_chooses_by_weight),
        ORR_TEST(sparse_vector_answers_as_often_as_it_should),
        ORR_TEST(poisson_samples_are_independent),
        ORR_TEST(seeds_repeat_and_the_system_does_not),
        ORR_TEST(mechanisms_leak_no_more_than_they_state),
        ORR_TEST(bad_calls_are_refused),
        ORR_TEST(exact_noise_is_wiped),
        ORR_TEST(noise_is_for_one_release),
        ORR_TEST(noise_is_not_drawn_again_for_a_gradient),
        { 0 },
    };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "privacy.noise", tests);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
