/* orr_cg and orr_lobpcg: beside direct solutions and known eigenvalues, and their errors.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/linalg.h>
#include "tests/harness/ops_help.h"

static double largest(orr_tensor *x)
{
    double v = NAN;
    ORR_CHECK_MSG(orr_item(orr_cast(orr_max(orr_abs(x), ORR_ALL_AXES, false), ORR_F64), &v) == ORR_OK, "%s",
                  orr_error_message());
    return v;
}

/* The stencil −1, 2, −1: −x″ on a line of n points, whose eigenvalues are 4 sin²(jπ/2(n+1)). */
static orr_tensor *laplace(orr_tensor *x, void *user)
{
    orr_shape s = orr_tensor_shape(x);
    orr_index lo = ORR_INDEX(1, 0), none = ORR_INDEX(0, 0);
    (*(int *)user)++;
    if (s.rank == 1)
        lo.n = none.n = 1;
    orr_tensor *before = orr_slice_axis(orr_pad(x, lo, none, 0), 0, 0, s.dim[0], 1);
    orr_tensor *after = orr_slice_axis(orr_pad(x, none, lo, 0), 0, 1, s.dim[0] + 1, 1);
    return orr_sub(orr_mul(x, orr_scalar(2)), orr_add(before, after));
}

static orr_tensor *dense(orr_tensor *x, void *user)
{
    return orr_matmul(user, x);
}

static orr_tensor *negative(orr_tensor *x, void *user)
{
    (void)user;
    return orr_neg(x);
}

static orr_tensor *shorter(orr_tensor *x, void *user)
{
    (void)user;
    return orr_slice_axis(x, 0, 0, 2, 1);
}

static void cg_solves_what_a_direct_solver_solves(void)
{
    enum { N = 120 };
    for (int wide = 0; wide < 2; wide++) {
        orr_scope *s = orr_scope_begin();
        orr_dtype t = wide ? ORR_F64 : ORR_F32;
        orr_tensor *x = orr_randn(t, ORR_SHAPE(N, N), 0, 1), *b = orr_randn(t, ORR_SHAPE(N, 3), 0, 1);
        orr_tensor *a = orr_add(orr_matmul(x, orr_transpose(x)), orr_mul(orr_eye(t, N, N, 0), orr_scalar(N)));
        orr_cg_result r;
        orr_iteration_options o = { .tolerance = wide ? 1e-12 : 1e-5 };
        ORR_REQUIRE(orr_eval_all(ORR_TENSORS(a, b)) == ORR_OK);
        ORR_CHECK_MSG(orr_cg(dense, a, b, &o, &r) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(r.converged && r.iterations > 3 && r.iterations < N && r.residual <= o.tolerance);
        ORR_CHECK(largest(orr_sub(r.x, orr_solve(a, b))) < (wide ? 1e-12 : 1e-5));
        o.start = r.x;
        ORR_CHECK(orr_cg(dense, a, b, &o, &r) == ORR_OK && r.converged && r.iterations <= 2);
        o = (orr_iteration_options){ .tolerance = 1e-30, .most = 5 };
        ORR_CHECK(orr_cg(dense, a, b, &o, &r) == ORR_OK && !r.converged && r.iterations == 5);
        (void)orr_scope_end(s);
    }
}

/* n distinct eigenvalues need n iterations; with the inverse as a preconditioner, one suffices. */
static void cg_ends_as_theory_has_it(void)
{
    enum { N = 64 };
    orr_scope *s = orr_scope_begin();
    int calls = 0;
    orr_cg_result r;
    orr_tensor *b = orr_ones(ORR_F64, ORR_SHAPE(N));
    ORR_CHECK(orr_cg(laplace, &calls, b, &(orr_iteration_options){ .tolerance = 1e-11 }, &r) == ORR_OK && r.converged);
    ORR_CHECK_MSG(r.iterations <= N / 2 + 1 && calls == r.iterations, "%d, %d", r.iterations, calls);
    ORR_CHECK(largest(orr_sub(laplace(r.x, &calls), b)) < 1e-9);
    orr_tensor *a = orr_add(orr_eye(ORR_F64, 5, 5, 0), orr_ones(ORR_F64, ORR_SHAPE(5, 5)));
    b = orr_arange(ORR_F64, 0, 5, 1);
    ORR_CHECK(orr_cg(dense, a, b, NULL, &r) == ORR_OK && r.converged && r.iterations <= 2);
    ORR_CHECK(orr_cg(dense, a, orr_zeros(ORR_F64, ORR_SHAPE(5)), NULL, &r) == ORR_OK && r.iterations == 0);
    (void)orr_scope_end(s);
}

static void lobpcg_finds_known_eigenvalues(void)
{
    enum { N = 80, K = 4 };
    for (int wide = 0; wide < 2; wide++)
        for (int most = 0; most < 2; most++) {
            orr_scope *s = orr_scope_begin();
            orr_dtype t = wide ? ORR_F64 : ORR_F32;
            int calls = 0;
            orr_lobpcg_result r;
            double tolerance = wide ? 1e-7 : 1e-4;
            orr_tensor *start = orr_randn(t, ORR_SHAPE(N, K), 0, 1);
            ORR_REQUIRE(orr_eval(start) == ORR_OK);
            orr_iteration_options o = { .tolerance = tolerance };
            ORR_CHECK_MSG(orr_lobpcg(laplace, &calls, start, most, &o, &r) == ORR_OK, "%s", orr_error_message());
            ORR_CHECK_MSG(r.converged && r.iterations < 150, "%d iterations, residual %g", r.iterations, r.residual);
            double *w = help_doubles(r.w);
            for (int j = 0; w && j < K; j++) {
                double root = sin((most ? N - j : j + 1) * 3.14159265358979323846 / (2 * (N + 1)));
                ORR_CHECK_MSG(fabs(w[j] - 4 * root * root) < 4 * tolerance, "value %d: %g, not %g", j, w[j],
                              4 * root * root);
            }
            free(w);
            ORR_CHECK(largest(orr_sub(orr_matmul(orr_transpose(r.v), r.v), orr_eye(t, K, K, 0))) <
                      (wide ? 1e-12 : 1e-4));
            (void)orr_scope_end(s);
        }
}

/* As many vectors as the order: all eigenvectors at once. */
static void lobpcg_takes_whole_spaces(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_add(orr_eye(ORR_F64, 4, 4, 0), orr_ones(ORR_F64, ORR_SHAPE(4, 4)));
    orr_lobpcg_result r;
    ORR_CHECK_MSG(orr_lobpcg(dense, a, orr_randn(ORR_F64, ORR_SHAPE(4, 4), 0, 1), true, NULL, &r) == ORR_OK, "%s",
                  orr_error_message());
    double *w = help_doubles(r.w);
    ORR_CHECK(w && r.converged && fabs(w[0] - 5) < 1e-12 && fabs(w[1] - 1) < 1e-12 && fabs(w[3] - 1) < 1e-12);
    free(w);
    (void)orr_scope_end(s);
}

static void wrong_operators_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_cg_result r;
    orr_lobpcg_result l;
    orr_tensor *b = orr_ones(ORR_F64, ORR_SHAPE(5)), *v = orr_ones(ORR_F64, ORR_SHAPE(5, 2));
    ORR_CHECK(orr_cg(negative, NULL, b, NULL, &r) == ORR_ENUMERIC && orr_tensor_status(r.x) == ORR_ENUMERIC);
    ORR_CHECK_MSG(strstr(orr_error_message(), "not positive definite"), "%s", orr_error_message());
    ORR_CHECK(orr_cg(shorter, NULL, b, NULL, &r) == ORR_ESHAPE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "made (2,) of float64 from (5,)"), "%s", orr_error_message());
    ORR_CHECK(orr_cg(NULL, NULL, b, NULL, &r) == ORR_EINVAL && orr_cg(negative, NULL, b, NULL, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_cg(negative, NULL, NULL, NULL, &r) == ORR_EINVAL);
    ORR_CHECK(orr_cg(negative, NULL, orr_cast(b, ORR_I32), NULL, &r) == ORR_EDTYPE);
    ORR_CHECK(orr_cg(negative, NULL, b, &(orr_iteration_options){ .tolerance = -1 }, &r) == ORR_EINVAL);
    ORR_CHECK(orr_cg(negative, NULL, b, &(orr_iteration_options){ .start = v }, &r) == ORR_ESHAPE);
    ORR_CHECK(orr_lobpcg(negative, NULL, b, true, NULL, &l) == ORR_ESHAPE && orr_tensor_status(l.v) == ORR_ESHAPE);
    ORR_CHECK(orr_lobpcg(shorter, NULL, v, true, NULL, &l) == ORR_ESHAPE);
    ORR_CHECK(orr_lobpcg(NULL, NULL, v, true, NULL, &l) == ORR_EINVAL);
    orr_error_clear();
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(cg_solves_what_a_direct_solver_solves), ORR_TEST(cg_ends_as_theory_has_it),
        ORR_TEST(lobpcg_finds_known_eigenvalues),        ORR_TEST(lobpcg_takes_whole_spaces),
        ORR_TEST(wrong_operators_are_refused),           { 0 }
    };
    return help_main(argc, argv, "ops.iterations", tests);
}
