/* The tables of a number-theoretic transform: its division into columns and rows, and the powers of its roots.
 * Must not know: instruction sets, data. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/field/kit.h"

/* Lengths of at most this power of 2 are as fast in one pass. */
enum { ONE_PASS = 5 };

static orr__fe *powers(orr__fe root, int k)
{
    int64_t n = k > 0 ? (int64_t)1 << (k - 1) : 1;
    orr__fe *w = malloc((size_t)n * sizeof *w);
    if (w)
        orr__fieldkit_best()->powers(ORR__FR, w, &orr__fr.one, &root, n);
    return w;
}

static orr__fe squared(orr__fe x, int times)
{
    for (int i = 0; i < times; i++)
        x = fe_square(x, &orr__fr);
    return x;
}

bool orr__ntt_make(orr__ntt *p, int k, bool inverse, const orr__fe *shift)
{
    memset(p, 0, sizeof *p);
    if (k < 0 || k > ORR__NTT_MAX)
        return false;
    p->k = k;
    p->ka = k <= ONE_PASS ? 0 : k / 2;
    p->kb = k - p->ka;
    p->inverse = inverse;
    p->coset = shift && !fe_equal(*shift, orr__fr.one);
    p->w = squared(inverse ? orr__fr_root_inverse : orr__fr_root, ORR__NTT_MAX - k);
    p->s = p->scale = orr__fr.one;
    if (inverse)
        for (int i = 0; i < k; i++)
            p->scale = fe_mul(p->scale, orr__fr_half, &orr__fr);
    if (p->coset && !inverse)
        p->s = *shift;
    else if (p->coset && orr__fieldkit_best()->invert(ORR__FR, &p->s, shift, 1) >= 0)
        return false;
    p->wa = powers(squared(p->w, p->kb), p->ka);
    p->wb = powers(squared(p->w, p->ka), p->kb);
    if (p->wa && p->wb)
        return true;
    orr__ntt_free(p);
    return false;
}

void orr__ntt_free(orr__ntt *p)
{
    free(p->wa);
    free(p->wb);
    p->wa = p->wb = NULL;
}

size_t orr__ntt_work(const orr__ntt *p)
{
    return (size_t)(2 * 5 * 64) << (p->ka > p->kb ? p->ka : p->kb); /* eight lanes of five words, twice */
}
