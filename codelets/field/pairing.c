/* The check that a product of pairings is 1: optimal ate, of points of order r. Compiled per instruction set.
 * Must not know: what is proved by it.
 * Fq12 = Fq2[w]/(w⁶ - ξ), ξ = 9 + u: six coefficients of powers of w. Sources: Vercauteren, "Optimal pairings" (2010);
 * Scott, Benger, Charlemagne, Dominguez Perez, Kachisa, "On the final exponentiation" (2009). */
#include "config.h"

#include <string.h>
#include "codelets/field/fq2.h"

typedef struct fq12 {
    orr__fq2 c[6];
} fq12;

/* -- Fq12 ------------------------------------------------------------------------------------------------------------- */

ORR__INLINE orr__fq2 times_xi(orr__fq2 x)
{
    orr__fq2 z = x;
    for (int i = 0; i < 3; i++)
        z = fq2_add(z, z);
    z = fq2_add(z, x);
    return (orr__fq2){ { fq_sub(z.c[0], x.c[1]), fq_add(z.c[1], x.c[0]) } };
}

static fq12 one(void)
{
    fq12 z;
    memset(&z, 0, sizeof z);
    z.c[0].c[0] = orr__fq.one;
    return z;
}

static bool is_one(const fq12 *x)
{
    const fq12 u = one();
    return memcmp(x, &u, sizeof u) == 0; /* the representation of elements is unique */
}

/* a0 + a1 v + a2 v², v = w², v³ = ξ; stride 2 selects the even or the odd coefficients of an fq12. */
static void mul6(orr__fq2 z[3], const orr__fq2 *a, const orr__fq2 *b)
{
    orr__fq2 p0 = fq2_mul(a[0], b[0]), p1 = fq2_mul(a[1], b[1]), p2 = fq2_mul(a[2], b[2]);
    orr__fq2 s12 = fq2_mul(fq2_add(a[1], a[2]), fq2_add(b[1], b[2]));
    orr__fq2 s01 = fq2_mul(fq2_add(a[0], a[1]), fq2_add(b[0], b[1]));
    orr__fq2 s02 = fq2_mul(fq2_add(a[0], a[2]), fq2_add(b[0], b[2]));
    z[0] = fq2_add(p0, times_xi(fq2_sub(fq2_sub(s12, p1), p2)));
    z[1] = fq2_add(fq2_sub(fq2_sub(s01, p0), p1), times_xi(p2));
    z[2] = fq2_add(fq2_sub(fq2_sub(s02, p0), p2), p1);
}

static void split(orr__fq2 even[3], orr__fq2 odd[3], const fq12 *x)
{
    for (int i = 0; i < 3; i++) {
        even[i] = x->c[2 * i];
        odd[i] = x->c[2 * i + 1];
    }
}

static fq12 mul(const fq12 *x, const fq12 *y)
{
    orr__fq2 a[3], b[3], c[3], d[3], ac[3], bd[3], s[3];
    fq12 z;
    split(a, b, x);
    split(c, d, y);
    mul6(ac, a, c);
    mul6(bd, b, d);
    for (int i = 0; i < 3; i++) {
        a[i] = fq2_add(a[i], b[i]);
        c[i] = fq2_add(c[i], d[i]);
    }
    mul6(s, a, c);
    for (int i = 0; i < 3; i++) { /* bd·v: coefficients move up by one, the last wraps with factor ξ */
        z.c[2 * i] = fq2_add(ac[i], i ? bd[i - 1] : times_xi(bd[2]));
        z.c[2 * i + 1] = fq2_sub(fq2_sub(s[i], ac[i]), bd[i]);
    }
    return z;
}

static fq12 square(const fq12 *x)
{
    return mul(x, x);
}

/* x^(q^6). */
static fq12 conjugate(fq12 x)
{
    for (int i = 1; i < 6; i += 2)
        x.c[i] = fq2_neg(x.c[i]);
    return x;
}

/* 1/(a + b w) = (a - b w)/(a² - b² v); the inverse in Fq6 by its norm to Fq2. */
static fq12 invert(const fq12 *x)
{
    orr__fq2 a[3], b[3], aa[3], bb[3], n[3], t[3];
    split(a, b, x);
    mul6(aa, a, a);
    mul6(bb, b, b);
    for (int i = 0; i < 3; i++)
        n[i] = fq2_sub(aa[i], i ? bb[i - 1] : times_xi(bb[2]));
    t[0] = fq2_sub(fq2_square(n[0]), times_xi(fq2_mul(n[1], n[2])));
    t[1] = fq2_sub(times_xi(fq2_square(n[2])), fq2_mul(n[0], n[1]));
    t[2] = fq2_sub(fq2_square(n[1]), fq2_mul(n[0], n[2]));
    orr__fq2 norm = fq2_add(fq2_mul(n[0], t[0]), times_xi(fq2_add(fq2_mul(n[1], t[2]), fq2_mul(n[2], t[1]))));
    norm = fq2_invert(norm);
    fq12 k = { { { { { { 0 } } } } } }, z = conjugate(*x);
    for (int i = 0; i < 3; i++)
        k.c[2 * i] = fq2_mul(t[i], norm);
    return mul(&z, &k);
}

/* x^(q^k), k 1 … 3: coefficients conjugate for odd k, and w becomes ξ^((q^k - 1)/6) w. */
static fq12 frobenius(fq12 x, int k)
{
    const orr__fq2 *g = k == 1 ? orr__frobenius_1 : k == 2 ? orr__frobenius_2 : orr__frobenius_3;
    for (int i = 0; i < 6; i++)
        x.c[i] = fq2_mul(k % 2 ? fq2_conjugate(x.c[i]) : x.c[i], g[i]);
    return x;
}

static fq12 power_x(const fq12 *x)
{
    fq12 z = *x;
    for (int i = 61; i >= 0; i--) { /* the parameter has 63 bits */
        z = square(&z);
        if (ORR__BN_X >> i & 1)
            z = mul(&z, x);
    }
    return z;
}

/* -- lines -------------------------------------------------------------------------------------------------------------- */

/* f times the line of a given slope through t, at p: y_p - slope x_p w + (slope x_t - y_t) w³. */
static fq12 times_line(const fq12 *f, const orr__g1 *p, const orr__g2 *t, orr__fq2 slope)
{
    fq12 l;
    memset(&l, 0, sizeof l);
    l.c[0].c[0] = p->y;
    l.c[1] = fq2_neg(fq2_scale(slope, p->x));
    l.c[3] = fq2_sub(fq2_mul(slope, t->x), t->y);
    return mul(f, &l);
}

static void along(orr__g2 *t, const orr__g2 *q, orr__fq2 slope)
{
    orr__fq2 x = fq2_sub(fq2_sub(fq2_square(slope), t->x), q->x);
    t->y = fq2_sub(fq2_mul(slope, fq2_sub(t->x, x)), t->y);
    t->x = x;
}

/* t and q must have order r, and be neither infinity nor equal up to sign: all intermediate multiples are below r. */
static fq12 double_step(const fq12 *f, const orr__g1 *p, orr__g2 *t)
{
    const orr__g2 was = *t;
    orr__fq2 s = fq2_square(t->x);
    s = fq2_mul(fq2_add(fq2_add(s, s), s), fq2_invert(fq2_add(t->y, t->y)));
    along(t, &was, s);
    return times_line(f, p, &was, s);
}

static fq12 add_step(const fq12 *f, const orr__g1 *p, orr__g2 *t, const orr__g2 *q)
{
    orr__fq2 s = fq2_mul(fq2_sub(q->y, t->y), fq2_invert(fq2_sub(q->x, t->x)));
    along(t, q, s);
    return times_line(f, p, q, s);
}

/* f_{6x+2, q}(p) and the two final lines. */
static fq12 miller(const orr__g1 *p, const orr__g2 *q)
{
    const unsigned __int128 loop = (unsigned __int128)6 * ORR__BN_X + 2;
    orr__g2 t = *q, q1, q2;
    fq12 f = one();
    for (int i = 63; i >= 0; i--) { /* 65 bits */
        f = square(&f);
        f = double_step(&f, p, &t);
        if (loop >> i & 1)
            f = add_step(&f, p, &t, q);
    }
    q1.x = fq2_mul(fq2_conjugate(q->x), orr__frobenius_1[2]);
    q1.y = fq2_mul(fq2_conjugate(q->y), orr__frobenius_1[3]);
    q2.x = fq2_mul(q->x, orr__frobenius_2[2]);
    q2.y = fq2_neg(fq2_mul(q->y, orr__frobenius_2[3]));
    f = add_step(&f, p, &t, &q1);
    return add_step(&f, p, &t, &q2);
}

/* f^((q^12 - 1)/r). */
static fq12 finish(const fq12 *x)
{
    fq12 f = conjugate(*x), g = invert(x), h;
    f = mul(&f, &g);
    g = frobenius(f, 2);
    f = mul(&g, &f); /* from here on a conjugate is an inverse */
    const fq12 fx = power_x(&f), fx2 = power_x(&fx), fx3 = power_x(&fx2);
    fq12 y0 = frobenius(f, 1), y2 = frobenius(fx2, 2), y3 = conjugate(frobenius(fx, 1)), y4 = frobenius(fx2, 1),
         y6 = frobenius(fx3, 1);
    const fq12 y1 = conjugate(f), y5 = conjugate(fx2);
    g = frobenius(f, 2);
    y0 = mul(&y0, &g);
    g = frobenius(f, 3);
    y0 = mul(&y0, &g);
    y4 = mul(&fx, &y4);
    y4 = conjugate(y4);
    y6 = mul(&fx3, &y6);
    y6 = conjugate(y6);
    /* y0 y1² y2⁶ y3¹² y4¹⁸ y5³⁰ y6³⁶ */
    g = square(&y6);
    g = mul(&g, &y4);
    g = mul(&g, &y5);
    h = mul(&y3, &y5);
    h = mul(&h, &g);
    g = mul(&g, &y2);
    h = square(&h);
    h = mul(&h, &g);
    h = square(&h);
    g = mul(&h, &y1);
    h = mul(&h, &y0);
    g = square(&g);
    return mul(&g, &h);
}

bool ORR__FK(pairing)(const orr__g1 *p, const orr__g2 *q, int64_t n)
{
    fq12 f = one();
    for (int64_t i = 0; i < n; i++) {
        if ((fe_is_zero(p[i].x) && fe_is_zero(p[i].y)) || (fq2_is_zero(q[i].x) && fq2_is_zero(q[i].y)))
            continue;
        fq12 m = miller(p + i, q + i);
        f = mul(&f, &m);
    }
    f = finish(&f);
    return is_one(&f);
}
