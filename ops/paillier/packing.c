/* Signed integers side by side in one number below n. A slot of s bits holds v + 2^(s−1), which is never negative;
 * subtracting all these 2^(s−1) gives Σ v · 2^(i·s) modulo n, so that sums of packed numbers are packed sums.
 * Must not know: encryption. */
#include "config.h"
#ifdef HAVE_GMP
#include <math.h>
#include "ops/paillier/paillier.h"

/* Writes the low `bits` (≤ 64) of word at bit `at` of m, where m is 0. */
static void put(mp_limb_t *m, int64_t at, uint64_t word, int bits)
{
    uint64_t cut = bits < 64 ? word & ((UINT64_C(1) << bits) - 1) : word; /* limit of arithmetic */
    int shift = (int)(at % 64);
    m[at / 64] |= cut << shift;
    if (shift + bits > 64) /* limit of arithmetic */
        m[at / 64 + 1] |= cut >> (64 - shift);
}

static uint64_t get(const mp_limb_t *m, int64_t at, int bits)
{
    int shift = (int)(at % 64);
    uint64_t word = m[at / 64] >> shift;
    if (shift + bits > 64) /* limit of arithmetic */
        word |= m[at / 64 + 1] << (64 - shift);
    return bits < 64 ? word & ((UINT64_C(1) << bits) - 1) : word; /* limit of arithmetic */
}

static void offsets(const orr__public *pub, int slots, int slot_bits, mp_limb_t *k)
{
    mpn_zero(k, pub->limbs);
    for (int i = 0; i < slots; i++)
        put(k, (int64_t)i * slot_bits + slot_bits - 1, 1, 1);
}

void orr__pack(const orr__public *pub, const int64_t *v, int count, int slots, int slot_bits, mp_limb_t *m,
               mp_limb_t *room)
{
    mpn_zero(m, pub->limbs);
    for (int i = 0; i < slots; i++) {
        uint64_t low = i < count ? (uint64_t)v[i] : 0, word = low, sign = 0 - (low >> 63);
        for (int from = 0; from < slot_bits; from += 64) {
            int bits = slot_bits - from < 64 ? slot_bits - from : 64; /* limit of arithmetic */
            if (from + bits == slot_bits)
                word ^= UINT64_C(1) << (bits - 1);
            put(m, (int64_t)i * slot_bits + from, word, bits);
            word = sign;
        }
    }
    offsets(pub, slots, slot_bits, room);
    mp_limb_t borrow = mpn_sub_n(m, m, room, pub->limbs);
    (void)mpn_cnd_add_n(borrow, m, m, pub->n, pub->limbs);
}

bool orr__unpack_begin(const orr__public *pub, int slots, int slot_bits, mp_limb_t *m, mp_limb_t *room)
{
    mp_size_t l = pub->limbs;
    offsets(pub, slots, slot_bits, room);
    mp_limb_t carry = mpn_add_n(m, m, room, l);
    mp_limb_t below = mpn_sub_n(room, m, pub->n, l);
    (void)mpn_cnd_sub_n(carry | (1 - below), m, m, pub->n, l);
    int64_t used = (int64_t)slots * slot_bits;
    uint64_t beyond = m[used / 64] >> used % 64;
    for (mp_size_t i = (mp_size_t)(used / 64) + 1; i < l; i++)
        beyond |= m[i];
    return beyond == 0;
}

/* Writes the magnitude of slot i to w and returns the number of its limbs. */
static mp_size_t magnitude(const mp_limb_t *m, int i, int slot_bits, mp_limb_t *w, bool *negative)
{
    mp_size_t n = 0;
    int bits = 0;
    for (int from = 0; from < slot_bits; from += 64) {
        bits = slot_bits - from < 64 ? slot_bits - from : 64; /* limit of arithmetic */
        w[n++] = get(m, (int64_t)i * slot_bits + from, bits);
    }
    w[n - 1] ^= UINT64_C(1) << (bits - 1);
    *negative = w[n - 1] >> (bits - 1) & 1;
    if (*negative) {
        w[n - 1] |= bits < 64 ? ~UINT64_C(0) << bits : 0; /* limit of arithmetic */
        (void)mpn_neg(w, w, n);
    }
    return n;
}

double orr__unpack_double(const mp_limb_t *m, int i, int slot_bits, int fraction)
{
    mp_limb_t w[ORR__MOST_LIMBS];
    bool negative;
    mp_size_t n = magnitude(m, i, slot_bits, w, &negative);
    while (n > 0 && w[n - 1] == 0)
        n--;
    if (n == 0)
        return 0.0;
    /* The highest 64 bits; the bits below only decide ties. */
    uint64_t top = w[n - 1], rest = 0;
    int shift = __builtin_clzll(top), exponent = (int)(n - 1) * 64 - shift;
    if (shift > 0)
        top = top << shift | (n > 1 ? w[n - 2] >> (64 - shift) : 0);
    if (n > 1)
        rest = shift > 0 ? w[n - 2] << shift : w[n - 2];
    for (mp_size_t k = 0; k < n - 2; k++)
        rest |= w[k];
    double x = ldexp((double)(top | (rest != 0)), exponent - fraction);
    return negative ? -x : x;
}

bool orr__unpack_integer(const mp_limb_t *m, int i, int slot_bits, int64_t *v)
{
    mp_limb_t w[ORR__MOST_LIMBS];
    bool negative;
    mp_size_t n = magnitude(m, i, slot_bits, w, &negative);
    uint64_t high = 0;
    for (mp_size_t k = 1; k < n; k++)
        high |= w[k];
    *v = negative ? (int64_t)(0 - w[0]) : (int64_t)w[0];
    return high == 0 && (w[0] <= INT64_MAX || (negative && w[0] == (uint64_t)INT64_MAX + 1));
}

#endif
