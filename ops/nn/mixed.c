/* Mixed precision: the dtype of products, and steps with a scaled loss.
 * Must not know: layers, update rules. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include <orrery/ops.h>
#include <orrery/train.h>
#include "ops/nn/module.h"
#include "ops/nn/optim_rule.h"
#include "runtime/base/buffer.h"

#define AT at.file, at.line

static _Thread_local orr_dtype half = ORR_DTYPE_COUNT; /* of products; ORR_DTYPE_COUNT: that of their operands */

orr_dtype orr__autocast(void)
{
    return half;
}

orr_dtype orr_autocast_at(const char *file, int line, orr_dtype dtype)
{
    orr_dtype before = half == ORR_DTYPE_COUNT ? ORR_F32 : half;
    if (dtype == ORR_F32)
        half = ORR_DTYPE_COUNT;
    else if (dtype == ORR_F16 || dtype == ORR_BF16)
        half = dtype;
    else
        (void)orr__fail(ORR__SITE(file, line, "autocast"), ORR_EDTYPE, "f16, bf16 or f32 is needed, not %s",
                        orr_dtype_name(dtype));
    return before;
}

/* Sets *finite to whether all elements of all n tensors are finite. NULL: no tensor. Evaluates. */
static orr_status all_finite(orr__site at, orr_tensor *const *g, int n, bool *finite)
{
    orr_tensor *all = NULL;
    int m = 0;
    for (int i = 0; i < n; i++) {
        if (!g[i])
            continue;
        orr_tensor *one = orr_all_at(AT, orr_isfinite_at(AT, g[i]), ORR_ALL_AXES, false);
        all = all ? orr_logical_and_at(AT, all, one) : one;
    }
    orr_tensor **t = orr__alloc_n((size_t)n + 1, sizeof *t);
    if (!t)
        return ORR_ENOMEM;
    for (int i = 0; i < n; i++)
        if (g[i])
            t[m++] = g[i];
    t[m++] = all;
    orr_status st = orr_eval_all_at(AT, t, m);
    double yes = 0.0;
    if (st == ORR_OK)
        st = orr_item_at(AT, all, &yes);
    *finite = yes != 0.0;
    free(t);
    return st;
}

/* Adapts the scale after a step; finite false: the step was skipped. */
static void adapt(orr_loss_scale *s, bool finite)
{
    s->good = finite ? s->good + 1 : 0;
    s->skipped += !finite;
    if (!finite)
        s->scale /= 2.0;
    else if (s->good >= s->interval) {
        s->scale *= 2.0;
        s->good = 0;
    }
}

orr_status orr_optim_step_scaled_at(const char *file, int line, orr_optim *o, orr_tensor *loss, orr_loss_scale *scale,
                                    bool *stepped)
{
    orr__site at = ORR__SITE(file, line, "optim_step_scaled");
    orr_status there = orr__object_check(at, &orr__kind_optim, o);
    if (there != ORR_OK)
        return there;
    if (!scale)
        return orr__fail(at, ORR_EINVAL, "the scale is NULL");
    if (stepped)
        *stepped = false;
    if (!(scale->scale >= 0.0) || !isfinite(scale->scale) || scale->interval < 0)
        return orr__fail(at, ORR_EINVAL,
                         "scale %g and interval %d: both are finite and above 0, or 0 for the usual ones", scale->scale,
                         scale->interval);
    scale->scale = scale->scale > 0.0 ? scale->scale : 65536.0;
    scale->interval = scale->interval > 0 ? scale->interval : 2000;
    orr_tensor **x = orr__alloc_n((size_t)o->n * 3, sizeof *x);
    orr_scope *s = x ? orr_scope_begin() : NULL;
    if (!s) {
        free(x);
        return ORR_ENOMEM;
    }
    orr_tensor **g = x + o->n, **unsent = g + o->n;
    bool finite = false;
    orr_status st = orr__optim_grads(at, o, orr_mul_at(AT, loss, orr_scalar_at(AT, scale->scale)), x, g);
    for (int i = 0; st == ORR_OK && i < o->n; i++)
        g[i] = orr_mul_at(AT, orr_cast_at(AT, g[i], o->slot[i].work), orr_scalar_at(AT, 1.0 / scale->scale));
    if (st == ORR_OK)
        st = orr__optim_reduce(at, o, g, unsent);
    if (st == ORR_OK)
        st = all_finite(at, g, 2 * o->n, &finite);
    if (st == ORR_OK && finite)
        st = orr__optim_finish(at, o, g, unsent);
    if (st == ORR_OK) {
        adapt(scale, finite);
        if (stepped)
            *stepped = finite;
    }
    (void)orr_scope_end(s);
    free(x);
    return st;
}
