/* Loops that convert between dtypes: the meaning of orr__scalar_cast.
 * Must not know: registers. */
#include "config.h"

#include <math.h>
#include "codelets/cpu/vec.h"
#include "codelets/cpu/vec_half.h"

enum { CHUNK = 256 };

#define CAST(name, F, T, value)                                                                                        \
    static void name(void *restrict d_, const void *restrict x_, int64_t n)                                            \
    {                                                                                                                  \
        T *restrict d = d_;                                                                                            \
        const F *restrict xs = x_;                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            F x = xs[i];                                                                                               \
            d[i] = (value);                                                                                            \
        }                                                                                                              \
    }

/* Ints wrap, so one function serves the signed and the unsigned type of a width: u, of the sign that F has not. (A copy
 * to F itself would become a call of memcpy, slower for a block.) */
#define FROM_INT(f, F, u, U)                                                                                           \
    CAST(f##_bool8, F, uint8_t, (uint8_t)(x != 0))                                                                     \
    CAST(f##_##u##8, F, U##8_t, (U##8_t)x)                                                                             \
    CAST(f##_##u##16, F, U##16_t, (U##16_t)x)                                                                          \
    CAST(f##_##u##32, F, U##32_t, (U##32_t)x)                                                                          \
    CAST(f##_##u##64, F, U##64_t, (U##64_t)x)                                                                          \
    CAST(f##_f32, F, float, (float)x)                                                                                  \
    CAST(f##_f64, F, double, (double)x)

/* The value without its fraction fits into T if lo < x < top. */
#define CUT(T, low, lo, top, most)                                                                                     \
    (x >= (top) ? (T)(most) : x <= (lo) ? (T)(low) : (T)(((x > (lo)) & (x < (top))) ? x : 0))
#define FROM_FLOAT(f, F)                                                                                               \
    CAST(f##_bool8, F, uint8_t, (uint8_t)(x != 0))                                                                     \
    CAST(f##_i8, F, int8_t, CUT(int8_t, INT8_MIN, (F)-0x1p7, (F)0x1p7, INT8_MAX))                                      \
    CAST(f##_i16, F, int16_t, CUT(int16_t, INT16_MIN, (F)-0x1p15, (F)0x1p15, INT16_MAX))                               \
    CAST(f##_i32, F, int32_t, CUT(int32_t, INT32_MIN, (F)-0x1p31, (F)0x1p31, INT32_MAX))                               \
    CAST(f##_i64, F, int64_t, CUT(int64_t, INT64_MIN, (F)-0x1p63, (F)0x1p63, INT64_MAX))                               \
    CAST(f##_u8, F, uint8_t, CUT(uint8_t, 0, (F)0, (F)0x1p8, UINT8_MAX))                                               \
    CAST(f##_u16, F, uint16_t, CUT(uint16_t, 0, (F)0, (F)0x1p16, UINT16_MAX))                                          \
    CAST(f##_u32, F, uint32_t, CUT(uint32_t, 0, (F)0, (F)0x1p32, UINT32_MAX))                                          \
    CAST(f##_u64, F, uint64_t, CUT(uint64_t, 0, (F)0, (F)0x1p64, UINT64_MAX))

FROM_INT(i8, int8_t, u, uint)
FROM_INT(i16, int16_t, u, uint)
FROM_INT(i32, int32_t, u, uint)
FROM_INT(i64, int64_t, u, uint)
FROM_INT(u8, uint8_t, i, int)
FROM_INT(u16, uint16_t, i, int)
FROM_INT(u32, uint32_t, i, int)
FROM_INT(u64, uint64_t, i, int)
FROM_FLOAT(f32, float)
FROM_FLOAT(f64, double)
CAST(f32_f64, float, double, (double)x)
CAST(f64_f32, double, float, (float)x)

#define COPY(bytes)                                                                                                    \
    static void copy##bytes(void *restrict d, const void *restrict x, int64_t n)                                       \
    {                                                                                                                  \
        memcpy(d, x, (size_t)n *bytes);                                                                                \
    }
COPY(2)
COPY(4)
COPY(8)
COPY(16)
COPY(32)

/* -- f16 and bf16 --------------------------------------------------------------------------------------- */

/* A value that f32 holds exactly is rounded from f32. Other values go through a float rounded to odd, so that they are
 * rounded once. */
#define HALF(h)                                                                                                        \
    static void h##_f32(void *restrict d, const void *restrict x, int64_t n)                                           \
    {                                                                                                                  \
        vh_all_from_##h(d, x, n);                                                                                      \
    }                                                                                                                  \
    static void f32_##h(void *restrict d, const void *restrict x, int64_t n)                                           \
    {                                                                                                                  \
        vh_all_to_##h(d, x, n);                                                                                        \
    }                                                                                                                  \
    HALF_TO(h, bool8, uint8_t)                                                                                         \
    HALF_BOTH(h, i8, int8_t)                                                                                           \
    HALF_BOTH(h, i16, int16_t)                                                                                         \
    HALF_BOTH(h, u8, uint8_t)                                                                                          \
    HALF_BOTH(h, u16, uint16_t)                                                                                        \
    HALF_TO(h, i32, int32_t)                                                                                           \
    HALF_TO(h, u32, uint32_t)                                                                                          \
    HALF_TO(h, i64, int64_t)                                                                                           \
    HALF_TO(h, u64, uint64_t)                                                                                          \
    HALF_TO(h, f64, double)                                                                                            \
    CAST(i32_##h, int32_t, uint16_t, vh_to_##h(vh_odd((double)x)))                                                     \
    CAST(u32_##h, uint32_t, uint16_t, vh_to_##h(vh_odd((double)x)))                                                    \
    CAST(i64_##h, int64_t, uint16_t, vh_to_##h(vh_odd(exact_i64(x))))                                                  \
    CAST(u64_##h, uint64_t, uint16_t, vh_to_##h(vh_odd(exact_u64(x))))                                                 \
    CAST(f64_##h, double, uint16_t, vh_to_##h(vh_odd(x)))

#define HALF_TO(h, t, T)                                                                                               \
    static void h##_##t(void *restrict d_, const void *restrict x_, int64_t n)                                         \
    {                                                                                                                  \
        T *restrict d = d_;                                                                                            \
        const uint16_t *restrict x = x_;                                                                               \
        float f[CHUNK];                                                                                                \
        for (int64_t i = 0; i < n; i += CHUNK) {                                                                       \
            int64_t m = n - i < CHUNK ? n - i : CHUNK;                                                                 \
            vh_all_from_##h(f, x + i, m);                                                                              \
            f32_##t(d + i, f, m);                                                                                      \
        }                                                                                                              \
    }
#define HALF_FROM(h, t, T)                                                                                             \
    static void t##_##h(void *restrict d_, const void *restrict x_, int64_t n)                                         \
    {                                                                                                                  \
        uint16_t *restrict d = d_;                                                                                     \
        const T *restrict x = x_;                                                                                      \
        float f[CHUNK];                                                                                                \
        for (int64_t i = 0; i < n; i += CHUNK) {                                                                       \
            int64_t m = n - i < CHUNK ? n - i : CHUNK;                                                                 \
            t##_f32(f, x + i, m);                                                                                      \
            vh_all_to_##h(d + i, f, m);                                                                                \
        }                                                                                                              \
    }
#define HALF_BOTH(h, t, T) HALF_TO(h, t, T) HALF_FROM(h, t, T)

/* A double that rounds to f16 or bf16 as x does: the dropped bits set the last one. */
static double exact_u64(uint64_t x)
{
    return x >> 53 == 0 ? (double)x : (double)(x >> 11 | ((x & 0x7ffu) != 0)) * 0x1p11;
}

static double exact_i64(int64_t x)
{
    return x < 0 ? -exact_u64(0u - (uint64_t)x) : exact_u64((uint64_t)x);
}

HALF(f16)
HALF(bf16)
HALF_FROM(f16, bf16, uint16_t)
HALF_FROM(bf16, f16, uint16_t)

void ORR__V(orr__vec_round_f16)(float *x, int64_t n)
{
    vh_all_round_f16(x, n);
}

void ORR__V(orr__vec_round_bf16)(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = vh_round_bf16(x[i]);
}

void ORR__V(orr__vec_fit_bf16)(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = vh_fit_bf16(x[i]);
}

#define AT(from, to) [(from)*ORR_DTYPE_COUNT + (to)]
/* i, u: the names of the functions to signed and to unsigned types. */
#define LINE(from, f, i, u)                                                                                            \
    AT(from, ORR_BOOL) = f##_bool8, AT(from, ORR_I8) = f##_##i##8, AT(from, ORR_I16) = f##_##i##16,                    \
             AT(from, ORR_I32) = f##_##i##32, AT(from, ORR_I64) = f##_##i##64, AT(from, ORR_U8) = f##_##u##8,          \
             AT(from, ORR_U16) = f##_##u##16, AT(from, ORR_U32) = f##_##u##32, AT(from, ORR_U64) = f##_##u##64,        \
             AT(from, ORR_F16) = f##_f16, AT(from, ORR_BF16) = f##_bf16, AT(from, ORR_F32) = f##_f32,                  \
             AT(from, ORR_F64) = f##_f64

#define f16_f16 copy2
#define bf16_bf16 copy2
#define f32_f32 copy4
#define f64_f64 copy8

/* A bool is a u8 that is 0 or 1. */
orr__castfn *const ORR__V(orr__vec_cast)[ORR_DTYPE_COUNT * ORR_DTYPE_COUNT] = {
    LINE(ORR_BOOL, u8, i, i),          LINE(ORR_I8, i8, u, u),
    LINE(ORR_I16, i16, u, u),          LINE(ORR_I32, i32, u, u),
    LINE(ORR_I64, i64, u, u),          LINE(ORR_U8, u8, i, i),
    LINE(ORR_U16, u16, i, i),          LINE(ORR_U32, u32, i, i),
    LINE(ORR_U64, u64, i, i),          LINE(ORR_F16, f16, i, u),
    LINE(ORR_BF16, bf16, i, u),        LINE(ORR_F32, f32, i, u),
    LINE(ORR_F64, f64, i, u),          AT(ORR_C64, ORR_C64) = copy8,
    AT(ORR_C128, ORR_C128) = copy16,   AT(ORR_FR254, ORR_FR254) = copy32,
    AT(ORR_FQ254, ORR_FQ254) = copy32,
};
