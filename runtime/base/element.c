/* Elements of the field dtypes on the host.
 * Must not know: tensors, kernels. */
#include "config.h"

#include <string.h>
#include "runtime/base/element.h"
#include "runtime/base/primes.h"

/* The bytes of an integer are the bytes of its limbs. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "memory of field dtypes is little-endian");

const orr__mod *orr__modulus(orr_dtype field)
{
    return field == ORR_FR254 ? &orr__fr : &orr__fq;
}

static orr__fe load(const void *x, int64_t i)
{
    orr__fe v;
    memcpy(&v, (const char *)x + 32 * i, sizeof v);
    return v;
}

static void store(void *z, int64_t i, orr__fe v)
{
    memcpy((char *)z + 32 * i, &v, sizeof v);
}

int64_t orr__elements_enter(orr_dtype field, void *z, const void *x, int64_t n)
{
    const orr__mod *m = orr__modulus(field);
    for (int64_t i = 0; i < n; i++) {
        orr__fe v = load(x, i);
        if (!fe_below(v, m->p))
            return i;
        store(z, i, fe_enter(v, m));
    }
    return -1;
}

void orr__elements_leave(orr_dtype field, void *z, const void *x, int64_t n)
{
    const orr__mod *m = orr__modulus(field);
    for (int64_t i = 0; i < n; i++)
        store(z, i, fe_leave(load(x, i), m));
}

orr__fe orr__element_of(orr_dtype field, int64_t v)
{
    const orr__mod *m = orr__modulus(field);
    orr__fe x = fe_enter((orr__fe){ { v < 0 ? 0u - (uint64_t)v : (uint64_t)v } }, m);
    return v < 0 ? fe_neg(x, m) : x;
}

int orr__element_text(orr_dtype field, const void *x, char text[ORR__ELEMENT_TEXT])
{
    orr__fe v = fe_leave(load(x, 0), orr__modulus(field));
    return orr__integer_text(&v, text);
}

int orr__integer_text(const void *x, char text[ORR__ELEMENT_TEXT])
{
    const orr__fe v = load(x, 0);
    uint32_t w[2 * ORR__LIMBS];
    char digits[ORR__ELEMENT_TEXT];
    int at = ORR__ELEMENT_TEXT;
    bool more = true;
    for (int k = 0; k < 2 * ORR__LIMBS; k++)
        w[k] = (uint32_t)(v.l[k / 2] >> 32 * (k % 2));
    digits[--at] = '\0';
    while (more) {
        uint64_t rest = 0;
        more = false;
        for (int k = 2 * ORR__LIMBS - 1; k >= 0; k--) {
            rest = rest << 32 | w[k];
            w[k] = (uint32_t)(rest / 10);
            rest %= 10;
            more = more || w[k];
        }
        digits[--at] = (char)('0' + rest);
    }
    memcpy(text, digits + at, (size_t)(ORR__ELEMENT_TEXT - at));
    return ORR__ELEMENT_TEXT - at - 1;
}
