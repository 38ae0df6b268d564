/* Access by index tensors, and what a comparison of indices gives: take, scatter_add, one_hot, tril, triu.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/record.h"

/* An index tensor as the primitives take it: i32 or i64. */
static orr__node *indices_of(orr__site at, const orr__node *index)
{
    orr__node *n = orr__node_ref((orr__node *)index);
    if (n->dtype == ORR_U64) { /* what i64 cannot hold must stay out of range, not turn negative */
        orr__node *most = orr__rec_const(at, ORR_U64, &ORR_SHAPE_0D, (orr__scalar){ .u = INT64_MAX });
        orr_tensor *x = orr__handle_new(n), *y = orr__handle_new(most);
        orr_tensor *least = orr_minimum_at(at.file, at.line, x, y);
        n = orr_tensor_status(least) == ORR_OK ? orr__node_ref(orr__handle_node(least)) : NULL;
    }
    return n && n->dtype != ORR_I32 ? orr__rec_cast(at, n, ORR_I64) : n;
}

/* `s` with axis k replaced by the dimensions of `by`. */
static bool replaced(orr__site at, const orr_shape *s, int k, const orr_shape *by, orr_shape *out, orr_tensor **bad)
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
static bool indexed(orr__site at, orr__node *const *in, int axis, orr_shape *from, int *k, orr_tensor **bad)
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

orr_tensor *orr_take_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, int axis)
{
    orr__site at = ORR__SITE(file, line, "take");
    orr__node *in[2];
    orr_tensor *bad;
    orr_shape from, to;
    int k;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, indices }, (const char *const[]){ "x", "indices" }, in,
                       &bad) ||
        !indexed(at, in, axis, &from, &k, &bad) || !replaced(at, &from, k, &in[1]->shape, &to, &bad))
        return bad;
    orr_scope *scope = orr_scope_begin();
    orr__node *arg[2] = { orr__rec_reshape(at, orr__node_ref(in[0]), &from), indices_of(at, in[1]) };
    orr__node *r = orr__node_of(at, orr__prim(ORR__OP_TAKE), (orr_dtype)in[0]->dtype, &to, 2, arg);
    if (r)
        r->attr.axis = k;
    return orr__compose_end(at, scope, orr__handle_new(r));
}

/* The three operands of the primitive in `dtype`, references owned; the last is NULL when one could not be made. */
static void scatter_operands(orr__site at, orr__node *const *in, orr_dtype dtype, const orr_shape *from,
                             const orr_shape *shape, orr__node **arg)
{
    arg[0] = orr__rec_reshape(at, orr__rec_cast(at, orr__node_ref(in[0]), dtype), from);
    arg[1] = indices_of(at, in[1]);
    arg[2] = NULL;
    if (!arg[0] || !arg[1])
        return;
    arg[2] = orr__rec_broadcast(at, orr__rec_cast(at, orr__node_ref(in[2]), dtype), shape);
}

orr_tensor *orr_scatter_add_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, orr_tensor *updates,
                               int axis)
{
    orr__site at = ORR__SITE(file, line, "scatter_add");
    orr__node *in[3], *arg[3];
    orr_tensor *bad;
    orr_shape from, shape, both;
    orr_dtype dtype;
    int k;
    if (!orr__operands(at, 3, (const orr_tensor *const[]){ x, indices, updates },
                       (const char *const[]){ "x", "indices", "updates" }, in, &bad) ||
        !indexed(at, in, axis, &from, &k, &bad) || !replaced(at, &from, k, &in[1]->shape, &shape, &bad))
        return bad;
    if (!orr__shape_broadcast(&in[2]->shape, &shape, &both) || !orr__shape_equal(&both, &shape))
        return orr__poison(at, ORR_ESHAPE, "updates of shape %s do not broadcast to %s", orr__str(in[2]->shape).s,
                           orr__str(shape).s);
    if (!orr__promote_nodes(at, 2, (orr__node *const[]){ in[0], in[2] }, &dtype))
        return orr__handle_new(NULL);
    if (dtype == ORR_BOOL)
        return orr__poison(at, ORR_EDTYPE, "bool does not add: write orr_cast(x, ORR_I32)");
    orr_scope *scope = orr_scope_begin();
    orr_dtype wide = orr__is_half(dtype) ? ORR_F32 : dtype; /* the 257th 1 would be lost in bf16 */
    scatter_operands(at, in, wide, &from, &shape, arg);
    orr__node *r = orr__node_of(at, orr__prim(ORR__OP_SCATTER_ADD), wide, &from, 3, arg);
    if (r)
        r->attr.axis = k;
    r = orr__rec_cast(at, orr__rec_reshape(at, r, &in[0]->shape), dtype);
    return orr__compose_end(at, scope, orr__handle_new(r));
}

orr_tensor *orr_one_hot_at(const char *file, int line, orr_tensor *indices, int64_t n, orr_dtype dtype)
{
    orr__site at = ORR__SITE(file, line, "one_hot");
    orr__node *index;
    orr_tensor *bad;
    orr_shape to = { 0, { 0 } };
    if (!orr__operand(at, indices, "indices", &index, &bad) || !orr__dtype_ok(at, dtype, &bad))
        return bad;
    orr_dtype kind = (orr_dtype)index->dtype;
    if (!orr__is_int(kind))
        return orr__poison(at, ORR_EDTYPE, "indices are %s, and integers are needed: write orr_cast(indices, ORR_I64)",
                           orr_dtype_name(kind));
    if (index->shape.rank == ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "%s has %d axes already", orr__str(index->shape).s, ORR_MAX_RANK);
    to = index->shape;
    to.dim[to.rank++] = n;
    if (!orr__shape_ok(at, &to, &bad))
        return bad;
    /* Compared as u64, where a negative index is out of range and no index is cut to fewer bits. */
    orr_scope *scope = orr_scope_begin();
    orr_tensor *x = orr_expand_dims_at(file, line, orr_cast_at(file, line, indices, ORR_U64), -1);
    orr_tensor *place =
        orr__handle_new(orr__rec_iota(at, ORR_U64, &ORR_SHAPE(n), 0, (orr__scalar){ .u = 0 }, (orr__scalar){ .u = 1 }));
    return orr__compose_end(at, scope, orr_cast_at(file, line, orr_equal_at(file, line, x, place), dtype));
}

orr_tensor *orr__diagonals(orr__site at, int64_t rows, int64_t cols)
{
    orr__scalar zero = { .i = 0 }, one = { .i = 1 };
    orr_tensor *row = orr__handle_new(orr__rec_iota(at, ORR_I64, &ORR_SHAPE(rows, 1), 0, zero, one));
    orr_tensor *col = orr__handle_new(orr__rec_iota(at, ORR_I64, &ORR_SHAPE(1, cols), 1, zero, one));
    return orr_sub_at(at.file, at.line, col, row);
}

static orr_tensor *triangle(orr__site at, orr_tensor *x, int64_t k, bool lower)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    const orr_shape *s = &n->shape;
    if (s->rank < 2)
        return orr__poison(at, ORR_ESHAPE, "shape %s has no two axes", orr__str(*s).s);
    orr_scope *scope = orr_scope_begin();
    orr_tensor *d = orr__diagonals(at, s->dim[s->rank - 2], s->dim[s->rank - 1]);
    orr_tensor *edge = orr__handle_new(orr__rec_const(at, ORR_I64, &ORR_SHAPE_0D, (orr__scalar){ .i = k }));
    orr_tensor *keep =
        lower ? orr_less_equal_at(at.file, at.line, d, edge) : orr_greater_equal_at(at.file, at.line, d, edge);
    orr_tensor *zero = orr_zeros_at(at.file, at.line, (orr_dtype)n->dtype, ORR_SHAPE_0D);
    return orr__compose_end(at, scope, orr_where_at(at.file, at.line, keep, x, zero));
}

orr_tensor *orr_tril_at(const char *file, int line, orr_tensor *x, int64_t k)
{
    return triangle(ORR__SITE(file, line, "tril"), x, k, true);
}

orr_tensor *orr_triu_at(const char *file, int line, orr_tensor *x, int64_t k)
{
    return triangle(ORR__SITE(file, line, "triu"), x, k, false);
}
