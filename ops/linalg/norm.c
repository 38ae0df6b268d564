/* Norms of vectors and matrices, and rank and condition from singular values.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <orrery/array.h>
#include "ops/linalg/linalg.h"
#include "runtime/base/fpmode.h"

#define AT at.file, at.line

static orr_tensor *number(orr__site at, double v)
{
    return orr_scalar_at(AT, v);
}

/* (Σ |x|ᵖ)^(1/p) with the derivative 0 by an x of 0, and where the norm is 0: powers of 0 are replaced by their values,
 * and a sum of 0 by 1. For p < 0 one x of 0 makes the norm 0. */
static orr_tensor *power_norm(orr__site at, orr_tensor *size, orr_axes axes, bool keep, double p)
{
    orr_tensor *none = orr_equal_at(AT, size, number(at, 0));
    orr_tensor *power = orr_pow_at(AT, orr_where_at(AT, none, number(at, 1), size), number(at, p));
    orr_tensor *sum = orr_sum_at(AT, orr_where_at(AT, none, number(at, 0), power), axes, keep);
    orr_tensor *zero = p < 0 ? orr_any_at(AT, none, axes, keep) : orr_equal_at(AT, sum, number(at, 0));
    orr_tensor *root = orr_pow_at(AT, orr_where_at(AT, zero, number(at, 1), sum), number(at, 1 / p));
    return orr_where_at(AT, zero, number(at, 0), root);
}

orr_tensor *orr_vector_norm_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims, double order)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "vector_norm");
    orr__node *n;
    orr_tensor *bad, *r;
    uint32_t mask;
    if (!orr__operand_inexact(at, x, "x", &n, &bad))
        return bad;
    if (!orr__axes_mask(axes, n->shape.rank, &mask))
        return orr__axes_poison(at, axes, &n->shape);
    if (isnan(order))
        return orr__poison(at, ORR_EINVAL, "order is NaN");
    orr_dtype t = orr__part_dtype((orr_dtype)n->dtype);
    orr_scope *scope = orr__compose_begin(at);
    if (order == 2)
        return orr__compose_end(at, scope, orr_norm_at(file, line, x, axes, keepdims));
    orr_tensor *size = orr_abs_at(file, line, orr_cast_at(file, line, x, orr__wide((orr_dtype)n->dtype)));
    if (isinf(order) && orr__shape_count_of(&n->shape, mask) == 0 && order > 0)
        r = orr_zeros_at(file, line, t, orr__shape_reduced(&n->shape, mask, keepdims));
    else if (isinf(order))
        r = order > 0 ? orr_max_at(file, line, size, axes, keepdims) : orr_min_at(file, line, size, axes, keepdims);
    else if (order == 0)
        r = orr_sum_at(file, line,
                       orr_cast_at(file, line, orr_not_equal_at(file, line, size, number(at, 0)), orr__wide(t)), axes,
                       keepdims);
    else if (order == 1)
        r = orr_sum_at(file, line, size, axes, keepdims);
    else
        r = power_norm(at, size, axes, keepdims, order);
    return orr__compose_end(at, scope, orr_cast_at(file, line, r, t));
}

/* The largest or least sum of sizes along an axis: of the columns (−2) or the rows (−1). An empty matrix has the norm 0. */
static orr_tensor *sums(orr__site at, orr_tensor *x, int axis, bool largest)
{
    orr_tensor *s = orr_sum_at(AT, orr_abs_at(AT, x), ORR_AXES(axis), true);
    orr_axes rest = ORR_AXES(axis == -1 ? -2 : -1);
    return largest ? orr_max_at(AT, s, rest, true) : orr_min_at(AT, s, rest, true);
}

static orr_tensor *by_values(orr__site at, orr_tensor *x, orr_norm_kind kind)
{
    orr_tensor *s = orr_svdvals_at(AT, x), *r;
    if (kind == ORR_NORM_NUCLEAR)
        r = orr_sum_at(AT, s, ORR_AXES(-1), true);
    else
        r = kind == ORR_NORM_TWO ? orr_max_at(AT, s, ORR_AXES(-1), true) : orr_min_at(AT, s, ORR_AXES(-1), true);
    return orr_expand_dims_at(AT, r, -1);
}

static orr_tensor *matrix_norm(orr__site at, orr_tensor *x, orr_norm_kind kind)
{
    switch (kind) {
    case ORR_NORM_FROBENIUS: return orr_norm_at(AT, x, ORR_AXES(-2, -1), true);
    case ORR_NORM_ONE: return sums(at, x, -2, true);
    case ORR_NORM_INFINITY: return sums(at, x, -1, true);
    case ORR_NORM_LEAST_ONE: return sums(at, x, -2, false);
    case ORR_NORM_LEAST_INFINITY: return sums(at, x, -1, false);
    default: return by_values(at, x, kind);
    }
}

static bool known(orr__site at, orr_norm_kind kind, orr_tensor **bad)
{
    if ((int)kind >= 0 && (int)kind < ORR_NORM_KINDS)
        return true;
    *bad = orr__poison(at, ORR_EINVAL, "kind is %d: the norms of orr_norm_kind are 0 to %d", (int)kind,
                       ORR_NORM_KINDS - 1);
    return false;
}

orr_tensor *orr_matrix_norm_at(const char *file, int line, orr_tensor *x, orr_norm_kind kind, bool keepdims)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "matrix_norm");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__matrix_operand(at, x, "x", &n, &bad) || !known(at, kind, &bad))
        return bad;
    orr_shape to = n->shape;
    orr__extent e = orr__extent_of(&to);
    bool least = kind == ORR_NORM_LEAST_ONE || kind == ORR_NORM_LEAST_TWO || kind == ORR_NORM_LEAST_INFINITY;
    if (least && e.k == 0)
        return orr__poison(at, ORR_ESHAPE, "shape %s has no least sum or value", orr__str(to).s);
    to.dim[to.rank - 1] = to.dim[to.rank - 2] = 1;
    if (!keepdims) {
        to.rank -= 2;
        to.dim[to.rank] = to.dim[to.rank + 1] = 0;
    }
    if (e.k == 0)
        return orr_zeros_at(file, line, orr__part_dtype((orr_dtype)n->dtype), to);
    orr_scope *scope = orr__compose_begin(at);
    return orr__compose_end(at, scope, orr_reshape_at(file, line, matrix_norm(at, x, kind), to));
}

orr_tensor *orr_cond_at(const char *file, int line, orr_tensor *x, orr_norm_kind kind)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "cond");
    orr__node *n;
    orr_tensor *bad;
    bool two = kind == ORR_NORM_TWO || kind == ORR_NORM_LEAST_TWO;
    if (!known(at, kind, &bad) ||
        !(two ? orr__matrix_operand(at, x, "x", &n, &bad) : orr__square_operand(at, x, "x", &n, &bad)))
        return bad;
    orr__extent e = orr__extent_of(&n->shape);
    if (e.k == 0)
        return orr__poison(at, ORR_ESHAPE, "shape %s has no condition", orr__str(n->shape).s);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *infinite = number(at, INFINITY);
    if (!two) { /* a singular matrix, which has no inverse, has the condition inf */
        orr_tensor *pivots = orr_diagonal_at(file, line, orr_lu_at(file, line, x).u, 0);
        orr_tensor *singular =
            orr_any_at(file, line, orr_equal_at(file, line, pivots, number(at, 0)), ORR_AXES(-1), false);
        orr_tensor *there = orr_expand_dims_at(file, line, orr_expand_dims_at(file, line, singular, -1), -1);
        orr_tensor *regular =
            orr_where_at(file, line, there, orr_eye_at(file, line, (orr_dtype)n->dtype, e.n, e.n, 0), x);
        orr_tensor *product = orr_mul_at(file, line, orr_matrix_norm_at(file, line, regular, kind, false),
                                         orr_matrix_norm_at(file, line, orr_inv_at(file, line, regular), kind, false));
        return orr__compose_end(at, scope, orr_where_at(file, line, singular, infinite, product));
    }
    orr_tensor *s = orr_svdvals_at(file, line, x), *first = orr_select_at(file, line, s, -1, 0),
               *last = orr_select_at(file, line, s, -1, e.k - 1);
    orr_tensor *none = orr_equal_at(file, line, first, number(at, 0)); /* the matrix 0: 0/0 */
    orr_tensor *ratio =
        kind == ORR_NORM_TWO ? orr_div_at(file, line, first, last) : orr_div_at(file, line, last, first);
    return orr__compose_end(at, scope, orr_where_at(file, line, none, infinite, ratio));
}

orr_tensor *orr_matrix_rank_at(const char *file, int line, orr_tensor *x, double rtol)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "matrix_rank");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__matrix_operand(at, x, "x", &n, &bad))
        return bad;
    if (isnan(rtol))
        return orr__poison(at, ORR_EINVAL, "rtol is NaN");
    orr__extent e = orr__extent_of(&n->shape);
    orr_shape to = n->shape;
    to.rank -= 2;
    to.dim[to.rank] = to.dim[to.rank + 1] = 0;
    if (e.k == 0)
        return orr_zeros_at(file, line, ORR_I64, to);
    double eps = orr__has_f64((orr_dtype)n->dtype) ? DBL_EPSILON : FLT_EPSILON;
    double limit = rtol < 0 ? eps * (double)(e.m > e.n ? e.m : e.n) : rtol;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *s = orr_svdvals_at(file, line, x);
    orr_tensor *least = orr_mul_at(file, line, orr_slice_axis_at(file, line, s, -1, 0, 1, 1), number(at, limit));
    orr_tensor *counts = orr_cast_at(file, line, orr_greater_at(file, line, s, least), ORR_I64);
    return orr__compose_end(at, scope, orr_sum_at(file, line, counts, ORR_AXES(-1), false));
}
