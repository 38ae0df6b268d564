/* Elements by index: take_along_axis, gather_nd.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/array/array.h"

static bool operands(orr__site at, orr_tensor *x, orr_tensor *indices, orr__node **in, orr_tensor **bad)
{
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, indices }, (const char *const[]){ "x", "indices" }, in,
                       bad))
        return false;
    if (orr__is_int((orr_dtype)in[1]->dtype))
        return true;
    *bad = orr__poison(at, ORR_EDTYPE, "indices are %s, and integers are needed: write orr_cast(indices, ORR_I64)",
                       orr_dtype_name((orr_dtype)in[1]->dtype));
    return false;
}

/* The flat place of each element: the index times the stride of the axis, plus the start of the element's line. */
orr_tensor *orr_take_along_axis_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, int axis)
{
    orr__site at = ORR__SITE(file, line, "take_along_axis");
    orr__node *in[2];
    orr_tensor *bad;
    if (!operands(at, x, indices, in, &bad))
        return bad;
    orr_shape s = in[0]->shape, by = in[1]->shape, to;
    int k = orr__axis(axis, s.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &s);
    orr_shape one = s;
    one.dim[k] = by.rank == s.rank ? by.dim[k] : 1;
    if (by.rank != s.rank || !orr__shape_broadcast(&one, &by, &to))
        return orr__poison(at, ORR_ESHAPE, "indices of shape %s do not fit %s along axis %d", orr__str(by).s,
                           orr__str(s).s, k);
    int64_t stride[ORR_MAX_RANK];
    if (!orr__shape_ok(at, &to, &bad))
        return bad;
    orr__shape_strides(&s, stride);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *place = orr__places_of(at, indices, s.dim[k], stride[k]);
    for (int d = 0; d < s.rank; d++)
        if (d != k && s.dim[d] > 1)
            place = orr_add_at(file, line, place, orr__places_along(at, s.dim[d], d, s.rank, stride[d]));
    place = orr_broadcast_to_at(file, line, place, to);
    return orr__compose_end(at, scope, orr_take_at(file, line, x, place, ORR_FLAT));
}

orr_tensor *orr__rows_nd(orr__site at, orr_tensor *indices, const orr_shape *s, int m)
{
    int64_t stride = 1;
    orr_tensor *place = NULL;
    for (int d = m - 1; d >= 0; d--) {
        orr_tensor *i = orr_select_at(at.file, at.line, indices, -1, d);
        i = orr__places_of(at, i, s->dim[d], stride);
        place = place ? orr_add_at(at.file, at.line, place, i) : i;
        stride *= s->dim[d];
    }
    return place;
}

orr_tensor *orr_gather_nd_at(const char *file, int line, orr_tensor *x, orr_tensor *indices)
{
    orr__site at = ORR__SITE(file, line, "gather_nd");
    orr__node *in[2];
    orr_tensor *bad;
    if (!operands(at, x, indices, in, &bad))
        return bad;
    orr_shape s = in[0]->shape, by = in[1]->shape;
    int64_t m = by.rank ? by.dim[by.rank - 1] : 0;
    if (by.rank < 1 || m < 1 || m > s.rank)
        return orr__poison(at, ORR_ESHAPE, "indices of shape %s: a last axis of 1 to %d is needed for x of shape %s",
                           orr__str(by).s, s.rank, orr__str(s).s);
    orr_scope *scope = orr__compose_begin(at);
    orr_shape rows = { s.rank - (int)m + 1, { orr__shape_count_of(&s, (1u << m) - 1) } };
    for (int d = 1; d < rows.rank; d++)
        rows.dim[d] = s.dim[d - 1 + m];
    orr_tensor *place = orr__rows_nd(at, indices, &s, (int)m);
    return orr__compose_end(at, scope, orr_take_at(file, line, orr_reshape_at(file, line, x, rows), place, 0));
}
