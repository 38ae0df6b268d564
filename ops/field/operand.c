/* Operands and nodes of the pack of finite fields.
 * Must not know: any single operation. */
#include "config.h"

#include "ops/field/field.h"

const uint64_t orr__field_prime[2][ORR__LIMBS] = {
    { 0x43e1f593f0000001u, 0x2833e84879b97091u, 0xb85045b68181585du, 0x30644e72e131a029u },
    { 0x3c208c16d87cfd47u, 0x97816a916871ca8du, 0xb85045b68181585du, 0x30644e72e131a029u },
};

bool orr__field_operand(orr__site at, const orr_tensor *t, const char *name, int axes, orr_shape *shape,
                        orr_tensor **bad)
{
    static const char *const what[] = { "elements (…, 4)", "points of G1 (…, 2, 4)", "points of G2 (…, 2, 2, 4)" };
    orr__node *n;
    if (!orr__operand(at, t, name, &n, bad))
        return false;
    *shape = n->shape;
    bool fits = shape->rank >= axes;
    for (int i = 1; fits && i <= axes; i++)
        fits = shape->dim[shape->rank - i] == (i == 1 ? ORR__LIMBS : 2);
    if ((orr_dtype)n->dtype != ORR_U64)
        *bad = orr__poison(at, ORR_EDTYPE, "%s is %s: %s have dtype uint64", name, orr_dtype_name((orr_dtype)n->dtype),
                           what[axes - 1]);
    else if (!fits)
        *bad = orr__poison(at, ORR_ESHAPE, "%s of shape %s has no %s", name, orr__str(*shape).s, what[axes - 1]);
    else
        return true;
    return false;
}

bool orr__field_known(orr__site at, orr_field f, orr_tensor **bad)
{
    if (f == ORR_FR254 || f == ORR_FQ254)
        return true;
    *bad = orr__poison(at, ORR_EINVAL, "no field has number %d: ORR_FR254 or ORR_FQ254", (int)f);
    return false;
}

bool orr__curve_known(orr__site at, orr_curve c, orr_tensor **bad)
{
    if (c == ORR_G1 || c == ORR_G2)
        return true;
    *bad = orr__poison(at, ORR_EINVAL, "no curve has number %d: ORR_G1 or ORR_G2", (int)c);
    return false;
}

orr_shape orr__batch(orr_shape s, int axes)
{
    s.rank -= axes;
    for (int i = s.rank; i < ORR_MAX_RANK; i++)
        s.dim[i] = 0;
    return s;
}

orr_shape orr__batch_with(orr_shape batch, int axes)
{
    for (int i = axes; i > 0 && batch.rank < ORR_MAX_RANK; i--)
        batch.dim[batch.rank++] = i == 1 ? ORR__LIMBS : 2;
    return batch;
}

bool orr__batches(orr__site at, const orr_shape *x, const orr_shape *y, orr_shape *both, orr_tensor **bad)
{
    if (orr__shape_broadcast(x, y, both))
        return true;
    *bad = orr__poison(at, ORR_ESHAPE, "%s and %s, the axes before elements or points, do not broadcast",
                       orr__str(*x).s, orr__str(*y).s);
    return false;
}

orr_tensor *orr__field_node(orr__site at, const orr__op *op, orr_dtype dtype, orr_shape shape, int nin,
                            orr_tensor *const *in, const orr__attr *a)
{
    orr__node *arg[3];
    orr_tensor *bad;
    for (int i = 0; i < nin; i++)
        if (!orr__operand(at, in[i], "an operand", &arg[i], &bad))
            return bad;
    for (int i = 0; i < nin; i++)
        arg[i] = orr__node_ref(arg[i]);
    orr__node *n = orr__node_of(at, op, dtype, &shape, nin, arg);
    if (n)
        n->attr = *a;
    return orr__handle_new(n);
}

int64_t orr__batch_count(const orr_shape *s, int axes)
{
    int64_t n = 1;
    for (int d = 0; d < s->rank - axes; d++)
        n *= s->dim[d];
    return n;
}

int orr__field_rows(const orr__call *c, int64_t rows, int64_t *dim)
{
    dim[0] = rows;
    dim[1] = rows ? orr__shape_count(&c->out) / rows : 1;
    return 2;
}

const char *orr__field_verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)n;
    for (int i = 0; i < nin; i++)
        if ((orr_dtype)in[i]->dtype != ORR_U64 && (orr_dtype)in[i]->dtype != ORR_U8)
            return "an operand has no elements of a field";
    return NULL;
}
