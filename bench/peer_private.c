/* Peers of private sums and fields: libsodium's ChaCha20, reads of memory, a power modulo n² and products modulo r by
 * GMP.
 * Must not know: the library. */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"
#ifdef HAVE_SODIUM
#include <sodium.h>
#endif
#ifdef HAVE_GMP
#include <gmp.h>
#endif

/* Encrypts 16 KiB at a time, which stay in the nearest cache, so that only the cipher is measured. */
bool peer_private_stream(size_t bytes)
{
#ifdef HAVE_SODIUM
    enum { BLOCK = 16 * 1024 };
    static unsigned char block[BLOCK];
    unsigned char key[crypto_stream_chacha20_KEYBYTES] = { 1 }, nonce[crypto_stream_chacha20_NONCEBYTES] = { 0 };
    bool ok = sodium_init() >= 0;
    for (size_t i = 0; ok && i < bytes; i += BLOCK) {
        memcpy(nonce, &i, sizeof nonce);
        ok = crypto_stream_chacha20(block, BLOCK, nonce, key) == 0;
    }
    return ok;
#else
    (void)bytes;
    return false;
#endif
}

/* Reads four positions at once, at the full bandwidth of one core: a single position would wait for each line. */
unsigned long long peer_private_read(const void *from, size_t bytes)
{
    const uint64_t *p = from;
    size_t part = bytes / 32;
    uint64_t sum[4] = { 0 };
    for (size_t i = 0; i + 8 <= part; i += 8)
        for (size_t k = 0; k < 4; k++) {
            const uint64_t *q = p + k * part + i;
            sum[k] += q[0] + q[1] + q[2] + q[3] + q[4] + q[5] + q[6] + q[7];
        }
    return sum[0] + sum[1] + sum[2] + sum[3];
}

bool peer_private_power(int bits)
{
#ifdef HAVE_GMP
    mpz_t n, n2, r;
    mpz_inits(n, n2, r, NULL);
    mpz_setbit(n, (mp_bitcnt_t)bits);
    mpz_sub_ui(n, n, 12345); /* odd, dense */
    mpz_mul(n2, n, n);
    mpz_tdiv_q_ui(r, n, 3);
    mpz_powm(r, r, n, n2);
    bool ok = mpz_sgn(r) > 0;
    mpz_clears(n, n2, r, NULL);
    return ok;
#else
    (void)bits;
    return false;
#endif
}

bool peer_private_products(int n)
{
#ifdef HAVE_GMP
    enum { ROW = 512 };
    static mpz_t x[ROW], r, z;
    static bool made;
    if (!made) {
        mpz_init_set_str(r, "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001", 16);
        mpz_init(z);
        for (int i = 0; i < ROW; i++) {
            mpz_init_set_ui(x[i], (unsigned long)i + 5);
            mpz_powm_ui(x[i], x[i], 1234567, r);
        }
        made = true;
    }
    for (int i = 0; i < n; i++) {
        mpz_mul(z, x[i % ROW], x[(i + 1) % ROW]);
        mpz_tdiv_r(z, z, r);
    }
    return mpz_sgn(z) > 0;
#else
    (void)n;
    return false;
#endif
}
