/* Loops beside the rows: sums in place, row times number, start plus step times index.
 * Must not know: who asks. */
#include "config.h"

#include "codelets/cpu/vec.h"
#include "codelets/cpu/vec_half.h"

/* Narrow unsigned types are lifted, so that nothing overflows as int. */
#define AXPY(name, U)                                                                                                  \
    static void name(void *restrict c_, const void *a_, const void *restrict b_, int64_t n)                            \
    {                                                                                                                  \
        U *restrict c = c_;                                                                                            \
        const U *restrict b = b_;                                                                                      \
        U a = *(const U *)a_;                                                                                          \
        for (int64_t i = 0; i < n; i++)                                                                                \
            c[i] = (U)(c[i] + 0u + (a + 0u) * b[i]);                                                                   \
    }
AXPY(axpy8, uint8_t)
AXPY(axpy16, uint16_t)
AXPY(axpy32, uint32_t)
AXPY(axpy64, uint64_t)

orr__axpyfn *const ORR__V(orr__vec_axpys)[ORR_DTYPE_COUNT] = {
    [ORR_I8] = axpy8, [ORR_I16] = axpy16, [ORR_I32] = axpy32, [ORR_I64] = axpy64,
    [ORR_U8] = axpy8, [ORR_U16] = axpy16, [ORR_U32] = axpy32, [ORR_U64] = axpy64,
};

#define ADD(name, U, value)                                                                                            \
    static void name(void *restrict d_, const void *restrict x_, int64_t n)                                            \
    {                                                                                                                  \
        U *restrict d = d_;                                                                                            \
        const U *restrict x = x_;                                                                                      \
        for (int64_t i = 0; i < n; i++)                                                                                \
            d[i] = (value);                                                                                            \
    }
ADD(add8, uint8_t, (uint8_t)(d[i] + x[i]))
ADD(add16, uint16_t, (uint16_t)(d[i] + x[i]))
ADD(add32, uint32_t, d[i] + x[i])
ADD(add64, uint64_t, d[i] + x[i])
ADD(add_bool, uint8_t, d[i] | x[i])
ADD(add_f16, uint16_t, vh_to_f16(vh_from_f16(d[i]) + vh_from_f16(x[i])))
ADD(add_bf16, uint16_t, vh_to_bf16(vh_from_bf16(d[i]) + vh_from_bf16(x[i])))
ADD(add_f32, float, d[i] + x[i])
ADD(add_f64, double, d[i] + x[i])

orr__addfn *const ORR__V(orr__vec_adds)[ORR_DTYPE_COUNT] = {
    [ORR_BOOL] = add_bool, [ORR_I8] = add8,     [ORR_I16] = add16,   [ORR_I32] = add32, [ORR_I64] = add64,
    [ORR_U8] = add8,       [ORR_U16] = add16,   [ORR_U32] = add32,   [ORR_U64] = add64, [ORR_F16] = add_f16,
    [ORR_BF16] = add_bf16, [ORR_F32] = add_f32, [ORR_F64] = add_f64,
};

void ORR__V(orr__vec_affine_f64)(void *restrict d_, const int64_t *restrict index, orr__scalar start, orr__scalar step,
                                 int64_t n)
{
    double *restrict d = d_;
    for (int64_t i = 0; i < n; i++)
        d[i] = start.f + step.f * (double)index[i];
}

void ORR__V(orr__vec_affine_u64)(void *restrict d_, const int64_t *restrict index, orr__scalar start, orr__scalar step,
                                 int64_t n)
{
    uint64_t *restrict d = d_;
    for (int64_t i = 0; i < n; i++)
        d[i] = start.u + step.u * (uint64_t)index[i];
}
