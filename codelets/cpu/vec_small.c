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
#define FOUR_ROWS(TILE, vectors) TILE(1, vectors) TILE(2, vectors) TILE(3, vectors) TILE(4, vectors)
#define SIX_ROWS(TILE, vectors) FOUR_ROWS(TILE, vectors) TILE(5, vectors) TILE(6, vectors)
#if defined(__AVX512F__)
enum { ROWS_MOST = 6, ROWS_OF_WIDE = 6, VECTORS_MOST = 4 };
#define EACH_TILE(TILE) SIX_ROWS(TILE, 1) SIX_ROWS(TILE, 2) SIX_ROWS(TILE, 3) SIX_ROWS(TILE, 4)
enum { DOTS_MOST = 4 };
#define EACH_DOTS EACH_TILE
#else
enum { ROWS_MOST = 6, ROWS_OF_WIDE = 4, VECTORS_MOST = 3 };
#define EACH_TILE(TILE) SIX_ROWS(TILE, 1) SIX_ROWS(TILE, 2) FOUR_ROWS(TILE, 3)
enum { DOTS_MOST = 2 };
#define EACH_DOTS(DOTS) SIX_ROWS(DOTS, 1) SIX_ROWS(DOTS, 2)
#endif

/* A vector with x in each element; a mask of the last vector's elements; a masked load with zeros elsewhere; a masked
 * store; a·b + c. */
#if defined(__AVX512F__)
#define VEC_f32 __m512
#define VEC_f64 __m512d
#define MASK_f32 __mmask16
#define MASK_f64 __mmask8
#define ALL_f32 _mm512_set1_ps
#define ALL_f64 _mm512_set1_pd
#define MASK_OF_f32(n) ((__mmask16)((1u << (n)) - 1))
#define MASK_OF_f64(n) ((__mmask8)((1u << (n)) - 1))
#define SOME_f32(p, mask) _mm512_maskz_loadu_ps(mask, p)
#define SOME_f64(p, mask) _mm512_maskz_loadu_pd(mask, p)
#define PUT_f32(p, mask, x, n) _mm512_mask_storeu_ps(p, mask, x)
#define PUT_f64(p, mask, x, n) _mm512_mask_storeu_pd(p, mask, x)
#define FMA_f32 _mm512_fmadd_ps
#define FMA_f64 _mm512_fmadd_pd
#else
#if defined(__AVX2__) && defined(__FMA__)
static const int32_t some32[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };
static const int64_t some64[8] = { -1, -1, -1, -1 };
#define VEC_f32 __m256
#define VEC_f64 __m256d
#define MASK_f32 __m256i
#define MASK_f64 __m256i
#define ALL_f32 _mm256_set1_ps
#define ALL_f64 _mm256_set1_pd
#define MASK_OF_f32(n) _mm256_loadu_si256((const void *)(some32 + 8 - (n)))
#define MASK_OF_f64(n) _mm256_loadu_si256((const void *)(some64 + 4 - (n)))
#define SOME_f32 _mm256_maskload_ps
#define SOME_f64 _mm256_maskload_pd
#define FMA_f32 _mm256_fmadd_ps
#define FMA_f64 _mm256_fmadd_pd
#else
typedef float vec4 __attribute__((vector_size(16)));
typedef double vec2 __attribute__((vector_size(16)));
static inline vec4 some_f32(const float *p, int64_t n)
{
    return (vec4){ p[0], n > 1 ? p[1] : 0, n > 2 ? p[2] : 0, 0 };
}
static inline vec2 some_f64(const double *p, int64_t n)
{
    return (vec2){ p[0], n > 1 ? p[1] : 0 };
}
#define VEC_f32 vec4
#define VEC_f64 vec2
#define MASK_f32 int64_t
#define MASK_f64 int64_t
#define ALL_f32(x) ((vec4){ x, x, x, x })
#define ALL_f64(x) ((vec2){ x, x })
#define MASK_OF_f32(n) (n)
#define MASK_OF_f64(n) (n)
#define SOME_f32 some_f32
#define SOME_f64 some_f64
#if defined(__aarch64__) && defined(__ARM_NEON)
#define FMA_f32(a, b, c) vfmaq_f32(c, a, b)
#define FMA_f64(a, b, c) vfmaq_f64(c, a, b)
#else
#define FMA_f32(a, b, c) ((a) * (b) + (c))
#define FMA_f64 FMA_f32
#endif
#endif
#define PUT_f32(p, mask, x, n) F(put_some)(p, x, n)
#define PUT_f64 PUT_f32
#endif
#if defined(__AVX512F__)
#define IN_REGISTER(x) __asm__("" : "+v"(x))
#elif defined(__SSE2__)
#define IN_REGISTER(x) __asm__("" : "+x"(x))
#elif defined(__aarch64__)
#define IN_REGISTER(x) __asm__("" : "+w"(x))
#else
#define IN_REGISTER(x) (void)(x)
#endif

#define REAL float
#define LANE int32_t
#define F(name) ORR__V(orr__vec_##name##_f32)
#define V(name) name##_f32
#include "codelets/cpu/vec_turn.h"
#include "codelets/cpu/vec_small.h"
#undef REAL
#undef LANE
#undef F
#undef V

#define REAL double
#define LANE int64_t
#define F(name) ORR__V(orr__vec_##name##_f64)
#define V(name) name##_f64
#include "codelets/cpu/vec_turn.h"
#include "codelets/cpu/vec_small.h"
