/* Graphs of great depth or width, for which a recursion or a quadratic algorithm would fail.
 * Must not know: how graphs are walked. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <orrery.h>
#include "tests/harness/harness.h"

static void hundred_thousand_views_are_resolved(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    static const float x[6] = { 1, 2, 3, 4, 5, 6 };
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(2, 3), x), *flipped = t, *of = t, *dx = NULL;
    for (int i = 0; i < 99999; i++)
        t = orr_transpose(t);
    for (int i = 0; i < 99999; i++)
        flipped = i % 3 == 0   ? orr_expand_dims(flipped, 0)
                  : i % 3 == 1 ? orr_squeeze(flipped, ORR_AXES(0))
                               : orr_flip(flipped, ORR_AXES(1));
    float y[6] = { 0 };
    ORR_CHECK(orr_read(t, y, sizeof y) == ORR_OK && y[0] == 1 && y[1] == 4 && y[2] == 2 && y[5] == 6);
    orr_tensor *loss = orr_sum(orr_mul(flipped, flipped), ORR_ALL_AXES, false);
    ORR_CHECK(orr_grad(loss, &of, 1, &dx) == ORR_OK);
    ORR_CHECK(orr_read(dx, y, sizeof y) == ORR_OK && y[0] == 2 && y[5] == 12);
    ORR_CHECK(orr_read(flipped, y, sizeof y) == ORR_OK && y[0] == 3 && y[5] == 4);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Processor seconds of this thread, which plans. Those of the workers are not counted. */
static double spent(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor seconds to evaluate a chain of n products. */
static double products(int n)
{
    static const float one[16] = { [0] = 1, [5] = 1, [10] = 1, [15] = 1 };
    double begin = spent();
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_from(ORR_F32, ORR_SHAPE(4, 4), one), *t = w;
    for (int i = 0; i < n; i++)
        t = orr_matmul(t, w);
    double trace = 0;
    ORR_CHECK(orr_item(orr_sum(t, ORR_ALL_AXES, false), &trace) == ORR_OK && trace == 4);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
    return spent() - begin;
}

static void ten_thousand_steps_are_planned_in_seconds(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    double took = products(10000);
    ORR_CHECK_MSG(took < ORR_TEST_SECONDS(20), "%.1f s of processor time", took);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Processor seconds to evaluate many siblings with a common input. */
enum { WIDE = 100000 };
static double siblings(orr_tensor *(*one)(orr_tensor *x, orr_tensor *by), double (*want)(double by))
{
    static const float ones[4] = { 1, 1, 1, 1 };
    static orr_tensor *t[WIDE];
    double begin = spent();
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2, 2), ones);
    for (int i = 0; i < WIDE; i++)
        t[i] = one(x, orr_scalar((double)i / WIDE));
    ORR_CHECK(orr_eval_all(t, WIDE) == ORR_OK);
    double worst = 0;
    for (int i = 0; i < WIDE; i += 997) {
        float y[4] = { 0 };
        ORR_CHECK(orr_read(t[i], y, (size_t)orr_tensor_size(t[i]) * sizeof *y) == ORR_OK);
        worst = fmax(worst, fabs((double)y[0] - want((double)i / WIDE)));
    }
    ORR_CHECK_MSG(worst < 1e-5, "off by %g", worst);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
    return spent() - begin;
}

static orr_tensor *a_map(orr_tensor *x, orr_tensor *by)
{
    return orr_tanh(orr_mul(x, by));
}
static orr_tensor *a_sum(orr_tensor *x, orr_tensor *by)
{
    return orr_sum(orr_mul(x, by), ORR_ALL_AXES, false);
}
static orr_tensor *a_product(orr_tensor *x, orr_tensor *by)
{
    return orr_relu(orr_matmul(x, orr_mul(x, by)));
}
static double four(double by)
{
    return 4 * by;
}
static double two(double by)
{
    return 2 * by;
}

static void hundred_thousand_siblings_plan_in_seconds(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    double maps = siblings(a_map, tanh), sums = siblings(a_sum, four), products = siblings(a_product, two);
    ORR_CHECK_MSG(maps + sums + products < ORR_TEST_SECONDS(60), "%.1f, %.1f, %.1f s of processor time", maps, sums,
                  products);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* … and so is the operation that reads all of them. */
static void concat_of_hundred_thousand_plans_in_seconds(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    static orr_tensor *t[WIDE];
    double begin = spent();
    for (int i = 0; i < WIDE; i++)
        t[i] = orr_tanh(orr_full(ORR_F32, ORR_SHAPE(1, 4), (double)i / WIDE));
    double sum = 0, want = 0;
    ORR_CHECK(orr_item(orr_sum(orr_cast(orr_concat(t, WIDE, 0), ORR_F64), ORR_ALL_AXES, false), &sum) == ORR_OK);
    for (int i = 0; i < WIDE; i++)
        want += 4 * tanh((double)i / WIDE);
    ORR_CHECK_MSG(fabs(sum - want) < 1e-5 * want, "%.9g, not %.9g", sum, want);
    double took = spent() - begin;
    ORR_CHECK_MSG(took < ORR_TEST_SECONDS(20), "%.1f s of processor time", took);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* As in a network over the steps of a sequence: the slices differ only in their offset. */
static void forty_thousand_slices_of_one_tensor_are_planned_in_seconds(void)
{
    enum { N = 40000 };
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    double begin = spent();
    orr_scope *s = orr_scope_begin();
    orr_tensor **t = malloc(N * sizeof(*t)), *x = orr_ones(ORR_F32, ORR_SHAPE(N));
    ORR_REQUIRE(t && orr_eval(x) == ORR_OK);
    for (int i = 0; i < N; i++)
        t[i] = orr_select(x, 0, i);
    for (int n = N; n > 1; n = (n + 1) / 2)
        for (int i = 0; i < n; i += 2)
            t[i / 2] = i + 1 < n ? orr_add(t[i], t[i + 1]) : t[i];
    double sum = 0, took;
    ORR_CHECK(orr_item(t[0], &sum) == ORR_OK && sum == N);
    free(t);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
    took = spent() - begin;
    ORR_CHECK_MSG(took < ORR_TEST_SECONDS(8), "%.1f s of processor time", took);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(hundred_thousand_views_are_resolved),
                                      ORR_TEST(ten_thousand_steps_are_planned_in_seconds),
                                      ORR_TEST(hundred_thousand_siblings_plan_in_seconds),
                                      ORR_TEST(concat_of_hundred_thousand_plans_in_seconds),
                                      ORR_TEST(forty_thousand_slices_of_one_tensor_are_planned_in_seconds),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.deep", tests);
}
