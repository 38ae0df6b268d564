/* Loops of random numbers: Philox blocks side by side, and uniform and normal numbers made from them.
 * Must not know: streams, the callers. */
#include "config.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre", "no-thread-jumps") /* as in vec_f32.c */
#endif
#include "codelets/cpu/philox_lanes.h"
#include "codelets/cpu/vec.h"
#include "codelets/cpu/vmath.h"
#include "runtime/base/philox.h"

enum { CHUNK = 512 };

/* True if the indices are consecutive, as in a tensor that is filled from end to end. */
static int neighbours(const int64_t *index, int64_t n)
{
    int64_t differs = 0;
    for (int64_t i = 0; i < n; i++)
        differs |= index[i] - index[0] - i;
    return differs == 0;
}

/* Neighbours share blocks, whose words are computed together. */
#define RANDOM(name, T, bits, W, words, from_word)                                                                     \
    static void name(void *restrict d_, const int64_t *restrict index, uint64_t seed, int64_t n)                       \
    {                                                                                                                  \
        T *restrict d = d_;                                                                                            \
        int64_t i = 0;                                                                                                 \
        int64_t near = n >= 2 * VR_WIDE && neighbours(index, n) ? n : 0;                                               \
        while (i < near) {                                                                                             \
            int64_t m = n - i < CHUNK ? n - i : CHUNK;                                                                 \
            W room[CHUNK + VR_SPARE];                                                                                  \
            const W *word = words(room, seed, (uint64_t)index[i], m);                                                  \
            for (int64_t j = 0; j < m; j++)                                                                            \
                d[i + j] = from_word(word[j]);                                                                         \
            i += m;                                                                                                    \
        }                                                                                                              \
        for (; i < n; i++)                                                                                             \
            d[i] = from_word(bits(seed, (uint64_t)index[i]));                                                          \
    }
#define NUMBERS64(room, seed, first, n) vr_words64(room, seed, first, n, 1)
RANDOM(bits32, uint32_t, orr__rand_bits32, uint32_t, vr_words32, )
RANDOM(bits64, uint64_t, orr__rand_bits64, uint64_t, NUMBERS64, )
RANDOM(u01_f16, float, orr__rand_bits32, uint32_t, vr_words32, orr__u01_f16)
RANDOM(u01_bf16, float, orr__rand_bits32, uint32_t, vr_words32, orr__u01_bf16)
RANDOM(u01_f32, float, orr__rand_bits32, uint32_t, vr_words32, orr__u01_f32)
RANDOM(u01_f64, double, orr__rand_bits64, uint64_t, NUMBERS64, orr__u01_f64)

/* Box and Muller as orr__rand_normal_f64, except for the last place or two: both numbers of a pair come from one
 * block. */
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
    int64_t i = 0, near = n > 2 * VR_WIDE && neighbours(index, n) ? n : 0;
    if (near && (index[0] & 1))
        d[i++] = one_normal(seed, index[0]);
    while (i + 1 < near) {
        int64_t m = near - i < CHUNK ? (near - i) / 2 * 2 : CHUNK;
        uint64_t room[CHUNK + VR_SPARE];
        const uint64_t *w = vr_words64(room, seed, (uint64_t)index[i], m, 2);
        double x[CHUNK / 2], y[CHUNK / 2];
        for (int64_t b = 0; b < m / 2; b++)
            normals(w[2 * b], w[2 * b + 1], &x[b], &y[b]);
        for (int64_t b = 0; b < m / 2; b++) {
            d[i + 2 * b] = x[b];
            d[i + 2 * b + 1] = y[b];
        }
        i += m;
    }
    for (; i < n; i++)
        d[i] = one_normal(seed, index[i]);
}

orr__randfn *const ORR__V(orr__vec_random)[ORR__RAND_KINDS] = {
    [ORR__RAND_BITS32] = bits32, [ORR__RAND_BITS64] = bits64, [ORR__RAND_F16] = u01_f16,   [ORR__RAND_BF16] = u01_bf16,
    [ORR__RAND_F32] = u01_f32,   [ORR__RAND_F64] = u01_f64,   [ORR__RAND_NORMAL] = normal,
};
