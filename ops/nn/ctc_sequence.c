/* Forward and backward sums over the alignments of one sequence (A. Graves, S. Fernández, F. Gomez, J. Schmidhuber,
 * "Connectionist temporal classification", ICML 2006, section 4), as logarithms in f64.
 * Must not know: graphs, tiles. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/nn/ctc.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fpmode.h"

/* A target with blanks between and around its labels: states 0 … 2·length. */
typedef struct {
    const orr__ctc *c;
    int64_t n, time, states;
    const int64_t *label;
} sequence;

static int64_t class_of(const sequence *s, int64_t state)
{
    return state % 2 ? s->label[state / 2] : s->c->blank;
}

static double logp(const sequence *s, int64_t t, int64_t k)
{
    int64_t i = (t * s->c->batch + s->n) * s->c->classes + k;
    return s->c->dtype == ORR_F32 ? (double)((const float *)s->c->logp)[i] : ((const double *)s->c->logp)[i];
}

/* True if an alignment may go from `state` − 2 to `state`. */
static bool jumps(const sequence *s, int64_t state)
{
    return state % 2 == 1 && state >= 3 && s->label[state / 2] != s->label[state / 2 - 1];
}

/* log(e^x + e^y); NaN if x or y is NaN. */
static double add(double x, double y)
{
    double most = x > y ? x : y;
    return x == y && x == -INFINITY ? x : most + log1p(exp(x > y ? y - x : x - y));
}

/* alpha[t][i]: the sum over alignments of times 0 … t that end in state i. Returns the logarithm of the sum over all
 * alignments. */
static double forward(const sequence *s, double *alpha)
{
    int64_t m = s->states;
    for (int64_t i = 0; i < m; i++)
        alpha[i] = i < 2 ? logp(s, 0, class_of(s, i)) : -INFINITY;
    for (int64_t t = 1; t < s->time; t++)
        for (int64_t i = 0; i < m; i++) {
            const double *before = alpha + (t - 1) * m;
            double sum = before[i];
            if (i > 0)
                sum = add(sum, before[i - 1]);
            if (jumps(s, i))
                sum = add(sum, before[i - 2]);
            alpha[t * m + i] = sum + logp(s, t, class_of(s, i));
        }
    const double *last = alpha + (s->time - 1) * m;
    return m > 1 ? add(last[m - 1], last[m - 2]) : last[m - 1];
}

/* beta[i]: the sum over alignments of times t + 1 … that continue from state i. d(−total)/d logp = −(share of the class
 * at time t). */
static void backward(const sequence *s, const double *alpha, double total, double *beta, double *next, double *g)
{
    int64_t m = s->states, classes = s->c->classes;
    for (int64_t i = 0; i < m; i++)
        beta[i] = i >= m - 2 ? 0.0 : -INFINITY;
    for (int64_t t = s->time - 1; t >= 0; t--) {
        for (int64_t i = 0; i < m; i++)
            g[t * classes + class_of(s, i)] -= exp(alpha[t * m + i] + beta[i] - total);
        if (t == 0)
            break;
        for (int64_t i = 0; i < m; i++)
            next[i] = beta[i] + logp(s, t, class_of(s, i));
        for (int64_t i = 0; i < m; i++) {
            double sum = next[i];
            if (i + 1 < m)
                sum = add(sum, next[i + 1]);
            if (i + 2 < m && jumps(s, i + 2))
                sum = add(sum, next[i + 2]);
            beta[i] = sum;
        }
    }
}

static orr_status check(const orr__ctc *c, int64_t n)
{
    int64_t in = c->input_length[n], out = c->target_length[n];
    if (in < 0 || in > c->time)
        return orr__fail(c->at, ORR_EINDEX, "input length %lld of sequence %lld is not in 0 … %lld", (long long)in,
                         (long long)n, (long long)c->time);
    if (out < 0 || out > c->longest)
        return orr__fail(c->at, ORR_EINDEX, "target length %lld of sequence %lld is not in 0 … %lld", (long long)out,
                         (long long)n, (long long)c->longest);
    for (int64_t i = 0; i < out; i++) {
        int64_t label = c->target[n * c->longest + i];
        if (label < 0 || label >= c->classes || label == c->blank)
            return orr__fail(c->at, ORR_EINDEX,
                             "label %lld of sequence %lld is %lld: no class of %lld, or the blank %lld", (long long)i,
                             (long long)n, (long long)label, (long long)c->classes, (long long)c->blank);
    }
    return ORR_OK;
}

static void store(orr_dtype dtype, void *to, int64_t i, double v)
{
    if (dtype == ORR_F32)
        ((float *)to)[i] = (float)v;
    else
        ((double *)to)[i] = v;
}

orr_status orr__ctc_sequence(const orr__ctc *c, int64_t n, void *loss, void *gradient)
{
    ORR__IN_DEFAULT_FPMODE;
    orr_status st = check(c, n);
    if (st != ORR_OK)
        return st;
    sequence s = { c, n, c->input_length[n], 2 * c->target_length[n] + 1, c->target + n * c->longest };
    int64_t cells = c->time * c->classes;
    double *alpha = orr__alloc_n((size_t)(s.time * s.states + 2 * s.states), sizeof *alpha);
    double *g = gradient ? orr__alloc_n((size_t)cells + 1, sizeof *g) : NULL, total;
    if (!alpha || (gradient && !g)) {
        free(alpha);
        free(g);
        return ORR_ENOMEM;
    }
    total = s.time > 0 ? forward(&s, alpha) : s.states == 1 ? 0.0 : -INFINITY;
    if (loss)
        store(c->dtype, loss, n, 0.0 - total);
    if (gradient) {
        double *beta = alpha + s.time * s.states;
        if (total != -INFINITY)
            backward(&s, alpha, total, beta, beta + s.states, g);
        for (int64_t i = 0; i < cells; i++)
            store(c->dtype, gradient, n * cells + i, g[i]);
    }
    free(alpha);
    free(g);
    return ORR_OK;
}
