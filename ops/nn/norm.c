/* Normalisation by mean and variance, of examples, groups and batches; local response; dropout.
 * Must not know: layers, running statistics. */
#include "config.h"

#include <math.h>
#include <orrery/norm.h>
#include <orrery/random.h>
#include "ops/nn/normalise.h"
#include "ops/record.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/threshold.h"

#define AT at.file, at.line
#define SCALAR(v) orr_scalar_at(AT, (v))

/* x in the dtype of the computation, inside a scope that `end` closes. */
typedef struct {
    orr__site at;
    orr_scope *scope;
    orr_tensor *x;
    orr_shape shape;
    orr_dtype dtype;
} frame;

static bool begin(frame *f, orr__site at, orr_tensor *x, double eps, orr_tensor **bad)
{
    orr__node *n;
    if (!orr__operand_float(at, x, "x", &n, bad))
        return false;
    if (!(eps >= 0.0) || !isfinite(eps)) {
        *bad = orr__poison(at, ORR_EINVAL, "eps must be finite and ≥ 0, not %g", eps);
        return false;
    }
    *f = (frame){ .at = at, .shape = n->shape, .dtype = (orr_dtype)n->dtype };
    f->scope = orr_scope_begin();
    f->x = orr_cast_at(AT, x, orr__wide(f->dtype));
    return true;
}

static orr_tensor *end(const frame *f, orr_tensor *r)
{
    orr__site at = f->at;
    return orr__compose_end(at, f->scope, orr_cast_at(AT, r, f->dtype));
}

/* Checks that t, a weight or bias, has the shape `want`, and reshapes it to `as`; NULL stays. */
static bool parameter(const frame *f, orr_tensor **t, const char *name, orr_shape want, orr_shape as, orr_tensor **bad)
{
    orr__site at = f->at;
    orr__node *n;
    if (!*t)
        return true;
    if (!orr__operand_float(at, *t, name, &n, bad))
        return false;
    if (!orr__shape_equal(&n->shape, &want)) {
        *bad = orr__poison(at, ORR_ESHAPE, "%s of shape %s does not fit x of shape %s: it must be %s", name,
                           orr__str(n->shape).s, orr__str(f->shape).s, orr__str(want).s);
        return false;
    }
    *t = orr_reshape_at(AT, orr_cast_at(AT, *t, orr__wide(f->dtype)), as);
    return true;
}

/* x, axes and groups as in orr__normal; weight and bias of shape `want`, which are reshaped to `as`. */
typedef struct {
    orr_tensor *x;
    uint32_t axes;
    int64_t groups;
    orr_tensor *mean, *var; /* computed here */
    orr_tensor *weight, *bias;
    orr_shape want, as;
} normal;

static orr_tensor *mean_of(const frame *f, const normal *n, orr_tensor *t)
{
    orr__site at = f->at;
    t = n->axes ? orr_sum_at(AT, t, orr__axes_of(n->axes), true) : t;
    t = n->groups ? orr__over_groups(at, t, n->groups) : t;
    return orr_div_at(AT, t, SCALAR(orr__normal_count(&f->shape, n->axes, n->groups)));
}

/* True if the axes are one contiguous row that is short enough to stay in a core's cache. */
static bool is_row(const frame *f, const normal *n)
{
    int last = f->shape.rank - 1;
    return !n->groups && last >= 0 && n->axes == 1u << last && f->shape.dim[last] <= ORR__NEAR_ROW;
}

/* Mean and variance. Short rows are read twice, from cache. Otherwise, for f32, one pass computes Σ x and Σ x² in f64, and the
 * variance is mean(x²) − mean². Its error is some 2⁻⁵³·mean², less than the variance 2⁻⁵⁰·mean² that the rounding of elements to
 * f32 causes. For f64 there are two passes. */
static void statistics(const frame *f, normal *n, bool centre)
{
    orr__site at = f->at;
    if (centre && !is_row(f, n) && orr__wide(f->dtype) == ORR_F32) {
        orr_tensor *x = orr_cast_at(AT, n->x, ORR_F64);
        orr_tensor *m = mean_of(f, n, x), *squares = mean_of(f, n, orr_square_at(AT, x));
        orr_tensor *v = orr_maximum_at(AT, orr_sub_at(AT, squares, orr_square_at(AT, m)), SCALAR(0));
        n->mean = orr_cast_at(AT, m, ORR_F32);
        n->var = orr_cast_at(AT, v, ORR_F32);
        return;
    }
    n->mean = centre ? mean_of(f, n, n->x) : NULL;
    n->var = mean_of(f, n, orr_square_at(AT, centre ? orr_sub_at(AT, n->x, n->mean) : n->x));
}

static orr_tensor *normalised(const frame *f, normal *n, bool centre, double eps)
{
    orr__site at = f->at;
    orr_tensor *bad;
    if (!parameter(f, &n->weight, "weight", n->want, n->as, &bad) ||
        !parameter(f, &n->bias, "bias", n->want, n->as, &bad))
        return bad;
    statistics(f, n, centre);
    return orr__normalise(&(orr__normal){ .at = at,
                                          .x = n->x,
                                          .axes = n->axes,
                                          .groups = n->groups,
                                          .mean = n->mean,
                                          .scale = orr_rsqrt_at(AT, orr_add_at(AT, n->var, SCALAR(eps))),
                                          .weight = n->weight,
                                          .bias = n->bias });
}

/* -- the last axes ----------------------------------------------------------------------------------------- */

/* The last n axes of x; false: x has fewer. */
static bool last_axes(const frame *f, int n, uint32_t *axes, orr_shape *of, orr_tensor **bad)
{
    orr__site at = f->at;
    if (n < 1 || n > f->shape.rank) {
        *bad = orr__poison(at, ORR_EAXIS, "the last %d axes of shape %s: there must be 1 to %d", n,
                           orr__str(f->shape).s, f->shape.rank);
        return false;
    }
    of->rank = n;
    for (int i = 0; i < n; i++) {
        *axes |= 1u << (f->shape.rank - n + i);
        of->dim[i] = f->shape.dim[f->shape.rank - n + i];
    }
    return true;
}

static orr_tensor *over_last(orr__site at, orr_tensor *x, int n, orr_tensor *weight, orr_tensor *bias, double eps,
                             bool centre)
{
    frame f;
    orr_tensor *bad;
    uint32_t axes = 0;
    orr_shape of = { 0 };
    if (!begin(&f, at, x, eps, &bad))
        return bad;
    if (!last_axes(&f, n, &axes, &of, &bad))
        return orr__compose_end(at, f.scope, bad);
    normal to = { .x = f.x, .axes = axes, .weight = weight, .bias = bias, .want = of, .as = f.shape };
    for (int d = 0; d < f.shape.rank - n; d++)
        to.as.dim[d] = 1;
    return end(&f, normalised(&f, &to, centre, eps));
}

orr_tensor *orr_layer_norm_at(const char *file, int line, orr_tensor *x, int axes, orr_tensor *weight, orr_tensor *bias,
                              double eps)
{
    ORR__IN_DEFAULT_FPMODE;
    return over_last(ORR__SITE(file, line, "layer_norm"), x, axes, weight, bias, eps, true);
}

orr_tensor *orr_rms_norm_at(const char *file, int line, orr_tensor *x, int axes, orr_tensor *weight, double eps)
{
    ORR__IN_DEFAULT_FPMODE;
    return over_last(ORR__SITE(file, line, "rms_norm"), x, axes, weight, NULL, eps, false);
}

/* -- channels ---------------------------------------------------------------------------------------------- */

/* (1, channels, 1, …, 1) for x (batch, channels, …); false: x has no channels. */
static bool channels(const frame *f, orr_shape *as, orr_tensor **bad)
{
    orr__site at = f->at;
    if (f->shape.rank < 2) {
        *bad = orr__poison(at, ORR_ESHAPE, "x of shape %s is not (batch, channels, …)", orr__str(f->shape).s);
        return false;
    }
    *as = (orr_shape){ .rank = f->shape.rank };
    for (int d = 0; d < as->rank; d++)
        as->dim[d] = d == 1 ? f->shape.dim[1] : 1;
    return true;
}

static uint32_t all_but_channels(const frame *f)
{
    return ((1u << f->shape.rank) - 1) & ~2u;
}

orr_tensor *orr_group_norm_at(const char *file, int line, orr_tensor *x, int64_t groups, orr_tensor *weight,
                              orr_tensor *bias, double eps)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "group_norm");
    frame f;
    orr_shape as;
    orr_tensor *bad;
    if (!begin(&f, at, x, eps, &bad))
        return bad;
    if (!channels(&f, &as, &bad))
        return orr__compose_end(at, f.scope, bad);
    if (groups < 1 || f.shape.dim[1] % groups != 0)
        return orr__compose_end(at, f.scope,
                                orr__poison(at, ORR_ESHAPE, "%lld groups do not divide the %lld channels of x %s",
                                            (long long)groups, (long long)f.shape.dim[1], orr__str(f.shape).s));
    int64_t c = f.shape.dim[1];
    normal to = { .x = f.x,
                  .axes = all_but_channels(&f) & ~1u,
                  .groups = groups == c ? 0 : groups,
                  .weight = weight,
                  .bias = bias,
                  .want = ORR_SHAPE(c),
                  .as = as };
    return end(&f, normalised(&f, &to, true, eps));
}

orr_tensor *orr_instance_norm_at(const char *file, int line, orr_tensor *x, orr_tensor *weight, orr_tensor *bias,
                                 double eps)
{
    ORR__IN_DEFAULT_FPMODE;
    orr_shape s = orr_tensor_shape(x);
    return orr_group_norm_at(file, line, x, s.rank > 1 && s.dim[1] > 0 ? s.dim[1] : 1, weight, bias, eps);
}

orr_tensor *orr_batch_norm_at(const char *file, int line, orr_tensor *x, orr_tensor *mean, orr_tensor *var,
                              orr_tensor *weight, orr_tensor *bias, double eps)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "batch_norm");
    frame f;
    orr_shape as;
    orr_tensor *bad, *statistic[2] = { mean, var };
    if (!mean || !var)
        return orr__poison(at, ORR_EINVAL,
                           "there are no statistics: give mean and var, or normalise by orr_batch_norm_training");
    if (!begin(&f, at, x, eps, &bad))
        return bad;
    if (!channels(&f, &as, &bad))
        return orr__compose_end(at, f.scope, bad);
    for (int i = 0; i < 2; i++) {
        orr__node *n;
        if (!orr__operand_float(at, statistic[i], i ? "var" : "mean", &n, &bad))
            return orr__compose_end(at, f.scope, bad);
        if (n->shape.rank != 1 || n->shape.dim[0] != f.shape.dim[1])
            return orr__compose_end(at, f.scope,
                                    orr__poison(at, ORR_ESHAPE, "%s of shape %s is not one number a channel of x %s",
                                                i ? "var" : "mean", orr__str(n->shape).s, orr__str(f.shape).s));
        statistic[i] = orr_reshape_at(AT, orr_cast_at(AT, statistic[i], orr__wide(f.dtype)), as);
    }
    orr_shape want = ORR_SHAPE(f.shape.dim[1]);
    if (!parameter(&f, &weight, "weight", want, as, &bad) || !parameter(&f, &bias, "bias", want, as, &bad))
        return orr__compose_end(at, f.scope, bad);
    orr_tensor *r = orr_rsqrt_at(AT, orr_add_at(AT, statistic[1], SCALAR(eps)));
    orr_tensor *y = orr_mul_at(AT, orr_sub_at(AT, f.x, statistic[0]), r);
    y = weight ? orr_mul_at(AT, y, weight) : y;
    return end(&f, bias ? orr_add_at(AT, y, bias) : y);
}

orr_tensor *orr_batch_norm_training_at(const char *file, int line, orr_tensor *x, orr_tensor *weight, orr_tensor *bias,
                                       double eps, orr_tensor **mean, orr_tensor **var)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "batch_norm_training");
    frame f;
    orr_shape as;
    orr_tensor *bad;
    if (!begin(&f, at, x, eps, &bad))
        return bad;
    if (!channels(&f, &as, &bad))
        return orr__compose_end(at, f.scope, bad);
    int64_t c = f.shape.dim[1], all = orr__shape_count(&f.shape);
    double count = c ? (double)(all / c) : 2.0;
    if (count < 2.0)
        return orr__compose_end(at, f.scope,
                                orr__poison(at, ORR_ESHAPE,
                                            "x of shape %s has %g values in a channel: training needs two or more",
                                            orr__str(f.shape).s, count));
    normal to = {
        .x = f.x, .axes = all_but_channels(&f), .weight = weight, .bias = bias, .want = ORR_SHAPE(c), .as = as
    };
    orr_tensor *y = normalised(&f, &to, true, eps);
    if (mean)
        *mean = orr_scope_return_at(AT, f.scope, orr_reshape_at(AT, orr_detach_at(AT, to.mean), ORR_SHAPE(c)));
    if (var) {
        orr_tensor *unbiased = orr_mul_at(AT, orr_detach_at(AT, to.var), SCALAR(count / (count - 1.0)));
        *var = orr_scope_return_at(AT, f.scope, orr_reshape_at(AT, unbiased, ORR_SHAPE(c)));
    }
    return end(&f, y);
}

orr_tensor *orr_local_response_norm_at(const char *file, int line, orr_tensor *x, int64_t size, double alpha,
                                       double beta, double k)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "local_response_norm");
    frame f;
    orr_shape as;
    orr_tensor *bad;
    if (size < 1)
        return orr__poison(at, ORR_EINVAL, "size must be ≥ 1, not %lld", (long long)size);
    if (isnan(alpha) || isnan(beta) || isnan(k))
        return orr__poison(at, ORR_EINVAL, "alpha %g, beta %g and k %g must be numbers", alpha, beta, k);
    if (!begin(&f, at, x, 0.0, &bad))
        return bad;
    if (!channels(&f, &as, &bad))
        return orr__compose_end(at, f.scope, bad);
    orr_tensor *squares =
        orr_pad_at(AT, orr_square_at(AT, f.x), ORR_INDEX(0, size / 2), ORR_INDEX(0, (size - 1) / 2), 0);
    orr_tensor *sum = orr_sum_at(AT, orr_sliding_window_at(AT, squares, 1, size, 1), ORR_AXES(-1), false);
    orr_tensor *base = orr_add_at(AT, orr_mul_at(AT, sum, SCALAR(alpha / (double)size)), SCALAR(k));
    return end(&f, orr_div_at(AT, f.x, orr_pow_at(AT, base, SCALAR(beta))));
}

/* -- dropout ----------------------------------------------------------------------------------------------- */

orr_tensor *orr_dropout_at(const char *file, int line, orr_tensor *x, double p)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dropout");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_float(at, x, "x", &n, &bad))
        return bad;
    if (!(p >= 0.0 && p <= 1.0))
        return orr__poison(at, ORR_EINVAL, "%g is no probability", p);
    if (p == 0.0)
        return orr__handle_new(orr__node_ref(n));
    if (p == 1.0)
        return orr_mul_at(AT, x, SCALAR(0));
    orr_shape shape = n->shape;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *keep = orr_bernoulli_at(AT, shape, 1.0 - p), *grown = orr_mul_at(AT, x, SCALAR(1.0 / (1.0 - p)));
    return orr__compose_end(at, scope, orr_where_at(AT, keep, grown, SCALAR(0)));
}
