/* Polynomials over a field, lowest coefficient first: values and division. Compiled per instruction set.
 * Must not know: transforms, how long work is divided. */
#include "config.h"

#include "codelets/field/kit.h"

/* Horner's rule at four places at once: steps depend on each other, places do not. */
void ORR__FK(evaluate)(orr__field f, orr__fe *z, const orr__fe *c, int64_t n, const orr__fe *x, int64_t m)
{
    const orr__mod *mod = orr__mod_of(f);
    enum { PLACES = 4 };
    for (int64_t at = 0; at < m; at += PLACES) {
        int count = m - at < PLACES ? (int)(m - at) : PLACES;
        orr__fe v[PLACES] = { { { 0 } } }, place[PLACES];
        for (int k = 0; k < count; k++)
            place[k] = x[at + k];
        for (int64_t i = n - 1; i >= 0; i--)
            for (int k = 0; k < count; k++)
                v[k] = fe_add(fe_mul(v[k], place[k], mod), c[i], mod);
        for (int k = 0; k < count; k++)
            z[at + k] = v[k];
    }
}

void ORR__FK(divide_linear)(orr__field f, orr__fe *quotient, orr__fe *remainder, const orr__fe *c, int64_t n,
                            const orr__fe *a)
{
    const orr__mod *m = orr__mod_of(f);
    const orr__fe place = *a;
    orr__fe v = { { 0 } };
    for (int64_t i = n - 1; i >= 0; i--) {
        orr__fe next = fe_add(fe_mul(v, place, m), c[i], m);
        if (i < n - 1)
            quotient[i] = v;
        v = next;
    }
    *remainder = v;
}

bool ORR__FK(divide)(orr__field f, orr__fe *quotient, orr__fe *work, int64_t n, const orr__fe *divisor, int64_t m)
{
    const orr__mod *mod = orr__mod_of(f);
    if (m < 1 || fe_is_zero(divisor[m - 1]))
        return false;
    const orr__fe lead = ORR__FK(invert_one)(divisor[m - 1], mod);
    for (int64_t i = n - m; i >= 0; i--) {
        orr__fe k = fe_mul(work[i + m - 1], lead, mod), minus = fe_neg(k, mod);
        quotient[i] = k;
        ORR__FK(axpy)(f, work + i, &minus, divisor, m);
    }
    return true;
}
