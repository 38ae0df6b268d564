/* Uniform elements of a ring, from libsodium's ChaCha20 with a new key from the system for each call.
 * Must not know: the secrets that they hide. */
#include "config.h"
#include <stdlib.h>
#include "ops/share/p61.h"
#include "ops/share/share.h"
#include "runtime/base/secret.h"

#ifdef HAVE_SODIUM
#include <sodium.h>

orr_status orr__need_sodium(orr__site at)
{
    if (sodium_init() < 0)
        return orr__fail(at, ORR_EDEVICE, "libsodium does not start");
    return ORR_OK;
}

/* Reduces 64-bit words to elements in place. One in 2^61 is p and is drawn again. */
static orr_status into_field(orr__site at, uint64_t *x, int64_t n)
{
    orr_status st = ORR_OK;
    for (int64_t i = 0; st == ORR_OK && i < n; i++) {
        x[i] >>= 3;
        while (st == ORR_OK && x[i] == ORR__P61) {
            st = orr__secret_random(at, &x[i], sizeof *x);
            x[i] >>= 3;
        }
    }
    return st;
}

orr_status orr__ring_random(orr__site at, orr_modulus m, void *out, int64_t n)
{
    unsigned char key[randombytes_SEEDBYTES];
    orr_status st = orr__secret_random(at, key, sizeof key);
    unsigned char *to = out;
    size_t left = (size_t)n * orr_dtype_size(orr__modulus_dtype(m));
    for (; st == ORR_OK && left > 0;) { /* one call draws up to 256 GiB */
        size_t some = left < ((size_t)1 << 30) ? left : (size_t)1 << 30;
        randombytes_buf_deterministic(to, some, key);
        to += some;
        left -= some;
        if (left > 0)
            st = orr__secret_random(at, key, sizeof key);
    }
    orr__wipe(key, sizeof key);
    return st == ORR_OK && m == ORR_MOD_P61 ? into_field(at, out, n) : st;
}

#else

orr_status orr__need_sodium(orr__site at)
{
    return orr__fail(at, ORR_EDEVICE, ORR__NO_SODIUM);
}

orr_status orr__ring_random(orr__site at, orr_modulus m, void *out, int64_t n)
{
    (void)m;
    (void)out;
    (void)n;
    return orr__need_sodium(at);
}

#endif
