/* Inverses of many elements by one inverse and three products each (Montgomery's trick). Per instruction set.
 * Must not know: the callers. */
#include "config.h"

#include "codelets/field/kit.h"

enum { BLOCK = 512 };

/* before[i] is the product of all non-zero elements before i. */
int64_t ORR__FK(invert)(orr__field f, orr__fe *z, const orr__fe *x, int64_t n)
{
    const orr__mod *m = orr__mod_of(f);
    orr__fe before[BLOCK];
    int64_t zero = -1;
    for (int64_t from = 0; from < n; from += BLOCK) {
        int64_t count = n - from < BLOCK ? n - from : BLOCK;
        orr__fe p = m->one;
        for (int64_t i = 0; i < count; i++) {
            before[i] = p;
            if (!fe_is_zero(x[from + i]))
                p = fe_mul(p, x[from + i], m);
            else if (zero < 0)
                zero = from + i;
        }
        p = ORR__FK(invert_one)(p, m);
        for (int64_t i = count - 1; i >= 0; i--) {
            orr__fe v = x[from + i];
            if (fe_is_zero(v)) {
                z[from + i] = v;
                continue;
            }
            z[from + i] = fe_mul(p, before[i], m);
            p = fe_mul(p, v, m);
        }
    }
    return zero;
}
