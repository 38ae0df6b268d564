/* Values at the ends of what numbers and shapes can be: infinite and huge values, constants, no elements. The values are
 * NumPy's (2.x) unless a comment names their source.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/array.h>
#include <orrery/conv.h>
#include <orrery/fft.h>
#include <orrery/linalg.h>
#include "tests/harness/ops_help.h"

#define INF ((double)INFINITY)
#define F64(...) f64((const double[]){ __VA_ARGS__ }, sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))
#define IS(t, ...)                                                                                                     \
    help_check_values((t), ORR_F64, ORR_SHAPE(sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double)),               \
                      (const double[]){ __VA_ARGS__ })

static orr_tensor *f64(const double *v, size_t n)
{
    return orr_from(ORR_F64, ORR_SHAPE((int64_t)n), v);
}

static void unsigned_numbers_are_counted(void)
{
    static const orr_dtype each[] = { ORR_U8, ORR_U16, ORR_U32, ORR_U64, ORR_I8, ORR_I64 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = F64(1, 2, 2, 5);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        help_check_values(orr_bincount(orr_cast(x, each[i]), NULL, -1), ORR_I64, ORR_SHAPE(6),
                          (const double[]){ 0, 1, 2, 0, 0, 1 });
    HELP_POISON(orr_bincount(orr_full_number(ORR_U64, ORR_SHAPE(1), ORR_UNSIGNED(UINT64_MAX)), NULL, -1), ORR_ESHAPE,
                "x has the element 18446744073709551615");
    (void)orr_scope_end(s);
}

static void interpolation_meets_its_knots(void)
{
    orr_scope *s = orr_scope_begin();
    IS(orr_interp(F64(1, 0, 0.5), F64(0, 1), F64(1e17, 1)), 1, 1e17, 5e16);
    IS(orr_interp(F64(0, 0.5, 1, 1.5, 2, 3, -1, NAN), F64(0, 1, 2), F64(1, INF, 3)), 1, INF, INF, INF, 3, 3, 1, NAN);
    IS(orr_interp(F64(0, 0.5, 1), F64(0, 1), F64(INF, INF)), INF, INF, INF);
    IS(orr_interp(F64(0, 5, 1e300), F64(0, INF), F64(2, 3)), 2, 2, 2);
    IS(orr_interp(F64(-1, 1, 9, NAN), F64(1), F64(4)), 4, 4, 4, NAN);
    (void)orr_scope_end(s);
}

static void ranges_begin_where_they_begin(void)
{
    orr_scope *s = orr_scope_begin();
    IS(orr_arange(ORR_F64, 3, 10, INF), 3);
    IS(orr_arange(ORR_F64, 3, -10, -INF), 3);
    IS(orr_arange(ORR_F64, 0, 1e-300, 1e300), 0);
    help_check_values(orr_arange(ORR_I32, 3, 10, INF), ORR_I32, ORR_SHAPE(1), (const double[]){ 3 });
    help_check_values(orr_arange(ORR_F64, 3, 10, -INF), ORR_F64, ORR_SHAPE(0), NULL);
    help_check_values(orr_arange(ORR_F64, 3, 3, INF), ORR_F64, ORR_SHAPE(0), NULL);
    (void)orr_scope_end(s);
}

static void masks_choose_among_no_elements(void)
{
    static const struct {
        orr_shape x, mask, y;
    } c[] = { { { 2, { 0, 3 } }, { 1, { 0 } }, { 2, { 0, 3 } } },
              { { 2, { 3, 0 } }, { 1, { 3 } }, { 2, { 3, 0 } } },
              { { 2, { 3, 0 } }, { 2, { 3, 0 } }, { 1, { 0 } } },
              { { 3, { 2, 0, 4 } }, { 2, { 2, 0 } }, { 2, { 0, 4 } } },
              { { 1, { 0 } }, { 0, { 0 } }, { 2, { 1, 0 } } } };
    orr_scope *s = orr_scope_begin();
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        orr_tensor *x = orr_zeros(ORR_F64, c[i].x), *g = NULL;
        orr_tensor *y = orr_mask_select(x, orr_ones(ORR_BOOL, c[i].mask));
        ORR_CHECK(orr_grad(orr_sum(y, ORR_ALL_AXES, false), &x, 1, &g) == ORR_OK);
        help_check_values(y, ORR_F64, c[i].y, NULL);
        help_check_values(g, ORR_F64, c[i].x, NULL);
    }
    (void)orr_scope_end(s);
}

/* The deviation of a constant is 0, so that its correlation is 0/0; by the rounding of its mean it was 1 or −1. */
static void a_constant_has_no_correlation(void)
{
    orr_scope *s = orr_scope_begin();
    double v[14];
    for (int i = 0; i < 7; i++) {
        v[2 * i] = 0.1;
        v[2 * i + 1] = i;
    }
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(7, 2), v);
    double r[4];
    ORR_CHECK(orr_read(orr_correlation(x), r, sizeof r) == ORR_OK && isnan(r[0]) && isnan(r[1]) && isnan(r[2]) &&
              fabs(r[3] - 1) < 1e-15);
    for (int i = 0; i < 14; i++) /* the scales of variables do not matter */
        v[i] = i % 2 ? i * 1e-200 : i * 1e200;
    ORR_CHECK(orr_read(orr_correlation(orr_from(ORR_F64, ORR_SHAPE(7, 2), v)), r, sizeof r) == ORR_OK);
    ORR_CHECK_MSG(fabs(r[1] - 1) < 1e-15 && fabs(r[2] - 1) < 1e-15, "%g", r[1]);
    help_check_values(orr_covariance(x, 1), ORR_F64, ORR_SHAPE(2, 2), (const double[]){ 0, 0, 0, 28. / 6 });
    (void)orr_scope_end(s);
}

/* PyTorch's subgradients: 0 by an element of 0. */
static void norms_have_the_derivative_0_at_0(void)
{
    static const double order[] = { 0.5, -1, 3 }, norm[] = { 25, 0, 3 },
                        grad[][3] = { { 0, 2.5, 5. / 3 }, { 0 }, { 0, 0, 1 } };
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 3; i++) {
        orr_tensor *x = i < 2 ? F64(0, 4, 9) : F64(0, 0, 3), *g = NULL,
                   *y = orr_vector_norm(x, ORR_ALL_AXES, false, order[i]);
        double v = 0, d[3];
        ORR_CHECK(orr_grad(y, &x, 1, &g) == ORR_OK && orr_item(y, &v) == ORR_OK && orr_read(g, d, sizeof d) == ORR_OK);
        ORR_CHECK_MSG(fabs(v - norm[i]) < 1e-13, "order %g: %g", order[i], v);
        for (int k = 0; k < 3; k++)
            ORR_CHECK_MSG(fabs(d[k] - grad[i][k]) < 1e-14, "order %g, %d: %g", order[i], k, d[k]);
    }
    (void)orr_scope_end(s);
}

static void singular_matrices_have_an_infinite_condition(void)
{
    static const orr_norm_kind kind[] = { ORR_NORM_ONE, ORR_NORM_FROBENIUS, ORR_NORM_INFINITY, ORR_NORM_TWO };
    static const double v[] = { 0, 0, 0, 0, 1, 2, 2, 4, 2, 0, 0, 1 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(3, 2, 2), v);
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        double c[3];
        ORR_CHECK_MSG(orr_read(orr_cond(x, kind[k]), c, sizeof c) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK_MSG(c[0] == INF && c[1] > 1e15 && fabs(c[2] - (kind[k] == ORR_NORM_FROBENIUS ? 2.5 : 2)) < 1e-14,
                      "kind %d: %g %g %g", (int)kind[k], c[0], c[1], c[2]);
    }
    IS(orr_cond(orr_zeros(ORR_F64, ORR_SHAPE(1, 3, 2)), ORR_NORM_LEAST_TWO), INF);
    (void)orr_scope_end(s);
}

/* A kernel that is a product of two vectors but for small elements: each counts, as in scipy.signal.convolve2d. */
static void small_elements_of_a_kernel_count(void)
{
    double w[9] = { 1, 0, 0, 0, 5e-16, 0, 0, 0, 1e-30 }, x[25] = { 0 }, want[25] = { 0 };
    x[12] = 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            want[(i + 1) * 5 + j + 1] = w[3 * i + j];
    orr_scope *s = orr_scope_begin();
    help_check_values(orr_convolve(orr_from(ORR_F64, ORR_SHAPE(5, 5), x), orr_from(ORR_F64, ORR_SHAPE(3, 3), w),
                                   ORR_CONV_SAME, ORR_CONV_ZERO),
                      ORR_F64, ORR_SHAPE(5, 5), want);
    (void)orr_scope_end(s);
}

/* -- long lines, which are computed in chunks -------------------------------------------------------------------------- */

enum { LONG = 1 << 18, KINDS = 8 };

static double long_element(int kind, int64_t i)
{
    switch (kind) {
    case 0: return i == 5 ? 0 : i < 10000 ? 1 : 1e200;    /* 0, then products that overflow  */
    case 1: return i == 5 ? INF : i < 10000 ? 1 : 1e-200; /* inf, then products that underflow */
    case 2: return i < LONG / 2 ? 2 : 0.5;
    case 3: return i % 2 ? 1e-200 : 1e200;
    case 4: return i % 2 ? 1.7e308 : -1.7e308;
    case 5: return i * 7919 % 64 < 32 ? 1.7e308 : -1.7e308;
    case 6: return i == 3 || i == 9000 ? 1.7e308 : i < 20000 ? 0 : -1e303;
    default: return i == 100000 ? NAN : 1;
    }
}

/* One pass over the line, in f64. */
static void long_lines_are_those_of_one_pass(void)
{
    double *x = malloc(2 * LONG * sizeof *x), *y = x + LONG;
    ORR_REQUIRE(x != NULL);
    for (int c = 0; c < 4 * KINDS; c++) {
        int kind = c / 4, product = c / 2 % 2, narrow = c % 2;
        orr_scope *s = orr_scope_begin();
        for (int64_t i = 0; i < LONG; i++) {
            double v = long_element(kind, i);
            x[i] = narrow ? (double)(float)v : v;
        }
        orr_tensor *t = orr_cast(orr_from(ORR_F64, ORR_SHAPE(LONG), x), narrow ? ORR_F32 : ORR_F64);
        t = product ? orr_cumulative_prod(t, 0, false) : orr_cumulative_sum(t, 0, false);
        ORR_CHECK(orr_read(orr_cast(t, ORR_F64), y, LONG * sizeof *y) == ORR_OK);
        double want = product;
        int64_t wrong = 0;
        for (int64_t i = 0; i < LONG; i++) {
            want = product ? want * x[i] : want + x[i];
            double w = narrow ? (double)(float)want : want;
            wrong += !((isnan(w) && isnan(y[i])) || w == y[i] || fabs(w - y[i]) <= 1e-9 * fabs(w));
        }
        ORR_CHECK_MSG(wrong == 0, "%s %d of %s: %lld wrong", product ? "product" : "sum", kind, narrow ? "f32" : "f64",
                      (long long)wrong);
        (void)orr_scope_end(s);
    }
    free(x);
}

static void complex_products_are_those_of_one_pass(void)
{
    static const double z[] = { 0, 0, 1e200, 0, 1e200, 0, 1, 1 }, want[8] = { 0 };
    orr_scope *s = orr_scope_begin();
    double got[8];
    ORR_CHECK(orr_read(orr_cumulative_prod(orr_from(ORR_C128, ORR_SHAPE(4), z), 0, false), got, sizeof got) == ORR_OK);
    for (int i = 0; i < 8; i++)
        ORR_CHECK(got[i] == want[i]);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(unsigned_numbers_are_counted),
                                      ORR_TEST(interpolation_meets_its_knots),
                                      ORR_TEST(ranges_begin_where_they_begin),
                                      ORR_TEST(masks_choose_among_no_elements),
                                      ORR_TEST(a_constant_has_no_correlation),
                                      ORR_TEST(norms_have_the_derivative_0_at_0),
                                      ORR_TEST(singular_matrices_have_an_infinite_condition),
                                      ORR_TEST(small_elements_of_a_kernel_count),
                                      ORR_TEST(long_lines_are_those_of_one_pass),
                                      ORR_TEST(complex_products_are_those_of_one_pass),
                                      { 0 } };
    return help_main(argc, argv, "array.degenerate", tests);
}
