/* Reductions that are primitives, with the axes dropped by a reshape: sum, prod, min, max, any, all, argmin, argmax.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/record.h"

/* The dtype in which elements of `t` are summed up and multiplied. */
static orr_dtype sum_dtype(orr_dtype t)
{
    return orr__is_float(t) ? t : orr__is_unsigned(t) ? ORR_U64 : ORR_I64;
}

static orr__node *reduce(orr__site at, orr__node *x, int rop, uint32_t mask, orr_dtype dtype, bool keep)
{
    orr_shape shape = orr__shape_reduced(&x->shape, mask, keep);
    return orr__rec_reshape(at, orr__rec_reduce(at, orr__node_ref(x), rop, mask, dtype), &shape);
}

static bool checked(orr__site at, const orr_tensor *x, orr_axes axes, orr__node **n, uint32_t *mask, orr_tensor **bad)
{
    if (!orr__operand(at, x, "x", n, bad))
        return false;
    if (orr__axes_mask(axes, (*n)->shape.rank, mask))
        return true;
    *bad = orr__axes_poison(at, &(*n)->shape);
    return false;
}

static orr_tensor *sum_or_prod(orr__site at, orr_tensor *x, orr_axes axes, bool keep, int rop)
{
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask;
    if (!checked(at, x, axes, &n, &mask, &bad))
        return bad;
    return orr__handle_new(reduce(at, n, rop, mask, sum_dtype((orr_dtype)n->dtype), keep));
}

static orr_tensor *any_or_all(orr__site at, orr_tensor *x, orr_axes axes, bool keep, int rop)
{
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask;
    if (!checked(at, x, axes, &n, &mask, &bad))
        return bad;
    orr__node *b = orr__rec_cast(at, orr__node_ref(n), ORR_BOOL);
    orr__node *r = b ? reduce(at, b, rop, mask, ORR_BOOL, keep) : NULL;
    orr__node_unref(b);
    return orr__handle_new(r);
}

static orr_tensor *of_nothing(orr__site at, const orr_shape *s)
{
    return orr__poison(at, ORR_ESHAPE, "there is none over an empty axis: shape %s", orr__str(*s).s);
}

static orr_tensor *min_or_max(orr__site at, orr_tensor *x, orr_axes axes, bool keep, int rop)
{
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask;
    if (!checked(at, x, axes, &n, &mask, &bad))
        return bad;
    orr_shape out = orr__shape_reduced(&n->shape, mask, true);
    if (!orr__shape_count_of(&n->shape, mask) && orr__shape_count(&out))
        return of_nothing(at, &n->shape);
    if (n->dtype == ORR_BOOL)
        rop = rop == ORR__RMAX ? ORR__RANY : ORR__RALL;
    return orr__handle_new(reduce(at, n, rop, mask, (orr_dtype)n->dtype, keep));
}

#define REDUCTION(name, via, rop)                                                                                      \
    orr_tensor *orr_##name##_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims)               \
    {                                                                                                                  \
        return via(ORR__SITE(file, line, #name), x, axes, keepdims, rop);                                              \
    }
REDUCTION(sum, sum_or_prod, ORR__RSUM)
REDUCTION(prod, sum_or_prod, ORR__RPROD)
REDUCTION(any, any_or_all, ORR__RANY)
REDUCTION(all, any_or_all, ORR__RALL)
REDUCTION(min, min_or_max, ORR__RMIN)
REDUCTION(max, min_or_max, ORR__RMAX)

static orr_tensor *arg_reduce(orr__site at, orr_tensor *x, int axis, bool keep, int rop)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    bool flat = axis == ORR_FLAT;
    orr_shape from = flat ? ORR_SHAPE(orr__shape_count(&n->shape)) : n->shape;
    int k = flat ? 0 : orr__axis(axis, from.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &from);
    orr_shape kept = orr__shape_reduced(&from, 1u << k, true);
    if (!from.dim[k] && orr__shape_count(&kept))
        return of_nothing(at, &n->shape);
    orr_shape to = orr__shape_reduced(&n->shape, flat ? ~0u : 1u << k, keep);
    orr__node *r = orr__rec_reshape(at, orr__node_ref(n), &from);
    if (r && r->dtype == ORR_BOOL)
        r = orr__rec_cast(at, r, ORR_U8);
    r = orr__rec_one(at, ORR__OP_ARGREDUCE, ORR_I64, &kept, r);
    if (r) {
        r->attr.axis = k;
        r->attr.rop = (uint8_t)rop;
    }
    return orr__handle_new(orr__rec_reshape(at, r, &to));
}

orr_tensor *orr_argmax_at(const char *file, int line, orr_tensor *x, int axis, bool keepdims)
{
    return arg_reduce(ORR__SITE(file, line, "argmax"), x, axis, keepdims, ORR__RMAX);
}

orr_tensor *orr_argmin_at(const char *file, int line, orr_tensor *x, int axis, bool keepdims)
{
    return arg_reduce(ORR__SITE(file, line, "argmin"), x, axis, keepdims, ORR__RMIN);
}
