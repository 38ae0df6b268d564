/* Elements from text and as text.
 * Must not know: arithmetic in a field. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <orrery/eval.h>
#include "ops/field/field.h"
#include "runtime/base/buffer.h"

/* v = v·base + digit; false: that is 2^256 or more. */
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

/* 0: read; 1: no number; 2: 2^256 or more. */
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

static bool below(const uint64_t *v, const uint64_t *p)
{
    for (int i = ORR__LIMBS - 1; i >= 0; i--)
        if (v[i] != p[i])
            return v[i] < p[i];
    return false;
}

orr_tensor *orr_field_parse_at(const char *file, int line, orr_field field, const char *const *text, int64_t n)
{
    orr__site at = ORR__SITE(file, line, "field_parse");
    orr_tensor *bad = NULL;
    if (!orr__field_known(at, field, &bad))
        return bad;
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
        else if (wrong || !below(v + i * ORR__LIMBS, orr__field_prime[field]))
            bad = orr__poison(at, ORR_EINDEX, "element %lld is not below the modulus of %s", (long long)i,
                              field == ORR_FR254 ? "fr254" : "fq254");
    }
    orr_tensor *t = bad ? bad : orr_from_at(file, line, ORR_U64, ORR_SHAPE(n, ORR__LIMBS), v);
    free(v);
    return t;
}

orr_status orr_field_text_at(const char *file, int line, orr_tensor *x, int64_t i, char text[ORR_FIELD_TEXT])
{
    orr__site at = ORR__SITE(file, line, "field_text");
    orr_tensor *bad;
    orr_shape s;
    if (!text)
        return orr__fail(at, ORR_EINVAL, "the place for the text is NULL");
    if (!orr__field_operand(at, x, "x", 1, &s, &bad))
        return orr_eval_at(file, line, bad);
    int64_t n = orr__batch_count(&s, 1);
    if (i < 0 || i >= n)
        return orr__fail(at, ORR_EINDEX, "element %lld of %lld", (long long)i, (long long)n);
    orr_scope *scope = orr_scope_begin();
    const uint64_t *v = scope ? orr_data_at(file, line, x) : NULL;
    char digits[ORR_FIELD_TEXT];
    int at_digit = ORR_FIELD_TEXT;
    if (v) {
        uint32_t w[2 * ORR__LIMBS];
        bool more = true;
        for (int k = 0; k < ORR__LIMBS; k++) {
            w[2 * k] = (uint32_t)v[i * ORR__LIMBS + k];
            w[2 * k + 1] = (uint32_t)(v[i * ORR__LIMBS + k] >> 32);
        }
        digits[--at_digit] = '\0';
        while (more) {
            uint64_t rest = 0;
            more = false;
            for (int k = 2 * ORR__LIMBS - 1; k >= 0; k--) {
                rest = rest << 32 | w[k];
                w[k] = (uint32_t)(rest / 10);
                rest %= 10;
                more = more || w[k];
            }
            digits[--at_digit] = (char)('0' + rest);
        }
        memcpy(text, digits + at_digit, (size_t)(ORR_FIELD_TEXT - at_digit));
    }
    if (scope)
        (void)orr_scope_end(scope);
    return v ? ORR_OK : orr_error_status();
}
