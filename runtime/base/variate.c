/* Rejection from uniform numbers: number k of an index is half k mod 2 of the Philox block with counter (index, 4 + k / 2).
 * Must not know: streams, tensors, devices. */
#include "config.h"

#include <math.h>
#include <string.h>
#include "runtime/base/philox.h"
#include "runtime/base/variate.h"

typedef struct {
    uint64_t seed, index, next;
    uint32_t block[4];
} source;

/* Uniform on (0, 1), at the middle of steps of 2^-53, so that it has a logarithm. */
static double uniform(source *s)
{
    bool second = s->next & 1;
    if (!second)
        orr__philox(s->seed, s->index, 4 + s->next / 2, s->block);
    s->next++;
    uint64_t w = (uint64_t)s->block[second ? 3 : 1] << 32 | s->block[second ? 2 : 0];
    return ((double)(w >> 12) + 0.5) * 0x1p-52;
}

static double normal(source *s)
{
    double radius = sqrt(-2 * log(uniform(s)));
    return radius * cos(6.283185307179586476925286766559 * uniform(s));
}

/* log k!, by Stirling's series from 10 on. */
static double log_factorial(double k)
{
    static const double small[] = { 0,
                                    0,
                                    0.69314718055994531,
                                    1.791759469228055,
                                    3.1780538303479458,
                                    4.787491742782046,
                                    6.5792512120101012,
                                    8.5251613610654143,
                                    10.604602902745251,
                                    12.801827480081469 };
    if (k < 10)
        return small[(int)k];
    double r = 1 / k, r2 = r * r;
    return (k + 0.5) * log(k) - k + 0.91893853320467274 +
           r * (1. / 12 - r2 * (1. / 360 - r2 * (1. / 1260 - r2 * (1. / 1680))));
}

/* G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26, 2000. For a below 1, the variable of shape a
 * + 1 times u^(1/a), as a logarithm, since it may underflow a double. */
static double log_gamma_variate(source *s, double a)
{
    double boost = a < 1 ? log(uniform(s)) / a : 0, d = (a < 1 ? a + 1 : a) - 1. / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = normal(s), v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        if (log(uniform(s)) < 0.5 * x * x + d - d * v + d * log(v))
            return log(d * v) + boost;
    }
}

/* By inversion: terms of the distribution are subtracted from one uniform number. */
static double small_poisson(source *s, double rate)
{
    for (;;) {
        double p = exp(-rate), u = uniform(s), k = 0;
        for (; u > p && k < 200; k++) {
            u -= p;
            p *= rate / (k + 1);
        }
        if (k < 200) /* rounding has consumed the rest of the distribution */
            return k;
    }
}

/* PTRS: W. Hörmann, "The transformed rejection method for generating Poisson random variables", Insurance: Mathematics and
 * Economics 12, 1993. */
static double large_poisson(source *s, double rate)
{
    double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b, alpha = 1.1239 + 1.1328 / (b - 3.4);
    double usual = 0.9277 - 3.6224 / (b - 2), log_rate = log(rate);
    for (;;) {
        double u = uniform(s) - 0.5, v = uniform(s), us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= usual)
            return k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (log(v * alpha / (a / (us * us) + b)) <= k * log_rate - rate - log_factorial(k))
            return k;
    }
}

static double small_binomial(source *s, double n, double p)
{
    for (;;) {
        double r = exp(n * log1p(-p)), odds = p / (1 - p), u = uniform(s), k = 0;
        for (; u > r && k < n && k < 200; k++) {
            u -= r;
            r *= odds * (n - k) / (k + 1);
        }
        if (k < 200 && (k < n || u <= r))
            return k;
    }
}

/* BTRS: W. Hörmann, "The generation of binomial random variates", Journal of Statistical Computation and Simulation 46,
 * 1993. p ≤ ½. */
static double large_binomial(source *s, double n, double p)
{
    double spread = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
    double c = n * p + 0.5, usual = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread, odds = log(p / (1 - p));
    double mode = floor((n + 1) * p), top = log_factorial(mode) + log_factorial(n - mode);
    for (;;) {
        double u = uniform(s) - 0.5, v = uniform(s), us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + c);
        if (us >= 0.07 && v <= usual)
            return k;
        if (k < 0 || k > n)
            continue;
        if (log(v * alpha / (a / (us * us) + b)) <= top - log_factorial(k) - log_factorial(n - k) + (k - mode) * odds)
            return k;
    }
}

static double binomial(source *s, double n, double p)
{
    if (p > 0.5)
        return n - binomial(s, n, 1 - p);
    if (n == 0 || p == 0)
        return 0;
    return n * p < 10 ? small_binomial(s, n, p) : large_binomial(s, n, p);
}

const char *orr__variate_refuses(int kind, double a, double b)
{
    switch (kind) {
    case ORR__VGAMMA: return a > 0 && isfinite(a) ? NULL : "a shape above 0 is needed";
    case ORR__VBETA: return a > 0 && b > 0 && isfinite(a) && isfinite(b) ? NULL : "two shapes above 0 are needed";
    case ORR__VPOISSON: return a >= 0 && a <= 0x1p60 ? NULL : "a rate of 0 to 2^60 is needed";
    default:
        return a >= 0 && a <= 0x1p53 && floor(a) == a && b >= 0 && b <= 1
                   ? NULL
                   : "a number of trials from 0 to 2^53 and a probability are needed";
    }
}

orr_status orr__variate_refused(orr__site at, const char *rule, int kind, double a, double b, int64_t i)
{
    static const char *const names[][2] = {
        [ORR__VGAMMA] = { "alpha", NULL },
        [ORR__VBETA] = { "a", "b" },
        [ORR__VPOISSON] = { "rate", NULL },
        [ORR__VBINOMIAL] = { "trials", "p" },
    };
    const char *const *name = names[kind];
    if (!name[1])
        return orr__fail(at, ORR_EINVAL, "%s is %g (number %lld): %s", name[0], a, (long long)i, rule);
    return orr__fail(at, ORR_EINVAL, "%s is %g and %s is %g (number %lld): %s", name[0], a, name[1], b, (long long)i,
                     rule);
}

double orr__variate(int kind, uint64_t seed, uint64_t index, double a, double b)
{
    source s = { .seed = seed, .index = index };
    switch (kind) {
    case ORR__VGAMMA: return exp(log_gamma_variate(&s, a));
    case ORR__VBETA: {
        double x = log_gamma_variate(&s, a), y = log_gamma_variate(&s, b);
        return 1 / (1 + exp(y - x));
    }
    case ORR__VPOISSON: return a == 0 ? 0 : a < 10 ? small_poisson(&s, a) : large_poisson(&s, a);
    default: return binomial(&s, a, b);
    }
}

const char *orr__weights(const double *w, int64_t n, int64_t positive, double *to, int64_t *bad)
{
    double most = 0;
    int64_t above = 0;
    int exponent = 0;
    for (*bad = 0; *bad < n; ++*bad) {
        if (!(w[*bad] >= 0 && isfinite(w[*bad])))
            return "a finite weight from 0 on is needed";
        most = w[*bad] > most ? w[*bad] : most;
        above += w[*bad] > 0;
    }
    if (above < positive)
        return "weights above 0 are too few";
    (void)frexp(most, &exponent);
    for (int64_t k = 0; k < n; k++)
        to[k] = ldexp(w[k], -exponent);
    return NULL;
}

orr_status orr__weights_refused(orr__site at, const char *rule, const double *w, int64_t n, int64_t row, int64_t bad,
                                int64_t positive)
{
    if (bad < n)
        return orr__fail(at, ORR_EINVAL, "weight %lld of row %lld is %g: %s", (long long)bad, (long long)row, w[bad],
                         rule);
    return orr__fail(at, ORR_EINVAL, "row %lld of the weights: %s, and %lld %s needed", (long long)row, rule,
                     (long long)positive, positive == 1 ? "is" : "are");
}

/* Each count is binomial in the trials that are left, with the share of the weight in the sum of those from it on. The
 * sums are added up from the last weight, never subtracted: the last weight above 0 has the share 1. They lie in the
 * memory of the counts. */
void orr__multinomial(uint64_t seed, uint64_t index, int64_t trials, const double *w, int64_t n, int64_t *counts)
{
    double left = (double)trials, rest = 0;
    for (int64_t k = n; k-- > 0;) {
        rest += w[k];
        memcpy(&counts[k], &rest, sizeof rest);
    }
    for (int64_t k = 0; k < n; k++) {
        memcpy(&rest, &counts[k], sizeof rest);
        double count = left > 0 && w[k] > 0 ? orr__variate(ORR__VBINOMIAL, seed, index + (uint64_t)k, left, w[k] / rest)
                                            : 0;
        counts[k] = (int64_t)count;
        left -= count;
    }
}
