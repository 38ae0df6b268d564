/* Variances and deviations of more data than caches hold: one pass, as exact as two, for any data.
 * Must not know: in what order elements are added. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

enum { ROWS = 5000, COLS = 16, ALL = ROWS * COLS };
static float x[ALL];
static double variance[COLS], mean[COLS];

static float element(int kind, int row, double noise)
{
    switch (kind) {
    case 0: return 3e7f;                                     /* all equal                                 */
    case 1: return (float)(1e6 + noise);                     /* far from 0                                */
    case 2: return row == 0 ? 1e30f : (float)noise;          /* the first differs greatly from the others */
    case 3: return row == 0 ? -1e5f : (float)(1e-3 * noise); /* … so that its square dominates            */
    case 4: return 16777216.0f + 2 * (float)(row % 2);       /* neighbours                                */
    case 5: return row == ROWS / 2 ? NAN : (float)noise;
    case 6: return row == ROWS / 2 ? INFINITY : (float)noise;
    case 7: return row == 0 ? -INFINITY : (float)noise;
    case 8: return row % 2 ? FLT_MAX : -FLT_MAX; /* the variance exceeds f32        */
    case 9: return (float)(1e-40 * noise);       /* below the normal numbers of f32 */
    case 10: return (float)(1e-15 * noise);
    case 11: return row < ROWS - 1 ? 7 : 8; /* all but one                                 */
    case 12: return (float)row;
    default: return (float)(noise * (kind - 12));
    }
}

static void fill(void)
{
    unsigned long long state = 5;
    for (int i = 0; i < ALL; i++)
        x[i] = element(i % COLS, i / COLS, (double)(orr_test_rand(&state) >> 11) * 0x1p-52 - 1);
    for (int c = 0; c < COLS; c++) {
        long double sum = 0, off = 0;
        for (int i = c; i < ALL; i += COLS)
            sum += (long double)x[i];
        mean[c] = (double)(sum / ROWS);
        for (int i = c; i < ALL; i += COLS)
            off += ((long double)x[i] - sum / ROWS) * ((long double)x[i] - sum / ROWS);
        variance[c] = (double)(off / (ROWS - 1));
    }
}

static bool start(const char *jit, const char *engine)
{
    fill();
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_JIT", jit, 1);
    setenv("ORRERY_ENGINE", engine, 1);
    setenv("ORRERY_TILE_US", "20", 1);
    return orr_init(NULL) == ORR_OK;
}

static bool like(double got, double want, double part)
{
    if (isnan(want) || fabs(want) > (double)FLT_MAX)
        return isnan(want) ? isnan(got) : isinf(got);
    return fabs(got - want) <= part * fabs(want) + 0x1p-149;
}

static void check(const char *jit, const char *engine)
{
    if (!start(jit, engine))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(ROWS, COLS), x);
    orr_tensor *out[2] = { orr_var(t, ORR_AXES(0), 1, false), orr_std(t, ORR_AXES(0), 1, false) };
    float var[COLS], std[COLS];
    ORR_REQUIRE(orr_eval_all(out, 2) == ORR_OK && orr_read(out[0], var, sizeof var) == ORR_OK &&
                orr_read(out[1], std, sizeof std) == ORR_OK);
    for (int c = 0; c < COLS; c++) {
        ORR_CHECK_MSG(like((double)var[c], variance[c], 1.2e-7), "column %d: %.9g, should be %.9g", c, (double)var[c],
                      variance[c]);
        ORR_CHECK_MSG(like((double)std[c], sqrt(variance[c]), 1.2e-7), "column %d: %.9g, should be %.9g", c,
                      (double)std[c], sqrt(variance[c]));
    }
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void variances_of_any_columns_are_exact_interpreted(void)
{
    check("off", "serial");
}

static void variances_of_any_columns_are_exact_compiled(void)
{
    check("wait", "serial");
}

static void variances_of_any_columns_are_exact_in_tasks(void)
{
    check("wait", "starpu");
}

/* The derivative is 2·(x − mean)/(n − 1), also by the value that is subtracted. */
static void derivatives_are_those_of_two_passes(void)
{
    ORR_REQUIRE(start("off", "serial"));
    static float g[ALL];
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(ROWS, COLS), x), *v = orr_var(t, ORR_AXES(0), 1, false), *d;
    ORR_REQUIRE(orr_grad(orr_sum(v, ORR_ALL_AXES, false), &t, 1, &d) == ORR_OK && orr_read(d, g, sizeof g) == ORR_OK);
    for (int i = 0, wrong = 0; i < ALL && wrong < 3; i++) {
        double want = 2 * ((double)x[i] - mean[i % COLS]) / (ROWS - 1);
        bool ok = !isfinite(want) ||
                  fabs((double)g[i] - want) <= 2e-7 * (fabs(want) + fabs(mean[i % COLS]) * 1e-9) + 0x1p-149;
        wrong += !ok;
        ORR_CHECK_MSG(ok, "element %d: %.9g, should be %.9g", i, (double)g[i], want);
    }
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void mean_and_deviation_read_the_array_once(void)
{
    ORR_REQUIRE(start("off", "serial"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(ROWS, COLS), x), *h = orr_cast(t, ORR_BF16);
    orr_tensor *y = orr_add(orr_mean(t, ORR_AXES(0), false), orr_std(t, ORR_AXES(0), 1, false));
    ORR_CHECK_MSG(kernels_of(y) == 2, "%d", kernels_of(y)); /* the sums, and the result computed from them */
    y = orr_add(orr_mean(t, ORR_ALL_AXES, false), orr_std(t, ORR_ALL_AXES, 1, false));
    ORR_CHECK_MSG(kernels_of(y) == 2, "%d", kernels_of(y));
    ORR_CHECK(orr_eval(h) == ORR_OK);
    y = orr_var(h, ORR_AXES(0), 1, false);
    ORR_CHECK_MSG(kernels_of(y) == 2, "%d", kernels_of(y));
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void explain_of_large_tensor_has_shapes_of_small(void)
{
    ORR_REQUIRE(start("off", "serial"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(ROWS / 50, 50, COLS), x);
    t = orr_where(orr_less(orr_abs(t), orr_scalar(1e6)), t, orr_scalar(0.5));
    const orr_axes axes[] = { ORR_AXES(0),  ORR_AXES(1),  ORR_AXES(0, 1), ORR_AXES(0, 2),
                              ORR_AXES(-1), ORR_ALL_AXES, { 0, { 0 } } };
    for (int i = 0; i < 7; i++)
        for (int keep = 0; keep < 2; keep++) {
            orr_tensor *a = orr_var(t, axes[i], 0, keep), *b = orr_var(orr_cast(t, ORR_F64), axes[i], 0, keep);
            orr_tensor *off = orr_max(orr_abs(orr_sub(orr_cast(a, ORR_F64), b)), ORR_ALL_AXES, false);
            double far = -1, most = -1;
            ORR_CHECK(orr_tensor_dtype(a) == ORR_F32);
            ORR_CHECK_MSG(orr_item(off, &far) == ORR_OK, "%s", orr_error_message());
            ORR_CHECK(orr_item(orr_max(b, ORR_ALL_AXES, false), &most) == ORR_OK);
            ORR_CHECK_MSG(far >= 0 && far <= 3e-7 * most, "axes %d: %g of %g", i, far, most);
        }
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(variances_of_any_columns_are_exact_interpreted),
                                      ORR_TEST(variances_of_any_columns_are_exact_compiled),
                                      ORR_TEST(variances_of_any_columns_are_exact_in_tasks),
                                      ORR_TEST(derivatives_are_those_of_two_passes),
                                      ORR_TEST(mean_and_deviation_read_the_array_once),
                                      ORR_TEST(explain_of_large_tensor_has_shapes_of_small),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.variance", tests);
}
