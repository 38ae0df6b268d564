/* Losses on pairs of tensors and on classes, and their reductions.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <orrery/loss.h>
#include "ops/nn/loss.h"
#include "ops/record.h"
#include "runtime/base/fpmode.h"

#define AT at.file, at.line
#define SCALAR(v) orr_scalar_at(AT, (v))

bool orr__reduction_fits(orr__site at, orr_reduction how, orr_tensor **bad)
{
    if ((unsigned)how <= ORR_REDUCTION_BATCH_MEAN)
        return true;
    *bad = orr__poison(at, ORR_EINVAL, "no reduction has number %d", (int)how);
    return false;
}

orr_tensor *orr__loss_reduce(orr__site at, orr_tensor *each, orr_reduction how)
{
    orr_shape s = orr_tensor_shape(each);
    if (how == ORR_REDUCTION_NONE)
        return each;
    if (how == ORR_REDUCTION_MEAN)
        return orr_mean_at(AT, each, ORR_ALL_AXES, false);
    orr_tensor *sum = orr_sum_at(AT, each, ORR_ALL_AXES, false);
    return how == ORR_REDUCTION_SUM ? sum : orr_div_at(AT, sum, SCALAR(s.rank > 0 ? (double)s.dim[0] : 1.0));
}

/* -- pairs ------------------------------------------------------------------------------------------------- */

/* Two operands of one shape, in the dtype of the computation, inside a scope that `end` closes. */
typedef struct {
    orr__site at;
    orr_scope *scope;
    orr_tensor *x, *y;
    orr_dtype dtype; /* the result's */
    orr_reduction how;
} pair;

static bool begin(pair *p, orr__site at, orr_tensor *x, orr_tensor *y, orr_reduction how, orr_tensor **bad)
{
    orr__node *in[2];
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, y }, (const char *const[]){ "x", "y" }, in, bad) ||
        !orr__reduction_fits(at, how, bad))
        return false;
    if (!in[0]->weak && !in[1]->weak && !orr__shape_equal(&in[0]->shape, &in[1]->shape)) {
        *bad = orr__poison(at, ORR_ESHAPE, "shapes differ: %s and %s; broadcast one of them by orr_broadcast_to",
                           orr__str(in[0]->shape).s, orr__str(in[1]->shape).s);
        return false;
    }
    *p = (pair){ .at = at, .how = how };
    if (!orr__promote_nodes(at, 2, in, &p->dtype)) {
        *bad = orr__handle_new(NULL);
        return false;
    }
    if (!orr__is_float(p->dtype)) {
        *bad = orr__poison(at, ORR_EDTYPE, "operands are %s, and a float dtype is needed: write orr_cast(x, ORR_F32)",
                           orr_dtype_name(p->dtype));
        return false;
    }
    p->scope = orr_scope_begin();
    p->x = orr_cast_at(AT, x, orr__wide(p->dtype));
    p->y = orr_cast_at(AT, y, orr__wide(p->dtype));
    return true;
}

static orr_tensor *end(const pair *p, orr_tensor *each)
{
    orr__site at = p->at;
    return orr__compose_end(at, p->scope, orr_cast_at(AT, orr__loss_reduce(at, each, p->how), p->dtype));
}

orr_tensor *orr_mse_loss_at(const char *file, int line, orr_tensor *x, orr_tensor *y, orr_reduction reduction)
{
    orr__site at = ORR__SITE(file, line, "mse_loss");
    pair p;
    orr_tensor *bad;
    if (!begin(&p, at, x, y, reduction, &bad))
        return bad;
    return end(&p, orr_square_at(AT, orr_sub_at(AT, p.x, p.y)));
}

orr_tensor *orr_l1_loss_at(const char *file, int line, orr_tensor *x, orr_tensor *y, orr_reduction reduction)
{
    orr__site at = ORR__SITE(file, line, "l1_loss");
    pair p;
    orr_tensor *bad;
    if (!begin(&p, at, x, y, reduction, &bad))
        return bad;
    return end(&p, orr_abs_at(AT, orr_sub_at(AT, p.x, p.y)));
}

orr_tensor *orr_huber_loss_at(const char *file, int line, orr_tensor *x, orr_tensor *y, double delta,
                              orr_reduction reduction)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "huber_loss");
    pair p;
    orr_tensor *bad;
    if (!(delta > 0.0) || !isfinite(delta))
        return orr__poison(at, ORR_EINVAL, "delta must be finite and > 0, not %g", delta);
    if (!begin(&p, at, x, y, reduction, &bad))
        return bad;
    orr_tensor *d = orr_abs_at(AT, orr_sub_at(AT, p.x, p.y));
    orr_tensor *near = orr_mul_at(AT, orr_square_at(AT, d), SCALAR(0.5));
    orr_tensor *far = orr_mul_at(AT, orr_sub_at(AT, d, SCALAR(0.5 * delta)), SCALAR(delta));
    return end(&p, orr_where_at(AT, orr_less_equal_at(AT, d, SCALAR(delta)), near, far));
}

orr_tensor *orr_kl_loss_at(const char *file, int line, orr_tensor *logq, orr_tensor *target, bool logarithm,
                           orr_reduction reduction)
{
    orr__site at = ORR__SITE(file, line, "kl_loss");
    pair p;
    orr_tensor *bad;
    if (!begin(&p, at, logq, target, reduction, &bad))
        return bad;
    /* Where t = 0 the logarithm is that of 1, so that neither value nor derivative is 0·inf. NaN stays. */
    orr_tensor *some = orr_not_equal_at(AT, p.y, SCALAR(logarithm ? -(double)INFINITY : 0.0));
    orr_tensor *t = orr_where_at(AT, some, p.y, SCALAR(logarithm ? 0.0 : 1.0));
    orr_tensor *logt = logarithm ? t : orr_log_at(AT, t);
    orr_tensor *term = orr_mul_at(AT, logarithm ? orr_exp_at(AT, t) : t, orr_sub_at(AT, logt, p.x));
    orr_tensor *none = orr_where_at(AT, orr_isnan_at(AT, p.x), p.x, SCALAR(0));
    return end(&p, orr_where_at(AT, some, term, none));
}

static orr_tensor *no_margin(orr__site at)
{
    return orr__poison(at, ORR_EINVAL, "the margin is NaN");
}

orr_tensor *orr_hinge_loss_at(const char *file, int line, orr_tensor *x, orr_tensor *y, double margin,
                              orr_reduction reduction)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "hinge_loss");
    pair p;
    orr_tensor *bad;
    if (isnan(margin))
        return no_margin(at);
    if (!begin(&p, at, x, y, reduction, &bad))
        return bad;
    return end(&p, orr_relu_at(AT, orr_sub_at(AT, SCALAR(margin), orr_mul_at(AT, p.x, p.y))));
}

orr_tensor *orr_hinge_embedding_loss_at(const char *file, int line, orr_tensor *x, orr_tensor *y, double margin,
                                        orr_reduction reduction)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "hinge_embedding_loss");
    pair p;
    orr_tensor *bad;
    if (isnan(margin))
        return no_margin(at);
    if (!begin(&p, at, x, y, reduction, &bad))
        return bad;
    orr_tensor *apart = orr_relu_at(AT, orr_sub_at(AT, SCALAR(margin), p.x));
    return end(&p, orr_where_at(AT, orr_greater_at(AT, p.y, SCALAR(0)), p.x, apart));
}

/* t as a tensor of dtype that broadcasts to `shape`; 1 if t is NULL. NULL: return *bad. */
static orr_tensor *factor(orr__site at, orr_tensor *t, const char *name, orr_dtype dtype, const orr_shape *shape,
                          orr_tensor **bad)
{
    orr__node *n;
    if (!t)
        return SCALAR(1);
    if (!orr__operand_float(at, t, name, &n, bad))
        return NULL;
    for (int d = 1; d <= n->shape.rank; d++) {
        int64_t have = n->shape.dim[n->shape.rank - d];
        if (d > shape->rank || (have != 1 && have != shape->dim[shape->rank - d])) {
            *bad = orr__poison(at, ORR_ESHAPE, "%s of shape %s does not broadcast to x of shape %s", name,
                               orr__str(n->shape).s, orr__str(*shape).s);
            return NULL;
        }
    }
    return orr_cast_at(AT, t, dtype);
}

orr_tensor *orr_binary_cross_entropy_with_logits_at(const char *file, int line, orr_tensor *x, orr_tensor *y,
                                                    orr_tensor *weight, orr_tensor *positive, orr_reduction reduction)
{
    orr__site at = ORR__SITE(file, line, "binary_cross_entropy_with_logits");
    pair p;
    orr_tensor *bad;
    if (!begin(&p, at, x, y, reduction, &bad))
        return bad;
    orr_shape shape = orr_tensor_shape(p.x);
    orr_dtype wide = orr__wide(p.dtype);
    orr_tensor *pw = factor(at, positive, "positive", wide, &shape, &bad);
    orr_tensor *w = pw ? factor(at, weight, "weight", wide, &shape, &bad) : NULL;
    if (!w)
        return orr__compose_end(at, p.scope, bad);
    orr_tensor *soft = orr_softplus_at(AT, orr_neg_at(AT, p.x));
    if (positive)
        soft = orr_mul_at(AT, soft, orr_add_at(AT, orr_mul_at(AT, orr_sub_at(AT, pw, SCALAR(1)), p.y), SCALAR(1)));
    orr_tensor *each = orr_fma_at(AT, orr_sub_at(AT, SCALAR(1), p.y), p.x, soft);
    return end(&p, weight ? orr_mul_at(AT, each, w) : each);
}

/* -- angles ------------------------------------------------------------------------------------------------ */

/* x / max(‖x‖, eps), or with `adds` x / √(‖x‖² + eps²). Elements are divided by the greatest one first, since the squares of
 * large ones overflow and those of small ones vanish; the result does not depend on it, so its derivative does not count. */
static orr_tensor *direction(orr__site at, orr_tensor *x, int axis, double eps, bool adds)
{
    orr_shape s = orr_tensor_shape(x);
    int k = orr__axis(axis, s.rank);
    if (k < 0 || s.dim[k] == 0)
        return x;
    orr_tensor *most = orr_max_at(AT, orr_abs_at(AT, orr_detach_at(AT, x)), ORR_AXES(axis), true);
    most = orr_where_at(AT, orr_equal_at(AT, most, SCALAR(0)), SCALAR(1), most);
    x = orr_div_at(AT, x, most);
    orr_tensor *norm = orr_norm_at(AT, x, ORR_AXES(axis), true), *least = orr_div_at(AT, SCALAR(eps), most);
    return orr_div_at(AT, x, adds ? orr_hypot_at(AT, norm, least) : orr_maximum_at(AT, norm, least));
}

orr_tensor *orr_cosine_similarity_at(const char *file, int line, orr_tensor *x, orr_tensor *y, int axis, double eps)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "cosine_similarity");
    orr__node *in[2];
    orr_tensor *bad;
    if (!orr__operand_float(at, x, "x", &in[0], &bad) || !orr__operand_float(at, y, "y", &in[1], &bad))
        return bad;
    if (!(eps >= 0.0))
        return orr__poison(at, ORR_EINVAL, "eps must be ≥ 0, not %g", eps);
    orr_shape both;
    for (int i = 0; i < 2; i++)
        if (orr__axis(axis, in[i]->shape.rank) < 0)
            return orr__axis_poison(at, axis, &in[i]->shape);
    if (!orr__shape_broadcast(&in[0]->shape, &in[1]->shape, &both))
        return orr__poison(at, ORR_ESHAPE, "x %s and y %s do not broadcast", orr__str(in[0]->shape).s,
                           orr__str(in[1]->shape).s);
    orr_dtype dtype;
    if (!orr__promote_nodes(at, 2, in, &dtype))
        return orr__handle_new(NULL);
    orr_dtype wide = orr__wide(dtype);
    orr_scope *scope = orr__compose_begin(at);
    x = orr_cast_at(AT, x, wide);
    y = orr_cast_at(AT, y, wide);
    x = direction(at, x, axis, eps, false);
    y = direction(at, y, axis, eps, false);
    orr_tensor *r = orr_sum_at(AT, orr_mul_at(AT, x, y), ORR_AXES(axis), false);
    return orr__compose_end(at, scope, orr_cast_at(AT, r, dtype));
}

orr_tensor *orr_cosine_loss_at(const char *file, int line, orr_tensor *a, orr_tensor *b, orr_tensor *y, double margin,
                               orr_reduction reduction)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "cosine_loss");
    pair p;
    orr__node *sign;
    orr_tensor *bad;
    if (isnan(margin))
        return no_margin(at);
    if (!orr__operand(at, y, "y", &sign, &bad) || !begin(&p, at, a, b, reduction, &bad))
        return bad;
    orr_shape of = orr_tensor_shape(p.x), batch = of;
    batch.rank--;
    if (of.rank < 1 || !orr__shape_equal(&batch, &sign->shape))
        return orr__compose_end(at, p.scope,
                                orr__poison(at, ORR_ESHAPE, "a and b of shape %s need y without the last axis: %s",
                                            orr__str(of).s, orr__str(sign->shape).s));
    orr_tensor *c = orr_mul_at(AT, direction(at, p.x, -1, 1e-6, true), direction(at, p.y, -1, 1e-6, true));
    c = orr_sum_at(AT, c, ORR_AXES(-1), false);
    orr_tensor *apart = orr_relu_at(AT, orr_sub_at(AT, c, SCALAR(margin)));
    orr_tensor *alike = orr_sub_at(AT, SCALAR(1), c);
    return end(&p, orr_where_at(AT, orr_greater_at(AT, y, SCALAR(0)), alike, apart));
}
