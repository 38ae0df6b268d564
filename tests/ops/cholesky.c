/* Cholesky factors and triangular solves: against NumPy, as identities, and their errors.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "tests/harness/ops_help.h"

static void cholesky_agrees_with_numpy(void)
{
    help_numpy("numpy/triangles.txt", (const char *const[]){ "cholesky", NULL });
}

static void solve_triangular_agrees_with_numpy(void)
{
    help_numpy("numpy/triangles.txt", (const char *const[]){ "solve_triangular", NULL });
}

/* A positive definite matrix, X·Xᵀ + n. */
static orr_tensor *positive(orr_dtype t, int64_t n)
{
    orr_tensor *x = orr_randn(t, ORR_SHAPE(n, n), 0, 1);
    return orr_add(orr_matmul(x, orr_transpose(x)), orr_mul(orr_eye(t, n, n, 0), orr_scalar((double)n)));
}

/* The absolute value of the largest element. */
static double largest(orr_tensor *x)
{
    double v = NAN;
    ORR_CHECK(orr_item(orr_cast(orr_max(orr_abs(x), ORR_ALL_AXES, false), ORR_F64), &v) == ORR_OK);
    return v;
}

static void the_factor_times_its_transpose_is_the_matrix(void)
{
    static const int64_t order[] = { 1, 31, 33, 64, 127, 129, 255, 256, 257, 600, 1025 };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (int d = 0; d < 2; d++) {
            orr_scope *s = orr_scope_begin();
            orr_dtype t = d ? ORR_F64 : ORR_F32;
            orr_tensor *a = positive(t, order[i]), *l = orr_cholesky(a);
            double error = largest(orr_sub(orr_matmul(l, orr_transpose(l)), a)) / largest(a);
            ORR_CHECK_MSG(error <= 8 * (d ? 0x1p-52 : 0x1p-23) * sqrt((double)order[i]), "n = %lld, %s: %g",
                          (long long)order[i], orr_dtype_name(t), error);
            ORR_CHECK(largest(orr_triu(l, 1)) == 0 || order[i] == 1);
            (void)orr_scope_end(s);
        }
}

static void logdet_agrees_with_numpy(void)
{
    help_numpy("numpy/triangles.txt", (const char *const[]){ "logdet", NULL });
}

/* c·I of order n has the determinant cⁿ, which exceeds f64 here; the gradient is the inverse. */
static void logdet_needs_no_determinant(void)
{
    enum { N = 700 };
    for (int huge = 0; huge < 2; huge++) {
        orr_scope *s = orr_scope_begin();
        double c = huge ? 1e9 : 1e-9, got = 0;
        orr_tensor *a = orr_mul(orr_eye(ORR_F64, N, N, 0), orr_scalar(c)), *g = NULL;
        ORR_REQUIRE(orr_eval(a) == ORR_OK);
        orr_tensor *y = orr_logdet(a);
        ORR_REQUIRE(orr_grad(y, &a, 1, &g) == ORR_OK);
        ORR_CHECK(orr_item(y, &got) == ORR_OK && fabs(got - N * log(c)) <= 1e-12 * fabs(N * log(c)));
        ORR_CHECK(largest(orr_sub(orr_mul(g, orr_scalar(c)), orr_eye(ORR_F64, N, N, 0))) < 1e-12);
        (void)orr_scope_end(s);
    }
}

/* d log det A = A⁻¹. */
static void the_gradient_of_logdet_is_the_inverse(void)
{
    orr_scope *s = orr_scope_begin();
    int64_t n = 60;
    orr_tensor *a = positive(ORR_F64, n), *g = NULL;
    ORR_REQUIRE(orr_eval(a) == ORR_OK && orr_grad(orr_logdet(a), &a, 1, &g) == ORR_OK);
    ORR_CHECK(largest(orr_sub(orr_matmul(g, a), orr_eye(ORR_F64, n, n, 0))) < 1e-12);
    ORR_CHECK(largest(orr_sub(g, orr_transpose(g))) < 1e-15);
    (void)orr_scope_end(s);
}

static void the_solution_gives_the_right_hand_side(void)
{
    orr_scope *s = orr_scope_begin();
    int64_t n = 300;
    orr_tensor *a = positive(ORR_F64, n), *l = orr_cholesky(a), *b = orr_randn(ORR_F64, ORR_SHAPE(n, 70), 0, 1);
    ORR_CHECK(largest(orr_sub(orr_matmul(a, orr_solve_cholesky(l, b)), b)) < 1e-11);
    for (int flags = 0; flags < 8; flags++) {
        bool lower = flags & 1, turned = flags & 2, unit = flags & 4;
        orr_tensor *m = orr_div(a, orr_scalar((double)n)), *read = lower ? orr_tril(m, -unit) : orr_triu(m, unit);
        if (unit)
            read = orr_add(orr_div(read, orr_scalar((double)n)), orr_eye(ORR_F64, n, n, 0));
        orr_tensor *x =
            orr_solve_triangular(unit ? orr_sub(read, orr_eye(ORR_F64, n, n, 0)) : m, b, lower, turned, unit);
        orr_tensor *back = orr_matmul(turned ? orr_transpose(read) : read, x);
        ORR_CHECK_MSG(largest(orr_sub(back, b)) < 1e-10, "lower %d, transpose %d, unit %d", lower, turned, unit);
    }
    (void)orr_scope_end(s);
}

static void gradient_is_symmetric(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = positive(ORR_F64, 40), *w = orr_randn(ORR_F64, ORR_SHAPE(40, 40), 0, 1), *g = NULL;
    (void)orr_eval(a);
    ORR_REQUIRE(orr_grad(orr_sum(orr_mul(orr_cholesky(a), w), ORR_ALL_AXES, false), &a, 1, &g) == ORR_OK);
    ORR_CHECK(largest(g) > 0);
    ORR_CHECK(largest(orr_sub(g, orr_transpose(g))) == 0);
    (void)orr_scope_end(s);
}

static void wrong_operands_are_poison(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_eye(ORR_F32, 3, 3, 0), *b = orr_ones(ORR_F32, ORR_SHAPE(4));
    HELP_POISON(orr_cholesky(orr_ones(ORR_F32, ORR_SHAPE(2, 3))), ORR_ESHAPE, "(2, 3) is not square");
    HELP_POISON(orr_cholesky(b), ORR_ESHAPE, "(4,) is no matrix");
    HELP_POISON(orr_cholesky(orr_eye(ORR_F16, 3, 3, 0)), ORR_EDTYPE, "orr_cast(a, ORR_F32)");
    HELP_POISON(orr_cholesky(orr_eye(ORR_I32, 3, 3, 0)), ORR_EDTYPE, "orr_cast(a, ORR_F64)");
    HELP_POISON(orr_logdet(b), ORR_ESHAPE, "logdet: a of shape (4,) is no matrix");
    HELP_POISON(orr_logdet(orr_eye(ORR_I64, 3, 3, 0)), ORR_EDTYPE, "orr_cast(a, ORR_F64)");
    HELP_POISON(orr_solve_triangular(orr_ones(ORR_F32, ORR_SHAPE(2, 3)), b, true, false, false), ORR_ESHAPE,
                "not square");
    HELP_POISON(orr_solve_triangular(a, b, true, false, false), ORR_ESHAPE,
                "order 3 has no solution for b of shape (4,)");
    HELP_POISON(orr_solve_triangular(a, orr_scalar(1), true, false, false), ORR_ESHAPE, "an axis at least");
    HELP_POISON(orr_solve_triangular(orr_eye(ORR_F16, 4, 4, 0), orr_ones(ORR_F16, ORR_SHAPE(4)), true, false, false),
                ORR_EDTYPE, "f32, f64, c64 or c128");
    HELP_POISON(orr_solve_triangular(orr_ones(ORR_F32, ORR_SHAPE(2, 4, 4)), orr_ones(ORR_F32, ORR_SHAPE(3, 4, 1)), true,
                                     false, false),
                ORR_ESHAPE, "batch dimensions do not broadcast");
    (void)orr_scope_end(s);
}

static void fails_with(orr_tensor *t, const char *part)
{
    ORR_CHECK_MSG(orr_eval(t) == ORR_ENUMERIC, "%s", part);
    ORR_CHECK_MSG(strstr(orr_error_message(), part) != NULL, "%s, not: %s", orr_error_message(), part);
    ORR_CHECK_MSG(strstr(orr_error_message(), "tests/ops/cholesky.c:") != NULL, "%s", orr_error_message());
    orr_error_clear();
}

/* The unit matrix of order n with v at element number i of the diagonal, or of row i and column 0. */
static orr_tensor *spoiled(orr_dtype t, int64_t n, int64_t row, int64_t col, double v)
{
    double *x = calloc((size_t)(n * n), sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i * (n + 1)] = 1;
    x[row * n + col] = v;
    orr_tensor *r = orr_cast(orr_from(ORR_F64, ORR_SHAPE(n, n), x), t);
    free(x);
    return r;
}

static void not_positive_definite_is_said_with_the_order(void)
{
    static const int64_t at[] = { 0, 1, 30, 32, 100, 255, 256, 519, 599 };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        orr_scope *s = orr_scope_begin();
        char part[128];
        snprintf(part, sizeof part, "the matrix is not positive definite: its leading minor of order %lld ",
                 (long long)at[i] + 1);
        fails_with(orr_cholesky(spoiled(i % 2 ? ORR_F32 : ORR_F64, 600, at[i], at[i], i % 3 ? -1 : 0)), part);
        fails_with(orr_cholesky(spoiled(ORR_F64, 600, at[i], at[i], NAN)), part);
        fails_with(orr_cholesky(spoiled(ORR_F32, 600, at[i], at[i], INFINITY)), part);
        if (at[i])
            fails_with(orr_cholesky(spoiled(ORR_F64, 600, at[i], 0, i % 2 ? NAN : 1e200)), part);
        (void)orr_scope_end(s);
    }
}

static void the_failing_matrix_of_a_batch_is_named(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *good = orr_eye(ORR_F64, 2, 2, 0), *bad = spoiled(ORR_F64, 2, 1, 1, 0);
    orr_tensor *row[] = { good, good, bad }, *rest[] = { good, good, good };
    orr_tensor *two[] = { orr_stack(rest, 3, 0), orr_stack(row, 3, 0) };
    fails_with(orr_cholesky(orr_stack(two, 2, 0)),
               "matrix (1, 2) of the batch is not positive definite: its leading minor of order 2 ");
    orr_tensor *b = orr_ones(ORR_F64, ORR_SHAPE(2, 1));
    fails_with(orr_solve_triangular(orr_stack(row, 3, 0), b, true, false, false),
               "matrix (2) of the batch is singular: element 1 of its diagonal is 0");
    fails_with(orr_solve_triangular(bad, b, false, true, false),
               "the matrix is singular: element 1 of its diagonal is 0");
    help_check_values(orr_solve_triangular(bad, b, false, true, true), ORR_F64, ORR_SHAPE(2, 1), (double[]){ 1, 1 });
    (void)orr_scope_end(s);
}

static void a_failure_leaves_the_next_evaluation_alone(void)
{
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 20; i++) {
        fails_with(orr_matmul(orr_cholesky(spoiled(ORR_F64, 800, 300, 300, -1)), orr_ones(ORR_F64, ORR_SHAPE(800, 2))),
                   "301");
        ORR_CHECK(largest(orr_sub(orr_cholesky(orr_eye(ORR_F64, 800, 800, 0)), orr_eye(ORR_F64, 800, 800, 0))) == 0);
    }
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(cholesky_agrees_with_numpy),
                                      ORR_TEST(solve_triangular_agrees_with_numpy),
                                      ORR_TEST(logdet_agrees_with_numpy),
                                      ORR_TEST(logdet_needs_no_determinant),
                                      ORR_TEST(the_gradient_of_logdet_is_the_inverse),
                                      ORR_TEST(the_factor_times_its_transpose_is_the_matrix),
                                      ORR_TEST(the_solution_gives_the_right_hand_side),
                                      ORR_TEST(gradient_is_symmetric),
                                      ORR_TEST(wrong_operands_are_poison),
                                      ORR_TEST(not_positive_definite_is_said_with_the_order),
                                      ORR_TEST(the_failing_matrix_of_a_batch_is_named),
                                      ORR_TEST(a_failure_leaves_the_next_evaluation_alone),
                                      { 0 } };
    return help_main(argc, argv, "ops.cholesky", tests);
}
