/* The C loops for three dtypes. Compiled twice: by -O3 -march=native, and with -ffast-math as well.
 * Must not know: Orrery. */
#include "bench/hand.h"
#include <math.h>
#include <string.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

static inline float bf16_load(uint16_t x)
{
    uint32_t u = (uint32_t)x << 16;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* Rounds to nearest, ties to even; the argument is never NaN. */
static inline uint16_t bf16_store(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

/* A hash of a counter instead of a random number, as in a hand-written dropout. */
static inline uint32_t mixed(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

#define T float
#define R float
#define LD(p, i) ((p)[i])
#define ST(p, i, v) ((p)[i] = (v))
#define M(fn) fn##f
#define TAG f32
#include "bench/hand_rows.h"

#define T double
#define R double
#define LD(p, i) ((p)[i])
#define ST(p, i, v) ((p)[i] = (v))
#define M(fn) fn
#define TAG f64
#include "bench/hand_rows.h"

#define T uint16_t
#define R float
#define LD(p, i) bf16_load((p)[i])
#define ST(p, i, v) ((p)[i] = bf16_store(v))
#define M(fn) fn##f
#define TAG bf16
#include "bench/hand_rows.h"

#define ROW(tag)                                                                                                       \
    {                                                                                                                  \
        poly6_##tag, silu_##tag, gelu_##tag, black_scholes_##tag, compare_##tag, softmax_##tag, layer_norm_##tag,      \
            squares_##tag, columns_##tag, adam_##tag, dropout_norm_##tag, embedding_##tag, chain4_##tag, chain8_##tag, \
            chain16_##tag, chain32_##tag                                                                               \
    }

/* defines hand_plain or hand_fast, hand_triad_plain or hand_triad_fast */
hand_loop *JOIN(hand, HAND_FLAVOUR)(hand_id id, hand_dtype d)
{
    static hand_loop *const loop[HAND_DTYPES][HAND_IDS] = { ROW(f32), ROW(f64), ROW(bf16) };
    return loop[d][id];
}

void JOIN(hand_triad, HAND_FLAVOUR)(const float *restrict a, const float *restrict b, float *restrict c, int64_t lo,
                                    int64_t hi)
{
    for (int64_t i = lo; i < hi; i++)
        c[i] = a[i] + 0.4f * b[i];
}
