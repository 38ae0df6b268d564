/* Arrays larger than the caches: kernels that prefetch and store past the caches give the same numbers.
 * Must not know: when kernels do that. */
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <orrery.h>
#include "tests/harness/harness.h"

/* Odd, so that rows and tiles begin anywhere in a cache line. */
enum { ROWS = 4099, COLUMNS = 3083 };
#define COUNT ((size_t)ROWS * COLUMNS)

static float *x, *y;

static bool start(const char *workers)
{
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_JIT", "wait", 1);
    setenv("STARPU_NCPU", workers, 1);
    x = x ? x : malloc(COUNT * sizeof *x);
    y = y ? y : malloc(COUNT * sizeof *y);
    if (!x || !y)
        return false;
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = (float)((int)(i * 7919 % 20011) - 10000) / 1024.0f;
        y[i] = (float)((int)(i * 104729 % 3001) - 1500) / 256.0f;
    }
    return orr_init(NULL) == ORR_OK;
}

static orr_tensor *of(orr_dtype dtype, const float *data)
{
    return orr_cast(orr_from(ORR_F32, ORR_SHAPE(ROWS, COLUMNS), data), dtype);
}

/* Checks t exactly: the numbers are exact in every step. */
static void count_wrong(orr_tensor *t, double (*right)(size_t i), const char *what)
{
    size_t wrong = 0, first = 0;
    double *z = malloc(COUNT * sizeof *z);
    ORR_REQUIRE(z != NULL);
    ORR_CHECK_MSG(orr_read(orr_cast(t, ORR_F64), z, COUNT * sizeof *z) == ORR_OK, "%s", orr_error_message());
    for (size_t i = 0; i < COUNT; i++)
        if (z[i] != right(i) && wrong++ == 0)
            first = i;
    ORR_CHECK_MSG(wrong == 0, "%s: %zu wrong, element %zu is %g, not %g", what, wrong, first, z[first], right(first));
    free(z);
}

static double right_sum(size_t i)
{
    return (double)(x[i] * 2 + y[i]);
}

static double right_less(size_t i)
{
    return x[i] < y[i];
}

static double right_by_axis(size_t i)
{
    return (double)(x[i] + y[i % COLUMNS]);
}

static double right_reversed(size_t i)
{
    return (double)x[i / COLUMNS * COLUMNS + (COLUMNS - 1 - i % COLUMNS)] * 4;
}

static double right_short(size_t i)
{
    return (int)(x[i] / 8) * 3;
}

static void check_maps(void)
{
    orr_scope *s = orr_scope_begin();
    static const orr_dtype floats[] = { ORR_F32, ORR_F64 };
    for (int k = 0; k < 2; k++) {
        orr_tensor *a = of(floats[k], x), *b = of(floats[k], y);
        ORR_CHECK(orr_eval(a) == ORR_OK && orr_eval(b) == ORR_OK);
        count_wrong(orr_add(orr_mul(a, orr_scalar(2)), b), right_sum, orr_dtype_name(floats[k]));
        count_wrong(orr_less(a, b), right_less, "less");
        count_wrong(orr_add(a, orr_cast(orr_from(ORR_F32, ORR_SHAPE(COLUMNS), y), floats[k])), right_by_axis, "row");
        count_wrong(orr_mul(orr_flip(a, ORR_AXES(1)), orr_scalar(4)), right_reversed, "reversed");
    }
    orr_tensor *eighth = orr_cast(orr_mul(of(ORR_F32, x), orr_scalar(0.125)), ORR_I16);
    ORR_CHECK(orr_eval(eighth) == ORR_OK);
    count_wrong(orr_mul(eighth, orr_scalar(3)), right_short, "int16");
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void in_place_and_to_several(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_variable(of(ORR_F32, x)), *b = of(ORR_F32, y);
    ORR_CHECK(orr_eval(a) == ORR_OK && orr_eval(b) == ORR_OK);
    orr_tensor *sum = orr_add(orr_mul(a, orr_scalar(2)), b), *less = orr_less(a, b);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(sum, less)) == ORR_OK);
    count_wrong(sum, right_sum, "the first of two");
    count_wrong(less, right_less, "the second of two");
    ORR_CHECK(orr_assign(a, orr_add(orr_mul(a, orr_scalar(2)), b)) == ORR_OK);
    count_wrong(a, right_sum, "in place");
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void check_rows(void)
{
    orr_scope *s = orr_scope_begin();
    float *z = malloc(COUNT * sizeof *z);
    double worst = 0;
    ORR_REQUIRE(z != NULL);
    ORR_CHECK_MSG(orr_read(orr_softmax(of(ORR_F32, x), -1), z, COUNT * sizeof *z) == ORR_OK, "%s", orr_error_message());
    for (size_t row = 0; row < ROWS; row++) {
        const float *in = x + row * COLUMNS;
        double most = -INFINITY, sum = 0;
        for (size_t k = 0; k < COLUMNS; k++)
            most = fmax(most, (double)in[k]);
        for (size_t k = 0; k < COLUMNS; k++)
            sum += exp((double)in[k] - most);
        for (size_t k = 0; k < COLUMNS; k++)
            worst = fmax(worst, fabs((double)z[row * COLUMNS + k] * sum / exp((double)in[k] - most) - 1));
    }
    ORR_CHECK_MSG(worst < 1e-6, "a softmax is off by %g", worst);
    free(z);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void check_sums(void)
{
    orr_scope *s = orr_scope_begin();
    double squares = 0, got = 0;
    for (size_t i = 0; i < COUNT; i++)
        squares += (double)(x[i] * x[i]);
    ORR_CHECK(orr_read(orr_cast(orr_sum(orr_square(of(ORR_F32, x)), ORR_ALL_AXES, false), ORR_F64), &got, sizeof got) ==
              ORR_OK);
    ORR_CHECK_MSG(fabs(got / squares - 1) < 1e-7, "%.17g, not %.17g", got, squares);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void on(const char *workers)
{
    ORR_NEED_COMPILER();
    ORR_REQUIRE(start(workers));
    check_maps();
    in_place_and_to_several();
    check_rows();
    check_sums();
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void one_worker(void)
{
    on("1");
}

static void two_workers(void)
{
    on("2");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(one_worker), ORR_TEST(two_workers), { 0 } };
    return orr_test_main(argc, argv, "api.large", tests);
}
