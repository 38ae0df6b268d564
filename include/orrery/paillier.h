/* Homomorphic sums: Paillier's encryption of tensors, which adds encrypted numbers and multiplies them by plain ones.
 * Must not know: parties, how a value is computed.
 *
 * docs/private.md lists each protection and its adversary. All functions evaluate their operands and compute at once,
 * in tasks of one ciphertext or a few, on all workers. Exponents, keys and encrypted numbers are processed by GMP's
 * functions whose time does not depend on the values (mpn_sec_…), in memory that is wiped after use and left out of
 * core dumps; messages name places, never values. Any number of threads may use a key at once. In a library built
 * without GMP all functions return ORR_EDEVICE. */
#ifndef ORRERY_PAILLIER_H
#define ORRERY_PAILLIER_H

#include <stdbool.h>
#include <orrery/bytes.h>
#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- keys ------------------------------------------------------------------------------------------------ */

/** A key pair, or a public key alone. Encryption hides numbers from readers without the private key, as long as n is
 * not factored. NIST SP 800-57 recommends 2048 bits until 2030 and 3072 beyond. P. Paillier, "Public-key cryptosystems
 * based on composite degree residuosity classes", 1999, with g = n + 1. */
typedef struct orr_paillier orr_paillier;

/** Bytes of a key's name. */
#define ORR_PAILLIER_ID 16

/** A new key pair, n = p · q of two random primes with the same number of bits, from the system's generator; 32 rounds of Miller
 * and Rabin each.
 * @param bits  of n: 2048, 3072 or 4096
 * @return   to free with orr_paillier_free; NULL on ORR_EINVAL, ORR_ENOMEM, ORR_EDEVICE. */
ORR_API orr_paillier *orr_paillier_generate_at(const char *file, int line, int bits);
#define orr_paillier_generate(...) orr_paillier_generate_at(ORR_HERE, __VA_ARGS__)
/** The public half, an object of its own. NULL on ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_paillier *orr_paillier_public_at(const char *file, int line, const orr_paillier *key);
#define orr_paillier_public(...) orr_paillier_public_at(ORR_HERE, __VA_ARGS__)
/** Waits for orr_paillier_prepare's work, wipes and frees the key. Ciphertexts stay valid. NULL is fine. May be called
 * after orr_shutdown. */
ORR_API void orr_paillier_free(orr_paillier *key);
/** Bits of n; 0 for NULL. */
ORR_API int orr_paillier_bits(const orr_paillier *key);
/** Returns whether the key can decrypt. */
ORR_API bool orr_paillier_has_private(const orr_paillier *key);
/** The key's name: the first 16 bytes of SHA-256 of n, big-endian in bits/8 bytes. Errors: ORR_EINVAL (NULL). */
ORR_API orr_status orr_paillier_id_at(const char *file, int line, const orr_paillier *key,
                                      unsigned char id[ORR_PAILLIER_ID]);
#define orr_paillier_id(...) orr_paillier_id_at(ORR_HERE, __VA_ARGS__)
/** The key as bytes: version, name, n; with_private: also p and q, unencrypted, so that any reader of the bytes can decrypt.
 * orr_bytes_free wipes them. Errors: ORR_EINVAL (NULL, no private half), ORR_ENOMEM. */
ORR_API orr_status orr_paillier_save_at(const char *file, int line, const orr_paillier *key, bool with_private,
                                        orr_bytes *out);
#define orr_paillier_save(...) orr_paillier_save_at(ORR_HERE, __VA_ARGS__)
/** Reads a key from the bytes of orr_paillier_save. NULL on ORR_EFORMAT (truncated, of another version, changed: the name
 * does not fit n; p or q is no prime), ORR_EINVAL, ORR_ENOMEM, ORR_EDEVICE. */
ORR_API orr_paillier *orr_paillier_load_at(const char *file, int line, const orr_bytes *in);
#define orr_paillier_load(...) orr_paillier_load_at(ORR_HERE, __VA_ARGS__)
/** Computes `count` noises ahead, as background tasks, and returns at once. Encryption and re-randomisation with this
 * key use each of them once, and compute missing ones themselves. 0 ≤ count ≤ 2^20; further calls add.
 * Errors: ORR_EINVAL, ORR_ESTATE (the work of the last call has not ended), ORR_ENOMEM. */
ORR_API orr_status orr_paillier_prepare_at(const char *file, int line, orr_paillier *key, int64_t count);
#define orr_paillier_prepare(...) orr_paillier_prepare_at(ORR_HERE, __VA_ARGS__)

/* -- encrypted tensors ------------------------------------------------------------------------------------- */

/** Encrypted numbers of a shape, with their public key. Immutable. Free with orr_encrypted_free. */
typedef struct orr_encrypted orr_encrypted;

/** The encoding of numbers as integers, and the number of integers that share a ciphertext. x is the integer round(x ·
 * 2^fraction), at most b = round(most · 2^fraction) < 2^62 in magnitude. A slot has s bits, 2^(s−1) > b · headroom, so
 * that every sum of weights w times such integers with Σ|w| ≤ headroom fits; ⌊(bits − 2)/s⌋ slots fit into a ciphertext.
 * An operation refuses a result that might not fit: a ciphertext carries the bound of its slots. This is public, and
 * reflects the magnitudes of the plain operands used so far. */
typedef struct orr_packing {
    int fraction;    /**< 0 … 60                                                                        */
    double most;     /**< > 0: the largest |x|                                                          */
    double headroom; /**< ≥ 1, at most 2^62; weights with fractions count times 2^fraction */
    int slots;       /**< numbers per ciphertext, along the last axis; 0: as many as fit */
} orr_packing;

/** x, encrypted. The holder of the private key encrypts faster (by the Chinese remainder theorem, with the same distribution).
 * @param x  any dtype but bool, any shape
 * @return   NULL on ORR_EINVAL (the packing; too many slots), ORR_EDTYPE, ORR_EINDEX (an element is above `most`, NaN or infinite: its
 *           place), ORR_ENOMEM, ORR_EDEVICE.      cost: a power modulo n² a ciphertext. */
ORR_API orr_encrypted *orr_paillier_encrypt_at(const char *file, int line, orr_paillier *key, orr_tensor *x,
                                               orr_packing packing);
#define orr_paillier_encrypt(...) orr_paillier_encrypt_at(ORR_HERE, __VA_ARGS__)
/** The numbers in e: each integer divided by 2^(sum of the fractions of all its factors).
 * @param dtype  a float dtype, or ORR_I64 (the integer itself)
 * @return   of e's shape, owned by the current scope, wiped when its last use ends; poison on ORR_EINVAL (no private key; e belongs to
 *           another key), ORR_EDTYPE, ORR_EINDEX (ORR_I64 that does not hold an element), ORR_ENOMEM. */
ORR_API orr_tensor *orr_paillier_decrypt_at(const char *file, int line, const orr_paillier *key, const orr_encrypted *e,
                                            orr_dtype dtype);
#define orr_paillier_decrypt(...) orr_paillier_decrypt_at(ORR_HERE, __VA_ARGS__)

/** a + b. The result is not re-randomised: a reader who knows a and b recognises it (orr_paillier_rerandomize).
 * NULL on ORR_EINVAL (NULL, other keys, other packings or fractions), ORR_ESHAPE (other shapes), ORR_EINDEX (a slot might overflow),
 * ORR_ENOMEM. This holds for all functions below.      cost: a product modulo n² a ciphertext. */
ORR_API orr_encrypted *orr_paillier_add_at(const char *file, int line, const orr_encrypted *a, const orr_encrypted *b);
#define orr_paillier_add(...) orr_paillier_add_at(ORR_HERE, __VA_ARGS__)
/** a + x, for plain x of a's shape, at a's fraction. Not re-randomised, as orr_paillier_add. */
ORR_API orr_encrypted *orr_paillier_add_plain_at(const char *file, int line, const orr_encrypted *a, orr_tensor *x);
#define orr_paillier_add_plain(...) orr_paillier_add_plain_at(ORR_HERE, __VA_ARGS__)
/** a · w, for plain w that is treated as public: the time depends on w. Not re-randomised, as orr_paillier_add.
 * @param w         one element, or a's shape with the last axis 1, or a's shape if a has one slot
 * @param fraction  fraction bits of w, which is rounded to them; they add to those of the result */
ORR_API orr_encrypted *orr_paillier_mul_plain_at(const char *file, int line, const orr_encrypted *a, orr_tensor *w,
                                                 int fraction);
#define orr_paillier_mul_plain(...) orr_paillier_mul_plain_at(ORR_HERE, __VA_ARGS__)
/** Σ a over one axis, which is removed. If several slots share a ciphertext, the last axis is refused (ORR_EAXIS). */
ORR_API orr_encrypted *orr_paillier_sum_at(const char *file, int line, const orr_encrypted *a, int axis);
#define orr_paillier_sum(...) orr_paillier_sum_at(ORR_HERE, __VA_ARGS__)
/** Σ a · w over one axis, for plain weights w that are treated as public. w has one axis, of that length; otherwise as
 * orr_paillier_sum and orr_paillier_mul_plain. */
ORR_API orr_encrypted *orr_paillier_dot_at(const char *file, int line, const orr_encrypted *a, orr_tensor *w, int axis,
                                           int fraction);
#define orr_paillier_dot(...) orr_paillier_dot_at(ORR_HERE, __VA_ARGS__)
/** The same numbers in fresh ciphertexts, which a reader without the private key cannot link to a's.
 * @param key  the key of a, public or private (faster) */
ORR_API orr_encrypted *orr_paillier_rerandomize_at(const char *file, int line, orr_paillier *key,
                                                   const orr_encrypted *a);
#define orr_paillier_rerandomize(...) orr_paillier_rerandomize_at(ORR_HERE, __VA_ARGS__)

/** Frees e. NULL is fine. */
ORR_API void orr_encrypted_free(orr_encrypted *e);
/** Returns the shape; rank −1 for NULL. */
ORR_API orr_shape orr_encrypted_shape(const orr_encrypted *e);
/** Returns the numbers per ciphertext; 0 for NULL. */
ORR_API int orr_encrypted_slots(const orr_encrypted *e);
/** e as bytes: version, the key's name, shape, packing, bound, ciphertexts. Errors: ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_status orr_encrypted_save_at(const char *file, int line, const orr_encrypted *e, orr_bytes *out);
#define orr_encrypted_save(...) orr_encrypted_save_at(ORR_HERE, __VA_ARGS__)
/** Reads the bytes of orr_encrypted_save. They are not authenticated: a change of the bytes changes the numbers. NULL on
 * ORR_EFORMAT (truncated, of another version, of another key, a number that is no ciphertext), ORR_EINVAL, ORR_ENOMEM. */
ORR_API orr_encrypted *orr_encrypted_load_at(const char *file, int line, const orr_paillier *key, const orr_bytes *in);
#define orr_encrypted_load(...) orr_encrypted_load_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
