/* The functions of the array standard in every dtype: values beside NumPy, gradients beside differences in f64 and
 * c128. Every function with a derivative has a gradient.
 * Must not know: how a value is computed. */
#include "config.h"

#include <orrery/array.h>
#include <orrery/fft.h>
#include <orrery/linalg.h>
#include "ops/ops.h"
#include "tests/harness/differences.h"

static void all_cases_agree_with_numpy(void)
{
    help_numpy("numpy/standard.txt", NULL);
}

/* -- gradients -------------------------------------------------------------------------------------------------- */

static orr_tensor *indices(const int64_t *v, orr_shape s)
{
    return orr_from(ORR_I64, s, v);
}

static orr_tensor *adjoint(orr_tensor *x)
{
    return orr_conj(orr_transpose(x));
}

static orr_tensor *unit(orr_tensor *x, double by)
{
    int64_t n = orr_tensor_shape(x).dim[orr_tensor_shape(x).rank - 1];
    return orr_mul(orr_eye(orr_tensor_dtype(x), n, n, 0), orr_scalar(by));
}

/* A matrix that is Hermitian positive definite for every x. */
static orr_tensor *positive(orr_tensor *x)
{
    return orr_add(orr_matmul(x, adjoint(x)), unit(x, 1));
}

/* A Hermitian matrix with well separated eigenvalues. */
static orr_tensor *hermitian(orr_tensor *x)
{
    int64_t n = orr_tensor_shape(x).dim[0];
    orr_tensor *apart = orr_mul(unit(x, 1), orr_cast(orr_arange(ORR_F64, 0, 4 * (double)n, 4), orr_tensor_dtype(x)));
    return orr_add(orr_add(x, adjoint(x)), apart);
}

static orr_tensor *regular(orr_tensor *x)
{
    return orr_add(x, unit(x, 3));
}

/* A function of vectors with arbitrary phases that does not depend on the phases. */
static orr_tensor *spanned(orr_tensor *v, orr_tensor *w)
{
    return orr_matmul(orr_mul(v, orr_expand_dims(orr_cast(orr_sin(w), orr_tensor_dtype(v)), -2)), adjoint(v));
}

static orr_tensor *summed(orr_tensor *const *r, int n)
{
    orr_tensor *y = r[0];
    for (int i = 1; i < n; i++)
        y = orr_add(y, orr_mul(r[i], orr_scalar(i + 1)));
    return y;
}

#define F(name, expr)                                                                                                  \
    static orr_tensor *name(orr_tensor *const *x)                                                                      \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }
F(f_astype, orr_square(orr_cast(x[0], ORR_C128)))
F(f_tril, orr_tril(orr_square(x[0]), 0))
F(f_triu, orr_triu(orr_square(x[0]), 1))
F(f_where, orr_where(orr_greater(orr_real(x[1]), orr_scalar(0)), orr_square(x[0]), orr_mul(x[1], x[0])))
F(f_positive, orr_positive(orr_square(x[0])))
F(f_take, orr_square(orr_take(x[0], indices((int64_t[]){ 1, -1, 0, 1 }, ORR_SHAPE(2, 2)), 1)))
F(f_take_along_axis,
  orr_square(orr_take_along_axis(x[0], indices((int64_t[]){ 0, 0, -1, 1, 2, 2 }, ORR_SHAPE(3, 2)), 1)))
F(f_matmul, orr_matmul(x[0], x[1]))
F(f_matrix_transpose, orr_square(orr_transpose(x[0])))
F(f_tensordot, orr_tensordot(x[0], x[1], ORR_AXES(1, 0), ORR_AXES(0, 2)))
F(f_vecdot, orr_vecdot(x[0], x[1], -1))
F(f_broadcast_to, orr_square(orr_broadcast_to(x[0], ORR_SHAPE(2, 3, 4))))
F(f_concat, orr_concat(ORR_TENSORS(x[0], orr_square(x[1]), x[0]), 0))
F(f_expand_dims, orr_square(orr_expand_dims(x[0], 1)))
F(f_flip, orr_square(orr_flip(x[0], ORR_AXES(0))))
F(f_moveaxis, orr_square(orr_moveaxis(x[0], ORR_AXES(0), ORR_AXES(-1))))
F(f_permute_dims, orr_square(orr_permute(x[0], ORR_AXES(2, 0, 1))))
F(f_repeat, orr_square(orr_repeat(x[0], 2, 1)))
F(f_reshape, orr_square(orr_reshape(x[0], ORR_SHAPE(2, -1))))
F(f_roll, orr_square(orr_roll(x[0], ORR_INDEX(1, -2), ORR_AXES(0, 1))))
F(f_squeeze, orr_square(orr_squeeze(x[0], ORR_AXES(1))))
F(f_stack, orr_square(orr_stack(ORR_TENSORS(x[0], x[1]), -1)))
F(f_tile, orr_square(orr_tile(x[0], ORR_INDEX(2, 3))))
F(f_sort, orr_square(orr_sort(x[0], 0, true)))
F(f_cumulative_prod, orr_cumulative_prod(x[0], 1, true))
F(f_cumulative_sum, orr_square(orr_cumulative_sum(x[0], 0, true)))
F(f_max, orr_square(orr_max(x[0], ORR_AXES(1), false)))
F(f_min, orr_square(orr_min(x[0], ORR_AXES(0, 1), true)))
F(f_mean, orr_square(orr_mean(x[0], ORR_AXES(0), false)))
F(f_prod, orr_prod(x[0], ORR_AXES(0, 1), false))
F(f_std, orr_std(x[0], ORR_AXES(0), 1, false))
F(f_sum, orr_square(orr_sum(x[0], ORR_AXES(1), true)))
F(f_var, orr_var(x[0], ORR_ALL_AXES, 0, false))
F(f_diff, orr_square(orr_diff(x[0], 1, 2, x[0], NULL)))
F(f_cholesky, orr_cholesky(positive(x[0])))
F(f_cross, orr_cross(x[0], x[1], -1))
F(f_det, orr_det(regular(x[0])))
F(f_diagonal, orr_square(orr_diagonal(x[0], 1)))
F(f_eigvalsh, orr_eigvalsh(hermitian(x[0])))
F(f_inv, orr_inv(regular(x[0])))
F(f_matrix_norm, orr_matrix_norm(x[0], ORR_NORM_FROBENIUS, false))
F(f_matrix_norm_one, orr_matrix_norm(x[0], ORR_NORM_ONE, false))
F(f_matrix_norm_two, orr_matrix_norm(x[0], ORR_NORM_TWO, false))
F(f_matrix_norm_nuclear, orr_matrix_norm(x[0], ORR_NORM_NUCLEAR, false))
F(f_matrix_power, orr_matrix_power(regular(x[0]), -2))
F(f_outer, orr_outer(x[0], x[1]))
F(f_pinv, orr_pinv(x[0], -1))
F(f_solve, orr_solve(regular(x[0]), x[1]))
F(f_svdvals, orr_svdvals(x[0]))
F(f_trace, orr_square(orr_trace(x[0], 1)))
F(f_vector_norm, orr_vector_norm(x[0], ORR_AXES(1), false, 3))
F(f_fft, orr_square(orr_fft(x[0], 5, 0, ORR_FFT_ORTHO)))
F(f_ifft, orr_square(orr_ifft(x[0], 0, 1, ORR_FFT_BACKWARD)))
F(f_fftn, orr_square(orr_fftn(x[0], ORR_INDEX(2, 5), ORR_AXES(1, 0), ORR_FFT_FORWARD)))
F(f_ifftn, orr_square(orr_ifftn(x[0], ORR_NO_INDEX, ORR_ALL_AXES, ORR_FFT_BACKWARD)))
F(f_rfft, orr_square(orr_rfft(x[0], 4, 0, ORR_FFT_BACKWARD)))
F(f_rfft_odd, orr_square(orr_rfft(x[0], 0, 0, ORR_FFT_BACKWARD)))
F(f_irfft, orr_square(orr_irfft(x[0], 4, 0, ORR_FFT_BACKWARD)))
F(f_irfft_odd, orr_square(orr_irfft(x[0], 5, 0, ORR_FFT_ORTHO)))
F(f_rfftn, orr_square(orr_rfftn(x[0], ORR_NO_INDEX, ORR_ALL_AXES, ORR_FFT_ORTHO)))
F(f_irfftn, orr_square(orr_irfftn(x[0], ORR_INDEX(3, 5), ORR_AXES(0, 1), ORR_FFT_BACKWARD)))
F(f_hfft, orr_square(orr_hfft(x[0], 0, 1, ORR_FFT_BACKWARD)))
F(f_ihfft, orr_square(orr_ihfft(x[0], 0, 1, ORR_FFT_BACKWARD)))
F(f_fftshift, orr_square(orr_fftshift(x[0], ORR_ALL_AXES)))
F(f_ifftshift, orr_square(orr_ifftshift(x[0], ORR_AXES(1))))

static orr_tensor *f_meshgrid(orr_tensor *const *x)
{
    orr_tensor *g[2];
    (void)orr_meshgrid(x, 2, false, g);
    return orr_mul(g[0], orr_square(g[1]));
}

static orr_tensor *f_broadcast_arrays(orr_tensor *const *x)
{
    orr_tensor *r[2];
    (void)orr_broadcast_arrays(x, 2, r);
    return orr_mul(r[0], orr_square(r[1]));
}

static orr_tensor *f_unstack(orr_tensor *const *x)
{
    orr_tensor *r[3];
    (void)orr_unstack(orr_square(x[0]), 0, r, 3);
    return summed(r, 3);
}

static orr_tensor *f_unique_all(orr_tensor *const *x)
{
    orr_tensor *values, *places;
    (void)orr_unique_all(x[0], &values, &places, NULL, NULL);
    return orr_square(values);
}

static orr_tensor *f_unique_inverse(orr_tensor *const *x)
{
    orr_tensor *values, *inverse;
    (void)orr_unique_inverse(x[0], &values, &inverse);
    return orr_square(values);
}

static orr_tensor *f_eigh(orr_tensor *const *x)
{
    orr_eigh_result r = orr_eigh(hermitian(x[0]));
    return orr_add(spanned(r.v, r.w), orr_cast(r.w, orr_tensor_dtype(x[0])));
}

static orr_tensor *f_qr(orr_tensor *const *x)
{
    orr_qr_result r = orr_qr(x[0], false);
    return orr_add(r.q, orr_reshape(orr_concat(ORR_TENSORS(r.r, r.r), 0), orr_tensor_shape(r.q)));
}

static orr_tensor *f_slogdet(orr_tensor *const *x)
{
    orr_slogdet_result r = orr_slogdet(regular(x[0]));
    return orr_mul(r.sign, orr_cast(r.logabsdet, orr_tensor_dtype(r.sign)));
}

static orr_tensor *f_svd(orr_tensor *const *x)
{
    orr_svd_result r = orr_svd(x[0], false);
    orr_tensor *s = orr_cast(orr_sin(r.s), orr_tensor_dtype(r.u));
    return orr_matmul(orr_mul(r.u, orr_expand_dims(s, -2)), r.vh);
}

#define S ORR_SHAPE
enum { REAL = 1, COMPLEX = 2, BOTH = 3 };
static const struct {
    const char *of; /* the standard's name */
    int kinds;
    differences_row row;
} rows[] = {
    { "astype", BOTH, { "astype", f_astype, 1, { S(3, 2) }, 2 } },
    { "tril", BOTH, { "tril", f_tril, 1, { S(3, 3) }, 2 } },
    { "triu", BOTH, { "triu", f_triu, 1, { S(3, 3) }, 2 } },
    { "meshgrid", BOTH, { "meshgrid", f_meshgrid, 2, { S(3), S(2) }, 2 } },
    { "where", BOTH, { "where", f_where, 2, { S(2, 3), S(2, 3) }, 2 } },
    { "positive", BOTH, { "positive", f_positive, 1, { S(2, 3) }, 2 } },
    { "take", BOTH, { "take", f_take, 1, { S(3, 2) }, 2 } },
    { "take_along_axis", BOTH, { "take_along_axis", f_take_along_axis, 1, { S(3, 3) }, 2 } },
    { "matmul", BOTH, { "matmul", f_matmul, 2, { S(2, 1, 2, 3), S(2, 3, 2) }, 2 } },
    { "matmul", BOTH, { "matmul of vectors", f_matmul, 2, { S(3), S(3) }, 2 } },
    { "matrix_transpose", BOTH, { "matrix_transpose", f_matrix_transpose, 1, { S(2, 3) }, 2 } },
    { "tensordot", BOTH, { "tensordot", f_tensordot, 2, { S(2, 3, 2), S(3, 2, 2) }, 2 } },
    { "vecdot", BOTH, { "vecdot", f_vecdot, 2, { S(2, 3), S(3) }, 2 } },
    { "broadcast_arrays", BOTH, { "broadcast_arrays", f_broadcast_arrays, 2, { S(2, 1), S(3) }, 2 } },
    { "broadcast_to", BOTH, { "broadcast_to", f_broadcast_to, 1, { S(3, 1) }, 2 } },
    { "concat", BOTH, { "concat", f_concat, 2, { S(1, 3), S(2, 3) }, 2 } },
    { "expand_dims", BOTH, { "expand_dims", f_expand_dims, 1, { S(2, 3) }, 2 } },
    { "flip", BOTH, { "flip", f_flip, 1, { S(3, 2) }, 2 } },
    { "moveaxis", BOTH, { "moveaxis", f_moveaxis, 1, { S(2, 3) }, 2 } },
    { "permute_dims", BOTH, { "permute_dims", f_permute_dims, 1, { S(2, 3, 2) }, 2 } },
    { "repeat", BOTH, { "repeat", f_repeat, 1, { S(2, 3) }, 2 } },
    { "reshape", BOTH, { "reshape", f_reshape, 1, { S(3, 2) }, 2 } },
    { "roll", BOTH, { "roll", f_roll, 1, { S(2, 3) }, 2 } },
    { "squeeze", BOTH, { "squeeze", f_squeeze, 1, { S(2, 1, 3) }, 2 } },
    { "stack", BOTH, { "stack", f_stack, 2, { S(2, 3), S(2, 3) }, 2 } },
    { "tile", BOTH, { "tile", f_tile, 1, { S(2, 3) }, 2 } },
    { "unstack", BOTH, { "unstack", f_unstack, 1, { S(3, 2) }, 2 } },
    { "unique_all", BOTH, { "unique_all", f_unique_all, 1, { S(2, 3) }, 2 } },
    { "unique_inverse", BOTH, { "unique_inverse", f_unique_inverse, 1, { S(2, 3) }, 2 } },
    { "sort", REAL, { "sort", f_sort, 1, { S(4, 2) }, 2 } },
    { "cumulative_prod", BOTH, { "cumulative_prod", f_cumulative_prod, 1, { S(2, 4) }, 2 } },
    { "cumulative_sum", BOTH, { "cumulative_sum", f_cumulative_sum, 1, { S(4, 2) }, 2 } },
    { "max", REAL, { "max", f_max, 1, { S(3, 4) }, 2 } },
    { "min", REAL, { "min", f_min, 1, { S(3, 4) }, 2 } },
    { "mean", BOTH, { "mean", f_mean, 1, { S(3, 2) }, 2 } },
    { "prod", BOTH, { "prod", f_prod, 1, { S(3, 2) }, 2 } },
    { "std", BOTH, { "std", f_std, 1, { S(4, 2) }, 2 } },
    { "sum", BOTH, { "sum", f_sum, 1, { S(3, 2) }, 2 } },
    { "var", BOTH, { "var", f_var, 1, { S(3, 2) }, 2 } },
    { "diff", BOTH, { "diff", f_diff, 1, { S(2, 4) }, 2 } },
    { "cholesky", BOTH, { "cholesky", f_cholesky, 1, { S(3, 3) }, 2 } },
    { "cross", BOTH, { "cross", f_cross, 2, { S(2, 3), S(3) }, 2 } },
    { "det", BOTH, { "det", f_det, 1, { S(2, 3, 3) }, 2 } },
    { "diagonal", BOTH, { "diagonal", f_diagonal, 1, { S(3, 4) }, 2 } },
    { "eigh", BOTH, { "eigh", f_eigh, 1, { S(3, 3) }, 2 } },
    { "eigvalsh", BOTH, { "eigvalsh", f_eigvalsh, 1, { S(3, 3) }, 2 } },
    { "inv", BOTH, { "inv", f_inv, 1, { S(2, 2, 2) }, 2 } },
    { "matrix_norm", BOTH, { "matrix_norm", f_matrix_norm, 1, { S(2, 2, 3) }, 2 } },
    { "matrix_norm", BOTH, { "matrix_norm, one", f_matrix_norm_one, 1, { S(2, 3) }, 2 } },
    { "matrix_norm", BOTH, { "matrix_norm, two", f_matrix_norm_two, 1, { S(2, 3) }, 2 } },
    { "matrix_norm", BOTH, { "matrix_norm, nuclear", f_matrix_norm_nuclear, 1, { S(2, 3) }, 2 } },
    { "matrix_power", BOTH, { "matrix_power", f_matrix_power, 1, { S(3, 3) }, 2 } },
    { "outer", BOTH, { "outer", f_outer, 2, { S(3), S(2) }, 2 } },
    { "pinv", BOTH, { "pinv", f_pinv, 1, { S(3, 2) }, 2 } },
    { "qr", BOTH, { "qr", f_qr, 1, { S(4, 2) }, 2 } },
    { "slogdet", BOTH, { "slogdet", f_slogdet, 1, { S(3, 3) }, 2 } },
    { "solve", BOTH, { "solve", f_solve, 2, { S(3, 3), S(3, 2) }, 2 } },
    { "svd", BOTH, { "svd", f_svd, 1, { S(3, 2) }, 2 } },
    { "svdvals", BOTH, { "svdvals", f_svdvals, 1, { S(2, 3, 2) }, 2 } },
    { "trace", BOTH, { "trace", f_trace, 1, { S(2, 3, 4) }, 2 } },
    { "vector_norm", BOTH, { "vector_norm", f_vector_norm, 1, { S(2, 3) }, 2 } },
    { "fft", BOTH, { "fft", f_fft, 1, { S(3, 2) }, 2 } },
    { "ifft", BOTH, { "ifft", f_ifft, 1, { S(2, 4) }, 2 } },
    { "fftn", BOTH, { "fftn", f_fftn, 1, { S(3, 4) }, 2 } },
    { "ifftn", BOTH, { "ifftn", f_ifftn, 1, { S(3, 2) }, 2 } },
    { "rfft", REAL, { "rfft", f_rfft, 1, { S(4, 2) }, 2 } },
    { "rfft", REAL, { "rfft, odd", f_rfft_odd, 1, { S(5, 2) }, 2 } },
    { "irfft", BOTH, { "irfft", f_irfft, 1, { S(3, 2) }, 2 } },
    { "irfft", BOTH, { "irfft, odd", f_irfft_odd, 1, { S(3, 2) }, 2 } },
    { "rfftn", REAL, { "rfftn", f_rfftn, 1, { S(3, 4) }, 2 } },
    { "irfftn", BOTH, { "irfftn", f_irfftn, 1, { S(3, 3) }, 2 } },
    { "hfft", BOTH, { "hfft", f_hfft, 1, { S(2, 3) }, 2 } },
    { "ihfft", REAL, { "ihfft", f_ihfft, 1, { S(2, 5) }, 2 } },
    { "fftshift", BOTH, { "fftshift", f_fftshift, 1, { S(2, 3) }, 2 } },
    { "ifftshift", BOTH, { "ifftshift", f_ifftshift, 1, { S(2, 3) }, 2 } },
};
enum { ROWS = sizeof rows / sizeof *rows };

static void every_gradient_agrees_with_differences(void)
{
    for (int i = 0; i < ROWS; i++) {
        orr_test_alarm();
        if (rows[i].kinds & REAL)
            help_differences(&rows[i].row, ORR_F64);
        if (rows[i].kinds & COMPLEX)
            help_differences(&rows[i].row, ORR_C128);
    }
}

/* -- every function of the standard is listed ----------------------------------------------------------------------- */

/* Functions without a derivative: they have no float operands, or their results are truth values, positions and counts. */
static const char *const constant[] = {
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
    "can_cast",
    "finfo",
    "iinfo",
    "isdtype",
    "result_type",
    "__array_namespace_info__",
    "argmax",
    "argmin",
    "count_nonzero",
    "nonzero",
    "searchsorted",
    "argsort",
    "all",
    "any",
    "matrix_rank",
    "fftfreq",
    "rfftfreq",
    /* sorted and evaluated values: unique_all and unique_inverse have their gradient */
    "unique_values",
    "unique_counts",
};

static bool listed(const char *name, const char *ours)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].of, name) == 0)
            return true;
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
        if (strcmp(constant[i], name) == 0)
            return true;
    return orr__ew_find(ours + strlen("orr_")) !=
           NULL; /* tests/ops/expr.c has the rows, complex.c their complex forms */
}

static void every_function_has_a_gradient_or_a_reason(void)
{
#define CATEGORY(state, count, title)
#define ROW(name, ours, note)                                                                                          \
    ORR_CHECK_MSG(listed(#name, #ours), "%s has no gradient among the rows, and is not constant", #name);
#include "docs/array-api.def"
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(all_cases_agree_with_numpy),
                                      ORR_TEST(every_gradient_agrees_with_differences),
                                      ORR_TEST(every_function_has_a_gradient_or_a_reason),
                                      { 0 } };
    return help_main(argc, argv, "array.standard", tests);
}
