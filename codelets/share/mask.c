/* Masks from libsodium's ChaCha20, added while they are in the first cache.
 * Must not know: the owners of the keys. */
#include "config.h"
#include "ops/share/kernels.h"

#ifdef HAVE_SODIUM
#include <sodium.h>

static const unsigned char nothing[ORR__MASK_ROOM]; /* the encryption of zeros is the key stream */

static inline uint32_t le32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t le64(const unsigned char *p)
{
    return (uint64_t)le32(p) | (uint64_t)le32(p + 4) << 32;
}

static void add_32(uint32_t *restrict acc, const unsigned char *restrict stream, int64_t n, uint32_t flip)
{
    for (int64_t i = 0; i < n; i++)
        acc[i] += (le32(stream + 4 * i) ^ flip) - flip;
}

static void add_64(uint64_t *restrict acc, const unsigned char *restrict stream, int64_t n, uint64_t flip)
{
    for (int64_t i = 0; i < n; i++)
        acc[i] += (le64(stream + 8 * i) ^ flip) - flip;
}

bool orr__mask_add(orr_modulus modulus, void *acc, int64_t first, int64_t n, const orr__mask *mask, int64_t masks,
                   unsigned char *room)
{
    static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
    int64_t width = modulus == ORR_MOD_2_32 ? 4 : 8, step = ORR__MASK_ROOM / width;
    for (int64_t from = 0; from < n; from += step) {
        int64_t most = n - from < step ? n - from : step;
        uint64_t block = (uint64_t)((first + from) * width / 64);
        for (int64_t m = 0; m < masks; m++) {
            (void)crypto_stream_chacha20_xor_ic(room, nothing, (unsigned long long)(most * width), nonce, block,
                                                mask[m].key);
            if (width == 4)
                add_32((uint32_t *)acc + from, room, most, 0 - (uint32_t)mask[m].minus);
            else
                add_64((uint64_t *)acc + from, room, most, 0 - (uint64_t)mask[m].minus);
        }
    }
    return true;
}

#else

bool orr__mask_add(orr_modulus modulus, void *acc, int64_t first, int64_t n, const orr__mask *mask, int64_t masks,
                   unsigned char *room)
{
    (void)modulus;
    (void)acc;
    (void)first;
    (void)n;
    (void)mask;
    (void)masks;
    (void)room;
    return false;
}

#endif
