/* Inline arithmetic of Fq2 = Fq[u]/(u² + 1), and square roots of Fq and Fq2.
 * Must not know: curves. */
#ifndef ORR_FIELD_FQ2_H
#define ORR_FIELD_FQ2_H

#include "codelets/field/kit.h"

/* Products of Fq2 are calls in portable code, where one is some hundred instructions: inlined thousands of times they took the compiler 14 s and
 * ran a fifth slower, as they left the cache of instructions. With mulx or IFMA a product is short. */
#ifndef ORR__FIELD_ADX
#define ORR__CALLED static __attribute__((noinline, unused))
#else
#define ORR__CALLED ORR__INLINE
#endif

ORR__INLINE orr__fe fq_add(orr__fe x, orr__fe y)
{
    return fe_add(x, y, &orr__fq);
}

ORR__INLINE orr__fe fq_sub(orr__fe x, orr__fe y)
{
    return fe_sub(x, y, &orr__fq);
}

ORR__INLINE orr__fe fq_mul(orr__fe x, orr__fe y)
{
    return fe_mul(x, y, &orr__fq);
}

ORR__INLINE orr__fe fq_neg(orr__fe x)
{
    return fe_neg(x, &orr__fq);
}

ORR__INLINE orr__fq2 fq2_add(orr__fq2 x, orr__fq2 y)
{
    return (orr__fq2){ { fq_add(x.c[0], y.c[0]), fq_add(x.c[1], y.c[1]) } };
}

ORR__INLINE orr__fq2 fq2_sub(orr__fq2 x, orr__fq2 y)
{
    return (orr__fq2){ { fq_sub(x.c[0], y.c[0]), fq_sub(x.c[1], y.c[1]) } };
}

ORR__INLINE orr__fq2 fq2_neg(orr__fq2 x)
{
    return (orr__fq2){ { fq_neg(x.c[0]), fq_neg(x.c[1]) } };
}

ORR__INLINE orr__fq2 fq2_conjugate(orr__fq2 x)
{
    return (orr__fq2){ { x.c[0], fq_neg(x.c[1]) } };
}

ORR__CALLED orr__fq2 fq2_mul(orr__fq2 x, orr__fq2 y)
{
    orr__fe a = fq_mul(x.c[0], y.c[0]), b = fq_mul(x.c[1], y.c[1]);
    orr__fe c = fq_mul(fq_add(x.c[0], x.c[1]), fq_add(y.c[0], y.c[1]));
    return (orr__fq2){ { fq_sub(a, b), fq_sub(fq_sub(c, a), b) } };
}

ORR__CALLED orr__fq2 fq2_square(orr__fq2 x)
{
    orr__fe a = fq_mul(fq_add(x.c[0], x.c[1]), fq_sub(x.c[0], x.c[1])), b = fq_mul(x.c[0], x.c[1]);
    return (orr__fq2){ { a, fq_add(b, b) } };
}

ORR__INLINE orr__fq2 fq2_scale(orr__fq2 x, orr__fe k)
{
    return (orr__fq2){ { fq_mul(x.c[0], k), fq_mul(x.c[1], k) } };
}

ORR__INLINE bool fq2_is_zero(orr__fq2 x)
{
    return fe_is_zero(x.c[0]) && fe_is_zero(x.c[1]);
}

ORR__INLINE bool fq2_equal(orr__fq2 x, orr__fq2 y)
{
    return fe_equal(x.c[0], y.c[0]) && fe_equal(x.c[1], y.c[1]);
}

/* The inverse of 0 is 0. */
static inline __attribute__((unused)) orr__fq2 fq2_invert(orr__fq2 x)
{
    orr__fe n = fq_add(fq_mul(x.c[0], x.c[0]), fq_mul(x.c[1], x.c[1]));
    return fq2_scale(fq2_conjugate(x), ORR__FK(invert_one)(n, &orr__fq));
}

/* Uses that q is 3 modulo 4. False: x is not a square. */
static inline __attribute__((unused)) bool fq_root(orr__fe *z, orr__fe x)
{
    *z = ORR__FK(pow_one)(x, orr__fq_root_exponent.l, &orr__fq);
    return fe_equal(fq_mul(*z, *z), x);
}

/* From z² = x: the norm's root n gives z0² = (x0 ± n)/2, and z1 = x1/(2 z0). */
static inline __attribute__((unused)) bool fq2_root(orr__fq2 *z, orr__fq2 x)
{
    orr__fe n, t;
    if (fe_is_zero(x.c[1])) {
        *z = (orr__fq2){ { { { 0 } }, { { 0 } } } };
        return fq_root(&z->c[0], x.c[0]) || (z->c[0] = (orr__fe){ { 0 } }, fq_root(&z->c[1], fq_neg(x.c[0])));
    }
    if (!fq_root(&n, fq_add(fq_mul(x.c[0], x.c[0]), fq_mul(x.c[1], x.c[1]))))
        return false;
    t = fq_mul(fq_add(x.c[0], n), orr__fq_half);
    if (!fq_root(&z->c[0], t) && !fq_root(&z->c[0], fq_sub(t, n)))
        return false;
    z->c[1] = fq_mul(fq_mul(x.c[1], orr__fq_half), ORR__FK(invert_one)(z->c[0], &orr__fq));
    return fq2_equal(fq2_square(*z), x);
}

/* True if y as an integer is above (q - 1)/2: the larger of y and -y. */
static inline __attribute__((unused)) bool fq_is_larger(orr__fe y)
{
    return fe_below(orr__fq_above_half, fe_leave(y, &orr__fq));
}

/* The same in the order of c[1], then c[0]. */
static inline __attribute__((unused)) bool fq2_is_larger(orr__fq2 y)
{
    return fq_is_larger(fe_is_zero(y.c[1]) ? y.c[0] : y.c[1]);
}

#endif
