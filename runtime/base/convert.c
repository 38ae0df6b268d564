/* Conversion of single values between element types, with one correct rounding.
 * Must not know: tensors, devices. */
#include "config.h"
#include "runtime/base/dtype.h"

#include <math.h>

static inline uint32_t bits32(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float float32(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* d in a 16-bit format of `mant` fraction bits and exponent bias `bias`: to nearest, ties to even. A carry out of the fraction
 * increments the exponent, which rounds up, up to infinity. NaN stays NaN, quiet. */
static uint16_t narrow(double d, int mant, int bias)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    uint32_t sign = (uint32_t)(u >> 63) << 15;
    int exponent = (int)(u >> 52 & 0x7ff);
    uint64_t frac = u & 0xfffffffffffffu;
    uint32_t inf = (0x7fffu >> mant) << mant;
    if (exponent == 0x7ff) {
        uint32_t nan = frac ? 1u << (mant - 1) | (uint32_t)(frac >> (52 - mant)) : 0u;
        return (uint16_t)(sign | inf | nan);
    }
    int e = exponent - 1023, emin = 1 - bias;
    int shift = 52 - mant + (e < emin ? emin - e : 0);
    if (shift > 53) /* limit of arithmetic: below half of the smallest subnormal; f64's own subnormals too */
        return (uint16_t)sign;
    uint64_t sig = frac | 1ull << 52, q = sig >> shift, rest = sig & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    q += rest > half || (rest == half && (q & 1));
    if (e >= emin) {
        if (e > bias)
            return (uint16_t)(sign | inf);
        q += (uint64_t)(e + bias - 1) << mant; /* q's leading one adds the missing 1 */
    }
    return (uint16_t)(sign | (q > inf ? inf : (uint32_t)q));
}

float orr__f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, e = h >> 10 & 0x1fu, m = h & 0x3ffu;
    if (e == 0)
        return float32(sign | bits32((float)m * 0x1p-24f));
    if (e == 31)
        return float32(sign | 0x7f800000u | m << 13);
    return float32(sign | (e + 112) << 23 | m << 13);
}

uint16_t orr__f64_to_f16(double d)
{
    return narrow(d, 10, 15);
}

uint16_t orr__f32_to_f16(float f)
{
    return narrow((double)f, 10, 15);
}

float orr__bf16_to_f32(uint16_t h)
{
    return float32((uint32_t)h << 16);
}

uint16_t orr__f64_to_bf16(double d)
{
    return narrow(d, 7, 127);
}

uint16_t orr__f32_to_bf16(float f)
{
    uint32_t u = bits32(f);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(u >> 16 | 0x40u);
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

/* |v| as a double that rounds to f16 or bf16 as v itself would: lost bits set the last bit. */
static double sticky(uint64_t v)
{
    if (v >> 53 == 0)
        return (double)v;
    return (double)(v >> 11 | ((v & 0x7ffu) != 0)) * 0x1p11;
}

static double round_float(double d, orr_dtype to)
{
    switch (to) {
    case ORR_F16: return (double)orr__f16_to_f32(orr__f64_to_f16(d));
    case ORR_BF16: return (double)orr__bf16_to_f32(orr__f64_to_bf16(d));
    case ORR_F32: return (double)(float)d;
    default: return d;
    }
}

static double int_to_float(orr__scalar v, bool is_signed, orr_dtype to)
{
    if (to == ORR_F64)
        return is_signed ? (double)v.i : (double)v.u;
    if (to == ORR_F32)
        return is_signed ? (double)(float)v.i : (double)(float)v.u;
    bool negative = is_signed && v.i < 0;
    double d = sticky(negative ? 0u - v.u : v.u);
    return round_float(negative ? -d : d, to);
}

static orr__scalar wrap(orr__scalar v, orr_dtype to)
{
    switch (to) {
    case ORR_I8: v.i = (int8_t)v.u; break;
    case ORR_I16: v.i = (int16_t)v.u; break;
    case ORR_I32: v.i = (int32_t)v.u; break;
    case ORR_U8: v.u = (uint8_t)v.u; break;
    case ORR_U16: v.u = (uint16_t)v.u; break;
    case ORR_U32: v.u = (uint32_t)v.u; break;
    default: break;
    }
    return v;
}

static orr__scalar float_to_int(double d, orr_dtype to)
{
    orr__scalar r = { .u = 0 };
    int bits = 8 * (int)orr_dtype_size(to);
    if (isnan(d))
        return r;
    if (orr__is_signed(to)) {
        double top = ldexp(1.0, bits - 1);
        int64_t max = INT64_MAX >> (64 - bits);
        r.i = d >= top ? max : d <= -top ? -max - 1 : (int64_t)d;
    } else {
        r.u = d >= ldexp(1.0, bits) ? UINT64_MAX >> (64 - bits) : d <= 0 ? 0 : (uint64_t)d;
    }
    return r;
}

orr__scalar orr__scalar_cast(orr__scalar v, orr_dtype from, orr_dtype to)
{
    orr__scalar r = v;
    if (from == ORR_F64 && to == ORR_F32) /* numbers beside tensors: nearly all calls */
        r.f = (double)(float)v.f;
    else if (to == ORR_BOOL)
        r.u = orr__is_float(from) ? v.f != 0.0 : v.u != 0;
    else if (orr__is_float(from) && orr__is_float(to))
        r.f = round_float(v.f, to);
    else if (orr__is_float(from))
        r = float_to_int(v.f, to);
    else if (orr__is_float(to))
        r.f = int_to_float(v, orr__is_signed(from), to);
    else
        r = wrap(v, to);
    return r;
}

double orr__scalar_f64(orr__scalar v, orr_dtype t)
{
    return orr__is_float(t) ? v.f : orr__is_signed(t) ? (double)v.i : (double)v.u;
}

#define LOAD(type, member, expr)                                                                                       \
    {                                                                                                                  \
        type x;                                                                                                        \
        memcpy(&x, p, sizeof x);                                                                                       \
        r.member = (expr);                                                                                             \
        break;                                                                                                         \
    }

orr__scalar orr__scalar_load(const void *p, orr_dtype t)
{
    orr__scalar r = { .u = 0 };
    switch (t) {
    case ORR_BOOL: LOAD(uint8_t, u, x != 0)
    case ORR_I8: LOAD(int8_t, i, x)
    case ORR_I16: LOAD(int16_t, i, x)
    case ORR_I32: LOAD(int32_t, i, x)
    case ORR_I64: LOAD(int64_t, i, x)
    case ORR_U8: LOAD(uint8_t, u, x)
    case ORR_U16: LOAD(uint16_t, u, x)
    case ORR_U32: LOAD(uint32_t, u, x)
    case ORR_U64: LOAD(uint64_t, u, x)
    case ORR_F16: LOAD(uint16_t, f, (double)orr__f16_to_f32(x))
    case ORR_BF16: LOAD(uint16_t, f, (double)orr__bf16_to_f32(x))
    case ORR_F32: LOAD(float, f, (double)x)
    case ORR_F64: LOAD(double, f, x)
    case ORR_C64:
    case ORR_C128:
    case ORR_FR254:
    case ORR_FQ254:
    case ORR_DTYPE_COUNT: break;
    }
    return r;
}

#define STORE(type, expr)                                                                                              \
    {                                                                                                                  \
        type x = (expr);                                                                                               \
        memcpy(p, &x, sizeof x);                                                                                       \
        break;                                                                                                         \
    }

void orr__scalar_store(void *p, orr_dtype t, orr__scalar v)
{
    switch (t) {
    case ORR_BOOL: STORE(uint8_t, v.u != 0)
    case ORR_I8:
    case ORR_U8: STORE(uint8_t, (uint8_t)v.u)
    case ORR_I16:
    case ORR_U16: STORE(uint16_t, (uint16_t)v.u)
    case ORR_I32:
    case ORR_U32: STORE(uint32_t, (uint32_t)v.u)
    case ORR_I64:
    case ORR_U64: STORE(uint64_t, v.u)
    case ORR_F16: STORE(uint16_t, orr__f64_to_f16(v.f))
    case ORR_BF16: STORE(uint16_t, orr__f64_to_bf16(v.f))
    case ORR_F32: STORE(float, (float)v.f)
    case ORR_F64: STORE(double, v.f)
    case ORR_C64:
    case ORR_C128:
    case ORR_FR254:
    case ORR_FQ254:
    case ORR_DTYPE_COUNT: break;
    }
}
