/* Random tensors: streams, repeatability, and the claimed distributions.
 * Must not know: how numbers are made. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/philox.h"
#include "tests/harness/ops_help.h"

#define N 20000

/* Mean and variance of t by the reference evaluation; t's least and greatest element. */
typedef struct {
    double mean, var, min, max;
} moments;

static moments moments_of(orr_tensor *t)
{
    double *v = help_doubles(t);
    int64_t n = orr_tensor_size(t);
    moments m = { 0, 0, INFINITY, -INFINITY };
    for (int64_t i = 0; v && i < n; i++) {
        m.mean += v[i] / (double)n;
        m.min = fmin(m.min, v[i]);
        m.max = fmax(m.max, v[i]);
    }
    for (int64_t i = 0; v && i < n; i++)
        m.var += (v[i] - m.mean) * (v[i] - m.mean) / (double)n;
    free(v);
    return m;
}

static void uniform_numbers_fill_their_interval(void)
{
    for (int d = ORR_F16; d <= ORR_F64; d++) {
        orr_scope *s = orr_scope_begin();
        moments m = moments_of(orr_rand((orr_dtype)d, ORR_SHAPE(N), -1, 3));
        ORR_CHECK_MSG(fabs(m.mean - 1) < 0.05 && fabs(m.var - 16.0 / 12) < 0.05, "%g %g", m.mean, m.var);
        ORR_CHECK_MSG(m.min >= -1 && m.min < -0.9 && m.max < 3 && m.max > 2.9, "%g %g", m.min, m.max);
        m = moments_of(orr_rand((orr_dtype)d, ORR_SHAPE(N), 0, 1));
        ORR_CHECK(m.min >= 0 && m.max < 1);
        (void)orr_scope_end(s);
    }
}

/* offset + scale · u rounds up to the end if the offset has fewer fractional bits than u. */
static void the_end_of_an_interval_is_outside(void)
{
    static const double ends[][2] = { { 1, 2 }, { -2, -1 }, { 100, 101 }, { 1000, 1008 }, { -3, 1 }, { 0.1, 0.3 } };
    for (int d = ORR_F16; d <= ORR_F64; d++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            orr_scope *s = orr_scope_begin();
            double lo = ends[k][0], hi = ends[k][1];
            double *end = help_doubles(orr_full((orr_dtype)d, ORR_SHAPE(1), hi));
            moments m = moments_of(orr_rand((orr_dtype)d, ORR_SHAPE(1 << 18), lo, hi));
            ORR_CHECK_MSG(end && m.max < *end && m.max > lo + 0.9 * (hi - lo) - 0.01 * fabs(hi), "%s %g %g: %.17g",
                          orr_dtype_name((orr_dtype)d), lo, hi, m.max);
            free(end);
            (void)orr_scope_end(s);
        }
    HELP_POISON(orr_rand(ORR_F16, ORR_SHAPE(3), -60000, 60000), ORR_EINVAL, "beyond float16");
    HELP_POISON(orr_rand(ORR_F32, ORR_SHAPE(3), 0, 1e39), ORR_EINVAL, "beyond float32");
    HELP_POISON(orr_rand(ORR_F64, ORR_SHAPE(3), -1.7e308, 1.7e308), ORR_EINVAL, "beyond float64");
}

static void normal_numbers_have_mean_and_deviation(void)
{
    for (int d = ORR_F16; d <= ORR_F64; d++) {
        orr_scope *s = orr_scope_begin();
        moments m = moments_of(orr_randn((orr_dtype)d, ORR_SHAPE(N), 2, 0.5));
        ORR_CHECK_MSG(fabs(m.mean - 2) < 0.02 && fabs(m.var - 0.25) < 0.02, "%g %g", m.mean, m.var);
        ORR_CHECK_MSG(m.min > -1 && m.max < 5 && m.max > 3, "%g %g", m.min, m.max);
        (void)orr_scope_end(s);
    }
}

static void integers_reach_both_ends_and_no_further(void)
{
    for (int d = ORR_I8; d <= ORR_U64; d++) {
        orr_scope *s = orr_scope_begin();
        moments m = moments_of(orr_randint((orr_dtype)d, ORR_SHAPE(N), 3, 9));
        ORR_CHECK_MSG(m.min == 3 && m.max == 8 && fabs(m.mean - 5.5) < 0.1, "%g %g %g", m.min, m.max, m.mean);
        (void)orr_scope_end(s);
    }
    orr_scope *s = orr_scope_begin();
    moments m = moments_of(orr_randint(ORR_I8, ORR_SHAPE(N), -128, 128));
    ORR_CHECK(m.min == -128 && m.max == 127);
    m = moments_of(orr_randint(ORR_I64, ORR_SHAPE(N), INT64_MIN, INT64_MAX));
    ORR_CHECK(m.min < -0x1p62 && m.max > 0x1p62);
    (void)orr_scope_end(s);
}

static void permutation_has_every_number_once(void)
{
    static const int64_t sizes[] = { 0, 1, 2, 3, 5, 64, 1000 };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = orr_permutation(sizes[k]);
        double *v = help_doubles(t);
        char seen[1000] = { 0 };
        int64_t moved = 0;
        for (int64_t i = 0; v && i < sizes[k]; i++) {
            ORR_CHECK(v[i] >= 0 && v[i] < (double)sizes[k] && !seen[(int)v[i]]);
            seen[(int)v[i]] = 1;
            moved += (int64_t)v[i] != i;
        }
        ORR_CHECK(sizes[k] < 64 || moved > sizes[k] / 2);
        free(v);
        (void)orr_scope_end(s);
    }
}

static void bernoulli_is_true_as_often_as_it_says(void)
{
    orr_scope *s = orr_scope_begin();
    moments m = moments_of(orr_bernoulli(ORR_SHAPE(N), 0.3));
    ORR_CHECK_MSG(fabs(m.mean - 0.3) < 0.02, "%g", m.mean);
    m = moments_of(orr_bernoulli(ORR_SHAPE(N), 0));
    ORR_CHECK(m.max == 0);
    m = moments_of(orr_bernoulli(ORR_SHAPE(N), 1));
    ORR_CHECK(m.min == 1);
    ORR_CHECK(orr_tensor_dtype(orr_bernoulli(ORR_SHAPE(1), 0.5)) == ORR_BOOL);
    (void)orr_scope_end(s);
}

/* True if two tensors have the same elements, by the engine. */
static bool equal(orr_tensor *a, orr_tensor *b)
{
    int64_t n = orr_tensor_size(a);
    orr__scalar *x = help_engine(a), *y = help_engine(b);
    bool same = x && y && n == orr_tensor_size(b) && memcmp(x, y, (size_t)n * sizeof *x) == 0;
    free(x);
    free(y);
    return same;
}

static void seed_repeats_and_calls_differ(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(42);
    orr_tensor *a = orr_rand(ORR_F32, ORR_SHAPE(50), 0, 1), *b = orr_rand(ORR_F32, ORR_SHAPE(50), 0, 1);
    orr_seed(42);
    orr_tensor *c = orr_rand(ORR_F32, ORR_SHAPE(50), 0, 1);
    orr_seed(43);
    orr_tensor *d = orr_rand(ORR_F32, ORR_SHAPE(50), 0, 1);
    ORR_CHECK(equal(a, c));
    ORR_CHECK(!equal(a, b));
    ORR_CHECK(!equal(a, d));
    (void)orr_scope_end(s);
}

static void numbers_do_not_depend_on_the_shape(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(1);
    orr_tensor *a = orr_randn(ORR_F64, ORR_SHAPE(6, 5), 0, 1);
    orr_seed(1);
    orr_tensor *b = orr_randn(ORR_F64, ORR_SHAPE(100), 0, 1);
    ORR_CHECK(equal(orr_reshape(a, ORR_SHAPE(30)), orr_slice_axis(b, 0, 0, 30, 1)));
    (void)orr_scope_end(s);
}

static void engine_and_reference_draw_the_same(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(9);
    orr_tensor *t[] = { orr_rand(ORR_F32, ORR_SHAPE(1001), 0, 1),
                        orr_rand(ORR_F64, ORR_SHAPE(7, 11), -2, 1),
                        orr_rand(ORR_F16, ORR_SHAPE(100), 0, 1),
                        orr_rand(ORR_BF16, ORR_SHAPE(100), 0, 1),
                        orr_randint(ORR_I16, ORR_SHAPE(333), -5, 6),
                        orr_randint(ORR_U64, ORR_SHAPE(33), 0, 1000),
                        orr_permutation(777),
                        orr_bernoulli(ORR_SHAPE(500), 0.5),
                        orr_randn(ORR_F64, ORR_SHAPE(3, 33), 0, 1),
                        orr_randn(ORR_F32, ORR_SHAPE(999), 0, 1) };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        orr__scalar *want = help_reference(t[i]);
        if (want)
            help_check(t[i], orr_tensor_dtype(t[i]), orr_tensor_shape(t[i]), want, i < 8 ? 0 : 8, "random");
        free(want);
    }
    (void)orr_scope_end(s);
}

static void views_of_random_tensors_see_the_same_numbers(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(3);
    orr_tensor *a = orr_rand(ORR_F32, ORR_SHAPE(4, 6), 0, 1);
    ORR_CHECK(equal(orr_transpose(orr_transpose(a)), a));
    ORR_CHECK(
        equal(orr_sub(orr_flip(a, ORR_ALL_AXES), orr_flip(a, ORR_ALL_AXES)), orr_zeros(ORR_F32, ORR_SHAPE(4, 6))));
    orr_tensor *part = orr_slice(a, ORR_INDEX(1, 2), ORR_INDEX(3, 5), ORR_NO_INDEX);
    float all[24], some[6];
    ORR_CHECK(orr_read(part, some, sizeof some) == ORR_OK && orr_read(a, all, sizeof all) == ORR_OK);
    ORR_CHECK(some[0] == all[8] && some[5] == all[16]);
    (void)orr_scope_end(s);
}

static void *draw(void *to)
{
    orr_scope *s = orr_scope_begin();
    orr__scalar *v = help_reference(orr_rand(ORR_F64, ORR_SHAPE_0D, 0, 1));
    *(double *)to = v ? v[0].f : 0;
    free(v);
    (void)orr_scope_end(s);
    return NULL;
}

static void threads_have_streams_of_their_own(void)
{
    double a = 0, b = 0;
    pthread_t t;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t, NULL, draw, i ? &b : &a) == 0)
            (void)pthread_join(t, NULL);
    ORR_CHECK(a != b);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(uniform_numbers_fill_their_interval),    ORR_TEST(the_end_of_an_interval_is_outside),
        ORR_TEST(normal_numbers_have_mean_and_deviation), ORR_TEST(integers_reach_both_ends_and_no_further),
        ORR_TEST(permutation_has_every_number_once),      ORR_TEST(bernoulli_is_true_as_often_as_it_says),
        ORR_TEST(seed_repeats_and_calls_differ),          ORR_TEST(numbers_do_not_depend_on_the_shape),
        ORR_TEST(engine_and_reference_draw_the_same),     ORR_TEST(views_of_random_tensors_see_the_same_numbers),
        ORR_TEST(threads_have_streams_of_their_own),      { 0 }
    };
    return help_main(argc, argv, "ops.random", tests);
}
