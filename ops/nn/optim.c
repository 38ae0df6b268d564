/* Optimisers: state, steps, the learning rate.
 * Must not know: the update rules. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include <orrery/ops.h>
#include "ops/back.h"
#include "ops/nn/data_parallel.h"
#include "ops/nn/module.h"
#include "ops/nn/optim_rule.h"
#include "runtime/base/buffer.h"
#include "runtime/base/dtype.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/shape.h"

const orr__object_kind orr__kind_optim = { "optimiser", sizeof(orr_optim) };

/* -- making one ------------------------------------------------------------------------------------------ */

static bool at_least(double x, double lo)
{
    return isfinite(x) && x >= lo;
}

/* The options of `kind` with the defaults in place of zeros for which the header says so. */
static orr_optim_options settled(const orr__rule *rule, const orr_optim_options *options)
{
    const orr_optim_options *d = &rule->defaults;
    if (!options)
        return *d;
    orr_optim_options o = *options;
    o.beta1 = fpclassify(o.beta1) == FP_ZERO ? d->beta1 : o.beta1;
    o.beta2 = fpclassify(o.beta2) == FP_ZERO ? d->beta2 : o.beta2;
    o.alpha = fpclassify(o.alpha) == FP_ZERO ? d->alpha : o.alpha;
    o.eps = fpclassify(o.eps) == FP_ZERO ? d->eps : o.eps;
    return o;
}

static orr_status check_options(orr__site at, orr_optim_kind kind, const orr_optim_options *o)
{
    bool adam = kind == ORR_OPTIM_ADAM || kind == ORR_OPTIM_ADAMW || kind == ORR_OPTIM_LAMB,
         sgd = kind == ORR_OPTIM_SGD;
    if (!at_least(o->lr, 0.0))
        return orr__fail(at, ORR_EINVAL, "lr must be finite and ≥ 0, not %g", o->lr);
    if (!at_least(o->weight_decay, 0.0) || !at_least(o->clip_norm, 0.0))
        return orr__fail(at, ORR_EINVAL, "weight_decay %g and clip_norm %g must be finite and ≥ 0", o->weight_decay,
                         o->clip_norm);
    if (adam && (!at_least(o->beta1, 0.0) || !at_least(o->beta2, 0.0) || o->beta1 >= 1.0 || o->beta2 >= 1.0))
        return orr__fail(at, ORR_EINVAL, "beta1 %g and beta2 %g must be in [0, 1)", o->beta1, o->beta2);
    if (!sgd && !at_least(o->eps, 0.0))
        return orr__fail(at, ORR_EINVAL, "eps must be finite and ≥ 0, not %g", o->eps);
    if ((sgd || kind == ORR_OPTIM_RMSPROP) && !at_least(o->momentum, 0.0))
        return orr__fail(at, ORR_EINVAL, "momentum must be finite and ≥ 0, not %g", o->momentum);
    if (sgd && (!isfinite(o->dampening) || (o->nesterov && (o->momentum <= 0.0 || o->dampening != 0.0))))
        return orr__fail(at, ORR_EINVAL, "nesterov needs momentum > 0 and dampening 0, not %g and %g", o->momentum,
                         o->dampening);
    if (kind == ORR_OPTIM_RMSPROP && (!at_least(o->alpha, 0.0) || o->alpha > 1.0))
        return orr__fail(at, ORR_EINVAL, "alpha must be in [0, 1], not %g", o->alpha);
    if (kind == ORR_OPTIM_ADAGRAD && (!at_least(o->lr_decay, 0.0) || !at_least(o->initial, 0.0)))
        return orr__fail(at, ORR_EINVAL, "lr_decay %g and initial %g must be finite and ≥ 0", o->lr_decay, o->initial);
    return ORR_OK;
}

static orr_status fill_slot(orr__site at, orr_optim *o, orr__slot *slot, orr_tensor *v, double initial)
{
    orr_status st = orr__nn_check(at, v);
    if (st != ORR_OK)
        return st;
    slot->variable = v;
    slot->dtype = orr_tensor_dtype(v);
    if (!orr__is_float(slot->dtype))
        return orr__fail(at, ORR_EDTYPE, "a variable must be float, not %s", orr_dtype_name(slot->dtype));
    if ((st = orr_assign_at(at.file, at.line, v, v)) != ORR_OK) /* a test that v is a variable; no effect */
        return orr__fail(at, st, "tensor %d is no variable; make it by orr_variable", (int)(slot - o->slot));
    slot->work = orr__compute_dtype(slot->dtype);
    for (int k = 0; k < o->nstate; k++) {
        orr_tensor *zero = orr_full_at(at.file, at.line, slot->work, orr_tensor_shape(v), initial);
        slot->state[k] = orr__nn_variable(at, zero);
        if (!slot->state[k])
            return orr_error_status();
    }
    return ORR_OK;
}

typedef struct {
    uintptr_t variable;
    int number;
} numbered;

static int by_variable(const void *x, const void *y)
{
    const numbered *a = x, *b = y;
    return a->variable != b->variable ? (a->variable < b->variable ? -1 : 1) : a->number - b->number;
}

static orr_status check_distinct(orr__site at, const orr_optim *o)
{
    numbered *v = orr__alloc_n((size_t)o->n, sizeof *v);
    if (!v)
        return ORR_ENOMEM;
    for (int i = 0; i < o->n; i++)
        v[i] = (numbered){ (uintptr_t)o->slot[i].variable, i };
    qsort(v, (size_t)o->n, sizeof *v, by_variable);
    orr_status st = ORR_OK;
    for (int i = 1; i < o->n && st == ORR_OK; i++)
        if (v[i].variable == v[i - 1].variable)
            st = orr__fail(at, ORR_EINVAL, "variables %d and %d are the same", v[i - 1].number, v[i].number);
    free(v);
    return st;
}

orr_optim *orr_optim_new_at(const char *file, int line, orr_optim_kind kind, orr_tensor *const *v, int n,
                            const orr_optim_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "optim_new");
    const orr__rule *rule = orr__optim_rule(kind);
    orr_status st = !rule         ? orr__fail(at, ORR_EINVAL, "no optimiser has number %d", (int)kind)
                    : !v || n < 1 ? orr__fail(at, ORR_EINVAL, "there are no variables")
                                  : ORR_OK;
    if (st != ORR_OK)
        return NULL;
    orr_optim_options all = settled(rule, options);
    if (check_options(at, kind, &all) != ORR_OK)
        return NULL;
    if (all.lr <= 0.0) {
        (void)orr__fail(
            at, ORR_EINVAL,
            "lr is 0, with which no variable would change: give a learning rate (orr_optim_defaults has the "
            "usual one, orr_optim_set_lr makes it 0 later)");
        return NULL;
    }
    orr_optim *o = orr__object_new(&orr__kind_optim);
    orr_scope *s = NULL;
    if (o) {
        o->kind = kind;
        o->rule = rule;
        o->options = all;
        o->nstate = rule->slots(&o->options, o->name);
        o->n = n;
        o->slot = orr__alloc_n((size_t)n, sizeof *o->slot);
        s = o->slot ? orr_scope_begin() : NULL;
    }
    st = s ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; st == ORR_OK && i < n; i++)
        st = fill_slot(at, o, &o->slot[i], v[i], kind == ORR_OPTIM_ADAGRAD ? o->options.initial : 0.0);
    if (s)
        (void)orr_scope_end(s);
    if (st == ORR_OK)
        st = check_distinct(at, o);
    if (st == ORR_OK)
        return o;
    orr_optim_free(o);
    return NULL;
}

orr_optim *orr_optim_of_module_at(const char *file, int line, orr_optim_kind kind, const orr_module *m,
                                  const orr_optim_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    if (orr__module_check(ORR__SITE(file, line, "optim_of_module"), m) != ORR_OK)
        return NULL;
    int n = orr_module_parameters(m, NULL, 0);
    orr_parameter *p = orr__alloc_n((size_t)n + 1, sizeof *p);
    orr_tensor **v = orr__alloc_n((size_t)n + 1, sizeof *v);
    orr_optim *o = NULL;
    if (p && v) {
        (void)orr_module_parameters(m, p, n);
        for (int i = 0; i < n; i++)
            v[i] = p[i].variable;
        o = orr_optim_new_at(file, line, kind, v, n, options);
    }
    free(v);
    free(p);
    return o;
}

void orr_optim_free(orr_optim *o)
{
    if (!orr__object_there("optim_free", &orr__kind_optim, o))
        return;
    for (int i = 0; o->slot && i < o->n; i++)
        for (int k = 0; k < o->nstate; k++)
            orr__nn_drop(o->slot[i].state[k]);
    for (int i = 0; o->slot && i < o->n; i++) {
        orr__nn_drop(o->slot[i].sum);
        orr__nn_drop(o->slot[i].unsent);
    }
    orr_grid_free(o->grid);
    free(o->slot);
    orr__object_end(&orr__kind_optim, o);
}

/* -- a step ---------------------------------------------------------------------------------------------- */

static orr_tensor *in_dtype(orr__site at, orr_tensor *t, orr_dtype from, orr_dtype to)
{
    return from == to ? t : orr_cast_at(at.file, at.line, t, to);
}

static orr_status check_grad(orr__site at, const orr__slot *slot, orr_tensor *g, int i)
{
    orr_status st = orr__nn_check(at, g);
    if (st == ORR_OK)
        st = orr__nn_check(at, slot->variable);
    if (st != ORR_OK)
        return st;
    orr_shape have = orr_tensor_shape(g), want = orr_tensor_shape(slot->variable);
    if (!orr__shape_equal(&have, &want))
        return orr__fail(at, ORR_ESHAPE, "gradient %d has shape %s, its variable %s", i, orr__str(have).s,
                         orr__str(want).s);
    if (!orr__is_float(orr_tensor_dtype(g)))
        return orr__fail(at, ORR_EDTYPE, "gradient %d must be float, not %s", i, orr_dtype_name(orr_tensor_dtype(g)));
    return ORR_OK;
}

/* new[0]: the next value of the variable, new[1 …]: those of its state. */
static orr_status record(orr__site at, const orr_optim *o, const orr__rates *r, const orr__slot *slot, orr_tensor *g,
                         orr_tensor **new)
{
    for (int k = 0; k < o->nstate; k++)
        new[1 + k] = slot->state[k];
    orr_tensor *p = orr__optim_part(at, o, in_dtype(at, slot->variable, slot->dtype, slot->work));
    g = orr__optim_part(at, o, in_dtype(at, g, orr_tensor_dtype(g), slot->work));
    new[0] = in_dtype(at, o->rule->update(at, &o->options, r, p, g, new + 1), slot->work, slot->dtype);
    new[0] = orr__optim_whole(at, o, new[0]);
    for (int k = 0; k <= o->nstate; k++) {
        orr_status st = orr__nn_check(at, new[k]);
        if (st != ORR_OK)
            return st;
    }
    return ORR_OK;
}

/* Appends the next errors of the ranks and their variables. Returns their number. */
static int with_unsent(const orr_optim *o, orr_tensor *const *unsent, orr_tensor **v, orr_tensor **new)
{
    int n = 0;
    for (int i = 0; unsent && i < o->n; i++)
        if (unsent[i]) {
            v[n] = o->slot[i].unsent;
            new[n++] = unsent[i];
        }
    return n;
}

/* Called inside a scope. All values are recorded and checked before any variable is assigned; then all are. `new` has
 * capacity for all values and their variables. unsent: of orr__optim_compress; NULL: none. */
static orr_status step(orr__site at, orr_optim *o, orr_tensor *const *grads, orr_tensor *const *unsent,
                       orr_tensor **new)
{
    ORR__IN_DEFAULT_FPMODE;
    int width = 1 + o->nstate, all = o->n * width;
    orr_tensor **v = &new[(ptrdiff_t)o->n * (width + 1)];
    orr__rates r = { 0 };
    o->rule->rates(at, &o->options, (double)(o->t + 1), &r);
    for (int i = 0; i < o->n; i++) {
        orr_status st = check_grad(at, &o->slot[i], grads[i], i);
        if (st == ORR_OK)
            st = record(at, o, &r, &o->slot[i], grads[i], &new[(ptrdiff_t)i * width]);
        if (st != ORR_OK)
            return st;
    }
    for (int i = 0; i < o->n; i++)
        for (int k = 0; k < width; k++)
            v[(ptrdiff_t)i * width + k] = k == 0 ? o->slot[i].variable : o->slot[i].state[k - 1];
    all += with_unsent(o, unsent, &v[all], &new[all]);
    orr_status st = orr_assign_all_at(at.file, at.line, v, new, all);
    o->t += st == ORR_OK;
    return st;
}

static orr_status apply(orr__site at, orr_optim *o, orr_tensor *const *grads, orr_tensor *const *unsent)
{
    orr_tensor **new = orr__alloc_n(2 * (size_t)o->n * (size_t)(2 + o->nstate), sizeof(orr_tensor *));
    orr_scope *s = new ? orr_scope_begin() : NULL;
    orr_status st = s ? step(at, o, grads, unsent, new) : ORR_ENOMEM;
    if (s)
        (void)orr_scope_end(s);
    free(new);
    return st;
}

orr_status orr__optim_finish(orr__site at, orr_optim *o, orr_tensor **g, orr_tensor *const *unsent)
{
    orr_status st = ORR_OK;
    if (o->options.clip_norm > 0.0)
        st = orr__nn_check(at, orr_clip_grad_norm_at(at.file, at.line, g, o->n, o->options.clip_norm));
    return st == ORR_OK ? apply(at, o, g, unsent) : st;
}

orr_status orr__optim_reduce(orr__site at, const orr_optim *o, orr_tensor **g, orr_tensor **unsent)
{
    orr_status st = ORR_OK;
    for (int i = 0; st == ORR_OK && o->compress && i < o->n; i++)
        st = check_grad(at, &o->slot[i], g[i], i);
    return st == ORR_OK ? orr__optim_compress(at, o, g, unsent) : st;
}

orr_status orr_optim_apply_at(const char *file, int line, orr_optim *o, orr_tensor *const *grads, int n)
{
    orr__site at = ORR__SITE(file, line, "optim_apply");
    orr_status there = orr__object_check(at, &orr__kind_optim, o);
    if (there != ORR_OK)
        return there;
    if (!grads)
        return orr__fail(at, ORR_EINVAL, "the gradients are NULL");
    if (n != o->n)
        return orr__fail(at, ORR_EINVAL, "%d gradients for an optimiser of %d variables", n, o->n);
    orr_tensor **g = orr__alloc_n(2 * (size_t)o->n, sizeof *g), **unsent = g ? g + o->n : NULL;
    orr_scope *s = g ? orr_scope_begin() : NULL;
    for (int i = 0; s && i < o->n; i++)
        g[i] = grads[i];
    orr_status st = s ? orr__optim_reduce(at, o, g, unsent) : ORR_ENOMEM;
    if (st == ORR_OK)
        st = apply(at, o, g, unsent);
    if (s)
        (void)orr_scope_end(s);
    free(g);
    return st;
}

orr_status orr__optim_grads(orr__site at, const orr_optim *o, orr_tensor *loss, orr_tensor **x, orr_tensor **g)
{
    int reached = 0;
    for (int i = 0; i < o->n; i++)
        x[i] = o->slot[i].variable;
    orr_status st = orr__grad(at, loss, x, o->n, g, &reached);
    if (st != ORR_OK || reached)
        return st;
    const orr__node *first = orr__handle_node(x[0]);
    return orr__fail(at, ORR_EGRAPH,
                     "the loss depends on none of the optimiser's %d variable%s (the first is %s %s, %s:%d): it was "
                     "computed from other tensors, or from these through orr_detach, orr_item or an integer",
                     o->n, o->n == 1 ? "" : "s", orr_dtype_name(orr_tensor_dtype(x[0])),
                     orr__str(orr_tensor_shape(x[0])).s, first && first->file ? first->file : "?",
                     first ? first->line : 0);
}

orr_status orr_optim_step_at(const char *file, int line, orr_optim *o, orr_tensor *loss)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "optim_step");
    orr_status there = orr__object_check(at, &orr__kind_optim, o);
    if (there != ORR_OK)
        return there;
    if (!loss)
        return orr__fail(at, ORR_EINVAL, "the loss is NULL");
    orr_tensor **x = orr__alloc_n((size_t)o->n * 3, sizeof *x);
    orr_scope *s = x ? orr_scope_begin() : NULL;
    if (!s) {
        free(x);
        return ORR_ENOMEM;
    }
    orr_tensor **g = x + o->n, **unsent = g + o->n;
    orr_status st = orr__optim_grads(at, o, loss, x, g);
    if (st == ORR_OK)
        st = orr__optim_reduce(at, o, g, unsent);
    if (st == ORR_OK)
        st = orr__optim_finish(at, o, g, unsent);
    (void)orr_scope_end(s);
    free(x);
    return st;
}

/* -- a step of several batches --------------------------------------------------------------------------- */

/* Adds g to the sum of slot i's gradients, a variable in the dtype of the arithmetic. */
static orr_status add_to_sum(orr__site at, const orr_optim *o, int i, orr_tensor *g, orr_tensor **next)
{
    orr__slot *slot = &o->slot[i];
    orr_status st = check_grad(at, slot, g, i);
    if (st != ORR_OK)
        return st;
    g = in_dtype(at, g, orr_tensor_dtype(g), slot->work);
    if (!slot->sum) {
        slot->sum = orr__nn_variable(at, orr_zeros_at(at.file, at.line, slot->work, orr_tensor_shape(slot->variable)));
        if (!slot->sum)
            return orr_error_status();
    }
    *next = o->waiting ? orr_add_at(at.file, at.line, slot->sum, g) : g;
    return orr__nn_check(at, *next);
}

orr_status orr_optim_accumulate_at(const char *file, int line, orr_optim *o, orr_tensor *loss)
{
    orr__site at = ORR__SITE(file, line, "optim_accumulate");
    orr_status there = orr__object_check(at, &orr__kind_optim, o);
    if (there != ORR_OK)
        return there;
    if (!loss)
        return orr__fail(at, ORR_EINVAL, "the loss is NULL");
    orr_tensor **x = orr__alloc_n((size_t)o->n * 6, sizeof *x);
    orr_scope *s = x ? orr_scope_begin() : NULL;
    if (!s) {
        free(x);
        return ORR_ENOMEM;
    }
    orr_tensor **next = x + 2 * o->n, **g = next + 2 * o->n, **unsent = g + o->n;
    orr_status st = orr__optim_grads(at, o, loss, x, g);
    if (st == ORR_OK)
        st = orr__optim_reduce(at, o, g, unsent);
    for (int i = 0; st == ORR_OK && i < o->n; i++) {
        st = add_to_sum(at, o, i, g[i], &next[i]);
        x[i] = o->slot[i].sum;
    }
    if (st == ORR_OK)
        st = orr_assign_all_at(file, line, x, next, o->n + with_unsent(o, unsent, &x[o->n], &next[o->n]));
    o->waiting = o->waiting || st == ORR_OK;
    (void)orr_scope_end(s);
    free(x);
    return st;
}

orr_status orr_optim_step_accumulated_at(const char *file, int line, orr_optim *o)
{
    orr__site at = ORR__SITE(file, line, "optim_step_accumulated");
    orr_status there = orr__object_check(at, &orr__kind_optim, o);
    if (there != ORR_OK)
        return there;
    if (!o->waiting)
        return orr__fail(at, ORR_ESTATE, "no gradients wait: call orr_optim_accumulate before");
    orr_tensor **g = orr__alloc_n((size_t)o->n, sizeof *g);
    orr_scope *s = g ? orr_scope_begin() : NULL;
    orr_status st = s ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; st == ORR_OK && i < o->n; i++)
        g[i] = o->slot[i].sum;
    if (st == ORR_OK)
        st = orr__optim_finish(at, o, g, NULL);
    o->waiting = o->waiting && st != ORR_OK;
    if (s)
        (void)orr_scope_end(s);
    free(g);
    return st;
}

/* -- settings and state ---------------------------------------------------------------------------------- */

orr_status orr_optim_set_lr_at(const char *file, int line, orr_optim *o, double lr)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "optim_set_lr");
    orr_status there = orr__object_check(at, &orr__kind_optim, o);
    if (there != ORR_OK)
        return there;
    if (!at_least(lr, 0.0))
        return orr__fail(at, ORR_EINVAL, "lr must be finite and ≥ 0, not %g", lr);
    o->options.lr = lr;
    return ORR_OK;
}

double orr_optim_lr(const orr_optim *o)
{
    return orr__object_there("optim_lr", &orr__kind_optim, o) ? o->options.lr : 0.0;
}

int64_t orr_optim_steps(const orr_optim *o)
{
    return orr__object_there("optim_steps", &orr__kind_optim, o) ? o->t : 0;
}

int orr_optim_state(const orr_optim *o, orr_parameter *out, int max)
{
    int n = 0;
    if (!orr__object_there("optim_state", &orr__kind_optim, o))
        return 0;
    for (int i = 0; i < o->n; i++)
        for (int k = 0; k <= o->nstate; k++) {
            orr_tensor *v = k < o->nstate ? o->slot[i].state[k] : o->slot[i].unsent;
            if (v && out && n < max) {
                (void)snprintf(out[n].name, sizeof out[n].name, "%d.%s", i, k < o->nstate ? o->name[k] : "unsent");
                out[n].variable = v;
            }
            n += v != NULL;
        }
    return n;
}
