/* Philox blocks side by side, one 32-bit number per 64-bit lane, where a vector multiplication gives full products:
 * equal to neighbouring words of runtime/base/philox.h, bit for bit.
 * Must not know: the callers. It becomes text of generated kernels too: no other headers. */
#ifndef ORR_CPU_PHILOX_LANES_H
#define ORR_CPU_PHILOX_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define VR_WIDE 8
#elif defined(__AVX2__)
#define VR_WIDE 4
#else
#define VR_WIDE 2
#endif
/* Words beyond the requested ones for which an array must have space. */
#define VR_SPARE 64

typedef uint64_t vr_lanes __attribute__((vector_size(8 * VR_WIDE)));

#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
/* Other compilers recognise that the upper halves are zero. */
typedef int vr_ints __attribute__((vector_size(8 * VR_WIDE)));
typedef long long vr_longs __attribute__((vector_size(8 * VR_WIDE)));
static inline vr_lanes vr_mul(vr_lanes a, vr_lanes b)
{
#if VR_WIDE == 8
    return (vr_lanes)__builtin_ia32_pmuludq512_mask((vr_ints)a, (vr_ints)b, (vr_longs)a, (unsigned char)-1);
#elif VR_WIDE == 4
    return (vr_lanes)__builtin_ia32_pmuludq256((vr_ints)a, (vr_ints)b);
#else
    return (vr_lanes)__builtin_ia32_pmuludq128((vr_ints)a, (vr_ints)b);
#endif
}
#else
static inline vr_lanes vr_mul(vr_lanes a, vr_lanes b)
{
    return (a & 0xffffffffu) * (b & 0xffffffffu);
}
#endif

/* a0 b0 a1 b1 … */
static inline void vr_store_pairs(uint64_t *to, vr_lanes a, vr_lanes b)
{
    vr_lanes low, high;
#if defined(__clang__) && VR_WIDE == 8
    low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#elif defined(__clang__) && VR_WIDE == 4
    low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
#elif defined(__clang__)
    low = __builtin_shufflevector(a, b, 0, 2);
    high = __builtin_shufflevector(a, b, 1, 3);
#elif VR_WIDE == 8
    low = __builtin_shuffle(a, b, (vr_lanes){ 0, 8, 1, 9, 2, 10, 3, 11 });
    high = __builtin_shuffle(a, b, (vr_lanes){ 4, 12, 5, 13, 6, 14, 7, 15 });
#elif VR_WIDE == 4
    low = __builtin_shuffle(a, b, (vr_lanes){ 0, 4, 1, 5 });
    high = __builtin_shuffle(a, b, (vr_lanes){ 2, 6, 3, 7 });
#else
    low = __builtin_shuffle(a, b, (vr_lanes){ 0, 2 });
    high = __builtin_shuffle(a, b, (vr_lanes){ 1, 3 });
#endif
    memcpy(to, &low, sizeof low);
    memcpy(to + VR_WIDE, &high, sizeof high);
}

/* Blocks first … first + n (up to VR_WIDE - 1 more) of counters (·, high). A block becomes two numbers of 64 bits, with
 * the earlier word low, or high with `early_high`. */
static inline void vr_blocks(uint64_t *to, uint64_t seed, uint64_t first, uint64_t high, int64_t n, int early_high)
{
    const vr_lanes zero = { 0 };
    vr_lanes counter = zero, key[20];
    for (int j = 0; j < VR_WIDE; j++)
        counter[j] = first + (uint64_t)j;
    for (int round = 0; round < 10; round++) {
        key[2 * round] = zero + ((uint32_t)seed + (uint32_t)round * 0x9E3779B9u);
        key[2 * round + 1] = zero + ((uint32_t)(seed >> 32) + (uint32_t)round * 0xBB67AE85u);
    }
    for (int64_t b = 0; b < n; b += VR_WIDE) {
        vr_lanes c0 = counter, c1 = counter >> 32, c2 = zero + high, c3 = zero;
        for (int round = 0; round < 10; round++) {
            vr_lanes p0 = vr_mul(c0, zero + 0xD2511F53u), p1 = vr_mul(c2, zero + 0xCD9E8D57u);
            c0 = p1 >> 32 ^ c1 ^ key[2 * round]; /* the lanes' upper halves are ignored until the end */
            c2 = p0 >> 32 ^ c3 ^ key[2 * round + 1];
            c1 = p1;
            c3 = p0;
        }
        if (early_high)
            vr_store_pairs(to + 2 * b, c0 << 32 | (c1 & 0xffffffffu), c2 << 32 | (c3 & 0xffffffffu));
        else
            vr_store_pairs(to + 2 * b, c1 << 32 | (c0 & 0xffffffffu), c3 << 32 | (c2 & 0xffffffffu));
        counter += VR_WIDE;
    }
}

/* Elements first … first + n of 32 bits; the result points to the first. */
static inline const uint32_t *vr_words32(uint32_t *to, uint64_t seed, uint64_t first, int64_t n)
{
    int64_t skip = (int64_t)(first & 3);
    vr_blocks((uint64_t *)(void *)to, seed, first >> 2, 0, (n + skip + 3) / 4,
              __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__);
    return to + skip;
}

/* The same for 64 bits, of counters (·, high): 1 for numbers, 2 for the source of normal numbers. */
static inline const uint64_t *vr_words64(uint64_t *to, uint64_t seed, uint64_t first, int64_t n, uint64_t high)
{
    int64_t skip = (int64_t)(first & 1);
    vr_blocks(to, seed, first >> 1, high, (n + skip + 1) / 2, 0);
    return to + skip;
}

#endif
