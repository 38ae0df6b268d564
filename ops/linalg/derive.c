/* Building blocks of the derivatives of linear algebra, composed of public operations.
 * Must not know: any single operation. */
#include "config.h"

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

/* 0 is replaced by 1 in the division, so that second derivatives have no infinity. */
orr_tensor *orr__reciprocal(const orr__back *b, orr_tensor *x)
{
    orr_tensor *zero = orr_equal_at(AT, x, orr_scalar_at(AT, 0)), *one = orr_scalar_at(AT, 1);
    orr_tensor *inverse = orr_div_at(AT, one, orr_where_at(AT, zero, one, x));
    return orr_where_at(AT, zero, orr_scalar_at(AT, 0), inverse);
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

orr_tensor *orr__gaps(const orr__back *b, orr_tensor *s)
{
    return orr__reciprocal(b, orr_sub_at(AT, orr_expand_dims_at(AT, s, -2), orr_expand_dims_at(AT, s, -1)));
}

orr_tensor *orr__right(const orr__back *b, orr_tensor *t, orr_tensor *x, bool lower, bool transposed)
{
    return orr__solve_right(b->at, t, x, (lower ? ORR__TRI_LOWER : 0u) | (transposed ? ORR__TRI_TRANSPOSE : 0u));
}
