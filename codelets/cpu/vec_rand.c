/* Loops of random numbers: Philox blocks side by side, uniform and normal numbers made from them.
 * Must not know: streams, who asks. */
#include "config.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre", "no-thread-jumps") /* as in vec_f32.c */
#endif
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#include "codelets/cpu/vec.h"
#include "codelets/cpu/vmath.h"
#include "runtime/base/philox.h"

/* Philox blocks first … first + BLOCKS, side by side: a 32-bit number in each 64-bit lane, whose product is whole. */
enum { BLOCKS = 16 };

#if defined(__AVX512F__)
typedef __m512i lanes;
#define LANE_MUL(a, b) _mm512_mul_epu32(a, b)
#elif defined(__AVX2__)
typedef __m256i lanes;
#define LANE_MUL(a, b) _mm256_mul_epu32(a, b)
#elif defined(__SSE2__)
typedef __m128i lanes;
#define LANE_MUL(a, b) _mm_mul_epu32(a, b)
#else
typedef uint64_t lanes;
#define LANE_MUL(a, b) (((a)&0xffffffffu) * ((b)&0xffffffffu))
#endif
/* The compiler's own vectors, so that operators work on lanes of any width. */
typedef uint64_t words __attribute__((vector_size(sizeof(lanes))));
enum { WIDE = (int)(sizeof(lanes) / 8) };

static void blocks(uint64_t seed, uint64_t first, uint64_t high, uint64_t w[4][BLOCKS])
{
    const words zero = { 0 };
    for (int b = 0; b < BLOCKS; b += WIDE) {
        words c0 = zero, c1, c2 = zero + (high & 0xffffffffu), c3 = zero + (high >> 32);
        for (int j = 0; j < WIDE; j++)
            c0[j] = first + (uint64_t)(b + j);
        c1 = c0 >> 32;
        uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
        for (int round = 0; round < 10; round++) {
            words p0 = (words)LANE_MUL((lanes)c0, (lanes)(zero + 0xD2511F53u));
            words p1 = (words)LANE_MUL((lanes)c2, (lanes)(zero + 0xCD9E8D57u));
            c0 = p1 >> 32 ^ c1 ^ k0; /* the lanes' upper halves do not matter until the end */
            c2 = p0 >> 32 ^ c3 ^ k1;
            c1 = p1 & 0xffffffffu;
            c3 = p0 & 0xffffffffu;
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        memcpy(&w[0][b], &c0, sizeof c0);
        memcpy(&w[1][b], &c1, sizeof c1);
        memcpy(&w[2][b], &c2, sizeof c2);
        memcpy(&w[3][b], &c3, sizeof c3);
    }
}

/* Are they neighbours, as in a tensor that is filled from end to end? */
static int neighbours(const int64_t *index, int64_t n)
{
    int64_t differs = 0;
    for (int64_t i = 0; i < n; i++)
        differs |= index[i] - index[0] - i;
    return differs == 0;
}

/* Neighbours share blocks: `per` elements to one, elements of block b at d + b·per + j. */
#define RANDOM(name, T, function, per, high, from_words)                                                               \
    static void name(void *restrict d_, const int64_t *restrict index, uint64_t seed, int64_t n)                       \
    {                                                                                                                  \
        T *restrict d = d_;                                                                                            \
        int64_t i = 0;                                                                                                 \
        if (n >= (per)*BLOCKS && neighbours(index, n)) {                                                               \
            for (; (index[i] & ((per)-1)) != 0; i++)                                                                   \
                d[i] = function(seed, (uint64_t)index[i]);                                                             \
            for (; i + (per)*BLOCKS <= n; i += (per)*BLOCKS) {                                                         \
                uint64_t w[4][BLOCKS];                                                                                 \
                blocks(seed, (uint64_t)index[i] / (per), high, w);                                                     \
                for (int b = 0; b < BLOCKS; b++)                                                                       \
                    for (int j = 0; j < (per); j++)                                                                    \
                        d[i + b * (per) + j] = from_words;                                                             \
            }                                                                                                          \
        }                                                                                                              \
        for (; i < n; i++)                                                                                             \
            d[i] = function(seed, (uint64_t)index[i]);                                                                 \
    }
#define WORD ((uint32_t)w[j][b])
#define DOUBLE (w[2 * j + 1][b] << 32 | w[2 * j][b])
RANDOM(bits32, uint32_t, orr__rand_bits32, 4, 0, WORD)
RANDOM(bits64, uint64_t, orr__rand_bits64, 2, 1, DOUBLE)
RANDOM(u01_f16, float, orr__rand_u01_f16, 4, 0, (float)(WORD >> 21) * 0x1p-11f)
RANDOM(u01_bf16, float, orr__rand_u01_bf16, 4, 0, (float)(WORD >> 24) * 0x1p-8f)
RANDOM(u01_f32, float, orr__rand_u01_f32, 4, 0, (float)(WORD >> 8) * 0x1p-24f)
RANDOM(u01_f64, double, orr__rand_u01_f64, 2, 1, (double)(DOUBLE >> 11) * 0x1p-53)

/* Box and Muller as orr__rand_normal_f64 has it, but for the last place or two: both of a pair from one block. */
static inline void normals(uint64_t a, uint64_t c, double *x, double *y)
{
    double radius = sqrt(-2.0 * vm_normal_log((double)(int64_t)((a >> 11) + 1) * 0x1p-53)), sine, cosine;
    vm_normal_circle((double)(int64_t)(c >> 11) * 0x1p-53 * 6.283185307179586476925286766559, &sine, &cosine);
    *x = radius * cosine;
    *y = radius * sine;
}

static double one_normal(uint64_t seed, int64_t index)
{
    uint32_t w[4];
    double x, y;
    orr__philox(seed, (uint64_t)index >> 1, 2, w);
    normals((uint64_t)w[1] << 32 | w[0], (uint64_t)w[3] << 32 | w[2], &x, &y);
    return index & 1 ? y : x;
}

static void normal(void *restrict d_, const int64_t *restrict index, uint64_t seed, int64_t n)
{
    double *restrict d = d_;
    int64_t i = 0;
    if (n > 2 * BLOCKS && neighbours(index, n)) {
        if (index[0] & 1)
            d[i++] = one_normal(seed, index[0]);
        for (; i + 2 * BLOCKS <= n; i += 2 * BLOCKS) {
            uint64_t w[4][BLOCKS];
            double x[BLOCKS], y[BLOCKS];
            blocks(seed, (uint64_t)index[i] >> 1, 2, w);
            for (int b = 0; b < BLOCKS; b++)
                normals(w[1][b] << 32 | w[0][b], w[3][b] << 32 | w[2][b], &x[b], &y[b]);
            for (int b = 0; b < BLOCKS; b++) {
                d[i + 2 * b] = x[b];
                d[i + 2 * b + 1] = y[b];
            }
        }
    }
    for (; i < n; i++)
        d[i] = one_normal(seed, index[i]);
}

orr__randfn *const ORR__V(orr__vec_randoms)[ORR__RAND_KINDS] = {
    [ORR__RAND_BITS32] = bits32, [ORR__RAND_BITS64] = bits64, [ORR__RAND_F16] = u01_f16,   [ORR__RAND_BF16] = u01_bf16,
    [ORR__RAND_F32] = u01_f32,   [ORR__RAND_F64] = u01_f64,   [ORR__RAND_NORMAL] = normal,
};
