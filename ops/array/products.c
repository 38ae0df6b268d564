/* Products other than the matrix product: tensordot, vecdot, outer, kron.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/array/array.h"

static bool two(orr__site at, orr_tensor *a, orr_tensor *b, orr__node **in, orr_dtype *t, orr_tensor **bad)
{
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ a, b }, (const char *const[]){ "a", "b" }, in, bad))
        return false;
    if (!orr__promote_nodes(at, 2, in, t)) {
        *bad = orr__handle_new(NULL);
        return false;
    }
    if (*t != ORR_BOOL)
        return true;
    *bad = orr__poison(at, ORR_EDTYPE, "bool does not multiply: write orr_cast(a, ORR_I32)");
    return false;
}

/* The listed axes with the other axes of s before or after them. */
static orr_axes with_others(const orr_shape *s, orr_axes list, uint32_t mask, bool before)
{
    orr_axes all = { s->rank, { 0 } };
    int to = before ? 0 : list.n;
    for (int d = 0; d < s->rank; d++)
        if (!(mask >> d & 1))
            all.axis[to++] = d;
    for (int i = 0; i < list.n; i++)
        all.axis[before ? s->rank - list.n + i : i] = orr__axis(list.axis[i], s->rank);
    return all;
}

orr_tensor *orr_tensordot_at(const char *file, int line, orr_tensor *a, orr_tensor *b, orr_axes of_a, orr_axes of_b)
{
    orr__site at = ORR__SITE(file, line, "tensordot");
    orr__node *in[2];
    orr_tensor *bad;
    orr_dtype t;
    uint32_t mask_a, mask_b;
    if (!two(at, a, b, in, &t, &bad))
        return bad;
    orr_shape sa = in[0]->shape, sb = in[1]->shape;
    if (of_a.n != of_b.n || of_a.n < 0)
        return orr__poison(at, ORR_EINVAL, "%d axes of a and %d of b: as many of each are needed", of_a.n, of_b.n);
    if (!orr__axes_mask(of_a, sa.rank, &mask_a))
        return orr__axes_poison(at, of_a, &sa);
    if (!orr__axes_mask(of_b, sb.rank, &mask_b))
        return orr__axes_poison(at, of_b, &sb);
    for (int i = 0; i < of_a.n; i++)
        if (sa.dim[orr__axis(of_a.axis[i], sa.rank)] != sb.dim[orr__axis(of_b.axis[i], sb.rank)])
            return orr__poison(at, ORR_ESHAPE, "axis %d of %s and axis %d of %s have other lengths", of_a.axis[i],
                               orr__str(sa).s, of_b.axis[i], orr__str(sb).s);
    if (sa.rank + sb.rank - 2 * of_a.n > ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "the product of %s and %s has more than %d axes", orr__str(sa).s,
                           orr__str(sb).s, ORR_MAX_RANK);
    orr_shape rows = orr__shape_reduced(&sa, mask_a, false), cols = orr__shape_reduced(&sb, mask_b, false), to = rows;
    int64_t terms = orr__shape_count_of(&sa, mask_a);
    for (int d = 0; d < cols.rank; d++)
        to.dim[to.rank++] = cols.dim[d];
    if (!orr__shape_ok(at, &to, &bad))
        return bad;
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *x = orr_permute_at(file, line, orr_cast_at(file, line, a, t), with_others(&sa, of_a, mask_a, true));
    orr_tensor *y = orr_permute_at(file, line, orr_cast_at(file, line, b, t), with_others(&sb, of_b, mask_b, false));
    x = orr_reshape_at(file, line, x, ORR_SHAPE(orr__shape_count(&rows), terms));
    y = orr_reshape_at(file, line, y, ORR_SHAPE(terms, orr__shape_count(&cols)));
    return orr__compose_end(at, s, orr_reshape_at(file, line, orr_matmul_at(file, line, x, y), to));
}

orr_tensor *orr_vecdot_at(const char *file, int line, orr_tensor *a, orr_tensor *b, int axis)
{
    orr__site at = ORR__SITE(file, line, "vecdot");
    orr__node *in[2];
    orr_tensor *bad;
    orr_dtype t;
    if (!two(at, a, b, in, &t, &bad))
        return bad;
    int least = in[0]->shape.rank < in[1]->shape.rank ? in[0]->shape.rank : in[1]->shape.rank;
    if (axis >= 0 || axis < -least)
        return orr__poison(at, ORR_EAXIS, "axis %d is not in −%d to −1, which both %s and %s have", axis, least,
                           orr__str(in[0]->shape).s, orr__str(in[1]->shape).s);
    int64_t la = in[0]->shape.dim[in[0]->shape.rank + axis], lb = in[1]->shape.dim[in[1]->shape.rank + axis];
    if (la != lb)
        return orr__poison(at, ORR_ESHAPE, "axis %d of %s and of %s have other lengths", axis, orr__str(in[0]->shape).s,
                           orr__str(in[1]->shape).s);
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *x = orr_cast_at(file, line, a, t);
    if (orr__is_complex(t))
        x = orr_conj_at(file, line, x);
    orr_tensor *p = orr_mul_at(file, line, x, orr_cast_at(file, line, b, t));
    p = orr_sum_at(file, line, p, ORR_AXES(axis), false);
    return orr__compose_end(at, s, orr_cast_at(file, line, p, t));
}

orr_tensor *orr_outer_at(const char *file, int line, orr_tensor *a, orr_tensor *b)
{
    orr__site at = ORR__SITE(file, line, "outer");
    orr__node *in[2];
    orr_tensor *bad;
    orr_dtype t;
    if (!two(at, a, b, in, &t, &bad))
        return bad;
    if (in[0]->shape.rank != 1 || in[1]->shape.rank != 1)
        return orr__poison(at, ORR_ESHAPE, "shapes %s and %s: one axis each is needed", orr__str(in[0]->shape).s,
                           orr__str(in[1]->shape).s);
    orr_scope *s = orr_scope_begin();
    return orr__compose_end(
        at, s, orr_mul_at(file, line, orr_expand_dims_at(file, line, a, 1), orr_expand_dims_at(file, line, b, 0)));
}

orr_tensor *orr_kron_at(const char *file, int line, orr_tensor *a, orr_tensor *b)
{
    orr__site at = ORR__SITE(file, line, "kron");
    orr__node *in[2];
    orr_tensor *bad;
    orr_dtype t;
    if (!two(at, a, b, in, &t, &bad))
        return bad;
    orr_shape sa = in[0]->shape, sb = in[1]->shape, to = ORR_SHAPE_0D, of_a, of_b;
    to.rank = sa.rank > sb.rank ? sa.rank : sb.rank;
    if (2 * to.rank > ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "shapes %s and %s: at most %d axes are possible", orr__str(sa).s,
                           orr__str(sb).s, ORR_MAX_RANK / 2);
    of_a.rank = of_b.rank = 2 * to.rank;
    for (int d = 0; d < to.rank; d++) {
        int da = d - (to.rank - sa.rank), db = d - (to.rank - sb.rank);
        of_a.dim[2 * d] = da < 0 ? 1 : sa.dim[da];
        of_b.dim[2 * d + 1] = db < 0 ? 1 : sb.dim[db];
        of_a.dim[2 * d + 1] = of_b.dim[2 * d] = 1;
        if (!orr__mul64(of_a.dim[2 * d], of_b.dim[2 * d + 1], &to.dim[d]))
            return orr__poison(at, ORR_ESHAPE, "the product of %s and %s has too many elements", orr__str(sa).s,
                               orr__str(sb).s);
    }
    if (!orr__shape_ok(at, &to, &bad))
        return bad;
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *p = orr_mul_at(file, line, orr_reshape_at(file, line, a, of_a), orr_reshape_at(file, line, b, of_b));
    return orr__compose_end(at, s, orr_reshape_at(file, line, p, to));
}
