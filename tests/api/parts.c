/* concat and pad inside kernels: none of their results goes through memory, values equal those of indexing by hand, on
 * both tiers and from any side.
 * Must not know: how parts are walked. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

enum { MOST = 70 * 2100 };
static float a[MOST], b[MOST], c[MOST], got[MOST];

static bool start(const char *jit)
{
    unsigned long long state = 5;
    for (int i = 0; i < MOST; i++) {
        a[i] = (float)((double)(orr_test_rand(&state) >> 11) * 0x1p-51 - 2);
        b[i] = (float)(i % 77) - 30;
        c[i] = (float)(i % 13) - 6;
    }
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_JIT", jit, 1);
    setenv("ORRERY_ENGINE", "serial", 1);
    setenv("ORRERY_TILE_US", "5", 1);
    return orr_init(NULL) == ORR_OK;
}

static orr_tensor *two(orr_tensor *x, orr_tensor *y, int axis)
{
    orr_tensor *both[] = { x, y };
    return orr_concat(both, 2, axis);
}

static float at2(const float *p, int cols, int i, int j)
{
    return p[i * cols + j];
}

/* relu(concat(−a, b²)·c) along each axis; also with the result flipped. */
static void check_concat(int rows, int cols, int first, int axis)
{
    orr_scope *s = orr_scope_begin();
    int r0 = axis ? rows : first, c0 = axis ? first : cols, r1 = axis ? rows : rows - first,
        c1 = axis ? cols - first : cols;
    orr_tensor *x = orr_neg(orr_from(ORR_F32, ORR_SHAPE(r0, c0), a)),
               *y = orr_square(orr_from(ORR_F32, ORR_SHAPE(r1, c1), b));
    orr_tensor *w = orr_from(ORR_F32, ORR_SHAPE(rows, cols), c);
    orr_tensor *t = orr_relu(orr_mul(two(x, y, axis), w)), *turned = orr_flip(orr_transpose(t), ORR_AXES(0));
    /* Pieces of rows shorter than vectors are stored first, then their rows. */
    int stored = axis == 1 && cols < 16 && first < cols ? 4 : 1;
    ORR_CHECK_MSG(explained_times(t, "-> memory") == stored, "%d kernels' results are stored, not %d",
                  explained_times(t, "-> memory"), stored);
    for (int turn = 0; turn < 2; turn++) {
        ORR_CHECK(orr_read(turn ? turned : t, got, (size_t)(rows * cols) * sizeof *got) == ORR_OK);
        for (int i = 0, wrong = 0; i < rows && wrong < 3; i++)
            for (int j = 0; j < cols; j++) {
                bool in = (axis ? j : i) < first;
                float v = in ? -at2(a, c0, i, j) : at2(b, c1, axis ? i : i - first, axis ? j - first : j);
                v = (in ? v : v * v) * at2(c, cols, i, j);
                v = v > 0 ? v : 0;
                float is = turn ? at2(got, rows, cols - 1 - j, i) : at2(got, cols, i, j);
                wrong += is != v;
                ORR_CHECK_MSG(is == v, "(%d, %d) of (%d, %d), axis %d: %g, should be %g", i, j, rows, cols, axis,
                              (double)is, (double)v);
            }
    }
    (void)orr_scope_end(s);
}

/* Each element plus its neighbours above, below, left and right, with `value` outside; then the maximum by columns. */
static void check_stencil(int rows, int cols, double value)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(rows, cols), a), *p, *sum = NULL, *out[2];
    p = orr_pad(orr_mul(x, orr_scalar(2)), ORR_INDEX(1, 1), ORR_INDEX(1, 1), value);
    static const int at[5][2] = { { 1, 1 }, { 0, 1 }, { 2, 1 }, { 1, 0 }, { 1, 2 } };
    for (int k = 0; k < 5; k++) {
        int r = at[k][0], q = at[k][1];
        orr_tensor *part = orr_slice(p, ORR_INDEX(r, q), ORR_INDEX(r + rows, q + cols), ORR_INDEX(1, 1));
        sum = sum ? orr_add(sum, part) : part;
    }
    out[0] = sum;
    out[1] = orr_max(sum, ORR_AXES(0), false);
    ORR_CHECK_MSG(explained_times(sum, "-> memory") == 1, "%d", explained_times(sum, "-> memory"));
    static float most[2100];
    ORR_CHECK(orr_eval_all(out, 2) == ORR_OK);
    ORR_CHECK(orr_read(out[0], got, (size_t)(rows * cols) * sizeof *got) == ORR_OK &&
              orr_read(out[1], most, (size_t)cols * sizeof *most) == ORR_OK);
    for (int j = 0, wrong = 0; j < cols && wrong < 3; j++) {
        float top = -(float)INFINITY;
        for (int i = 0; i < rows; i++) {
            float v = 0;
            for (int k = 0; k < 5; k++) {
                int r = i + at[k][0] - 1, q = j + at[k][1] - 1;
                bool in = r >= 0 && r < rows && q >= 0 && q < cols;
                v += in ? 2 * at2(a, cols, r, q) : (float)value;
            }
            wrong += v != at2(got, cols, i, j);
            ORR_CHECK_MSG(v == at2(got, cols, i, j), "(%d, %d) of (%d, %d)", i, j, rows, cols);
            top = v > top ? v : top;
        }
        ORR_CHECK(top == most[j]);
    }
    (void)orr_scope_end(s);
}

static void check_all(const char *jit)
{
    ORR_REQUIRE(start(jit));
    for (int axis = 0; axis < 2; axis++) {
        check_concat(7, 9, 3, axis);
        check_concat(70, 2100, 1, axis);
        check_concat(70, 2100, 69, axis);
        check_concat(5, 5, 5, axis); /* nothing after it */
    }
    check_stencil(1, 1, 3);
    check_stencil(4, 5, 0);
    check_stencil(70, 2100, -7);
    check_stencil(1, 2100, 1);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void parts_are_right_interpreted(void)
{
    check_all("off");
}

static void parts_are_right_compiled(void)
{
    check_all("wait");
}

/* A slice of one operand reads that operand only; the others are not read. */
static void unseen_elements_are_not_read(void)
{
    ORR_REQUIRE(start("off"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(8), a), *y = orr_from(ORR_F32, ORR_SHAPE(8), b);
    orr_tensor *t = orr_abs(orr_slice(two(x, y, 0), ORR_INDEX(10), ORR_INDEX(14), ORR_INDEX(1)));
    ORR_CHECK(explained_times(t, "reads %") == 1 && explained_times(t, "where") == 0);
    ORR_CHECK(orr_read(t, got, 4 * sizeof *got) == ORR_OK);
    for (int i = 0; i < 4; i++)
        ORR_CHECK(got[i] == fabsf(b[2 + i]));
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Products, rows and takes of joined values; NaN and infinities beside a piece do not leak into it. */
static void concat_pad_inside_other_kernels(void)
{
    ORR_REQUIRE(start("wait"));
    orr_scope *s = orr_scope_begin();
    float odd[4] = { (float)NAN, (float)INFINITY, -(float)INFINITY, 1 }, sum[2], row[6], prod[12];
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2, 2), odd), *z = orr_zeros(ORR_F32, ORR_SHAPE(2, 3));
    orr_tensor *both = two(orr_mul(x, x), orr_add(z, orr_scalar(1)), 1);
    ORR_CHECK(orr_read(orr_sum(orr_slice(both, ORR_INDEX(0, 2), ORR_INDEX(2, 5), ORR_INDEX(1, 1)), ORR_AXES(1), false),
                       sum, sizeof sum) == ORR_OK);
    ORR_CHECK(sum[0] == 3 && sum[1] == 3);
    orr_tensor *e = orr_exp(z), *p = orr_pad(e, ORR_INDEX(0, 0), ORR_INDEX(0, 0), 0);
    ORR_CHECK(orr_read(orr_softmax(orr_add(p, orr_scalar(1)), -1), row, sizeof row) == ORR_OK);
    for (int i = 0; i < 6; i++)
        ORR_CHECK(fabsf(row[i] - 1.0f / 3) < 1e-6f);
    orr_tensor *framed = orr_softmax(orr_pad(orr_mul(z, orr_scalar(2)), ORR_INDEX(0, 1), ORR_INDEX(0, 2), 1), -1);
    ORR_CHECK(orr_read(framed, prod, sizeof prod) == ORR_OK);
    double all = 3 * exp(0.0) + 3 * exp(1.0);
    for (int i = 0; i < 12; i++)
        ORR_CHECK(fabs((double)prod[i] - (i % 6 > 0 && i % 6 < 4 ? 1 : exp(1.0)) / all) < 1e-6);
    orr_tensor *m = orr_matmul(orr_ones(ORR_F32, ORR_SHAPE(2, 2)), z);
    orr_tensor *bias = orr_pad(orr_ones(ORR_F32, ORR_SHAPE(2, 2)), ORR_INDEX(0, 1), ORR_INDEX(0, 0), 4);
    ORR_CHECK(orr_read(orr_relu(orr_add(m, bias)), row, sizeof row) == ORR_OK);
    for (int i = 0; i < 6; i++)
        ORR_CHECK(row[i] == (i % 3 ? 1 : 4));
    orr_tensor *taken =
        orr_take(two(orr_add(z, orr_scalar(5)), z, 0), orr_cast(orr_arange(ORR_I64, 0, 4, 3), ORR_I64), 0);
    ORR_CHECK(orr_read(taken, row, sizeof row) == ORR_OK);
    for (int i = 0; i < 6; i++)
        ORR_CHECK(row[i] == (i < 3 ? 5 : 0));
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(parts_are_right_interpreted),
                                      ORR_TEST(parts_are_right_compiled),
                                      ORR_TEST(unseen_elements_are_not_read),
                                      ORR_TEST(concat_pad_inside_other_kernels),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.parts", tests);
}
