/* Training by clipped and noisy gradients of Poisson samples (DP-SGD).
 * Must not know: clipping, the generation of noise, accounting. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "ops/nn/checkpoint.h"
#include "ops/nn/module.h"
#include "ops/nn/optim_rule.h"
#include "ops/privacy/account.h"
#include "ops/privacy/budget.h"
#include "ops/privacy/noise.h"
#include "ops/privacy/per_example.h"
#include "ops/privacy/secret.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/object.h"

#define AT at.file, at.line

/* Samples are padded to a multiple of this with examples of weight 0, so that few plans serve all steps. */
enum { PAD = 32 }; /* limit of a format */

/* The part of the state that changes from step to step, as checkpoints have it. */
typedef struct progress {
    double clip;
    int64_t steps;
} progress;

struct orr_dp_sgd {
    orr__model model;
    orr_optim *optim;
    orr_dp_options options;
    double clip;       /* now */
    double sigma_grad; /* of the gradients; adaptive clipping spends the rest on its count */
    int64_t steps;
    progress loaded; /* from a checkpoint, checked */
};

orr_dp_options orr_dp_defaults(void)
{
    return (orr_dp_options){ .clipping = ORR_DP_FLAT,
                             .clip = 1.0,
                             .sigma = 1.0,
                             .most = 4096,
                             .quantile = 0.5,
                             .rate = 0.2,
                             .loss = orr_dp_cross_entropy };
}

/* -- making one ------------------------------------------------------------------------------------------------ */

static orr_status check_options(orr__site at, const orr_dp_options *o)
{
    orr_status st = orr__dp_check(at, ORR_DP_MECHANISM(ORR_DP_GAUSSIAN, o->sigma, o->q));
    if (st != ORR_OK)
        return st;
    if (o->q == 0.0)
        return orr__fail(at, ORR_EINVAL,
                         "the sampling probability q is 0: say in the options how many records a step sees");
    if ((int)o->clipping < ORR_DP_FLAT || o->clipping > ORR_DP_ADAPTIVE)
        return orr__fail(at, ORR_EINVAL, "no clipping has number %d", (int)o->clipping);
    if (!(o->clip > 0.0 && isfinite(o->clip)))
        return orr__fail(at, ORR_EINVAL, "the clipping norm must be finite and > 0, not %g", o->clip);
    if (o->most < 1)
        return orr__fail(at, ORR_EINVAL, "at least 1 example is computed at a time, not %lld", (long long)o->most);
    if (o->clipping != ORR_DP_ADAPTIVE)
        return ORR_OK;
    if (!(o->quantile > 0.0 && o->quantile < 1.0) || !(o->rate > 0.0 && isfinite(o->rate)))
        return orr__fail(at, ORR_EINVAL, "adaptive clipping needs a quantile in (0, 1) and a rate > 0, not %g and %g",
                         o->quantile, o->rate);
    if (!(2.0 * o->count_sigma > o->sigma && o->count_sigma <= 0x1p25))
        return orr__fail(at, ORR_EINVAL, "adaptive clipping needs count_sigma > σ/2 = %g, not %g", o->sigma / 2.0,
                         o->count_sigma);
    return ORR_OK;
}

static const orr__object_kind kind = { "trainer", sizeof(orr_dp_sgd) };

/* Takes over model->param. */
static orr_dp_sgd *trainer(orr__site at, orr__model *model, orr_optim *optim, const orr_dp_options *options)
{
    orr_status st = orr__object_check(at, &orr__kind_optim, optim);
    if (st == ORR_OK)
        st = options ? check_options(at, options) : orr__fail(at, ORR_EINVAL, "the options are NULL");
    orr_dp_sgd *t = st == ORR_OK ? orr__object_new(&kind) : NULL;
    if (!t) {
        free(model->param);
        return NULL;
    }
    *t = (orr_dp_sgd){
        .model = *model, .optim = optim, .options = *options, .clip = options->clip, .sigma_grad = options->sigma
    };
    /* Andrew et al. 2021, theorem 1: gradients with σ_g and a count with deviation σ_b and sensitivity ½ are one
     * mechanism with noise (σ_g^−2 + (2σ_b)^−2)^−½. */
    if (options->clipping == ORR_DP_ADAPTIVE)
        t->sigma_grad = 1.0 / sqrt(pow(options->sigma, -2.0) - pow(2.0 * options->count_sigma, -2.0));
    return t;
}

orr_dp_sgd *orr_dp_sgd_new_at(const char *file, int line, const orr_module *m, orr_optim *optim,
                              const orr_dp_options *options)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_sgd_new");
    orr__model model = { 0 };
    if (orr__model_of(at, &model, m, options ? options->loss : orr_dp_cross_entropy, options ? options->user : NULL) !=
        ORR_OK) {
        free(model.param);
        return NULL;
    }
    return trainer(at, &model, optim, options);
}

orr_dp_sgd *orr_dp_sgd_of_function_at(const char *file, int line, orr_dp_losses *fn, orr_tensor *const *params, int n,
                                      orr_optim *optim, const orr_dp_options *options)
{
    orr__site at = ORR__SITE(file, line, "dp_sgd_of");
    orr__model model = { .fn = fn, .fn_user = options ? options->user : NULL, .n = n };
    if (!fn || !params || n < 1) {
        (void)orr__fail(at, ORR_EINVAL, n < 1 ? "there are no parameters" : "the function, or the list, is NULL");
        return NULL;
    }
    model.param = orr__alloc_n((size_t)n, sizeof(orr_tensor *));
    for (int i = 0; model.param && i < n; i++)
        model.param[i] = params[i];
    if (!model.param || orr__model_check(at, &model) != ORR_OK) {
        free(model.param);
        return NULL;
    }
    return trainer(at, &model, optim, options);
}

void orr_dp_sgd_free(orr_dp_sgd *t)
{
    if (!orr__object_there("dp_sgd_free", &kind, t))
        return;
    free(t->model.param);
    orr__object_end(&kind, t);
}

double orr_dp_sgd_clip(const orr_dp_sgd *t)
{
    return orr__object_there("dp_sgd_clip", &kind, t) ? t->clip : 0.0;
}

int64_t orr_dp_sgd_steps(const orr_dp_sgd *t)
{
    return orr__object_there("dp_sgd_steps", &kind, t) ? t->steps : 0;
}

/* -- a step ------------------------------------------------------------------------------------------------------ */

/* The sample as row indices; rows from `count` on have weight 0. */
typedef struct sample {
    int64_t *index, count, parts, rows; /* rows of each part */
    float *weight;
} sample;

static void sample_free(sample *s)
{
    free(s->index);
    free(s->weight);
}

static int64_t padded(int64_t n)
{
    return (n + PAD - 1) / PAD * PAD;
}

static orr_status draw_sample(orr__site at, const orr_dp_options *o, int64_t n, sample *s)
{
    int64_t most = padded(o->most < n ? o->most : n), space = n + most;
    *s = (sample){ .index = orr__alloc_n((size_t)space, sizeof *s->index),
                   .weight = orr__alloc_n((size_t)space, sizeof *s->weight) };
    if (!s->index || !s->weight)
        return orr__fail_place(at, ORR_ENOMEM);
    orr_status st = orr_dp_poisson_at(AT, n, o->q, s->index, &s->count);
    if (st != ORR_OK)
        return st;
    s->parts = s->count > most ? (s->count + most - 1) / most : 1;
    s->rows = s->count ? padded((s->count + s->parts - 1) / s->parts) : PAD; /* at most `most` */
    for (int64_t i = 0; i < s->parts * s->rows; i++) {
        s->weight[i] = i < s->count ? 1.0f : 0.0f;
        s->index[i] = i < s->count ? s->index[i] : 0;
    }
    return ORR_OK;
}

/* Sums over one part; report: Σ loss, and the number of examples whose norm is at most the clipping norm. */
static orr_status part_sums(orr__site at, const orr_dp_sgd *t, orr_tensor *x, orr_tensor *target, const sample *s,
                            int64_t part, orr_tensor **sum, orr_tensor **report)
{
    orr_tensor *rows = orr_from_at(AT, ORR_I64, ORR_SHAPE(s->rows), s->index + part * s->rows);
    orr_tensor *weight = orr_from_at(AT, ORR_F32, ORR_SHAPE(s->rows), s->weight + part * s->rows);
    orr__clipped c = { .sum = sum };
    orr_tensor *y = target ? orr_take_at(AT, target, rows, 0) : NULL;
    orr_status st =
        orr__clipped_grads(at, &t->model, orr_take_at(AT, x, rows, 0), y, weight, t->options.clipping, t->clip, &c);
    if (st != ORR_OK)
        return st;
    orr_tensor *none = orr_scalar_at(AT, 0.0), *real = orr_greater_at(AT, weight, none);
    orr_tensor *loss = orr_sum_at(AT, orr_where_at(AT, real, c.losses, none), ORR_ALL_AXES, false);
    orr_tensor *small = orr_less_equal_at(AT, c.norm, orr_scalar_at(AT, t->clip));
    small = orr_sum_at(AT, orr_logical_and_at(AT, real, small), ORR_ALL_AXES, false);
    *report =
        orr_stack_at(AT, (orr_tensor *[]){ orr_cast_at(AT, loss, ORR_F64), orr_cast_at(AT, small, ORR_F64) }, 2, 0);
    return orr__nn_check(at, *report);
}

/* g := (g + noise)/expected, in floats, or on a grid in integers. A grid of step γ adds γ·√d to the sensitivity, where d
 * is the number of parameters. */
static orr_tensor *noisy(orr__site at, const orr_dp_sgd *t, orr_tensor *g, double expected, double size)
{
    orr_dtype dtype = orr_tensor_dtype(g);
    if (!t->options.secure) {
        orr_tensor *noise = orr__noise_normal(at, dtype, orr_tensor_shape(g), t->sigma_grad * t->clip / expected);
        return orr_add_at(AT, orr_div_at(AT, g, orr_scalar_at(AT, expected)), noise);
    }
    double step = ldexp(1.0, ilogb(t->sigma_grad * t->clip) - 20);
    double deviation = t->sigma_grad * (t->clip + step * sqrt(size)) / step;
    orr_tensor *wide = orr_cast_at(AT, g, ORR_F64);
    orr_tensor *whole = orr_cast_at(AT, orr_round_at(AT, orr_div_at(AT, wide, orr_scalar_at(AT, step))), ORR_I64);
    whole = orr_add_at(AT, whole, orr__noise_gaussian_i64(at, orr_tensor_shape(g), deviation));
    return orr_cast_at(AT, orr_mul_at(AT, orr_cast_at(AT, whole, ORR_F64), orr_scalar_at(AT, step / expected)), dtype);
}

/* Records a step and that of the optimizer; the outer scope owns the report. */
static orr_status record(orr__site at, orr_dp_sgd *t, orr_tensor *x, orr_tensor *target, const sample *s,
                         double expected, orr_tensor **sum, orr_tensor **report)
{
    int n = t->model.n;
    orr_tensor **all = sum + n, *one = NULL;
    double size = 0.0;
    for (int64_t part = 0; part < s->parts; part++) {
        orr_status st = part_sums(at, t, x, target, s, part, sum, &one);
        if (st != ORR_OK)
            return st;
        for (int i = 0; i < n; i++)
            all[i] = part ? orr_add_at(AT, all[i], sum[i]) : sum[i];
        *report = part ? orr_add_at(AT, *report, one) : one;
    }
    for (int i = 0; i < n; i++)
        size += (double)orr_tensor_size(t->model.param[i]);
    for (int i = 0; i < n; i++)
        all[i] = noisy(at, t, all[i], expected, size);
    return orr_optim_apply_at(AT, t->optim, all, n);
}

/* C := C·e^(−rate·(b − quantile)), where b is the noisy fraction of examples whose norm is at most C (Andrew, Thakkar,
 * McMahan, Ramaswamy, "Differentially private learning with adaptive clipping", 2021). Each example counts ½ or −½;
 * the count is doubled to be an integer. */
static orr_status adapt(orr__site at, orr_dp_sgd *t, double small, int64_t count, double expected)
{
    const orr_dp_options *o = &t->options;
    if (o->clipping != ORR_DP_ADAPTIVE)
        return ORR_OK;
    orr__secret s;
    orr__secret_begin(&s);
    orr__gaussian noise = orr__gaussian_of(2.0 * o->count_sigma);
    double twice = 2.0 * small - (double)count + (double)orr__draw_gaussian(&s, &noise);
    orr_status st = orr__secret_end(at, &s);
    if (st == ORR_OK)
        t->clip = fmin(fmax(t->clip * exp(-o->rate * (0.5 * twice / expected + 0.5 - o->quantile)), 1e-10), 1e10);
    return st;
}

static orr_status take_step(orr__site at, orr_dp_sgd *t, orr_tensor *x, orr_tensor *target, const sample *s,
                            double expected, double *loss)
{
    orr_tensor **sum = orr__alloc_n((size_t)t->model.n, 2 * sizeof *sum), *report = NULL;
    orr_scope *outer = sum ? orr_scope_begin() : NULL, *inner = outer ? orr_scope_begin() : NULL;
    orr_status st = inner ? record(at, t, x, target, s, expected, sum, &report) : orr__fail_place(at, ORR_ENOMEM);
    double totals[2] = { 0.0, 0.0 };
    if (st == ORR_OK)
        report = orr_scope_return(inner, report);
    if (inner)
        (void)orr_scope_end(inner); /* handles of intermediate values would keep them in memory */
    if (st == ORR_OK)
        st = orr_read_at(AT, report, totals, sizeof totals);
    if (outer)
        (void)orr_scope_end(outer);
    free(sum);
    if (st == ORR_OK)
        st = adapt(at, t, totals[1], s->count, expected);
    if (st == ORR_OK && loss)
        *loss = s->count ? totals[0] / (double)s->count : NAN;
    return st;
}

orr_status orr_dp_sgd_step_at(const char *file, int line, orr_dp_sgd *t, orr_tensor *x, orr_tensor *target,
                              double *loss)
{
    orr__site at = ORR__SITE(file, line, "dp_sgd_step");
    orr_status st = orr__object_check(at, &kind, t);
    if (st == ORR_OK && !t->model.fn)
        st = orr__module_check(at, t->model.module);
    if (st == ORR_OK)
        st = orr__nn_check(at, x);
    if (st == ORR_OK && target)
        st = orr__nn_check(at, target);
    if (st != ORR_OK)
        return st;
    orr_shape sx = orr_tensor_shape(x), sy = target ? orr_tensor_shape(target) : sx;
    if (sx.rank < 1 || sx.dim[0] < 1 || sy.rank < 1 || sy.dim[0] != sx.dim[0])
        return orr__fail(at, ORR_ESHAPE, "x and target need first axes of one length, the number of records");
    if (t->options.budget)
        st = orr_dp_budget_spend_at(AT, t->options.budget,
                                    ORR_DP_MECHANISM(ORR_DP_GAUSSIAN, t->options.sigma, t->options.q), 1);
    if (st != ORR_OK)
        return st;
    sample s;
    st = draw_sample(at, &t->options, sx.dim[0], &s);
    if (st == ORR_OK)
        st = take_step(at, t, x, target, &s, t->options.q * (double)sx.dim[0], loss);
    t->steps += st == ORR_OK;
    sample_free(&s);
    return st;
}

/* -- checkpoints ------------------------------------------------------------------------------------------------- */

/* The progress, and the text of the budget. */
static void *save_state(orr__site at, void *object, size_t *bytes)
{
    orr_dp_sgd *t = object;
    if (t->options.budget && orr__budget_check(at, t->options.budget) != ORR_OK)
        return NULL;
    progress now = { t->clip, t->steps };
    char *budget = t->options.budget ? orr__budget_text(at, t->options.budget) : NULL;
    size_t more = budget ? strlen(budget) : 0;
    unsigned char *all = !t->options.budget || budget ? orr__alloc(sizeof now + more) : NULL;
    if (all) {
        memcpy(all, &now, sizeof now);
        memcpy(all + sizeof now, budget ? budget : "", more);
    }
    free(budget);
    *bytes = sizeof now + more;
    return all;
}

static orr_status prepare_state(orr__site at, void *object, const char *where, const void *data, size_t bytes)
{
    orr_dp_sgd *t = object;
    progress p = { 0 };
    if (bytes >= sizeof p)
        memcpy(&p, data, sizeof p);
    if (!(p.clip > 0.0 && isfinite(p.clip)) || p.steps < 0)
        return orr__fail(at, ORR_EFORMAT, "%s: the state of private training is damaged", where);
    if (!t->options.budget != (bytes == sizeof p))
        return orr__fail(at, ORR_EINVAL, "%s is of a trainer with%s budget, and this one has %s", where,
                         t->options.budget ? "out" : " a", t->options.budget ? "one" : "none");
    t->loaded = p;
    if (t->options.budget && orr__budget_check(at, t->options.budget) != ORR_OK)
        return orr_error_status();
    return t->options.budget
               ? orr__budget_prepare(at, t->options.budget, where, (const char *)data + sizeof p, bytes - sizeof p)
               : ORR_OK;
}

static void load_state(void *object)
{
    orr_dp_sgd *t = object;
    t->clip = t->loaded.clip;
    t->steps = t->loaded.steps;
    if (t->options.budget)
        orr__budget_load(t->options.budget);
}

static const orr__checkpoint_state state = { &kind, save_state, prepare_state, load_state };

orr_status orr_checkpoint_add_dp_sgd_at(const char *file, int line, orr_checkpoint *c, const char *name, orr_dp_sgd *t)
{
    return orr__checkpoint_add_state(ORR__SITE(file, line, "checkpoint_add_dp_sgd"), c, name, &state, t);
}
