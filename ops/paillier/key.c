/* Keys: generation, reference counts, conversion to and from bytes, release.
 * Must not know: encrypted tensors. */
#include "config.h"
#ifdef HAVE_GMP
#include <stdlib.h>
#include <string.h>
#include "ops/pack/bytes.h"
#include "ops/paillier/paillier.h"
#include "runtime/base/buffer.h"
#include "runtime/base/secret.h"

enum { FORM = 1, HEAD = 32, PUBLIC = 1, PRIVATE = 2 }; /* limit of a format */
static const char magic[4] = { 'O', 'R', 'R', 'P' };

void orr__public_unref(orr__public *pub)
{
    if (pub && atomic_fetch_sub_explicit(&pub->refs, 1, memory_order_acq_rel) == 1)
        free(pub);
}

const orr__object_kind orr__kind_paillier = { "key", sizeof(orr_paillier) };

static orr_paillier *key_new(orr__site at, bool with_private)
{
    orr_paillier *k = orr__object_new(&orr__kind_paillier);
    if (k)
        k->pub = orr__alloc(sizeof *k->pub);
    if (k && k->pub) {
        atomic_init(&k->pub->refs, 1);
        k->priv = with_private ? orr__secret_new(sizeof *k->priv) : NULL;
        if (k->priv || !with_private)
            return k;
    }
    orr_paillier_free(k);
    return (void)orr__fail_place(at, ORR_ENOMEM), NULL;
}

void orr_paillier_free(orr_paillier *k)
{
    if (!orr__object_there("paillier_free", &orr__kind_paillier, k))
        return;
    orr__noises_free(k);
    orr__secret_free(k->priv);
    orr__public_unref(k->pub);
    orr__object_end(&orr__kind_paillier, k);
}

/* Computes all numbers that follow from p and q. */
static bool finish(orr__site at, orr_paillier *k)
{
    orr__public size = { .limbs = 2 * k->priv->half };
    mp_limb_t *room = orr__secret_new(orr__paillier_room(&size) * sizeof *room);
    bool ok = room && orr__paillier_finish(k->priv, k->pub, room);
    if (!room)
        (void)orr__fail_place(at, ORR_ENOMEM);
    orr__secret_free(room);
    orr__wipe_stack();
    return ok;
}

orr_paillier *orr__paillier_generate(orr__site at, int bits)
{
    orr_paillier *k = key_new(at, true);
    if (k && orr__paillier_primes(at, bits, k->priv) == ORR_OK && finish(at, k))
        return k;
    orr_paillier_free(k);
    return NULL;
}

static bool is_size(uint64_t bits)
{
    return bits == 2048 || bits == 3072 || bits == 4096;
}

orr_paillier *orr_paillier_generate_at(const char *file, int line, int bits)
{
    orr__site at = ORR__SITE(file, line, "paillier_generate");
    if (is_size((uint64_t)bits))
        return orr__paillier_generate(at, bits);
    (void)orr__fail(at, ORR_EINVAL, "keys have 2048, 3072 or 4096 bits, not %d", bits);
    return NULL;
}

orr_paillier *orr_paillier_public_at(const char *file, int line, const orr_paillier *key)
{
    orr__site at = ORR__SITE(file, line, "paillier_public");
    if (orr__object_check(at, &orr__kind_paillier, key) != ORR_OK)
        return NULL;
    orr_paillier *k = orr__object_new(&orr__kind_paillier);
    if (!k) {
        (void)orr__fail_place(at, ORR_ENOMEM);
        return NULL;
    }
    k->pub = orr__public_ref(key->pub);
    return k;
}

int orr_paillier_bits(const orr_paillier *key)
{
    return orr__object_there("paillier_bits", &orr__kind_paillier, key) ? key->pub->bits : 0;
}

bool orr_paillier_has_private(const orr_paillier *key)
{
    return orr__object_there("paillier_has_private", &orr__kind_paillier, key) && key->priv;
}

orr_status orr_paillier_id_at(const char *file, int line, const orr_paillier *key, unsigned char id[ORR_PAILLIER_ID])
{
    orr__site at = ORR__SITE(file, line, "paillier_id");
    orr_status st = orr__object_check(at, &orr__kind_paillier, key);
    if (st != ORR_OK)
        return st;
    if (!id)
        return orr__fail(at, ORR_EINVAL, "the place is NULL");
    memcpy(id, key->pub->id, ORR_PAILLIER_ID);
    return ORR_OK;
}

/* -- bytes ---------------------------------------------------------------------------------------------------- */

static void write_limbs(orr__cursor *c, const mp_limb_t *x, mp_size_t n)
{
    for (mp_size_t i = 0; i < n; i++)
        orr__write_le(c, x[i], 8);
}

static void take_limbs(orr__cursor *c, mp_limb_t *x, mp_size_t n)
{
    for (mp_size_t i = 0; i < n; i++)
        x[i] = orr__take_le(c, 8);
}

orr_status orr_paillier_save_at(const char *file, int line, const orr_paillier *key, bool with_private, orr_bytes *out)
{
    orr__site at = ORR__SITE(file, line, "paillier_save");
    orr_status st = orr__object_check(at, &orr__kind_paillier, key);
    if (st != ORR_OK)
        return st;
    if (!out)
        return orr__fail(at, ORR_EINVAL, "the place is NULL");
    if (with_private && !key->priv)
        return orr__fail(at, ORR_EINVAL, "the key has no private half");
    size_t bytes = (size_t)key->pub->limbs * 8;
    st = orr__bytes_new(at, out, HEAD + bytes * (with_private ? 2 : 1));
    if (st != ORR_OK)
        return st;
    orr__cursor c = { out->data, out->size, true };
    orr__write(&c, magic, sizeof magic);
    orr__write_le(&c, FORM, 1);
    orr__write_le(&c, with_private ? PRIVATE : PUBLIC, 1);
    orr__write_le(&c, 0, 2);
    orr__write_le(&c, (uint64_t)key->pub->bits, 8);
    orr__write(&c, key->pub->id, ORR_PAILLIER_ID);
    write_limbs(&c, key->pub->n, key->pub->limbs);
    if (with_private) {
        write_limbs(&c, key->priv->p, key->priv->half);
        write_limbs(&c, key->priv->q, key->priv->half);
    }
    return ORR_OK;
}

/* Checks that n has the digest `id`, and, of a private key, is the product of the primes p and q. */
static orr_status check(orr__site at, orr_paillier *k, const unsigned char *id, const mp_limb_t *n)
{
    mp_size_t l = k->pub->limbs;
    if (!(n[l - 1] >> 63) || !(n[0] & 1))
        return orr__fail(at, ORR_EFORMAT, "the key's modulus is no product of two primes of its size");
    if (k->priv) {
        orr__public size = { .limbs = l };
        mp_limb_t *room = orr__secret_new(orr__paillier_room(&size) * sizeof *room);
        bool primes = room && (k->priv->p[0] & k->priv->q[0] & 1) && k->priv->p[k->priv->half - 1] >> 63 &&
                      k->priv->q[k->priv->half - 1] >> 63 && orr__is_prime(at, k->priv->p, k->priv->half, 8, room) &&
                      orr__is_prime(at, k->priv->q, k->priv->half, 8, room);
        orr__secret_free(room);
        orr__wipe_stack();
        if (!room)
            return orr__fail_place(at, ORR_ENOMEM);
        if (!primes || !finish(at, k))
            return orr__fail(at, ORR_EFORMAT, "the key's private half is not two primes");
    } else {
        mpn_copyi(k->pub->n, n, l);
        orr__public_finish(k->pub);
    }
    if (mpn_cmp(k->pub->n, n, l) != 0 || memcmp(k->pub->id, id, ORR_PAILLIER_ID) != 0)
        return orr__fail(at, ORR_EFORMAT, "the key's name does not fit its numbers: the bytes were changed");
    return ORR_OK;
}

orr_paillier *orr_paillier_load_at(const char *file, int line, const orr_bytes *in)
{
    orr__site at = ORR__SITE(file, line, "paillier_load");
    if (!in || (!in->data && in->size > 0))
        return (void)orr__fail(at, ORR_EINVAL, "the bytes are NULL"), NULL;
    orr__cursor c = { in->data, in->size, true };
    const unsigned char *head = orr__take(&c, sizeof magic);
    unsigned form = (unsigned)orr__take_le(&c, 1), kind = (unsigned)orr__take_le(&c, 1);
    (void)orr__take_le(&c, 2);
    uint64_t bits = orr__take_le(&c, 8);
    const unsigned char *id = orr__take(&c, ORR_PAILLIER_ID);
    if (!c.ok || memcmp(head, magic, sizeof magic) != 0 || (kind != PUBLIC && kind != PRIVATE))
        return (void)orr__fail(at, ORR_EFORMAT, "these %zu bytes are no Paillier key", in->size), NULL;
    if (form != FORM)
        return (void)orr__fail(at, ORR_EFORMAT, "the key has version %u, this library version %d", form, FORM), NULL;
    if (!is_size(bits))
        return (void)orr__fail(at, ORR_EFORMAT,
                               "keys have 2048, 3072 or 4096 bits, not %llu: shorter ones protect nothing",
                               (unsigned long long)bits),
               NULL;
    if (c.left != (size_t)bits / 8 * (kind == PRIVATE ? 2 : 1))
        return (void)orr__fail(at, ORR_EFORMAT,
                               "the key is truncated or too long: %zu bytes behind its header, not %zu", c.left,
                               (size_t)bits / 8 * (kind == PRIVATE ? 2 : 1)),
               NULL;
    mp_limb_t n[ORR__MOST_LIMBS];
    orr_paillier *k = key_new(at, kind == PRIVATE);
    if (!k)
        return NULL;
    k->pub->limbs = (mp_size_t)(bits / 64);
    take_limbs(&c, n, k->pub->limbs);
    if (k->priv) {
        k->priv->half = k->pub->limbs / 2;
        take_limbs(&c, k->priv->p, k->priv->half);
        take_limbs(&c, k->priv->q, k->priv->half);
    }
    if (check(at, k, id, n) == ORR_OK)
        return k;
    orr_paillier_free(k);
    return NULL;
}

#endif
