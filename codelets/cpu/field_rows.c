/* The element-wise operations and folds of field elements as loops over blocks, by the field kit of this processor.
 * Must not know: instruction sets. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/field.h"
#include "codelets/cpu/vec.h"
#include "ops/ew_id.h"
#include "runtime/base/minmax.h"

/* The kit always takes a second operand. */
#define MAP(name, what, second)                                                                                        \
    static void name##_fr254(void *restrict d, const void *x, const void *y, const void *z, int64_t n)                 \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        (void)z;                                                                                                       \
        orr__cpu_fieldkit()->map(ORR__FR, what, d, x, 1, second, 1, n);                                                \
    }                                                                                                                  \
    static void name##_fq254(void *restrict d, const void *x, const void *y, const void *z, int64_t n)                 \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        (void)z;                                                                                                       \
        orr__cpu_fieldkit()->map(ORR__FQ, what, d, x, 1, second, 1, n);                                                \
    }
MAP(add, ORR__FADD, y)
MAP(sub, ORR__FSUB, y)
MAP(mul, ORR__FMUL, y)
MAP(neg, ORR__FNEG, x)
MAP(square, ORR__FMUL, x)

static void positive(void *restrict d_, const void *x_, const void *y, const void *z, int64_t n)
{
    orr__fe *restrict d = d_;
    const orr__fe *x = x_;
    (void)y;
    (void)z;
    for (int64_t i = 0; i < n; i++)
        d[i] = x[i];
}

static void equal(void *restrict d_, const void *x_, const void *y_, const void *z, int64_t n)
{
    uint8_t *restrict d = d_;
    const orr__fe *x = x_, *y = y_;
    (void)z;
    for (int64_t i = 0; i < n; i++)
        d[i] = fe_equal(x[i], y[i]);
}

static void not_equal(void *restrict d_, const void *x_, const void *y_, const void *z, int64_t n)
{
    uint8_t *restrict d = d_;
    const orr__fe *x = x_, *y = y_;
    (void)z;
    for (int64_t i = 0; i < n; i++)
        d[i] = !fe_equal(x[i], y[i]);
}

static void where(void *restrict d_, const void *x_, const void *y_, const void *z_, int64_t n)
{
    orr__fe *restrict d = d_;
    const uint8_t *x = x_;
    const orr__fe *y = y_, *z = z_;
    for (int64_t i = 0; i < n; i++)
        d[i] = x[i] ? y[i] : z[i];
}

#define AT(name) [ORR__EW_##name - ORR__OP_EW]
#define TABLE(field)                                                                                                   \
    orr__vecfn *const orr__vec_rows_##field[ORR__ROWS] = {                                                             \
        AT(add) = add_##field, AT(sub) = sub_##field,       AT(mul) = mul_##field,                                     \
        AT(neg) = neg_##field, AT(square) = square_##field, AT(positive) = positive,                                   \
        AT(equal) = equal,     AT(not_equal) = not_equal,   AT(where) = where,                                         \
    };
TABLE(fr254)
TABLE(fq254)

/* -- folds ---------------------------------------------------------------------------------------------------------------- */

static void sum(orr__field f, orr__fe *acc, const orr__fe *x, int64_t n)
{
    orr__fe z;
    orr__cpu_fieldkit()->sum(f, &z, x, 1, n);
    *acc = fe_add(*acc, z, f == ORR__FR ? &orr__fr : &orr__fq);
}

/* COLUMNS columns of elements are multiplied, then combined by halves: the kit multiplies many at once. */
enum { COLUMNS = 128 };

static void product(orr__field f, orr__fe *acc, const orr__fe *x, int64_t n)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    orr__fe v[COLUMNS];
    int64_t m = ORR__MIN(n, COLUMNS);
    memcpy(v, x, (size_t)m * sizeof *v);
    for (int64_t at = m; at < n; at += m)
        k->map(f, ORR__FMUL, v, v, 1, x + at, 1, n - at < m ? n - at : m);
    for (int64_t half; m > 1; m -= half) {
        half = m / 2;
        k->map(f, ORR__FMUL, v, v, 1, v + m - half, 1, half);
    }
    if (n > 0)
        k->map(f, ORR__FMUL, acc, acc, 1, v, 1, 1);
}

#define FOLDS(name, what, field, f)                                                                                    \
    void orr__vec_##name##_##field(orr__acc *acc, const void *x, int64_t n)                                            \
    {                                                                                                                  \
        name(f, (orr__fe *)(void *)acc, x, n);                                                                         \
    }                                                                                                                  \
    void orr__vec_##name##row_##field(void *restrict acc, const void *restrict x, int64_t n)                           \
    {                                                                                                                  \
        orr__cpu_fieldkit()->map(f, what, acc, acc, 1, x, 1, n);                                                       \
    }
FOLDS(sum, ORR__FADD, fr254, ORR__FR)
FOLDS(sum, ORR__FADD, fq254, ORR__FQ)
FOLDS(product, ORR__FMUL, fr254, ORR__FR)
FOLDS(product, ORR__FMUL, fq254, ORR__FQ)
