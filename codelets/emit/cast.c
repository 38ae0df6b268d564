/* Words for dtypes, and conversions between them as expressions: saturation, wrap-around, rounding.
 * Must not know: regions, devices. */
#include "config.h"

#include "codelets/emit/emit.h"
#include "runtime/base/dtype.h"

/* Register type, memory type, suffix of function names, number of bits. */
static const struct {
    const char *type, *storage, *suffix;
    int bits;
} word[ORR_DTYPE_COUNT] = {
    [ORR_BOOL] = { "orr_u8", "orr_u8", "bool", 1 },
    [ORR_I8] = { "orr_i8", "orr_i8", "i8", 8 },
    [ORR_I16] = { "orr_i16", "orr_i16", "i16", 16 },
    [ORR_I32] = { "orr_i32", "orr_i32", "i32", 32 },
    [ORR_I64] = { "orr_i64", "orr_i64", "i64", 64 },
    [ORR_U8] = { "orr_u8", "orr_u8", "u8", 8 },
    [ORR_U16] = { "orr_u16", "orr_u16", "u16", 16 },
    [ORR_U32] = { "orr_u32", "orr_u32", "u32", 32 },
    [ORR_U64] = { "orr_u64", "orr_u64", "u64", 64 },
    [ORR_F16] = { "orr_f32", "orr_u16", "f16", 16 },
    [ORR_BF16] = { "orr_f32", "orr_u16", "bf16", 16 },
    [ORR_F32] = { "orr_f32", "orr_f32", "f32", 32 },
    [ORR_F64] = { "orr_f64", "orr_f64", "f64", 64 },
    [ORR_C64] = { "orr_c64", "orr_c64", "c64", 64 },
    [ORR_C128] = { "orr_c128", "orr_c128", "c128", 128 },
    [ORR_FR254] = { "orr_element", "orr_element", "fr254", 256 },
    [ORR_FQ254] = { "orr_element", "orr_element", "fq254", 256 },
};

const char *orr__emit_type(orr_dtype t)
{
    return word[t].type;
}

const char *orr__emit_lane(int size)
{
    return size == 1 ? "orr_u8" : "int";
}

const char *orr__emit_storage(orr_dtype t)
{
    return word[t].storage;
}

const char *orr__emit_suffix(orr_dtype t)
{
    return word[t].suffix;
}

/* Truncates. A value beyond the range gives the nearest end; NaN gives 0. The ends are powers of two, exact in every
 * float. */
static void float_to_int(orr__text *t, orr_dtype from, orr_dtype to, const char *x)
{
    static const char *const end[2][4] = {
        { "128.0", "32768.0", "2147483648.0", "9223372036854775808.0" },
        { "256.0", "65536.0", "4294967296.0", "18446744073709551616.0" },
    };
    static const char *const most[2][4] = {
        { "127", "32767", "2147483647", "9223372036854775807L" },
        { "255u", "65535u", "4294967295u", "18446744073709551615UL" },
    };
    static const char *const least[4] = { "(-128)", "(-32768)", "(-2147483647 - 1)", "(-9223372036854775807L - 1)" };
    int uns = orr__is_unsigned(to), bits = word[to].bits, size = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
    const char *f = from == ORR_F64 ? "" : "f", *type = word[to].type;
    orr__text_addf(t, "(%s != %s ? (%s)0 : %s >= %s%s ? (%s)%s : ", x, x, type, x, end[uns][size], f, type,
                   most[uns][size]);
    if (uns)
        orr__text_addf(t, "%s <= 0.0%s ? (%s)0 : (%s)%s)", x, f, type, type, x);
    else
        orr__text_addf(t, "%s <= -%s%s ? (%s)%s : (%s)%s)", x, end[0][size], f, type, least[size], type, x);
}

void orr__emit_cast(orr__text *t, orr_dtype from, orr_dtype to, const char *x, bool fp64)
{
    const char *type = word[to].type, *suffix = word[to].suffix;
    if (from == to)
        orr__text_add(t, x);
    else if (from == ORR_BOOL && !orr__is_compound(to)) /* a choice: compilers do not vectorise the conversion */
        orr__text_addf(t, "(%s ? (%s)1 : (%s)0)", x, type, type);
    else if (to == ORR_BOOL)
        orr__text_addf(t, "(orr_u8)(%s != 0 ? 1 : 0)", x);
    else if (orr__is_float(from) && orr__is_int(to))
        float_to_int(t, from, to, x);
    else if (to == ORR_BF16 && fp64 && (from == ORR_I64 || from == ORR_U64))
        orr__text_addf(t, "orr_%s_round_bf16(%s)", word[from].suffix, x);
    else if (orr__is_half(to) && (from == ORR_F64 || (fp64 && !orr__is_float(from))))
        orr__text_addf(t, "orr_f64_round_%s((orr_f64)%s)", suffix, x);
    else if (orr__is_half(to))
        orr__text_addf(t, "orr_round_%s((orr_f32)%s)", suffix, x);
    else if (orr__is_signed(to) && word[to].bits < word[from].bits)
        orr__text_addf(t, "(%s)(orr_u%d)%s", type, word[to].bits, x);
    else
        orr__text_addf(t, "(%s)%s", type, x);
}
