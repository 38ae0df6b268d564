/* Softmax and losses, composed of public ops in an order that fuses.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include "ops/record.h"
#include "runtime/base/fpmode.h"

#define AT at.file, at.line

/* x in the dtype of the computation, minus its maximum along the axis. No gradient flows through the maximum, since
 * it cancels. */
static orr_tensor *shifted(orr__site at, orr_tensor *x, int axis)
{
    x = orr_cast_at(AT, x, orr__wide(orr_tensor_dtype(x)));
    return orr_sub_at(AT, x, orr_detach_at(AT, orr_max_at(AT, x, ORR_AXES(axis), true)));
}

static orr_tensor *soft(orr__site at, orr_tensor *x, int axis, bool logarithm)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_float(at, x, "x", &n, &bad))
        return bad;
    int k = orr__axis(axis, n->shape.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &n->shape);
    if (!n->shape.dim[k]) /* no elements */
        return orr__handle_new(orr__node_ref(n));
    orr_dtype dtype = (orr_dtype)n->dtype;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *d = shifted(at, x, k), *e = orr_exp_at(AT, d);
    orr_tensor *sum = orr_sum_at(AT, e, ORR_AXES(k), true);
    /* The sum is at least 1, so its reciprocal, computed once per row, costs one more rounding than a division. */
    orr_tensor *r = logarithm ? orr_sub_at(AT, d, orr_log_at(AT, sum)) : orr_mul_at(AT, e, orr_reciprocal_at(AT, sum));
    return orr__compose_end(at, scope, orr_cast_at(AT, r, dtype));
}

orr_tensor *orr_softmax_at(const char *file, int line, orr_tensor *x, int axis)
{
    return soft(ORR__SITE(file, line, "softmax"), x, axis, false);
}

orr_tensor *orr_log_softmax_at(const char *file, int line, orr_tensor *x, int axis)
{
    return soft(ORR__SITE(file, line, "log_softmax"), x, axis, true);
}

orr_tensor *orr__labels_poison(orr__site at, const orr__node *logits, const orr__node *labels)
{
    orr_shape batch = logits->shape, have = labels->shape;
    bool whole = orr__shape_equal(&batch, &have), integers = orr__is_int((orr_dtype)labels->dtype);
    const char *type = orr_dtype_name((orr_dtype)labels->dtype);
    if (batch.rank < 1)
        return orr__poison(at, ORR_ESHAPE, "logits of shape %s have no axis of classes", orr__str(batch).s);
    batch.rank--;
    if (whole && !integers)
        return orr__poison(at, ORR_EDTYPE,
                           "labels are %s of the logits' shape %s, and integers of shape %s are needed: a probability "
                           "for each class, one-hot labels too, is a target of orr_cross_entropy_with",
                           type, orr__str(have).s, orr__str(batch).s);
    if (!integers)
        return orr__poison(at, ORR_EDTYPE, "labels are %s, and integers are needed: write orr_cast(labels, ORR_I64)",
                           type);
    return orr__poison(at, ORR_ESHAPE, "logits of shape %s need labels of shape %s, not %s%s",
                       orr__str(logits->shape).s, orr__str(batch).s, orr__str(have).s,
                       whole ? ": orr_cross_entropy_with takes one-hot labels, orr_cast to the logits' dtype"
                       : batch.rank == 3
                           ? ": classes are the last axis; from NCHW, orr_permute(logits, ORR_AXES(0, 2, 3, 1))"
                       : batch.rank > 1 ? ": classes are the last axis; orr_permute moves them there"
                                        : "");
}

static bool labels_fit(orr__site at, const orr__node *logits, const orr__node *labels, orr_tensor **bad)
{
    orr_shape batch = logits->shape;
    batch.rank--;
    if (orr__is_int((orr_dtype)labels->dtype) && batch.rank >= 0 && orr__shape_equal(&batch, &labels->shape))
        return true;
    *bad = orr__labels_poison(at, logits, labels);
    return false;
}

orr_tensor *orr_cross_entropy_at(const char *file, int line, orr_tensor *logits, orr_tensor *labels)
{
    orr__site at = ORR__SITE(file, line, "cross_entropy");
    orr__node *x, *l;
    orr_tensor *bad;
    if (!orr__operand_float(at, logits, "logits", &x, &bad) || !orr__operand(at, labels, "labels", &l, &bad) ||
        !labels_fit(at, x, l, &bad))
        return bad;
    orr_dtype dtype = (orr_dtype)x->dtype;
    int64_t classes = x->shape.dim[x->shape.rank - 1];
    double batch = (double)orr__shape_count(&l->shape);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *wide = orr_cast_at(AT, logits, orr__wide(dtype));
    orr_tensor *logp = orr_log_softmax_at(AT, wide, -1);
    /* The label's entry is selected by comparison with the class number, which fuses into the sum, as its gradient
     * does. As u64 a negative label is out of range; a label that is no class adds NaN. */
    orr_tensor *label = orr__label(at, labels, classes, NULL);
    orr_tensor *class = orr__handle_new(
        orr__rec_iota(at, ORR_U64, &ORR_SHAPE(classes), 0, (orr__scalar){ .u = 0 }, (orr__scalar){ .u = 1 }));
    orr_tensor *hit = orr_equal_at(AT, orr_expand_dims_at(AT, label, -1), class);
    orr_tensor *each = orr_sum_at(AT, orr_where_at(AT, hit, logp, orr_scalar_at(AT, 0)), ORR_AXES(-1), false);
    orr_tensor *end =
        orr__handle_new(orr__rec_const(at, ORR_U64, &ORR_SHAPE_0D, (orr__scalar){ .u = (uint64_t)classes }));
    each = orr_where_at(AT, orr_less_at(AT, label, end), each, orr_scalar_at(AT, NAN));
    orr_tensor *r = orr_div_at(AT, orr_sum_at(AT, each, ORR_ALL_AXES, false), orr_scalar_at(AT, -batch));
    return orr__compose_end(at, scope, orr_cast_at(AT, r, dtype));
}

orr_tensor *orr_mse_at(const char *file, int line, orr_tensor *x, orr_tensor *y)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "mse");
    orr__node *in[2];
    orr_tensor *bad;
    orr_dtype dtype;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, y }, (const char *const[]){ "x", "y" }, in, &bad))
        return bad;
    if (!in[0]->weak && !in[1]->weak && !orr__shape_equal(&in[0]->shape, &in[1]->shape))
        return orr__poison(at, ORR_ESHAPE, "shapes differ: %s and %s", orr__str(in[0]->shape).s,
                           orr__str(in[1]->shape).s);
    if (!orr__promote_nodes(at, 2, in, &dtype))
        return orr__handle_new(NULL);
    if (!orr__is_float(dtype))
        return orr__poison(at, ORR_EDTYPE, "operands are %s, and a float dtype is needed: write orr_cast(x, ORR_F32)",
                           orr_dtype_name(dtype));
    orr_dtype wide = orr__wide(dtype);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *d = orr_sub_at(AT, orr_cast_at(AT, x, wide), orr_cast_at(AT, y, wide));
    orr_tensor *r = orr_mean_at(AT, orr_square_at(AT, d), ORR_ALL_AXES, false);
    return orr__compose_end(at, scope, orr_cast_at(AT, r, dtype));
}
