/* Stencils of slices and padding: exact at borders of any shape, in maps and reductions, alone and in sequence.
 * Must not know: how loops are split, which values are stored. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery.h>
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

enum { MOST = 33000 };
static float u[MOST], want[MOST], next[MOST];
static double centred[MOST];

static bool start(const char *jit)
{
    unsigned long long state = 11;
    for (int i = 0; i < MOST; i++)
        u[i] = (float)(orr_test_rand(&state) >> 11) * 0x1p-52f - 1;
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_JIT", jit, 1);
    return orr_init(NULL) == ORR_OK;
}

static orr_tensor *shifted(orr_tensor *p, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    return orr_slice(p, ORR_INDEX(i, j), ORR_INDEX(i + rows, j + cols), ORR_NO_INDEX);
}

/* Neighbours beyond the border are 0.5. */
static orr_tensor *step(orr_tensor *x, int64_t rows, int64_t cols)
{
    orr_tensor *p = orr_pad(x, ORR_INDEX(1, 1), ORR_INDEX(1, 1), 0.5);
    orr_tensor *down = orr_add(shifted(p, 0, 1, rows, cols), shifted(p, 2, 1, rows, cols));
    orr_tensor *across = orr_add(shifted(p, 1, 0, rows, cols), shifted(p, 1, 2, rows, cols));
    return orr_sub(orr_mul(orr_add(down, across), orr_scalar(0.25)), x);
}

static float at(const float *x, int i, int j, int rows, int cols)
{
    return i < 0 || j < 0 || i >= rows || j >= cols ? 0.5f : x[i * cols + j];
}

static void hand_step(const float *x, float *y, int rows, int cols)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            y[i * cols + j] = ((at(x, i - 1, j, rows, cols) + at(x, i + 1, j, rows, cols)) +
                               (at(x, i, j - 1, rows, cols) + at(x, i, j + 1, rows, cols))) *
                                  0.25f -
                              x[i * cols + j];
}

static void check_map(orr_tensor *t, const float *y, int n, const char *what)
{
    const float *got = orr_data(t);
    int wrong = got ? 0 : n;
    for (int i = 0; i < n && got; i++)
        wrong += got[i] != y[i];
    ORR_CHECK_MSG(wrong == 0, "%s of %d: %d are wrong; %s", what, n, wrong, got ? "" : orr_error_message());
}

static void check_near(orr_tensor *t, const double *y, int n, const char *what)
{
    t = orr_cast(t, ORR_F64);
    const double *got = orr_data(t);
    ORR_CHECK_MSG(got != NULL, "%s", orr_error_message());
    for (int i = 0; i < n && got; i++)
        ORR_CHECK_MSG(fabs(got[i] - y[i]) <= 1e-5 * (1 + fabs(y[i])), "%s %d: %g, not %g", what, i, got[i], y[i]);
}

static void check_reductions(orr_tensor *t, int rows, int cols)
{
    double all = 0, column[512] = { 0 }, row[512] = { 0 };
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            all += (double)want[i * cols + j];
            column[j] += (double)want[i * cols + j];
            row[i] += (double)want[i * cols + j];
        }
    check_near(orr_sum(t, ORR_ALL_AXES, false), &all, 1, "sum");
    check_near(orr_sum(t, ORR_AXES(0), false), column, cols, "column");
    check_near(orr_sum(t, ORR_AXES(1), false), row, rows, "row");
    for (int i = 0; i < rows * cols; i++)
        centred[i] = (double)want[i] - row[i / cols] / cols;
    check_near(orr_sub(t, orr_mean(t, ORR_AXES(1), true)), centred, rows * cols, "centred row");
}

static void all_shapes(const char *jit)
{
    static const int shape[][2] = { { 3, 5 },    { 1, 300 },  { 70, 63 },  { 300, 31 }, { 90, 190 },
                                    { 66, 130 }, { 40, 257 }, { 130, 64 }, { 9, 512 } };
    ORR_REQUIRE(start(jit));
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        if (strcmp(jit, "off") != 0 && !orr_test_due((unsigned)k, 2))
            continue; /* kernels of each shape are compiled */
        int rows = shape[k][0], cols = shape[k][1];
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(rows, cols), u), *once = step(x, rows, cols);
        hand_step(u, want, rows, cols);
        check_map(step(x, rows, cols), want, rows * cols, "one step");
        check_reductions(once, rows, cols);
        hand_step(want, next, rows, cols);
        hand_step(next, want, rows, cols);
        check_map(step(step(step(x, rows, cols), rows, cols), rows, cols), want, rows * cols, "three steps");
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void stencils_of_any_shape_are_exact_interpreted(void)
{
    all_shapes("off");
}

static void stencils_of_any_shape_are_exact_compiled(void)
{
    ORR_NEED_COMPILER();
    all_shapes("wait");
}

/* Pixels of three colours: neighbours are three elements apart, and the last two axes are contiguous. */
static void neighbours_of_pixels_are_exact(void)
{
    enum { ROWS = 40, COLS = 70, COLOURS = 3, ROW = COLS * COLOURS };
    ORR_NEED_COMPILER();
    ORR_REQUIRE(start("wait"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(ROWS, COLS, COLOURS), u);
    orr_tensor *p = orr_pad(x, ORR_INDEX(0, 1, 0), ORR_INDEX(0, 1, 0), 0.5);
    orr_tensor *left = orr_slice_axis(p, 1, 0, COLS, 1), *right = orr_slice_axis(p, 1, 2, COLS + 2, 1);
    for (int i = 0; i < ROWS * ROW; i++) {
        int j = i % ROW;
        want[i] = (j < COLOURS ? 0.5f : u[i - COLOURS]) * (j >= ROW - COLOURS ? 0.5f : u[i + COLOURS]);
    }
    orr_tensor *y = orr_mul(left, right);
    ORR_CHECK(explained_times(y, "over (40, 210)") == 1);
    check_map(y, want, ROWS * ROW, "pixels");
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static int kernels_without(const char *mechanism, bool twice)
{
    setenv("ORRERY_ABLATE", mechanism, 1);
    ORR_CHECK(start("off"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(100, 300), u);
    orr_tensor *y = step(twice ? orr_add(orr_mul(x, x), orr_scalar(1)) : orr_exp(x), 100, 300);
    int kernels = kernels_of(y), reasons = explained_times(y, "flops per element are too many to compute at each");
    ORR_CHECK((reasons > 0) == (kernels == 2));
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    unsetenv("ORRERY_ABLATE");
    return kernels;
}

static void values_read_at_several_places_are_stored_by_cost(void)
{
    ORR_CHECK(kernels_without("", false) == 2);
    ORR_CHECK(kernels_without("repeated_reads", false) == 1);
    ORR_CHECK(kernels_without("", true) == 1);
}

/* A row in three pieces or in one: the same bits. */
static void ablations_change_no_bit(void)
{
    ORR_NEED_COMPILER();
    setenv("ORRERY_ABLATE", "borders,shared_streams,move_reshapes,repeated_reads,narrow_reads", 1);
    all_shapes("wait");
    unsetenv("ORRERY_ABLATE");
}

/* Of a data set that is computed when read, only a batch is computed: by slices and by indices, for a product and for a
 * sum. */
static void batches_of_lazy_data_are_computed_alone(void)
{
    enum { N = 1000, D = 30, B = 10 };
    ORR_REQUIRE(start("off"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *data = orr_from(ORR_F32, ORR_SHAPE(N, D), u);
    orr_tensor *mean = orr_mean(data, ORR_AXES(0), true), *w = orr_from(ORR_F32, ORR_SHAPE(D, 4), u);
    ORR_CHECK(orr_eval(mean) == ORR_OK);
    orr_tensor *x = orr_div(orr_sub(data, mean), orr_scalar(2));
    orr_tensor *by[2] = { orr_slice_axis(x, 0, 20, 20 + B, 1),
                          orr_take(x, orr_add(orr_arange(ORR_I32, 0, B, 1), orr_scalar(20)), 0) };
    for (int k = 0; k < 2; k++) {
        orr_tensor *product = orr_matmul(by[k], w), *sum = orr_sum(by[k], ORR_AXES(1), false);
        ORR_CHECK_MSG(explained_times(product, "over (1000") == 0 && explained_times(product, "over (30000") == 0,
                      "by %d", k);
        ORR_CHECK(kernels_of(product) == 2 && kernels_of(sum) == 1);
        ORR_CHECK(explained_times(sum, "over (10, 30") == 1);
        double y[B * 4] = { 0 };
        orr_tensor *m = orr_cast(mean, ORR_F64);
        const double *mu = orr_data(m);
        for (int i = 0; i < B && mu; i++)
            for (int j = 0; j < 4; j++)
                for (int l = 0; l < D; l++)
                    y[i * 4 + j] += ((double)u[(20 + i) * D + l] - mu[l]) / 2 * (double)u[l * 4 + j];
        check_near(product, y, B * 4, "product");
    }
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* The same with a reshape that mixes axes below, between or above the element-wise work. */
static void reshaped_batches_are_computed_alone(void)
{
    enum { N = 1000, D = 30, B = 10 };
    ORR_REQUIRE(start("off"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *data = orr_from(ORR_F32, ORR_SHAPE(N, 5, 6), u), *mean = orr_from(ORR_F32, ORR_SHAPE(5, 6), u + 500);
    orr_tensor *scale = orr_from(ORR_F32, ORR_SHAPE(N, 1, 1), u + 40);
    for (int where = 0; where < 4; where++)
        for (int taken = 0; taken < 2; taken++) {
            orr_shape flat = ORR_SHAPE(N, D);
            orr_tensor *x = where == 0 ? orr_reshape(data, flat) : data;
            x = orr_add(orr_cast(x, ORR_F64), orr_scalar(1));
            x = where == 1 ? orr_reshape(x, flat) : x;
            x = where == 3 ? orr_mul(orr_sub(x, orr_cast(mean, ORR_F64)), orr_cast(scale, ORR_F64)) : x;
            x = orr_mul(x, orr_scalar(3));
            x = where >= 2 ? orr_reshape(x, flat) : x;
            orr_tensor *index = orr_add(orr_arange(ORR_I64, 0, B, 1), orr_scalar(20));
            orr_tensor *batch = taken ? orr_take(x, index, 0) : orr_slice_axis(x, 0, 20, 20 + B, 1);
            ORR_CHECK_MSG(explained_times(batch, "over (1000") == 0 && explained_times(batch, "over (30000") == 0,
                          "%d %d", where, taken);
            const double *got = orr_data(batch);
            ORR_CHECK_MSG(got != NULL, "%s", orr_error_message());
            for (int i = 0; i < B * D && got; i++) {
                double v = (double)u[20 * D + i] + 1;
                v = where == 3 ? (v - (double)u[500 + i % D]) * (double)u[40 + 20 + i / D] : v;
                ORR_CHECK_MSG(got[i] == v * 3, "%d %d: %g, not %g", where, taken, got[i], v * 3);
            }
        }
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* A window over a reshape, which is another shape of the product's buffer, moves along both of its axes. */
static void windows_of_reshaped_values_overlap(void)
{
    ORR_REQUIRE(start("off"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_from(ORR_F32, ORR_SHAPE(1, 2), u), *b = orr_from(ORR_F32, ORR_SHAPE(2, 3), u + 2);
    orr_tensor *row = orr_reshape(orr_matmul(a, b), ORR_SHAPE(3));
    for (int j = 0; j < 3; j++)
        want[j] = u[0] * u[2 + j] + u[1] * u[5 + j];
    const double y[4] = { (double)want[0], (double)want[1], (double)want[1], (double)want[2] };
    check_near(orr_sliding_window(row, 0, 2, 1), y, 4, "window");
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(stencils_of_any_shape_are_exact_interpreted),
                                      ORR_TEST(stencils_of_any_shape_are_exact_compiled),
                                      ORR_TEST(neighbours_of_pixels_are_exact),
                                      ORR_TEST(values_read_at_several_places_are_stored_by_cost),
                                      ORR_TEST(ablations_change_no_bit),
                                      ORR_TEST(batches_of_lazy_data_are_computed_alone),
                                      ORR_TEST(reshaped_batches_are_computed_alone),
                                      ORR_TEST(windows_of_reshaped_values_overlap),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.stencils", tests);
}
