/* Linear algebra: beside NumPy and SciPy, as identities, batches on all workers, and the errors of wrong and singular operands.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/linalg.h>
#include "runtime/cost/machine.h"
#include "tests/harness/ops_help.h"

static void results_agree_with_numpy(void)
{
    help_numpy("numpy/linalg.txt", NULL);
}

/* The absolute value of the largest element. */
static double largest(orr_tensor *x)
{
    double v = NAN;
    if (orr_tensor_size(x) == 0)
        return 0;
    ORR_CHECK_MSG(orr_item(orr_cast(orr_max(orr_abs(x), ORR_ALL_AXES, false), ORR_F64), &v) == ORR_OK, "%s",
                  orr_error_message());
    return v;
}

static double off(orr_tensor *x, orr_tensor *y)
{
    return largest(orr_sub(x, y));
}

/* The largest difference of xᵀ·x from the unit matrix. */
static double from_orthonormal(orr_tensor *x)
{
    orr_shape s = orr_tensor_shape(x);
    int64_t n = s.dim[s.rank - 1];
    return off(orr_matmul(orr_transpose(x), x), orr_eye(orr_tensor_dtype(x), n, n, 0));
}

static orr_tensor *diagonal(orr_tensor *s)
{
    orr_shape of = orr_tensor_shape(s);
    int64_t n = of.dim[of.rank - 1];
    return orr_mul(orr_expand_dims(s, -2), orr_eye(orr_tensor_dtype(s), n, n, 0));
}

static void factors_multiply_to_the_matrix(void)
{
    static const int64_t extent[][3] = { { 1, 40, 40 }, { 1, 70, 33 }, { 1, 33, 70 }, { 1, 200, 200 }, { 37, 17, 12 } };
    for (size_t i = 0; i < sizeof extent / sizeof *extent; i++)
        for (int wide = 0; wide < 2; wide++) {
            orr_scope *scope = orr_scope_begin();
            orr_dtype t = wide ? ORR_F64 : ORR_F32;
            int64_t m = extent[i][1], n = extent[i][2];
            orr_shape s = extent[i][0] == 1 ? ORR_SHAPE(m, n) : ORR_SHAPE(extent[i][0], m, n);
            orr_tensor *a = orr_randn(t, s, 0, 1), *places;
            double eps = (wide ? 0x1p-52 : 0x1p-23) * (double)(m + n) * 4;
            ORR_REQUIRE(orr_eval(a) == ORR_OK);
            for (int full = 0; full < 2; full++) {
                orr_qr_result qr = orr_qr(a, full);
                ORR_CHECK(from_orthonormal(qr.q) < eps);
                ORR_CHECK(off(orr_matmul(qr.q, qr.r), a) < eps * 4);
                ORR_CHECK(largest(orr_tril(qr.r, -1)) == 0);
                orr_svd_result svd = orr_svd(a, full);
                ORR_REQUIRE(orr_eval_all(ORR_TENSORS(svd.u, svd.s, svd.vh)) == ORR_OK);
                ORR_CHECK(from_orthonormal(svd.u) < eps && from_orthonormal(orr_transpose(svd.vh)) < eps);
                int64_t k = m < n ? m : n;
                orr_tensor *u = orr_slice_axis(svd.u, -1, 0, k, 1), *vh = orr_slice_axis(svd.vh, -2, 0, k, 1);
                ORR_CHECK(off(orr_matmul(orr_mul(u, orr_expand_dims(svd.s, -2)), vh), a) < eps * 16);
                ORR_CHECK(off(svd.s, orr_svdvals(a)) < eps * 16);
            }
            orr_lu_result lu = orr_lu(a);
            places = orr_one_hot(lu.p, m, t);
            ORR_CHECK(off(orr_matmul(lu.l, lu.u), orr_matmul(places, a)) < eps * 16);
            ORR_CHECK(largest(lu.l) <= 1 && largest(orr_triu(orr_sub(lu.l, orr_eye(t, m, m < n ? m : n, 0)), 0)) == 0);
            if (m == n) {
                orr_tensor *h = orr_add(a, orr_transpose(a));
                orr_eigh_result e = orr_eigh(h);
                ORR_CHECK(from_orthonormal(e.v) < eps);
                ORR_CHECK(off(orr_matmul(h, e.v), orr_matmul(e.v, diagonal(e.w))) < eps * 32);
                ORR_CHECK(off(e.w, orr_eigvalsh(h)) < eps * 32);
                orr_tensor *b = orr_add(a, orr_mul(orr_scalar(30), orr_eye(t, n, n, 0)));
                ORR_CHECK(off(orr_matmul(b, orr_inv(b)), orr_eye(t, n, n, 0)) < eps);
            }
            (void)orr_scope_end(scope);
        }
}

/* Each matrix has the same bits alone and in a batch, in whatever task it is. Where devices take part, a task may be computed by either, and a
 * device's library by another function for one matrix than for several: then the values alone are the same. */
static void a_batch_has_the_bits_of_its_matrices(void)
{
    enum { BATCH = 300, N = 16 };
    orr_scope *scope = orr_scope_begin();
    const double most = orr__machine_here.devices > 0 ? 1e-9 : 0;
    orr_tensor *a = orr_randn(ORR_F64, ORR_SHAPE(BATCH, N, N), 0, 1),
               *b = orr_randn(ORR_F64, ORR_SHAPE(BATCH, N, 3), 0, 1);
    ORR_REQUIRE(orr_eval_all(ORR_TENSORS(a, b)) == ORR_OK);
    orr_tensor *x = orr_solve(a, b), *r = orr_qr(a, false).r, *s = orr_svdvals(a);
    ORR_REQUIRE(orr_eval_all(ORR_TENSORS(x, r, s)) == ORR_OK);
    for (int64_t q = 0; q < BATCH; q += 37) {
        orr_tensor *one = orr_select(a, 0, q);
        ORR_CHECK(off(orr_solve(one, orr_select(b, 0, q)), orr_select(x, 0, q)) <= most);
        ORR_CHECK(off(orr_qr(one, false).r, orr_select(r, 0, q)) <= most);
        ORR_CHECK(off(orr_svdvals(one), orr_select(s, 0, q)) <= most);
    }
    (void)orr_scope_end(scope);
}

/* The first of two equal matrices in a batch, which LAPACK factors as a whole. */
static orr_tensor *twice(orr_tensor *a)
{
    return orr_stack((orr_tensor *[]){ a, a }, 2, 0);
}

static orr_tensor *adjoint(orr_tensor *a)
{
    return orr__is_complex(orr_tensor_dtype(a)) ? orr_conj(orr_transpose(a)) : orr_transpose(a);
}

static orr_tensor *random_matrix(orr_dtype t, int64_t m, int64_t n)
{
    orr_tensor *x = orr_randn(orr__part_dtype(t), ORR_SHAPE(m, n), 0, 1);
    return orr__is_complex(t) ? orr_complex(x, orr_randn(orr__part_dtype(t), ORR_SHAPE(m, n), 0, 1)) : x;
}

/* Columns of 0, near the ends of the range of numbers, and others; orders on both sides of the limit for matrices that are
 * computed side by side. */
static void small_matrices_of_any_size_have_factors(void)
{
    static const int64_t extent[][2] = { { 1, 1 }, { 5, 3 }, { 3, 5 }, { 17, 16 }, { 32, 32 }, { 33, 33 } };
    static const double by[] = { 1, 0, 0x1p-520, 0x1p500, 0x1p-1040 };
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 5; k++)
            for (int wide = 0; wide < (k < 2 ? 2 : 1); wide++) {
                orr_scope *scope = orr_scope_begin();
                orr_dtype t = wide ? ORR_F32 : ORR_F64;
                int64_t m = extent[i][0], n = extent[i][1];
                double eps = (wide ? 0x1p-23 : 0x1p-52) * 64, unit = k == 4 ? 0x1p1000 : k > 1 ? 1 / by[k] : 1, nan;
                orr_tensor *a = orr_cast(orr_randn(ORR_F64, ORR_SHAPE(11, m, n), 0, 1), t);
                orr_tensor *scale = orr_where(
                    orr_equal(orr_arange(ORR_I64, 0, (double)n, 1), orr_scalar((double)(n / 2))),
                    orr_full(t, ORR_SHAPE(1), by[k]), orr_full(t, ORR_SHAPE(1), k == 3 || k == 4 ? by[k] : 1));
                ORR_REQUIRE(orr_eval(a = orr_mul(a, orr_cast(scale, t))) == ORR_OK);
                for (int full = 0; full < 2; full++) {
                    orr_qr_result qr = orr_qr(a, full);
                    int64_t w = full || m < n ? m : n;
                    orr_tensor *q = qr.q, *r = orr_mul(qr.r, orr_scalar(unit)), *from = orr_mul(a, orr_scalar(unit));
                    ORR_CHECK(off(orr_matmul(orr_transpose(q), q), orr_eye(t, w, w, 0)) < eps);
                    ORR_CHECK_MSG(off(orr_matmul(q, r), from) < eps * 8 * (1 + largest(from)), "%d, %d: %g", i, k,
                                  off(orr_matmul(q, r), from));
                }
                orr_tensor *broken = orr_qr(orr_mul(a, orr_scalar(NAN)), false).r;
                ORR_CHECK(orr_item(orr_select(orr_select(orr_select(broken, 0, 0), 0, 0), 0, 0), &nan) == ORR_OK &&
                          isnan(nan));
                (void)orr_scope_end(scope);
            }
}

/* Each operation on block columns equals its plain definition. */
static void block_columns_mean_what_references_say(void)
{
    enum { ORDER = 384 };
    orr_scope *scope = orr_scope_begin();
    orr_tensor *a = random_matrix(ORR_F64, ORDER, ORDER), *b = random_matrix(ORR_F64, ORDER, 2);
    ORR_REQUIRE(orr_eval_all(ORR_TENSORS(a, b)) == ORR_OK);
    orr_tensor *all[] = { orr_solve(a, b), orr_inv(a), orr_qr(a, false).q };
    for (int i = 0; i < 3; i++) {
        double *want = help_doubles(all[i]), size = largest(all[i]);
        const double *got = orr_data(all[i]);
        ORR_CHECK_MSG(want && got, "%s", orr_error_message());
        for (int64_t k = 0; want && got && k < orr_tensor_size(all[i]); k++)
            ORR_REQUIRE(fabs(got[k] - want[k]) <= 1e-8 * size);
        free(want);
    }
    (void)orr_scope_end(scope);
}

/* One large matrix is a graph of block columns, a tall one a tree: residuals relative to ε, and LAPACK's own results. */
static void a_large_matrix_has_the_factors_of_a_small_one(void)
{
    static const orr_dtype dtypes[] = { ORR_F64, ORR_C128, ORR_F32, ORR_C64 };
    static const int64_t extent[][2] = { { 390, 390 }, { 600, 385 }, { 385, 500 }, { 6000, 20 } };
    for (int d = 0; d < 4; d++)
        for (int i = d; i < 4; i += getenv("ORR_TEST_FULL") ? 1 : 3) {
            orr_scope *scope = orr_scope_begin();
            orr_dtype t = dtypes[d];
            int64_t m = extent[i][0] * (i == 3 ? 16 : 1), n = extent[i][1], k = m < n ? m : n;
            double eps = (orr__has_f64(t) ? 0x1p-52 : 0x1p-23) * 40 * sqrt((double)m);
            orr_tensor *a = random_matrix(t, m, n);
            ORR_REQUIRE(orr_eval(a) == ORR_OK);
            for (int full = 0; full < (i == 3 ? 1 : 2); full++) {
                orr_qr_result qr = orr_qr(a, full), lapack = orr_qr(twice(a), full);
                int64_t w = full ? m : k;
                ORR_CHECK(off(orr_matmul(adjoint(qr.q), qr.q), orr_eye(t, w, w, 0)) < eps);
                ORR_CHECK(off(orr_matmul(qr.q, qr.r), a) < eps * 4 && largest(orr_tril(qr.r, -1)) == 0);
                if (i < 3) /* the signs are LAPACK's */
                    ORR_CHECK(off(qr.r, orr_select(lapack.r, 0, 0)) < eps * sqrt((double)m));
            }
            if (i < 3) {
                orr_lu_result lu = orr_lu(a), lapack = orr_lu(twice(a));
                ORR_CHECK(off(orr_matmul(lu.l, lu.u), orr_matmul(orr_one_hot(lu.p, m, t), a)) < eps * 16);
                ORR_CHECK(off(lu.p, orr_select(lapack.p, 0, 0)) == 0);
                ORR_CHECK(largest(orr_triu(orr_sub(lu.l, orr_eye(t, m, k, 0)), 0)) == 0);
            }
            orr_tensor *b = random_matrix(t, m, 3);
            ORR_REQUIRE(orr_eval(b) == ORR_OK);
            if (i % 2 == 1) {
                orr_lstsq_result x = orr_lstsq(a, b, -1), lapack = orr_lstsq(twice(a), twice(b), -1);
                ORR_REQUIRE(orr_eval_all(ORR_TENSORS(x.x, x.rank, x.s)) == ORR_OK);
                ORR_CHECK(off(x.x, orr_select(lapack.x, 0, 0)) < eps * 4);
                ORR_CHECK(off(x.s, orr_select(lapack.s, 0, 0)) < eps * 16 * sqrt((double)n));
                ORR_CHECK(off(x.rank, orr_select(lapack.rank, 0, 0)) == 0);
            }
            if (m == n) {
                orr_tensor *x = orr_solve(a, b), *whole = orr_solve(twice(a), twice(b));
                double size = largest(x);
                ORR_CHECK(off(orr_matmul(a, x), b) < eps * 16 * size);
                ORR_CHECK(off(x, orr_select(whole, 0, 0)) < eps * 1e3 * size);
                orr_tensor *inverse = orr_inv(a);
                ORR_CHECK(off(orr_matmul(a, inverse), orr_eye(t, n, n, 0)) < eps * 64 * largest(inverse));
                orr_slogdet_result det = orr_slogdet(a), both = orr_slogdet(twice(a));
                ORR_CHECK(off(det.sign, orr_select(both.sign, 0, 0)) < eps * 1e2);
                ORR_CHECK(off(det.logabsdet, orr_select(both.logabsdet, 0, 0)) < eps * 1e2);
            }
            (void)orr_scope_end(scope);
        }
}

static double difference_of_gradients(orr_tensor *y, orr_tensor *z, orr_tensor *a)
{
    orr_tensor *g = NULL, *h = NULL;
    ORR_CHECK(orr_grad(orr_sum(orr_sin(y), ORR_ALL_AXES, false), &a, 1, &g) == ORR_OK);
    ORR_CHECK(orr_grad(orr_sum(orr_sin(orr_select(z, 0, 0)), ORR_ALL_AXES, false), &a, 1, &h) == ORR_OK);
    return off(g, h) / (1 + largest(h));
}

static void a_large_matrix_has_the_gradient_of_a_small_one(void)
{
    orr_scope *s = orr_scope_begin();
    enum { N = 400 };
    orr_tensor *a = orr_add(random_matrix(ORR_F64, N, N), orr_mul(orr_scalar(40), orr_eye(ORR_F64, N, N, 0))),
               *tall = random_matrix(ORR_F64, 2 * N, N), *b = random_matrix(ORR_F64, 2 * N, 2);
    ORR_REQUIRE(orr_eval_all(ORR_TENSORS(a, tall, b)) == ORR_OK);
    orr_tensor *head = orr_slice_axis(b, 0, 0, N, 1);
    ORR_CHECK(difference_of_gradients(orr_solve(a, head), orr_solve(twice(a), twice(head)), a) < 1e-9);
    ORR_CHECK(difference_of_gradients(orr_slogdet(a).logabsdet, orr_slogdet(twice(a)).logabsdet, a) < 1e-9);
    ORR_CHECK(difference_of_gradients(orr_lu(a).u, orr_lu(twice(a)).u, a) < 1e-9);
    ORR_CHECK(difference_of_gradients(orr_qr(tall, false).q, orr_qr(twice(tall), false).q, tall) < 1e-9);
    ORR_CHECK(difference_of_gradients(orr_lstsq(tall, b, -1).x, orr_lstsq(twice(tall), twice(b), -1).x, tall) < 1e-9);
    (void)orr_scope_end(s);
}

static orr_tensor *real_parts(orr_tensor *re, orr_tensor *im)
{
    return orr_concat((orr_tensor *[]){ re, im }, 2, -1);
}

/* A·V = V·diag(W), by real and imaginary parts, for matrices with real and complex eigenvalues; columns of norm 1. */
static void eigenvectors_of_any_matrix_are_such(void)
{
    for (int wide = 0; wide < 2; wide++)
        for (int64_t n = 1; n < 80; n = 3 * n + 1) {
            orr_scope *scope = orr_scope_begin();
            orr_dtype t = wide ? ORR_F64 : ORR_F32;
            double eps = (wide ? 0x1p-52 : 0x1p-23) * (double)n * 64;
            orr_tensor *a = orr_randn(t, ORR_SHAPE(2, n, n), 0, 1);
            ORR_REQUIRE(orr_eval(a) == ORR_OK);
            orr_eig_result r = orr_eig(a);
            ORR_CHECK(orr_tensor_dtype(r.w) == (wide ? ORR_C128 : ORR_C64));
            orr_tensor *left = real_parts(orr_matmul(a, orr_real(r.v)), orr_matmul(a, orr_imag(r.v)));
            orr_tensor *scaled = orr_mul(r.v, orr_expand_dims(r.w, -2));
            ORR_CHECK(off(left, real_parts(orr_real(scaled), orr_imag(scaled))) < eps);
            orr_tensor *norm = orr_sum(orr_square(orr_abs(r.v)), ORR_AXES(-2), false);
            ORR_CHECK(off(norm, orr_ones(t, ORR_SHAPE(2, n))) < eps);
            ORR_CHECK(off(orr_real(r.w), orr_real(orr_eigvals(a))) < eps * 16);
            (void)orr_scope_end(scope);
        }
    orr_scope *s = orr_scope_begin();
    orr_tensor *turn = orr_from(ORR_F64, ORR_SHAPE(2, 2), (double[]){ 0, -1, 1, 0 });
    double *re = help_doubles(orr_real(orr_eigvals(turn))), *im = help_doubles(orr_imag(orr_eigvals(turn)));
    ORR_CHECK(re && im && fabs(re[0]) < 1e-15 && fabs(fabs(im[0]) - 1) < 1e-15 && fabs(im[0] + im[1]) < 1e-15);
    free(re);
    free(im);
    (void)orr_scope_end(s);
}

static void logarithms_of_determinants_do_not_overflow(void)
{
    enum { N = 400 };
    for (int huge = 0; huge < 2; huge++) {
        orr_scope *scope = orr_scope_begin();
        double c = huge ? -1e9 : 1e-9, log_abs = 0, sign = 0, det = 1;
        orr_tensor *a = orr_mul(orr_eye(ORR_F64, N, N, 0), orr_scalar(c));
        orr_slogdet_result r = orr_slogdet(orr_slice_axis(orr_slice_axis(a, 0, 1, N, 1), 1, 1, N, 1));
        ORR_CHECK(orr_item(r.logabsdet, &log_abs) == ORR_OK && fabs(log_abs / ((N - 1) * log(fabs(c))) - 1) < 1e-13);
        ORR_CHECK(orr_item(r.sign, &sign) == ORR_OK && sign == (huge ? -1 : 1));
        ORR_CHECK(orr_item(orr_det(a), &det) == ORR_OK && det == (huge ? INFINITY : 0));
        (void)orr_scope_end(scope);
    }
}

static void wrong_operands_are_poison(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *wide = orr_ones(ORR_F32, ORR_SHAPE(2, 3)), *vector = orr_ones(ORR_F32, ORR_SHAPE(3));
    orr_tensor *half = orr_ones(ORR_F16, ORR_SHAPE(3, 3)), *whole = orr_ones(ORR_I32, ORR_SHAPE(3, 3));
    orr_tensor *one = orr_eye(ORR_F32, 3, 3, 0);
    HELP_POISON(orr_inv(wide), ORR_ESHAPE, "inv: a of shape (2, 3) is not square");
    HELP_POISON(orr_det(wide), ORR_ESHAPE, "not square");
    HELP_POISON(orr_slogdet(wide).sign, ORR_ESHAPE, "not square");
    HELP_POISON(orr_slogdet(wide).logabsdet, ORR_ESHAPE, "not square");
    HELP_POISON(orr_eigh(wide).v, ORR_ESHAPE, "not square");
    HELP_POISON(orr_eigvalsh(wide), ORR_ESHAPE, "not square");
    HELP_POISON(orr_eig(wide).v, ORR_ESHAPE, "not square");
    HELP_POISON(orr_eigvals(half), ORR_EDTYPE, "orr_cast(a, ORR_F32)");
    HELP_POISON(orr_solve(wide, vector), ORR_ESHAPE, "not square");
    HELP_POISON(orr_solve(one, orr_ones(ORR_F32, ORR_SHAPE(4))), ORR_ESHAPE,
                "order 3 has no solution for b of shape (4,)");
    HELP_POISON(orr_solve(one, orr_ones(ORR_F32, ORR_SHAPE(3, 4, 1))), ORR_ESHAPE, "order 3 has no solution");
    HELP_POISON(orr_solve(orr_broadcast_to(one, ORR_SHAPE(2, 3, 3)), orr_ones(ORR_F32, ORR_SHAPE(3, 3, 1))), ORR_ESHAPE,
                "batch dimensions do not broadcast");
    HELP_POISON(orr_qr(vector, false).q, ORR_ESHAPE, "(3,) is no matrix");
    HELP_POISON(orr_qr(vector, false).r, ORR_ESHAPE, "(3,) is no matrix");
    HELP_POISON(orr_lu(vector).p, ORR_ESHAPE, "no matrix");
    HELP_POISON(orr_svd(vector, true).s, ORR_ESHAPE, "no matrix");
    HELP_POISON(orr_svdvals(half), ORR_EDTYPE, "orr_cast(a, ORR_F32)");
    HELP_POISON(orr_solve(whole, whole), ORR_EDTYPE, "orr_cast(a, ORR_F64)");
    HELP_POISON(orr_lstsq(wide, vector, -1).x, ORR_ESHAPE, "another number of rows");
    HELP_POISON(orr_lstsq(wide, one, NAN).rank, ORR_EINVAL, "rtol is NaN");
    HELP_POISON(orr_pinv(half, -1), ORR_EDTYPE, "orr_cast");
    HELP_POISON(orr_matrix_norm(one, (orr_norm_kind)99, false), ORR_EINVAL, "kind is 99");
    HELP_POISON(orr_matrix_norm(orr_zeros(ORR_F32, ORR_SHAPE(0, 2)), ORR_NORM_LEAST_TWO, false), ORR_ESHAPE,
                "no least");
    HELP_POISON(orr_vector_norm(wide, ORR_AXES(2), false, 2), ORR_EAXIS, "axis");
    HELP_POISON(orr_cond(wide, ORR_NORM_ONE), ORR_ESHAPE, "not square");
    HELP_POISON(orr_matrix_power(wide, 2), ORR_ESHAPE, "not square");
    HELP_POISON(orr_expm(wide), ORR_ESHAPE, "not square");
    HELP_POISON(orr_trace(vector, 0), ORR_ESHAPE, "no matrix");
    HELP_POISON(orr_cross(wide, wide, 0), ORR_ESHAPE, "needs the length 3");
    HELP_POISON(orr_cross(wide, vector, 5), ORR_EAXIS, "axis 5");
    HELP_POISON(orr_qr(NULL, false).q, ORR_EINVAL, "a is NULL");
    (void)orr_scope_end(s);
}

static void fails_with(orr_tensor *t, const char *text)
{
    ORR_CHECK_MSG(orr_eval(t) == ORR_ENUMERIC, "%s", text);
    ORR_CHECK_MSG(strstr(orr_error_message(), text) != NULL, "%s, not: %s", orr_error_message(), text);
    ORR_CHECK_MSG(strstr(orr_error_message(), "tests/ops/linalg.c:") != NULL, "%s", orr_error_message());
    orr_error_clear();
}

/* A 2 × 3 batch of `good`, with `bad` at (1, 2). */
static orr_tensor *batch_with(orr_tensor *good, orr_tensor *bad)
{
    orr_tensor *first[] = { good, good, good }, *second[] = { good, good, bad };
    return orr_stack((orr_tensor *[]){ orr_stack(first, 3, 0), orr_stack(second, 3, 0) }, 2, 0);
}

static void the_failing_matrix_of_a_batch_is_named(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *one = orr_eye(ORR_F64, 2, 2, 0), *flat = orr_ones(ORR_F64, ORR_SHAPE(2, 2));
    orr_tensor *nan = orr_mul(one, orr_scalar(NAN)), *singular = batch_with(one, flat), *holed = batch_with(one, nan);
    orr_tensor *b = orr_ones(ORR_F64, ORR_SHAPE(2, 1));
    fails_with(orr_solve(singular, b), "matrix (1, 2) of the batch is singular: pivot 2 is 0");
    fails_with(orr_inv(flat), "the matrix is singular: pivot 2 is 0");
    fails_with(orr_svd(holed, false).s, "matrix (1, 2) of the batch has an element that is not finite");
    fails_with(orr_svdvals(holed), "svdvals: matrix (1, 2) of the batch has an element that is not finite");
    fails_with(orr_eigvalsh(holed), "eigvalsh: matrix (1, 2) of the batch has an element that is not finite");
    fails_with(orr_eigh(orr_mul(one, orr_scalar(INFINITY))).v, "the matrix has an element that is not finite");
    fails_with(orr_lstsq(holed, b, -1).x, "matrix (1, 2) of the batch has an element that is not finite");
    fails_with(orr_eigvals(holed), "eigvals: matrix (1, 2) of the batch has an element that is not finite");
    fails_with(orr_expm(holed), "matrix (1, 2) of the batch has an element that is not finite");
    fails_with(orr_matrix_power(singular, -1), "matrix (1, 2) of the batch is singular");
    ORR_CHECK(off(orr_solve(one, b), b) == 0);
    orr_tensor *large = orr_ones(ORR_F64, ORR_SHAPE(500, 500)), *hole = orr_full(ORR_F64, ORR_SHAPE(5000, 400), NAN);
    fails_with(orr_inv(large), " inv: the matrix is singular: pivot 2 is 0");
    fails_with(orr_solve(large, large), " solve: the matrix is singular: pivot 2 is 0");
    fails_with(orr_inv(orr_ones(ORR_F64, ORR_SHAPE(2, 3, 3))),
               " inv: matrix (0) of the batch is singular: pivot 2 is 0");
    fails_with(orr_inv(orr_ones(ORR_F32, ORR_SHAPE(3, 3))), " inv: the matrix is singular: pivot 2 is 0");
    fails_with(orr_lstsq(hole, orr_ones(ORR_F64, ORR_SHAPE(5000)), -1).x,
               "the matrix has an element that is not finite");
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(results_agree_with_numpy),
                                      ORR_TEST(factors_multiply_to_the_matrix),
                                      ORR_TEST(eigenvectors_of_any_matrix_are_such),
                                      ORR_TEST(a_batch_has_the_bits_of_its_matrices),
                                      ORR_TEST(small_matrices_of_any_size_have_factors),
                                      ORR_TEST(block_columns_mean_what_references_say),
                                      ORR_TEST(a_large_matrix_has_the_factors_of_a_small_one),
                                      ORR_TEST(a_large_matrix_has_the_gradient_of_a_small_one),
                                      ORR_TEST(logarithms_of_determinants_do_not_overflow),
                                      ORR_TEST(wrong_operands_are_poison),
                                      ORR_TEST(the_failing_matrix_of_a_batch_is_named),
                                      { 0 } };
    return help_main(argc, argv, "ops.linalg", tests);
}
