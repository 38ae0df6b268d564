/* Poseidon hashes: the permutation. Compiled per instruction set.
 * Must not know: where constants come from, trees. */
#include "config.h"

#include <string.h>
#include "codelets/field/kit.h"

ORR__INLINE orr__fe fifth(orr__fe x)
{
    orr__fe x2 = fe_square(x, &orr__fr);
    return fe_mul(fe_square(x2, &orr__fr), x, &orr__fr);
}

static void mix(int t, orr__fe *s, const orr__fe *m)
{
    orr__fe z[ORR__POSEIDON_MAX];
    for (int i = 0; i < t; i++, m += t) {
        z[i] = fe_mul(m[0], s[0], &orr__fr);
        for (int j = 1; j < t; j++)
            z[i] = fe_add(z[i], fe_mul(m[j], s[j], &orr__fr), &orr__fr);
    }
    memcpy(s, z, (size_t)t * sizeof *s);
}

static void full_rounds(const orr__poseidon *p, orr__fe *s, const orr__fe *c, const orr__fe *last_mix)
{
    for (int r = 0; r < p->full / 2; r++, c += p->t) {
        for (int i = 0; i < p->t; i++)
            s[i] = fifth(fe_add(s[i], c[i], &orr__fr));
        mix(p->t, s, r == p->full / 2 - 1 ? last_mix : p->mds);
    }
}

static void permute(const orr__poseidon *p, orr__fe *s)
{
    const int t = p->t;
    full_rounds(p, s, p->first, p->bridge);
    const orr__fe *row = p->sparse;
    for (int r = 0; r < p->partial; r++, row += 2 * t - 1) {
        orr__fe head = fifth(fe_add(s[0], p->single[r], &orr__fr));
        s[0] = fe_mul(row[0], head, &orr__fr);
        for (int i = 1; i < t; i++) {
            s[0] = fe_add(s[0], fe_mul(row[i], s[i], &orr__fr), &orr__fr);
            s[i] = fe_add(s[i], fe_mul(row[t + i - 1], head, &orr__fr), &orr__fr);
        }
    }
    full_rounds(p, s, p->last, p->mds);
}

void ORR__FK(poseidon)(const orr__poseidon *p, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *first,
                       int64_t n)
{
    orr__fe s[ORR__POSEIDON_MAX];
    for (int64_t i = 0; i < n; i++) {
        s[0] = first ? *first : (orr__fe){ { 0 } };
        memcpy(s + 1, x + i * sx, (size_t)(p->t - 1) * sizeof *s);
        permute(p, s);
        z[i] = s[0];
    }
}
