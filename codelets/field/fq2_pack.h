/* Packs of elements of Fq and of Fq2, with the same names for both: q_ and q2_.
 * Must not know: curves. */
#ifndef ORR_FIELD_FQ2_PACK_H
#define ORR_FIELD_FQ2_PACK_H

#include "codelets/field/fq2.h"
#include "codelets/field/pack.h"

typedef struct pk2 {
    pk c[2];
} pk2;

ORR__INLINE pk q_add(pk x, pk y)
{
    return pk_add(x, y, &orr__fq);
}

ORR__INLINE pk q_sub(pk x, pk y)
{
    return pk_sub(x, y, &orr__fq);
}

ORR__INLINE pk q_mul(pk x, pk y)
{
    return pk_mul(x, y, &orr__fq);
}

ORR__INLINE pk q_square(pk x)
{
    return q_mul(x, x);
}

ORR__INLINE pk q_gather(const orr__fe *const p[PACK])
{
    return pk_gather(p);
}

ORR__INLINE void q_scatter(orr__fe *const p[PACK], pk x)
{
    pk_scatter(p, x, &orr__fq);
}

ORR__INLINE pk2 q2_add(pk2 x, pk2 y)
{
    return (pk2){ { q_add(x.c[0], y.c[0]), q_add(x.c[1], y.c[1]) } };
}

ORR__INLINE pk2 q2_sub(pk2 x, pk2 y)
{
    return (pk2){ { q_sub(x.c[0], y.c[0]), q_sub(x.c[1], y.c[1]) } };
}

/* Not inlined: with three inlined products each, functions take compilers minutes. */
static __attribute__((noinline, unused)) pk q_product(pk x, pk y)
{
    return pk_mul(x, y, &orr__fq);
}

ORR__INLINE pk2 q2_mul(pk2 x, pk2 y)
{
    pk a = q_product(x.c[0], y.c[0]), b = q_product(x.c[1], y.c[1]);
    pk c = q_product(q_add(x.c[0], x.c[1]), q_add(y.c[0], y.c[1]));
    return (pk2){ { q_sub(a, b), q_sub(q_sub(c, a), b) } };
}

ORR__INLINE pk2 q2_square(pk2 x)
{
    pk a = q_product(q_add(x.c[0], x.c[1]), q_sub(x.c[0], x.c[1])), b = q_product(x.c[0], x.c[1]);
    return (pk2){ { a, q_add(b, b) } };
}

ORR__INLINE pk2 q2_gather(const orr__fq2 *const p[PACK])
{
    const orr__fe *v[2][PACK];
    for (int i = 0; i < PACK; i++) {
        v[0][i] = &p[i]->c[0];
        v[1][i] = &p[i]->c[1];
    }
    return (pk2){ { pk_gather(v[0]), pk_gather(v[1]) } };
}

ORR__INLINE void q2_scatter(orr__fq2 *const p[PACK], pk2 x)
{
    orr__fe *v[2][PACK];
    for (int i = 0; i < PACK; i++) {
        v[0][i] = &p[i]->c[0];
        v[1][i] = &p[i]->c[1];
    }
    pk_scatter(v[0], x.c[0], &orr__fq);
    pk_scatter(v[1], x.c[1], &orr__fq);
}

#endif
