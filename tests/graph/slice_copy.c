/* Slices at varying places: a loop over them has few plans, and values with the same bits as plans for each place.
 * Must not know: how a capture has a slice as a leaf. */
#include "config.h"
#include <math.h>
#include <orrery.h>
#include <pthread.h>
#include <string.h>
#include "runtime/base/ablation.h"
#include "runtime/base/buffer.h"
#include "runtime/plan/plan.h"
#include "tests/harness/ops_help.h"

enum { ROWS = 40, COLUMNS = 24, FEW = 8 };

static uint64_t plans(void)
{
    return orr__plan_get_stats().misses;
}

static orr_tensor *table(orr_dtype t)
{
    orr_tensor *x = orr_cast(orr_randn(ORR_F32, ORR_SHAPE(ROWS, COLUMNS), 0, 1), t);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    return x;
}

static void a_loop_over_elements_has_few_plans(void)
{
    orr_scope *s = orr_scope_begin();
    double v = -1;
    orr_tensor *x = orr_arange(ORR_F64, 0, 500, 1);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    uint64_t before = plans();
    for (int i = 0; i < 500; i++)
        ORR_CHECK_MSG(orr_item(orr_select(x, 0, i), &v) == ORR_OK && v == i, "%d: %g", i, v);
    for (int i = 0; i < 500; i++)
        ORR_CHECK(orr_item(orr_sqrt(orr_select(x, 0, i)), &v) == ORR_OK && v == sqrt(i));
    ORR_CHECK_MSG(plans() - before <= FEW, "%d plans", (int)(plans() - before));
    (void)orr_scope_end(s);
}

static void a_loop_over_batches_has_few_plans(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = table(ORR_F32), *w = orr_ones(ORR_F32, ORR_SHAPE(COLUMNS, 3));
    uint64_t before = plans();
    for (int k = 0; k < 200; k++) {
        double v, sum = 0;
        int i = k % (ROWS - 4);
        orr_tensor *batch = orr_slice_axis(x, 0, i, i + 4, 1);
        ORR_CHECK(orr_item(orr_sum(orr_matmul(batch, w), ORR_ALL_AXES, false), &v) == ORR_OK);
        float m[4 * COLUMNS];
        ORR_CHECK(orr_read(batch, m, sizeof m) == ORR_OK);
        for (int j = 0; j < 4 * COLUMNS; j++)
            sum += 3 * m[j];
        ORR_CHECK_MSG(fabs(v - sum) < 1e-3, "%g, not %g", v, sum);
    }
    ORR_CHECK_MSG(plans() - before <= FEW, "%d plans", (int)(plans() - before));
    (void)orr_scope_end(s);
}

/* -- bits ---------------------------------------------------------------------------------------------------------------- */

static orr_tensor *row(orr_tensor *x, int i)
{
    return orr_select(x, 0, i);
}
static orr_tensor *column(orr_tensor *x, int i)
{
    return orr_select(x, 1, i % COLUMNS);
}
static orr_tensor *box(orr_tensor *x, int i)
{
    return orr_slice(x, ORR_INDEX(i % 30, i % 7), ORR_INDEX(i % 30 + 9, i % 7 + 17), ORR_INDEX(2, 3));
}
static orr_tensor *backwards(orr_tensor *x, int i)
{
    return orr_slice(x, ORR_INDEX(i % 20 + 19, 23 - i % 3), ORR_INDEX(i % 20 + 4, 3 - i % 3), ORR_INDEX(-1, -2));
}
static orr_tensor *batch(orr_tensor *x, int i)
{
    return orr_slice_axis(x, 0, i % 20, i % 20 + 16, 1);
}

static orr_tensor *chain(orr_tensor *x)
{
    return orr_mul(orr_exp(x), orr_add(x, orr_scalar(1)));
}
static orr_tensor *total(orr_tensor *x)
{
    return orr_sum(orr_exp(x), ORR_ALL_AXES, false);
}
static orr_tensor *normalised(orr_tensor *x)
{
    return orr_softmax(x, -1);
}
static orr_tensor *squared(orr_tensor *x)
{
    return orr_tensor_shape(x).rank == 2 ? orr_matmul(x, orr_transpose(x))
                                         : orr_sum(orr_mul(x, x), ORR_ALL_AXES, false);
}
static orr_tensor *running(orr_tensor *x)
{
    return orr_cumulative_sum(x, -1, false);
}

static const struct {
    const char *name;
    orr_tensor *(*of)(orr_tensor *x, int i);
} part[] = { { "row", row }, { "column", column }, { "box", box }, { "backwards", backwards }, { "batch", batch } };
static const struct {
    const char *name;
    orr_tensor *(*of)(orr_tensor *x);
} use[] = {
    { "chain", chain }, { "total", total }, { "normalised", normalised }, { "squared", squared }, { "running", running }
};

static void read_of(orr_tensor *t, void *to, size_t most, size_t *size)
{
    orr_shape shape = orr_tensor_shape(t);
    *size = (size_t)orr__shape_count(&shape) * orr_dtype_size(orr_tensor_dtype(t));
    ORR_CHECK(*size <= most && orr_read(t, to, *size) == ORR_OK);
}

static void compare_bits(orr_tensor *x, int p, int u)
{
    const uint64_t ablated = orr__env.ablated, off = (uint64_t)1 << ORR__OFF_SLICE_COPIES;
    for (int i = 0; i < ROWS; i++) {
        static char a[1 << 14], b[1 << 14];
        size_t n, m;
        orr_scope *s = orr_scope_begin();
        read_of(use[u].of(part[p].of(x, i)), a, sizeof a, &n);
        orr__env.ablated = ablated | off;
        read_of(use[u].of(part[p].of(x, i)), b, sizeof b, &m);
        orr__env.ablated = ablated;
        ORR_CHECK_MSG(n == m && !memcmp(a, b, n), "%s of %s %d, %s", use[u].name, part[p].name, i,
                      orr_dtype_name(orr_tensor_dtype(x)));
        (void)orr_scope_end(s);
    }
}

static void values_have_the_bits_of_a_plan_for_the_place(void)
{
    static const orr_dtype dtype[] = { ORR_F32, ORR_F64, ORR_F16 };
    for (int t = 0; t < 3; t++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = table(dtype[t]);
        for (int p = 0; p < 5; p++)
            for (int u = 0; u < 5; u++)
                compare_bits(x, p, u);
        (void)orr_scope_end(s);
    }
}

/* -- in company ------------------------------------------------------------------------------------------------------------ */

static void gradients_flow_to_the_whole(void)
{
    for (int i = 0; i < 12; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_variable(orr_full(ORR_F64, ORR_SHAPE(12, 3), 2)), *g = NULL;
        double v, m[36];
        orr_tensor *y = orr_sum(orr_mul(row(x, i), row(x, i)), ORR_ALL_AXES, false);
        ORR_CHECK(orr_item(orr_add(y, orr_scalar(1)), &v) == ORR_OK && v == 13);
        ORR_CHECK(orr_grad(y, &x, 1, &g) == ORR_OK && orr_read(g, m, sizeof m) == ORR_OK);
        for (int k = 0; k < 36; k++)
            ORR_CHECK(m[k] == (k / 3 == i ? 4 : 0));
        (void)orr_scope_end(s);
    }
}

/* An old value is read by a slice of the evaluation that may overwrite it. */
static void assignments_read_old_values(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_variable(orr_arange(ORR_F64, 0, 64, 1));
    double want[64], have[64], v;
    for (int k = 0; k < 64; k++)
        want[k] = k;
    for (int i = 0; i < 64; i++) {
        double add = want[i];
        orr_tensor *old = orr_select(x, 0, i);
        ORR_CHECK(orr_assign(x, orr_add(x, old)) == ORR_OK);
        ORR_CHECK(orr_item(orr_select(x, 0, 63 - i), &v) == ORR_OK);
        for (int k = 0; k < 64; k++)
            want[k] = fmod(want[k] + add, 1024);
        ORR_CHECK(v == want[63 - i] || v >= 1024);
        ORR_CHECK(orr_assign(x, orr_remainder(x, orr_scalar(1024))) == ORR_OK);
    }
    ORR_CHECK(orr_read(x, have, sizeof have) == ORR_OK && !memcmp(have, want, sizeof want));
    (void)orr_scope_end(s);
}

static void *in_a_thread(void *x)
{
    for (int i = 0; i < 400; i++) {
        orr_scope *s = orr_scope_begin();
        double v = -1;
        ORR_CHECK(orr_item(orr_sum(row(x, i % ROWS), ORR_ALL_AXES, false), &v) == ORR_OK && v == 24. * (i % ROWS));
        (void)orr_scope_end(s);
    }
    return NULL;
}

static void threads_read_slices_of_one_value(void)
{
    orr_scope *s = orr_scope_begin();
    pthread_t thread[4];
    orr_tensor *x =
        orr_broadcast_to(orr_reshape(orr_arange(ORR_F64, 0, ROWS, 1), ORR_SHAPE(ROWS, 1)), ORR_SHAPE(ROWS, COLUMNS));
    ORR_CHECK(orr_eval(x) == ORR_OK);
    for (int i = 0; i < 4; i++)
        ORR_CHECK(pthread_create(&thread[i], NULL, in_a_thread, x) == 0);
    for (int i = 0; i < 4; i++)
        (void)pthread_join(thread[i], NULL);
    (void)orr_scope_end(s);
}

static void refused_memory_is_an_error(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = table(ORR_F64);
    double v;
    for (int i = 0; i < 8; i++)
        ORR_CHECK(orr_item(total(row(x, i)), &v) == ORR_OK);
    int refused = 0;
    for (int after = 0; after < 8; after++) {
        orr_tensor *t = total(row(x, after + 8));
        orr__pool_fail_after(after);
        orr_status st = orr_item(t, &v);
        orr__pool_fail_after(-1);
        refused += st == ORR_ENOMEM;
        ORR_CHECK(st == ORR_OK || st == ORR_ENOMEM);
        ORR_CHECK(orr_item(t, &v) == ORR_OK);
    }
    ORR_CHECK(refused > 0);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_loop_over_elements_has_few_plans),
                                      ORR_TEST(a_loop_over_batches_has_few_plans),
                                      ORR_TEST(values_have_the_bits_of_a_plan_for_the_place),
                                      ORR_TEST(gradients_flow_to_the_whole),
                                      ORR_TEST(assignments_read_old_values),
                                      ORR_TEST(threads_read_slices_of_one_value),
                                      ORR_TEST(refused_memory_is_an_error),
                                      { 0 } };
    return help_main(argc, argv, "graph.slice_copy", tests);
}
