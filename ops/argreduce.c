/* orr_argmax and orr_argmin: the place of the first extremum along an axis.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__reduce_verify(n, in[0], 1u << n->attr.axis);
}

static orr_status reference(const orr__reference *j)
{
    int axis = j->node->attr.axis;
    const orr__array *x = &j->in[0];
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t index[ORR_MAX_RANK], where = 0;
        orr__scalar best = { .u = 0 };
        orr__array_unravel(&j->out.shape, i, index);
        for (int64_t k = 0; k < x->shape.dim[axis]; k++) {
            index[axis] = k;
            orr__scalar v = orr__array_get(x, orr__array_ravel(&x->shape, index));
            if (k && !orr__reference_better(j->node->attr.rop, x->dtype, v, best))
                continue;
            best = v;
            where = k;
        }
        orr__array_set(&j->out, i, (orr__scalar){ .i = where });
    }
    return ORR_OK;
}

const orr__op orr__op_argreduce = {
    .id = ORR__OP_argreduce,
    .name = "argreduce",
    .arity = 1,
    .pattern = ORR__PATTERN_SEARCH,
    .attrs = ORR__ATTR_ROP | ORR__ATTR_AXIS,
    .verify = verify,
    .reference = reference,
    .distribute = orr__rule_but_axis,
};

static orr_tensor *arg_reduce(orr__site at, orr_tensor *x, int axis, bool keep, int rop)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_ordered(at, x, "x", &n, &bad))
        return bad;
    bool flat = axis == ORR_FLAT;
    orr_shape from = flat ? ORR_SHAPE(orr__shape_count(&n->shape)) : n->shape;
    int k = flat ? 0 : orr__axis(axis, from.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &from);
    orr_shape kept = orr__shape_reduced(&from, 1u << k, true);
    if (!from.dim[k] && orr__shape_count(&kept))
        return orr__reduce_nothing(at, &n->shape);
    orr_shape to = orr__shape_reduced(&n->shape, flat ? ~0u : 1u << k, keep);
    orr__node *r = orr__rec_reshape(at, orr__node_ref(n), &from);
    if (r && r->dtype == ORR_BOOL)
        r = orr__rec_cast(at, r, ORR_U8);
    r = orr__rec_one(at, &orr__op_argreduce, ORR_I64, &kept, r);
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
