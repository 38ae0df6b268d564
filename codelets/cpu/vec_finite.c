/* Loops that look for numbers that are not finite: those whose exponent has all bits set.
 * Must not know: the callers. */
#include "config.h"

#include "codelets/cpu/vec.h"

/* Blocks, so that a loop without a branch has an end soon after the first hit. */
enum { BLOCK = 4096 };

#define FINITE(name, word, exponent)                                                                                   \
    static bool name(const void *p, int64_t n)                                                                         \
    {                                                                                                                  \
        const word *x = p;                                                                                             \
        word most = 0;                                                                                                 \
        for (int64_t i = 0, end; i < n && most < (word)(exponent); i = end) {                                          \
            end = n - i < BLOCK ? n : i + BLOCK;                                                                       \
            for (int64_t j = i; j < end; j++) {                                                                        \
                const word e = x[j] & (word)(exponent);                                                                \
                most = e > most ? e : most;                                                                            \
            }                                                                                                          \
        }                                                                                                              \
        return most < (word)(exponent);                                                                                \
    }
FINITE(finite_f16, int16_t, 0x7c00)
FINITE(finite_bf16, int16_t, 0x7f80)
FINITE(finite_f32, int32_t, 0x7f800000)
FINITE(finite_f64, int64_t, 0x7ff0000000000000)

orr__finitefn *const ORR__V(orr__vec_finite)[ORR_DTYPE_COUNT] = {
    [ORR_F16] = finite_f16, [ORR_BF16] = finite_bf16, [ORR_F32] = finite_f32, [ORR_F64] = finite_f64
};
