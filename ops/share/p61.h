/* Arithmetic modulo p = 2^61 − 1, in a time that does not depend on the values.
 * Must not know: polynomials, tensors. */
#ifndef ORR_OPS_SHARE_P61_H
#define ORR_OPS_SHARE_P61_H

#include <stdint.h>

#define ORR__P61 ((UINT64_C(1) << 61) - 1)

__extension__ typedef unsigned __int128 orr__u128;

/* Sums of up to this many products of reduced numbers fit into 128 bits. */
enum { ORR__P61_TERMS = 63 }; /* limit of arithmetic */

/* x < 2p to x mod p. */
static inline uint64_t orr__p61_fit(uint64_t x)
{
    uint64_t y = x - ORR__P61, less = 0 - (y >> 63); /* all ones where x < p */
    return (x & less) | (y & ~less);
}

/* Any 128-bit x to x mod p, by 2^61 = 1. */
static inline uint64_t orr__p61_reduce(orr__u128 x)
{
    uint64_t sum = ((uint64_t)x & ORR__P61) + ((uint64_t)(x >> 61) & ORR__P61) + (uint64_t)(x >> 122);
    return orr__p61_fit((sum & ORR__P61) + (sum >> 61));
}

static inline uint64_t orr__p61_add(uint64_t a, uint64_t b)
{
    return orr__p61_fit(a + b);
}

static inline uint64_t orr__p61_sub(uint64_t a, uint64_t b)
{
    return orr__p61_fit(a + ORR__P61 - b);
}

static inline uint64_t orr__p61_mul(uint64_t a, uint64_t b)
{
    return orr__p61_reduce((orr__u128)a * b);
}

/* a^(p−2); 0 for 0. */
static inline uint64_t orr__p61_inverse(uint64_t a)
{
    uint64_t r = 1;
    for (int bit = 60; bit >= 0; bit--) {
        r = orr__p61_mul(r, r);
        if ((ORR__P61 - 2) >> bit & 1)
            r = orr__p61_mul(r, a);
    }
    return r;
}

#endif
