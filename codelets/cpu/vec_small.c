/* Products of small matrices, many at a time: a factor is packed only if its rows are not contiguous. Products of large
 * matrices by the same tiles.
 * Must not know: the callers, BLAS. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/vec.h"
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

/* One tile. Element (row, k) of a is at row·a_row + k·a_col; the rows of b, c and `from` are contiguous. The sums begin with `from`, NULL:
 * with zeros. `rest`: elements of the last vector, 0: all. */
typedef struct {
    const void *a, *b, *from;
    void *c;
    int64_t k, a_row, a_col, b_row, c_row, from_row, rest;
} orr__smalltile;

/* Sums in registers: a dozen or more, so that a processor with two multipliers of latency 4 never waits for one. */
#if defined(__AVX512F__)
enum { ROWS_MOST = 6, ROWS_OF_WIDE = 6, VECTORS_MOST = 4 };
#define EACH_TILE(TILE)                                                                                                \
    TILE(1, 1)                                                                                                         \
    TILE(2, 1)                                                                                                         \
    TILE(3, 1)                                                                                                         \
    TILE(4, 1) TILE(5, 1) TILE(6, 1) TILE(1, 2) TILE(2, 2) TILE(3, 2) TILE(4, 2) TILE(5, 2) TILE(6, 2) TILE(1, 3)      \
        TILE(2, 3) TILE(3, 3) TILE(4, 3) TILE(5, 3) TILE(6, 3) TILE(1, 4) TILE(2, 4) TILE(3, 4) TILE(4, 4) TILE(5, 4)  \
            TILE(6, 4)
#else
enum { ROWS_MOST = 6, ROWS_OF_WIDE = 4, VECTORS_MOST = 3 };
#define EACH_TILE(TILE)                                                                                                \
    TILE(1, 1)                                                                                                         \
    TILE(2, 1)                                                                                                         \
    TILE(3, 1)                                                                                                         \
    TILE(4, 1) TILE(5, 1) TILE(6, 1) TILE(1, 2) TILE(2, 2) TILE(3, 2) TILE(4, 2) TILE(5, 2) TILE(6, 2) TILE(1, 3)      \
        TILE(2, 3) TILE(3, 3) TILE(4, 3)
#endif

/* A vector with x in each element; a mask of the last vector's elements; a masked load with zeros elsewhere; a masked
 * store; a·b + c. */
#if defined(__AVX512F__)
#define MASK_F32(n) ((__mmask16)((1u << (n)) - 1))
#define MASK_F64(n) ((__mmask8)((1u << (n)) - 1))
#elif defined(__AVX2__) && defined(__FMA__)
static const int32_t some32[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };
static const int64_t some64[8] = { -1, -1, -1, -1 };
#define MASK_F32(n) _mm256_loadu_si256((const void *)(some32 + 8 - (n)))
#define MASK_F64(n) _mm256_loadu_si256((const void *)(some64 + 4 - (n)))
#endif

#define REAL float
#define LANE int32_t
#define F(name) ORR__V(orr__vec_##name##_f32)
#if defined(__AVX512F__)
#define VEC __m512
#define MASK __mmask16
#define ALL(x) _mm512_set1_ps(x)
#define MASK_OF(n) MASK_F32(n)
#define SOME(p, mask) _mm512_maskz_loadu_ps(mask, p)
#define PUT(p, mask, x, n) _mm512_mask_storeu_ps(p, mask, x)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#elif defined(__AVX2__) && defined(__FMA__)
#define VEC __m256
#define MASK __m256i
#define ALL(x) _mm256_set1_ps(x)
#define MASK_OF(n) MASK_F32(n)
#define SOME(p, mask) _mm256_maskload_ps(p, mask)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#else
typedef float vec4 __attribute__((vector_size(16)));
static inline vec4 some_f32(const float *p, int64_t n)
{
    vec4 x = { 0 };
    memcpy(&x, p, (size_t)n * sizeof *p);
    return x;
}
#define VEC vec4
#define MASK int64_t
#define ALL(x) ((vec4){ x, x, x, x })
#define MASK_OF(n) (n)
#define SOME(p, mask) some_f32(p, mask)
#if defined(__aarch64__) && defined(__ARM_NEON)
#define FMA(a, b, c) vfmaq_f32(c, a, b)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif
#endif
#ifndef PUT
#define PUT(p, mask, x, n) F(put_some)(p, x, n)
#endif
#include "codelets/cpu/vec_turn.h"
#include "codelets/cpu/vec_small.h"
#undef PUT
#undef REAL
#undef LANE
#undef F
#undef VEC
#undef MASK
#undef ALL
#undef MASK_OF
#undef SOME
#undef FMA

#define REAL double
#define LANE int64_t
#define F(name) ORR__V(orr__vec_##name##_f64)
#if defined(__AVX512F__)
#define VEC __m512d
#define MASK __mmask8
#define ALL(x) _mm512_set1_pd(x)
#define MASK_OF(n) MASK_F64(n)
#define SOME(p, mask) _mm512_maskz_loadu_pd(mask, p)
#define PUT(p, mask, x, n) _mm512_mask_storeu_pd(p, mask, x)
#define FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#elif defined(__AVX2__) && defined(__FMA__)
#define VEC __m256d
#define MASK __m256i
#define ALL(x) _mm256_set1_pd(x)
#define MASK_OF(n) MASK_F64(n)
#define SOME(p, mask) _mm256_maskload_pd(p, mask)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#else
typedef double vec2 __attribute__((vector_size(16)));
static inline vec2 some_f64(const double *p, int64_t n)
{
    vec2 x = { 0 };
    memcpy(&x, p, (size_t)n * sizeof *p);
    return x;
}
#define VEC vec2
#define MASK int64_t
#define ALL(x) ((vec2){ x, x })
#define MASK_OF(n) (n)
#define SOME(p, mask) some_f64(p, mask)
#if defined(__aarch64__) && defined(__ARM_NEON)
#define FMA(a, b, c) vfmaq_f64(c, a, b)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif
#endif
#ifndef PUT
#define PUT(p, mask, x, n) F(put_some)(p, x, n)
#endif
#include "codelets/cpu/vec_turn.h"
#include "codelets/cpu/vec_small.h"
#undef PUT
