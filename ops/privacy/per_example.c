/* Clipped sums of per-example gradients. For a module they use the norms of its layers' gradients ("ghost" norms); for a
 * function of parameters, the gradients of all examples, computed together (vectorized).
 * Must not know: noise, accounting, optimizers; layers. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <orrery.h>
#include "ops/nn/module.h"
#include "ops/privacy/ghost.h"
#include "ops/privacy/per_example.h"
#include "ops/record.h"
#include "runtime/base/buffer.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

/* The layers of a module, in the order in which they are applied. */
typedef struct walk {
    orr__site at;
    const orr__model *model;
    orr__ghost *layer; /* NULL: layers are only counted */
    int layers, space, params;
    orr_status st;
} walk;

/* -- models ------------------------------------------------------------------------------------------------ */

static void count_layers(walk *w, const orr_module *m)
{
    bool known = orr__ghost_knows(m);
    if (w->st == ORR_OK && orr__module_is_batch_norm(m))
        w->st =
            orr__fail(w->at, ORR_EINVAL,
                      "batch normalisation makes an example's gradient depend on the others: use group normalisation "
                      "in a function of the parameters (orr_dp_sgd_of_function)");
    if (w->st == ORR_OK && m->nparam > 0 && !known)
        w->st =
            orr__fail(w->at, ORR_EINVAL,
                      "a layer of the module is neither dense nor a convolution (%s): per-example gradients of it need "
                      "a function of the parameters (orr_dp_sgd_of_function)",
                      m->kind);
    w->layers += known;
    w->params += m->nparam;
    for (int i = 0; i < m->npart; i++)
        count_layers(w, m->part[i]);
}

orr_status orr__model_of(orr__site at, orr__model *m, const orr_module *module, orr_dp_loss *loss, void *user)
{
    *m = (orr__model){ .module = module, .loss = loss, .loss_user = user };
    orr_status st = orr__module_check(at, module);
    if (st != ORR_OK)
        return st;
    if (!loss)
        return orr__fail(at, ORR_EINVAL, "the loss is NULL");
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

/* weight · min(1, clip/norm); 0 for an example whose gradient is not finite, which would otherwise show in the sum. */
static orr_tensor *factor_of(orr__site at, orr_tensor *square, double clip, orr_tensor *weight)
{
    orr_tensor *c = orr_scalar_at(AT, clip), *norm = orr_sqrt_at(AT, square);
    orr_tensor *f = orr_div_at(AT, c, orr_maximum_at(AT, norm, c));
    if (weight)
        f = orr_mul_at(AT, f, orr_cast_at(AT, weight, orr_tensor_dtype(f)));
    return orr_where_at(AT, orr_isfinite_at(AT, norm), f, orr_scalar_at(AT, 0.0));
}

/* Σ g² of each example. */
static orr_tensor *square_norms(orr__site at, orr_tensor *g)
{
    orr_shape s = orr_tensor_shape(g);
    g = orr_reshape_at(AT, g, orr__shape_rows(&s));
    return orr_sum_at(AT, orr_square_at(AT, g), ORR_AXES(-1), false);
}

/* factor[k]: the clipping factors of group k; flat clipping: one factor for all groups. */
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

/* A new handle of the same node that belongs to no scope. */
static orr_tensor *kept(orr__site at, orr_tensor *t)
{
    orr__node *n = orr__handle_node(t);
    return n ? orr_keep_at(AT, orr__handle_new(orr__node_ref(n))) : NULL;
}

/* The tap: records a layer that is applied. */
static void note(void *user, const orr_module *m, orr_tensor *x, orr_tensor *z)
{
    walk *w = user;
    int first = 0;
    while (first < w->model->n && w->model->param[first] != m->param[0])
        first++;
    for (int i = 0; i < w->layers; i++)
        if (w->st == ORR_OK && w->layer[i].m == m)
            w->st = orr__fail(w->at, ORR_EINVAL,
                              "a layer is applied twice: its per-example gradients need a function of the parameters "
                              "(orr_dp_sgd_of_function)");
    if (w->st != ORR_OK || first == w->model->n || w->layers == w->space || orr_tensor_status(z) != ORR_OK)
        return;
    w->layer[w->layers++] = (orr__ghost){ .m = m, .x = kept(w->at, x), .z = kept(w->at, z), .param = first };
}

/* Checks that there is one loss for each example: the gradient of their sum by a row of z is then that of the
 * example's loss. */
static orr_status check_losses(orr__site at, orr_tensor *losses, int64_t batch)
{
    orr_status st = orr__nn_check(at, losses);
    orr_shape s = orr_tensor_shape(losses);
    if (st == ORR_OK && (s.rank != 1 || s.dim[0] != batch))
        return orr__fail(at, ORR_ESHAPE, "the loss must have one element for each of %lld examples", (long long)batch);
    return st;
}

/* `t` has space for 3 tensors per layer. */
static orr_status ghost(orr__site at, const orr__model *m, orr_tensor *x, orr_tensor *target, orr_tensor *weight,
                        orr_dp_clipping clipping, double clip, walk *w, orr_tensor **t, orr__clipped *out)
{
    int64_t batch = orr_tensor_shape(x).dim[0];
    orr__tap tap = { note, w };
    const orr__tap *before = orr__module_tap(&tap);
    orr_tensor *y = orr_forward_at(AT, m->module, x);
    (void)orr__module_tap(before);
    orr_status st = w->st == ORR_OK ? orr__nn_check(at, y) : w->st;
    if (st == ORR_OK) {
        out->losses = m->loss(y, target, m->loss_user);
        st = check_losses(at, out->losses, batch);
    }
    int n = w->layers;
    if (st == ORR_OK && n < w->space)
        st = orr__fail(at, ORR_EINVAL, "only %d of the module's %d layers with parameters are applied", n, w->space);
    orr_tensor **z = t, **g = t + n, **factor = t + 2 * n;
    for (int i = 0; i < n; i++)
        z[i] = w->layer[i].z;
    if (st == ORR_OK)
        st = orr_grad_or_zeros_at(AT, orr_sum_at(AT, out->losses, ORR_ALL_AXES, false), z, n, g);
    if (st != ORR_OK)
        return st;
    for (int i = 0; i < n; i++) {
        w->layer[i].g = g[i];
        z[i] = orr__ghost_square(at, &w->layer[i]);
    }
    clip_groups(at, z, n, clipping, clip, weight, factor, &out->norm);
    for (int i = 0; i < n; i++)
        orr__ghost_sums(at, &w->layer[i], factor[i], out->sum);
    return ORR_OK;
}

static orr_status of_module(orr__site at, const orr__model *m, orr_tensor *x, orr_tensor *target, orr_tensor *weight,
                            orr_dp_clipping clipping, double clip, orr__clipped *out)
{
    walk count = { .at = at }, w = { .at = at, .model = m };
    count_layers(&count, m->module);
    w.space = count.layers;
    w.layer = orr__alloc_n((size_t)count.layers, sizeof *w.layer);
    orr_tensor **t = orr__alloc_n((size_t)count.layers, 3 * sizeof *t);
    orr_status st =
        w.layer && t ? ghost(at, m, x, target, weight, clipping, clip, &w, t, out) : orr__fail_place(at, ORR_ENOMEM);
    for (int i = 0; w.layer && i < w.layers; i++) {
        orr__nn_drop(w.layer[i].x);
        orr__nn_drop(w.layer[i].z);
    }
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
        st = orr_grad_or_zeros_at(AT, orr_sum_at(AT, out->losses, ORR_ALL_AXES, false), copy, n, g);
    for (int i = 0; st == ORR_OK && i < n; i++)
        square[i] = square_norms(at, g[i]);
    if (st == ORR_OK)
        clip_groups(at, square, n, clipping, clip, weight, factor, &out->norm);
    for (int i = 0; st == ORR_OK && i < n; i++)
        out->sum[i] = orr_sum_at(AT, orr__ghost_scaled(at, factor[i], g[i]), ORR_AXES(0), false);
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

/* Returns the results from a scope that owns the intermediate tensors. */
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
    return orr_mean_at(file, line, orr_reshape_at(file, line, t, orr__shape_rows(&s)), ORR_AXES(-1), false);
}

/* The poison that a loss of these operands returns; NULL if they are valid. */
static orr_tensor *bad_operand(orr__site at, orr_tensor *output, orr_tensor *target)
{
    if (!output || !target)
        return orr__poison(at, ORR_EINVAL, "the %s is NULL", output ? "target" : "output");
    return orr_tensor_status(output) != ORR_OK ? output : orr_tensor_status(target) != ORR_OK ? target : NULL;
}

orr_tensor *orr_dp_cross_entropy(orr_tensor *output, orr_tensor *target, void *unused)
{
    (void)unused;
    orr_shape s = orr_tensor_shape(output), t = orr_tensor_shape(target);
    orr__site at = ORR__SITE(NULL, 0, "dp_cross_entropy");
    orr_tensor *bad = bad_operand(at, output, target);
    if (bad)
        return bad;
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
    orr_tensor *bad = bad_operand(ORR__SITE(NULL, 0, "dp_squared_error"), output, target);
    return bad ? bad : per_example_mean(ORR_HERE, orr_square(orr_sub(output, target)));
}
