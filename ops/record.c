/* Builders of primitive nodes, and the checks that the structural ops share.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include "ops/record.h"

orr__node *orr__rec_one(orr__site at, int id, orr_dtype dtype, const orr_shape *shape, orr__node *n)
{
    return orr__node_of(at, orr__prim(id), dtype, shape, 1, &n);
}

orr__node *orr__rec_const(orr__site at, orr_dtype dtype, const orr_shape *shape, orr__scalar v)
{
    orr__node *r = orr__node_new(at, orr__prim(ORR__OP_CONST), dtype, shape, 0, NULL);
    if (r) {
        r->nscalar = 1;
        r->s[0] = v;
    }
    return r;
}

orr__node *orr__rec_iota(orr__site at, orr_dtype dtype, const orr_shape *shape, int axis, orr__scalar start,
                         orr__scalar step)
{
    orr__node *r = orr__node_new(at, orr__prim(ORR__OP_IOTA), dtype, shape, 0, NULL);
    if (r) {
        r->nscalar = 2;
        r->s[0] = start;
        r->s[1] = step;
        r->attr.axis = axis;
    }
    return r;
}

orr__node *orr__rec_cast(orr__site at, orr__node *n, orr_dtype dtype)
{
    if (!n || (n->dtype == dtype && !n->weak))
        return n;
    if (!n->weak || n->op->id != ORR__OP_CONST) /* a constant with a dtype may be what a gradient is asked for */
        return orr__rec_one(at, ORR__OP_CAST, dtype, &n->shape, n);
    orr__scalar v = orr__scalar_cast(n->s[0], (orr_dtype)n->dtype, dtype);
    orr__node *r = orr__rec_const(at, dtype, &n->shape, v);
    orr__node_unref(n);
    return r;
}

orr__node *orr__rec_reshape(orr__site at, orr__node *n, const orr_shape *shape)
{
    if (!n || orr__shape_equal(&n->shape, shape))
        return n;
    return orr__rec_one(at, ORR__OP_RESHAPE, (orr_dtype)n->dtype, shape, n);
}

orr__node *orr__rec_broadcast(orr__site at, orr__node *n, const orr_shape *shape)
{
    if (!n || orr__shape_equal(&n->shape, shape))
        return n;
    return orr__rec_one(at, ORR__OP_BROADCAST, (orr_dtype)n->dtype, shape, n);
}

orr__node *orr__rec_permute(orr__site at, orr__node *n, const int *perm)
{
    if (!n)
        return NULL;
    orr_shape s = n->shape;
    bool same = true;
    for (int i = 0; i < s.rank; i++) {
        s.dim[i] = n->shape.dim[perm[i]];
        same = same && perm[i] == i;
    }
    if (same)
        return n;
    orr__node *r = orr__rec_one(at, ORR__OP_PERMUTE, (orr_dtype)n->dtype, &s, n);
    for (int i = 0; r && i < s.rank; i++)
        r->attr.perm[i] = (int8_t)perm[i];
    return r;
}

orr__node *orr__rec_slice(orr__site at, orr__node *n, const orr_shape *shape, const int64_t *start, const int64_t *step)
{
    if (!n)
        return NULL;
    bool same = orr__shape_equal(&n->shape, shape);
    int64_t from[ORR_MAX_RANK], by[ORR_MAX_RANK];
    for (int i = 0; i < shape->rank; i++) { /* one spelling for each meaning, so that equal graphs have equal keys */
        from[i] = shape->dim[i] ? start[i] : 0;
        by[i] = shape->dim[i] > 1 ? step[i] : 1;
        same = same && by[i] == 1;
    }
    if (same)
        return n;
    orr__node *r = orr__rec_one(at, ORR__OP_SLICE, (orr_dtype)n->dtype, shape, n);
    for (int i = 0; r && i < shape->rank; i++) {
        r->attr.start[i] = from[i];
        r->attr.step[i] = by[i];
    }
    return r;
}

orr__node *orr__rec_reduce(orr__site at, orr__node *n, int rop, uint32_t mask, orr_dtype dtype)
{
    if (!n || !mask)
        return orr__rec_cast(at, n, dtype);
    orr_shape s = orr__shape_reduced(&n->shape, mask, true);
    orr__node *r = orr__rec_one(at, ORR__OP_REDUCE, dtype, &s, n);
    if (r) {
        r->attr.rop = (uint8_t)rop;
        r->attr.mask = mask;
    }
    return r;
}

bool orr__operand(orr__site at, const orr_tensor *t, const char *name, orr__node **node, orr_tensor **bad)
{
    return orr__operands(at, 1, &t, &name, node, bad);
}

bool orr__operand_float(orr__site at, const orr_tensor *t, const char *name, orr__node **node, orr_tensor **bad)
{
    if (!orr__operand(at, t, name, node, bad))
        return false;
    orr_dtype d = (orr_dtype)(*node)->dtype;
    if (orr__is_float(d))
        return true;
    *bad = orr__poison(at, ORR_EDTYPE, "%s is %s, and a float dtype is needed: write orr_cast(%s, ORR_F32)", name,
                       orr_dtype_name(d), name);
    return false;
}

orr_dtype orr__wide(orr_dtype t)
{
    return orr__is_half(t) ? ORR_F32 : t;
}

orr_shape orr__shape_reduced(const orr_shape *s, uint32_t mask, bool keep)
{
    orr_shape r = { 0, { 0 } };
    for (int i = 0; i < s->rank; i++)
        if (!(mask >> i & 1))
            r.dim[r.rank++] = s->dim[i];
        else if (keep)
            r.dim[r.rank++] = 1;
    return r;
}

int64_t orr__shape_count_of(const orr_shape *s, uint32_t mask)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++)
        if (mask >> i & 1)
            n *= s->dim[i];
    return n;
}

bool orr__shape_ok(orr__site at, const orr_shape *s, orr_tensor **bad)
{
    if (s->rank < 0 || s->rank > ORR_MAX_RANK) {
        *bad = orr__poison(at, ORR_ESHAPE, "rank %d is not in 0 to %d", s->rank, ORR_MAX_RANK);
        return false;
    }
    for (int i = 0; i < s->rank; i++)
        if (s->dim[i] < 0) {
            *bad = orr__poison(at, ORR_ESHAPE, "negative dimension in shape %s", orr__str(*s).s);
            return false;
        }
    if (orr__shape_count(s) < 0) {
        *bad =
            orr__poison(at, ORR_ESHAPE, "shape %s has too many elements: its size in bytes overflows", orr__str(*s).s);
        return false;
    }
    return true;
}

bool orr__dtype_ok(orr__site at, orr_dtype t, orr_tensor **bad)
{
    if ((int)t >= 0 && (int)t < ORR_DTYPE_COUNT)
        return true;
    *bad = orr__poison(at, ORR_EDTYPE, "%d is no dtype", (int)t);
    return false;
}

orr_tensor *orr__axis_poison(orr__site at, int axis, const orr_shape *s)
{
    return orr__poison(at, ORR_EAXIS, "axis %d is out of range for shape %s", axis, orr__str(*s).s);
}

orr_tensor *orr__axes_poison(orr__site at, const orr_shape *s)
{
    return orr__poison(at, ORR_EAXIS, "an axis is out of range, or there twice, for shape %s", orr__str(*s).s);
}

bool orr__scalar_from(orr__site at, orr_dtype dtype, double value, orr__scalar *out)
{
    orr__kind kind = orr__dtype_kind(dtype);
    double low = 0, end = 2; /* low ≤ value < end */
    int bits = 8 * (int)orr_dtype_size(dtype);
    if (kind == ORR__KSIGNED) {
        end = ldexp(1, bits - 1);
        low = -end;
    } else if (kind == ORR__KUNSIGNED) {
        end = ldexp(1, bits);
    }
    if (kind != ORR__KFLOAT && !(value >= low && value < end && floor(value) == value)) {
        (void)orr__fail(at, ORR_EDTYPE, "%.17g is no value of %s", value, orr_dtype_name(dtype));
        return false;
    }
    if (kind == ORR__KFLOAT)
        *out = orr__scalar_cast((orr__scalar){ .f = value }, ORR_F64, dtype);
    else if (kind == ORR__KSIGNED)
        out->i = (int64_t)value;
    else
        out->u = (uint64_t)value;
    return true;
}

bool orr__promote_nodes(orr__site at, int n, orr__node *const *node, orr_dtype *dtype)
{
    int strong = 0, from = 0, same = 0;
    *dtype = (orr_dtype)node[0]->dtype;
    while (same < n && !node[same]->weak && (orr_dtype)node[same]->dtype == *dtype)
        same++;
    if (same == n) /* the usual case */
        return true;
    for (int i = 0; i < n; i++) {
        orr_dtype d = (orr_dtype)node[i]->dtype;
        if (node[i]->weak)
            continue;
        if (!strong++) {
            *dtype = d;
            from = i;
        } else if (!orr__promote(*dtype, d, dtype)) {
            (void)orr__fail(at, ORR_EDTYPE, "%s and %s have no common dtype: write orr_cast for one of them",
                            orr_dtype_name((orr_dtype)node[from]->dtype), orr_dtype_name(d));
            return false;
        }
    }
    if (!strong)
        *dtype = ORR_F64;
    for (int i = 0; i < n; i++) { /* a weak scalar must be a value of the dtype that it takes */
        orr__scalar v;
        if (node[i]->weak && !orr__scalar_from(at, *dtype, node[i]->s[0].f, &v))
            return false;
    }
    return true;
}

orr_tensor *orr__compose_end(orr__site at, orr_scope *s, orr_tensor *result)
{
    if (!s) /* no memory for a scope: the pieces stay with the caller's */
        return result;
    result = orr_scope_return_at(at.file, at.line, s, result);
    (void)orr_scope_end_at(at.file, at.line, s);
    return result;
}
