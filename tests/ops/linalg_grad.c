/* Gradients of linear algebra: beside differences, second derivatives included, and where they are undefined.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/linalg.h>
#include "tests/harness/ops_help.h"

enum { MOST = 3 };

typedef orr_tensor *function(orr_tensor *x);

/* Multiplies each element by its own weight. */
static orr_tensor *weighted(orr_tensor *y, double phase)
{
    orr_shape s = orr_tensor_shape(y);
    int64_t n = orr__shape_count(&s);
    orr_tensor *w = orr_sin(orr_add(orr_reshape(orr_arange(ORR_F64, 1, (double)n + 1, 1), s), orr_scalar(phase)));
    return orr_sum(orr_mul(y, w), ORR_ALL_AXES, false);
}

static double value(function *f, orr_shape s, const double *at)
{
    double v = NAN;
    orr_scope *scope = orr_scope_begin();
    ORR_CHECK_MSG(orr_item(f(orr_from(ORR_F64, s, at)), &v) == ORR_OK, "%s", orr_error_message());
    (void)orr_scope_end(scope);
    return v;
}

/* The sum of the gradient's weighted elements: its gradient is a second derivative. */
static double slope(function *f, orr_shape s, const double *at, double **second)
{
    double v = NAN;
    orr_scope *scope = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, s, at), *g = NULL, *h = NULL;
    ORR_CHECK_MSG(orr_grad(f(x), &x, 1, &g) == ORR_OK, "%s", orr_error_message());
    orr_tensor *sum = weighted(g, 0.5);
    if (second) {
        ORR_CHECK_MSG(orr_grad(sum, &x, 1, &h) == ORR_OK, "%s", orr_error_message());
        *second = help_doubles(h);
    } else {
        ORR_CHECK_MSG(orr_item(sum, &v) == ORR_OK, "%s", orr_error_message());
    }
    (void)orr_scope_end(scope);
    return v;
}

static void near_by(const char *what, int64_t i, double got, double want, double tolerance)
{
    ORR_CHECK_MSG(fabs(got - want) <= tolerance * (1 + fabs(want)), "%s, element %lld: %g, by differences %g", what,
                  (long long)i, got, want);
}

static void differentiate(const char *what, function *f, orr_shape s, bool twice)
{
    int64_t n = orr__shape_count(&s);
    double *at = calloc((size_t)n, sizeof *at), step = 1e-5, *second = NULL;
    for (int64_t i = 0; i < n; i++)
        at[i] = sin(1.7 * (double)(i * i) + 1) + (i % (s.dim[s.rank - 1] + 1) == 0 ? 1.5 : 0);
    orr_scope *scope = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, s, at), *g = NULL;
    ORR_CHECK_MSG(orr_grad(f(x), &x, 1, &g) == ORR_OK, "%s: %s", what, orr_error_message());
    double *first = help_doubles(g);
    (void)orr_scope_end(scope);
    if (twice)
        (void)slope(f, s, at, &second);
    for (int64_t i = 0; first && i < n; i++) {
        double here = at[i];
        at[i] = here + step;
        double up = value(f, s, at), up2 = second ? slope(f, s, at, NULL) : 0;
        at[i] = here - step;
        double down = value(f, s, at), down2 = second ? slope(f, s, at, NULL) : 0;
        at[i] = here;
        near_by(what, i, first[i], (up - down) / (2 * step), 1e-6);
        if (second)
            near_by(what, i, second[i], (up2 - down2) / (2 * step), 1e-5);
    }
    free(first);
    free(second);
    free(at);
}

/* Vectors have arbitrary signs; these functions do not depend on them. */
static orr_tensor *outer_of(orr_tensor *v)
{
    return orr_matmul(orr_sin(v), orr_transpose(orr_mul(v, orr_cos(v))));
}

static orr_tensor *b_of(orr_tensor *x)
{
    return orr_sin(orr_add(orr_slice_axis(x, -1, 0, 2, 1), orr_scalar(1)));
}

static orr_tensor *by_solve(orr_tensor *x)
{
    return weighted(orr_solve(x, b_of(x)), 0);
}
static orr_tensor *by_inv(orr_tensor *x)
{
    return weighted(orr_inv(x), 0);
}
static orr_tensor *by_det(orr_tensor *x)
{
    return weighted(orr_det(x), 0);
}
static orr_tensor *by_slogdet(orr_tensor *x)
{
    orr_slogdet_result r = orr_slogdet(x);
    return weighted(orr_mul(r.sign, r.logabsdet), 0);
}
static orr_tensor *by_lu(orr_tensor *x)
{
    orr_lu_result r = orr_lu(x);
    return orr_add(weighted(r.l, 0), weighted(r.u, 1));
}
static orr_tensor *by_qr(orr_tensor *x)
{
    orr_qr_result r = orr_qr(x, false);
    return orr_add(weighted(r.q, 0), weighted(r.r, 1));
}
static orr_tensor *by_svd(orr_tensor *x)
{
    orr_svd_result r = orr_svd(x, false);
    orr_tensor *both = orr_matmul(orr_mul(orr_sin(r.u), orr_expand_dims(orr_sin(r.s), -2)), r.vh);
    both = orr_mul(both, orr_matmul(r.u, r.vh));
    return orr_add(weighted(both, 0), weighted(r.s, 1));
}
static orr_tensor *by_svdvals(orr_tensor *x)
{
    return weighted(orr_svdvals(x), 0);
}
static orr_tensor *by_eigh(orr_tensor *x)
{
    orr_eigh_result r = orr_eigh(orr_add(x, orr_transpose(x)));
    return orr_add(weighted(outer_of(orr_mul(r.v, orr_expand_dims(r.w, -2))), 0), weighted(r.w, 1));
}
static orr_tensor *by_eigvalsh(orr_tensor *x)
{
    return weighted(orr_eigvalsh(orr_add(x, orr_transpose(x))), 0);
}

/* Functions of a matrix with real and complex eigenvalues that depend neither on their order nor on phases. */
static orr_tensor *by_eigvals(orr_tensor *x)
{
    orr_tensor *w = orr_eigvals(x);
    orr_tensor *sum = orr_add(orr_sin(orr_real(w)), orr_mul(orr_square(orr_imag(w)), orr_scalar(0.3)));
    return orr_sum(sum, ORR_ALL_AXES, false);
}
static orr_tensor *by_eig(orr_tensor *x)
{
    orr_eig_result r = orr_eig(x);
    orr_tensor *size = orr_add(orr_square(orr_real(r.v)), orr_square(orr_imag(r.v))),
               *weight = orr_expand_dims(orr_cos(orr_real(r.w)), -2);
    return weighted(orr_sum(orr_mul(size, weight), ORR_AXES(-1), false), 0);
}
static orr_tensor *by_lstsq(orr_tensor *x)
{
    orr_tensor *b = orr_cos(orr_add(orr_slice_axis(x, -1, 0, 2, 1), orr_scalar(1)));
    return weighted(orr_lstsq(x, b, -1).x, 0);
}
static orr_tensor *by_pinv(orr_tensor *x)
{
    return weighted(orr_pinv(x, -1), 0);
}
/* A matrix of rank 2 for any x. */
static orr_tensor *by_deficient_pinv(orr_tensor *x)
{
    orr_tensor *left = orr_slice_axis(x, -1, 0, 2, 1), *right = orr_cos(orr_transpose(orr_slice_axis(x, -1, 1, 3, 1)));
    return weighted(orr_pinv(orr_matmul(left, right), 1e-9), 0);
}
static orr_tensor *by_expm(orr_tensor *x)
{
    return weighted(orr_expm(x), 0);
}
static orr_tensor *by_power(orr_tensor *x)
{
    return orr_add(weighted(orr_matrix_power(x, 3), 0), weighted(orr_matrix_power(x, -2), 1));
}
static orr_tensor *by_norms(orr_tensor *x)
{
    orr_tensor *sum = orr_scalar(0);
    for (int k = 0; k < ORR_NORM_KINDS; k++)
        sum = orr_add(sum, weighted(orr_matrix_norm(x, (orr_norm_kind)k, false), k));
    sum = orr_add(sum, weighted(orr_vector_norm(x, ORR_AXES(-1), false, 3), 1));
    return orr_add(sum, weighted(orr_vector_norm(x, ORR_AXES(-2), false, 0.5), 2));
}
static orr_tensor *by_numbers(orr_tensor *x)
{
    orr_tensor *sum = orr_add(weighted(orr_cond(x, ORR_NORM_TWO), 0), weighted(orr_cond(x, ORR_NORM_FROBENIUS), 1));
    sum = orr_add(sum, weighted(orr_trace(orr_matmul(x, x), 1), 2));
    return orr_add(sum, weighted(orr_cross(x, orr_sin(x), -1), 3));
}

/* -- complex: the left half of x is the real part, the right half the imaginary part -------------------------------------- */

static orr_tensor *complex_of(orr_tensor *x)
{
    orr_shape s = orr_tensor_shape(x);
    int64_t n = s.dim[s.rank - 1] / 2;
    return orr_complex(orr_slice_axis(x, -1, 0, n, 1), orr_slice_axis(x, -1, n, 2 * n, 1));
}

static orr_tensor *both_weighted(orr_tensor *y, double phase)
{
    return orr_add(weighted(orr_real(y), phase), weighted(orr_imag(y), phase + 0.7));
}

static orr_tensor *size_of(orr_tensor *z)
{
    return orr_add(orr_square(orr_real(z)), orr_square(orr_imag(z)));
}

static orr_tensor *hermitian(orr_tensor *z)
{
    return orr_add(z, orr_conj(orr_transpose(z)));
}

static orr_tensor *complex_systems(orr_tensor *x)
{
    orr_tensor *z = complex_of(x), *b = orr_sin(orr_slice_axis(z, -1, 0, 2, 1));
    return orr_add(both_weighted(orr_solve(z, b), 0), both_weighted(orr_inv(z), 1));
}
static orr_tensor *complex_det(orr_tensor *x)
{
    orr_tensor *z = complex_of(x);
    orr_slogdet_result r = orr_slogdet(z);
    return orr_add(both_weighted(orr_det(z), 0), both_weighted(orr_mul(r.sign, r.logabsdet), 1));
}
static orr_tensor *complex_lu(orr_tensor *x)
{
    orr_lu_result r = orr_lu(complex_of(x));
    return orr_add(both_weighted(r.l, 0), both_weighted(r.u, 1));
}
static orr_tensor *complex_qr(orr_tensor *x)
{
    orr_qr_result r = orr_qr(complex_of(x), false);
    return orr_add(both_weighted(r.q, 0), both_weighted(r.r, 1));
}
static orr_tensor *complex_svd(orr_tensor *x)
{
    orr_svd_result r = orr_svd(complex_of(x), false);
    orr_tensor *sum = both_weighted(orr_matmul(orr_mul(r.u, orr_expand_dims(orr_sin(r.s), -2)), r.vh), 0);
    sum = orr_add(sum, orr_add(weighted(size_of(r.u), 1), weighted(size_of(r.vh), 2)));
    return orr_add(sum, weighted(r.s, 3));
}
static orr_tensor *complex_values(orr_tensor *x)
{
    orr_tensor *z = complex_of(x), *w = orr_eigvals(z);
    orr_tensor *sum = orr_sum(orr_real(orr_sin(w)), ORR_ALL_AXES, false);
    sum = orr_add(sum, weighted(orr_eigvalsh(hermitian(z)), 0));
    return orr_add(sum, weighted(orr_svdvals(z), 1));
}
static orr_tensor *complex_eigh(orr_tensor *x)
{
    orr_eigh_result r = orr_eigh(hermitian(complex_of(x)));
    orr_tensor *all = orr_matmul(orr_mul(r.v, orr_expand_dims(orr_cos(r.w), -2)), orr_conj(orr_transpose(r.v)));
    return orr_add(both_weighted(all, 0), orr_add(weighted(size_of(r.v), 1), weighted(r.w, 2)));
}
static orr_tensor *complex_eig(orr_tensor *x)
{
    orr_eig_result r = orr_eig(complex_of(x));
    orr_tensor *weight = orr_expand_dims(orr_cos(orr_real(r.w)), -2);
    return weighted(orr_sum(orr_mul(size_of(r.v), weight), ORR_AXES(-1), false), 0);
}
static orr_tensor *complex_least(orr_tensor *x)
{
    orr_tensor *z = complex_of(x), *b = orr_cos(orr_slice_axis(z, -1, 0, 2, 1));
    return orr_add(both_weighted(orr_lstsq(z, b, -1).x, 0), both_weighted(orr_pinv(z, -1), 1));
}
static orr_tensor *complex_cholesky(orr_tensor *x)
{
    orr_tensor *z = complex_of(x);
    orr_shape s = orr_tensor_shape(z);
    orr_tensor *a =
        orr_add(orr_matmul(z, orr_conj(orr_transpose(z))), orr_eye(ORR_F64, s.dim[s.rank - 2], s.dim[s.rank - 2], 0));
    orr_tensor *l = orr_cholesky(a), *sum = orr_add(both_weighted(l, 0), weighted(orr_logdet(a), 1));
    sum = orr_add(sum, both_weighted(orr_solve_triangular(l, z, true, false, false), 2));
    return orr_add(sum, both_weighted(orr_solve_cholesky(l, z), 3));
}
static orr_tensor *complex_functions(orr_tensor *x)
{
    orr_tensor *z = complex_of(x);
    return orr_add(both_weighted(orr_expm(z), 0), both_weighted(orr_matrix_power(z, -2), 1));
}
static orr_tensor *complex_norms(orr_tensor *x)
{
    orr_tensor *z = complex_of(x), *sum = orr_scalar(0);
    for (int k = 0; k < ORR_NORM_KINDS; k++)
        sum = orr_add(sum, weighted(orr_matrix_norm(z, (orr_norm_kind)k, false), k));
    sum = orr_add(sum, weighted(orr_cond(z, ORR_NORM_TWO), 1));
    return orr_add(sum, weighted(orr_vector_norm(z, ORR_AXES(-1), false, 3), 1));
}

#define TRY(f, twice, ...) differentiate(#f " " #__VA_ARGS__, f, ORR_SHAPE(__VA_ARGS__), twice)

static void gradients_of_systems_agree_with_differences(void)
{
    TRY(by_solve, true, 3, 3);
    TRY(by_solve, false, 2, 4, 4);
    TRY(by_inv, true, 3, 3);
    TRY(by_inv, false, 2, 3, 3);
    TRY(by_det, true, 3, 3);
    TRY(by_det, false, 3, 2, 2);
    TRY(by_slogdet, true, 3, 3);
}

static void gradients_of_factors_agree_with_differences(void)
{
    TRY(by_lu, true, 3, 3);
    TRY(by_lu, false, 2, 4, 3);
    TRY(by_lu, false, 3, 5);
    TRY(by_qr, true, 3, 3);
    TRY(by_qr, false, 5, 3);
    TRY(by_qr, false, 2, 3, 5);
}

static void gradients_of_spectra_agree_with_differences(void)
{
    TRY(by_svdvals, true, 3, 3);
    TRY(by_svdvals, false, 2, 4, 3);
    TRY(by_svd, true, 3, 3);
    TRY(by_svd, false, 5, 3);
    TRY(by_svd, false, 2, 3, 4);
    TRY(by_eigvals, true, 3, 3);
    TRY(by_eigvals, false, 2, 4, 4);
    TRY(by_eig, true, 3, 3);
    TRY(by_eig, false, 2, 4, 4);
    TRY(by_eigvalsh, true, 3, 3);
    TRY(by_eigh, true, 3, 3);
    TRY(by_eigh, false, 2, 4, 4);
}

static void gradients_of_least_squares_agree_with_differences(void)
{
    TRY(by_lstsq, true, 4, 3);
    TRY(by_lstsq, false, 2, 3, 4);
    TRY(by_lstsq, false, 3, 3);
    TRY(by_pinv, true, 3, 2);
    TRY(by_pinv, false, 2, 3);
    TRY(by_deficient_pinv, false, 4, 3);
}

static void gradients_of_functions_agree_with_differences(void)
{
    TRY(by_expm, true, 3, 3);
    TRY(by_expm, false, 2, 4, 4);
    TRY(by_power, true, 3, 3);
    TRY(by_norms, false, 3, 3);
    TRY(by_norms, false, 2, 3, 4);
    TRY(by_numbers, false, 3, 3);
}

static void gradients_of_complex_matrices_agree_with_differences(void)
{
    TRY(complex_systems, true, 3, 6);
    TRY(complex_systems, false, 2, 2, 4);
    TRY(complex_det, true, 3, 6);
    TRY(complex_lu, false, 3, 6);
    TRY(complex_lu, false, 4, 6);
    TRY(complex_lu, false, 3, 8);
    TRY(complex_qr, true, 3, 6);
    TRY(complex_qr, false, 4, 6);
    TRY(complex_qr, false, 2, 3, 8);
    TRY(complex_svd, true, 3, 6);
    TRY(complex_svd, false, 4, 6);
    TRY(complex_svd, false, 3, 8);
    TRY(complex_values, true, 3, 6);
    TRY(complex_eigh, true, 3, 6);
    TRY(complex_eig, true, 3, 6);
    TRY(complex_least, true, 4, 6);
    TRY(complex_least, false, 3, 8);
    TRY(complex_cholesky, true, 3, 6);
    TRY(complex_functions, false, 3, 6);
    TRY(complex_norms, false, 3, 6);
}

/* Q·diag(d)·Pᵀ with the first columns of two orthogonal matrices: values that are equal up to rounding; whole: exactly. */
static orr_tensor *with_values(const double *d, int64_t m, int64_t n, bool whole)
{
    int64_t k = m < n ? m : n;
    orr_tensor *q[2];
    for (int i = 0; i < 2; i++) {
        orr_tensor *r = orr_qr(orr_sin(orr_reshape(orr_arange(ORR_F64, 1, 26, 1), ORR_SHAPE(5, 5))), false).q;
        int64_t rows = i ? n : m;
        r = rows == 5 ? r : orr_qr(orr_slice(r, ORR_INDEX(0, 0), ORR_INDEX(rows, rows), ORR_INDEX(1, 1)), false).q;
        q[i] = orr_slice_axis(whole ? orr_eye(ORR_F64, rows, rows, 0) : r, 1, 0, k, 1);
    }
    orr_tensor *a = orr_matmul(orr_mul(q[0], orr_from(ORR_F64, ORR_SHAPE(k), d)), orr_transpose(q[1]));
    ORR_CHECK_MSG(orr_eval(a) == ORR_OK, "%s", orr_error_message());
    return a;
}

static void same_gradient(const char *what, const double *d, orr_tensor *loss, orr_tensor *a, orr_tensor *want)
{
    orr_tensor *g = NULL;
    ORR_REQUIRE(orr_grad(loss, &a, 1, &g) == ORR_OK);
    double *got = help_doubles(g), *w = help_doubles(want);
    for (int64_t i = 0; got && w && i < orr_tensor_size(g); i++)
        ORR_CHECK_MSG(fabs(got[i] - w[i]) <= 1e-7 * (1 + fabs(w[i])), "%s of %g %g %g: element %lld is %g, not %g",
                      what, d[0], d[1], d[2], (long long)i, got[i], w[i]);
    free(got);
    free(w);
}

/* A itself is V·diag(w)·Vᵀ, whose gradient by A in the direction G is the symmetric part of G; that of A² is AG + GA. */
static void equal_eigenvalues_have_the_gradient_of_what_does_not_depend_on_the_vectors(void)
{
    static const double d[][3] = { { 2, 2, 2 }, { 1, 1, 3 },         { 0, 0, 1 },
                                   { 0, 0, 0 }, { 1, 1 + 1e-10, 2 }, { 1, 1e-20, 2e-20 } };
    for (int c = 0; c < 12; c++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *a = with_values(d[c / 2], 3, 3, c % 2), *half = orr_scalar(0.5);
        a = orr_mul(orr_add(a, orr_transpose(a)), half);
        ORR_CHECK(orr_eval(a) == ORR_OK);
        orr_tensor *g = orr_cos(orr_reshape(orr_arange(ORR_F64, 0, 9, 1), ORR_SHAPE(3, 3)));
        orr_tensor *even = orr_mul(orr_add(g, orr_transpose(g)), half);
        for (int square = 0; square < 2; square++) {
            orr_eigh_result e = orr_eigh(a);
            orr_tensor *w = square ? orr_square(e.w) : e.w;
            orr_tensor *f = orr_matmul(orr_mul(e.v, orr_expand_dims(w, -2)), orr_transpose(e.v));
            orr_tensor *want = square ? orr_add(orr_matmul(a, even), orr_matmul(even, a)) : even;
            same_gradient(square ? "square" : "identity", d[c / 2], orr_sum(orr_mul(f, g), ORR_ALL_AXES, false), a,
                          want);
        }
        orr_tensor *values = orr_sum(orr_square(orr_eigh(a).w), ORR_ALL_AXES, false);
        same_gradient("values", d[c / 2], values, a, orr_mul(a, orr_scalar(2)));
        (void)orr_scope_end(s);
    }
}

/* U·diag(S)·Vh is A, and its gradient in the direction G is G. */
static void equal_singular_values_have_the_gradient_of_what_does_not_depend_on_the_vectors(void)
{
    static const double d[][3] = {
        { 1, 1, 1 }, { 2, 1, 1 }, { 1, 0, 0 }, { 0, 0, 0 }, { 1, 1, 0 }, { 1, 1e-20, 2e-20 }
    };
    static const int64_t rows[] = { 3, 5, 3 }, columns[] = { 3, 3, 5 };
    for (int c = 0; c < 36; c++) {
        orr_scope *s = orr_scope_begin();
        int64_t m = rows[c % 3], n = columns[c % 3];
        const double *values = d[c / 6];
        orr_tensor *a = with_values(values, m, n, c / 3 % 2);
        orr_tensor *g = orr_cos(orr_reshape(orr_arange(ORR_F64, 0, (double)(m * n), 1), ORR_SHAPE(m, n)));
        orr_svd_result r = orr_svd(a, false);
        orr_tensor *f = orr_matmul(orr_mul(r.u, orr_expand_dims(r.s, -2)), r.vh);
        same_gradient("U S Vh", values, orr_sum(orr_mul(f, g), ORR_ALL_AXES, false), a, g);
        (void)orr_scope_end(s);
    }
    orr_scope *s = orr_scope_begin(); /* in f32 the squares of such values are 0 */
    orr_tensor *a = orr_cast(with_values(d[5], 3, 3, true), ORR_F32), *h = NULL;
    ORR_CHECK(orr_eval(a) == ORR_OK);
    orr_svd_result r = orr_svd(a, false);
    orr_tensor *f = orr_matmul(orr_mul(r.u, orr_expand_dims(r.s, -2)), r.vh);
    ORR_CHECK(orr_grad(orr_sum(f, ORR_ALL_AXES, false), &a, 1, &h) == ORR_OK);
    double *v = help_doubles(h);
    for (int i = 0; v && i < 9; i++)
        near_by("f32", i, v[i], 1, 1e-5);
    free(v);
    (void)orr_scope_end(s);
}

/* One vector of two with equal values is arbitrary: no number is its derivative. */
static void vectors_of_equal_values_have_no_finite_gradient(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_eye(ORR_F64, 3, 3, 0), *g = NULL;
    ORR_CHECK(orr_eval(a) == ORR_OK);
    orr_tensor *w = orr_reshape(orr_arange(ORR_F64, 1, 10, 1), ORR_SHAPE(3, 3));
    ORR_CHECK(orr_grad(orr_sum(orr_mul(orr_eigh(a).v, w), ORR_ALL_AXES, false), &a, 1, &g) == ORR_OK);
    double *v = help_doubles(g);
    int finite = 0;
    for (int i = 0; v && i < 9; i++)
        finite += i % 4 && isfinite(v[i]);
    ORR_CHECK_MSG(finite == 0, "%d finite elements", finite);
    free(v);
    (void)orr_scope_end(s);
}

static void gradients_that_do_not_exist_are_errors(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_randn(ORR_F64, ORR_SHAPE(4, 2), 0, 1), *flat = orr_ones(ORR_F64, ORR_SHAPE(2, 2)), *g = NULL;
    ORR_CHECK(orr_grad(weighted(orr_qr(x, true).q, 0), &x, 1, &g) == ORR_EGRAPH);
    ORR_CHECK_MSG(strstr(orr_error_message(), "no gradient") != NULL, "%s", orr_error_message());
    ORR_CHECK(orr_grad(weighted(orr_svd(x, true).u, 0), &x, 1, &g) == ORR_EGRAPH);
    ORR_CHECK(orr_grad(orr_det(flat), &flat, 1, &g) == ORR_OK && orr_eval(g) == ORR_ENUMERIC);
    orr_error_clear();
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(gradients_of_systems_agree_with_differences),
        ORR_TEST(gradients_of_factors_agree_with_differences),
        ORR_TEST(gradients_of_spectra_agree_with_differences),
        ORR_TEST(gradients_of_least_squares_agree_with_differences),
        ORR_TEST(gradients_of_functions_agree_with_differences),
        ORR_TEST(gradients_of_complex_matrices_agree_with_differences),
        ORR_TEST(equal_eigenvalues_have_the_gradient_of_what_does_not_depend_on_the_vectors),
        ORR_TEST(equal_singular_values_have_the_gradient_of_what_does_not_depend_on_the_vectors),
        ORR_TEST(vectors_of_equal_values_have_no_finite_gradient),
        ORR_TEST(gradients_that_do_not_exist_are_errors),
        { 0 },
    };
    return help_main(argc, argv, "ops.linalg_grad", tests);
}
