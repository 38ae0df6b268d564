/* Index tensors: their dtype, the resulting shape, the place that an index denotes.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/record.h"
#include "ops/reference.h"

/* The index tensor as i32 or i64, which the primitives take. */
orr__node *orr__index_operand(orr__site at, const orr__node *index)
{
    orr__node *n = orr__node_ref((orr__node *)index);
    if (n->dtype == ORR_U64) { /* an index beyond i64 must stay out of range and not become negative */
        orr__node *most = orr__rec_const(at, ORR_U64, &ORR_SHAPE_0D, (orr__scalar){ .u = INT64_MAX });
        orr_tensor *x = orr__handle_new(n), *y = orr__handle_new(most);
        orr_tensor *least = orr_minimum_at(at.file, at.line, x, y);
        n = orr_tensor_status(least) == ORR_OK ? orr__node_ref(orr__handle_node(least)) : NULL;
    }
    return n && n->dtype != ORR_I32 ? orr__rec_cast(at, n, ORR_I64) : n;
}

/* `s` with axis k replaced by the dimensions of `by`. */
bool orr__index_shape(orr__site at, const orr_shape *s, int k, const orr_shape *by, orr_shape *out, orr_tensor **bad)
{
    if (s->rank - 1 + by->rank > ORR_MAX_RANK) {
        *bad = orr__poison(at, ORR_ESHAPE, "indices of shape %s in place of axis %d of %s make more than %d axes",
                           orr__str(*by).s, k, orr__str(*s).s, ORR_MAX_RANK);
        return false;
    }
    out->rank = 0;
    for (int i = 0; i < s->rank; i++) {
        if (i != k)
            out->dim[out->rank++] = s->dim[i];
        for (int j = 0; i == k && j < by->rank; j++)
            out->dim[out->rank++] = by->dim[j];
    }
    return orr__shape_ok(at, out, bad);
}

/* Operands and axis of take and scatter_add. `from` is x's shape, flat when the axis is ORR_FLAT. */
bool orr__index_axis(orr__site at, orr__node *const *in, int axis, orr_shape *from, int *k, orr_tensor **bad)
{
    *from = axis == ORR_FLAT ? ORR_SHAPE(orr__shape_count(&in[0]->shape)) : in[0]->shape;
    *k = axis == ORR_FLAT ? 0 : orr__axis(axis, from->rank);
    if (*k < 0) {
        *bad = orr__axis_poison(at, axis, from);
        return false;
    }
    if (orr__is_int((orr_dtype)in[1]->dtype))
        return true;
    *bad = orr__poison(at, ORR_EDTYPE, "indices are %s, and integers are needed: write orr_cast(indices, ORR_I64)",
                       orr_dtype_name((orr_dtype)in[1]->dtype));
    return false;
}

orr__line orr__reference_line(const orr_shape *s, int axis)
{
    orr__line p = { 1, s->dim[axis], 1 };
    for (int d = 0; d < s->rank; d++)
        if (d < axis)
            p.outer *= s->dim[d];
        else if (d > axis)
            p.inner *= s->dim[d];
    return p;
}

/* Index number m as a place; negative ones count from the end. -1 if out of range, with the error set. */
int64_t orr__reference_index(const orr__reference *j, int64_t m, int64_t length)
{
    const orr__array *a = &j->in[1];
    orr__scalar v = orr__array_get(a, m);
    int64_t i = orr__is_unsigned(a->dtype) && v.u > INT64_MAX ? INT64_MAX : v.i;
    int64_t k = i < 0 ? i + length : i;
    if (k >= 0 && k < length)
        return k;
    (void)orr__fail(orr__reference_site(j), ORR_EINDEX, "index %lld%s is out of range for an axis of length %lld",
                    (long long)i, i == INT64_MAX ? " or more" : "", (long long)length);
    return -1;
}
