/* Rows of field elements: to and from bytes, element-wise operations, powers, sums. Compiled per instruction set.
 * Must not know: tensors, which instruction set this is. */
#include "config.h"

#include <string.h>
#include "codelets/field/pack.h"

/* -- bytes --------------------------------------------------------------------------------------------------------- */

static orr__fe load(const unsigned char *b)
{
    orr__fe x;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&x, b, sizeof x);
#else
    for (int i = 0; i < 4; i++) {
        x.l[i] = 0;
        for (int j = 7; j >= 0; j--)
            x.l[i] = x.l[i] << 8 | b[8 * i + j];
    }
#endif
    return x;
}

static void store(unsigned char *b, orr__fe x)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(b, &x, sizeof x);
#else
    for (int i = 0; i < 32; i++)
        b[i] = (unsigned char)(x.l[i / 8] >> i % 8 * 8);
#endif
}

int64_t ORR__FK(read)(orr__field f, orr__fe *z, const void *bytes, int64_t n)
{
    const orr__mod *m = orr__mod_of(f);
    const unsigned char *b = bytes;
    for (int64_t i = 0; i < n; i++) {
        orr__fe x = load(b + 32 * i);
        if (!fe_below(x, m->p))
            return i;
        z[i] = fe_enter(x, m);
    }
    return -1;
}

void ORR__FK(write)(orr__field f, void *bytes, const orr__fe *x, int64_t n)
{
    const orr__mod *m = orr__mod_of(f);
    unsigned char *b = bytes;
    for (int64_t i = 0; i < n; i++)
        store(b + 32 * i, fe_leave(x[i], m));
}

/* -- element-wise -------------------------------------------------------------------------------------------------- */

void ORR__FK(map)(orr__field f, orr__field_op op, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *y,
                  int64_t sy, int64_t n)
{
    const orr__mod *m = orr__mod_of(f);
    switch (op) {
    case ORR__FADD:
        for (int64_t i = 0; i < n; i++)
            z[i] = fe_add(x[i * sx], y[i * sy], m);
        break;
    case ORR__FSUB:
        for (int64_t i = 0; i < n; i++)
            z[i] = fe_sub(x[i * sx], y[i * sy], m);
        break;
    case ORR__FMUL:
        for (int64_t i = 0; i < n; i += PACK)
            pk_store(z + i, 1, n - i, pk_mul(pk_load(x + i * sx, sx, n - i), pk_load(y + i * sy, sy, n - i), m), m);
        break;
    case ORR__FNEG:
        for (int64_t i = 0; i < n; i++)
            z[i] = fe_neg(x[i * sx], m);
        break;
    case ORR__FSQUARE:
        for (int64_t i = 0; i < n; i += PACK) {
            pk v = pk_load(x + i * sx, sx, n - i);
            pk_store(z + i, 1, n - i, pk_mul(v, v, m), m);
        }
        break;
    }
}

void ORR__FK(axpy)(orr__field f, orr__fe *z, const orr__fe *a, const orr__fe *x, int64_t n)
{
    const orr__mod *m = orr__mod_of(f);
    const pk k = pk_all(*a);
    for (int64_t i = 0; i < n; i += PACK)
        pk_store(z + i, 1, n - i, pk_add(pk_load(z + i, 1, n - i), pk_mul(k, pk_load(x + i, 1, n - i), m), m), m);
}

/* -- powers -------------------------------------------------------------------------------------------------------- */

/* Windows of four bits, from the top. */
orr__fe ORR__FK(pow_one)(orr__fe x, const uint64_t e[4], const orr__mod *m)
{
    orr__fe table[16], z = m->one;
    int top = 63;
    while (top >= 0 && (e[top / 16] >> top % 16 * 4 & 15) == 0)
        top--;
    table[0] = m->one;
    for (int i = 1; i < 16; i++)
        table[i] = fe_mul(table[i - 1], x, m);
    for (int i = top; i >= 0; i--) {
        if (i != top)
            for (int k = 0; k < 4; k++)
                z = fe_square(z, m);
        unsigned digit = (unsigned)(e[i / 16] >> i % 16 * 4) & 15;
        if (digit)
            z = fe_mul(z, table[digit], m);
    }
    return z;
}

orr__fe ORR__FK(invert_one)(orr__fe x, const orr__mod *m)
{
    uint64_t e[4];
    memcpy(e, m->p.l, sizeof e);
    e[0] -= 2; /* no borrow: the low limbs of both primes are at least 2 */
    return ORR__FK(pow_one)(x, e, m);
}

void ORR__FK(power)(orr__field f, orr__fe *z, const orr__fe *x, const uint64_t e[4], int64_t n)
{
    const orr__mod *m = orr__mod_of(f);
    uint64_t k[4];
    memcpy(k, e, sizeof k);
    if (!(k[3] | k[2] | k[1]) && k[0] < 16) { /* limit of arithmetic */
        for (int64_t i = 0; i < n; i++) {
            orr__fe base = x[i], p = k[0] ? base : m->one;
            for (uint64_t j = 1; j < k[0]; j++)
                p = fe_mul(p, base, m);
            z[i] = p;
        }
        return;
    }
    for (int64_t i = 0; i < n; i++)
        z[i] = ORR__FK(pow_one)(x[i], k, m);
}

void ORR__FK(powers)(orr__field f, orr__fe *z, const orr__fe *a, const orr__fe *b, int64_t n)
{
    const orr__mod *m = orr__mod_of(f);
    orr__fe p = *a;
    const orr__fe step = *b;
    for (int64_t i = 0; i < n; i++) {
        z[i] = p;
        p = fe_mul(p, step, m);
    }
}

/* -- sums ---------------------------------------------------------------------------------------------------------- */

void ORR__FK(sum)(orr__field f, orr__fe *z, const orr__fe *x, int64_t sx, int64_t n)
{
    const orr__mod *m = orr__mod_of(f);
    orr__fe s = { { 0 } };
    for (int64_t i = 0; i < n; i++)
        s = fe_add(s, x[i * sx], m);
    *z = s;
}

void ORR__FK(dot)(orr__field f, orr__fe *z, const orr__fe *x, int64_t sx, const orr__fe *y, int64_t sy, int64_t n)
{
    const orr__mod *m = orr__mod_of(f);
    pk s = pk_all((orr__fe){ { 0 } });
    orr__fe part[PACK];
    for (int64_t i = 0; i < n; i += PACK)
        s = pk_add(s, pk_mul(pk_load(x + i * sx, sx, n - i), pk_load(y + i * sy, sy, n - i), m), m);
    pk_store(part, 1, PACK, s, m);
    *z = part[0];
    for (int i = 1; i < PACK; i++)
        *z = fe_add(*z, part[i], m);
}
