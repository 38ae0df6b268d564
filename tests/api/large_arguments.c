/* Sines and cosines of numbers of any size, in every kind of loop: kernels have a near form for arguments that are not large, and
 * compute a block with a large one again. The C library is the oracle.
 * Must not know: how a kernel walks its loops. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

enum { MOST = 70000 };
static double data[MOST];

/* Most numbers are small; a few in each thousand are large, infinite or NaN, and some ranges have none of these. */
static void fill(orr_dtype dtype)
{
    static const double special[] = {
        1e5, -3e6, 0x1p20, 0x1.8p60, -1e30, 65537, -65536, INFINITY, -INFINITY, NAN, -0.0
    };
    unsigned long long state = 11;
    for (int i = 0; i < MOST; i++) {
        double x = (double)(int64_t)(orr_test_rand(&state) % 20001) / 1000 - 10;
        if (orr_test_rand(&state) % 331 == 0 && i / 5000 % 2 == 0)
            x = special[orr_test_rand(&state) % (sizeof special / sizeof *special)];
        data[i] = dtype == ORR_F32 ? (double)(float)x : x;
    }
}

static orr_tensor *there(orr_dtype dtype, orr_shape s)
{
    orr_tensor *t = orr_cast(orr_from(ORR_F64, s, data), dtype);
    ORR_CHECK(orr_eval(t) == ORR_OK);
    return t;
}

/* Checks that element i of t is want(i), within `ulps` of the dtype's precision and `beside` of rounding errors of sums. */
static void check(orr_tensor *t, orr_dtype dtype, double (*want)(int64_t i, int64_t m), int64_t m, double beside,
                  const char *what)
{
    double eps = dtype == ORR_F32 ? 0x1p-23 : 0x1p-52;
    const double *got = orr_data(orr_cast(t, ORR_F64));
    int64_t n = orr_tensor_size(t), wrong = 0, at = -1;
    ORR_CHECK_MSG(got != NULL, "%s: %s", what, orr_error_message());
    for (int64_t i = 0; got && i < n; i++) {
        double w = want(i, m);
        bool same = isnan(w) ? isnan(got[i]) : fabs(got[i] - w) <= 4 * eps * fabs(w) + beside * eps;
        at = same || wrong ? at : i;
        wrong += !same;
    }
    ORR_CHECK_MSG(wrong == 0, "%s %s: %lld wrong; number %lld of %g is %.17g, not %.17g", what, orr_dtype_name(dtype),
                  (long long)wrong, (long long)at, at < 0 ? 0 : data[at], at < 0 ? 0 : got[at],
                  at < 0 ? 0 : want(at, m));
}

static double sine(int64_t i, int64_t m)
{
    (void)m;
    return sin(data[i]);
}

static double sine_of_part(int64_t i, int64_t m)
{
    return sin(data[i / (m - 1) * m + i % (m - 1) + 1]);
}

static double column(int64_t i, int64_t m)
{
    double sum = 0;
    for (int64_t k = 0; k < 3000 / m; k++)
        sum += cos(data[k * m + i]);
    return sum;
}

static double row(int64_t i, int64_t m)
{
    double sum = 0;
    for (int64_t k = 0; k < m; k++)
        sum += cos(data[i * m + k]);
    return sum;
}

static double beside_row(int64_t i, int64_t m)
{
    return cos(data[i]) - row(i / m, m) / (double)m;
}

static double twice(int64_t i, int64_t m)
{
    (void)m;
    return cos(fabs(data[i])) + sin(data[i]);
}

static void loops(orr_dtype dtype)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = there(dtype, ORR_SHAPE(MOST));
    check(orr_sin(x), dtype, sine, 0, 0, "a map");
    check(orr_add(orr_cos(orr_abs(x)), orr_sin(x)), dtype, twice, 0, 8, "a map with two of them");
    orr_tensor *v = orr_variable(x);
    ORR_CHECK(orr_assign(v, orr_sin(v)) == ORR_OK && orr_eval(v) == ORR_OK);
    check(v, dtype, sine, 0, 0, "a map in place");
    static const int width[] = { 3, 8, 21, 50, 73, 200, 1000 };
    for (size_t k = 0; k < sizeof width / sizeof *width; k++) {
        int64_t m = width[k], n = 3000 / m;
        x = there(dtype, ORR_SHAPE(n, m));
        check(orr_slice_axis(orr_sin(x), 1, 1, m, 1), dtype, sine_of_part, m, 0, "columns of a map");
        check(orr_sum(orr_cos(x), ORR_AXES(0), false), dtype, column, m, 4000, "columns");
        check(orr_sum(orr_cos(x), ORR_AXES(1), false), dtype, row, m, 4000, "rows");
        orr_tensor *c = orr_cos(x);
        check(orr_sub(c, orr_mean(c, ORR_AXES(1), true)), dtype, beside_row, m, 4000, "rows that see their mean");
    }
    (void)orr_scope_end(s);
}

static void with(const char *isa, const char *jit)
{
    ORR_NEED_COMPILER();
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_JIT", jit, 1);
    setenv("ORRERY_ISA", isa, 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    for (int k = 0; k < 2; k++) {
        if (strcmp(jit, "off") != 0 && !orr_test_due((unsigned)(k + (strcmp(isa, "auto") == 0)), 2))
            continue; /* the other type has its turn with the other vectors */
        fill(k ? ORR_F64 : ORR_F32);
        loops(k ? ORR_F64 : ORR_F32);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
    unsetenv("ORRERY_ISA");
}

static void compiled_loops_take_large_arguments(void)
{
    with("auto", "wait");
}

static void narrow_vectors_take_large_arguments(void)
{
    with("avx2", "wait");
}

static void the_interpreter_takes_large_arguments(void)
{
    with("auto", "off");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(compiled_loops_take_large_arguments),
        ORR_TEST(narrow_vectors_take_large_arguments),
        ORR_TEST(the_interpreter_takes_large_arguments),
        { 0 },
    };
    return orr_test_main(argc, argv, "api.large_arguments", tests);
}
