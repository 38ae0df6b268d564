/* Per-example gradients without a copy for each example where layers are dense ("ghost" norms), and with all copies computed at
 * once (vectorized) where a function is given.
 * Must not know: noise, accounting, optimizers.
 *
 * A dense layer z = x·W + b has the per-example gradients xᵢᵀ·gᵢ and gᵢ, g the cotangent of z: their norms follow from those of
 * xᵢ and gᵢ (Goodfellow, "Efficient per-example gradient computations", 2015), and their weighted sum is (c·g)ᵀ times x, the
 * product that a plain step has, too (Bu, Wang, Zha, Karypis, "Differentially private optimization on large model at small
 * cost", 2023). Along a further axis of T positions the norm is Σ (x·xᵀ)∘(g·gᵀ) over T × T (Li, Tramèr, Liang, Hashimoto 2022),
 * or that of the product itself, whichever is smaller. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <orrery.h>
#include "ops/nn/module.h"
#include "ops/privacy/per_example.h"
#include "runtime/base/buffer.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

/* One dense layer as the forward pass went through it. */
typedef struct layer {
    orr_tensor *x, *z, *g; /* input, value before the activation, its cotangent */
    int param;             /* of the weight; the bias follows where there is one */
    bool bias;
} layer;

typedef struct walk {
    orr__site at;
    layer *layer; /* NULL: they are counted */
    int layers, params;
    orr_status st;
} walk;

/* -- models ------------------------------------------------------------------------------------------------ */

static void count_layers(walk *w, const orr_module *m)
{
    bool dense = orr__module_is_dense(m);
    if (m->nparam > 0 && !dense)
        w->st = orr__fail(w->at, ORR_EINVAL,
                          "a layer of the module is not dense: per-example gradients of it need a function of the "
                          "parameters (orr_dp_sgd_of_function)");
    w->layers += dense;
    w->params += m->nparam;
    for (int i = 0; i < m->npart; i++)
        count_layers(w, m->part[i]);
}

orr_status orr__model_of(orr__site at, orr__model *m, const orr_module *module, orr_dp_loss *loss, void *user)
{
    *m = (orr__model){ .module = module, .loss = loss, .loss_user = user };
    if (!module || !loss)
        return orr__fail(at, ORR_EINVAL, "the %s NULL", module ? "loss is" : "module is");
    walk w = { .at = at };
    count_layers(&w, module);
    if (w.st == ORR_OK && !w.params)
        w.st = orr__fail(at, ORR_EINVAL, "the module has no parameters");
    if (w.st != ORR_OK)
        return w.st;
    orr_parameter *p = orr__alloc_n((size_t)w.params, sizeof *p);
    m->param = orr__alloc_n((size_t)w.params, sizeof(orr_tensor *));
    if (p && m->param) {
        m->n = orr_module_parameters(module, p, w.params);
        for (int i = 0; i < m->n; i++)
            m->param[i] = p[i].variable;
    }
    bool ok = p && m->param;
    free(p);
    return ok ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
}

/* -- clipping ------------------------------------------------------------------------------------------------ */

/* weight · min(1, clip/norm); 0 for an example whose gradient is not finite, so that the damage it would do
 * does not reveal it. */
static orr_tensor *factor_of(orr__site at, orr_tensor *square, double clip, orr_tensor *weight)
{
    orr_tensor *c = orr_scalar_at(AT, clip), *norm = orr_sqrt_at(AT, square);
    orr_tensor *f = orr_div_at(AT, c, orr_maximum_at(AT, norm, c));
    if (weight)
        f = orr_mul_at(AT, f, orr_cast_at(AT, weight, orr_tensor_dtype(f)));
    return orr_where_at(AT, orr_isfinite_at(AT, norm), f, orr_scalar_at(AT, 0.0));
}

/* f·g, f (batch) beside the batch axis of g; zeros where f is 0, even where g is NaN. */
static orr_tensor *scaled(orr__site at, orr_tensor *f, orr_tensor *g)
{
    orr_shape s = orr_tensor_shape(g), one = { .rank = s.rank };
    one.dim[0] = -1;
    for (int i = 1; i < s.rank; i++)
        one.dim[i] = 1;
    f = orr_reshape_at(AT, f, one);
    return orr_where_at(AT, orr_greater_at(AT, f, orr_scalar_at(AT, 0.0)), orr_mul_at(AT, g, f),
                        orr_scalar_at(AT, 0.0));
}

/* Σ g² of each example. */
static orr_tensor *square_norms(orr__site at, orr_tensor *g)
{
    g = orr_reshape_at(AT, g, ORR_SHAPE(orr_tensor_shape(g).dim[0], -1));
    return orr_sum_at(AT, orr_square_at(AT, g), ORR_AXES(-1), false);
}

/* factor[k] of group k's norms; flat: one for all. */
static void clip_groups(orr__site at, orr_tensor *const *square, int groups, orr_dp_clipping clipping, double clip,
                        orr_tensor *weight, orr_tensor **factor, orr_tensor **norm)
{
    orr_tensor *all = square[0];
    for (int k = 1; k < groups; k++)
        all = orr_add_at(AT, all, square[k]);
    *norm = orr_sqrt_at(AT, all);
    bool layers = clipping == ORR_DP_PER_LAYER;
    orr_tensor *one = layers ? NULL : factor_of(at, all, clip, weight);
    for (int k = 0; k < groups; k++)
        factor[k] = layers ? factor_of(at, square[k], clip / sqrt((double)groups), weight) : one;
}

/* -- modules: ghost norms ---------------------------------------------------------------------------------------- */

static orr_tensor *forward(walk *w, const orr_module *m, orr_tensor *x)
{
    orr__site at = w->at;
    for (int i = 0; i < m->npart; i++)
        x = forward(w, m->part[i], x);
    if (m->npart)
        return x;
    if (!orr__module_is_dense(m))
        return orr_forward_at(AT, m, x);
    layer *l = &w->layer[w->layers++];
    l->x = x;
    l->param = w->params;
    l->bias = m->nparam > 1;
    l->z = orr_matmul_at(AT, x, m->param[0]);
    if (l->bias)
        l->z = orr_add_at(AT, l->z, m->param[1]);
    w->params += m->nparam;
    return m->activation == ORR_ACTIVATION_LINEAR ? l->z : orr_activate_at(AT, l->z, m->activation);
}

/* (batch, positions, width), or (batch, width) where there is one position. */
static orr_tensor *by_position(orr__site at, orr_tensor *t)
{
    orr_shape s = orr_tensor_shape(t);
    return s.rank > 3 ? orr_reshape_at(AT, t, ORR_SHAPE(s.dim[0], -1, s.dim[s.rank - 1])) : t;
}

static orr_tensor *layer_square(orr__site at, const layer *l)
{
    orr_tensor *x = by_position(at, l->x), *g = by_position(at, l->g);
    orr_shape sx = orr_tensor_shape(x), sg = orr_tensor_shape(g);
    if (sx.rank == 2) {
        orr_tensor *xx = square_norms(at, x), *gg = square_norms(at, g);
        return orr_mul_at(AT, gg, l->bias ? orr_add_at(AT, xx, orr_scalar_at(AT, 1.0)) : xx);
    }
    orr_tensor *square;
    if (2 * sx.dim[1] * sx.dim[1] <= sx.dim[2] * sg.dim[2]) {
        orr_tensor *xx = orr_matmul_at(AT, x, orr_transpose_at(AT, x)),
                   *gg = orr_matmul_at(AT, g, orr_transpose_at(AT, g));
        square = orr_sum_at(AT, orr_mul_at(AT, xx, gg), ORR_AXES(1, 2), false);
        square = orr_maximum_at(AT, square, orr_scalar_at(AT, 0.0)); /* rounding may leave it below */
    } else {
        square = square_norms(at, orr_matmul_at(AT, orr_transpose_at(AT, x), g));
    }
    return l->bias ? orr_add_at(AT, square, square_norms(at, orr_sum_at(AT, g, ORR_AXES(1), false))) : square;
}

static void layer_sums(orr__site at, const layer *l, orr_tensor *factor, orr_tensor **sum)
{
    orr_tensor *g = scaled(at, factor, l->g);
    int64_t in = orr_tensor_shape(l->x).dim[orr_tensor_shape(l->x).rank - 1];
    orr_shape sg = orr_tensor_shape(g);
    orr_tensor *x = sg.rank > 2 ? orr_reshape_at(AT, l->x, ORR_SHAPE(-1, in)) : l->x;
    if (sg.rank > 2)
        g = orr_reshape_at(AT, g, ORR_SHAPE(-1, sg.dim[sg.rank - 1]));
    sum[l->param] = orr_matmul_at(AT, orr_transpose_at(AT, x), g);
    if (l->bias)
        sum[l->param + 1] = orr_sum_at(AT, g, ORR_AXES(0), false);
}

/* The losses are one for each example; their sum's gradient by a row of z is then that example's own. */
static orr_status check_losses(orr__site at, orr_tensor *losses, int64_t batch)
{
    orr_status st = orr__nn_check(at, losses);
    orr_shape s = orr_tensor_shape(losses);
    if (st == ORR_OK && (s.rank != 1 || s.dim[0] != batch))
        return orr__fail(at, ORR_ESHAPE, "the loss must have one element for each of %lld examples", (long long)batch);
    return st;
}

/* In `t` there is space for 3 tensors a layer. */
static orr_status ghost(orr__site at, const orr__model *m, orr_tensor *x, orr_tensor *target, orr_tensor *weight,
                        orr_dp_clipping clipping, double clip, walk *w, orr_tensor **t, orr__clipped *out)
{
    int64_t batch = orr_tensor_shape(x).dim[0];
    orr_tensor *y = forward(w, m->module, x);
    orr_status st = orr__nn_check(at, y);
    if (st == ORR_OK) {
        out->losses = m->loss(y, target, m->loss_user);
        st = check_losses(at, out->losses, batch);
    }
    int n = w->layers;
    orr_tensor **z = t, **g = t + n, **factor = t + 2 * n;
    for (int i = 0; i < n; i++)
        z[i] = w->layer[i].z;
    if (st == ORR_OK)
        st = orr_grad_at(AT, orr_sum_at(AT, out->losses, ORR_ALL_AXES, false), z, n, g);
    if (st != ORR_OK)
        return st;
    for (int i = 0; i < n; i++) {
        w->layer[i].g = g[i];
        z[i] = layer_square(at, &w->layer[i]);
    }
    clip_groups(at, z, n, clipping, clip, weight, factor, &out->norm);
    for (int i = 0; i < n; i++)
        layer_sums(at, &w->layer[i], factor[i], out->sum);
    return ORR_OK;
}

static orr_status of_module(orr__site at, const orr__model *m, orr_tensor *x, orr_tensor *target, orr_tensor *weight,
                            orr_dp_clipping clipping, double clip, orr__clipped *out)
{
    walk count = { .at = at }, w = { .at = at };
    count_layers(&count, m->module);
    w.layer = orr__alloc_n((size_t)count.layers, sizeof *w.layer);
    orr_tensor **t = orr__alloc_n((size_t)count.layers, 3 * sizeof *t);
    orr_status st =
        w.layer && t ? ghost(at, m, x, target, weight, clipping, clip, &w, t, out) : orr__fail_place(at, ORR_ENOMEM);
    free(t);
    free(w.layer);
    return st;
}

/* -- functions: a gradient for each example, computed at once ----------------------------------------------------- */

static orr_status of_function(orr__site at, const orr__model *m, orr_tensor *x, orr_tensor *target, orr_tensor *weight,
                              orr_dp_clipping clipping, double clip, orr__clipped *out)
{
    int n = m->n;
    int64_t batch = orr_tensor_shape(x).dim[0];
    orr_tensor **copy = orr__alloc_n((size_t)n, 4 * sizeof *copy);
    if (!copy)
        return orr__fail_place(at, ORR_ENOMEM);
    orr_tensor **g = copy + n, **square = copy + 2 * n, **factor = copy + 3 * n;
    for (int i = 0; i < n; i++) {
        orr_shape s = orr_tensor_shape(m->param[i]), all = { .rank = s.rank + 1, .dim = { batch } };
        for (int k = 0; k < s.rank; k++)
            all.dim[k + 1] = s.dim[k];
        copy[i] = orr_broadcast_to_at(AT, m->param[i], all);
    }
    out->losses = m->fn(copy, n, x, target, m->fn_user);
    orr_status st = check_losses(at, out->losses, batch);
    if (st == ORR_OK)
        st = orr_grad_at(AT, orr_sum_at(AT, out->losses, ORR_ALL_AXES, false), copy, n, g);
    for (int i = 0; st == ORR_OK && i < n; i++)
        square[i] = square_norms(at, g[i]);
    if (st == ORR_OK)
        clip_groups(at, square, n, clipping, clip, weight, factor, &out->norm);
    for (int i = 0; st == ORR_OK && i < n; i++)
        out->sum[i] = orr_sum_at(AT, scaled(at, factor[i], g[i]), ORR_AXES(0), false);
    free(copy);
    return st;
}

/* -- both ---------------------------------------------------------------------------------------------------- */

static orr_status check(orr__site at, orr_tensor *x, orr_tensor *target, orr_tensor *weight, orr_dp_clipping clipping,
                        double clip)
{
    orr_status st = orr__nn_check(at, x);
    if (st == ORR_OK && target)
        st = orr__nn_check(at, target);
    if (st == ORR_OK && weight)
        st = orr__nn_check(at, weight);
    if (st != ORR_OK)
        return st;
    if ((int)clipping < ORR_DP_FLAT || clipping > ORR_DP_ADAPTIVE)
        return orr__fail(at, ORR_EINVAL, "no clipping has number %d", (int)clipping);
    if (!(clip > 0.0 && isfinite(clip)))
        return orr__fail(at, ORR_EINVAL, "the clipping norm must be finite and > 0, not %g", clip);
    orr_shape s = orr_tensor_shape(x), sw = orr_tensor_shape(weight);
    if (s.rank < 1 || s.dim[0] < 1)
        return orr__fail(at, ORR_ESHAPE, "x needs a first axis of at least one example");
    if (weight && (sw.rank != 1 || sw.dim[0] != s.dim[0]))
        return orr__fail(at, ORR_ESHAPE, "the weights must have one element for each of %lld examples",
                         (long long)s.dim[0]);
    return ORR_OK;
}

orr_status orr__clipped_grads(orr__site at, const orr__model *m, orr_tensor *x, orr_tensor *target, orr_tensor *weight,
                              orr_dp_clipping clipping, double clip, orr__clipped *out)
{
    orr_status st = check(at, x, target, weight, clipping, clip);
    if (st == ORR_OK)
        st = (m->module ? of_module : of_function)(at, m, x, target, weight, clipping, clip, out);
    for (int i = 0; st == ORR_OK && i < m->n; i++)
        st = orr__nn_check(at, out->sum[i]);
    return st == ORR_OK ? orr__nn_check(at, out->norm) : st;
}

/* The intermediate tensors end with a scope. */
static orr_status return_results(orr__site at, const orr__model *m, orr_tensor *x, orr_tensor *target,
                                 orr_tensor *weight, orr_dp_clipping clipping, double clip, orr_tensor **sums,
                                 orr_tensor **norms)
{
    orr_scope *s = orr_scope_begin();
    orr__clipped out = { .sum = sums };
    orr_status st = s ? orr__clipped_grads(at, m, x, target, weight, clipping, clip, &out) : ORR_ENOMEM;
    for (int i = 0; st == ORR_OK && i < m->n; i++)
        sums[i] = orr_scope_return(s, sums[i]);
    if (st == ORR_OK && norms)
        *norms = orr_scope_return(s, out.norm);
    for (int i = 0; st != ORR_OK && i < m->n; i++)
        sums[i] = NULL;
    if (s)
        (void)orr_scope_end(s);
    return st;
}

orr_status orr_dp_clipped_grads_at(const char *file, int line, const orr_module *m, orr_dp_loss *loss, void *user,
                                   orr_tensor *x, orr_tensor *target, orr_tensor *weight, orr_dp_clipping clipping,
                                   double clip, orr_tensor **sums, orr_tensor **norms)
{
    orr__site at = ORR__SITE(file, line, "dp_clipped_grads");
    orr__model model = { 0 };
    orr_status st =
        sums ? orr__model_of(at, &model, m, loss, user) : orr__fail(at, ORR_EINVAL, "the list for the sums is NULL");
    if (st == ORR_OK)
        st = return_results(at, &model, x, target, weight, clipping, clip, sums, norms);
    free(model.param);
    return st;
}

orr_status orr_dp_clipped_grads_of_function_at(const char *file, int line, orr_dp_losses *fn, void *user,
                                               orr_tensor *const *params, int n, orr_tensor *x, orr_tensor *target,
                                               orr_tensor *weight, orr_dp_clipping clipping, double clip,
                                               orr_tensor **sums, orr_tensor **norms)
{
    orr__site at = ORR__SITE(file, line, "dp_clipped_grads_of");
    if (!fn || !params || !sums || n < 1)
        return orr__fail(at, ORR_EINVAL, n < 1 ? "there are no parameters" : "the function, or a list, is NULL");
    orr__model model = { .fn = fn, .fn_user = user, .n = n, .param = orr__alloc_n((size_t)n, sizeof(orr_tensor *)) };
    if (!model.param)
        return orr__fail_place(at, ORR_ENOMEM);
    for (int i = 0; i < n; i++)
        model.param[i] = params[i];
    orr_status st = orr__model_check(at, &model);
    if (st == ORR_OK)
        st = return_results(at, &model, x, target, weight, clipping, clip, sums, norms);
    free(model.param);
    return st;
}

orr_status orr__model_check(orr__site at, const orr__model *m)
{
    for (int i = 0; i < m->n; i++) {
        orr_status st = orr__nn_check(at, m->param[i]);
        if (st != ORR_OK)
            return st;
        if (orr_tensor_shape(m->param[i]).rank >= ORR_MAX_RANK)
            return orr__fail(at, ORR_ESHAPE, "parameter %d has %d axes, and the examples need one more", i,
                             ORR_MAX_RANK);
    }
    return ORR_OK;
}

/* -- losses ---------------------------------------------------------------------------------------------------- */

/* The mean over all axes but the first. */
static orr_tensor *per_example_mean(const char *file, int line, orr_tensor *t)
{
    orr_shape s = orr_tensor_shape(t);
    if (s.rank < 2)
        return t;
    return orr_mean_at(file, line, orr_reshape_at(file, line, t, ORR_SHAPE(s.dim[0], -1)), ORR_AXES(-1), false);
}

orr_tensor *orr_dp_cross_entropy(orr_tensor *output, orr_tensor *target, void *unused)
{
    (void)unused;
    orr_shape s = orr_tensor_shape(output), t = orr_tensor_shape(target);
    orr__site at = ORR__SITE(NULL, 0, "dp_cross_entropy");
    if (orr_tensor_status(output) != ORR_OK || orr_tensor_status(target) != ORR_OK)
        return orr_tensor_status(output) != ORR_OK ? output : target;
    bool fit = s.rank >= 2 && t.rank == s.rank - 1;
    for (int i = 0; fit && i < t.rank; i++)
        fit = s.dim[i] == t.dim[i];
    if (!fit)
        return orr__poison(at, ORR_ESHAPE, "labels need the logits' shape without the last axis");
    orr_tensor *hit = orr_one_hot(target, s.dim[s.rank - 1], orr_tensor_dtype(output));
    orr_tensor *picked = orr_sum(orr_mul(orr_log_softmax(output, -1), hit), ORR_AXES(-1), false);
    return per_example_mean(ORR_HERE, orr_neg(picked));
}

orr_tensor *orr_dp_squared_error(orr_tensor *output, orr_tensor *target, void *unused)
{
    (void)unused;
    return per_example_mean(ORR_HERE, orr_square(orr_sub(output, target)));
}
