/* Number-theoretic transforms of r in two passes over cache-sized blocks. Compiled per instruction set.
 * Must not know: tasks, how many threads share a transform. Stockham's stages: no reordering by bits. */
#include "config.h"

#include "codelets/field/kit.h"

enum { LANES = 8 };

#ifdef ORR__FIELD_IFMA
/* ifma.c: c = a + b, d = (a - b)·w for n elements, n a multiple of 8; w NULL: 1. */
void orr__field_butterflies(orr__fe *c, orr__fe *d, const orr__fe *a, const orr__fe *b, const orr__fe *w, int64_t n);
#endif

static void butterflies(orr__fe *c, orr__fe *d, const orr__fe *a, const orr__fe *b, const orr__fe *w, int64_t n)
{
#ifdef ORR__FIELD_IFMA
    if (n % 8 == 0) {
        orr__field_butterflies(c, d, a, b, w, n);
        return;
    }
#endif
    for (int64_t i = 0; i < n; i++) {
        orr__fe s = a[i], t = b[i];
        c[i] = fe_add(s, t, &orr__fr);
        s = fe_sub(s, t, &orr__fr);
        d[i] = w ? fe_mul(s, *w, &orr__fr) : s;
    }
}

/* `lanes` transforms of length 2^k beside each other, by powers w of a root. Returns x or y, where the result is. */
static orr__fe *stages(orr__fe *x, orr__fe *y, int k, int64_t lanes, const orr__fe *w)
{
    int64_t n = (int64_t)1 << k;
    for (int64_t h = n / 2, s = lanes; h > 0; h /= 2, s *= 2) {
        for (int64_t p = 0; p < h; p++)
            butterflies(y + s * 2 * p, y + s * (2 * p + 1), x + s * p, x + s * (p + h), p ? &w[p * (n / 2 / h)] : NULL,
                        s);
        orr__fe *t = x;
        x = y;
        y = t;
    }
    return x;
}

static void multiply(orr__fe *x, const orr__fe *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = fe_mul(x[i], y[i], &orr__fr);
}

static orr__fe power(orr__fe x, int64_t e)
{
    return ORR__FK(pow_one)(x, (uint64_t[4]){ (uint64_t)e }, &orr__fr);
}

void ORR__FK(ntt_columns)(const orr__ntt *p, orr__fe *y, const orr__fe *x, int64_t from, int64_t to, orr__fe *work)
{
    const int64_t na = (int64_t)1 << p->ka, nb = (int64_t)1 << p->kb;
    orr__fe factor[LANES], step[LANES];
    if (p->ka == 0)
        return;
    for (int64_t at = from; at < to; at += LANES) {
        int64_t lanes = to - at < LANES ? to - at : LANES;
        bool before = p->coset && !p->inverse;
        if (before) {
            orr__fe start = power(p->s, at), next = power(p->s, nb);
            ORR__FK(powers)(ORR__FR, factor, &start, &p->s, lanes);
            for (int64_t l = 0; l < lanes; l++)
                step[l] = next;
        }
        for (int64_t i = 0; i < na; i++) {
            for (int64_t l = 0; l < lanes; l++)
                work[i * lanes + l] = x[i * nb + at + l];
            if (before) {
                multiply(work + i * lanes, factor, lanes);
                multiply(factor, step, lanes);
            }
        }
        orr__fe *t = stages(work, work + na * lanes, p->ka, lanes, p->wa);
        orr__fe first = power(p->w, at);
        ORR__FK(powers)(ORR__FR, step, &first, &p->w, lanes);
        for (int64_t l = 0; l < lanes; l++)
            factor[l] = p->scale;
        for (int64_t i = 0; i < na; i++) {
            multiply(t + i * lanes, factor, lanes);
            multiply(factor, step, lanes);
            for (int64_t l = 0; l < lanes; l++)
                y[i * nb + at + l] = t[i * lanes + l];
        }
    }
}

void ORR__FK(ntt_rows)(const orr__ntt *p, orr__fe *z, const orr__fe *y, int64_t from, int64_t to, orr__fe *work)
{
    const int64_t na = (int64_t)1 << p->ka, nb = (int64_t)1 << p->kb;
    const bool one_pass = p->ka == 0, before = one_pass && p->coset && !p->inverse;
    const bool after = p->inverse && (p->coset || one_pass);
    orr__fe factor[LANES], step[LANES];
    for (int64_t at = from; at < to; at += LANES) {
        int64_t lanes = to - at < LANES ? to - at : LANES;
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t i = 0; i < nb; i++)
                work[i * lanes + l] = y[(at + l) * nb + i];
        if (before) {
            orr__fe f = orr__fr.one;
            for (int64_t i = 0; i < nb; i++) {
                work[i] = fe_mul(work[i], f, &orr__fr);
                f = fe_mul(f, p->s, &orr__fr);
            }
        }
        orr__fe *t = stages(work, work + nb * lanes, p->kb, lanes, p->wb);
        if (after) {
            orr__fe first = power(p->s, at), next = power(p->s, na);
            if (one_pass)
                first = fe_mul(first, p->scale, &orr__fr);
            ORR__FK(powers)(ORR__FR, factor, &first, &p->s, lanes);
            for (int64_t l = 0; l < lanes; l++)
                step[l] = next;
        }
        for (int64_t i = 0; i < nb; i++) {
            if (after) {
                multiply(t + i * lanes, factor, lanes);
                multiply(factor, step, lanes);
            }
            for (int64_t l = 0; l < lanes; l++)
                z[i * na + at + l] = t[i * lanes + l];
        }
    }
}
