/* Views that keep the elements' order or repeat them: reshape, permute, broadcast, squeeze, expand.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/record.h"

/* Puts in the dimension that is -1. */
static bool reshape_infer(orr__site at, const orr_shape *from, orr_shape *to, orr_tensor **bad)
{
    int free_axis = -1;
    orr_shape rest = *to;
    for (int i = 0; i < to->rank && i < ORR_MAX_RANK; i++)
        if (to->dim[i] == -1) {
            if (free_axis >= 0) {
                *bad = orr__poison(at, ORR_ESHAPE, "shape %s has more than one -1", orr__str(*to).s);
                return false;
            }
            free_axis = i;
            rest.dim[i] = 1;
        }
    if (!orr__shape_ok(at, &rest, bad))
        return false;
    int64_t have = orr__shape_count(from), want = orr__shape_count(&rest);
    if (free_axis >= 0 && want > 0 && have % want == 0) {
        rest.dim[free_axis] = have / want;
        want = have;
    } else if (free_axis >= 0 || have != want) {
        *bad = orr__poison(at, ORR_ESHAPE, "%s has %lld elements, which do not make %s", orr__str(*from).s,
                           (long long)have, orr__str(*to).s);
        return false;
    }
    *to = rest;
    return true;
}

orr_tensor *orr_reshape_at(const char *file, int line, orr_tensor *x, orr_shape shape)
{
    orr__site at = ORR__SITE(file, line, "reshape");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad) || !reshape_infer(at, &n->shape, &shape, &bad))
        return bad;
    return orr__handle_new(orr__rec_reshape(at, orr__node_ref(n), &shape));
}

orr_tensor *orr_permute_at(const char *file, int line, orr_tensor *x, orr_axes axes)
{
    orr__site at = ORR__SITE(file, line, "permute");
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask;
    int perm[ORR_MAX_RANK];
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int rank = n->shape.rank;
    if (axes.n >= 0 && axes.n != rank)
        return orr__poison(at, ORR_EAXIS, "%d axes for shape %s, which has %d", axes.n, orr__str(n->shape).s, rank);
    if (!orr__axes_mask(axes, rank, &mask))
        return orr__axes_poison(at, &n->shape);
    for (int i = 0; i < rank; i++)
        perm[i] = axes.n < 0 ? rank - 1 - i : orr__axis(axes.axis[i], rank);
    return orr__handle_new(orr__rec_permute(at, orr__node_ref(n), perm));
}

orr_tensor *orr_transpose_at(const char *file, int line, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "transpose");
    orr__node *n;
    orr_tensor *bad;
    int perm[ORR_MAX_RANK];
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int rank = n->shape.rank;
    if (rank < 2)
        return orr__poison(at, ORR_ESHAPE, "shape %s has no two axes", orr__str(n->shape).s);
    for (int i = 0; i < rank; i++)
        perm[i] = i;
    perm[rank - 2] = rank - 1;
    perm[rank - 1] = rank - 2;
    return orr__handle_new(orr__rec_permute(at, orr__node_ref(n), perm));
}

orr_tensor *orr_broadcast_to_at(const char *file, int line, orr_tensor *x, orr_shape shape)
{
    orr__site at = ORR__SITE(file, line, "broadcast_to");
    orr__node *n;
    orr_tensor *bad;
    orr_shape both;
    if (!orr__operand(at, x, "x", &n, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    if (!orr__shape_broadcast(&n->shape, &shape, &both) || !orr__shape_equal(&both, &shape))
        return orr__poison(at, ORR_ESHAPE, "%s does not broadcast to %s", orr__str(n->shape).s, orr__str(shape).s);
    return orr__handle_new(orr__rec_broadcast(at, orr__node_ref(n), &shape));
}

orr_tensor *orr_squeeze_at(const char *file, int line, orr_tensor *x, orr_axes axes)
{
    orr__site at = ORR__SITE(file, line, "squeeze");
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask = 0;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    const orr_shape *s = &n->shape;
    if (axes.n >= 0 && !orr__axes_mask(axes, s->rank, &mask))
        return orr__axes_poison(at, s);
    for (int i = 0; i < s->rank; i++)
        if (axes.n < 0)
            mask |= (uint32_t)(s->dim[i] == 1) << i;
        else if ((mask >> i & 1) && s->dim[i] != 1)
            return orr__poison(at, ORR_ESHAPE, "axis %d of %s is not of length 1", i, orr__str(*s).s);
    orr_shape to = orr__shape_reduced(s, mask, false);
    return orr__handle_new(orr__rec_reshape(at, orr__node_ref(n), &to));
}

orr_tensor *orr_expand_dims_at(const char *file, int line, orr_tensor *x, int axis)
{
    orr__site at = ORR__SITE(file, line, "expand_dims");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int rank = n->shape.rank, place = orr__axis(axis, rank + 1);
    if (rank == ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "%s has %d axes already", orr__str(n->shape).s, rank);
    if (place < 0)
        return orr__poison(at, ORR_EAXIS, "axis %d is not in %d to %d", axis, -rank - 1, rank);
    orr_shape to = { rank + 1, { 0 } };
    for (int i = 0; i <= rank; i++)
        to.dim[i] = i < place ? n->shape.dim[i] : i == place ? 1 : n->shape.dim[i - 1];
    return orr__handle_new(orr__rec_reshape(at, orr__node_ref(n), &to));
}
