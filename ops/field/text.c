/* Elements from text.
 * Must not know: arithmetic in a field. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "ops/field/field.h"

/* v = v·base + digit; false if that is 2^256 or more. */
static bool push(uint64_t v[ORR__LIMBS], unsigned base, unsigned digit)
{
    uint64_t carry = digit;
    for (int i = 0; i < ORR__LIMBS; i++) {
        uint64_t low = (v[i] & 0xffffffff) * base + (carry & 0xffffffff);
        uint64_t high = (v[i] >> 32) * base + (low >> 32) + (carry >> 32);
        v[i] = high << 32 | (low & 0xffffffff);
        carry = high >> 32;
    }
    return carry == 0;
}

/* Parses a number. 0: done; 1: no number; 2: 2^256 or more. */
static int number(const char *s, uint64_t v[ORR__LIMBS])
{
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X'), fits = true;
    memset(v, 0, ORR__LIMBS * sizeof *v);
    s += hex ? 2 : 0;
    if (!*s)
        return 1;
    for (; *s; s++) {
        int d = *s >= '0' && *s <= '9'          ? *s - '0'
                : hex && *s >= 'a' && *s <= 'f' ? *s - 'a' + 10
                : hex && *s >= 'A' && *s <= 'F' ? *s - 'A' + 10
                                                : -1;
        if (d < 0)
            return 1;
        fits = fits && push(v, hex ? 16 : 10, (unsigned)d);
    }
    return fits ? 0 : 2;
}

orr_tensor *orr_field_parse_at(const char *file, int line, orr_dtype field, const char *const *text, int64_t n)
{
    orr__site at = ORR__SITE(file, line, "field_parse");
    orr_tensor *bad = NULL;
    if (!orr__is_field(field))
        return orr__poison(at, ORR_EDTYPE, "%s is no field: ORR_FR254 or ORR_FQ254", orr_dtype_name(field));
    if (n < 0 || (n > 0 && !text))
        return orr__poison(at, ORR_EINVAL, "%s", n < 0 ? "the number of texts is negative" : "the texts are NULL");
    uint64_t *v = orr__alloc_n((size_t)n + 1, ORR__LIMBS * sizeof *v);
    if (!v)
        return orr__handle_new(NULL);
    for (int64_t i = 0; i < n && !bad; i++) {
        int wrong = text[i] ? number(text[i], v + i * ORR__LIMBS) : 1;
        if (wrong == 1)
            bad = orr__poison(at, text[i] ? ORR_EFORMAT : ORR_EINVAL,
                              "text %lld is no number: decimal digits, or 0x and hexadecimal digits", (long long)i);
        else if (wrong)
            bad = orr__poison(at, ORR_EINDEX, "element %lld is not below the modulus of %s", (long long)i,
                              orr_dtype_name(field));
    }
    orr_tensor *t = bad ? bad : orr_from_at(file, line, field, ORR_SHAPE(n), v);
    free(v);
    return t;
}
