/* Row-wise operations: one kernel each, correct on both tiers, for rows of any length; sums with the same bits.
 * Must not know: how rows are walked. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

enum { MOST = 33 * 9001 };
static double x[MOST]; /* exact in f32, too */

static bool start(const char *jit, const char *fixed, const char *workers, const char *engine)
{
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_JIT", jit, 1);
    setenv("ORRERY_DETERMINISTIC", fixed, 1);
    setenv("ORRERY_ENGINE", engine, 1);
    setenv("STARPU_NCPU", workers, 1);
    return orr_init(NULL) == ORR_OK;
}

/* -- one kernel ------------------------------------------------------------------------------------------------ */

static orr_tensor *layer_norm(orr_tensor *t, orr_tensor *gain, orr_tensor *bias)
{
    orr_tensor *c = orr_sub(t, orr_mean(t, ORR_AXES(-1), true));
    orr_tensor *v = orr_mean(orr_square(c), ORR_AXES(-1), true);
    return orr_add(orr_mul(orr_mul(c, orr_rsqrt(orr_add(v, orr_scalar(1e-5)))), gain), bias);
}

static orr_tensor *gradient(orr_tensor *y, orr_tensor *g, orr_tensor *by)
{
    orr_tensor *r = NULL;
    ORR_CHECK(orr_grad(orr_sum(orr_mul(y, g), ORR_ALL_AXES, false), &by, 1, &r) == ORR_OK);
    return r;
}

static void every_row_pattern_is_one_kernel(void)
{
    ORR_REQUIRE(start("off", "off", "1", "serial"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_F64, ORR_SHAPE(100, 100), x), *g = orr_from(ORR_F64, ORR_SHAPE(100, 100), x);
    orr_tensor *gain = orr_from(ORR_F64, ORR_SHAPE(100), x), *bias = orr_from(ORR_F64, ORR_SHAPE(100), x + 100);
    ORR_CHECK(kernels_of(orr_softmax(t, -1)) == 1);
    ORR_CHECK(kernels_of(orr_log_softmax(t, -1)) == 1);
    ORR_CHECK(kernels_of(layer_norm(t, gain, bias)) == 1);
    ORR_CHECK(kernels_of(orr_mul(t, orr_rsqrt(orr_mean(orr_square(t), ORR_AXES(-1), true)))) == 1);
    ORR_CHECK(kernels_of(orr_mean(t, ORR_AXES(-1), true)) == 1);
    ORR_CHECK(kernels_of(orr_var(t, ORR_AXES(-1), 1, false)) == 1);
    ORR_CHECK(kernels_of(orr_std(t, ORR_AXES(-1), 1, true)) == 1);
    ORR_CHECK(kernels_of(orr_logsumexp(t, ORR_AXES(-1), false)) == 1);
    ORR_CHECK(kernels_of(orr_logsumexp(orr_cast(t, ORR_BF16), ORR_AXES(-1), false)) == 1);
    ORR_CHECK(kernels_of(gradient(orr_softmax(t, -1), g, t)) == 1);
    ORR_CHECK(kernels_of(gradient(orr_log_softmax(t, -1), g, t)) == 1);
    ORR_CHECK(kernels_of(gradient(layer_norm(t, gain, bias), g, t)) == 1);
    t = orr_from(ORR_F64, ORR_SHAPE(33, 9001), x);
    ORR_CHECK(kernels_of(orr_softmax(t, -1)) == 1);
    ORR_CHECK(kernels_of(orr_softmax(orr_slice_axis(t, 0, 0, 15, 1), -1)) > 1); /* too few rows for all workers */
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- values ------------------------------------------------------------------------------------------------------ */

static double distance(double got, double want)
{
    return fabs(got - want) / fmax(fabs(want), 1);
}

/* Mean, variance, log Σ eˣ and softmax of `rows` rows of n values, by their definitions. */
static void check_rows(orr_dtype dtype, int64_t rows, int64_t n)
{
    orr_scope *s = orr_scope_begin();
    orr_shape shape = rows ? ORR_SHAPE(rows, n) : ORR_SHAPE(n);
    orr_tensor *t = orr_cast(orr_from(ORR_F64, shape, x), dtype), *out[5];
    out[0] = orr_mean(t, ORR_AXES(-1), false);
    out[1] = orr_var(t, ORR_AXES(-1), 0, true);
    out[2] = orr_logsumexp(t, ORR_AXES(-1), false);
    out[3] = orr_softmax(t, -1);
    out[4] = orr_max(t, ORR_AXES(-1), false);
    static double got[5][MOST];
    double may = dtype == ORR_F64 ? 1e-13 : dtype == ORR_F32 ? 1e-6 : 1e-2;
    ORR_CHECK(orr_eval_all(out, 5) == ORR_OK);
    for (int k = 0; k < 5; k++)
        ORR_CHECK_MSG(orr_read(orr_cast(out[k], ORR_F64), got[k], (size_t)orr_tensor_size(out[k]) * sizeof *got[k]) ==
                          ORR_OK,
                      "%s", orr_error_message());
    for (int64_t r = 0; r < (rows ? rows : 1); r++) {
        const double *v = x + r * n;
        double sum = 0, square = 0, most = v[0], e = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += v[i];
            most = fmax(most, v[i]);
        }
        for (int64_t i = 0; i < n; i++) {
            square += (v[i] - sum / (double)n) * (v[i] - sum / (double)n);
            e += exp(v[i] - most);
        }
        ORR_CHECK_MSG(distance(got[0][r], sum / (double)n) < may, "mean of row %d: %.17g", (int)r, got[0][r]);
        ORR_CHECK_MSG(distance(got[1][r], square / (double)n) < may, "variance of row %d: %.17g", (int)r, got[1][r]);
        ORR_CHECK_MSG(distance(got[2][r], most + log(e)) < may, "logsumexp of row %d: %.17g", (int)r, got[2][r]);
        ORR_CHECK(dtype == ORR_BF16 || got[4][r] == most);
        double worst = 0;
        for (int64_t i = 0; i < n; i++)
            worst = fmax(worst, fabs(got[3][r * n + i] * e / exp(v[i] - most) - 1));
        ORR_CHECK_MSG(worst < 10 * may, "softmax of row %d is off by %g", (int)r, worst);
    }
    (void)orr_scope_end(s);
}

static void fill(void)
{
    unsigned long long state = 7;
    for (int i = 0; i < MOST; i++)
        x[i] = (double)(float)((double)(orr_test_rand(&state) >> 11) * 0x1p-50 - 4);
}

static void check_all(const char *jit)
{
    ORR_REQUIRE(start(jit, "off", "1", "serial"));
    fill();
    static const int64_t shape[][2] = { { 7, 1 },  { 5, 3 },    { 100, 10 }, { 3, 2100 }, { 2, 8192 }, { 2, 9000 },
                                        { 0, 33 }, { 0, 1500 }, { 0, 9000 }, { 4, 1024 }, { 33, 9001 } };
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        for (unsigned t = 0; t < 2; t++) /* the shapes of a type share kernels, which are dear to compile */
            if (strcmp(jit, "off") == 0 || orr_test_due(t, 2))
                check_rows(t ? ORR_F64 : ORR_F32, shape[i][0], shape[i][1]);
    }
    check_rows(ORR_BF16, 3, 64);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void rows_of_any_length_interpreted(void)
{
    check_all("off");
}

static void rows_of_any_length_compiled(void)
{
    check_all("wait");
}

/* NaN and infinities in a row affect its results, and no other row. */
static void check_specials(const char *jit)
{
    enum { N = 100 };
    static const double odd[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
    ORR_REQUIRE(start(jit, "off", "1", "serial"));
    fill();
    for (int k = 0; k < 3; k++)
        for (int at = 0; at < N; at += 33) {
            double most[3], sum[3], before = x[N + at];
            orr_scope *s = orr_scope_begin();
            x[N + at] = odd[k];
            orr_tensor *t = orr_cast(orr_from(ORR_F64, ORR_SHAPE(3, N), x), ORR_F32);
            ORR_CHECK(orr_read(orr_cast(orr_max(t, ORR_AXES(1), false), ORR_F64), most, sizeof most) == ORR_OK);
            orr_tensor *total = orr_sum(orr_softmax(t, 1), ORR_AXES(1), false);
            ORR_CHECK(orr_read(orr_cast(total, ORR_F64), sum, sizeof sum) == ORR_OK);
            ORR_CHECK(k == 0 ? isnan(most[1]) : k == 1 ? isinf(most[1]) : isfinite(most[1]));
            ORR_CHECK(k == 2 ? fabs(sum[1] - 1) < 1e-5 : isnan(sum[1]));
            for (int r = 0; r < 3; r += 2)
                ORR_CHECK(isfinite(most[r]) && fabs(sum[r] - 1) < 1e-5);
            x[N + at] = before;
            (void)orr_scope_end(s);
        }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void specials_stay_in_their_row(void)
{
    check_specials("off");
    check_specials("wait");
}

/* A sequential sum of 2¹⁸ values would be off by more than 1e-7. */
static void column_sums_are_as_exact_as_row_sums(void)
{
    enum { N = 1 << 18 };
    for (int tier = 0; tier < 2; tier++) {
        double got[3];
        ORR_REQUIRE(start(tier ? "wait" : "off", "off", "1", "serial"));
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = orr_full(ORR_F64, ORR_SHAPE(N, 3), 0.1);
        ORR_CHECK(orr_eval(t) == ORR_OK);
        ORR_CHECK(orr_read(orr_sum(t, ORR_AXES(0), false), got, sizeof got) == ORR_OK);
        for (int k = 0; k < 3; k++)
            ORR_CHECK_MSG(fabs(got[k] - 0.1 * N) <= 1e-10, "%.17g", got[k]);
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

/* -- the same bits -------------------------------------------------------------------------------------------------- */

static void column_sums(const char *workers, const char *engine, float *sum, size_t bytes)
{
    ORR_REQUIRE(start("off", "on", workers, engine));
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_rand(ORR_F32, ORR_SHAPE(1500, 700), -1.0, 1.0), *c = orr_matmul(a, orr_transpose(a));
    ORR_CHECK(orr_read(orr_sum(orr_exp(c), ORR_AXES(0), false), sum, bytes) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void deterministic_sums_are_equal_on_all_engines(void)
{
    enum { N = 1500 };
    static float one[N], two[N], serial[N];
    column_sums("1", "serial", serial, sizeof serial);
    column_sums("1", "auto", one, sizeof one);
    column_sums("2", "auto", two, sizeof two);
    ORR_CHECK(memcmp(one, serial, sizeof one) == 0);
    ORR_CHECK(memcmp(one, two, sizeof one) == 0);
}

/* Rows side by side of more data than caches hold: stored past them, and prefetched, by tiles with a rest. */
static void large_rows_side_by_side(void)
{
    enum { ROWS = 600011, LENGTH = 15 };
    ORR_REQUIRE(start("wait", "0", "2", "auto"));
    orr_scope *s = orr_scope_begin();
    float *data = malloc(sizeof(float) * ROWS * LENGTH);
    ORR_REQUIRE(data);
    for (int i = 0; i < ROWS * LENGTH; i++)
        data[i] = (float)(i % 1000 * 79 % 1000) - 500;
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(ROWS, LENGTH), data);
    orr_tensor *most = orr_max(t, ORR_AXES(1), true), *y = orr_sub(t, most), *at = orr_argmax(t, 1, false);
    const float *got = orr_data(y);
    const int64_t *where = orr_data(at);
    ORR_REQUIRE(got && where);
    int wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        int best = 0;
        for (int j = 1; j < LENGTH; j++)
            best = data[i * LENGTH + j] > data[i * LENGTH + best] ? j : best;
        wrong += where[i] != best;
        for (int j = 0; j < LENGTH; j++)
            wrong += got[i * LENGTH + j] != data[i * LENGTH + j] - data[i * LENGTH + best];
    }
    ORR_CHECK_MSG(wrong == 0, "%d of %d are wrong", wrong, ROWS * LENGTH);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    free(data);
}

/* n indices before a page that cannot be read: no index is read ahead beyond the last one. Unmapped by the caller, `size` bytes from *map on. */
static int32_t *indices_before_a_wall(int n, int rows, void **map, size_t *size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)n * sizeof(int32_t),
           whole = (bytes + page - 1) / page * page;
    *size = whole + page;
    *map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ORR_CHECK(*map != MAP_FAILED && mprotect((char *)*map + whole, page, PROT_NONE) == 0);
    int32_t *at = (int32_t *)(void *)((char *)*map + whole - bytes);
    for (int i = 0; i < n; i++)
        at[i] = (int32_t)((int64_t)i * 7919 % rows) - (i % 5 == 0 ? rows : 0);
    return at;
}

static void check_gathered(int length)
{
    int rows = 3000000 / length, n = 2500000 / length, wrong = 0;
    void *map = NULL;
    size_t size = 0;
    ORR_REQUIRE(start("wait", "0", "2", "auto"));
    orr_scope *s = orr_scope_begin();
    float *data = malloc(sizeof *data * (size_t)(rows * length)), *bias = malloc(sizeof *bias * (size_t)length);
    int32_t *index = indices_before_a_wall(n, rows, &map, &size);
    ORR_REQUIRE(data && bias);
    for (int i = 0; i < rows * length; i++)
        data[i] = (float)(i % 1000 * 79 % 1000) - 500;
    for (int j = 0; j < length; j++)
        bias[j] = (float)j / 3;
    orr_tensor *t =
        orr_take(orr_from(ORR_F32, ORR_SHAPE(rows, length), data), orr_from(ORR_I32, ORR_SHAPE(n), index), 0);
    const float *got = orr_data(orr_add(t, orr_from(ORR_F32, ORR_SHAPE(1, length), bias)));
    const float *most = orr_data(orr_max(orr_abs(t), ORR_AXES(1), false));
    ORR_REQUIRE(got && most);
    for (int i = 0; i < n; i++) {
        const float *row = data + (size_t)(index[i] < 0 ? index[i] + rows : index[i]) * (size_t)length;
        float best = 0;
        for (int j = 0; j < length; j++) {
            wrong += got[i * length + j] != row[j] + bias[j];
            best = fabsf(row[j]) > best ? fabsf(row[j]) : best;
        }
        wrong += most[i] != best;
    }
    ORR_CHECK_MSG(wrong == 0, "%d wrong, rows of %d", wrong, length);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(munmap(map, size) == 0);
    free(data);
    free(bias);
}

/* Rows side by side, joined, one by one, and longer than what is prefetched; all of more data than caches hold. */
static void gathered_rows_are_read_ahead(void)
{
    static const int length[] = { 3, 6, 37, 160, 1500 };
    for (int k = 0; k < 5; k++)
        check_gathered(length[k]);
}

/* Each value is the product of the former one with itself: 2^40 ways lead to the first. */
static void a_chain_of_squares_beside_a_fold(void)
{
    enum { ROWS = 64, LENGTH = 10, SQUARES = 40 };
    float data[ROWS * LENGTH];
    ORR_REQUIRE(start("wait", "0", "2", "auto"));
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < ROWS * LENGTH; i++)
        data[i] = i % 3 ? 1 : -1;
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(ROWS, LENGTH), data);
    for (int k = 0; k < SQUARES; k++)
        t = orr_mul(t, t);
    const float *got = orr_data(orr_div(t, orr_sum(t, ORR_AXES(1), true)));
    ORR_REQUIRE(got);
    for (int i = 0; i < ROWS * LENGTH; i++)
        ORR_CHECK(got[i] == 0.1f);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(every_row_pattern_is_one_kernel),
                                      ORR_TEST(rows_of_any_length_interpreted),
                                      ORR_TEST(rows_of_any_length_compiled),
                                      ORR_TEST(specials_stay_in_their_row),
                                      ORR_TEST(column_sums_are_as_exact_as_row_sums),
                                      ORR_TEST(deterministic_sums_are_equal_on_all_engines),
                                      ORR_TEST(large_rows_side_by_side),
                                      ORR_TEST(gathered_rows_are_read_ahead),
                                      ORR_TEST(a_chain_of_squares_beside_a_fold),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.rows", tests);
}
