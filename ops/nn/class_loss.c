/* Losses over classes: negative log-likelihood and cross-entropy with weights, label smoothing and an ignored label.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include "ops/nn/loss.h"
#include "ops/record.h"
#include "runtime/base/fpmode.h"

#define AT at.file, at.line
#define SCALAR(v) orr_scalar_at(AT, (v))

/* Logits or logarithms, labels and options, checked. */
typedef struct {
    orr__site at;
    orr_class_options o;
    orr_dtype dtype; /* the result's */
    orr_tensor *logp, *label, *weight;
    int64_t classes;
} task;

static const orr_class_options plain;

static bool weight_fits(task *t, orr_tensor **bad)
{
    orr__site at = t->at;
    orr__node *w;
    if (!t->o.weight)
        return true;
    if (!orr__operand_float(at, t->o.weight, "weight", &w, bad))
        return false;
    if (w->shape.rank != 1 || w->shape.dim[0] != t->classes) {
        *bad = orr__poison(at, ORR_ESHAPE, "weight of shape %s is not one number for each of the %lld classes",
                           orr__str(w->shape).s, (long long)t->classes);
        return false;
    }
    t->weight = orr_cast_at(AT, t->o.weight, orr__wide(t->dtype));
    return true;
}

/* True if `target` is labels (…), or, where `soft` is not NULL, probabilities (…, classes). */
static bool target_fits(const task *t, const orr__node *x, const orr__node *target, bool *soft, orr_tensor **bad)
{
    orr__site at = t->at;
    orr_shape batch = x->shape;
    batch.rank--;
    bool labels = orr__is_int((orr_dtype)target->dtype);
    if ((!labels && !soft) || (labels && !orr__shape_equal(&batch, &target->shape))) {
        *bad = orr__labels_poison(at, x, target);
        return false;
    }
    if (!labels && !orr__is_float((orr_dtype)target->dtype)) {
        *bad = orr__poison(at, ORR_EDTYPE, "target is %s, and integer labels or float probabilities are needed",
                           orr_dtype_name((orr_dtype)target->dtype));
        return false;
    }
    if (soft)
        *soft = !labels;
    if (!labels && !orr__shape_equal(&x->shape, &target->shape)) {
        *bad = orr__poison(at, ORR_ESHAPE, "logits of shape %s need probabilities of the same shape, not %s",
                           orr__str(x->shape).s, orr__str(target->shape).s);
        return false;
    }
    return true;
}

/* Checks the operands. soft NULL: only labels are accepted. */
static bool begin(task *t, orr__site at, orr_tensor *logits, orr_tensor *target, const orr_class_options *o, bool *soft,
                  orr_scope **scope, orr_tensor **bad)
{
    orr__node *x, *y;
    *t = (task){ .at = at, .o = o ? *o : plain };
    if (!orr__operand_float(at, logits, "logits", &x, bad) || !orr__operand(at, target, "target", &y, bad) ||
        !orr__reduction_fits(at, t->o.reduction, bad))
        return false;
    if (x->shape.rank < 1) {
        *bad = orr__poison(at, ORR_ESHAPE, "logits of shape %s have no axis of classes", orr__str(x->shape).s);
        return false;
    }
    if (!(t->o.label_smoothing >= 0.0 && t->o.label_smoothing <= 1.0)) {
        *bad = orr__poison(at, ORR_EINVAL, "label_smoothing must be in [0, 1], not %g", t->o.label_smoothing);
        return false;
    }
    if (!target_fits(t, x, y, soft, bad))
        return false;
    if (soft && *soft && t->o.ignores) {
        *bad = orr__poison(at, ORR_EINVAL, "targets that are probabilities have no label %lld to ignore",
                           (long long)t->o.ignored);
        return false;
    }
    t->dtype = (orr_dtype)x->dtype;
    t->classes = x->shape.dim[x->shape.rank - 1];
    *scope = orr_scope_begin();
    if (!weight_fits(t, bad)) {
        *bad = orr__compose_end(at, *scope, *bad);
        return false;
    }
    t->logp = orr_cast_at(AT, logits, orr__wide(t->dtype));
    t->label = target;
    return true;
}

static orr_tensor *finish(const task *t, orr_scope *scope, orr_tensor *r)
{
    orr__site at = t->at;
    return orr__compose_end(at, scope, orr_cast_at(AT, r, t->dtype));
}

/* A sum over the classes, of a mask or of weights. */
static orr_tensor *over_classes(orr__site at, orr_tensor *x)
{
    return orr_sum_at(AT, x, ORR_AXES(-1), false);
}

/* The loss of each example from its label. The label's entry is selected by comparison with the class number, which
 * fuses into the sum, as its gradient does. As u64 a negative label is out of range; a label that is no class gives NaN. */
static orr_tensor *from_labels(const task *t, double smoothing)
{
    orr__site at = t->at;
    orr_tensor *label = orr__label(at, t->label, t->classes, t->o.ignores ? &t->o.ignored : NULL), *zero = SCALAR(0);
    orr_tensor *class = orr__handle_new(
        orr__rec_iota(at, ORR_U64, &ORR_SHAPE(t->classes), 0, (orr__scalar){ .u = 0 }, (orr__scalar){ .u = 1 }));
    orr_tensor *hit = orr_equal_at(AT, orr_expand_dims_at(AT, label, -1), class);
    orr_tensor *weighted = t->weight ? orr_mul_at(AT, t->logp, t->weight) : t->logp;
    orr_tensor *each = orr_neg_at(AT, over_classes(at, orr_where_at(AT, hit, weighted, zero)));
    if (smoothing > 0.0)
        each = orr_fma_at(AT, each, SCALAR(1.0 - smoothing),
                          orr_mul_at(AT, over_classes(at, weighted), SCALAR(-smoothing / (double)t->classes)));
    orr_tensor *end =
        orr__handle_new(orr__rec_const(at, ORR_U64, &ORR_SHAPE_0D, (orr__scalar){ .u = (uint64_t)t->classes }));
    each = orr_where_at(AT, orr_less_at(AT, label, end), each, SCALAR(NAN));
    if (!t->o.ignores && !(t->weight && t->o.reduction == ORR_REDUCTION_MEAN))
        return orr__loss_reduce(at, each, t->o.reduction);
    orr_tensor *counts = NULL;
    if (t->o.ignores) {
        orr_tensor *none =
            orr__handle_new(orr__rec_const(at, ORR_U64, &ORR_SHAPE_0D, (orr__scalar){ .u = (uint64_t)t->o.ignored }));
        counts = orr_not_equal_at(AT, label, none);
        each = orr_where_at(AT, counts, each, zero);
    }
    if (t->o.reduction != ORR_REDUCTION_MEAN)
        return orr__loss_reduce(at, each, t->o.reduction);
    orr_tensor *share = t->weight ? over_classes(at, orr_where_at(AT, hit, t->weight, zero))
                                  : orr_ones_at(AT, orr__wide(t->dtype), orr_tensor_shape(t->label));
    share = counts ? orr_where_at(AT, counts, share, zero) : share;
    return orr_div_at(AT, orr_sum_at(AT, each, ORR_ALL_AXES, false), orr_sum_at(AT, share, ORR_ALL_AXES, false));
}

static orr_tensor *from_probabilities(const task *t, double smoothing)
{
    orr__site at = t->at;
    orr_tensor *p = orr_cast_at(AT, t->label, orr__wide(t->dtype));
    if (smoothing > 0.0)
        p = orr_fma_at(AT, p, SCALAR(1.0 - smoothing), SCALAR(smoothing / (double)t->classes));
    orr_tensor *term = orr_mul_at(AT, p, t->logp);
    return orr__loss_reduce(at, orr_neg_at(AT, over_classes(at, t->weight ? orr_mul_at(AT, term, t->weight) : term)),
                            t->o.reduction);
}

orr_tensor *orr_nll_loss_at(const char *file, int line, orr_tensor *logp, orr_tensor *labels,
                            const orr_class_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "nll_loss");
    task t;
    orr_scope *scope;
    orr_tensor *bad;
    if (!begin(&t, at, logp, labels, options, NULL, &scope, &bad))
        return bad;
    return finish(&t, scope, from_labels(&t, 0.0));
}

orr_tensor *orr_cross_entropy_with_at(const char *file, int line, orr_tensor *logits, orr_tensor *target,
                                      const orr_class_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "cross_entropy");
    task t;
    bool soft;
    orr_scope *scope;
    orr_tensor *bad;
    if (!begin(&t, at, logits, target, options, &soft, &scope, &bad))
        return bad;
    t.logp = orr_log_softmax_at(AT, t.logp, -1);
    return finish(&t, scope, soft ? from_probabilities(&t, t.o.label_smoothing) : from_labels(&t, t.o.label_smoothing));
}
