/* Random draws composed of others: exponential, categorical, choices without replacement, multivariate normal, shuffle.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <orrery/random.h>
#include "ops/array/array.h"
#include "ops/random.h"
#include "runtime/base/fpmode.h"

/* Exponential numbers with mean 1, f64: −log u for u in (0, 1]. */
static orr_tensor *standard_exponential(orr__site at, orr_shape shape)
{
    orr_tensor *u = orr_rand_at(at.file, at.line, ORR_F64, shape, 0, 1);
    return orr_neg_at(at.file, at.line, orr_log1p_at(at.file, at.line, orr_neg_at(at.file, at.line, u)));
}

orr_tensor *orr_exponential_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double scale)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "exponential");
    orr_tensor *bad;
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    if (!orr__is_float(dtype))
        return orr__poison(at, ORR_EDTYPE, "%s is no float dtype", orr_dtype_name(dtype));
    if (!(scale >= 0 && isfinite(scale)))
        return orr__poison(at, ORR_EINVAL, "no exponential distribution with scale %g", scale);
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *r = orr_mul_at(file, line, standard_exponential(at, shape), orr_scalar_at(file, line, scale));
    return orr__compose_end(at, s, orr_cast_at(file, line, r, dtype));
}

/* One axis of weights as f64. */
static bool weights_of(orr__site at, orr_tensor *weights, int64_t *n, orr_tensor **bad)
{
    orr__node *w;
    if (!orr__operand(at, weights, "weights", &w, bad))
        return false;
    *n = w->shape.rank == 1 ? w->shape.dim[0] : 0;
    if (*n > 0)
        return true;
    *bad = orr__poison(at, ORR_ESHAPE, "weights of shape %s: one axis of 1 or more is needed", orr__str(w->shape).s);
    return false;
}

/* The place of a uniform number among the cumulative sums of the weights. */
orr_tensor *orr_categorical_at(const char *file, int line, orr_shape shape, orr_tensor *weights)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "categorical");
    orr_tensor *bad;
    int64_t n;
    if (!orr__shape_ok(at, &shape, &bad) || !weights_of(at, weights, &n, &bad))
        return bad;
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *sums =
        orr_cumulative_sum_at(file, line, orr__weights_checked(at, weights, orr__shape_count(&shape) > 0), 0, false);
    orr_tensor *u = orr_rand_at(file, line, ORR_F64, shape, 0, 1);
    u = orr_mul_at(file, line, u, orr_select_at(file, line, sums, 0, -1));
    orr_tensor *r = orr_searchsorted_at(file, line, sums, u, true);
    return orr__compose_end(at, s, orr_minimum_at(file, line, r, orr__integer(at, n - 1)));
}

orr_tensor *orr_choice_at(const char *file, int line, int64_t n, int64_t k)
{
    orr__site at = ORR__SITE(file, line, "choice");
    if (k < 0 || k > n)
        return orr__poison(at, ORR_EINVAL, "k is %lld and n is %lld: without replacement, k must be 0 to n",
                           (long long)k, (long long)n);
    orr_scope *s = orr__compose_begin(at);
    return orr__compose_end(at, s, orr_slice_axis_at(file, line, orr_permutation_at(file, line, n), 0, 0, k, 1));
}

/* The k least of exponential numbers divided by the weights: P. S. Efraimidis, P. G. Spirakis, "Weighted random sampling with
 * a reservoir", Information Processing Letters 97, 2006. */
orr_tensor *orr_choice_weighted_at(const char *file, int line, orr_tensor *weights, int64_t k)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "choice_weighted");
    orr_tensor *bad;
    int64_t n;
    if (!weights_of(at, weights, &n, &bad))
        return bad;
    if (k < 0 || k > n)
        return orr__poison(at, ORR_EINVAL,
                           "k is %lld: without replacement, it must be 0 to %lld, the number of weights", (long long)k,
                           (long long)n);
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *time =
        orr_div_at(file, line, standard_exponential(at, ORR_SHAPE(n)), orr__weights_checked(at, weights, k > 0));
    return orr__compose_end(at, s, orr_top_places_at(file, line, time, k, 0, false));
}

orr_tensor *orr_multivariate_normal_at(const char *file, int line, orr_shape shape, orr_tensor *mean,
                                       orr_tensor *covariance)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "multivariate_normal");
    orr__node *in[2];
    orr_tensor *bad;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ mean, covariance },
                       (const char *const[]){ "mean", "covariance" }, in, &bad) ||
        !orr__shape_ok(at, &shape, &bad))
        return bad;
    orr_shape m = in[0]->shape, c = in[1]->shape;
    if (m.rank != 1 || c.rank != 2 || c.dim[0] != m.dim[0] || c.dim[1] != m.dim[0])
        return orr__poison(at, ORR_ESHAPE, "a mean of shape %s and a covariance of shape %s: (d) and (d, d) are needed",
                           orr__str(m).s, orr__str(c).s);
    if (shape.rank == ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "shape %s has no axis left for the variables", orr__str(shape).s);
    orr_dtype t = (orr_dtype)in[1]->dtype;
    if (t != ORR_F32 && t != ORR_F64)
        return orr__poison(at, ORR_EDTYPE, "the covariance is %s, and float32 or float64 is needed", orr_dtype_name(t));
    orr_scope *s = orr__compose_begin(at);
    int64_t count = orr__shape_count(&shape);
    orr_tensor *l = orr_cholesky_at(file, line, covariance);
    orr_tensor *z = orr_randn_at(file, line, t, ORR_SHAPE(count, m.dim[0]), 0, 1);
    orr_tensor *r = orr_add_at(file, line, orr_matmul_at(file, line, z, orr_transpose_at(file, line, l)), mean);
    shape.dim[shape.rank++] = m.dim[0];
    return orr__compose_end(at, s, orr_reshape_at(file, line, r, shape));
}

orr_tensor *orr_shuffle_at(const char *file, int line, orr_tensor *x, int axis)
{
    orr__site at = ORR__SITE(file, line, "shuffle");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int k = orr__axis(axis, n->shape.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &n->shape);
    orr_scope *s = orr__compose_begin(at);
    return orr__compose_end(at, s, orr_take_at(file, line, x, orr_permutation_at(file, line, n->shape.dim[k]), k));
}
