/* Reductions of the same elements: one kernel for all of them, correct on both tiers, in tiles, and with the same bits
 * for any number of workers.
 * Must not know: how elements are walked. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

enum { ROWS = 3000, COLS = 70, ALL = ROWS * COLS };
static float x[ALL];

static bool start(const char *jit, const char *fixed, const char *workers, const char *engine)
{
    unsigned long long state = 11;
    for (int i = 0; i < ALL; i++)
        x[i] = (float)((double)(orr_test_rand(&state) >> 11) * 0x1p-51 - 1.5);
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_JIT", jit, 1);
    setenv("ORRERY_DETERMINISTIC", fixed, 1);
    setenv("ORRERY_ENGINE", engine, 1);
    setenv("ORRERY_TILE_US", "5", 1);
    setenv("STARPU_NCPU", workers, 1);
    return orr_init(NULL) == ORR_OK;
}

static void reductions_of_equal_elements_are_one_kernel(void)
{
    ORR_REQUIRE(start("off", "off", "1", "serial"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(ROWS, COLS), x), *e = orr_exp(t), *y;
    y = orr_sub(orr_max(t, ORR_ALL_AXES, false), orr_min(t, ORR_ALL_AXES, false));
    ORR_CHECK_MSG(kernels_of(y) == 2, "%d", kernels_of(y)); /* the folds; the difference */
    y = orr_div(orr_sum(t, ORR_AXES(0), false), orr_max(orr_abs(t), ORR_AXES(0), false));
    ORR_CHECK_MSG(kernels_of(y) == 2, "%d", kernels_of(y));
    y = orr_div(orr_sum(e, ORR_AXES(0), false), orr_max(e, ORR_AXES(0), false)); /* the exponentials are not stored */
    ORR_CHECK_MSG(kernels_of(y) == 2, "%d", kernels_of(y));
    y = orr_add(orr_sum(t, ORR_AXES(0), true), orr_sum(t, ORR_ALL_AXES, true)); /* other axes */
    ORR_CHECK_MSG(kernels_of(y) == 3, "%d", kernels_of(y));
    orr_tensor *m = orr_mean(t, ORR_AXES(0), true); /* one depends on the other */
    y = orr_add(m, orr_sum(orr_square(orr_sub(t, m)), ORR_AXES(0), true));
    ORR_CHECK_MSG(kernels_of(y) >= 3, "%d", kernels_of(y));
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- values ------------------------------------------------------------------------------------------------------ */

enum { SUM, SQUARES, MOST, LEAST, MEAN, VARIANCE, OUTS };
typedef struct {
    double v[OUTS][ROWS];
} result;
static result want, got;

/* Cell c folds n elements, `step` apart, from x[first] on. */
static void fold(int c, int first, int n, int step)
{
    long double sum = 0, squares = 0, off = 0;
    double most = -(double)INFINITY, least = (double)INFINITY;
    for (int i = 0; i < n; i++) {
        double v = (double)x[first + i * step];
        sum += (long double)v;
        squares += (long double)(float)(x[first + i * step] * x[first + i * step]);
        most = fmax(most, v);
        least = fmin(least, v);
    }
    for (int i = 0; i < n; i++)
        off += ((long double)x[first + i * step] - sum / n) * ((long double)x[first + i * step] - sum / n);
    const double all[OUTS] = { (double)sum, (double)squares, most, least, (double)(sum / n), (double)(off / n) };
    for (int k = 0; k < OUTS; k++)
        want.v[k][c] = all[k];
}

static void compute(orr_axes axes)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(ROWS, COLS), x), *out[OUTS];
    out[SUM] = orr_sum(t, axes, false);
    out[SQUARES] = orr_sum(orr_square(t), axes, false);
    out[MOST] = orr_max(t, axes, false);
    out[LEAST] = orr_min(t, axes, false);
    out[MEAN] = orr_mean(t, axes, false);
    out[VARIANCE] = orr_var(t, axes, 0, false);
    ORR_CHECK_MSG(orr_eval_all(out, OUTS) == ORR_OK, "%s", orr_error_message());
    for (int k = 0; k < OUTS; k++)
        ORR_CHECK(orr_read(orr_cast(out[k], ORR_F64), got.v[k], (size_t)orr_tensor_size(out[k]) * sizeof *got.v[k]) ==
                  ORR_OK);
    (void)orr_scope_end(s);
}

static void check_cells(const char *what, int cells, orr_axes axes)
{
    static const double may[OUTS] = { 1e-7, 1e-7, 0, 0, 1e-7, 1e-6 };
    memset(&got, 0, sizeof got);
    compute(axes);
    for (int k = 0; k < OUTS; k++)
        for (int c = 0, wrong = 0; c < cells && wrong < 3; c++) {
            double far = fabs(got.v[k][c] - want.v[k][c]);
            bool ok = far <= may[k] * fmax(1, fabs(want.v[k][c]));
            wrong += !ok;
            ORR_CHECK_MSG(ok, "%s: output %d, element %d is %.9g, should be %.9g", what, k, c, got.v[k][c],
                          want.v[k][c]);
        }
}

static void check_all(const char *jit, const char *workers, const char *engine)
{
    if (!start(jit, "off", workers, engine))
        return;
    for (int c = 0; c < COLS; c++)
        fold(c, c, ROWS, COLS);
    check_cells("columns", COLS, ORR_AXES(0));
    for (int r = 0; r < ROWS; r++)
        fold(r, r * COLS, COLS, 1);
    check_cells("rows", ROWS, ORR_AXES(1));
    fold(0, 0, ALL, 1);
    check_cells("everything", 1, ORR_ALL_AXES);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void folds_beside_one_another_are_right_interpreted(void)
{
    check_all("off", "1", "serial");
}

static void folds_beside_one_another_are_right_compiled(void)
{
    check_all("wait", "1", "serial");
}

static void folds_beside_one_another_are_right_in_tasks(void)
{
    check_all("wait", "3", "starpu");
    check_all("off", "2", "starpu");
}

static void folds_beside_one_another_have_the_same_bits_for_any_workers(void)
{
    static result first;
    static const char *const workers[] = { "1", "2", "4" };
    for (int axes = 0; axes < 3; axes++)
        for (int i = 0; i < 3; i++) {
            if (!start("off", "on", workers[i], "starpu"))
                return;
            memset(&got, 0, sizeof got);
            compute(axes == 0 ? ORR_AXES(0) : axes == 1 ? ORR_AXES(1) : ORR_ALL_AXES);
            if (i == 0)
                first = got;
            ORR_CHECK(memcmp(&first, &got, sizeof got) == 0);
            ORR_CHECK(orr_shutdown() == ORR_OK);
        }
}

/* Without elements the result is the neutral element; an extreme is an error, as usual. */
static void folds_of_nothing(void)
{
    ORR_REQUIRE(start("wait", "off", "1", "serial"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_zeros(ORR_F32, ORR_SHAPE(0, 3)), *out[2];
    float sum[3] = { 9, 9, 9 }, product[3] = { 9, 9, 9 };
    out[0] = orr_sum(t, ORR_AXES(0), false);
    out[1] = orr_prod(t, ORR_AXES(0), false);
    ORR_CHECK(orr_eval_all(out, 2) == ORR_OK);
    ORR_CHECK(orr_read(out[0], sum, sizeof sum) == ORR_OK && orr_read(out[1], product, sizeof product) == ORR_OK);
    for (int k = 0; k < 3; k++)
        ORR_CHECK(sum[k] == 0 && product[k] == 1);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(reductions_of_equal_elements_are_one_kernel),
                                      ORR_TEST(folds_beside_one_another_are_right_interpreted),
                                      ORR_TEST(folds_beside_one_another_are_right_compiled),
                                      ORR_TEST(folds_beside_one_another_are_right_in_tasks),
                                      ORR_TEST(folds_beside_one_another_have_the_same_bits_for_any_workers),
                                      ORR_TEST(folds_of_nothing),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.beside", tests);
}
