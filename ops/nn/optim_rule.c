/* The update rules: SGD, Adam, AdamW, RMSProp, Adagrad, LAMB.
 * Must not know: the storage of variables and state. */
#include "config.h"
#include <math.h>
#include <orrery/elementwise.h>
#include <orrery/ops.h>
#include "ops/nn/optim_rule.h"

/* Every op is a node that each step records and hashes, so the forms below use as few ops as the formula allows. */
#define SCALAR(x) orr_scalar_at(at.file, at.line, (x))
#define ADD(x, y) orr_add_at(at.file, at.line, (x), (y))
#define SUB(x, y) orr_sub_at(at.file, at.line, (x), (y))
#define MUL(x, y) orr_mul_at(at.file, at.line, (x), (y))
#define DIV(x, y) orr_div_at(at.file, at.line, (x), (y))
#define FMA(x, y, z) orr_fma_at(at.file, at.line, (x), (y), (z))
#define SQRT(x) orr_sqrt_at(at.file, at.line, (x))
#define SQUARE(x) orr_square_at(at.file, at.line, (x))

static orr_tensor *decayed(orr__site at, const orr__rates *r, orr_tensor *p, orr_tensor *g)
{
    return r->decay ? FMA(p, r->decay, g) : g;
}

/* -- SGD ------------------------------------------------------------------------------------------------- */

static int sgd_slots(const orr_optim_options *o, const char *name[ORR__OPTIM_SLOTS])
{
    name[0] = "momentum";
    return o->momentum > 0.0 ? 1 : 0;
}

static void sgd_rates(orr__site at, const orr_optim_options *o, double t, orr__rates *r)
{
    r->decay = o->weight_decay > 0.0 ? SCALAR(o->weight_decay) : NULL;
    r->rate = SCALAR(-o->lr);
    r->second = o->momentum > 0.0 ? SCALAR(o->momentum) : NULL;
    /* The first step is not dampened. A factor of 1 gives step 1 the same graph as the others. */
    r->first = o->dampening != 0.0 ? SCALAR(t > 1.0 ? 1.0 - o->dampening : 1.0) : NULL;
}

static orr_tensor *sgd_update(orr__site at, const orr_optim_options *o, const orr__rates *r, orr_tensor *p,
                              orr_tensor *g, orr_tensor **s)
{
    g = decayed(at, r, p, g);
    if (o->momentum > 0.0) {
        s[0] = FMA(s[0], r->second, r->first ? MUL(g, r->first) : g);
        g = o->nesterov ? FMA(s[0], r->second, g) : s[0];
    }
    return FMA(g, r->rate, p);
}

/* -- Adam, AdamW ----------------------------------------------------------------------------------------- */

static int adam_slots(const orr_optim_options *o, const char *name[ORR__OPTIM_SLOTS])
{
    name[0] = "mean";
    name[1] = "square";
    name[2] = "greatest";
    return o->amsgrad ? 3 : 2;
}

/* lr/c1 · m/(√v/√c2 + eps) = lr·√c2/c1 · m/(√v + eps·√c2): one op less per element. */
static void adam_rates(orr__site at, const orr_optim_options *o, double t, orr__rates *r)
{
    double root = sqrt(1.0 - pow(o->beta2, t));
    r->rate = SCALAR(-o->lr * root / (1.0 - pow(o->beta1, t)));
    r->eps = SCALAR(o->eps * root);
    r->first = SCALAR(1.0 - o->beta1);
    r->second = SCALAR(1.0 - o->beta2);
    r->decay = o->weight_decay > 0.0 ? SCALAR(o->weight_decay) : NULL;
}

static void adamw_rates(orr__site at, const orr_optim_options *o, double t, orr__rates *r)
{
    adam_rates(at, o, t, r);
    r->decay = o->weight_decay > 0.0 ? SCALAR(1.0 - o->lr * o->weight_decay) : NULL;
}

static orr_tensor *adam_core(orr__site at, const orr_optim_options *o, const orr__rates *r, orr_tensor *p,
                             orr_tensor *g, orr_tensor **s)
{
    s[0] = FMA(SUB(g, s[0]), r->first, s[0]);
    s[1] = FMA(SUB(SQUARE(g), s[1]), r->second, s[1]);
    if (o->amsgrad)
        s[2] = orr_maximum_at(at.file, at.line, s[2], s[1]);
    return FMA(DIV(s[0], ADD(SQRT(s[o->amsgrad ? 2 : 1]), r->eps)), r->rate, p);
}

static orr_tensor *adam_update(orr__site at, const orr_optim_options *o, const orr__rates *r, orr_tensor *p,
                               orr_tensor *g, orr_tensor **s)
{
    return adam_core(at, o, r, p, decayed(at, r, p, g), s);
}

static orr_tensor *adamw_update(orr__site at, const orr_optim_options *o, const orr__rates *r, orr_tensor *p,
                                orr_tensor *g, orr_tensor **s)
{
    return adam_core(at, o, r, r->decay ? MUL(p, r->decay) : p, g, s);
}

/* -- RMSProp --------------------------------------------------------------------------------------------- */

static int rmsprop_slots(const orr_optim_options *o, const char *name[ORR__OPTIM_SLOTS])
{
    int n = 0;
    name[n++] = "square";
    if (o->centred)
        name[n++] = "mean";
    if (o->momentum > 0.0)
        name[n++] = "momentum";
    return n;
}

static void rmsprop_rates(orr__site at, const orr_optim_options *o, double t, orr__rates *r)
{
    (void)t;
    r->decay = o->weight_decay > 0.0 ? SCALAR(o->weight_decay) : NULL;
    r->rate = SCALAR(-o->lr);
    r->eps = SCALAR(o->eps);
    r->first = SCALAR(1.0 - o->alpha);
    r->second = o->momentum > 0.0 ? SCALAR(o->momentum) : NULL;
}

static orr_tensor *rmsprop_update(orr__site at, const orr_optim_options *o, const orr__rates *r, orr_tensor *p,
                                  orr_tensor *g, orr_tensor **s)
{
    int k = 1;
    g = decayed(at, r, p, g);
    s[0] = FMA(SUB(SQUARE(g), s[0]), r->first, s[0]);
    orr_tensor *v = s[0];
    if (o->centred) {
        s[k] = FMA(SUB(g, s[k]), r->first, s[k]);
        v = SUB(v, SQUARE(s[k]));
        k++;
    }
    orr_tensor *d = DIV(g, ADD(SQRT(v), r->eps));
    if (o->momentum > 0.0)
        d = s[k] = FMA(s[k], r->second, d);
    return FMA(d, r->rate, p);
}

/* -- Adagrad --------------------------------------------------------------------------------------------- */

static int adagrad_slots(const orr_optim_options *o, const char *name[ORR__OPTIM_SLOTS])
{
    (void)o;
    name[0] = "square";
    return 1;
}

static void adagrad_rates(orr__site at, const orr_optim_options *o, double t, orr__rates *r)
{
    r->decay = o->weight_decay > 0.0 ? SCALAR(o->weight_decay) : NULL;
    r->rate = SCALAR(-o->lr / (1.0 + (t - 1.0) * o->lr_decay));
    r->eps = SCALAR(o->eps);
}

static orr_tensor *adagrad_update(orr__site at, const orr_optim_options *o, const orr__rates *r, orr_tensor *p,
                                  orr_tensor *g, orr_tensor **s)
{
    (void)o;
    g = decayed(at, r, p, g);
    s[0] = FMA(g, g, s[0]);
    return FMA(DIV(g, ADD(SQRT(s[0]), r->eps)), r->rate, p);
}

/* -- LAMB ------------------------------------------------------------------------------------------------ */

static int lamb_slots(const orr_optim_options *o, const char *name[ORR__OPTIM_SLOTS])
{
    (void)o;
    name[0] = "mean";
    name[1] = "square";
    return 2;
}

/* m̂/(√v̂ + eps) = √c2/c1 · m/(√v + eps·√c2). */
static void lamb_rates(orr__site at, const orr_optim_options *o, double t, orr__rates *r)
{
    double root = sqrt(1.0 - pow(o->beta2, t));
    r->rate = SCALAR(-o->lr);
    r->eps = SCALAR(o->eps * root);
    r->first = SCALAR(1.0 - o->beta1);
    r->second = SCALAR(1.0 - o->beta2);
    r->decay = SCALAR(o->weight_decay);
    r->root = SCALAR(root / (1.0 - pow(o->beta1, t)));
}

static orr_tensor *lamb_update(orr__site at, const orr_optim_options *o, const orr__rates *r, orr_tensor *p,
                               orr_tensor *g, orr_tensor **s)
{
    (void)o;
    const char *file = at.file;
    int line = at.line;
    s[0] = FMA(SUB(g, s[0]), r->first, s[0]);
    s[1] = FMA(SUB(SQUARE(g), s[1]), r->second, s[1]);
    orr_tensor *u = FMA(p, r->decay, MUL(DIV(s[0], ADD(SQRT(s[1]), r->eps)), r->root));
    orr_tensor *a = orr_norm_at(file, line, p, ORR_ALL_AXES, false),
               *b = orr_norm_at(file, line, u, ORR_ALL_AXES, false);
    orr_tensor *none = orr_equal_at(file, line, MUL(a, b), SCALAR(0)), *one = SCALAR(1);
    orr_tensor *trust = orr_where_at(file, line, none, one, DIV(a, orr_where_at(file, line, none, one, b)));
    return FMA(u, MUL(trust, r->rate), p);
}

/* -- the table ------------------------------------------------------------------------------------------- */

static const orr__rule rules[] = {
    [ORR_OPTIM_SGD] = { sgd_update, sgd_rates, sgd_slots, { .lr = 1e-3 }, "SGD" },
    [ORR_OPTIM_ADAM] = { adam_update,
                         adam_rates,
                         adam_slots,
                         { .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8 },
                         "Adam" },
    [ORR_OPTIM_ADAMW] = { adamw_update,
                          adamw_rates,
                          adam_slots,
                          { .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 1e-2 },
                          "AdamW" },
    [ORR_OPTIM_RMSPROP] = { rmsprop_update,
                            rmsprop_rates,
                            rmsprop_slots,
                            { .lr = 1e-2, .alpha = 0.99, .eps = 1e-8 },
                            "RMSProp" },
    [ORR_OPTIM_ADAGRAD] = { adagrad_update, adagrad_rates, adagrad_slots, { .lr = 1e-2, .eps = 1e-10 }, "Adagrad" },
    [ORR_OPTIM_LAMB] = { lamb_update,
                         lamb_rates,
                         lamb_slots,
                         { .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-6, .weight_decay = 1e-2 },
                         "LAMB" },
};

const orr__rule *orr__optim_rule(orr_optim_kind kind)
{
    return (unsigned)kind < sizeof rules / sizeof *rules ? &rules[kind] : NULL;
}

orr_optim_options orr_optim_defaults(orr_optim_kind kind)
{
    const orr__rule *rule = orr__optim_rule(kind);
    return rule ? rule->defaults : (orr_optim_options){ .lr = 1e-3 };
}
