/* A 64-bit hash: two words at a time, each step a 64x64 multiplication folded on itself.
 * Must not know: the data. */
#include "config.h"
#include "runtime/base/hash.h"

#include <string.h>

static const uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xd1b54a32d192ed03u, k2 = 0x8cb92ba72f3d8dd7u;

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 p = (unsigned __int128)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static inline uint64_t word(const unsigned char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

uint64_t orr__hash(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *p = data;
    size_t left = size;
    uint64_t h = seed ^ k0;
    for (; left >= 16; p += 16, left -= 16)
        h = fold(word(p) ^ k1, word(p + 8) ^ h) + k2;
    unsigned char tail[16] = { 0 };
    if (left)
        memcpy(tail, p, left);
    h = fold(word(tail) ^ k1, word(tail + 8) ^ h);
    return fold(h ^ k2, (uint64_t)size ^ k1);
}
