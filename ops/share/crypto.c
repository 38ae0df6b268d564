/* The cryptography of secure aggregation, by libsodium: X25519, BLAKE2b, XChaCha20-Poly1305, Ed25519.
 * Must not know: rounds, messages. */
#include "config.h"
#include <string.h>
#include "ops/share/secagg.h"
#include "runtime/base/secret.h"

#ifdef HAVE_SODIUM
#include <sodium.h>

_Static_assert(crypto_scalarmult_BYTES == ORR__KEY && crypto_sign_BYTES == ORR__SIGN &&
                   crypto_sign_SECRETKEYBYTES == ORR__SIGN &&
                   crypto_aead_xchacha20poly1305_ietf_NPUBBYTES == ORR__NONCE &&
                   crypto_aead_xchacha20poly1305_ietf_ABYTES == ORR__TAG,
               "the sizes of secagg.h are libsodium's");

void orr__key_public(const unsigned char *secret, unsigned char *public_key)
{
    (void)crypto_scalarmult_base(public_key, secret);
}

void orr__key_derive(const unsigned char *secret, const unsigned char *run, char label, uint32_t a, unsigned char *key)
{
    unsigned char b[ORR__RUN + 5];
    memcpy(b, run, ORR__RUN);
    b[ORR__RUN] = (unsigned char)label;
    orr__put_le(b + ORR__RUN + 1, a, 4);
    (void)crypto_generichash(key, ORR__KEY, b, sizeof b, secret, ORR__KEY);
}

bool orr__key_agree(const unsigned char *secret, const unsigned char *other, const unsigned char *run, char label,
                    uint32_t a, uint32_t b, unsigned char *key)
{
    unsigned char common[ORR__KEY], first[ORR__KEY];
    bool ok = crypto_scalarmult(common, secret, other) == 0;
    if (ok) {
        orr__key_derive(common, run, label, a, first);
        orr__key_derive(first, run, label, b, key);
    }
    orr__wipe(common, sizeof common);
    orr__wipe(first, sizeof first);
    return ok;
}

void orr__digest(const void *data, size_t size, unsigned char *out, size_t out_size)
{
    (void)crypto_generichash(out, out_size, data, size, NULL, 0);
}

void orr__seal(const unsigned char *key, const unsigned char *run, const unsigned char *plain, unsigned char *sealed)
{
    (void)crypto_aead_xchacha20poly1305_ietf_encrypt(sealed + ORR__NONCE, NULL, plain, ORR__PLAIN, run, ORR__RUN, NULL,
                                                     sealed, key);
}

bool orr__unseal(const unsigned char *key, const unsigned char *run, const unsigned char *sealed, unsigned char *plain)
{
    return crypto_aead_xchacha20poly1305_ietf_decrypt(plain, NULL, NULL, sealed + ORR__NONCE, ORR__SEALED - ORR__NONCE,
                                                      run, ORR__RUN, sealed, key) == 0;
}

void orr__sign(const unsigned char *secret, const void *data, size_t size, unsigned char *signature)
{
    (void)crypto_sign_detached(signature, NULL, data, size, secret);
}

bool orr__signed(const unsigned char *public_key, const void *data, size_t size, const unsigned char *signature)
{
    return crypto_sign_verify_detached(signature, data, size, public_key) == 0;
}

orr_status orr_secagg_identity_at(const char *file, int line, unsigned char *public_key, unsigned char *secret_key)
{
    orr__site at = ORR__SITE(file, line, "secagg_identity");
    unsigned char seed[crypto_sign_SEEDBYTES];
    orr_status st = orr__need_sodium(at);
    if (!public_key || !secret_key)
        st = orr__fail(at, ORR_EINVAL, "the place for the %s key is NULL", public_key ? "secret" : "public");
    if (st == ORR_OK)
        st = orr__secret_random(at, seed, sizeof seed);
    if (st == ORR_OK)
        (void)crypto_sign_seed_keypair(public_key, secret_key, seed);
    orr__wipe(seed, sizeof seed);
    orr__wipe_stack();
    return st;
}

#else
/* Unreachable: parties cannot be made without libsodium. */

void orr__key_public(const unsigned char *secret, unsigned char *public_key)
{
    memset(public_key, 0, ORR__KEY);
    (void)secret;
}

void orr__key_derive(const unsigned char *secret, const unsigned char *run, char label, uint32_t a, unsigned char *key)
{
    memset(key, 0, ORR__KEY);
    (void)secret;
    (void)run;
    (void)label;
    (void)a;
}

bool orr__key_agree(const unsigned char *secret, const unsigned char *other, const unsigned char *run, char label,
                    uint32_t a, uint32_t b, unsigned char *key)
{
    (void)other;
    (void)b;
    orr__key_derive(secret, run, label, a, key);
    return false;
}

void orr__digest(const void *data, size_t size, unsigned char *out, size_t out_size)
{
    memset(out, 0, out_size);
    (void)data;
    (void)size;
}

void orr__seal(const unsigned char *key, const unsigned char *run, const unsigned char *plain, unsigned char *sealed)
{
    memset(sealed, 0, ORR__SEALED);
    (void)key;
    (void)run;
    (void)plain;
}

bool orr__unseal(const unsigned char *key, const unsigned char *run, const unsigned char *sealed, unsigned char *plain)
{
    memset(plain, 0, ORR__PLAIN);
    (void)key;
    (void)run;
    (void)sealed;
    return false;
}

void orr__sign(const unsigned char *secret, const void *data, size_t size, unsigned char *signature)
{
    memset(signature, 0, ORR__SIGN);
    (void)secret;
    (void)data;
    (void)size;
}

bool orr__signed(const unsigned char *public_key, const void *data, size_t size, const unsigned char *signature)
{
    (void)public_key;
    (void)data;
    (void)size;
    (void)signature;
    return false;
}

orr_status orr_secagg_identity_at(const char *file, int line, unsigned char *public_key, unsigned char *secret_key)
{
    (void)public_key;
    (void)secret_key;
    return orr__need_sodium(ORR__SITE(file, line, "secagg_identity"));
}

#endif

bool orr__pair_mask(const unsigned char *secret, const unsigned char *other_public, const unsigned char *run,
                    uint32_t self, uint32_t other, orr__mask *mask)
{
    mask->minus = self < other;
    return orr__key_agree(secret, other_public, run, ORR__LABEL_MASK, self < other ? self : other,
                          self < other ? other : self, mask->key);
}
