/* Paillier's arithmetic on limbs, by GMP's functions whose time and memory accesses do not depend on the values (mpn_sec_…);
 * all their scratch is in `room`, which the caller wipes.
 * Must not know: tensors, packing. */
#include "config.h"
#ifdef HAVE_GMP
#include <string.h>
#include "ops/paillier/paillier.h"
#include "runtime/base/buffer.h"
#include "runtime/base/secret.h"
#include "runtime/base/sha256.h"

static mp_size_t most(mp_size_t a, mp_size_t b)
{
    return a > b ? a : b;
}

/* The maximum over all calls: powers modulo n², quotients of 4·limbs by 2·limbs. */
size_t orr__paillier_room(const orr__public *pub)
{
    mp_size_t l = pub->limbs, need = mpn_sec_powm_itch(l, (mp_bitcnt_t)l * 64, 2 * l);
    need = most(need, mpn_sec_powm_itch(2 * l, (mp_bitcnt_t)l * 64, l));
    need = most(need, mpn_sec_div_r_itch(4 * l, 2 * l));
    need = most(need, mpn_sec_div_r_itch(2 * l, l));
    need = most(need, mpn_sec_div_qr_itch(l, l / 2));
    need = most(need, mpn_sec_mul_itch(2 * l, 2 * l));
    need = most(need, mpn_sec_invert_itch(l));
    return (size_t)(need + 16 * l + 64);
}

/* r = a · b mod m; a and b of n limbs. room: 2n limbs, and GMP's scratch. */
static void mul_mod(mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *b, const mp_limb_t *m, mp_size_t n,
                    mp_limb_t *room)
{
    mpn_sec_mul(room, a, n, b, n, room + 2 * n);
    mpn_sec_div_r(room, 2 * n, m, n, room + 2 * n);
    mpn_copyi(r, room, n);
}

/* r = a mod m; a of n limbs, m of k. room: n limbs, and GMP's scratch. */
static void mod(mp_limb_t *r, const mp_limb_t *a, mp_size_t n, const mp_limb_t *m, mp_size_t k, mp_limb_t *room)
{
    mpn_copyi(room, a, n);
    mpn_sec_div_r(room, n, m, k, room + n);
    mpn_copyi(r, room, k);
}

/* r = a − b mod m, both reduced. */
static void sub_mod(mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *b, const mp_limb_t *m, mp_size_t n)
{
    mp_limb_t borrow = mpn_sub_n(r, a, b, n);
    (void)mpn_cnd_add_n(borrow, r, r, m, n);
}

static bool invert_mod(mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *m, mp_size_t n, mp_limb_t *room)
{
    mpn_copyi(room, a, n);
    return mpn_sec_invert(r, room, m, n, (mp_bitcnt_t)n * 128, room + n) != 0;
}

/* -- primes ------------------------------------------------------------------------------------------------- */

static bool has_small_factor(const mp_limb_t *p, mp_size_t n)
{
    for (mp_limb_t d = 3; d < 4096; d += 2) {
        bool prime = true;
        for (mp_limb_t k = 3; prime && k * k <= d; k += 2)
            prime = d % k != 0;
        if (prime && mpn_mod_1(p, n, d) == 0)
            return true;
    }
    return false;
}

/* Miller and Rabin with random bases; p = 3 mod 4, so that a^((p−1)/2) is 1 or −1 for every base. */
bool orr__is_prime(orr__site at, const mp_limb_t *p, mp_size_t n, int rounds, mp_limb_t *room)
{
    mp_limb_t *e = room, *a = e + n, *r = a + n, *t = r + n;
    if ((p[0] & 3) != 3 || has_small_factor(p, n))
        return false;
    (void)mpn_rshift(e, p, n, 1);
    for (int i = 0; i < rounds; i++) {
        do
            if (orr__secret_random(at, a, (size_t)n * sizeof *a) != ORR_OK)
                return false;
        while (mpn_cmp(a, p, n) >= 0 || (mpn_zero_p(a + 1, n - 1) && a[0] < 2));
        mpn_sec_powm(r, a, n, e, (mp_bitcnt_t)n * 64 - 1, p, n, t);
        bool one = r[0] == 1 && mpn_zero_p(r + 1, n - 1);
        (void)mpn_add_1(r, r, n, 1);
        if (!one && mpn_cmp(r, p, n) != 0)
            return false;
    }
    return true;
}

/* Uniform among the primes that are 3 mod 4 and whose two highest bits are set, so that the product of two has full
 * length. */
static orr_status random_prime(orr__site at, mp_limb_t *p, mp_size_t n, mp_limb_t *room)
{
    orr_status st;
    do {
        st = orr__secret_random(at, p, (size_t)n * sizeof *p);
        p[n - 1] |= (mp_limb_t)3 << 62;
        p[0] |= 3;
    } while (st == ORR_OK &&
             (has_small_factor(p, n) || !orr__is_prime(at, p, n, 1, room) || !orr__is_prime(at, p, n, 31, room)));
    return st;
}

orr_status orr__paillier_primes(orr__site at, int bits, orr__private *priv)
{
    orr__public size = { .limbs = bits / 64 };
    mp_limb_t *room = orr__secret_new(orr__paillier_room(&size) * sizeof *room);
    orr_status st = room ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
    priv->half = bits / 128;
    mp_size_t h = priv->half;
    if (st == ORR_OK)
        st = random_prime(at, priv->p, h, room);
    do /* p and q must differ in the highest two limbs, else n is nearly a square and can be factored */
        if (st == ORR_OK)
            st = random_prime(at, priv->q, h, room);
    while (st == ORR_OK && priv->p[h - 1] == priv->q[h - 1] && (h < 2 || priv->p[h - 2] == priv->q[h - 2]));
    orr__secret_free(room);
    return st;
}

void orr__public_finish(orr__public *pub)
{
    unsigned char bytes[ORR__MOST_LIMBS * 8], digest[32];
    orr__sha256 s;
    for (mp_size_t i = 0; i < pub->limbs; i++)
        for (int k = 0; k < 8; k++)
            bytes[(pub->limbs - 1 - i) * 8 + 7 - k] = (unsigned char)(pub->n[i] >> (8 * k));
    orr__sha256_begin(&s);
    orr__sha256_add(&s, bytes, (size_t)pub->limbs * 8);
    orr__sha256_end(&s, digest);
    memcpy(pub->id, digest, sizeof pub->id);
    mpn_mul_n(pub->n2, pub->n, pub->n, pub->limbs);
    pub->bits = (int)pub->limbs * 64;
}

bool orr__paillier_finish(orr__private *k, orr__public *pub, mp_limb_t *room)
{
    mp_size_t h = k->half, l = 2 * h;
    mp_limb_t *t = room, *rest = room + 2 * l;
    pub->limbs = l;
    if (mpn_cmp(k->p, k->q, h) == 0)
        return false;
    mpn_sec_mul(pub->n, k->p, h, k->q, h, rest);
    if (!(pub->n[l - 1] >> 63))
        return false;
    orr__public_finish(pub);
    mpn_sec_mul(k->p2, k->p, h, k->p, h, rest);
    mpn_sec_mul(k->q2, k->q, h, k->q, h, rest);
    (void)mpn_sub_1(k->p1, k->p, h, 1);
    (void)mpn_sub_1(k->q1, k->q, h, 1);
    /* Each is reduced modulo the other first, since either may be larger. */
    mod(t, k->q, h, k->p, h, rest);
    bool ok = invert_mod(k->qinv, t, k->p, h, rest);
    (void)mpn_sub_n(k->hp, k->p, k->qinv, h); /* 1/(−q) */
    mod(t, k->p, h, k->q, h, rest);
    ok = invert_mod(t + h, t, k->q, h, rest) && ok;
    (void)mpn_sub_n(k->hq, k->q, t + h, h);
    mod(t, k->q2, l, k->p2, l, rest);
    return invert_mod(k->q2inv, t, k->p2, l, rest) && ok;
}

/* -- encryption ----------------------------------------------------------------------------------------------- */

/* x uniform in 0 < x < m. m has its highest bit set, so that few draws are needed. */
static orr_status random_below(orr__site at, const mp_limb_t *m, mp_size_t n, mp_limb_t *x)
{
    orr_status st;
    do
        st = orr__secret_random(at, x, (size_t)n * sizeof *x);
    while (st == ORR_OK && (mpn_cmp(x, m, n) >= 0 || mpn_zero_p(x, n)));
    return st;
}

/* x = xq + q² · ((xp − xq)/q² mod p²). */
static void join_squares(const orr__private *k, const mp_limb_t *xp, const mp_limb_t *xq, mp_limb_t *x, mp_limb_t *room)
{
    mp_size_t l = 2 * k->half;
    mp_limb_t *t = room, *rest = room + l;
    mod(t, xq, l, k->p2, l, rest);
    sub_mod(t, xp, t, k->p2, l);
    mul_mod(t, t, k->q2inv, k->p2, l, rest);
    mpn_sec_mul(x, t, l, k->q2, l, rest);
    mp_limb_t carry = mpn_add_n(x, x, xq, l);
    (void)mpn_sec_add_1(x + l, x + l, l, carry, rest);
}

/* Modulo p² the n-th residues are the p-th powers of the numbers below p, all equally likely. */
static orr_status noise_by_halves(orr__site at, const orr__private *k, mp_limb_t *noise, mp_limb_t *room)
{
    mp_size_t h = k->half, l = 2 * h;
    mp_limb_t *x = room, *xp = x + h, *xq = xp + l, *rest = xq + l;
    orr_status st = random_below(at, k->p, h, x);
    if (st == ORR_OK) {
        mpn_sec_powm(xp, x, h, k->p, (mp_bitcnt_t)h * 64, k->p2, l, rest);
        st = random_below(at, k->q, h, x);
    }
    if (st != ORR_OK)
        return st;
    mpn_sec_powm(xq, x, h, k->q, (mp_bitcnt_t)h * 64, k->q2, l, rest);
    join_squares(k, xp, xq, noise, rest);
    return ORR_OK;
}

orr_status orr__paillier_noise(orr__site at, const orr__public *pub, const orr__private *priv, mp_limb_t *noise,
                               mp_limb_t *room)
{
    if (priv)
        return noise_by_halves(at, priv, noise, room);
    mp_size_t l = pub->limbs;
    orr_status st = random_below(at, pub->n, l, room);
    if (st == ORR_OK)
        mpn_sec_powm(noise, room, l, pub->n, (mp_bitcnt_t)l * 64, pub->n2, 2 * l, room + l);
    return st;
}

void orr__paillier_encrypt(const orr__public *pub, const mp_limb_t *m, const mp_limb_t *noise, mp_limb_t *c,
                           mp_limb_t *room)
{
    mp_size_t l = pub->limbs;
    mp_limb_t *t = room, *rest = room + 2 * l;
    mpn_sec_mul(t, m, l, pub->n, l, rest);
    (void)mpn_sec_add_1(t, t, 2 * l, 1, rest);
    mul_mod(c, t, noise, pub->n2, 2 * l, rest);
}

/* (c^(p−1) mod p² − 1)/p · h mod p. */
static void decrypt_half(const mp_limb_t *c, mp_size_t l, const mp_limb_t *p, const mp_limb_t *p1, const mp_limb_t *p2,
                         const mp_limb_t *h, mp_limb_t *m, mp_limb_t *room)
{
    mp_size_t half = l / 2;
    mp_limb_t *x = room, *y = x + l, *rest = y + l;
    mod(x, c, 2 * l, p2, l, rest);
    mpn_sec_powm(y, x, l, p1, (mp_bitcnt_t)half * 64, p2, l, rest);
    (void)mpn_sec_sub_1(y, y, l, 1, rest);
    (void)mpn_sec_div_qr(x, y, l, p, half, rest);
    mul_mod(m, x, h, p, half, rest);
}

void orr__paillier_decrypt(const orr__public *pub, const orr__private *k, const mp_limb_t *c, mp_limb_t *m,
                           mp_limb_t *room)
{
    mp_size_t h = k->half, l = pub->limbs;
    mp_limb_t *mp = room, *mq = mp + h, *t = mq + h, *rest = t + h;
    decrypt_half(c, l, k->p, k->p1, k->p2, k->hp, mp, rest);
    decrypt_half(c, l, k->q, k->q1, k->q2, k->hq, mq, rest);
    mod(t, mq, h, k->p, h, rest);
    sub_mod(t, mp, t, k->p, h);
    mul_mod(t, t, k->qinv, k->p, h, rest);
    mpn_sec_mul(m, t, h, k->q, h, rest);
    mp_limb_t carry = mpn_add_n(m, m, mq, h);
    (void)mpn_sec_add_1(m + h, m + h, h, carry, rest);
}

void orr__paillier_mul(const orr__public *pub, mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *b, mp_limb_t *room)
{
    mp_size_t l = 2 * pub->limbs;
    mpn_mul_n(room, a, b, l);
    mpn_tdiv_qr(room + 2 * l, r, 0, room, 2 * l, pub->n2, l);
}

#endif
