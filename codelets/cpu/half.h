/* f16 and bf16 to f32 and back without branches, so that loops around become vector code; the same bits as
 * runtime/base/dtype.h.
 * Must not know: who converts. It becomes text of generated kernels too: no other headers. */
#ifndef ORR_CPU_HALF_H
#define ORR_CPU_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t vh_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float vh_float(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* The bits moved into place are the value · 2^-112, exactly, f32 subnormals included. */
static inline float vh_from_f16(uint16_t h)
{
    uint32_t u = (uint32_t)(h & 0x7fffu) << 13, sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t finite = vh_bits(vh_float(u) * 0x1p112f);
    uint32_t nan = (u & 0x007fffffu) != 0 ? 0x00400000u : 0;
    return vh_float(sign | (u >= 0x0f800000u ? u | 0x7f800000u | nan : finite));
}

/* Where f16 is subnormal, 0.5 + |f| has the last place 2^-24 that f16 has there: the addition rounds. */
static inline uint16_t vh_to_f16(float f)
{
    uint32_t b = vh_bits(f), u = b & 0x7fffffffu, sign = b >> 16 & 0x8000u;
    uint32_t normal = (u - 0x38000000u + 0xfffu + (u >> 13 & 1u)) >> 13;
    uint32_t small = vh_bits(vh_float(u) + 0.5f) - 0x3f000000u;
    uint32_t r = u < 0x38800000u ? small : normal;
    r = u >= 0x47800000u ? 0x7c00u : r;
    r = u > 0x7f800000u ? 0x7e00u | (u >> 13 & 0x3ffu) : r;
    return (uint16_t)(sign | r);
}

/* To f16 and back at once. From 65520 on the nearest is infinity. */
static inline float vh_round_f16(float f)
{
    uint32_t b = vh_bits(f), u = b & 0x7fffffffu, sign = b & 0x80000000u;
    uint32_t normal = (u + 0xfffu + (u >> 13 & 1u)) & 0xffffe000u;
    uint32_t small = vh_bits((vh_float(u) + 0.5f) - 0.5f);
    uint32_t r = u < 0x38800000u ? small : normal;
    r = u >= 0x477ff000u ? 0x7f800000u : r;
    r = u > 0x7f800000u ? (u | 0x400000u) & 0xffffe000u : r;
    return vh_float(sign | r);
}

static inline float vh_from_bf16(uint16_t h)
{
    return vh_float((uint32_t)h << 16);
}

/* A tie goes to the even neighbour: where the place above the cut is odd, the last bit is set, and half a place less than one
 * bit carries. (One instruction on processors whose logic has three operands; adding the odd bit takes two.) */
static inline float vh_round_bf16(float f)
{
    uint32_t u = vh_bits(f), r = (u | (u >> 16 & 1u)) + 0x7fffu;
    r = (u & 0x7fffffffu) > 0x7f800000u ? u | 0x400000u : r;
    return vh_float(r & 0xffff0000u);
}

static inline uint16_t vh_to_bf16(float f)
{
    return (uint16_t)(vh_bits(vh_round_bf16(f)) >> 16);
}

/* A double as a float that rounds to any half as the double does: the rest is cut off and leaves a one in the
 * last place (round to odd). */
static inline float vh_odd(double x)
{
    float f = (float)x;
    double back = (double)f;
    uint32_t u = vh_bits(f);
    uint32_t away = (x < 0 ? back < x : back > x) ? 1 : 0;
    uint32_t lost = back != x ? 1 : 0;
    return vh_float((u - away) | lost);
}

/* -- registers ------------------------------------------------------------------------------------------- */

/* A register of dtype bf16 (f16) is an f32 whose low 16 (13) bits are zero, NaN included. What IEEE arithmetic makes of
 * such registers is, where it is NaN, either an operand's payload made quiet or the processor's own NaN, whose payload
 * has one bit at the top on every processor named below: the low bits are zero again, so rounding, which adds at most
 * half of the place above them, leaves a NaN what it is, and no choice is needed. Nothing else may go this way: another
 * NaN could be carried into the sign. */
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__)
static inline float vh_fit_bf16(float f)
{
    uint32_t u = vh_bits(f);
    return vh_float(((u | (u >> 16 & 1u)) + 0x7fffu) & 0xffff0000u);
}

static inline float vh_fit_f16(float f)
{
    uint32_t b = vh_bits(f), u = b & 0x7fffffffu, sign = b & 0x80000000u;
    uint32_t normal = (u + 0xfffu + (u >> 13 & 1u)) & 0xffffe000u;
    uint32_t small = vh_bits((vh_float(u) + 0.5f) - 0.5f);
    uint32_t r = u < 0x38800000u ? small : normal;
    uint32_t most = u > 0x7f800000u ? u : 0x7f800000u;
    return vh_float(sign | (u >= 0x477ff000u ? most : r));
}
#else
#define vh_fit_bf16 vh_round_bf16
#define vh_fit_f16 vh_round_f16
#endif

/* The bits of a register's value. */
static inline uint16_t vh_pack_bf16(float f)
{
    return (uint16_t)(vh_bits(f) >> 16);
}

static inline uint16_t vh_pack_f16(float f)
{
    uint32_t b = vh_bits(f), u = b & 0x7fffffffu, sign = b >> 16 & 0x8000u;
    uint32_t small = vh_bits(vh_float(u) + 0.5f) - 0x3f000000u;
    uint32_t r = u < 0x38800000u ? small : (u - 0x38000000u) >> 13;
    return (uint16_t)(sign | (u >= 0x7f800000u ? 0x7c00u | (u >> 13 & 0x3ffu) : r));
}

#endif
