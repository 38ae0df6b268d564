/* Reads by index inside of kernels: the kernels that they join, the refusals, and the error of a wrong index, in
 * every tier and on OpenCL.
 * Must not know: how kernels read. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/fuse/region.h"
#include "tests/harness/harness.h"

enum { ROWS = 50, COLS = 24, MANY = 30 };

static float table_of[ROWS * COLS];
static int32_t row_of[MANY];

/* Starts the library with these settings for kernels, without earlier plans. */
static bool begin(const char *jit, const char *fuse)
{
    (void)setenv("ORRERY_ENGINE", "serial", 1);
    (void)setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    (void)setenv("ORRERY_JIT", jit, 1);
    (void)setenv("ORRERY_FUSE", fuse, 1);
    bool ok = orr_init(NULL) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    return ok;
}

static void fill(void)
{
    unsigned long long state = 3;
    for (int i = 0; i < ROWS * COLS; i++)
        table_of[i] = (float)(orr_test_rand(&state) % 1000) / 100 - 5;
    for (int i = 0; i < MANY; i++)
        row_of[i] = (int32_t)(orr_test_rand(&state) % (2 * ROWS)) - ROWS;
}

static orr_tensor *table(void)
{
    return orr_from(ORR_F32, ORR_SHAPE(ROWS, COLS), table_of);
}

static orr_tensor *rows(void)
{
    return orr_from(ORR_I32, ORR_SHAPE(MANY), row_of);
}

static float taken(int i, int k)
{
    return table_of[(row_of[i] < 0 ? row_of[i] + ROWS : row_of[i]) * COLS + k];
}

static orr__regions regions_of(orr_tensor *t)
{
    orr__site at = { "t.c", 1, "test" };
    orr__regions rs = { 0 };
    orr__capture p;
    orr__node *node = orr__handle_node(t);
    ORR_CHECK(orr__capture_make(at, &node, 1, &p) == ORR_OK);
    ORR_CHECK_MSG(orr__fuse(at, &p, ORR__FUSE_TILES, &rs) == ORR_OK, "%s", orr_error_message());
    orr__capture_free(&p);
    return rs;
}

/* Checks the number of regions, the label of the last one, and a word among the reasons (NULL: no reasons). */
static void expect(orr_tensor *t, int n, const char *label, const char *reason)
{
    orr__regions rs = regions_of(t);
    ORR_CHECK_MSG(rs.n == n, "%s: %d regions, not %d", label, rs.n, n);
    if (rs.n > 0)
        ORR_CHECK_MSG(!strcmp(rs.region[rs.n - 1].label, label), "%s, not %s", rs.region[rs.n - 1].label, label);
    bool said = !reason && rs.nreason == 0;
    for (int i = 0; i < rs.nreason && reason; i++)
        said = said || strstr(rs.reason[i], reason);
    ORR_CHECK_MSG(said, "%s: %d reasons, the first: %s", label, rs.nreason, rs.nreason ? rs.reason[0] : "-");
    orr__regions_free(&rs);
}

static orr_tensor *wrapped(orr_tensor *i, int n)
{
    return orr_remainder(i, orr_full(ORR_I32, ORR_SHAPE_0D, n));
}

static void a_take_is_part_of_the_kernel_that_reads_it(void)
{
    orr_scope *s = orr_scope_begin();
    static const float ones[MANY * COLS];
    orr_tensor *x = table(), *i = rows(), *y = orr_from(ORR_F32, ORR_SHAPE(MANY, COLS), ones);
    expect(orr_mul(orr_relu(orr_take(x, i, 0)), y), 1, "take+relu+mul", NULL);
    expect(orr_sum(orr_take(x, i, 0), ORR_AXES(0), false), 1, "sum take", NULL);
    expect(orr_softmax(orr_take(x, i, 0), -1), 1, "take+max+sub+exp+sum+reciprocal+mul", NULL);
    expect(orr_argmax(orr_take(x, i, 0), 1, false), 1, "argmax take", NULL);
    expect(orr_neg(orr_take(x, wrapped(i, 7), 0)), 1, "remainder+take+neg", NULL);
    expect(orr_neg(orr_take(x, orr_reshape(i, ORR_SHAPE(5, 6)), 0)), 1, "take+neg", NULL);
    expect(orr_take(x, orr_cast(i, ORR_I64), 0), 1, "cast+take", NULL);
    expect(orr_take(orr_exp(x), i, 0), 1, "take+exp", NULL); /* fewer rows than the table has */
    expect(orr_take(x, i, 0), 1, "take", NULL);              /* alone: whole rows are copied */
    (void)orr_scope_end(s);
}

static void an_indexed_operand_gets_a_buffer(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = table(), *i = rows(), *all = orr_concat(ORR_TENSORS(i, i, i), 0);
    expect(orr_neg(orr_take(orr_pad(x, ORR_INDEX(0, 0), ORR_INDEX(0, 1), 0), i, 0)), 2, "take+neg", "by number");
    all = orr_concat(ORR_TENSORS(all, i, i, i, i, i, i), 0);
    expect(orr_neg(orr_take(orr_exp(x), all, 0)), 4, "take+neg", "by number"); /* more rows than the source has */
    expect(orr_neg(orr_take(orr_sum(x, ORR_AXES(1), false), i, 0)), 2, "take+neg", NULL);
    expect(orr_matmul(orr_take(x, i, 0), orr_transpose(x)), 2, "matmul", NULL);
    (void)orr_scope_end(s);
}

/* -- values ----------------------------------------------------------------------------------------------------- */

static orr_tensor *norm(orr_tensor *x)
{
    orr_tensor *d = orr_sub(x, orr_mean(x, ORR_AXES(-1), true));
    return orr_mul(d, orr_rsqrt(orr_add(orr_mean(orr_square(d), ORR_AXES(-1), true), orr_scalar(1e-5))));
}

static void check_norm(const float *got)
{
    for (int i = 0; i < MANY; i++) {
        double mean = 0, var = 0;
        for (int k = 0; k < COLS; k++)
            mean += 2 * (double)taken(i, k) / COLS;
        for (int k = 0; k < COLS; k++)
            var += (2 * (double)taken(i, k) - mean) * (2 * (double)taken(i, k) - mean) / COLS;
        for (int k = 0; k < COLS; k++) {
            double want = (2 * (double)taken(i, k) - mean) / sqrt(var + 1e-5);
            ORR_CHECK_MSG(fabs((double)got[i * COLS + k] - want) < 1e-5, "row %d: %g, should be %g", i,
                          (double)got[i * COLS + k], want);
        }
    }
}

/* An embedding, scaled and normalised, and the sum of its rows, beside plain loops. */
static void embeddings_are_what_plain_loops_make(void)
{
    for (int j = 0; j < 2; j++) {
        if (!begin(j ? "wait" : "off", "on"))
            return;
        orr_scope *s = orr_scope_begin();
        float got[MANY * COLS], sum[COLS];
        orr_tensor *e = orr_mul(orr_take(table(), rows(), 0), orr_full(ORR_F32, ORR_SHAPE_0D, 2));
        orr_tensor *y[2] = { norm(e), orr_sum(e, ORR_AXES(0), false) };
        (void)orr_warmup(y[0]);
        (void)orr_warmup(y[1]);
        ORR_CHECK_MSG(orr_read(y[0], got, sizeof got) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK_MSG(orr_read(y[1], sum, sizeof sum) == ORR_OK, "%s", orr_error_message());
        check_norm(got);
        for (int k = 0; k < COLS; k++) {
            double want = 0;
            for (int i = 0; i < MANY; i++)
                want += 2 * (double)taken(i, k);
            ORR_CHECK_MSG(fabs((double)sum[k] - want) < 1e-4, "%g, should be %g", (double)sum[k], want);
        }
        (void)orr_scope_end(s);
        (void)orr_shutdown();
    }
}

/* d/dw Σ (w[i]·c)²: each read of a row of w adds 2·c²·w[row] to its gradient. */
static void gradients_go_back_to_the_rows(void)
{
    if (!begin("wait", "on"))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_variable(table()), *g;
    orr_tensor *y = orr_mul(orr_take(w, rows(), 0), orr_scalar(3));
    float got[ROWS * COLS];
    ORR_CHECK(orr_grad(orr_sum(orr_square(y), ORR_ALL_AXES, false), &w, 1, &g) == ORR_OK);
    ORR_CHECK_MSG(orr_read(g, got, sizeof got) == ORR_OK, "%s", orr_error_message());
    for (int r = 0; r < ROWS; r++)
        for (int k = 0, n = 0; k < COLS; k++, n = 0) {
            for (int i = 0; i < MANY; i++)
                n += (row_of[i] < 0 ? row_of[i] + ROWS : row_of[i]) == r;
            double want = 18.0 * n * (double)table_of[r * COLS + k];
            ORR_CHECK_MSG(fabs((double)got[r * COLS + k] - want) < 1e-3, "%g, should be %g", (double)got[r * COLS + k],
                          want);
        }
    (void)orr_scope_end(s);
    (void)orr_shutdown();
}

/* -- errors ------------------------------------------------------------------------------------------------------- */

/* Loss and gradient of a classifier on a batch that is gathered in its kernels, or before them. */
static orr_status classify(bool before, double *loss, float *grad)
{
    static uint8_t label_of[ROWS];
    orr_tensor *x, *label, *w, *g, *both[2];
    for (int i = 0; i < ROWS; i++)
        label_of[i] = (uint8_t)(i % 10);
    orr_scope *s = orr_scope_begin();
    label = orr_take(orr_from(ORR_U8, ORR_SHAPE(ROWS), label_of), rows(), 0);
    x = orr_take(table(), rows(), 0);
    if (before && (orr_eval(x) != ORR_OK || orr_eval(label) != ORR_OK))
        ORR_CHECK(false);
    w = orr_variable(orr_full(ORR_F32, ORR_SHAPE(COLS, 10), 0.25));
    both[0] = orr_cross_entropy(orr_add(orr_matmul(x, w), orr_full(ORR_F32, ORR_SHAPE(10), 0.5)), label);
    orr_status st = orr_grad(both[0], &w, 1, &g);
    both[1] = g;
    if (st == ORR_OK)
        st = orr_eval_all(both, 2);
    if (st == ORR_OK)
        st = orr_item(both[0], loss);
    if (st == ORR_OK)
        st = orr_read(g, grad, COLS * 10 * sizeof *grad);
    (void)orr_scope_end(s);
    return st;
}

static void a_training_step_may_gather_its_batch(void)
{
    float grad[2][COLS * 10];
    double loss[2] = { 0, 1 };
    if (!begin("off", "on"))
        return;
    fill();
    for (int k = 0; k < 2; k++) {
        orr_status st = classify(k, &loss[k], grad[k]);
        ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    }
    ORR_CHECK_MSG(fabs(loss[0] - loss[1]) < 1e-6, "%g, %g", loss[0], loss[1]);
    for (int i = 0; i < COLS * 10; i++)
        ORR_CHECK(fabsf(grad[0][i] - grad[1][i]) < 1e-5f);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void fails(orr_tensor *y, int line, const char *rest)
{
    char want[200];
    (void)snprintf(want, sizeof want, "tests/fuse/take.c:%d: take: %s", line, rest);
    (void)orr_warmup(y);
    ORR_CHECK(orr_eval(y) == ORR_EINDEX);
    ORR_CHECK_MSG(strstr(orr_error_message(), want), "%s, not %s", orr_error_message(), want);
}

/* Index 17 is out of range: in a map, a sum, rows, and a kernel that computes its indices. */
static void wrong_indices(const char *jit, const char *fuse)
{
    if (!begin(jit, fuse))
        return;
    orr_scope *s = orr_scope_begin();
    int32_t wrong[MANY];
    memcpy(wrong, row_of, sizeof wrong);
    wrong[17] = -ROWS - 1;
    orr_tensor *x = table(), *i = orr_from(ORR_I32, ORR_SHAPE(MANY), wrong), *j = orr_cast(i, ORR_I64);
    const char *text = "index -51 (number 17) is out of range for axis 0 of length 50";
    fails(orr_relu(orr_take(x, i, 0)), __LINE__, text);
    fails(orr_sum(orr_take(x, i, 0), ORR_AXES(0), false), __LINE__, text);
    fails(orr_sum(orr_take(x, i, 0), ORR_AXES(1), false), __LINE__, text);
    fails(orr_argmax(orr_neg(orr_take(x, i, 0)), 1, false), __LINE__, text);
    fails(orr_softmax(orr_take(x, i, 0), -1), __LINE__, text);
    fails(orr_relu(orr_take(x, j, 0)), __LINE__, text);
    fails(orr_relu(orr_take(orr_exp(orr_transpose(x)), j, 1)), __LINE__,
          "index -51 (number 17) is out of range for axis 1 of length 50");
    fails(orr_relu(orr_take(x, orr_mul(i, orr_full(ORR_I32, ORR_SHAPE_0D, 2)), 0)), __LINE__, "index ");
    fails(orr_relu(orr_take(orr_zeros(ORR_F32, ORR_SHAPE(0, COLS)), orr_add(j, j), 0)), __LINE__, "index ");
    fails(orr_relu(orr_take(orr_full(ORR_F32, ORR_SHAPE(ROWS), 1), i, 0)), __LINE__, text); /* nothing is read */
    /* a temporary buffer of indices, as large as the result: it must still exist when the interpreter reads it again */
    orr_tensor *own = orr_concat(ORR_TENSORS(i, i), 0), *line = orr_full(ORR_F32, ORR_SHAPE(ROWS), 1);
    fails(orr_pad(orr_relu(orr_take(line, own, 0)), ORR_INDEX(1), ORR_INDEX(1), 0), __LINE__, text);
    orr_tensor *y = orr_sum(orr_take(x, rows(), 0), ORR_ALL_AXES, false);
    ORR_CHECK(orr_eval(y) == ORR_OK); /* the next evaluation is correct again */
    (void)orr_scope_end(s);
    (void)orr_shutdown();
}

static void a_wrong_index_is_an_error_when_interpreted(void)
{
    wrong_indices("off", "on");
}

static void a_wrong_index_is_an_error_when_compiled(void)
{
    wrong_indices("wait", "on");
}

static void a_wrong_index_is_an_error_one_by_one(void)
{
    wrong_indices("off", "off");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_take_is_part_of_the_kernel_that_reads_it),
                                      ORR_TEST(an_indexed_operand_gets_a_buffer),
                                      ORR_TEST(embeddings_are_what_plain_loops_make),
                                      ORR_TEST(gradients_go_back_to_the_rows),
                                      ORR_TEST(a_training_step_may_gather_its_batch),
                                      ORR_TEST(a_wrong_index_is_an_error_when_interpreted),
                                      ORR_TEST(a_wrong_index_is_an_error_when_compiled),
                                      ORR_TEST(a_wrong_index_is_an_error_one_by_one),
                                      { 0 } };
    fill();
    return orr_test_main(argc, argv, "fuse.take", tests);
}
