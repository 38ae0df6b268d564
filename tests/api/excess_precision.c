/* Values of f16 and bf16 inside of a kernel: rounded after each operation on request, else kept as f32 until they are stored,
 * on both tiers. Comparisons see the same bits wherever a value is computed.
 * Must not know: how kernels round. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "runtime/base/dtype.h"
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

enum { ROWS = 60, COLS = 333, ALL = ROWS * COLS };
static const float A = 1.3828125f, B = -0.30078125f, C = 0.8203125f; /* values of both dtypes */

typedef struct {
    uint16_t x[ALL], y[ALL], z[ALL];
} data;
static data in, got;

static bool start(const char *excess, const char *fixed, const char *jit)
{
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_ENGINE", "serial", 1);
    setenv("ORRERY_JIT", jit, 1);
    setenv("ORRERY_EXCESS_PRECISION", excess, 1);
    setenv("ORRERY_DETERMINISTIC", fixed, 1);
    return orr_init(NULL) == ORR_OK;
}

static uint16_t narrow(orr_dtype d, float f)
{
    return d == ORR_F16 ? orr__f64_to_f16((double)f) : orr__f64_to_bf16((double)f);
}

static float rounded(orr_dtype d, float f)
{
    return d == ORR_F16 ? orr__f16_to_f32(narrow(d, f)) : orr__bf16_to_f32(narrow(d, f));
}

static float value(orr_dtype d, uint16_t bits)
{
    return d == ORR_F16 ? orr__f16_to_f32(bits) : orr__bf16_to_f32(bits);
}

static orr_tensor *fill(orr_dtype d)
{
    unsigned long long state = 5;
    for (int i = 0; i < ALL; i++)
        in.x[i] = narrow(d, (float)((double)(orr_test_rand(&state) >> 11) * 0x1p-51 - 2));
    return orr_from(d, ORR_SHAPE(ROWS, COLS), in.x);
}

static orr_tensor *number(orr_dtype d, float f)
{
    return orr_full(d, ORR_SHAPE(1), f);
}

/* ((x·a + b)·c)² − x: the numbers of elements that differ from each of the two ways to round. */
static void compute(orr_dtype d, int *from_each, int *from_last)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = fill(d), *t = orr_mul(orr_add(orr_mul(x, number(d, A)), number(d, B)), number(d, C));
    orr_tensor *y = orr_sub(orr_square(t), x);
    ORR_CHECK_MSG(kernels_of(y) == 1, "%d", kernels_of(y));
    ORR_CHECK(orr_eval(y) == ORR_OK && orr_read(y, got.y, sizeof got.y) == ORR_OK);
    *from_each = *from_last = 0;
    for (int i = 0; i < ALL; i++) {
        float v = value(d, in.x[i]), each = rounded(d, rounded(d, rounded(d, v * A) + B) * C), last = (v * A + B) * C;
        each = rounded(d, each * each) - v;
        last = last * last - v;
        *from_each += got.y[i] != narrow(d, each);
        *from_last += got.y[i] != narrow(d, last);
    }
    (void)orr_scope_end(s);
}

static const char *const tiers[] = { "off", "wait" };
static const orr_dtype halves[] = { ORR_F16, ORR_BF16 };

static void inner_values_keep_the_precision_of_f32(void)
{
    for (int k = 0; k < 4; k++) {
        int each, last;
        ORR_REQUIRE(start("on", "off", tiers[k / 2]));
        compute(halves[k % 2], &each, &last);
        ORR_CHECK_MSG(last == 0 && each > ALL / 10, "%d %d", last, each);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

static void switch_and_deterministic_mode_round_each_operation(void)
{
    for (int k = 0; k < 8; k++) {
        int each, last;
        ORR_REQUIRE(start(k < 4 ? "off" : "on", k < 4 ? "off" : "on", tiers[k / 2 % 2]));
        compute(halves[k % 2], &each, &last);
        ORR_CHECK_MSG(each == 0 && last > ALL / 10, "%d %d", each, last);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

/* A reader of a value that is also stored gets the stored value. */
static void stored_values_are_rounded(void)
{
    for (int k = 0; k < 4; k++) {
        orr_dtype d = halves[k % 2];
        ORR_REQUIRE(start("on", "off", tiers[k / 2]));
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = fill(d), *y = orr_add(orr_mul(x, number(d, A)), number(d, B)),
                   *z = orr_mul(orr_neg(y), number(d, C));
        orr_tensor *out[2] = { y, z };
        ORR_CHECK(orr_eval_all(out, 2) == ORR_OK);
        ORR_CHECK(orr_read(y, got.y, sizeof got.y) == ORR_OK && orr_read(z, got.z, sizeof got.z) == ORR_OK);
        int wrong = 0;
        for (int i = 0; i < ALL; i++)
            wrong += got.y[i] != narrow(d, value(d, in.x[i]) * A + B) || got.z[i] != narrow(d, -value(d, got.y[i]) * C);
        ORR_CHECK_MSG(wrong == 0, "%d", wrong);
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

/* Both the largest element of a row and the element that equals it are computed from x again. */
static void decisions_see_equal_bits(void)
{
    static bool mask[ALL];
    for (int k = 0; k < 8; k++) {
        orr_dtype d = halves[k % 2];
        bool apart = k >= 4; /* the maximum is evaluated separately */
        ORR_REQUIRE(start("on", "off", tiers[k / 2 % 2]));
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = fill(d), *most = NULL;
        for (int turn = 0; turn < 2; turn++) {
            orr_tensor *y = orr_mul(orr_add(orr_mul(x, number(d, A)), number(d, B)), number(d, C));
            if (turn == 0 || !apart)
                most = orr_max(y, ORR_AXES(1), true);
            if (turn == 0 && apart) {
                ORR_CHECK(orr_eval(most) == ORR_OK);
                continue;
            }
            orr_tensor *is = orr_equal(y, most),
                       *z = orr_sum(orr_mul(orr_where(is, y, number(d, 0)), y), ORR_AXES(1), false);
            orr_tensor *out[2] = { is, z };
            ORR_CHECK(orr_eval_all(out, 2) == ORR_OK && orr_read(is, mask, sizeof mask) == ORR_OK);
        }
        for (int r = 0; r < ROWS; r++) {
            int found = 0;
            for (int c = 0; c < COLS; c++)
                found += mask[r * COLS + c];
            ORR_CHECK_MSG(found >= 1, "row %d", r);
        }
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(inner_values_keep_the_precision_of_f32),
                                      ORR_TEST(switch_and_deterministic_mode_round_each_operation),
                                      ORR_TEST(stored_values_are_rounded),
                                      ORR_TEST(decisions_see_equal_bits),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.excess_precision", tests);
}
