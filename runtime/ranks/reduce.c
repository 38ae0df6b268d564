/* The reduction of arrays element by element, in a fixed order.
 * Must not know: ranks, messages. */
#include "config.h"
#include "runtime/ranks/reduce.h"

#include "runtime/base/dtype.h"

enum { BLOCK = 1024 };

/* One block at a time: the accumulator is separate from the operands, since `out` may be one of them. */
#define LARGER(a, b) ((a) >= (b) || (a) != (a) ? (a) : (b))
#define SMALLER(a, b) ((a) <= (b) || (a) != (a) ? (a) : (b))
#define PLUS(a, b) ((a) + (b))
#define FOLD(T, A, LOAD, OPERATION)                                                                                    \
    for (int k = 1; k < n; k++) {                                                                                      \
        const T *p = (const T *)in[k] + at;                                                                            \
        for (int64_t i = 0; i < m; i++)                                                                                \
            acc[i] = (A)OPERATION(acc[i], (A)LOAD(p[i]));                                                              \
    }
/* Two operands in one pass; `out` may be one of them, element by element. */
#define PAIR(T, A, LOAD, STORE, OPERATION)                                                                             \
    const T *p = in[0], *q = in[1];                                                                                    \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; i++) out[i] = (T)STORE(OPERATION((A)LOAD(p[i]), (A)LOAD(q[i])));
#define REDUCTION(name, T, A, LOAD, STORE)                                                                             \
    static void name(orr__reduction reduction, const void *const *in, int n, int64_t count, T *out)                    \
    {                                                                                                                  \
        A acc[BLOCK];                                                                                                  \
        if (n == 2 && reduction == ORR__REDUCTION_SUM) {                                                               \
            PAIR(T, A, LOAD, STORE, PLUS)                                                                              \
            return;                                                                                                    \
        }                                                                                                              \
        for (int64_t at = 0; at < count; at += BLOCK) {                                                                \
            int64_t m = count - at < BLOCK ? count - at : BLOCK;                                                       \
            for (int64_t i = 0; i < m; i++)                                                                            \
                acc[i] = (A)LOAD(((const T *)in[0])[at + i]);                                                          \
            if (reduction == ORR__REDUCTION_SUM)                                                                       \
                FOLD(T, A, LOAD, PLUS)                                                                                 \
            else if (reduction == ORR__REDUCTION_MAX)                                                                  \
                FOLD(T, A, LOAD, LARGER)                                                                               \
            else                                                                                                       \
                FOLD(T, A, LOAD, SMALLER)                                                                              \
            for (int64_t i = 0; i < m; i++)                                                                            \
                out[at + i] = (T)STORE(acc[i]);                                                                        \
        }                                                                                                              \
    }
#define SAME(x) (x)
#define TRUTH(x) ((x) != 0)

REDUCTION(reduce_bool, uint8_t, uint8_t, TRUTH, TRUTH)
REDUCTION(reduce_u8, uint8_t, uint8_t, SAME, SAME)
REDUCTION(reduce_u16, uint16_t, uint16_t, SAME, SAME)
REDUCTION(reduce_u32, uint32_t, uint32_t, SAME, SAME)
REDUCTION(reduce_u64, uint64_t, uint64_t, SAME, SAME)
REDUCTION(reduce_i8, int8_t, int8_t, SAME, SAME)
REDUCTION(reduce_i16, int16_t, int16_t, SAME, SAME)
REDUCTION(reduce_i32, int32_t, int32_t, SAME, SAME)
REDUCTION(reduce_i64, int64_t, int64_t, SAME, SAME)
REDUCTION(reduce_f16, uint16_t, float, orr__f16_to_f32, orr__f32_to_f16)
REDUCTION(reduce_bf16, uint16_t, float, orr__bf16_to_f32, orr__f32_to_bf16)
REDUCTION(reduce_f32, float, float, SAME, SAME)
REDUCTION(reduce_f64, double, double, SAME, SAME)

void orr__reduce(orr_dtype dtype, orr__reduction reduction, const void *const *in, int n, int64_t count, void *out)
{
    /* A sum wraps around equally in signed and unsigned arithmetic, but overflow is defined in unsigned arithmetic only. */
    bool sum = reduction == ORR__REDUCTION_SUM;
    switch (dtype) {
    case ORR_BOOL: reduce_bool(reduction, in, n, count, out); break;
    case ORR_I8: sum ? reduce_u8(reduction, in, n, count, out) : reduce_i8(reduction, in, n, count, out); break;
    case ORR_I16: sum ? reduce_u16(reduction, in, n, count, out) : reduce_i16(reduction, in, n, count, out); break;
    case ORR_I32: sum ? reduce_u32(reduction, in, n, count, out) : reduce_i32(reduction, in, n, count, out); break;
    case ORR_I64: sum ? reduce_u64(reduction, in, n, count, out) : reduce_i64(reduction, in, n, count, out); break;
    case ORR_U8: reduce_u8(reduction, in, n, count, out); break;
    case ORR_U16: reduce_u16(reduction, in, n, count, out); break;
    case ORR_U32: reduce_u32(reduction, in, n, count, out); break;
    case ORR_U64: reduce_u64(reduction, in, n, count, out); break;
    case ORR_F16: reduce_f16(reduction, in, n, count, out); break;
    case ORR_BF16: reduce_bf16(reduction, in, n, count, out); break;
    case ORR_F32: reduce_f32(reduction, in, n, count, out); break;
    case ORR_F64: reduce_f64(reduction, in, n, count, out); break;
    case ORR_C64: reduce_f32(reduction, in, n, 2 * count, out); break;
    case ORR_C128: reduce_f64(reduction, in, n, 2 * count, out); break;
    default: break;
    }
}

#define CONVERT(T, U, OPERATION)                                                                                       \
    for (int64_t i = 0; i < count; i++)                                                                                \
    ((T *)out)[i] = OPERATION(((const U *)in)[i])

void orr__reduce_convert(orr_dtype dtype, bool widens, const void *in, int64_t count, void *out)
{
    if (dtype == ORR_F16 && widens)
        CONVERT(float, uint16_t, orr__f16_to_f32);
    else if (dtype == ORR_F16)
        CONVERT(uint16_t, float, orr__f32_to_f16);
    else if (widens)
        CONVERT(float, uint16_t, orr__bf16_to_f32);
    else
        CONVERT(uint16_t, float, orr__f32_to_bf16);
}
