/* Subnormal numbers: kept by default, taken for zero and written as zero on request, in every lane, whatever mode the caller is in, which
 * stays his. A count names the lines that make them.
 * Must not know: how the mode is set. */
#include "config.h"
#include <float.h>
#include <math.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/fpmode.h"
#include "tests/harness/harness.h"

enum { N = 4096 };

/* FLT_MIN/4 times 2 is half of the smallest normal number; 0 where operands or results are flushed. */
static float twice_a_quarter(int64_t n)
{
    float v[N], first;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(n), FLT_MIN / 4);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    orr_tensor *y = orr_mul(orr_add(x, x), orr_ones(ORR_F32, ORR_SHAPE(n)));
    ORR_CHECK_MSG(orr_read(y, v, (size_t)n * sizeof *v) == ORR_OK, "%s", orr_error_message());
    first = v[0];
    for (int64_t i = 0; i < n; i++)
        ORR_CHECK(memcmp(&v[i], &first, sizeof first) == 0);
    (void)orr_scope_end(s);
    return first;
}

/* exp(−100) is 3.78e−44 in f32, a subnormal number (NumPy). */
static float exponential(void)
{
    float v = -1;
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_read(orr_exp(orr_full(ORR_F32, ORR_SHAPE(1), -100)), &v, sizeof v) == ORR_OK);
    (void)orr_scope_end(s);
    return v;
}

static double product(void)
{
    double v = -1;
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_full(ORR_F64, ORR_SHAPE(4, 4), 1e-160), *b = orr_full(ORR_F64, ORR_SHAPE(4, 4), 1e-150);
    ORR_CHECK(orr_read(orr_max(orr_matmul(a, b), ORR_ALL_AXES, false), &v, sizeof v) == ORR_OK);
    (void)orr_scope_end(s);
    return v;
}

/* The calling thread may flush: the results are compared in its usual mode. */
static void check(bool flushes, bool caller_flushes)
{
    const uint64_t usual = orr__fpmode_get();
    if (caller_flushes)
        orr__fpmode_set(ORR__FPMODE_FLUSHES);
    const uint64_t mode = orr__fpmode_get() & ORR__FPMODE_MASK;
    float few = twice_a_quarter(16), many = twice_a_quarter(N), e = exponential();
    double p = product();
    const uint64_t after = orr__fpmode_get() & ORR__FPMODE_MASK;
    orr__fpmode_set(usual);
    ORR_CHECK(after == mode);
    ORR_CHECK_MSG(few == (flushes ? 0.0f : FLT_MIN / 2) && many == few, "%g, %g", (double)few, (double)many);
    ORR_CHECK_MSG(flushes ? e == 0 : fabsf(e - 3.78e-44f) < 2e-45f, "exp(-100) is %g", (double)e);
    ORR_CHECK_MSG(flushes ? p == 0 : fabs(p - 4e-310) < 1e-318, "the product is %g", p);
}

/* All lanes and tiers of one setting. */
static void each_lane(const char *variable, bool by_config, bool flushes)
{
    static const char *const inline_us[] = { "auto", "0", "1000000" }, *const jit[] = { "off", "wait" };
    for (int k = 0; k < 6; k++) {
        (void)setenv("ORRERY_FLUSH_DENORMALS", variable, 1);
        (void)setenv("ORRERY_INLINE_US", inline_us[k % 3], 1);
        (void)setenv("ORRERY_JIT", jit[k / 3], 1);
        orr_config config = { .flush_denormals = by_config };
        ORR_REQUIRE(orr_init(&config) == ORR_OK);
        check(flushes, false);
        check(flushes, true);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

static void kept_by_default(void)
{
    each_lane("off", false, false);
}

static void flushed_on_request(void)
{
    each_lane("on", false, true);
    each_lane("off", true, true);
}

/* The library's log of its end. */
static void shut_down_and_read(char *text, size_t size)
{
    char path[] = "/tmp/orrery-denormals.XXXXXX";
    int file = mkstemp(path), err = dup(2);
    ORR_REQUIRE(file >= 0 && err >= 0 && dup2(file, 2) == 2);
    orr_status st = orr_shutdown();
    (void)fflush(stderr);
    (void)dup2(err, 2);
    (void)close(err);
    ssize_t n = pread(file, text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    (void)close(file);
    (void)unlink(path);
    ORR_CHECK(st == ORR_OK);
}

static void a_count_names_the_line(void)
{
    char text[4096], place[64];
    (void)setenv("ORRERY_FLUSH_DENORMALS", "count", 1);
    (void)setenv("ORRERY_INLINE_US", "auto", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_arange(ORR_F32, 0, 1000, 1);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    orr_tensor *y = orr_exp(orr_neg(x)); /* exp(−x) is subnormal for x of 88 to 103 */
    int line = __LINE__ - 1;
    ORR_CHECK(orr_eval(y) == ORR_OK && orr_eval(orr_add(x, x)) == ORR_OK);
    (void)orr_scope_end(s);
    shut_down_and_read(text, sizeof text);
    (void)snprintf(place, sizeof place, "denormals.c:%d: ", line);
    ORR_CHECK_MSG(strstr(text, place) && strstr(text, "16 of 1000 numbers"), "%s", text);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK); /* nothing is left of it */
    shut_down_and_read(text, sizeof text);
    ORR_CHECK_MSG(strstr(text, "subnormal") == NULL, "%s", text);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(kept_by_default), ORR_TEST(flushed_on_request), ORR_TEST(a_count_names_the_line), { 0 }
    };
    return orr_test_main(argc, argv, "api.denormals", tests);
}
