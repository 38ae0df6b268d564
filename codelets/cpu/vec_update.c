/* Loops that update rows of an array at given places.
 * Must not know: how indices are checked. */
#include "config.h"

#include "codelets/cpu/vec.h"
#include "codelets/cpu/vec_half.h"
#include "runtime/base/threshold.h"

/* The rows may be anywhere in memory: one is prefetched so many updates before its own. */
enum { AHEAD = ORR__VECTOR };

/* y is the present element, u the update. */
#define UPDATE(name, T, value)                                                                                         \
    static void name(void *restrict to, const void *restrict from, const int64_t *restrict place, int64_t n,           \
                     int64_t inner)                                                                                    \
    {                                                                                                                  \
        for (int64_t j = 0; j < n; j++) {                                                                              \
            if (n - j > AHEAD)                                                                                         \
                __builtin_prefetch((T *)to + place[j + AHEAD] * inner, 1);                                             \
            if (place[j] < 0)                                                                                          \
                continue;                                                                                              \
            T *restrict d = (T *)to + place[j] * inner;                                                                \
            const T *restrict x = (const T *)from + j * inner;                                                         \
            for (int64_t k = 0; k < inner; k++) {                                                                      \
                const T y = d[k], u = x[k];                                                                            \
                (void)y;                                                                                               \
                d[k] = (T)(value);                                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    }

#define SET(name, T) UPDATE(set_##name, T, u)
#define ADD(name, T) UPDATE(add_##name, T, y + u)
/* The first NaN stays the extremum. */
#define OTHERS(name, T)                                                                                                \
    UPDATE(mul_##name, T, y *u)                                                                                        \
    UPDATE(min_##name, T, u < y || u != u ? u : y)                                                                     \
    UPDATE(max_##name, T, u > y || u != u ? u : y)
#define EACH(X)                                                                                                        \
    X(i8, int8_t)                                                                                                      \
    X(i16, int16_t)                                                                                                    \
    X(i32, int32_t)                                                                                                    \
    X(i64, int64_t) X(u8, uint8_t) X(u16, uint16_t) X(u32, uint32_t) X(u64, uint64_t) X(f32, float) X(f64, double)
SET(1, uint8_t)
SET(2, uint16_t)
SET(4, uint32_t)
SET(8, uint64_t)
EACH(ADD)
EACH(OTHERS)
UPDATE(add_bool, uint8_t, y | u)
UPDATE(add_f16, uint16_t, vh_to_f16(vh_from_f16(y) + vh_from_f16(u)))
UPDATE(add_bf16, uint16_t, vh_to_bf16(vh_from_bf16(y) + vh_from_bf16(u)))

#define OF_EACH(op)                                                                                                    \
    [ORR_I8] = op##_i8, [ORR_I16] = op##_i16, [ORR_I32] = op##_i32, [ORR_I64] = op##_i64, [ORR_U8] = op##_u8,          \
    [ORR_U16] = op##_u16, [ORR_U32] = op##_u32, [ORR_U64] = op##_u64, [ORR_F32] = op##_f32, [ORR_F64] = op##_f64

orr__updatefn *const ORR__V(orr__vec_set)[] = { set_1, set_2, set_4, set_8 };
orr__updatefn *const ORR__V(orr__vec_update)[ORR__UPDATES][ORR_DTYPE_COUNT] = {
    [ORR__UPDATE_ADD] = { [ORR_BOOL] = add_bool, [ORR_F16] = add_f16, [ORR_BF16] = add_bf16, OF_EACH(add) },
    [ORR__UPDATE_MUL] = { [ORR_BOOL] = mul_u8, OF_EACH(mul) },
    [ORR__UPDATE_MIN] = { [ORR_BOOL] = min_u8, OF_EACH(min) },
    [ORR__UPDATE_MAX] = { [ORR_BOOL] = max_u8, OF_EACH(max) },
};
