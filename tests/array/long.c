/* Long lines, which are computed in phases: sorting beside qsort, sums and products beside long double, the first k.
 * Must not know: how a line is cut. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/array.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/vqsort.h"
#include "codelets/variants.h"
#include "runtime/base/ablation.h"
#include "tests/harness/ops_help.h"

enum { LONG = 600007, LINES = 2 };

static uint64_t state = 20261123;
static double draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 33) / 0x1p30 - 1;
}

static const double *values;
static bool descending;

static bool nan_of(int64_t i)
{
    return isnan(values[i]);
}

/* The order of a stable sort, NaN last. */
static int compare(const void *a, const void *b)
{
    int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    if (nan_of(i) != nan_of(j))
        return nan_of(i) ? 1 : -1;
    if (!nan_of(i) && values[i] != values[j])
        return (values[i] < values[j]) != descending ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* A line of values that every dtype represents, many of them equal; NaN and −0 in floats. */
static double *line_of(orr_dtype t, int64_t n)
{
    double *v = malloc((size_t)n * sizeof *v);
    for (int64_t i = 0; v && i < n; i++) {
        v[i] = floor(draw() * (t == ORR_BF16 || orr_dtype_size(t) == 1 ? 60 : 2000));
        if (orr__is_unsigned(t))
            v[i] = fabs(v[i]);
        if (orr__is_float(t) && i % 1009 == 0)
            v[i] = i % 2 ? (double)NAN : -0.0;
    }
    return v;
}

static void check_sort(orr_dtype t, int64_t n)
{
    int64_t *order = malloc((size_t)n * sizeof *order), *got = malloc((size_t)n * sizeof *got), wrong = 0;
    double *v = line_of(t, n), *sorted = malloc((size_t)n * sizeof *sorted);
    ORR_REQUIRE(v && order && got && sorted);
    values = v;
    for (int k = 0; k < 2; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_cast(orr_from(ORR_F64, ORR_SHAPE(n), v), t), *top[2];
        descending = k;
        for (int64_t i = 0; i < n; i++)
            order[i] = i;
        qsort(order, (size_t)n, sizeof *order, compare);
        ORR_CHECK(orr_read(orr_argsort(x, 0, k), got, (size_t)n * sizeof *got) == ORR_OK);
        ORR_CHECK(orr_read(orr_cast(orr_sort(x, 0, k), ORR_F64), sorted, (size_t)n * sizeof *sorted) == ORR_OK);
        for (int64_t i = 0; i < n; i++) {
            double want = v[order[i]];
            wrong += got[i] != order[i];
            wrong += isnan(want) ? !isnan(sorted[i]) : sorted[i] != want || signbit(sorted[i]) != signbit(want);
        }
        ORR_CHECK_MSG(!wrong, "%s, %lld elements, descending %d: %lld are wrong", orr_dtype_name(t), (long long)n, k,
                      (long long)wrong);
        ORR_CHECK(orr_topk(x, 50, 0, k, &top[0], &top[1]) == ORR_OK);
        ORR_CHECK(orr_read(top[1], got, 50 * sizeof *got) == ORR_OK && !memcmp(got, order, 50 * sizeof *got));
        (void)orr_scope_end(s);
    }
    free(sorted);
    free(v);
    free(got);
    free(order);
}

static void long_lines_sort_like_qsort(void)
{
    check_sort(ORR_F32, LONG);
    check_sort(ORR_F64, 1 << 19);
    check_sort(ORR_I64, LONG);
    check_sort(ORR_U8, LONG);
    check_sort(ORR_BF16, LONG);
}

static void rows_and_columns_of_few_lines_sort_like_single_ones(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(LINES, LONG), -1, 1);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    orr_tensor *rows = orr_sort(x, 1, false), *columns = orr_transpose(orr_sort(orr_transpose(x), 0, false));
    for (int k = 0; k < LINES; k++) {
        double one, other;
        orr_tensor *alone = orr_sort(orr_select(x, 0, k), 0, false);
        ORR_CHECK(orr_item(orr_all(orr_equal(alone, orr_select(rows, 0, k)), ORR_ALL_AXES, false), &one) == ORR_OK);
        ORR_CHECK(orr_item(orr_all(orr_equal(alone, orr_select(columns, 0, k)), ORR_ALL_AXES, false), &other) ==
                  ORR_OK);
        ORR_CHECK(one == 1 && other == 1);
    }
    (void)orr_scope_end(s);
}

/* All bit patterns, including NaN with their payloads: by Highway and by the library's own loops, in chunks and in
 * rows. */
static void orders_are_the_same_by_either_library(void)
{
    static const orr_dtype kinds[] = { ORR_I16, ORR_U16, ORR_I32,  ORR_U32, ORR_I64,
                                       ORR_U64, ORR_F16, ORR_BF16, ORR_F32, ORR_F64 };
    const uint64_t ablated = orr__env.ablated, off = (uint64_t)1 << ORR__OFF_HIGHWAY;
    size_t most = LONG * sizeof(uint64_t);
    uint64_t *bits = malloc(most), *with = malloc(most), *without = malloc(most);
    ORR_REQUIRE(bits && with && without);
    for (int64_t i = 0; i < LONG; i++) {
        double v = draw();
        bits[i] = (uint64_t)(v * 0x1p62) * 0x9e3779b97f4a7c15u;
        bits[i] &= i % 3 ? UINT64_MAX : 0xf000f000f000f000u; /* many equal ones, also zeros and infinities */
    }
    for (size_t d = 0; d < sizeof kinds / sizeof *kinds; d++)
        for (int k = 0; k < 8; k++) {
            orr_scope *s = orr_scope_begin();
            size_t n = (size_t)(k & 2 ? LONG : 70 * 1025), z = k & 1 ? 8 : orr_dtype_size(kinds[d]);
            orr_tensor *x = orr_from(kinds[d], k & 2 ? ORR_SHAPE(LONG) : ORR_SHAPE(70, 1025), bits);
            for (int own = 0; own < 2; own++) {
                orr_tensor *y = k & 1 ? orr_argsort(x, -1, k >> 2) : orr_sort(x, -1, k >> 2);
                orr__env.ablated = own ? ablated | off : ablated;
                ORR_CHECK(orr_read(y, own ? without : with, n * z) == ORR_OK);
            }
            ORR_CHECK_MSG(memcmp(with, without, n * z) == 0, "%s, case %d", orr_dtype_name(kinds[d]), k);
            (void)orr_scope_end(s);
        }
    orr__env.ablated = ablated;
    free(bits);
    free(with);
    free(without);
}

static void count_chosen(const orr__variants *v, int chosen, void *arg)
{
    (void)chosen;
    *(int *)arg += v->n == 2 && v->size == 10; /* rows of 2¹⁰ keys and some */
}

/* Highway or the library's own loops: a few rows are timed by both, then the faster one is kept. */
static void the_machine_chooses_how_keys_are_sorted(void)
{
    int before = 0, now = 0;
    uint32_t one[4] = { 1 };
    if (!orr__vqsort(2, one, 4) || !orr__cpu_vec()->sort[2])
        ORR_SKIP("there is one way alone");
    const int machine = (int)orr__env.machine;
    orr__env.machine = ORR__MACHINE_MEASURED;
    (void)orr__variants_forget();
    orr__variants_each(count_chosen, &before);
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_eval(orr_sort(orr_rand(ORR_F32, ORR_SHAPE(64, 1100), 0, 1), -1, false)) == ORR_OK);
    orr__variants_each(count_chosen, &now);
    ORR_CHECK_MSG(now == before + 1, "%d choices, %d before", now, before);
    (void)orr_scope_end(s);
    orr__env.machine = machine;
}

/* The first hundred elements of a row of several hundred: by the digits of their keys. */
static void many_of_a_row_are_its_first_in_order(void)
{
    static const orr_dtype kinds[] = { ORR_F32, ORR_F64, ORR_I16, ORR_U8 };
    for (int d = 0; d < 4; d++)
        for (int k = 0; k < 2; k++) {
            orr_scope *s = orr_scope_begin();
            double same;
            orr_tensor *x = orr_cast(orr_randint(ORR_I32, ORR_SHAPE(70, 301), 0, d == 3 ? 100 : 300), kinds[d]);
            orr_tensor *all = orr_slice_axis(orr_argsort(x, 1, k), 1, 0, 100, 1);
            orr_tensor *top = orr_top_places(x, 100, 1, k);
            ORR_CHECK(orr_item(orr_all(orr_equal(all, top), ORR_ALL_AXES, false), &same) == ORR_OK && same == 1);
            (void)orr_scope_end(s);
        }
}

/* Without positions, only values and counts are computed. */
static void unique_values_are_those_of_unique_all(void)
{
    orr_scope *s = orr_scope_begin();
    double *v = line_of(ORR_F32, 5000), same, ok;
    orr_tensor *x = orr_cast(orr_from(ORR_F64, ORR_SHAPE(5000), v), ORR_F32), *a[4], *b[2];
    ORR_CHECK(orr_unique_all(x, &a[0], &a[1], &a[2], &a[3]) == ORR_OK);
    ORR_CHECK(orr_unique_counts(x, &b[0], &b[1]) == ORR_OK);
    orr_tensor *both = orr_logical_or(orr_equal(a[0], b[0]), orr_isnan(a[0]));
    ORR_CHECK(orr_item(orr_all(both, ORR_ALL_AXES, false), &same) == ORR_OK && same == 1);
    ORR_CHECK(orr_item(orr_all(orr_equal(a[3], b[1]), ORR_ALL_AXES, false), &ok) == ORR_OK && ok == 1);
    free(v);
    (void)orr_scope_end(s);
}

static void gradients_go_through_the_phases(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F64, ORR_SHAPE(LONG), -1, 1), *g[3], *place = orr_argsort(x, 0, false);
    orr_tensor *w = orr_arange(ORR_F64, 0, LONG, 1);
    double same;
    ORR_CHECK(orr_grad(orr_sum(orr_mul(orr_sort(x, 0, false), w), ORR_ALL_AXES, false), &x, 1, &g[0]) == ORR_OK);
    ORR_CHECK(orr_item(orr_all(orr_equal(orr_take(g[0], place, 0), w), ORR_ALL_AXES, false), &same) == ORR_OK);
    ORR_CHECK(same == 1);
    ORR_CHECK(orr_grad(orr_cumulative_sum(x, 0, false), &x, 1, &g[1]) == ORR_OK); /* n, n − 1, … 1 */
    ORR_CHECK(orr_item(orr_all(orr_equal(g[1], orr_sub(orr_scalar(LONG), w)), ORR_ALL_AXES, false), &same) == ORR_OK);
    ORR_CHECK(same == 1);
    orr_tensor *y = orr_exp(orr_mul(x, orr_scalar(1e-6)));
    ORR_CHECK(orr_grad(orr_select(orr_cumulative_prod(y, 0, false), 0, -1), &y, 1, &g[2]) == ORR_OK); /* Π / y */
    orr_tensor *want = orr_div(orr_prod(y, ORR_ALL_AXES, false), y);
    ORR_CHECK(orr_item(orr_max(orr_abs(orr_sub(g[2], want)), ORR_ALL_AXES, false), &same) == ORR_OK && same < 1e-9);
    (void)orr_scope_end(s);
}

static void check_scan(orr_dtype t, orr_shape shape, int axis)
{
    int64_t n = orr__shape_count(&shape), inner = 1, length = shape.dim[axis];
    double *v = malloc((size_t)n * sizeof *v), *sum = malloc((size_t)n * sizeof *sum),
           *prod = malloc((size_t)n * sizeof *prod), worst = 0;
    ORR_REQUIRE(v && sum && prod);
    orr_scope *s = orr_scope_begin();
    for (int d = axis + 1; d < shape.rank; d++)
        inner *= shape.dim[d];
    for (int64_t i = 0; i < n; i++)
        v[i] = orr__is_float(t) ? (double)(float)(1 + 1e-4 * draw()) : floor(4 * draw());
    orr_tensor *x = orr_cast(orr_from(ORR_F64, shape, v), t);
    ORR_CHECK(orr_read(orr_cast(orr_cumulative_sum(x, axis, false), ORR_F64), sum, (size_t)n * sizeof *sum) == ORR_OK);
    ORR_CHECK(orr_read(orr_cast(orr_cumulative_prod(x, axis, false), ORR_F64), prod, (size_t)n * sizeof *prod) ==
              ORR_OK);
    for (int64_t line = 0; line < n / length; line++) {
        long double a = 0, b = 1;
        for (int64_t k = 0; k < length; k++) {
            int64_t i = (line / inner * length + k) * inner + line % inner;
            a += (long double)v[i];
            b *= (long double)v[i];
            worst = fmax(worst, fabs((double)((long double)sum[i] - a)) / fmax(1, fabs((double)a)));
            if (orr__is_float(t))
                worst = fmax(worst, fabs((double)((long double)prod[i] - b)) / fabs((double)b));
        }
    }
    ORR_CHECK_MSG(worst <= (t == ORR_F32   ? 0x1p-23
                            : t == ORR_F64 ? 1e-12
                                           : 0),
                  "%s %s: %g", orr_dtype_name(t), orr__str(shape).s, worst);
    (void)orr_scope_end(s);
    free(prod);
    free(sum);
    free(v);
}

static void long_lines_sum_like_long_double(void)
{
    check_scan(ORR_F32, ORR_SHAPE(LONG), 0);
    check_scan(ORR_F64, ORR_SHAPE(1 << 18), 0);
    check_scan(ORR_I32, ORR_SHAPE(LONG), 0);
    check_scan(ORR_F32, ORR_SHAPE(3, 200001), 1);
    check_scan(ORR_F32, ORR_SHAPE(2, 70001, 3), 1);
}

/* outer × n × inner, with updates at `many` positions of the middle axis in sequence. */
static void check_scatter(int64_t outer, int64_t n, int64_t inner, int64_t many)
{
    orr_scope *s = orr_scope_begin();
    int64_t *place = calloc((size_t)many, sizeof *place);
    float *update = calloc((size_t)(outer * many * inner), sizeof *update),
          *want = calloc((size_t)(outer * n * inner), sizeof *want),
          *set = calloc((size_t)(outer * n * inner), sizeof *set);
    ORR_REQUIRE(place && update && want && set);
    for (int64_t j = 0; j < many; j++)
        place[j] = (int64_t)((draw() + 1) / 2 * (double)n) - (j % 3 == 0 ? n : 0);
    for (int64_t i = 0; i < outer * many * inner; i++)
        update[i] = (float)draw();
    for (int64_t j = 0; j < many; j++)
        for (int64_t o = 0; o < outer; o++)
            for (int64_t i = 0; i < inner; i++) {
                int64_t to = (o * n + (place[j] < 0 ? place[j] + n : place[j])) * inner + i;
                want[to] += update[(o * many + j) * inner + i];
                set[to] = update[(o * many + j) * inner + i];
            }
    orr_tensor *x = orr_zeros(ORR_F32, ORR_SHAPE(outer, n, inner)), *at = orr_from(ORR_I64, ORR_SHAPE(many), place),
               *u = orr_from(ORR_F32, ORR_SHAPE(outer, many, inner), update);
    if (outer == 1) {
        x = orr_reshape(x, ORR_SHAPE(n, inner));
        u = orr_reshape(u, ORR_SHAPE(many, inner));
    }
    const float *sum = orr_data(orr_scatter_add(x, at, u, outer > 1)),
                *last = orr_data(orr_scatter(x, at, u, outer > 1, ORR_SCATTER_SET));
    ORR_REQUIRE(sum && last);
    ORR_CHECK(memcmp(sum, want, (size_t)(outer * n * inner) * sizeof *want) == 0);
    ORR_CHECK(memcmp(last, set, (size_t)(outer * n * inner) * sizeof *set) == 0);
    free(place);
    free(update);
    free(want);
    free(set);
    (void)orr_scope_end(s);
}

static void ranges_of_destinations_have_the_updates_in_their_order(void)
{
    check_scatter(1, 5003, 1, 400000);
    check_scatter(1, 20000, 7, 60000);
    check_scatter(37, 500, 3, 3000);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(long_lines_sort_like_qsort),
                                      ORR_TEST(orders_are_the_same_by_either_library),
                                      ORR_TEST(the_machine_chooses_how_keys_are_sorted),
                                      ORR_TEST(rows_and_columns_of_few_lines_sort_like_single_ones),
                                      ORR_TEST(long_lines_sum_like_long_double),
                                      ORR_TEST(gradients_go_through_the_phases),
                                      ORR_TEST(many_of_a_row_are_its_first_in_order),
                                      ORR_TEST(unique_values_are_those_of_unique_all),
                                      ORR_TEST(ranges_of_destinations_have_the_updates_in_their_order),
                                      { 0 } };
    return help_main(argc, argv, "array.long", tests);
}
