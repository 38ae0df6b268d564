/* The exponential mechanism and the sparse vector technique, exactly.
 * Must not know: the generation of exact random numbers. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include <orrery/privacy.h>
#include "ops/privacy/secret.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fork.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/object.h"
#include "runtime/base/secret.h"

/* -- the exponential mechanism -------------------------------------------------------------------------------- */

/* scores as integers of sensitivity ORR__GRID */
static orr_status read_scores(orr__site at, orr_tensor *scores, double sensitivity, double *value, int64_t *place,
                              int64_t n)
{
    orr_scope *s = orr_scope_begin();
    orr_status st =
        orr_read_at(at.file, at.line, orr_cast_at(at.file, at.line, scores, ORR_F64), value, (size_t)n * sizeof *value);
    if (s)
        (void)orr_scope_end(s);
    for (int64_t i = 0; st == ORR_OK && i < n; i++)
        if (!orr__grid(value[i], sensitivity, &place[i]))
            st = orr__fail(at, ORR_EINVAL, "score %lld is %g: not finite, or beyond 2^31 sensitivities", (long long)i,
                           value[i]);
    return st;
}

/* Rejection sampling: a uniform candidate is accepted with probability e^(−ε·(best − place)/(2·ORR__GRID)). */
static int64_t choose(orr__secret *s, const int64_t *place, int64_t n, orr__ratio epsilon)
{
    int64_t best = place[0];
    for (int64_t i = 1; i < n; i++)
        best = place[i] > best ? place[i] : best;
    orr__wide_uint den = ((orr__wide_uint)2 * ORR__GRID) << epsilon.den_log2;
    for (;;) {
        int64_t i = (int64_t)orr__secret_below(s, (uint64_t)n);
        if (orr__draw_exp(s, (orr__wide_uint)(best - place[i]) * epsilon.num, den))
            return i;
    }
}

orr_status orr_dp_exponential_at(const char *file, int line, orr_tensor *scores, double sensitivity, double epsilon,
                                 int64_t *index)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_exponential");
    orr_shape shape = orr_tensor_shape(scores);
    if (shape.rank < 0)
        return orr_eval_at(file, line, scores);
    if (shape.rank != 1 || shape.dim[0] < 1)
        return orr__fail(at, ORR_ESHAPE, "scores must have one axis and at least one element");
    if (!(sensitivity > 0.0 && isfinite(sensitivity)) || !(epsilon >= 0x1p-20 && epsilon <= 0x1p20))
        return orr__fail(at, ORR_EINVAL, "the sensitivity must be > 0 and ε in [2^-20, 2^20], not %g and %g",
                         sensitivity, epsilon);
    if (!index)
        return orr__fail(at, ORR_EINVAL, "the place for the index is NULL");
    int64_t n = shape.dim[0], *place = orr__alloc_n((size_t)n, sizeof *place);
    double *value = orr__alloc_n((size_t)n, sizeof *value);
    orr_status st =
        place && value ? read_scores(at, scores, sensitivity, value, place, n) : orr__fail_place(at, ORR_ENOMEM);
    if (st == ORR_OK) {
        orr__secret s;
        orr__secret_begin(&s);
        int64_t chosen = choose(&s, place, n, orr__ratio_of(epsilon, false));
        st = orr__secret_end(at, &s);
        if (st == ORR_OK)
            *index = chosen;
    }
    if (place)
        explicit_bzero(place, (size_t)n * sizeof *place);
    if (value)
        explicit_bzero(value, (size_t)n * sizeof *value);
    free(value);
    free(place);
    return st;
}

/* -- the sparse vector technique -------------------------------------------------------------------------------- */

struct orr_dp_sparse {
    double sensitivity;
    int64_t most, left;
    int64_t *threshold; /* with noise, in memory for secrets */
    uint64_t scale;     /* of the queries' noise */
    uint64_t process;   /* that made it: a forked one would give `most` further answers from one threshold */
};

static const orr__object_kind kind = { "sparse vector", sizeof(orr_dp_sparse) };

/* A scale of noise in grid units, rounded up. */
static uint64_t scale_of(double factor, double epsilon)
{
    return (uint64_t)ceil(factor * ORR__GRID / epsilon) + 1;
}

static orr_status draw_threshold(orr__site at, orr_dp_sparse *p, int64_t place, uint64_t scale)
{
    orr__secret s;
    orr__secret_begin(&s);
    *p->threshold = place + orr__draw_laplace(&s, scale, 1);
    return orr__secret_end(at, &s);
}

orr_dp_sparse *orr_dp_sparse_new_at(const char *file, int line, double threshold, double sensitivity, int64_t most,
                                    bool monotone, double epsilon)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_sparse_new");
    int64_t place = 0;
    orr_status st = ORR_OK;
    if (!(sensitivity > 0.0 && isfinite(sensitivity)) || !(epsilon > 0.0 && isfinite(epsilon)))
        st = orr__fail(at, ORR_EINVAL, "sensitivity and ε must be finite and > 0, not %g and %g", sensitivity, epsilon);
    else if (most < 1)
        st = orr__fail(at, ORR_EINVAL, "the number of answers \"above\" must be at least 1, not %lld", (long long)most);
    else if (!orr__grid(threshold, sensitivity, &place))
        st = orr__fail(at, ORR_EINVAL, "the threshold is %g: not finite, or beyond 2^31 sensitivities", threshold);
    /* Lyu, Su, Li, section 4.2: the division of ε that minimises the variance of the difference. */
    double factor = (monotone ? 1.0 : 2.0) * (double)most, share = pow(factor, 2.0 / 3.0);
    double first = epsilon / (1.0 + share), second = epsilon - first;
    if (st == ORR_OK && !(factor / second < 0x1p30 && 1.0 / first < 0x1p30))
        st = orr__fail(at, ORR_EINVAL, "the noise for ε %g and %lld answers is too large", epsilon, (long long)most);
    orr_dp_sparse *p = st == ORR_OK ? orr__object_new(&kind) : NULL;
    if (!p)
        return NULL;
    *p = (orr_dp_sparse){ sensitivity,       most, most, orr__secret_new(sizeof(int64_t)), scale_of(factor, second),
                          orr__fork_number() };
    if (p->threshold && draw_threshold(at, p, place, scale_of(1.0, first)) == ORR_OK)
        return p;
    orr_dp_sparse_free(p);
    return NULL;
}

orr_status orr_dp_sparse_ask_at(const char *file, int line, orr_dp_sparse *p, double query, bool *above)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_sparse_ask");
    int64_t place;
    orr_status there = orr__object_check(at, &kind, p);
    if (there != ORR_OK)
        return there;
    if (!above)
        return orr__fail(at, ORR_EINVAL, "the place for the answer is NULL");
    if (p->process != orr__fork_number())
        return orr__fail(
            at, ORR_ESTATE,
            "this sparse vector belongs to the process that made it, not to a forked one: its answers and "
            "its threshold are for one process; make another by orr_dp_sparse_new, which costs its ε again");
    if (!p->left)
        return orr__fail(at, ORR_ESTATE,
                         "this sparse vector has given its %lld answer%s \"above\": make another by orr_dp_sparse_new, "
                         "which costs its ε again",
                         (long long)p->most, p->most == 1 ? "" : "s");
    if (!orr__grid(query, p->sensitivity, &place))
        return orr__fail(at, ORR_EINVAL, "the query is %g: not finite, or beyond 2^31 sensitivities", query);
    orr__secret s;
    orr__secret_begin(&s);
    bool yes = place + orr__draw_laplace(&s, p->scale, 1) >= *p->threshold;
    orr_status st = orr__secret_end(at, &s);
    if (st == ORR_OK) {
        *above = yes;
        p->left -= yes;
    }
    return st;
}

void orr_dp_sparse_free(orr_dp_sparse *p)
{
    if (!orr__object_there("dp_sparse_free", &kind, p))
        return;
    orr__secret_free(p->threshold);
    orr__object_end(&kind, p);
}
