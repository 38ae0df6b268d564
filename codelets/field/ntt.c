/* Number-theoretic transforms of r in two passes over cache-sized blocks. Compiled per instruction set. The stages are
 * Stockham's, without bit reversal.
 * Must not know: tasks, how many threads share a transform. */
#include "config.h"

#include "codelets/field/pack.h"

#define M (&orr__fr)

/* Columns or rows that are transformed side by side: 256 bytes of each row of memory. */
enum { LANES = 8, WIDTH = LANES / PACK };

/* LANES transforms of length 2^k side by side, by powers w of a root. Returns the array with the result, x or y. */
static pk *stages(pk *x, pk *y, int k, const orr__fe *w)
{
    for (int64_t n = (int64_t)1 << k, h = n / 2, s = WIDTH; h > 0; h /= 2, s *= 2) {
        for (int64_t p = 0; p < h; p++) {
            const pk *a = x + s * p, *b = a + s * h, f = pk_short(pk_all(w[p * (s / WIDTH)]));
            pk *c = y + s * 2 * p, *d = c + s;
            for (int64_t i = 0; i < s; i++) {
                c[i] = pk_add(a[i], b[i], M);
                d[i] = p ? pk_mul_short(pk_sub_wide(a[i], b[i], M), f, M) : pk_sub(a[i], b[i], M);
            }
        }
        pk *t = x;
        x = y;
        y = t;
    }
    return x;
}

static orr__fe power(orr__fe x, int64_t e)
{
    return ORR__FK(pow_one)(x, (uint64_t[4]){ (uint64_t)e }, M);
}

/* The factors of a block's elements: a·b^lane in row 0; each next row is multiplied by `next`. */
typedef struct factors {
    pk at[WIDTH], next;
} factors;

static void factors_begin(factors *f, orr__fe a, orr__fe b, orr__fe next)
{
    orr__fe v[LANES];
    ORR__FK(powers)(ORR__FR, v, &a, &b, LANES);
    for (int i = 0; i < WIDTH; i++)
        f->at[i] = pk_load(v + i * PACK, 1, PACK);
    f->next = pk_all(next);
}

/* Multiplies elements whose columns advance by different factors: b^lane. */
static void multiply(pk *x, factors *f, const pk *next)
{
    for (int i = 0; i < WIDTH; i++) {
        x[i] = pk_mul(x[i], f->at[i], M);
        f->at[i] = pk_mul(f->at[i], next ? next[i] : f->next, M);
    }
}

static void load(pk *t, const orr__fe *x, int64_t stride, int64_t lanes)
{
    for (int i = 0; i < WIDTH; i++)
        t[i] = pk_load(x + i * PACK * stride, stride, lanes - i * PACK);
}

static void store(orr__fe *z, int64_t lanes, const pk *t)
{
    for (int i = 0; i < WIDTH; i++)
        if (lanes > i * PACK)
            pk_store(z + i * PACK, 1, lanes - i * PACK, t[i], M);
}

void ORR__FK(ntt_columns)(const orr__ntt *p, orr__fe *y, int64_t width, const orr__fe *x, int64_t from, int64_t to,
                          void *work)
{
    const int64_t na = (int64_t)1 << p->ka, nb = (int64_t)1 << p->kb;
    const bool before = p->coset && !p->inverse;
    const orr__fe one = orr__fr.one;
    if (p->ka == 0)
        return;
    for (int64_t at = from; at < to; at += LANES) {
        const int64_t lanes = to - at < LANES ? to - at : LANES;
        pk *t = work;
        factors f, step;
        if (before)
            factors_begin(&f, power(p->s, at), p->s, power(p->s, nb));
        for (int64_t i = 0; i < na; i++) {
            load(t + i * WIDTH, x + i * nb + at, 1, lanes);
            if (before)
                multiply(t + i * WIDTH, &f, NULL);
        }
        t = stages(t, t + na * WIDTH, p->ka, p->wa);
        factors_begin(&f, p->scale, one, one);
        factors_begin(&step, power(p->w, at), p->w, one);
        for (int64_t i = 0; i < na; i++) {
            multiply(t + i * WIDTH, &f, step.at);
            store(y + at / width * width * na + i * width + at % width, lanes, t + i * WIDTH);
        }
    }
}

void ORR__FK(ntt_rows)(const orr__ntt *p, orr__fe *z, int64_t height, const orr__fe *y, int64_t width, int64_t from,
                       int64_t to, void *work)
{
    const int64_t na = (int64_t)1 << p->ka, nb = (int64_t)1 << p->kb;
    const bool one_pass = p->ka == 0, before = one_pass && p->coset && !p->inverse;
    const bool after = p->inverse && (p->coset || one_pass);
    const orr__fe one = orr__fr.one;
    for (int64_t at = from; at < to; at += LANES) {
        const int64_t lanes = to - at < LANES ? to - at : LANES;
        pk *t = work;
        factors f;
        if (before)
            factors_begin(&f, one, one, p->s);
        for (int64_t i = 0; i < nb; i++) {
            load(t + i * WIDTH, y + i / width * width * na + at * width + i % width, width, lanes);
            if (before)
                multiply(t + i * WIDTH, &f, NULL);
        }
        t = stages(t, t + nb * WIDTH, p->kb, p->wb);
        if (after) {
            orr__fe first = power(p->s, at);
            factors_begin(&f, one_pass ? fe_mul(first, p->scale, M) : first, p->s, power(p->s, na));
        }
        for (int64_t i = 0; i < nb; i++) {
            if (after)
                multiply(t + i * WIDTH, &f, NULL);
            store(z + at / height * height * nb + i * height + at % height, lanes, t + i * WIDTH);
        }
    }
}
