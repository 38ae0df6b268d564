/* Helper functions that kernels call, written once in the common subset of the dialects: conversions of f16 and bf16.
 * Must not know: regions, devices. */
#include "config.h"

#include "codelets/emit/emit.h"

/* The text of the argument, which is code of the kernel, not of this program. */
#define TEXT(...) #__VA_ARGS__ "\n"

/* Conversions work on bits: they are the same on a device that flushes subnormals, and round to nearest even
 * everywhere. orr_round rounds any value. orr_fit rounds the result of IEEE arithmetic on values of the dtype (see
 * codelets/cpu/half.h; a device's own NaN may have any payload). orr_pack returns the bits of a rounded value. */
/* On NVIDIA's devices the hardware converts, in one instruction. It keeps subnormals; NaN stays NaN, with the payload
 * of the hardware. */
#define HARDWARE(text, other) "#if " text "#else\n" other "#endif\n"

static const char f16_text[] = HARDWARE("defined(__CUDA_ARCH__)\n" TEXT(ORR_FN orr_f32 orr_f16_to_f32(orr_u16 h) {
    orr_f32 x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
    return x;
}) TEXT(ORR_FN orr_u16 orr_f32_to_f16(orr_f32 x) {
    orr_u16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}), TEXT(ORR_FN orr_f32 orr_f16_to_f32(orr_u16 h) {
    const orr_u32 s = (orr_u32)(h & 0x8000u) << 16, a = h & 0x7fffu;
    if (a >= 0x7c00u)
        return orr_bits_f32(s | 0x7f800000u | (a & 0x3ffu) << 13);
    if (a >= 0x400u)
        return orr_bits_f32(s | ((a << 13) + 0x38000000u));
    return orr_bits_f32(s | orr_f32_bits((orr_f32)a * 5.9604644775390625e-8f));
}) TEXT(ORR_FN orr_u16 orr_f32_to_f16(orr_f32 x) {
    const orr_u32 b = orr_f32_bits(x), s = b >> 16 & 0x8000u, a = b & 0x7fffffffu;
    orr_u32 q, rest, mid;
    if (a >= 0x47800000u)
        return (orr_u16)(s | (a > 0x7f800000u ? 0x7e00u : 0x7c00u));
    if (a < 0x33000000u)
        return (orr_u16)s;
    if (a < 0x38800000u) {
        const orr_u32 shift = 126u - (a >> 23), m = (a & 0x7fffffu) | 0x800000u;
        q = m >> shift;
        rest = m & ((1u << shift) - 1u);
        mid = 1u << (shift - 1u);
    } else {
        q = (a - 0x38000000u) >> 13;
        rest = a & 0x1fffu;
        mid = 0x1000u;
    }
    return (orr_u16)(s | (q + (rest > mid || (rest == mid && (q & 1u)) ? 1u : 0u)));
})) TEXT(ORR_FN orr_f32 orr_round_f16(orr_f32 x) {
    return orr_f16_to_f32(orr_f32_to_f16(x));
}) "#define orr_fit_f16 orr_round_f16\n#define orr_pack_f16 orr_f32_to_f16\n";

static const char bf16_text[] =
    TEXT(ORR_FN orr_f32 orr_bf16_to_f32(orr_u16 h) { return orr_bits_f32((orr_u32)h << 16); })
        HARDWARE("defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n" TEXT(ORR_FN orr_u16 orr_f32_to_bf16(orr_f32 x) {
            orr_u16 h;
            asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(x));
            return h;
        }), TEXT(ORR_FN orr_u16 orr_f32_to_bf16(orr_f32 x) {
            const orr_u32 b = orr_f32_bits(x);
            if ((b & 0x7fffffffu) > 0x7f800000u)
                return (orr_u16)((b >> 16 & 0x8000u) | 0x7fc0u);
            return (orr_u16)((b + 0x7fffu + (b >> 16 & 1u)) >> 16);
        })) TEXT(ORR_FN orr_f32 orr_round_bf16(orr_f32 x) { return orr_bf16_to_f32(orr_f32_to_bf16(x)); })
            TEXT(ORR_FN orr_u16 orr_pack_bf16(orr_f32 x) {
                return (orr_u16)(orr_f32_bits(x) >> 16);
            }) "#define orr_fit_bf16 orr_round_bf16\n";

/* bias: difference of the exponent biases; man: mantissa bits of the result; top: its exponent of infinity. */
static const char narrow64_text[] =
    TEXT(ORR_FN orr_u32 orr_narrow64(orr_f64 x, orr_u32 bias, orr_u32 man, orr_u32 top) {
        const orr_u64 b = orr_f64_bits(x), a = b & 0x7fffffffffffffffUL, one = 1;
        const orr_u32 s = (orr_u32)(b >> 48) & 0x8000u, e = (orr_u32)(a >> 52);
        orr_u64 q, rest, mid;
        if (a > 0x7ff0000000000000UL)
            return s | top << man | 1u << (man - 1u);
        if (e >= bias + top)
            return s | top << man;
        if (e + man < bias)
            return s;
        if (e <= bias) {
            const orr_u32 shift = 53u - man + bias - e;
            const orr_u64 m = (a & 0xfffffffffffffUL) | one << 52;
            q = m >> shift;
            rest = m & ((one << shift) - 1);
            mid = one << (shift - 1u);
        } else {
            const orr_u32 shift = 52u - man;
            q = (a - ((orr_u64)bias << 52)) >> shift;
            rest = a & ((one << shift) - 1);
            mid = one << (shift - 1u);
        }
        return s | (orr_u32)(q + (rest > mid || (rest == mid && (q & 1)) ? 1 : 0));
    });

static const char narrow64_f16[] = TEXT(
    ORR_FN orr_f32 orr_f64_round_f16(orr_f64 x) { return orr_f16_to_f32((orr_u16)orr_narrow64(x, 1008u, 10u, 31u)); });
static const char narrow64_bf16[] = TEXT(
    ORR_FN orr_f32 orr_f64_round_bf16(orr_f64 x) { return orr_bf16_to_f32((orr_u16)orr_narrow64(x, 896u, 7u, 255u)); });
/* Ints beyond 53 bits: the bits that f64 drops set its last bit, so that the result is rounded once. */
static const char sticky_bf16[] = TEXT(ORR_FN orr_f32 orr_u64_round_bf16(orr_u64 x) {
    if (x >> 53 == 0)
        return orr_f64_round_bf16((orr_f64)x);
    return orr_f64_round_bf16((orr_f64)(x >> 11 | (orr_u64)((x & 0x7ffu) != 0)) * 2048.0);
}) TEXT(ORR_FN orr_f32 orr_i64_round_bf16(orr_i64 x) {
    return x < 0 ? -orr_u64_round_bf16(0u - (orr_u64)x) : orr_u64_round_bf16((orr_u64)x);
});

void orr__emit_helpers(orr__text *t, unsigned need)
{
    if (need & ORR__NEED_F16)
        orr__text_add(t, f16_text);
    if (need & ORR__NEED_BF16)
        orr__text_add(t, bf16_text);
    if (need & ORR__NEED_NARROW64) {
        orr__text_add(t, narrow64_text);
        if (need & ORR__NEED_F16)
            orr__text_add(t, narrow64_f16);
        if (need & ORR__NEED_BF16) {
            orr__text_add(t, narrow64_bf16);
            orr__text_add(t, sticky_bf16);
        }
    }
}

static bool any_of(const orr__region *r, orr_dtype t)
{
    bool any = false;
    for (int i = 0; i < r->nin; i++)
        any = any || r->in_dtype[i] == t;
    for (int k = 0; k < r->nout; k++)
        any = any || r->out_dtype[k] == t;
    for (int i = 0; i < r->ninstr; i++)
        any = any || r->instr[i].dtype == t || orr__part_dtype(t) == (orr_dtype)r->instr[i].dtype;
    return any;
}

/* Compound numbers: complex numbers, if there are any, or numbers that may be their parts; field elements. */
void orr__emit_compound(orr__text *t, const orr__region *r, bool fp64)
{
    static const char c64[] = "typedef struct { orr_f32 re, im; } orr_c64;\n"
                              "ORR_FN orr_c64 orr_zero_c64(void) { orr_c64 z; z.re = z.im = 0; return z; }\n";
    static const char c128[] = "typedef struct { orr_f64 re, im; } orr_c128;\n"
                               "ORR_FN orr_c128 orr_zero_c128(void) { orr_c128 z; z.re = z.im = 0; return z; }\n";
    static const char element[] =
        "typedef struct { orr_u32 l[8]; } orr_element;\n"
        "ORR_FN orr_element orr_zero_element(void) { orr_element z; for (int i = 0; i < 8; i++) "
        "z.l[i] = 0; return z; }\n";
    if (any_of(r, ORR_FR254) || any_of(r, ORR_FQ254))
        orr__text_add(t, element);
    bool half = any_of(r, ORR_F16) || any_of(r, ORR_BF16);
    if (half || any_of(r, ORR_C64))
        orr__text_add(t, c64);
    if (fp64 && any_of(r, ORR_C128))
        orr__text_add(t, c128);
}
