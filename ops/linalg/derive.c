/* Building blocks of the derivatives of linear algebra, composed of public operations.
 * Must not know: any single operation. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <orrery/eval.h>
#include "ops/grad_walk.h"
#include "ops/linalg/linalg.h"
#include "ops/matrix.h"

#define AT b->at.file, b->at.line

orr_tensor *orr__mm(const orr__back *b, orr_tensor *x, orr_tensor *y)
{
    return orr_matmul_at(AT, x, y);
}

orr_tensor *orr__tr(const orr__back *b, orr_tensor *x)
{
    return orr_transpose_at(AT, x);
}

orr_tensor *orr__plus(const orr__back *b, orr_tensor *x, orr_tensor *y)
{
    return orr_add_at(AT, x, y);
}

orr_tensor *orr__minus(const orr__back *b, orr_tensor *x, orr_tensor *y)
{
    return orr_sub_at(AT, x, y);
}

orr_tensor *orr__times(const orr__back *b, orr_tensor *x, orr_tensor *y)
{
    return orr_mul_at(AT, x, y);
}

orr_tensor *orr__conj(const orr__back *b, orr_tensor *x)
{
    return orr__is_complex(orr_tensor_dtype(x)) ? orr_conj_at(AT, x) : x;
}

orr_tensor *orr__adjoint(const orr__back *b, orr_tensor *x)
{
    return orr__tr(b, orr__conj(b, x));
}

orr_tensor *orr__real_part(const orr__back *b, orr_tensor *x)
{
    return orr__is_complex(orr_tensor_dtype(x)) ? orr_cast_at(AT, orr_real_at(AT, x), orr_tensor_dtype(x)) : x;
}

orr_tensor *orr__columns(const orr__back *b, orr_tensor *x, orr_tensor *s)
{
    return orr_mul_at(AT, x, orr_expand_dims_at(AT, s, -2));
}

orr_tensor *orr__rows(const orr__back *b, orr_tensor *s, orr_tensor *x)
{
    return orr_mul_at(AT, orr_expand_dims_at(AT, s, -1), x);
}

orr_tensor *orr__diagonal_matrix(const orr__back *b, orr_tensor *s)
{
    orr_shape of = orr_tensor_shape(s);
    int64_t n = of.rank > 0 ? of.dim[of.rank - 1] : 0;
    orr_tensor *here = orr_eye_at(AT, ORR_BOOL, n, n, 0);
    return orr_where_at(AT, here, orr_expand_dims_at(AT, s, -2), orr_scalar_at(AT, 0));
}

/* -- quotients of differences ---------------------------------------------------------------------------------------------- */

/* limit of search: nodes of the graph that is differentiated again for a limit; beyond it there is none */
enum { NODES = 4096 };

/* The derivative of y by the result b->out along `direction`, or NULL. y is linear in u after one step back, so that the
 * step back from there is a step forward. */
static orr_tensor *along(const orr__back *b, orr_tensor *y, orr_tensor *direction)
{
    orr__ancestry a = { 0 };
    orr__node *of = orr__handle_node(b->out), *last = orr__handle_node(y);
    bool few = of && last && orr__ancestry_make(b->at, last, &of, 1, &a) == ORR_OK && a.n <= NODES;
    orr__ancestry_free(&a);
    if (!few)
        return NULL;
    orr_tensor *u = orr_detach_at(AT, y), *back = NULL, *r = NULL, *out = b->out;
    if (orr_vjp_at(AT, y, u, &out, 1, &back) != ORR_OK)
        return NULL;
    orr_tensor *sum = orr_sum_at(AT, orr_mul_at(AT, back, direction), ORR_ALL_AXES, false);
    sum = orr__is_complex(orr_tensor_dtype(sum)) ? orr_real_at(AT, sum) : sum;
    return orr_grad_at(AT, sum, &u, 1, &r) == ORR_OK ? r : NULL;
}

orr_tensor *orr__apart(const orr__back *b, orr_tensor *g, int64_t from, int64_t n)
{
    orr_shape of = orr_tensor_shape(b->out);
    int64_t behind = of.dim[of.rank - 1] - from - n;
    orr_tensor *numbers = orr_cast_at(AT, orr_arange_at(AT, ORR_F64, 1, (double)n + 1, 1), orr_tensor_dtype(b->out));
    orr_tensor *r = along(b, g, orr_pad_at(AT, numbers, ORR_INDEX(from), ORR_INDEX(behind), 0));
    if (!r)
        orr_error_clear();
    return r ? r : orr_mul_at(AT, g, orr_scalar_at(AT, NAN));
}

orr_tensor *orr__pairs(const orr__back *b, orr_tensor *s, bool sum)
{
    orr_tensor *j = orr_expand_dims_at(AT, s, -2), *i = orr_expand_dims_at(AT, s, -1);
    return sum ? orr__plus(b, j, i) : orr__minus(b, j, i);
}

orr_tensor *orr__numbers(const orr__back *b, orr_tensor *s)
{
    orr_shape of = orr_tensor_shape(s);
    return orr_arange_at(AT, orr__part_dtype(orr_tensor_dtype(s)), 1, (double)of.dim[of.rank - 1] + 1, 1);
}

orr_tensor *orr__greatest(const orr__back *b, orr_tensor *x, int axes)
{
    return orr_max_at(AT, orr_abs_at(AT, x), axes > 1 ? ORR_AXES(-2, -1) : ORR_AXES(-1), true);
}

/* |x| is rounding beside `most`. */
static orr_tensor *small(const orr__back *b, orr_tensor *x, orr_tensor *most)
{
    double eps = orr__has_f64(orr_tensor_dtype(x)) ? DBL_EPSILON : FLT_EPSILON;
    return orr_less_equal_at(AT, orr_abs_at(AT, x), orr_mul_at(AT, most, orr_scalar_at(AT, sqrt(eps))));
}

orr_tensor *orr__quotient(const orr__back *b, orr_tensor *y, orr_tensor *most_y, orr_tensor *by, orr_tensor *most_by,
                          orr_tensor *y_slope, orr_tensor *by_slope)
{
    orr_tensor *near = orr_logical_and_at(AT, small(b, y, most_y), small(b, by, most_by)), *one = orr_scalar_at(AT, 1);
    orr_tensor *usual = orr_div_at(AT, y, orr_where_at(AT, near, one, by));
    orr_tensor *here = orr_equal_at(AT, by_slope, orr_scalar_at(AT, 0)); /* on a diagonal, of which no use is made */
    return orr_where_at(AT, near, orr_div_at(AT, y_slope, orr_where_at(AT, here, one, by_slope)), usual);
}

orr_tensor *orr__off_diagonal(const orr__back *b, orr_tensor *x)
{
    orr_shape s = orr_tensor_shape(x);
    orr_tensor *here = orr_eye_at(AT, ORR_BOOL, s.dim[s.rank - 1], s.dim[s.rank - 1], 0);
    return orr_where_at(AT, here, orr_scalar_at(AT, 0), x);
}

orr_tensor *orr__right(const orr__back *b, orr_tensor *t, orr_tensor *x, bool lower, bool transposed)
{
    return orr__solve_right(b->at, t, x, (lower ? ORR__TRI_LOWER : 0u) | (transposed ? ORR__TRI_TRANSPOSE : 0u));
}
