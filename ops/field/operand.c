/* Operands and nodes of the pack of finite fields.
 * Must not know: any single operation. */
#include "config.h"

#include "ops/field/field.h"

static bool fits(orr__site at, const orr__node *n, const char *name, orr_dtype field, int axes, orr_tensor **bad)
{
    static const char *const what[] = { "elements", "points (…, 2) of G1", "points (…, 2, 2) of G2" };
    bool shaped = n->shape.rank >= axes;
    for (int i = 1; shaped && i <= axes; i++)
        shaped = n->shape.dim[n->shape.rank - i] == 2;
    if ((orr_dtype)n->dtype != field)
        *bad = orr__poison(at, ORR_EDTYPE, "%s is %s: %s have dtype %s", name, orr_dtype_name((orr_dtype)n->dtype),
                           what[axes], orr_dtype_name(field));
    else if (!shaped)
        *bad = orr__poison(at, ORR_ESHAPE, "%s of shape %s has no %s", name, orr__str(n->shape).s, what[axes]);
    return shaped && (orr_dtype)n->dtype == field;
}

bool orr__field_operand(orr__site at, const orr_tensor *t, const char *name, orr_dtype field, int axes,
                        orr_shape *shape, orr_tensor **bad)
{
    orr__node *n;
    if (!orr__operand(at, t, name, &n, bad) || !fits(at, n, name, field, axes, bad))
        return false;
    *shape = n->shape;
    return true;
}

bool orr__field_any(orr__site at, const orr_tensor *t, const char *name, orr_dtype *field, orr_shape *shape,
                    orr_tensor **bad)
{
    orr__node *n;
    if (!orr__operand(at, t, name, &n, bad))
        return false;
    *field = (orr_dtype)n->dtype;
    *shape = n->shape;
    if (orr__is_field(*field))
        return true;
    *bad = orr__poison(at, ORR_EDTYPE, "%s is %s, and elements of a field are needed: fr254 or fq254", name,
                       orr_dtype_name(*field));
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
        batch.dim[batch.rank++] = 2;
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
        if (orr__is_inexact((orr_dtype)in[i]->dtype))
            return "an operand has no elements of a field";
    return NULL;
}
