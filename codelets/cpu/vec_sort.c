/* Keys from elements, and elements from keys; sorting of keys without their places, for instruction sets that can sort
 * a register's lanes: NULL for others.
 * Must not know: rows, chunks. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/order.h"
#include "codelets/cpu/vec.h"

#define ORDER(bits, K)                                                                                                 \
    ORR__ORDER_KEYS(order_##bits, K, K)                                                                                \
    static int64_t keys_##bits(orr_dtype t, const void *x, void *key, int64_t n, bool descending)                      \
    {                                                                                                                  \
        const K *from = x, top = (K)((K)1 << (bits - 1));                                                              \
        int64_t minus = 0;                                                                                             \
        order_##bits(t, x, key, n, descending);                                                                        \
        for (int64_t k = 0; k < n && orr__is_float(t); k++)                                                            \
            minus += from[k] == top;                                                                                   \
        return minus;                                                                                                  \
    }                                                                                                                  \
    static void values_##bits(orr_dtype t, const void *key, void *y, int64_t n, bool descending)                       \
    {                                                                                                                  \
        const K *restrict s = key, top = (K)((K)1 << (bits - 1)), all = (K) ~(K)0, flip = descending ? all : 0;        \
        const K sign = (K)(flip ^ (orr__is_signed(t) ? top : 0));                                                      \
        K *restrict to = y;                                                                                            \
        if (orr__is_float(t))                                                                                          \
            for (int64_t k = 0; k < n; k++) {                                                                          \
                K u = (K)(s[k] ^ flip);                                                                                \
                to[k] = (K)(u ^ (u & top ? top : all));                                                                \
            }                                                                                                          \
        else                                                                                                           \
            for (int64_t k = 0; k < n; k++)                                                                            \
                to[k] = (K)(s[k] ^ sign);                                                                              \
    }
ORDER(8, uint8_t)
ORDER(16, uint16_t)
ORDER(32, uint32_t)
ORDER(64, uint64_t)
orr__keysfn *const ORR__V(orr__vec_keys)[4] = { keys_8, keys_16, keys_32, keys_64 };
orr__valuesfn *const ORR__V(orr__vec_values)[4] = { values_8, values_16, values_32, values_64 };

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>
#define HAVE_LANES 1
enum { REGISTERS = 16 };
#define V __m512i
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define SET1_32 _mm512_set1_epi32
#define SET1_64 _mm512_set1_epi64
#define MIN_32 _mm512_min_epi32
#define MAX_32 _mm512_max_epi32
#define MASK_32 __mmask16
#define MASK_64 __mmask8
#define BELOW_32(v, p) _mm512_cmplt_epi32_mask(v, p)
#define BELOW_64(v, p) _mm512_cmplt_epi64_mask(v, p)
#define COMPRESS_32(m, v) _mm512_maskz_compress_epi32(m, v)
#define COMPRESS_64(m, v) _mm512_maskz_compress_epi64(m, v)
#define PERMUTE_32(v, at) _mm512_permutexvar_epi32(at, v)
#define PERMUTE_64(v, at) _mm512_permutexvar_epi64(at, v)
#define CHOICE_32(bit) _mm512_test_epi32_mask(numbers_32(), SET1_32(bit))
#define CHOICE_64(bit) _mm512_test_epi64_mask(numbers_64(), SET1_64(bit))
#define PICK_32(m, a, b) _mm512_mask_blend_epi32(m, a, b)
#define PICK_64(m, a, b) _mm512_mask_blend_epi64(m, a, b)
#define MIN_64 _mm512_min_epi64
#define MAX_64 _mm512_max_epi64
#define NUMBERS_32 _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define NUMBERS_64 _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0)
#define TURNED_32(by) _mm512_xor_si512(NUMBERS_32, SET1_32(by))
#define TURNED_64(by) _mm512_xor_si512(NUMBERS_64, SET1_64(by))
#elif defined(__AVX2__) && defined(__BMI2__)
#include <immintrin.h>
#define HAVE_LANES 1
enum { REGISTERS = 8 };
#define V __m256i
#define LOAD(p) _mm256_loadu_si256((const V *)(const void *)(p))
#define STORE(p, v) _mm256_storeu_si256((V *)(void *)(p), v)
#define SET1_32 _mm256_set1_epi32
#define SET1_64 _mm256_set1_epi64x
#define MIN_32 _mm256_min_epi32
#define MAX_32 _mm256_max_epi32
#define MASK_32 unsigned
#define MASK_64 unsigned
#define BELOW_32(v, p) (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(p, v)))
#define BELOW_64(v, p) (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(p, v)))
/* Moves the lanes of the mask to the front: their numbers are nibbles of a word, shifted into the low bits of each
 * lane. */
static inline V packed(V v, unsigned nibbles)
{
    const V shift = _mm256_set_epi32(28, 24, 20, 16, 12, 8, 4, 0);
    return _mm256_permutevar8x32_epi32(
        v, _mm256_srlv_epi32(_mm256_set1_epi32((int)_pext_u32(0x76543210u, nibbles)), shift));
}
#define COMPRESS_32(m, v) packed(v, _pdep_u32(m, 0x11111111u) * 0xf)
#define COMPRESS_64(m, v) packed(v, _pdep_u32(m, 0x01010101u) * 0xff)
#define PERMUTE_32(v, at) _mm256_permutevar8x32_epi32(v, at)
#define PERMUTE_64(v, at) _mm256_permutevar8x32_epi32(v, at)
#define CHOICE_32(bit) _mm256_cmpgt_epi32(_mm256_and_si256(numbers_32(), SET1_32(bit)), _mm256_setzero_si256())
#define CHOICE_64(bit) _mm256_cmpgt_epi64(_mm256_and_si256(numbers_64(), SET1_64(bit)), _mm256_setzero_si256())
#define PICK_32(m, a, b) _mm256_blendv_epi8(a, b, m)
#define PICK_64(m, a, b) _mm256_blendv_epi8(a, b, m)
#define MIN_64(a, b) _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b))
#define MAX_64(a, b) _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b))
#define NUMBERS_32 _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0)
#define NUMBERS_64 _mm256_set_epi64x(3, 2, 1, 0)
#define TURNED_32(by) _mm256_xor_si256(NUMBERS_32, SET1_32(by))
#define TURNED_64(by) _mm256_xor_si256(NUMBERS_32, SET1_32(2 * (by)))
#endif

#ifdef HAVE_LANES
#define T int32_t
#define LEAST INT32_MIN
#define GREATEST INT32_MAX
#define F(name) name##_32
#include "codelets/cpu/vec_sort.h"
#undef T
#undef LEAST
#undef GREATEST
#undef F

#define T int64_t
#define LEAST INT64_MIN
#define GREATEST INT64_MAX
#define F(name) name##_64
#include "codelets/cpu/vec_sort.h"

orr__sortfn *const ORR__V(orr__vec_sort)[4] = { NULL, NULL, sort_32, sort_64 };
#else
orr__sortfn *const ORR__V(orr__vec_sort)[4] = { NULL, NULL, NULL, NULL };
#endif
