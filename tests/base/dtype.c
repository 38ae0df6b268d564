/* Element types: promotion against the standard's tables, conversions against their definitions.
 * Must not know: tensors. */
#include "config.h"
#include "runtime/base/dtype.h"
#include "tests/harness/harness.h"

#include <float.h>
#include <math.h>

static void names_are_those_of_the_array_api(void)
{
    static const char *const names[] = { "bool",    "int8",      "int16",      "int32",   "int64",    "uint8",
                                         "uint16",  "uint32",    "uint64",     "float16", "bfloat16", "float32",
                                         "float64", "complex64", "complex128", "fr254",   "fq254" };
    static const size_t sizes[] = { 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 32, 32 };
    for (int t = 0; t < ORR_DTYPE_COUNT; t++) {
        ORR_CHECK(strcmp(orr_dtype_name((orr_dtype)t), names[t]) == 0);
        ORR_CHECK(orr_dtype_size((orr_dtype)t) == sizes[t]);
    }
    ORR_CHECK(strcmp(orr_dtype_name(ORR_DTYPE_COUNT), "?") == 0);
    ORR_CHECK(orr_dtype_size((orr_dtype)-1) == 0);
}

/* The tables of the Python array API standard, 2024.12, with float16 and bfloat16 added; '.' is undefined. Rows and columns:
 * b, i1 i2 i4 i8, u1 u2 u4 u8, h (f16), c (bf16), f, d, x (c64), z (c128), r q (fields, which promote only with themselves). */
static void promotion_is_the_standards(void)
{
    static const char keys[] = "bBSILHMNOhcfdxzrq"; /* bool; i8 i16 i32 i64 = B S I L; u8 … = H M N O; h c f d x z */
    static const char *const want[] = {
        "b................", /* bool */
        ".BSILSIL.........", /* i8   */
        ".SSILSIL.........", /* i16  */
        ".IIILIIL.........", /* i32  */
        ".LLLLLLL.........", /* i64  */
        ".SSILHMNO........", /* u8   */
        ".IIILMMNO........", /* u16  */
        ".LLLLNNNO........", /* u32  */
        ".....OOOO........", /* u64  */
        ".........h.fdxz..", /* f16  */
        "..........cfdxz..", /* bf16 */
        ".........fffdxz..", /* f32  */
        ".........ddddzz..", /* f64  */
        ".........xxxzxz..", /* c64  */
        ".........zzzzzz..", /* c128 */
        "...............r.", /* fr254 */
        "................q", /* fq254 */
    };
    for (int a = 0; a < ORR_DTYPE_COUNT; a++) {
        for (int b = 0; b < ORR_DTYPE_COUNT; b++) {
            orr_dtype t = ORR_DTYPE_COUNT;
            bool ok = orr__promote((orr_dtype)a, (orr_dtype)b, &t);
            char got = ok ? keys[t] : '.';
            ORR_CHECK_MSG(got == want[a][b], "%s with %s: %c, not %c", orr_dtype_name((orr_dtype)a),
                          orr_dtype_name((orr_dtype)b), got, want[a][b]);
        }
    }
    orr_dtype t;
    ORR_CHECK(!orr__promote(ORR_DTYPE_COUNT, ORR_F32, &t));
}

/* Between neighbours a < b of a 16-bit format (as integers h, h+1): the midpoint rounds to the even one, and numbers beside it
 * to their side. Midpoints are exact in double. */
static void check_rounding(uint16_t inf, float (*widen)(uint16_t), uint16_t (*from64)(double),
                           uint16_t (*from32)(float))
{
    long bad = 0;
    for (uint32_t h = 0; h < inf; h++) {
        double a = (double)widen((uint16_t)h);
        double b = h + 1 < inf ? (double)widen((uint16_t)(h + 1)) : 2 * a - (double)widen((uint16_t)(h - 1));
        double middle = (a + b) / 2;
        uint32_t even = h & 1 ? h + 1 : h;
        bad += from64(a) != h || from32((float)a) != h;
        bad += from64(middle) != even || from32((float)middle) != even;
        bad += from64(nextafter(middle, 0)) != h || from64(nextafter(middle, INFINITY)) != h + 1;
        bad += from32(nextafterf((float)middle, 0)) != h || from32(nextafterf((float)middle, INFINITY)) != h + 1;
        bad += from64(-middle) != (even | 0x8000u) || from64(-a) != (h | 0x8000u) || from32((float)-a) != (h | 0x8000u);
    }
    ORR_CHECK_MSG(bad == 0, "%ld wrong", bad);
    ORR_CHECK(from64(INFINITY) == inf && from32(-INFINITY) == (inf | 0x8000));
    ORR_CHECK(from64(DBL_MAX) == inf && from32(-FLT_MAX) == (inf | 0x8000));
    ORR_CHECK(from64(DBL_TRUE_MIN) == 0 && from64(-DBL_TRUE_MIN) == 0x8000 && from64(-0.0) == 0x8000);
    for (uint32_t h = inf + 1u; h < 0x8000; h++) {
        ORR_CHECK(isnan(widen((uint16_t)h)));
        ORR_CHECK(isnan(widen(from32(widen((uint16_t)h)))) && isnan(widen(from64((double)widen((uint16_t)h)))));
    }
    uint64_t low_nan = 0x7ff0000000000001u, minus_nan = 0xfff0000000000001u;
    double d;
    memcpy(&d, &low_nan, sizeof d);
    ORR_CHECK(isnan(widen(from64(d))) && !(from64(d) & 0x8000));
    memcpy(&d, &minus_nan, sizeof d);
    ORR_CHECK(isnan(widen(from64(d))) && (from64(d) & 0x8000));
}

static void f16_rounds_to_nearest_even_everywhere(void)
{
    check_rounding(0x7c00, orr__f16_to_f32, orr__f64_to_f16, orr__f32_to_f16);
    ORR_CHECK(orr__f16_to_f32(0x3c00) == 1.0f && orr__f16_to_f32(0x7bff) == 65504.0f);
    ORR_CHECK(orr__f16_to_f32(0x0001) == 0x1p-24f && orr__f16_to_f32(0x0400) == 0x1p-14f);
    ORR_CHECK(orr__f64_to_f16(65519.99) == 0x7bff && orr__f64_to_f16(65520.0) == 0x7c00);
}

static void bf16_rounds_to_nearest_even_everywhere(void)
{
    check_rounding(0x7f80, orr__bf16_to_f32, orr__f64_to_bf16, orr__f32_to_bf16);
    ORR_CHECK(orr__bf16_to_f32(0x3f80) == 1.0f && orr__f32_to_bf16(3.14159265f) == 0x4049);
}

static orr__scalar f(double x)
{
    return (orr__scalar){ .f = x };
}

static orr__scalar i(int64_t x)
{
    return (orr__scalar){ .i = x };
}

static void float_to_int_truncates_and_saturates(void)
{
    ORR_CHECK(orr__scalar_cast(f(2.9), ORR_F64, ORR_I32).i == 2);
    ORR_CHECK(orr__scalar_cast(f(-2.9), ORR_F32, ORR_I8).i == -2);
    ORR_CHECK(orr__scalar_cast(f(1e30), ORR_F32, ORR_I8).i == 127);
    ORR_CHECK(orr__scalar_cast(f(-1e30), ORR_F32, ORR_I16).i == -32768);
    ORR_CHECK(orr__scalar_cast(f(INFINITY), ORR_F64, ORR_I64).i == INT64_MAX);
    ORR_CHECK(orr__scalar_cast(f(-INFINITY), ORR_F64, ORR_I64).i == INT64_MIN);
    ORR_CHECK(orr__scalar_cast(f(0x1p63), ORR_F64, ORR_I64).i == INT64_MAX);
    ORR_CHECK(orr__scalar_cast(f(0x1p63), ORR_F64, ORR_U64).u == (uint64_t)1 << 63);
    ORR_CHECK(orr__scalar_cast(f(1e30), ORR_F64, ORR_U64).u == UINT64_MAX);
    ORR_CHECK(orr__scalar_cast(f(256), ORR_F64, ORR_U8).u == 255);
    ORR_CHECK(orr__scalar_cast(f(-0.5), ORR_F64, ORR_U32).u == 0);
    ORR_CHECK(orr__scalar_cast(f(-7), ORR_F64, ORR_U32).u == 0);
    for (int t = ORR_I8; t <= ORR_U64; t++)
        ORR_CHECK(orr__scalar_cast(f(NAN), ORR_F32, (orr_dtype)t).u == 0);
}

static void int_to_int_wraps_and_bool_is_not_zero(void)
{
    ORR_CHECK(orr__scalar_cast(i(300), ORR_I64, ORR_U8).u == 44);
    ORR_CHECK(orr__scalar_cast(i(200), ORR_I64, ORR_I8).i == -56);
    ORR_CHECK(orr__scalar_cast(i(-1), ORR_I8, ORR_U64).u == UINT64_MAX);
    ORR_CHECK(orr__scalar_cast(i(-1), ORR_I8, ORR_U16).u == 65535);
    ORR_CHECK(orr__scalar_cast(i(256), ORR_I32, ORR_BOOL).u == 1);
    ORR_CHECK(orr__scalar_cast(f(NAN), ORR_F32, ORR_BOOL).u == 1);
    ORR_CHECK(orr__scalar_cast(f(-0.0), ORR_F32, ORR_BOOL).u == 0);
    ORR_CHECK(orr__scalar_cast(i(1), ORR_BOOL, ORR_F16).f == 1.0);
}

static void int_to_float_rounds_once(void)
{
    int64_t odd = ((int64_t)1 << 62) + ((int64_t)1 << 38) + 1; /* f64 first would lose the 1 and then tie to even */
    ORR_CHECK(orr__scalar_cast(i(odd), ORR_I64, ORR_F32).f == 0x1p62 + 0x1p39);
    int64_t b = ((int64_t)1 << 62) + ((int64_t)1 << 54) + 1;
    ORR_CHECK(orr__scalar_cast(i(b), ORR_I64, ORR_BF16).f == 0x1p62 + 0x1p55);
    ORR_CHECK(orr__scalar_cast(i(-b), ORR_I64, ORR_BF16).f == -0x1p62 - 0x1p55);
    ORR_CHECK(orr__scalar_cast(i(-1), ORR_U64, ORR_BF16).f == 0x1p64);
    ORR_CHECK(orr__scalar_cast(i(INT64_MIN), ORR_I64, ORR_BF16).f == -0x1p63);
    ORR_CHECK(orr__scalar_cast(i(65519), ORR_I64, ORR_F16).f == 65504.0);
    ORR_CHECK(isinf(orr__scalar_cast(i(65520), ORR_I64, ORR_F16).f));
    ORR_CHECK(orr__scalar_cast(f(1.0 + 0x1p-11 + 0x1p-40), ORR_F64, ORR_F16).f == 1.0 + 0x1p-10);
}

static void load_and_store_are_inverse(void)
{
    unsigned char bytes[9] = { 0, 0x81, 0x92, 0x43, 0x54, 0x65, 0x76, 0x37, 0x18 }, back[9] = { 0 };
    for (int t = 0; t < ORR__SCALAR_DTYPES; t++) {
        memset(back, 0, sizeof back);
        size_t n = orr_dtype_size((orr_dtype)t);
        orr__scalar_store(back + 1, (orr_dtype)t, orr__scalar_load(bytes + 1, (orr_dtype)t)); /* unaligned */
        if (t == ORR_BOOL)
            ORR_CHECK(back[1] == 1);
        else
            ORR_CHECK_MSG(memcmp(back + 1, bytes + 1, n) == 0, "%s", orr_dtype_name((orr_dtype)t));
    }
    ORR_CHECK(orr__scalar_f64(i(-3), ORR_I8) == -3.0 && orr__scalar_f64(i(-1), ORR_U64) == 0x1p64);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(names_are_those_of_the_array_api),
        ORR_TEST(promotion_is_the_standards),
        ORR_TEST(f16_rounds_to_nearest_even_everywhere),
        ORR_TEST(bf16_rounds_to_nearest_even_everywhere),
        ORR_TEST(float_to_int_truncates_and_saturates),
        ORR_TEST(int_to_int_wraps_and_bool_is_not_zero),
        ORR_TEST(int_to_float_rounds_once),
        ORR_TEST(load_and_store_are_inverse),
        { 0 },
    };
    return orr_test_main(argc, argv, "base.dtype", tests);
}
