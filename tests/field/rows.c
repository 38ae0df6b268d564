/* The element-wise rows of fields on each engine: many elements at once, beside the portable kit one at a time.
 * Must not know: how an engine computes. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "codelets/field/kit.h"
#include "tests/harness/harness.h"

enum { N = 3000 };
static unsigned long long seed = 53;
static unsigned char x[N][32], y[N][32];

static void draw(unsigned char to[N][32])
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 32; k++)
            to[i][k] = (unsigned char)(k == 31 ? orr_test_rand(&seed) % 0x30 : orr_test_rand(&seed));
    memset(to[0], 0, 32);
}

/* (x·y + x²)·3 − y where that differs from x·y, by the portable kit; in canonical form. */
static void expected(orr__field f, unsigned char to[N][32])
{
    const orr__fieldkit *k = orr__fieldkit_named("portable");
    static orr__fe a[N], b[N], ab[N], z[N];
    static const unsigned char three[32] = { 3 };
    orr__fe c;
    ORR_REQUIRE(k->read(f, a, x, N) < 0 && k->read(f, b, y, N) < 0 && k->read(f, &c, three, 1) < 0);
    k->map(f, ORR__FMUL, ab, a, 1, b, 1, N);
    k->map(f, ORR__FSQUARE, z, a, 1, a, 1, N);
    k->map(f, ORR__FADD, z, z, 1, ab, 1, N);
    k->map(f, ORR__FMUL, z, z, 1, &c, 0, N);
    k->map(f, ORR__FSUB, z, z, 1, b, 1, N);
    for (int i = 0; i < N; i++)
        if (memcmp(&z[i], &ab[i], sizeof z[i]) == 0)
            z[i] = a[i];
    k->write(f, to, z, N);
}

static void compare(void)
{
    for (int f = 0; f < 2; f++) {
        static unsigned char want[N][32], got[N][32];
        const orr_dtype t = f ? ORR_FQ254 : ORR_FR254;
        draw(x);
        draw(y);
        expected((orr__field)f, want);
        orr_scope *s = orr_scope_begin();
        orr_tensor *a = orr_from(t, ORR_SHAPE(N), x), *b = orr_from(t, ORR_SHAPE(N), y), *ab = orr_mul(a, b);
        orr_tensor *z = orr_sub(orr_mul(orr_add(orr_square(a), ab), orr_scalar(3)), b);
        z = orr_where(orr_equal(z, ab), a, z);
        orr_status st = orr_read(z, got, sizeof got);
        ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
        int bad = 0;
        for (int i = 0; i < N; i++)
            bad += memcmp(want[i], got[i], 32) != 0;
        ORR_CHECK_MSG(bad == 0, "%s: %d of %d elements differ", orr_dtype_name(t), bad, N);
        (void)orr_scope_end(s);
    }
}

/* A chain of rows is one step: intermediate values are never in memory. */
static void chains_are_one_step(void)
{
    for (int f = 0; f < 2; f++) {
        const orr_dtype t = f ? ORR_FQ254 : ORR_FR254;
        orr_memory_plan m;
        draw(x);
        draw(y);
        orr_scope *s = orr_scope_begin();
        orr_tensor *a = orr_from(t, ORR_SHAPE(N), x), *b = orr_from(t, ORR_SHAPE(N), y);
        ORR_REQUIRE(orr_eval_all(ORR_TENSORS(a, b)) == ORR_OK);
        orr_tensor *z = orr_add(orr_mul(a, b), b);
        ORR_CHECK(orr_plan_memory(ORR_TENSORS(z), &m) == ORR_OK && m.steps == 1 && m.work == N * 32);
        for (int i = 0; i < 3; i++)
            z = i % 3 ? orr_sub(orr_mul(z, a), b) : orr_where(orr_equal(z, b), orr_neg(z), orr_square(z));
        ORR_CHECK(orr_plan_memory(ORR_TENSORS(z), &m) == ORR_OK);
        ORR_CHECK_MSG(m.steps == 1 && m.work == N * 32, "%d steps, %lld bytes", m.steps, (long long)m.work);
        (void)orr_scope_end(s);
    }
}

/* The sum or the product of x·y + y, over rows, columns and all elements, by the portable kit one at a time. */
static void folded(orr__field f, int rows, int row, bool product, int axis, unsigned char to[N][32])
{
    const orr__fieldkit *k = orr__fieldkit_named("portable");
    static orr__fe a[N], b[N], z[N];
    static const unsigned char one[32] = { 1 };
    const int n = axis < 0 ? 1 : axis ? rows : row;
    ORR_REQUIRE(k->read(f, a, x, N) < 0 && k->read(f, b, y, N) < 0);
    k->map(f, ORR__FMUL, a, a, 1, b, 1, N);
    k->map(f, ORR__FADD, a, a, 1, b, 1, N);
    memset(z, 0, sizeof z);
    for (int i = 0; product && i < n; i++)
        (void)k->read(f, &z[i], one, 1);
    for (int i = 0; i < rows * row; i++) {
        orr__fe *to_ = &z[axis < 0 ? 0 : axis ? i / row : i % row];
        k->map(f, product ? ORR__FMUL : ORR__FADD, to_, to_, 1, &a[i], 1, 1);
    }
    k->write(f, to, z, n);
}

/* A chain before a fold is part of the fold's step. */
static void folds_take_their_chain_along(void)
{
    static const int rows[] = { 3, 50, 1, 1000 };
    for (int i = 0; i < 2 * 2 * 4 * 3; i++) {
        if (getenv("ORRERY_BACKEND") && !orr_test_due((unsigned)i / 2, 2))
            continue;
        static unsigned char want[N][32], got[N][32];
        const orr__field f = (orr__field)(i % 2);
        const bool product = i / 2 % 2;
        const int n = rows[i / 4 % 4], row = N / n, axis = i / 16 - 1;
        orr_memory_plan m;
        draw(x);
        draw(y);
        orr_scope *s = orr_scope_begin();
        const orr_dtype t = f ? ORR_FQ254 : ORR_FR254;
        orr_tensor *a = orr_from(t, ORR_SHAPE(n, row), x), *b = orr_from(t, ORR_SHAPE(n, row), y);
        ORR_REQUIRE(orr_eval_all(ORR_TENSORS(a, b)) == ORR_OK);
        orr_tensor *z = orr_add(orr_mul(a, b), b);
        orr_axes over = axis < 0 ? ORR_AXES(0, 1) : ORR_AXES(axis);
        z = product ? orr_prod(z, over, false) : orr_sum(z, over, false);
        ORR_CHECK(orr_plan_memory(ORR_TENSORS(z), &m) == ORR_OK && m.steps <= 2); /* all elements: in two steps */
        ORR_CHECK_MSG(m.work < N * 32 || N / n == 1 || n == 1, "(%d, %d), axis %d: %lld bytes", n, row, axis,
                      (long long)m.work);
        folded(f, n, row, product, axis, want);
        const size_t bytes = 32 * (size_t)(axis < 0 ? 1 : axis ? n : row);
        orr_status st = orr_read(z, got, bytes);
        ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
        ORR_CHECK_MSG(memcmp(want, got, bytes) == 0, "%s of %s (%d, %d), axis %d", product ? "product" : "sum",
                      orr_dtype_name(t), n, row, axis);
        (void)orr_scope_end(s);
    }
}

/* x − Σ x of its row, as in a normalisation. */
static void folds_come_back_to_their_rows(void)
{
    enum { ROWS = 60, ROW = N / ROWS };
    static unsigned char want[N][32], got[N][32];
    const orr__fieldkit *k = orr__fieldkit_named("portable");
    static orr__fe a[N], z;
    draw(x);
    ORR_REQUIRE(k->read(ORR__FR, a, x, N) < 0);
    for (int i = 0; i < ROWS; i++) {
        k->sum(ORR__FR, &z, a + i * ROW, 1, ROW);
        k->map(ORR__FR, ORR__FSUB, a + i * ROW, a + i * ROW, 1, &z, 0, ROW);
    }
    k->write(ORR__FR, want, a, N);
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_from(ORR_FR254, ORR_SHAPE(ROWS, ROW), x);
    orr_status st = orr_read(orr_sub(t, orr_sum(t, ORR_AXES(1), true)), got, sizeof got);
    ORR_CHECK_MSG(st == ORR_OK && memcmp(want, got, sizeof got) == 0, "%s", orr_error_message());
    (void)orr_scope_end(s);
}

static void under(const char *const settings[][2])
{
    for (int i = 0; settings[i][0]; i++)
        (void)setenv(settings[i][0], settings[i][1], 1);
    orr_status st = orr_init(NULL);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    if (st == ORR_OK) {
        compare();
        chains_are_one_step();
        folds_take_their_chain_along();
        folds_come_back_to_their_rows();
        (void)orr_shutdown();
    }
    for (int i = 0; settings[i][0]; i++)
        (void)unsetenv(settings[i][0]);
}

static void serial(void)
{
    under((const char *const[][2]){ { "ORRERY_ENGINE", "serial" }, { NULL, NULL } });
}

static void tasks(void)
{
    under((const char *const[][2]){ { "ORRERY_INLINE_US", "0" }, { NULL, NULL } });
}

static void opencl(void)
{
#if defined(HAVE_OPENCL) && defined(HAVE_STARPU)
    under((const char *const[][2]){ { "ORRERY_BACKEND", "opencl" },
                                    { "ORRERY_FALLBACK", "off" },
                                    { "ORRERY_INLINE_US", "0" },
                                    { "STARPU_NCPU", "0" },
                                    { "STARPU_NCUDA", "0" },
                                    { "STARPU_OPENCL_ON_CPUS", "1" },
                                    { "STARPU_OPENCL_ONLY_ON_CPUS", "1" },
                                    { NULL, NULL } });
#else
    ORR_SKIP("built without OpenCL or StarPU");
#endif
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(opencl), /* first: StarPU searches for devices once in a process */
        ORR_TEST(serial),
        ORR_TEST(tasks),
        { 0 },
    };
    return orr_test_main(argc, argv, "field.rows", tests);
}
