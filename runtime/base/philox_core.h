/* Philox 4x32-10, and numbers made from its blocks: the text of kernels in all dialects, too.
 * Must not know: headers. No include guard: the includer defines RAND_FN (the qualifiers of a function), RAND_MULHI (the high half of a
 * product of u64), RAND_CLZ (leading zeros of a u64, not 0), RAND_F64 if there is double, RAND_PERMUTATION for permutations. */

RAND_FN void orr__philox(uint64_t key, uint64_t counter_lo, uint64_t counter_hi, uint32_t *out)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c0 = (uint32_t)counter_lo, c1 = (uint32_t)(counter_lo >> 32);
    uint32_t c2 = (uint32_t)counter_hi, c3 = (uint32_t)(counter_hi >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        const uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

RAND_FN uint32_t orr__rand_bits32(uint64_t seed, uint64_t i)
{
    uint32_t w[4];
    orr__philox(seed, i >> 2, 0, w);
    const uint32_t a = i & 1 ? w[1] : w[0], b = i & 1 ? w[3] : w[2];
    return i & 2 ? b : a;
}

RAND_FN uint64_t orr__rand_bits64(uint64_t seed, uint64_t i)
{
    uint32_t w[4];
    orr__philox(seed, i >> 1, 1, w);
    const uint32_t lo = i & 1 ? w[2] : w[0], hi = i & 1 ? w[3] : w[1];
    return (uint64_t)hi << 32 | lo;
}

/* [0, 1), all multiples of 2^-24. f16 and bf16 use the first 11 and 8 bits of the same word, so that rounding never makes a 1. */
RAND_FN float orr__u01_f32(uint32_t word)
{
    return (float)(int32_t)(word >> 8) * 5.9604644775390625e-8f;
}

RAND_FN float orr__u01_f16(uint32_t word)
{
    return (float)(int32_t)(word >> 21) * 4.8828125e-4f;
}

RAND_FN float orr__u01_bf16(uint32_t word)
{
    return (float)(int32_t)(word >> 24) * 0.00390625f;
}

/* lo + [0, range), range 0 meaning 2^64. The probability of a value is off by at most range / 2^64. */
RAND_FN int64_t orr__between(uint64_t x, int64_t lo, uint64_t range)
{
    return (int64_t)((uint64_t)lo + (range ? RAND_MULHI(x, range) : x));
}

#ifdef RAND_F64
/* [0, 1), all multiples of 2^-53. */
RAND_FN double orr__u01_f64(uint64_t word)
{
    return (double)(int64_t)(word >> 11) * 1.1102230246251565e-16;
}

/* Box-Muller: both numbers of a pair come from one block. The radius is computed from a number in (0, 1], which has a logarithm. */
RAND_FN double orr__rand_normal_f64(uint64_t seed, uint64_t i)
{
    uint32_t w[4];
    orr__philox(seed, i >> 1, 2, w);
    const uint64_t a = (uint64_t)w[1] << 32 | w[0], b = (uint64_t)w[3] << 32 | w[2];
    const double radius = sqrt(-2.0 * log((double)((a >> 11) + 1) * 1.1102230246251565e-16));
    const double angle = (double)(b >> 11) * 1.1102230246251565e-16 * 6.283185307179586476925286766559;
    return radius * (i & 1 ? sin(angle) : cos(angle));
}
#endif

#ifdef RAND_PERMUTATION
/* A bijection on [0, n): a Feistel network on the next power of two, iterated until the result is below n (Mitchell, Stokes, Frank,
 * Holmes, "Bandwidth-optimal random shuffling for GPUs", 2022). Its keys are computed once for a loop over i. */
enum { ORR__PERM_ROUNDS = 16 };
typedef struct {
    uint64_t key[ORR__PERM_ROUNDS];
    uint64_t n;
    int right; /* bits of the right half */
    uint64_t left_mask, right_mask;
} orr__perm;

RAND_FN orr__perm orr__perm_make(uint64_t seed, uint64_t n)
{
    orr__perm p;
    for (int k = 0; k < ORR__PERM_ROUNDS; k += 2) {
        uint32_t w[4];
        orr__philox(seed, (uint64_t)k, 3, w);
        p.key[k] = (uint64_t)w[1] << 32 | w[0];
        p.key[k + 1] = (uint64_t)w[3] << 32 | w[2];
    }
    const int bits = n > 4 ? 64 - RAND_CLZ(n - 1) : 2;
    p.n = n;
    p.right = bits / 2;
    p.right_mask = ((uint64_t)1 << p.right) - 1;
    p.left_mask = ((uint64_t)1 << (bits - p.right)) - 1;
    return p;
}

RAND_FN uint64_t orr__perm_mix(uint64_t x, uint64_t key)
{
    x = (x + key) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32 ^ x >> 47;
}

/* i < n */
RAND_FN uint64_t orr__perm_at(const orr__perm *p, uint64_t i)
{
    uint64_t x = i;
    do {
        uint64_t l = x >> p->right, r = x & p->right_mask;
        for (int k = 0; k < ORR__PERM_ROUNDS; k += 2) {
            l ^= orr__perm_mix(r, p->key[k]) & p->left_mask;
            r ^= orr__perm_mix(l, p->key[k + 1]) & p->right_mask;
        }
        x = l << p->right | r;
    } while (x >= p->n);
    return x;
}

RAND_FN int64_t orr__rand_permutation(uint64_t seed, uint64_t n, uint64_t i)
{
    const orr__perm p = orr__perm_make(seed, n);
    return (int64_t)orr__perm_at(&p, i);
}
#endif
