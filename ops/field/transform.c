/* orr_field_ntt and its inverse: number-theoretic transforms over r.
 * Must not know: devices, plans. */
#include "config.h"

#include "ops/field/field.h"

enum { MOST = 28 };

/* A transform is a row. attr.index: 1 for the inverse. */
static int space(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, orr__batch_count(&c->out, 2), dim);
}

static orr__workload work(const orr__call *c)
{
    double n = (double)orr__batch_count(&c->out, 1);
    int k = 1;
    while ((int64_t)1 << k < c->out.dim[c->out.rank - 2])
        k++;
    return (orr__workload){ .flops = n * (k + 2) / 2 * ORR__PRODUCT_FLOPS };
}

ORR__FIELD_OP(field_transform, -1, space, work);

static orr_tensor *transform(orr__site at, orr_tensor *x, orr_tensor *shift, bool inverse)
{
    orr_tensor *bad, *in[2] = { x, shift };
    orr_shape s, one;
    if (!orr__field_operand(at, x, "x", 1, &s, &bad) ||
        (shift && !orr__field_operand(at, shift, "the shift", 1, &one, &bad)))
        return bad;
    if (shift && one.rank != 1)
        return orr__poison(at, ORR_ESHAPE, "the shift is one element (4), not %s", orr__str(one).s);
    int64_t n = s.rank > 1 ? s.dim[s.rank - 2] : 0;
    if (n < 1 || (n & (n - 1)) != 0 || n > (int64_t)1 << MOST)
        return orr__poison(at, ORR_ESHAPE, "x of shape %s has no rows (…, n, 4) with n a power of two up to 2^%d",
                           orr__str(s).s, MOST);
    orr__attr a = { .index = inverse };
    return orr__field_node(at, &orr__op_field_transform, ORR_U64, s, shift ? 2 : 1, in, &a);
}

orr_tensor *orr_field_ntt_at(const char *file, int line, orr_tensor *x, orr_tensor *shift)
{
    return transform(ORR__SITE(file, line, "field_ntt"), x, shift, false);
}

orr_tensor *orr_field_ntt_inverse_at(const char *file, int line, orr_tensor *x, orr_tensor *shift)
{
    return transform(ORR__SITE(file, line, "field_ntt_inverse"), x, shift, true);
}
