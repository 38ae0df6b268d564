/* Loops besides the operations: sums in place, row times number, start plus step times index.
 * Must not know: the callers. */
#include "config.h"

#include "codelets/cpu/vec.h"

/* Narrow unsigned types are widened, so that no product overflows int. */
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

orr__axpyfn *const ORR__V(orr__vec_axpy)[ORR_DTYPE_COUNT] = {
    [ORR_I8] = axpy8, [ORR_I16] = axpy16, [ORR_I32] = axpy32, [ORR_I64] = axpy64,
    [ORR_U8] = axpy8, [ORR_U16] = axpy16, [ORR_U32] = axpy32, [ORR_U64] = axpy64,
};

#define ADD(name, T)                                                                                                   \
    void ORR__V(name)(void *restrict d_, const void *restrict x_, int64_t n)                                           \
    {                                                                                                                  \
        T *restrict d = d_;                                                                                            \
        const T *restrict x = x_;                                                                                      \
        for (int64_t i = 0; i < n; i++)                                                                                \
            d[i] += x[i];                                                                                              \
    }
ADD(orr__vec_add_f32, float)
ADD(orr__vec_add_f64, double)

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
