/* Statistics composed of sums, sorting and products: differences, counts, quantiles, covariances.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/array/array.h"
#include "runtime/base/fpmode.h"

orr_tensor *orr_diff_at(const char *file, int line, orr_tensor *x, int axis, int n, orr_tensor *prepend,
                        orr_tensor *append)
{
    orr__site at = ORR__SITE(file, line, "diff");
    orr__node *node;
    orr_tensor *bad, *part[3];
    int parts = 0;
    if (!orr__operand(at, x, "x", &node, &bad))
        return bad;
    int k = orr__axis(axis, node->shape.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &node->shape);
    if (n < 0)
        return orr__poison(at, ORR_EINVAL, "%d differences: a number from 0 on is needed", n);
    if (node->dtype == ORR_BOOL)
        return orr__poison(at, ORR_EDTYPE, "bool does not subtract: write orr_cast(x, ORR_I32)");
    orr_scope *s = orr__compose_begin(at);
    if (prepend)
        part[parts++] = prepend;
    part[parts++] = x;
    if (append)
        part[parts++] = append;
    orr_tensor *y = parts > 1 ? orr_concat_at(file, line, part, parts, k) : x;
    for (; n > 0 && orr_tensor_status(y) == ORR_OK && orr_tensor_shape(y).dim[k] > 0; n--)
        y = orr_sub_at(file, line, orr_slice_axis_at(file, line, y, k, 1, ORR_END, 1),
                       orr_slice_axis_at(file, line, y, k, 0, -1, 1));
    return orr__compose_end(at, s, y);
}

/* Weights of x's elements as flat, or ones. */
static orr_tensor *weights_of(orr__site at, orr_tensor *weights, const orr_shape *s, orr_dtype *t, orr_tensor **bad)
{
    orr__node *w;
    *t = ORR_I64;
    if (!weights)
        return orr_ones_at(at.file, at.line, ORR_I64, ORR_SHAPE_0D);
    if (!orr__operand(at, weights, "weights", &w, bad))
        return NULL;
    *t = (orr_dtype)w->dtype;
    if (*t == ORR_BOOL)
        *bad = orr__poison(at, ORR_EDTYPE, "weights are bool, which does not add: write orr_cast(weights, ORR_I64)");
    else if (!orr__shape_equal(&w->shape, s))
        *bad = orr__poison(at, ORR_ESHAPE, "weights of shape %s for elements of shape %s", orr__str(w->shape).s,
                           orr__str(*s).s);
    else
        return orr_reshape_at(at.file, at.line, weights, ORR_SHAPE(orr__shape_count(s)));
    return NULL;
}

/* One more than the greatest element of x, which is evaluated; -1: return *bad. */
static int64_t length_of(orr__site at, orr_tensor *x, int64_t count, orr_tensor **bad)
{
    orr_number low, high;
    if (!count)
        return 0;
    if (orr_item_number_at(at.file, at.line, orr_min_at(at.file, at.line, x, ORR_ALL_AXES, false), &low) != ORR_OK ||
        orr_item_number_at(at.file, at.line, orr_max_at(at.file, at.line, x, ORR_ALL_AXES, false), &high) != ORR_OK) {
        *bad = orr__handle_new(NULL);
        return -1;
    }
    bool negative = low.dtype == ORR_I64 && low.i < 0;
    uint64_t most = high.dtype == ORR_I64 ? (uint64_t)high.i : high.u;
    if (negative)
        *bad = orr__poison(at, ORR_EINVAL, "x has the element %lld, and none below 0 is counted", (long long)low.i);
    else if (most >= INT64_MAX / 16)
        *bad = orr__poison(at, ORR_ESHAPE, "x has the element %llu: so many counts are too many",
                           (unsigned long long)most);
    else
        return (int64_t)most + 1;
    return -1;
}

orr_tensor *orr_bincount_at(const char *file, int line, orr_tensor *x, orr_tensor *weights, int64_t length)
{
    orr__site at = ORR__SITE(file, line, "bincount");
    orr__node *n;
    orr_tensor *bad = NULL, *w;
    orr_dtype t;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    if (!orr__is_int((orr_dtype)n->dtype))
        return orr__poison(at, ORR_EDTYPE, "x is %s, and integers are needed", orr_dtype_name((orr_dtype)n->dtype));
    if (length < -1)
        return orr__poison(at, ORR_EINVAL, "%lld counts: a number from 0 on, or -1, is needed", (long long)length);
    orr_scope *s = orr__compose_begin(at);
    int64_t count = orr__shape_count(&n->shape), bins = length < 0 ? length_of(at, x, count, &bad) : length;
    w = bad ? NULL : weights_of(at, weights, &n->shape, &t, &bad);
    if (!w)
        return orr__compose_end(at, s, bad);
    /* orr_scatter_add counts a negative index from the end. */
    orr_tensor *flat = orr_cast_at(file, line, orr_reshape_at(file, line, x, ORR_SHAPE(count)), ORR_I64);
    orr_tensor *negative = orr_less_at(file, line, flat, orr__integer(at, 0));
    flat = orr_where_at(file, line, negative, orr__integer(at, ORR__NO_PLACE), flat);
    return orr__compose_end(at, s,
                            orr_scatter_add_at(file, line, orr_zeros_at(file, line, t, ORR_SHAPE(bins)), flat, w, 0));
}

orr_tensor *orr_histogram_at(const char *file, int line, orr_tensor *x, orr_tensor *edges, orr_tensor *weights)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "histogram");
    orr__node *in[2];
    orr_tensor *bad = NULL;
    orr_dtype t;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, edges }, (const char *const[]){ "x", "edges" }, in, &bad))
        return bad;
    if (in[1]->shape.rank != 1 || in[1]->shape.dim[0] < 2)
        return orr__poison(at, ORR_ESHAPE, "edges of shape %s: one axis of 2 or more is needed",
                           orr__str(in[1]->shape).s);
    orr_scope *s = orr__compose_begin(at);
    int64_t bins = in[1]->shape.dim[0] - 1, count = orr__shape_count(&in[0]->shape);
    orr_tensor *w = weights_of(at, weights, &in[0]->shape, &t, &bad);
    if (!w)
        return orr__compose_end(at, s, bad);
    orr_tensor *flat = orr_reshape_at(file, line, x, ORR_SHAPE(count));
    orr_tensor *last = orr_select_at(file, line, edges, 0, -1);
    orr_tensor *bin = orr_sub_at(file, line, orr__interval_after(at, edges, flat), orr__integer(at, 1));
    bin = orr_where_at(file, line, orr_equal_at(file, line, flat, last), orr__integer(at, bins - 1), bin);
    /* Elements outside of the range are counted in an extra last bin, which is cut off. */
    orr_tensor *outside = orr_less_at(file, line, bin, orr__integer(at, 0));
    bin = orr_where_at(file, line, outside, orr__integer(at, bins), bin);
    bin = orr_minimum_at(file, line, bin, orr__integer(at, bins));
    orr_tensor *r = orr_scatter_add_at(file, line, orr_zeros_at(file, line, t, ORR_SHAPE(bins + 1)), bin, w, 0);
    return orr__compose_end(at, s, orr_slice_axis_at(file, line, r, 0, 0, bins, 1));
}

/* x with the axes of the mask as one axis, which is the last; an axis that is alone stays where it is. *k: that axis. */
static orr_tensor *lines_of(orr__site at, orr_tensor *x, const orr_shape *s, uint32_t mask, int *k)
{
    const char *file = at.file;
    int line = at.line, n = 0, reduced = __builtin_popcount(mask);
    if (reduced == 1) {
        *k = __builtin_ctz(mask);
        return x;
    }
    orr_axes order = { s->rank, { 0 } };
    orr_shape lines = { 0, { 0 } };
    for (int d = 0; d < s->rank; d++)
        if (!(mask >> d & 1)) {
            order.axis[n++] = d;
            lines.dim[lines.rank++] = s->dim[d];
        }
    int64_t length = 1;
    for (int d = 0; d < s->rank; d++)
        if (mask >> d & 1) {
            order.axis[n++] = d;
            length *= s->dim[d];
        }
    *k = lines.rank;
    lines.dim[lines.rank++] = length;
    return orr_reshape_at(file, line, reduced ? orr_permute_at(file, line, x, order) : x, lines);
}

/* The quantile at place q·(n − 1) of the sorted lines along axis k: a line is a value there. */
static orr_tensor *quantile_of(orr__site at, orr_tensor *sorted, int k, int64_t n, double q)
{
    const char *file = at.file;
    int line = at.line;
    double place = q * (double)(n - 1), low = floor(place), part = place - low;
    orr_tensor *y = orr_slice_axis_at(file, line, sorted, k, (int64_t)low, (int64_t)low + 1, 1);
    if (part > 0) { /* (1 − p)·a + p·b is exact for equal elements and for infinities of one sign */
        orr_tensor *b = orr_slice_axis_at(file, line, sorted, k, (int64_t)low + 1, (int64_t)low + 2, 1);
        y = orr_add_at(file, line, orr_mul_at(file, line, y, orr_scalar_at(file, line, 1 - part)),
                       orr_mul_at(file, line, b, orr_scalar_at(file, line, part)));
    }
    return y;
}

/* NULL: the lists are right. */
static orr_tensor *quantiles_checked(orr__site at, const orr_shape *s, uint32_t mask, const double *q, int n,
                                     bool extra)
{
    if (!q)
        return orr__poison(at, ORR_EINVAL, "the list of quantiles is NULL");
    if (n < 1)
        return orr__poison(at, ORR_EINVAL, "%d quantiles: one at least is needed", n);
    for (int d = 0; d < s->rank; d++)
        if (mask >> d & 1 && s->dim[d] == 0)
            return orr__poison(at, ORR_ESHAPE, "axis %d of %s has no elements, and so no quantile", d, orr__str(*s).s);
    if (extra)
        return orr__poison(at, ORR_ESHAPE, "%s has no axis left for the quantiles", orr__str(*s).s);
    for (int i = 0; i < n; i++)
        if (!(q[i] >= 0 && q[i] <= 1))
            return orr__poison(at, ORR_EINVAL, "q[%d] is %g: a quantile is between 0 and 1", i, q[i]);
    return NULL;
}

static orr_tensor *quantiles(orr__site at, orr_tensor *x, const double *q, int n, orr_axes axes, bool keepdims,
                             bool one)
{
    const char *file = at.file;
    int line = at.line, k;
    orr__node *node;
    orr_tensor *bad;
    uint32_t mask;
    if (!orr__operand_float(at, x, "x", &node, &bad))
        return bad;
    if (!orr__axes_mask(axes, node->shape.rank, &mask))
        return orr__axes_poison(at, axes, &node->shape);
    orr_shape s = node->shape, reduced = orr__shape_reduced(&s, mask, keepdims);
    if ((bad = quantiles_checked(at, &s, mask, q, n, !one && reduced.rank == ORR_MAX_RANK)))
        return bad;
    orr_dtype t = (orr_dtype)node->dtype;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *lines = lines_of(at, orr_cast_at(file, line, x, orr__wide(t)), &s, mask, &k);
    int64_t length = orr_tensor_shape(lines).dim[k];
    orr_tensor *sorted = orr_sort_at(file, line, lines, k, false), *r = NULL;
    orr_tensor *nan = orr_isnan_at(file, line, orr_slice_axis_at(file, line, sorted, k, -1, ORR_END, 1));
    orr_tensor **each = orr__alloc_n((size_t)n, sizeof *each);
    if (!each)
        return orr__compose_end(at, scope, orr__poison(at, ORR_ENOMEM, "no memory for %d quantiles", n));
    for (int i = 0; i < n; i++) {
        orr_tensor *y = quantile_of(at, sorted, k, length, q[i]);
        y = orr_where_at(file, line, nan, orr_full_at(file, line, orr__wide(t), ORR_SHAPE_0D, NAN), y);
        each[i] = orr_reshape_at(file, line, orr_cast_at(file, line, y, t), reduced);
    }
    r = one ? each[0] : orr_stack_at(file, line, each, n, 0);
    free(each);
    return orr__compose_end(at, scope, r);
}

orr_tensor *orr_quantile_at(const char *file, int line, orr_tensor *x, const double *q, int n, orr_axes axes,
                            bool keepdims)
{
    ORR__IN_DEFAULT_FPMODE;
    return quantiles(ORR__SITE(file, line, "quantile"), x, q, n, axes, keepdims, false);
}

orr_tensor *orr_median_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims)
{
    ORR__IN_DEFAULT_FPMODE;
    return quantiles(ORR__SITE(file, line, "median"), x, &(double){ 0.5 }, 1, axes, keepdims, true);
}

/* Σ (xᵢ − mean)(xⱼ − mean) over the rows, divided by their number − ddof; `scaled`: of variables divided by their greatest
 * deviations, whose squares neither overflow nor vanish. */
static orr_tensor *products(orr__site at, orr_tensor *x, double ddof, bool scaled)
{
    const char *file = at.file;
    int line = at.line;
    orr_dtype t = orr_tensor_dtype(x);
    orr_shape s = orr_tensor_shape(x);
    double n = (double)s.dim[s.rank - 2];
    orr_tensor *wide = orr_cast_at(file, line, x, orr__wide(t));
    if (n > 0) /* relative to the first row: the deviation of a constant is 0 exactly, not the rounding of its mean */
        wide = orr_sub_at(file, line, wide, orr_slice_axis_at(file, line, wide, -2, 0, 1, 1));
    orr_tensor *d = orr_sub_at(file, line, wide, orr_mean_at(file, line, wide, ORR_AXES(-2), true));
    if (scaled && n > 0) {
        orr_tensor *most =
            orr_max_at(file, line, orr_abs_at(file, line, orr_detach_at(file, line, d)), ORR_AXES(-2), true);
        orr_tensor *none = orr_equal_at(file, line, most, orr_scalar_at(file, line, 0));
        d = orr_div_at(file, line, d, orr_where_at(file, line, none, orr_scalar_at(file, line, 1), most));
    }
    orr_tensor *c = orr_matmul_at(file, line, orr_transpose_at(file, line, d), d);
    return orr_div_at(file, line, c, orr_scalar_at(file, line, fmax(n - ddof, 0)));
}

static orr_tensor *variables(orr__site at, orr_tensor *x)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_float(at, x, "x", &n, &bad))
        return bad;
    if (n->shape.rank < 2)
        return orr__poison(at, ORR_ESHAPE, "shape %s has no axes of observations and of variables",
                           orr__str(n->shape).s);
    return NULL;
}

orr_tensor *orr_covariance_at(const char *file, int line, orr_tensor *x, double ddof)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "covariance");
    orr_tensor *bad = variables(at, x);
    if (bad)
        return bad;
    orr_scope *s = orr__compose_begin(at);
    return orr__compose_end(at, s, orr_cast_at(file, line, products(at, x, ddof, false), orr_tensor_dtype(x)));
}

orr_tensor *orr_correlation_at(const char *file, int line, orr_tensor *x)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "correlation");
    orr_tensor *bad = variables(at, x);
    if (bad)
        return bad;
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *c = products(at, x, 0, true), *deviation = orr_sqrt_at(file, line, orr_diagonal_at(file, line, c, 0));
    c = orr_div_at(file, line, c, orr_expand_dims_at(file, line, deviation, -1));
    c = orr_div_at(file, line, c, orr_expand_dims_at(file, line, deviation, -2));
    orr_tensor *one = orr_ones_at(file, line, orr_tensor_dtype(c), ORR_SHAPE_0D);
    c = orr_clip_at(file, line, c, orr_neg_at(file, line, one), one);
    return orr__compose_end(at, s, orr_cast_at(file, line, c, orr_tensor_dtype(x)));
}
