/* Numbers at the edges: integers beyond doubles, intervals and norms near the largest number, variances of close values, quotients
 * of infinities.
 * Must not know: how anything is computed. */
#include "config.h"
#include <math.h>
#include <orrery.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/harness.h"

static void begin(void)
{
    ORR_CHECK(orr_init(&(orr_config){ .engine = "serial" }) == ORR_OK);
}

static void end(void)
{
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void integers_that_no_double_is_pass_through(void)
{
    static const int64_t odd[] = { 9007199254740993, -9007199254740993, INT64_MAX, INT64_MIN, INT64_MAX - 1, 0, -1 };
    static const uint64_t high[] = { UINT64_MAX, UINT64_MAX - 1, 0x8000000000000001u, 9007199254740993u, 0 };
    orr_number n;
    begin();
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        orr_tensor *t = orr_full_number(ORR_I64, ORR_SHAPE(1), ORR_INTEGER(odd[k]));
        int64_t v = 0;
        ORR_CHECK(orr_read(t, &v, sizeof v) == ORR_OK && v == odd[k]);
        ORR_CHECK(orr_item_number(t, &n) == ORR_OK && n.dtype == ORR_I64 && n.i == odd[k]);
    }
    for (size_t k = 0; k < sizeof high / sizeof *high; k++) {
        orr_tensor *t = orr_full_number(ORR_U64, ORR_SHAPE_0D, ORR_UNSIGNED(high[k]));
        uint64_t v = 0;
        ORR_CHECK(orr_read(t, &v, sizeof v) == ORR_OK && v == high[k]);
        ORR_CHECK(orr_item_number(t, &n) == ORR_OK && n.dtype == ORR_U64 && n.u == high[k]);
    }
    end();
}

static void an_item_that_no_double_is_is_refused(void)
{
    double d = -7;
    begin();
    orr_tensor *t = orr_full_number(ORR_I64, ORR_SHAPE_0D, ORR_INTEGER(9007199254740993));
    ORR_CHECK(orr_item(t, &d) == ORR_EDTYPE && d == -7 && strstr(orr_error_message(), "9007199254740993"));
    ORR_CHECK(orr_item(orr_full_number(ORR_U64, ORR_SHAPE_0D, ORR_UNSIGNED(UINT64_MAX)), &d) == ORR_EDTYPE);
    ORR_CHECK(orr_item(orr_full_number(ORR_I64, ORR_SHAPE_0D, ORR_INTEGER(INT64_MAX)), &d) == ORR_EDTYPE);
    ORR_CHECK(orr_item(orr_full_number(ORR_I64, ORR_SHAPE_0D, ORR_INTEGER(INT64_MIN)), &d) == ORR_OK && d == -0x1p63);
    ORR_CHECK(orr_item(orr_full_number(ORR_U64, ORR_SHAPE_0D, ORR_UNSIGNED(1ull << 63)), &d) == ORR_OK && d == 0x1p63);
    end();
}

static void numbers_that_do_not_fit_are_refused(void)
{
    begin();
    ORR_CHECK(orr_tensor_status(orr_full_number(ORR_I8, ORR_SHAPE(2), ORR_INTEGER(128))) == ORR_EDTYPE);
    ORR_CHECK(orr_tensor_status(orr_full_number(ORR_U64, ORR_SHAPE(2), ORR_INTEGER(-1))) == ORR_EDTYPE);
    ORR_CHECK(orr_tensor_status(orr_full_number(ORR_I64, ORR_SHAPE(2), ORR_UNSIGNED(1ull << 63))) == ORR_EDTYPE);
    ORR_CHECK(orr_tensor_status(orr_full_number(ORR_BOOL, ORR_SHAPE(2), ORR_INTEGER(2))) == ORR_EDTYPE);
    ORR_CHECK(orr_tensor_status(orr_full_number(ORR_I32, ORR_SHAPE(2), ORR_REAL(0.5))) == ORR_EDTYPE);
    ORR_CHECK(orr_tensor_status(orr_full_number(ORR_F32, ORR_SHAPE(2), (orr_number){ ORR_I8, 0, 0, 0 })) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_arange_number(ORR_I64, ORR_INTEGER(0), ORR_INTEGER(9), ORR_INTEGER(0))) ==
              ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_arange_number(ORR_U8, ORR_INTEGER(250), ORR_INTEGER(257), ORR_INTEGER(1))) ==
              ORR_EDTYPE);
    end();
}

static void ranges_of_large_integers_are_exact(void)
{
    int64_t v[4];
    uint64_t u[3];
    double one[3];
    begin();
    orr_tensor *t = orr_arange_number(ORR_I64, ORR_INTEGER(INT64_MAX - 7), ORR_INTEGER(INT64_MAX), ORR_INTEGER(2));
    ORR_REQUIRE(orr_tensor_size(t) == 4 && orr_read(t, v, sizeof v) == ORR_OK);
    for (int i = 0; i < 4; i++)
        ORR_CHECK(v[i] == INT64_MAX - 7 + 2 * i);
    t = orr_arange_number(ORR_I64, ORR_INTEGER(INT64_MAX), ORR_INTEGER(INT64_MIN), ORR_INTEGER(-0x7fffffffffffffff));
    ORR_REQUIRE(orr_tensor_size(t) == 3 && orr_read(t, v, sizeof *v * 3) == ORR_OK);
    ORR_CHECK(v[0] == INT64_MAX && v[1] == 0 && v[2] == -INT64_MAX);
    t = orr_arange_number(ORR_U64, ORR_UNSIGNED(UINT64_MAX), ORR_UNSIGNED(UINT64_MAX - 3), ORR_INTEGER(-1));
    ORR_REQUIRE(orr_tensor_size(t) == 3 && orr_read(t, u, sizeof u) == ORR_OK);
    ORR_CHECK(u[0] == UINT64_MAX && u[1] == UINT64_MAX - 1 && u[2] == UINT64_MAX - 2);
    ORR_CHECK(orr_tensor_size(orr_arange_number(ORR_I32, ORR_INTEGER(3), ORR_INTEGER(3), ORR_INTEGER(1))) == 0);
    ORR_CHECK(orr_tensor_size(orr_arange_number(ORR_I32, ORR_INTEGER(3), ORR_INTEGER(-3), ORR_INTEGER(-2))) == 3);
    t = orr_arange_number(ORR_F64, ORR_INTEGER(1), ORR_REAL(2.5), ORR_REAL(0.5));
    ORR_CHECK(orr_tensor_size(t) == 3 && orr_read(t, one, sizeof one) == ORR_OK && one[2] == 2.0);
    end();
}

static void an_interval_longer_than_the_largest_number(void)
{
    double v[5];
    begin();
    ORR_REQUIRE(orr_read(orr_linspace(ORR_F64, -1.7e308, 1.7e308, 5), v, sizeof v) == ORR_OK);
    ORR_CHECK(v[0] == -1.7e308 && fabs(v[1] / -0.85e308 - 1) < 1e-15 && fabs(v[2]) < 1e292 &&
              fabs(v[3] / 0.85e308 - 1) < 1e-15 && v[4] == 1.7e308);
    ORR_REQUIRE(orr_read(orr_linspace(ORR_F64, 1.7e308, -1.7e308, 1), v, sizeof *v) == ORR_OK);
    ORR_CHECK(v[0] == 1.7e308);
    end();
}

static orr_tensor *floats(float a, float b)
{
    return orr_from(ORR_F32, ORR_SHAPE(2), (const float[]){ a, b });
}

static void norms_whose_squares_are_beyond_the_dtype(void)
{
    double d = 0;
    begin();
    ORR_CHECK(orr_item(orr_norm(floats(3e30f, 4e30f), ORR_AXES(0), false), &d) == ORR_OK && d == (double)5e30f);
    ORR_CHECK(orr_item(orr_norm(floats(3e-30f, 4e-30f), ORR_AXES(0), false), &d) == ORR_OK && d == (double)5e-30f);
    orr_tensor *x = floats(3e30f, 4e30f), *g;
    float slope[2];
    ORR_CHECK(orr_grad(orr_norm(x, ORR_AXES(0), false), &x, 1, &g) == ORR_OK);
    ORR_CHECK(orr_read(g, slope, sizeof slope) == ORR_OK && fabs(slope[0] - 0.6) < 1e-6 && fabs(slope[1] - 0.8) < 1e-6);
    end();
}

/* n elements, half 1e8 and half 1e8 + 8: the variance is 16 for any order of the sums. */
static void the_variance_of_what_is_close_together(void)
{
    begin();
    for (int64_t n = 2; n <= 1 << 18; n *= 8) {
        double d = 0;
        float *v = malloc((size_t)n * sizeof *v);
        ORR_REQUIRE(v != NULL);
        for (int64_t i = 0; i < n; i++)
            v[i] = i % 2 ? 100000008.0f : 100000000.0f;
        orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(n), v);
        ORR_CHECK(orr_item(orr_var(t, ORR_AXES(0), 0, false), &d) == ORR_OK);
        ORR_CHECK_MSG(d == 16, "var of %lld is %g", (long long)n, d);
        ORR_CHECK(orr_item(orr_std(t, ORR_AXES(0), 0, false), &d) == ORR_OK && d == 4);
        free(v);
    }
    end();
}

/* The results of Python 3's //; where it raises an exception, those of NumPy 1.24. */
static void quotients_of_infinities_are_pythons(void)
{
    static const double rule[][3] = { { INFINITY, 1, NAN },
                                      { -INFINITY, 1, NAN },
                                      { INFINITY, INFINITY, NAN },
                                      { 1, INFINITY, 0 },
                                      { -1, INFINITY, -1 },
                                      { 1, -INFINITY, -1 },
                                      { -1, -INFINITY, 0 },
                                      { 0, INFINITY, 0 },
                                      { 1, 0, INFINITY },
                                      { -1, 0, -INFINITY },
                                      { 0, 0, NAN },
                                      { NAN, 1, NAN },
                                      { 1, NAN, NAN },
                                      { INFINITY, 0, INFINITY },
                                      { 1, 0.1, 9 },
                                      { -1, 0.1, -10 },
                                      { 6.5, -2, -4 },
                                      { 1e308, 1e-308, INFINITY } };
    begin();
    for (size_t k = 0; k < sizeof rule / sizeof *rule; k++) {
        double d = 0;
        orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE_0D, &rule[k][0]), *y = orr_from(ORR_F64, ORR_SHAPE_0D, &rule[k][1]);
        ORR_CHECK(orr_item(orr_floor_divide(x, y), &d) == ORR_OK);
        ORR_CHECK_MSG(d == rule[k][2] || (isnan(d) && isnan(rule[k][2])), "%g // %g is %g, not %g", rule[k][0],
                      rule[k][1], d, rule[k][2]);
    }
    end();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(integers_that_no_double_is_pass_through),
                                      ORR_TEST(an_item_that_no_double_is_is_refused),
                                      ORR_TEST(numbers_that_do_not_fit_are_refused),
                                      ORR_TEST(ranges_of_large_integers_are_exact),
                                      ORR_TEST(an_interval_longer_than_the_largest_number),
                                      ORR_TEST(norms_whose_squares_are_beyond_the_dtype),
                                      ORR_TEST(the_variance_of_what_is_close_together),
                                      ORR_TEST(quotients_of_infinities_are_pythons),
                                      { 0 } };
    return orr_test_main(argc, argv, "ops.edges", tests);
}
