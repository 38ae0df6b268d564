/* Loops over f16: every value, rows of every short length with any begin, gathers, folds, borders, compared with values computed here.
 * Expensive work on gathered elements.
 * Must not know: how a kernel converts, or gathers. */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

enum { ROWS = 7, LONGEST = 70, ALL = 65536 };

/* The value by the definition of the format: 5 bits of exponent, 10 of fraction. */
static double value_of(uint16_t h)
{
    int e = h >> 10 & 31, f = h & 1023;
    double x = e == 31 ? (f ? (double)NAN : (double)INFINITY) : e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
    return h >> 15 ? -x : x;
}

/* Rounds to nearest, ties to even. */
static double rounded(double x)
{
    int e = 0;
    if (isnan(x) || isinf(x) || x == 0)
        return x;
    (void)frexp(x, &e);
    double unit = ldexp(1, (e - 1 < -14 ? -14 : e - 1) - 10), y = nearbyint(x / unit) * unit;
    return fabs(y) >= 65536 ? copysign((double)INFINITY, x) : y;
}

static bool equal(double got, double want)
{
    return isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want);
}

static void check(orr_tensor *t, const double *want, int64_t n, const char *what)
{
    const uint16_t *got = orr_data(t);
    int64_t wrong = 0, at = 0;
    ORR_REQUIRE(got && orr_tensor_dtype(t) == ORR_F16 && orr_tensor_size(t) == n);
    for (int64_t i = 0; i < n; i++)
        if (!equal(value_of(got[i]), want[i])) {
            at = wrong++ ? at : i;
        }
    ORR_CHECK_MSG(wrong == 0, "%s: %lld of %lld are wrong; number %lld is %g, not %g", what, (long long)wrong,
                  (long long)n, (long long)at, value_of(got[at]), want[at]);
}

static orr_tensor *scalar(double x)
{
    return orr_full(ORR_F16, ORR_SHAPE_0D, x);
}

static void every_value(void)
{
    static uint16_t h[ALL];
    static double product[ALL], sum[ALL];
    const double factor = 0.7001953125; /* a value of f16 */
    for (int i = 0; i < ALL; i++) {
        h[i] = (uint16_t)i;
        float f = (float)value_of(h[i]);
        product[i] = rounded((double)(f * (float)factor));
        sum[i] = rounded((double)(f + 1000.5f));
    }
    orr_tensor *x = orr_from(ORR_F16, ORR_SHAPE(ALL), h);
    check(orr_mul(x, scalar(factor)), product, ALL, "products");
    check(orr_add(x, scalar(1000.5)), sum, ALL, "sums");
}

static double element(int row, int column)
{
    return (double)((row * 31 + column * 7) % 65 - 32) / 8;
}

/* ROWS rows of n numbers, out of rows of n + 1. */
static orr_tensor *rows_of(int n)
{
    static double all[ROWS * (LONGEST + 1)];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < n + 1; j++)
            all[i * (n + 1) + j] = j == 0 ? 99 : element(i, j - 1);
    orr_tensor *x = orr_cast(orr_from(ORR_F64, ORR_SHAPE(ROWS, n + 1), all), ORR_F16);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    return orr_slice(x, ORR_INDEX(0, 1), ORR_INDEX(ROWS, n + 1), ORR_INDEX(1, 1));
}

static void one_length(int n)
{
    static double want[ROWS * LONGEST], border[ROWS * LONGEST], taken[ROWS * LONGEST], least[ROWS * LONGEST],
        down[LONGEST], along[ROWS];
    static const int32_t place[ROWS] = { 6, 0, 3, 3, 5, 1, 2 };
    memset(down, 0, sizeof down);
    for (int i = 0; i < ROWS; i++) {
        double most = -99;
        along[i] = 0;
        for (int j = 0; j < n; j++) {
            most = fmax(most, element(i, j));
            along[i] += element(i, j);
            down[j] += element(i, j);
        }
        for (int j = 0; j < n; j++) {
            want[i * n + j] = element(i, j) * 2 + 1.25;
            border[i * n + j] = (j > 0 ? element(i, j - 1) : 0) + (j + 1 < n ? element(i, j + 1) : 0);
            taken[i * n + j] = element(place[i], j) + element(i, j);
            least[i * n + j] = element(i, j) - most;
        }
    }
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = rows_of(n);
    check(orr_add(orr_mul(x, scalar(2)), scalar(1.25)), want, ROWS * n, "rows");
    orr_tensor *index = orr_from(ORR_I32, ORR_SHAPE(ROWS), place);
    check(orr_add(orr_take(x, index, 0), x), taken, ROWS * n, "gathered rows");
    check(orr_sub(x, orr_max(x, ORR_AXES(1), true)), least, ROWS * n, "rows less their maximum");
    check(orr_sum(orr_mul(x, scalar(1)), ORR_AXES(1), false), along, ROWS, "sums of rows");
    check(orr_sum(orr_mul(x, scalar(1)), ORR_AXES(0), false), down, n, "sums of columns");
    orr_tensor *wide = orr_pad(x, ORR_INDEX(0, 1), ORR_INDEX(0, 1), 0);
    check(orr_add(orr_slice(wide, ORR_INDEX(0, 0), ORR_INDEX(ROWS, n), ORR_INDEX(1, 1)),
                  orr_slice(wide, ORR_INDEX(0, 2), ORR_INDEX(ROWS, n + 2), ORR_INDEX(1, 1))),
          border, ROWS * n, "neighbours");
    (void)orr_scope_end(s);
}

/* Elements of rows, and an index out of range. */
static void gathered_elements(int n)
{
    static int32_t place[LONGEST];
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_cast(rows_of(n), ORR_F32);
    for (int j = 0; j < n; j++)
        place[j] = j % 3 == 0 ? -1 - j * 5 % n : j * 5 % n;
    orr_tensor *index = orr_from(ORR_I32, ORR_SHAPE(n), place), *taken = orr_take(x, index, 1);
    const float *got = orr_data(orr_add(orr_exp(orr_tanh(orr_sin(taken))), taken));
    ORR_REQUIRE(got != NULL);
    int wrong = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < n; j++) {
            double y = element(i, place[j] < 0 ? place[j] + n : place[j]), want = exp(tanh(sin(y))) + y;
            wrong += !(fabs((double)got[i * n + j] - want) <= 1e-6 * (1 + fabs(want)));
        }
    ORR_CHECK_MSG(wrong == 0, "%d of %d gathered elements are wrong", wrong, ROWS * n);
    place[n - 1] = n;
    orr_tensor *none = orr_take(x, orr_from(ORR_I32, ORR_SHAPE(n), place), 1);
    ORR_CHECK(orr_data(orr_exp(orr_tanh(orr_sin(none)))) == NULL && orr_error_status() == ORR_EINDEX);
    orr_error_clear();
    (void)orr_scope_end(s);
}

static void with_vectors(const char *isa, int step)
{
    ORR_NEED_COMPILER();
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_JIT", "wait", 1);
    setenv("ORRERY_ISA", isa, 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    every_value();
    const bool due = orr_test_due(strcmp(isa, "auto") == 0, 2); /* the kernels are compiled for each set of vectors */
    for (int n = 1; due && n <= LONGEST; n += n < 20 ? 1 : step)
        one_length(n);
    for (int n = 1; n <= LONGEST; n += 23)
        gathered_elements(n);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    unsetenv("ORRERY_ISA");
}

static void values_are_the_formats(void)
{
    with_vectors("auto", 5);
}

static void values_are_the_formats_with_narrow_vectors(void)
{
    with_vectors("avx2", orr_test_full() ? 5 : 15);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(values_are_the_formats),
                                      ORR_TEST(values_are_the_formats_with_narrow_vectors),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.halves", tests);
}
