/* SHA-256 (FIPS 180-4).
 * Must not know: the data. */
#include "config.h"
#include "runtime/base/sha256.h"

#include <stdatomic.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* The variables rotate by one place a round: after eight rounds each is at its own place. */
static void plain(uint32_t h[8], const unsigned char *p)
{
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(v, h, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t *at[8];
        for (unsigned k = 0; k < 8; k++)
            at[k] = &v[(k - i) % 8];
        uint32_t a = *at[0], e = *at[4];
        uint32_t t = *at[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & *at[5]) ^ (~e & *at[6])) +
                     round_constant[i] + w[i];
        uint32_t u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & *at[1]) ^ (a & *at[2]) ^ (*at[1] & *at[2]));
        *at[3] += t;
        *at[7] = t + u;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

#ifdef __x86_64__
/* By the instructions of the processor (Intel, Architecture Instruction Set Extensions Programming Reference, chapter 8): a register has
 * the variables a, b, e, f, another c, d, g, h. */
__attribute__((target("sha,sse4.1"))) static void by_instructions(uint32_t h[8], const unsigned char *p)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i abcd = _mm_loadu_si128((const __m128i *)(const void *)h),
            efgh = _mm_loadu_si128((const __m128i *)(const void *)(h + 4)), w[4];
    abcd = _mm_shuffle_epi32(abcd, 0xb1);
    efgh = _mm_shuffle_epi32(efgh, 0x1b);
    __m128i abef = _mm_alignr_epi8(abcd, efgh, 8), cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);
    const __m128i abef_before = abef, cdgh_before = cdgh;

    for (int i = 0; i < 16; i++) {
        __m128i *m = &w[i % 4];
        if (i < 4) {
            *m = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), swap);
        } else {
            __m128i m1 = w[(i + 1) % 4], m2 = w[(i + 2) % 4], m3 = w[(i + 3) % 4];
            *m = _mm_add_epi32(_mm_sha256msg1_epu32(*m, m1), _mm_alignr_epi8(m3, m2, 4));
            *m = _mm_sha256msg2_epu32(*m, m3);
        }
        __m128i k = _mm_add_epi32(*m, _mm_loadu_si128((const __m128i *)(const void *)(round_constant + 4 * i)));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0e));
    }

    abef = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), 0x1b);
    cdgh = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), 0xb1);
    _mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(abef, cdgh, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(h + 4), _mm_alignr_epi8(cdgh, abef, 8));
}

static bool has_instructions(void)
{
    unsigned a, b, c, d;
    return __builtin_cpu_supports("sse4.1") && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29);
}
#else
#define by_instructions plain
static bool has_instructions(void)
{
    return false;
}
#endif

typedef void compress_function(uint32_t h[8], const unsigned char *p);
static _Atomic(compress_function *) compress;

bool orr__sha256_choose(bool instructions)
{
    bool can = instructions && has_instructions();
    atomic_store_explicit(&compress, can ? by_instructions : plain, memory_order_relaxed);
    return can;
}

void orr__sha256_begin(orr__sha256 *s)
{
    static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    if (!atomic_load_explicit(&compress, memory_order_relaxed))
        (void)orr__sha256_choose(true);
    memcpy(s->h, first, sizeof first);
    s->bytes = 0;
}

void orr__sha256_add(orr__sha256 *s, const void *data, size_t size)
{
    const unsigned char *p = data;
    compress_function *f = atomic_load_explicit(&compress, memory_order_relaxed);
    for (; s->bytes % 64 == 0 && size >= 64; p += 64, size -= 64, s->bytes += 64)
        f(s->h, p);
    while (size) {
        size_t have = (size_t)(s->bytes % 64), n = size < 64 - have ? size : 64 - have;
        memcpy(s->block + have, p, n);
        s->bytes += n;
        p += n;
        size -= n;
        if (have + n == 64)
            f(s->h, s->block);
    }
}

void orr__sha256_end(orr__sha256 *s, unsigned char digest[32])
{
    static const unsigned char pad[64] = { 0x80 };
    unsigned char length[8];
    uint64_t bits = s->bytes * 8;
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    orr__sha256_add(s, pad, 1 + (size_t)((119 - s->bytes % 64) % 64));
    orr__sha256_add(s, length, 8);
    for (int i = 0; i < 32; i++)
        digest[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void orr__sha256_text(orr__sha256 *s, const char *text)
{
    uint64_t n = text ? strlen(text) : 0;
    orr__sha256_add(s, &n, sizeof n);
    if (n)
        orr__sha256_add(s, text, (size_t)n);
}
