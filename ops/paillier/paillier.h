/* The structs of keys and encrypted tensors, and arithmetic modulo n and n² in a time that does not depend on the
 * values.
 * Must not know: tensors. */
#ifndef ORR_OPS_PAILLIER_PAILLIER_H
#define ORR_OPS_PAILLIER_PAILLIER_H

#include <gmp.h>
#include <stdatomic.h>
#include <orrery/paillier.h>
#include "runtime/base/object.h"
#include "runtime/base/status.h"

_Static_assert(GMP_NUMB_BITS == 64 && sizeof(mp_limb_t) == 8, "limbs of 64 bits");

enum { ORR__MOST_LIMBS = 64 }; /* of n: 4096 bits */

/* The public key. Reference-counted, since ciphertexts hold it. */
typedef struct {
    atomic_int refs;
    int bits;
    mp_size_t limbs; /* of n; n² has twice as many */
    unsigned char id[ORR_PAILLIER_ID];
    mp_limb_t n[ORR__MOST_LIMBS], n2[2 * ORR__MOST_LIMBS];
} orr__public;

/* The private key, in memory for secrets. half: limbs of p and q; p² and q² have `limbs`. */
typedef struct {
    mp_size_t half;
    mp_limb_t p[ORR__MOST_LIMBS / 2], q[ORR__MOST_LIMBS / 2];
    mp_limb_t p1[ORR__MOST_LIMBS / 2], q1[ORR__MOST_LIMBS / 2]; /* p − 1, q − 1             */
    mp_limb_t p2[ORR__MOST_LIMBS], q2[ORR__MOST_LIMBS];         /* p², q²                   */
    mp_limb_t hp[ORR__MOST_LIMBS / 2], hq[ORR__MOST_LIMBS / 2]; /* 1/(−q) mod p, 1/(−p) mod q */
    mp_limb_t qinv[ORR__MOST_LIMBS / 2];                        /* 1/q mod p                */
    mp_limb_t q2inv[ORR__MOST_LIMBS];                           /* 1/q² mod p²              */
} orr__private;

typedef struct orr__noises orr__noises;

extern const orr__object_kind orr__kind_paillier, orr__kind_encrypted;
struct orr_paillier {
    orr__public *pub;
    orr__private *priv; /* NULL: none */
    orr__noises *noises;
};

struct orr_encrypted {
    orr__public *pub;
    orr_shape shape;
    int fraction, slots, slot_bits;
    int64_t count;    /* ciphertexts: ⌈length/slots⌉ for each row of the last axis */
    mpz_t bound;      /* largest possible magnitude of a slot's integer                */
    mp_limb_t *limbs; /* count · 2·pub->limbs, each below n²                            */
};

/* -- numbers (number.c) ------------------------------------------------------------------------------------ */

/* Limbs of scratch (`room`) that the functions below need for keys of this size. */
size_t orr__paillier_room(const orr__public *pub);
/* Draws two random primes p and q. bits: a multiple of 128. */
orr_status orr__paillier_primes(orr__site at, int bits, orr__private *priv);
/* Computes pub and priv from p and q. false: p = q, or n has another number of bits. */
bool orr__paillier_finish(orr__private *priv, orr__public *pub, mp_limb_t *room);
bool orr__is_prime(orr__site at, const mp_limb_t *p, mp_size_t half, int rounds, mp_limb_t *room);
void orr__public_finish(orr__public *pub); /* computes id and n² from n */
/* Noise: a uniform n-th residue modulo n². priv may be NULL. */
orr_status orr__paillier_noise(orr__site at, const orr__public *pub, const orr__private *priv, mp_limb_t *noise,
                               mp_limb_t *room);
/* c = (1 + m·n) · noise mod n²; m of `limbs` limbs, below n. */
void orr__paillier_encrypt(const orr__public *pub, const mp_limb_t *m, const mp_limb_t *noise, mp_limb_t *c,
                           mp_limb_t *room);
void orr__paillier_decrypt(const orr__public *pub, const orr__private *priv, const mp_limb_t *c, mp_limb_t *m,
                           mp_limb_t *room);
/* r = a · b mod n²; r may be a. */
void orr__paillier_mul(const orr__public *pub, mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *b, mp_limb_t *room);

/* -- packing (packing.c) ----------------------------------------------------------------------------------- */

/* m = Σ v[i] · 2^(i·slot_bits) modulo n, of `count` signed integers that fit into their slots. */
void orr__pack(const orr__public *pub, const int64_t *v, int count, int slots, int slot_bits, mp_limb_t *m,
               mp_limb_t *room);
/* Prepares m (below n) for orr__unpack_…: adds 2^(slot_bits − 1) to the integer of each slot. false: m is no packed number. */
bool orr__unpack_begin(const orr__public *pub, int slots, int slot_bits, mp_limb_t *m, mp_limb_t *room);
/* Slot i times 2^−fraction as a double, or slot i as an int64; false: it does not fit. */
double orr__unpack_double(const mp_limb_t *m, int i, int slot_bits, int fraction);
bool orr__unpack_integer(const mp_limb_t *m, int i, int slot_bits, int64_t *v);

/* -- keys (key.c) ------------------------------------------------------------------------------------------ */

orr_paillier *orr__paillier_generate(orr__site at, int bits); /* of any size that GMP supports, for tests */
void orr__public_unref(orr__public *pub);
static inline orr__public *orr__public_ref(orr__public *pub)
{
    atomic_fetch_add_explicit(&pub->refs, 1, memory_order_relaxed);
    return pub;
}
/* Takes one noise that was computed ahead; false: none is left. (noise.c) */
bool orr__noise_take(const orr_paillier *key, mp_limb_t *noise);
void orr__noises_free(orr_paillier *key); /* waits */

/* ORR_EINDEX if integers of the result may not fit into their slots. */
orr_status orr__check_bound(orr__site at, const orr_encrypted *e);
orr_encrypted *orr__encrypted_new(orr__site at, orr__public *pub, const orr_shape *shape, int fraction, int slots,
                                  int slot_bits);

#endif
