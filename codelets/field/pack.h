/* A pack: the elements that one operation processes. With ORR__FIELD_IFMA eight by AVX-512 IFMA, in limbs of 52 bits; else one.
 * Must not know: arrays, what is computed.
 * IFMA: an element stays x·2^256, and is below 2p between operations. One operand of a product is multiplied by 16, since the reduction
 * divides by 2^260. Bounds: 16·a·b/2^260 + p is below 2p for a, b below 2p, and for a below 4p, b below p. */
#ifndef ORR_FIELD_PACK_H
#define ORR_FIELD_PACK_H

#include "codelets/field/kit.h"

#ifdef ORR__FIELD_IFMA

#include <immintrin.h>

enum { PACK = 8 };

typedef struct pk {
    __m512i l[5];
} pk;

#define PK_MASK _mm512_set1_epi64((1ll << 52) - 1)

ORR__INLINE const orr__mod52 *pk_mod(const orr__mod *m)
{
    return m == &orr__fr ? &orr__fr52 : &orr__fq52;
}

/* Propagates carries; limbs are signed on entry. Returns the carry out of the top limb. */
ORR__INLINE __m512i pk_carry(pk *x)
{
    __m512i c = _mm512_setzero_si512();
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++) {
        __m512i v = _mm512_add_epi64(x->l[i], c);
        c = _mm512_srai_epi64(v, 52);
        x->l[i] = _mm512_and_si512(v, PK_MASK);
    }
    return c;
}

/* x with signed limbs: adds k where x is below 0. */
ORR__INLINE pk pk_lift(pk x, const uint64_t k[5])
{
    __mmask8 below = _mm512_movepi64_mask(pk_carry(&x));
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        x.l[i] = _mm512_mask_add_epi64(x.l[i], below, x.l[i], _mm512_set1_epi64((long long)k[i]));
    (void)pk_carry(&x);
    return x;
}

ORR__INLINE pk pk_from_limbs(__m512i a, __m512i b, __m512i c, __m512i d)
{
    const __m512i m = PK_MASK;
    pk z;
    z.l[0] = _mm512_and_si512(a, m);
    z.l[1] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(a, 52), _mm512_slli_epi64(b, 12)), m);
    z.l[2] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(b, 40), _mm512_slli_epi64(c, 24)), m);
    z.l[3] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(c, 28), _mm512_slli_epi64(d, 36)), m);
    z.l[4] = _mm512_srli_epi64(d, 16);
    return z;
}

ORR__INLINE __m512i pk_two(const orr__fe *x, const orr__fe *y)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const void *)x)),
                              _mm256_loadu_si256((const void *)y), 1);
}

ORR__ARITHMETIC pk pk_gather(const orr__fe *const p[PACK])
{
    __m512i a = pk_two(p[0], p[2]), b = pk_two(p[1], p[3]), c = pk_two(p[4], p[6]), d = pk_two(p[5], p[7]);
    __m512i e = _mm512_unpacklo_epi64(a, b), f = _mm512_unpackhi_epi64(a, b), g = _mm512_unpacklo_epi64(c, d),
            h = _mm512_unpackhi_epi64(c, d);
    return pk_from_limbs(_mm512_shuffle_i64x2(e, g, 0x88), _mm512_shuffle_i64x2(f, h, 0x88),
                         _mm512_shuffle_i64x2(e, g, 0xdd), _mm512_shuffle_i64x2(f, h, 0xdd));
}

ORR__ARITHMETIC void pk_scatter(orr__fe *const p[PACK], pk x, const orr__mod *m)
{
    const orr__mod52 *k = pk_mod(m);
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        x.l[i] = _mm512_sub_epi64(x.l[i], _mm512_set1_epi64((long long)k->p[i]));
    x = pk_lift(x, k->p);
    __m512i a = _mm512_or_si512(x.l[0], _mm512_slli_epi64(x.l[1], 52));
    __m512i b = _mm512_or_si512(_mm512_srli_epi64(x.l[1], 12), _mm512_slli_epi64(x.l[2], 40));
    __m512i c = _mm512_or_si512(_mm512_srli_epi64(x.l[2], 24), _mm512_slli_epi64(x.l[3], 28));
    __m512i d = _mm512_or_si512(_mm512_srli_epi64(x.l[3], 36), _mm512_slli_epi64(x.l[4], 16));
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                  high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512i ab = _mm512_unpacklo_epi64(a, b), ab1 = _mm512_unpackhi_epi64(a, b), cd = _mm512_unpacklo_epi64(c, d),
            cd1 = _mm512_unpackhi_epi64(c, d);
    __m512i two[4] = { _mm512_permutex2var_epi64(ab, low, cd), _mm512_permutex2var_epi64(ab1, low, cd1),
                       _mm512_permutex2var_epi64(ab, high, cd), _mm512_permutex2var_epi64(ab1, high, cd1) };
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_si256((void *)p[i / 2 * 4 + i % 2], _mm512_castsi512_si256(two[i]));
        _mm256_storeu_si256((void *)p[i / 2 * 4 + i % 2 + 2], _mm512_extracti64x4_epi64(two[i], 1));
    }
}

ORR__INLINE pk pk_all(orr__fe x)
{
    return pk_from_limbs(_mm512_set1_epi64((long long)x.l[0]), _mm512_set1_epi64((long long)x.l[1]),
                         _mm512_set1_epi64((long long)x.l[2]), _mm512_set1_epi64((long long)x.l[3]));
}

ORR__ARITHMETIC pk pk_add(pk x, pk y, const orr__mod *m)
{
    const orr__mod52 *k = pk_mod(m);
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        x.l[i] = _mm512_sub_epi64(_mm512_add_epi64(x.l[i], y.l[i]), _mm512_set1_epi64((long long)k->twice[i]));
    return pk_lift(x, k->twice);
}

ORR__ARITHMETIC pk pk_sub(pk x, pk y, const orr__mod *m)
{
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        x.l[i] = _mm512_sub_epi64(x.l[i], y.l[i]);
    return pk_lift(x, pk_mod(m)->twice);
}

/* x - y + 2p, below 4p: valid only as the first operand of pk_mul_short. */
ORR__ARITHMETIC pk pk_sub_wide(pk x, pk y, const orr__mod *m)
{
    const orr__mod52 *k = pk_mod(m);
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++)
        x.l[i] = _mm512_add_epi64(_mm512_sub_epi64(x.l[i], y.l[i]), _mm512_set1_epi64((long long)k->twice[i]));
    (void)pk_carry(&x);
    return x;
}

ORR__ARITHMETIC pk pk_times_16(pk x)
{
    pk z;
    z.l[0] = _mm512_and_si512(_mm512_slli_epi64(x.l[0], 4), PK_MASK);
#pragma GCC unroll 4
    for (int i = 1; i < 5; i++)
        z.l[i] =
            _mm512_and_si512(_mm512_or_si512(_mm512_slli_epi64(x.l[i], 4), _mm512_srli_epi64(x.l[i - 1], 48)), PK_MASK);
    return z;
}

/* x·y/2^260, row by row; the sums of 52-bit halves in a row stay far below 64 bits. */
ORR__ARITHMETIC pk pk_reduce_product(pk x, pk y, const orr__mod *m)
{
    const orr__mod52 *k = pk_mod(m);
    const __m512i inverse = _mm512_set1_epi64((long long)k->inverse), zero = _mm512_setzero_si512();
    __m512i t[6] = { zero, zero, zero, zero, zero, zero };
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++) {
        __m512i high[5];
#pragma GCC unroll 5
        for (int j = 0; j < 5; j++)
            t[j] = _mm512_madd52lo_epu64(t[j], x.l[j], y.l[i]);
        const __m512i u = _mm512_madd52lo_epu64(zero, t[0], inverse);
#pragma GCC unroll 5
        for (int j = 0; j < 5; j++) {
            const __m512i p = _mm512_set1_epi64((long long)k->p[j]);
            t[j] = _mm512_madd52lo_epu64(t[j], u, p);
            high[j] = _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(zero, x.l[j], y.l[i]), u, p);
        }
        t[1] = _mm512_add_epi64(t[1], _mm512_srli_epi64(t[0], 52));
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++)
            t[j] = _mm512_add_epi64(t[j + 1], high[j]);
        t[4] = high[4];
    }
    pk z = { { t[0], t[1], t[2], t[3], t[4] } };
    (void)pk_carry(&z);
    return z;
}

ORR__INLINE pk pk_mul(pk x, pk y, const orr__mod *m)
{
    return pk_reduce_product(x, pk_times_16(y), m);
}

/* The operand of pk_mul_short for an element that is below p. */
ORR__INLINE pk pk_short(pk y)
{
    return pk_times_16(y);
}

ORR__INLINE pk pk_mul_short(pk x, pk y, const orr__mod *m)
{
    return pk_reduce_product(x, y, m);
}

#else

enum { PACK = 1 };
typedef orr__fe pk;

ORR__ARITHMETIC pk pk_gather(const orr__fe *const p[PACK])
{
    return *p[0];
}

ORR__ARITHMETIC void pk_scatter(orr__fe *const p[PACK], pk x, const orr__mod *m)
{
    (void)m;
    *p[0] = x;
}

ORR__INLINE pk pk_all(orr__fe x)
{
    return x;
}

#define pk_add fe_add
#define pk_sub fe_sub
#define pk_sub_wide fe_sub
#define pk_mul fe_mul
#define pk_mul_short fe_mul
#define pk_short(y) (y)

#endif

/* Loads n elements at a stride, then zeros. */
ORR__INLINE pk pk_load(const orr__fe *x, int64_t stride, int64_t n)
{
    static const orr__fe zero;
    const orr__fe *p[PACK];
    for (int i = 0; i < PACK; i++)
        p[i] = i < n ? x + i * stride : &zero;
    return pk_gather(p);
}

ORR__INLINE void pk_store(orr__fe *z, int64_t stride, int64_t n, pk x, const orr__mod *m)
{
    orr__fe none, *p[PACK];
    for (int i = 0; i < PACK; i++)
        p[i] = i < n ? z + i * stride : &none;
    pk_scatter(p, x, m);
}

#endif
