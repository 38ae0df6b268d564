/* f16 and bf16 as converted and rounded by the loops, beside the definitions of runtime/base/dtype.h.
 * Must not know: loops, kernels. */
#include "config.h"

#include <math.h>
#include "codelets/cpu/half.h"
#include "runtime/base/dtype.h"
#include "tests/harness/harness.h"

static unsigned long long state = 1;

static float any_float(void)
{
    return vh_float((uint32_t)(orr_test_rand(&state) >> 16));
}

static bool same(float a, float b)
{
    return vh_bits(a) == vh_bits(b) || (a != a && b != b);
}

static void every_half_is_read_exactly(void)
{
    for (uint32_t h = 0; h < 0x10000; h++) {
        uint16_t u = (uint16_t)h;
        ORR_CHECK(same(vh_from_f16(u), orr__f16_to_f32(u)));
        ORR_CHECK(same(vh_from_bf16(u), orr__bf16_to_f32(u)));
    }
}

static void half_round_trip_keeps_bits(void)
{
    for (uint32_t h = 0; h < 0x10000; h++) {
        uint16_t u = (uint16_t)h, quiet = (h & 0x7c00) == 0x7c00 && (h & 0x3ff) ? 0x200 : 0;
        ORR_CHECK(vh_pack_bf16(vh_from_bf16(u)) == u);
        ORR_CHECK(vh_pack_f16(vh_from_f16(u)) == (u | quiet));
    }
}

/* Patterns of any kind, and those around the midpoint between two halves, which rounds to the even one. */
static void rounding_is_to_nearest_even(void)
{
    for (int i = 0; i < 2000000; i++) {
        float f = any_float();
        if (i & 1)
            f = vh_float((vh_bits(f) & 0xffff8000u) + (uint32_t)(i >> 1 & 3) - 1);
        if (i & 2)
            f = vh_float((vh_bits(f) & 0xfffff000u) + (uint32_t)(i >> 2 & 3) - 1);
        bool ok = same(vh_round_bf16(f), orr__bf16_to_f32(orr__f32_to_bf16(f)));
        ok = ok && same(vh_round_f16(f), orr__f16_to_f32(orr__f32_to_f16(f)));
        ok = ok && same(vh_from_bf16(vh_to_bf16(f)), vh_round_bf16(f)) &&
             same(vh_from_f16(vh_to_f16(f)), vh_round_f16(f));
        if (!ok) {
            ORR_CHECK_MSG(false, "%a (%08x)", (double)f, vh_bits(f));
            return;
        }
    }
    ORR_CHECK(true);
}

/* Doubles of any kind, including those at and around the midpoint between two halves. */
static void doubles_are_rounded_once(void)
{
    for (int i = 0; i < 2000000; i++) {
        uint64_t u = orr_test_rand(&state);
        double d = 0, h = (double)((i & 1 ? orr__bf16_to_f32 : orr__f16_to_f32)((uint16_t)(u >> 7)));
        if (i & 2)
            memcpy(&d, &u, sizeof d);
        else
            d = h * (1 + ldexp((double)(int)(u % 9) - 4, (int)(u >> 8 & 63) - 60) +
                     (i & 4 ? (i & 1 ? 0x1p-8 : 0x1p-11) : 0));
        float f = vh_odd(d);
        if (vh_to_bf16(f) != orr__f64_to_bf16(d) && d == d) {
            ORR_CHECK_MSG(false, "bf16 of %a is %04x, not %04x", d, orr__f64_to_bf16(d), vh_to_bf16(f));
            return;
        }
        if (vh_to_f16(f) != orr__f64_to_f16(d) && d == d) {
            ORR_CHECK_MSG(false, "f16 of %a is %04x, not %04x", d, orr__f64_to_f16(d), vh_to_f16(f));
            return;
        }
        if (d != d && (f == f || vh_from_f16(vh_to_f16(f)) == 0)) {
            ORR_CHECK_MSG(false, "%a is no NaN any more", d);
            return;
        }
    }
    ORR_CHECK(true);
}

/* The result of arithmetic on registers x, y, z of the dtype: NaN stays NaN, other values are rounded. */
static bool fits(orr_dtype t, float x, float y, float z)
{
    const volatile float made[] = { x + y,    x - y,           x * y,
                                    x / y,    fmaf(x, y, z),   sqrtf(x),
                                    x / -0.f, 1.0f / sqrtf(y), x >= 0 ? x : x * y };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        float f = made[i], fit = t == ORR_F16 ? vh_fit_f16(f) : vh_fit_bf16(f);
        if (!same(fit, t == ORR_F16 ? vh_round_f16(f) : vh_round_bf16(f)) ||
            (vh_bits(fit) & (t == ORR_F16 ? 0x1fff : 0xffff)) != 0)
            return false;
    }
    return true;
}

/* NaN of every payload that a half has, with every kind of partner; then any halves. */
static void arithmetic_keeps_nan(void)
{
    static const uint16_t partner[] = {
        0x0000, 0x8000, 0x3f80, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffff, 0x0001, 0x7f7f
    };
    static const size_t npartner = sizeof partner / sizeof *partner;
    for (uint32_t h = 0; h < 0x10000; h++) {
        uint16_t u = (uint16_t)h, v = (uint16_t)orr_test_rand(&state), w = (uint16_t)orr_test_rand(&state);
        float x = vh_from_bf16(u), y = vh_from_bf16(v), z = vh_from_bf16(w);
        bool ok = fits(ORR_BF16, x, y, z) && fits(ORR_F16, vh_from_f16(u), vh_from_f16(v), vh_from_f16(w));
        for (size_t i = 0; i < npartner; i++) {
            float p = vh_from_bf16(partner[i]), q = vh_round_f16(p);
            ok = ok && fits(ORR_BF16, x, p, y) && fits(ORR_BF16, p, x, y);
            ok = ok && fits(ORR_F16, vh_from_f16(u), q, vh_from_f16(v)) && fits(ORR_F16, q, vh_from_f16(u), q);
        }
        if (!ok) {
            ORR_CHECK_MSG(false, "%04x, %04x, %04x", u, v, w);
            return;
        }
    }
    ORR_CHECK(true);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(every_half_is_read_exactly),  ORR_TEST(half_round_trip_keeps_bits),
                                      ORR_TEST(rounding_is_to_nearest_even), ORR_TEST(doubles_are_rounded_once),
                                      ORR_TEST(arithmetic_keeps_nan),        { 0 } };
    return orr_test_main(argc, argv, "codelets.half", tests);
}
