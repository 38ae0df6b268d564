/* Normalisation by mean and variance, of examples, groups and batches; local response; dropout.
 * Must not know: layers, running statistics. */
#include "config.h"

#include <math.h>
#include <orrery/norm.h>
#include <orrery/random.h>
#include "ops/record.h"

#define AT at.file, at.line
#define SCALAR(v) orr_scalar_at(AT, (v))

/* x as wide as it is computed, inside a scope that `end` closes. */
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

/* y·weight + bias, both of shape `want`, seen as `as`. */
static orr_tensor *affine(const frame *f, orr_tensor *y, orr_tensor *weight, orr_tensor *bias, orr_shape want,
                          orr_shape as)
{
    orr__site at = f->at;
    for (int i = 0; i < 2; i++) {
        orr_tensor *t = i ? bias : weight, *bad;
        const char *name = i ? "bias" : "weight";
        orr__node *n;
        if (!t)
            continue;
        if (!orr__operand_float(at, t, name, &n, &bad))
            return bad;
        if (!orr__shape_equal(&n->shape, &want))
            return orr__poison(at, ORR_ESHAPE, "%s of shape %s does not fit x of shape %s: it must be %s", name,
                               orr__str(n->shape).s, orr__str(f->shape).s, orr__str(want).s);
        t = orr_reshape_at(AT, orr_cast_at(AT, t, orr__wide(f->dtype)), as);
        y = i ? orr_add_at(AT, y, t) : orr_mul_at(AT, y, t);
    }
    return y;
}

/* d/√(mean(d²) + eps) over the axes. */
static orr_tensor *scaled(orr__site at, orr_tensor *d, orr_axes axes, double eps)
{
    orr_tensor *v = orr_mean_at(AT, orr_square_at(AT, d), axes, true);
    return orr_mul_at(AT, d, orr_rsqrt_at(AT, orr_add_at(AT, v, SCALAR(eps))));
}

static orr_tensor *centred(orr__site at, orr_tensor *x, orr_axes axes)
{
    return orr_sub_at(AT, x, orr_mean_at(AT, x, axes, true));
}

/* -- the last axes ----------------------------------------------------------------------------------------- */

/* The last n axes of `s`; false: there are not as many. */
static bool last_axes(const frame *f, int n, orr_axes *axes, orr_shape *of, orr_tensor **bad)
{
    orr__site at = f->at;
    if (n < 1 || n > f->shape.rank) {
        *bad = orr__poison(at, ORR_EAXIS, "the last %d axes of shape %s: there must be 1 to %d", n,
                           orr__str(f->shape).s, f->shape.rank);
        return false;
    }
    *axes = (orr_axes){ .n = n };
    of->rank = n;
    for (int i = 0; i < n; i++) {
        axes->axis[i] = f->shape.rank - n + i;
        of->dim[i] = f->shape.dim[f->shape.rank - n + i];
    }
    return true;
}

static orr_tensor *over_last(orr__site at, orr_tensor *x, int n, orr_tensor *weight, orr_tensor *bias, double eps,
                             bool centre)
{
    frame f;
    orr_tensor *bad;
    orr_axes axes;
    orr_shape of = { 0 };
    if (!begin(&f, at, x, eps, &bad))
        return bad;
    if (!last_axes(&f, n, &axes, &of, &bad))
        return orr__compose_end(at, f.scope, bad);
    orr_tensor *y = scaled(at, centre ? centred(at, f.x, axes) : f.x, axes, eps);
    return end(&f, affine(&f, y, weight, bias, of, of));
}

orr_tensor *orr_layer_norm_at(const char *file, int line, orr_tensor *x, int axes, orr_tensor *weight, orr_tensor *bias,
                              double eps)
{
    return over_last(ORR__SITE(file, line, "layer_norm"), x, axes, weight, bias, eps, true);
}

orr_tensor *orr_rms_norm_at(const char *file, int line, orr_tensor *x, int axes, orr_tensor *weight, double eps)
{
    return over_last(ORR__SITE(file, line, "rms_norm"), x, axes, weight, NULL, eps, false);
}

/* -- channels ---------------------------------------------------------------------------------------------- */

/* (channels, 1, …, 1) for x (batch, channels, …); false: x has no channels. */
static bool channels(const frame *f, orr_shape *as, orr_tensor **bad)
{
    orr__site at = f->at;
    if (f->shape.rank < 2) {
        *bad = orr__poison(at, ORR_ESHAPE, "x of shape %s is not (batch, channels, …)", orr__str(f->shape).s);
        return false;
    }
    *as = (orr_shape){ .rank = f->shape.rank - 1 };
    for (int d = 0; d < as->rank; d++)
        as->dim[d] = d ? 1 : f->shape.dim[1];
    return true;
}

orr_tensor *orr_group_norm_at(const char *file, int line, orr_tensor *x, int64_t groups, orr_tensor *weight,
                              orr_tensor *bias, double eps)
{
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
    int64_t rows = f.shape.dim[0] * groups, all = orr__shape_count(&f.shape);
    orr_tensor *flat = orr_reshape_at(AT, f.x, ORR_SHAPE(rows, rows ? all / rows : 0));
    orr_tensor *y = scaled(at, centred(at, flat, ORR_AXES(1)), ORR_AXES(1), eps);
    return end(&f, affine(&f, orr_reshape_at(AT, y, f.shape), weight, bias, ORR_SHAPE(f.shape.dim[1]), as));
}

orr_tensor *orr_instance_norm_at(const char *file, int line, orr_tensor *x, orr_tensor *weight, orr_tensor *bias,
                                 double eps)
{
    orr_shape s = orr_tensor_shape(x);
    return orr_group_norm_at(file, line, x, s.rank > 1 && s.dim[1] > 0 ? s.dim[1] : 1, weight, bias, eps);
}

static orr_axes all_but_channels(const frame *f)
{
    orr_axes axes = { .n = 0 };
    for (int d = 0; d < f->shape.rank; d++)
        if (d != 1)
            axes.axis[axes.n++] = d;
    return axes;
}

orr_tensor *orr_batch_norm_at(const char *file, int line, orr_tensor *x, orr_tensor *mean, orr_tensor *var,
                              orr_tensor *weight, orr_tensor *bias, double eps)
{
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
    orr_tensor *r = orr_rsqrt_at(AT, orr_add_at(AT, statistic[1], SCALAR(eps)));
    orr_tensor *y = orr_mul_at(AT, orr_sub_at(AT, f.x, statistic[0]), r);
    return end(&f, affine(&f, y, weight, bias, ORR_SHAPE(f.shape.dim[1]), as));
}

orr_tensor *orr_batch_norm_training_at(const char *file, int line, orr_tensor *x, orr_tensor *weight, orr_tensor *bias,
                                       double eps, orr_tensor **mean, orr_tensor **var)
{
    orr__site at = ORR__SITE(file, line, "batch_norm");
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
    orr_axes axes = all_but_channels(&f);
    orr_tensor *m = orr_mean_at(AT, f.x, axes, true), *d = orr_sub_at(AT, f.x, m);
    orr_tensor *v = orr_mean_at(AT, orr_square_at(AT, d), axes, true);
    orr_tensor *y = orr_mul_at(AT, d, orr_rsqrt_at(AT, orr_add_at(AT, v, SCALAR(eps))));
    y = affine(&f, y, weight, bias, ORR_SHAPE(c), as);
    if (mean)
        *mean = orr_scope_return_at(AT, f.scope, orr_reshape_at(AT, orr_detach_at(AT, m), ORR_SHAPE(c)));
    if (var) {
        orr_tensor *unbiased = orr_mul_at(AT, orr_detach_at(AT, v), SCALAR(count / (count - 1.0)));
        *var = orr_scope_return_at(AT, f.scope, orr_reshape_at(AT, unbiased, ORR_SHAPE(c)));
    }
    return end(&f, y);
}

orr_tensor *orr_local_response_norm_at(const char *file, int line, orr_tensor *x, int64_t size, double alpha,
                                       double beta, double k)
{
    orr__site at = ORR__SITE(file, line, "local_response_norm");
    frame f;
    orr_shape as;
    orr_tensor *bad;
    if (size < 1)
        return orr__poison(at, ORR_EINVAL, "size must be ≥ 1, not %lld", (long long)size);
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
    orr_scope *scope = orr_scope_begin();
    orr_tensor *keep = orr_bernoulli_at(AT, shape, 1.0 - p), *grown = orr_mul_at(AT, x, SCALAR(1.0 / (1.0 - p)));
    return orr__compose_end(at, scope, orr_where_at(AT, keep, grown, SCALAR(0)));
}
