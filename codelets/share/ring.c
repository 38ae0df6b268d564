/* Sums of rows modulo 2^32, 2^64 and 2^61 − 1, block by block, so that the sum stays in the first cache.
 * Must not know: the meaning of the rows. */
#include "config.h"
#include <string.h>
#include "ops/share/kernels.h"
#include "ops/share/p61.h"

#define SUM(attributes, name, T, step)                                                                                 \
    attributes static void name(T *restrict out, const void *const *row, int64_t rows, int64_t first, int64_t n,       \
                                bool add)                                                                              \
    {                                                                                                                  \
        for (int64_t from = 0; from < n; from += ORR__SHARE_BLOCK) {                                                   \
            int64_t most = n - from < ORR__SHARE_BLOCK ? n - from : ORR__SHARE_BLOCK, r = 0;                           \
            T *restrict to = out + from;                                                                               \
            if (!add)                                                                                                  \
                memset(to, 0, (size_t)most * sizeof *to);                                                              \
            for (; r + 4 <= rows; r += 4) {                                                                            \
                const T *restrict a = (const T *)row[r] + first + from;                                                \
                const T *restrict b = (const T *)row[r + 1] + first + from;                                            \
                const T *restrict c = (const T *)row[r + 2] + first + from;                                            \
                const T *restrict d = (const T *)row[r + 3] + first + from;                                            \
                for (int64_t i = 0; i < most; i++)                                                                     \
                    to[i] = step(to[i], a[i] + b[i] + c[i] + d[i]);                                                    \
            }                                                                                                          \
            for (; r < rows; r++) {                                                                                    \
                const T *restrict a = (const T *)row[r] + first + from;                                                \
                for (int64_t i = 0; i < most; i++)                                                                     \
                    to[i] = step(to[i], a[i]);                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }

#define WRAP(sum, x) ((sum) + (x))
/* sum < p and x ≤ 4(p − 1): their sum fits. */
#define FIELD(sum, x) orr__p61_fit((((sum) + (x)) & ORR__P61) + (((sum) + (x)) >> 61))

SUM(, sum_32, uint32_t, WRAP)
SUM(, sum_64, uint64_t, WRAP)
SUM(, sum_p61, uint64_t, FIELD)

/* The same with 32-byte registers, if the processor has them. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx2")))
SUM(WIDE, sum_32_wide, uint32_t, WRAP)
SUM(WIDE, sum_64_wide, uint64_t, WRAP)

static bool has_wide(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define sum_32_wide sum_32
#define sum_64_wide sum_64

static bool has_wide(void)
{
    return false;
}
#endif

void orr__ring_sum(orr_modulus modulus, void *out, const void *const *row, int64_t rows, int64_t first, int64_t n,
                   bool add)
{
    bool wide = has_wide();
    if (modulus == ORR_MOD_2_32)
        (wide ? sum_32_wide : sum_32)(out, row, rows, first, n, add);
    else if (modulus == ORR_MOD_2_64)
        (wide ? sum_64_wide : sum_64)(out, row, rows, first, n, add);
    else
        sum_p61(out, row, rows, first, n, add);
}
