/* Poseidon hashes: the permutation. Compiled per instruction set.
 * Must not know: the source of the constants, trees. */
#include "config.h"

#include <string.h>
#include "codelets/field/pack.h"

#define M (&orr__fr)

ORR__INLINE pk fifth(pk x)
{
    pk x2 = pk_mul(x, x, M);
    return pk_mul(pk_mul(x2, x2, M), x, M);
}

/* Constants are below the modulus, as pk_mul_short requires. */
ORR__INLINE pk times(pk x, orr__fe constant)
{
    return pk_mul_short(x, pk_short(pk_all(constant)), M);
}

static void mix(int t, pk *s, const orr__fe *m)
{
    pk z[ORR__POSEIDON_MAX];
    for (int i = 0; i < t; i++, m += t) {
        z[i] = times(s[0], m[0]);
        for (int j = 1; j < t; j++)
            z[i] = pk_add(z[i], times(s[j], m[j]), M);
    }
    memcpy(s, z, (size_t)t * sizeof *s);
}

static void full_rounds(const orr__poseidon *p, pk *s, const orr__fe *c, const orr__fe *last_mix)
{
    for (int r = 0; r < p->full / 2; r++, c += p->t) {
        for (int i = 0; i < p->t; i++)
            s[i] = fifth(pk_add(s[i], pk_all(c[i]), M));
        mix(p->t, s, r == p->full / 2 - 1 ? last_mix : p->mds);
    }
}

static void permute(const orr__poseidon *p, pk *s)
{
    const int t = p->t;
    full_rounds(p, s, p->first, p->bridge);
    const orr__fe *row = p->sparse;
    for (int r = 0; r < p->partial; r++, row += 2 * t - 1) {
        pk head = fifth(pk_add(s[0], pk_all(p->single[r]), M));
        s[0] = times(head, row[0]);
        for (int i = 1; i < t; i++) {
            s[0] = pk_add(s[0], times(s[i], row[i]), M);
            s[i] = pk_add(s[i], times(head, row[t + i - 1]), M);
        }
    }
    full_rounds(p, s, p->last, p->mds);
}

void ORR__FK(poseidon)(const orr__poseidon *p, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *first,
                       int64_t n)
{
    pk s[ORR__POSEIDON_MAX];
    for (int64_t i = 0; i < n; i += PACK) {
        s[0] = pk_all(first ? *first : (orr__fe){ { 0 } });
        for (int j = 1; j < p->t; j++)
            s[j] = pk_load(x + i * sx + j - 1, sx, n - i);
        permute(p, s);
        pk_store(z + i, 1, n - i, s[0], M);
    }
}
