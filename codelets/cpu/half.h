/* f16 and bf16 to f32 and back without branches, so that loops around them vectorise; the same bits as
 * runtime/base/dtype.h.
 * Must not know: the callers. It becomes text of generated kernels too: no other headers. */
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

/* The shifted bits are the value · 2^-112, exactly, f32 subnormals included. The multiplication makes a NaN quiet. */
static inline float vh_from_f16(uint16_t h)
{
    uint32_t u = (uint32_t)((int32_t)(int16_t)h * 0x2000) & 0x8fffe000u;
    return vh_float((u & 0x0f800000u) == 0x0f800000u ? u | 0x7f800000u : u) * 0x1p112f;
}

/* To f16 and back at once; a NaN keeps its bits, made quiet. m is 1.5 times the power of two whose last place is that
 * of f16 at f, which is 2^-24 where f16 is subnormal: the addition rounds. The first product overflows from 2^16. */
static inline float vh_near_f16(float f)
{
    uint32_t b = vh_bits(f);
    int32_t m = (int32_t)((b & 0x7f800000u) + 0x06c00000u);
    m = m > 0x3f400000 ? m : 0x3f400000;
    m = m < 0x4e400000 ? m : 0x4e400000;
    float r = (f + vh_float((uint32_t)m)) - vh_float((uint32_t)m);
    return vh_float(vh_bits(r * 0x1p112f * 0x1p-112f) | (b & 0x80000000u));
}

static inline float vh_round_f16(float f)
{
    uint32_t b = vh_bits(f), r = vh_bits(vh_near_f16(f));
    return vh_float((int32_t)(b & 0x7fffffffu) > 0x7f800000 ? (b | 0x400000u) & 0xffffe000u : r);
}

/* The bits of a value that is representable in f16, or of a NaN. (Subnormal products are slower on some processors;
 * selections are slower on all.) */
static inline uint16_t vh_pack_f16(float f)
{
    uint32_t b = vh_bits(f * 0x1p-112f);
    return (uint16_t)((b >> 16 & 0x8000u) | (b >> 13 & 0x7fffu));
}

static inline uint16_t vh_to_f16(float f)
{
    return vh_pack_f16(vh_round_f16(f));
}

static inline float vh_from_bf16(uint16_t h)
{
    return vh_float((uint32_t)h << 16);
}

/* A tie goes to the even neighbour: if the place above the cut is odd, the last bit is set, and adding half a place
 * less one bit carries. (One instruction on processors whose logic has three operands; adding the odd bit takes
 * two.) */
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

/* A double as a float that rounds to f16 or bf16 as the double does: the rest is cut off and sets the last bit (round
 * to odd). */
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

/* A register of dtype bf16 (f16) is an f32 whose low 16 (13) bits are zero, NaN included. A NaN from IEEE arithmetic on
 * such registers is either an operand's payload made quiet, or the processor's own NaN, whose payload has one bit at
 * the top on every processor named below. The low bits are zero in both cases. Rounding adds at most half of the place
 * above them, so that a NaN stays a NaN, and no selection is needed. No other values may use this function: the
 * rounding of another NaN could carry into the sign. */
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__)
static inline float vh_fit_bf16(float f)
{
    uint32_t u = vh_bits(f);
    return vh_float(((u | (u >> 16 & 1u)) + 0x7fffu) & 0xffff0000u);
}

#define vh_fit_f16 vh_near_f16
#else
#define vh_fit_bf16 vh_round_bf16
#define vh_fit_f16 vh_round_f16
#endif

/* The bits of a register's value. */
static inline uint16_t vh_pack_bf16(float f)
{
    return (uint16_t)(vh_bits(f) >> 16);
}

#endif
