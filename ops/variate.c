/* Random numbers of distributions with parameters, each from its seed, its index and its parameters.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <orrery/random.h>
#include "ops/random.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/variate.h"

/* The last operand: the numbers of the elements among all, from which each value is drawn. A tile reads the numbers of its
 * own elements. */
static orr__node *numbers(orr__site at, const orr_shape *s, int64_t step)
{
    orr__scalar from = { .i = 0 }, by = { .i = step };
    return orr__rec_reshape(at, orr__rec_iota(at, ORR_I64, &ORR_SHAPE(orr__shape_count(s)), 0, from, by), s);
}

static const char *verify_variate(const orr__node *n, const orr__node *const *in, int nin)
{
    for (int k = 0; k < nin; k++)
        if (in[k]->dtype != (k < 2 ? ORR_F64 : ORR_I64) || !orr__shape_equal(&in[k]->shape, &n->shape))
            return "a parameter is missing for an element";
    return NULL;
}

static orr_status reference_variate(const orr__reference *j)
{
    int kind = j->node->attr.dist;
    for (int64_t i = 0; i < j->out.count; i++) {
        double a = orr__array_get(&j->in[0], i).f, b = orr__array_get(&j->in[1], i).f;
        int64_t number = orr__array_get(&j->in[2], i).i;
        const char *rule = orr__variate_refuses(kind, a, b);
        if (rule)
            return orr__variate_refused(orr__reference_site(j), rule, kind, a, b, number);
        orr__array_set(&j->out, i, (orr__scalar){ .f = orr__variate(kind, j->s[0].u, (uint64_t)number, a, b) });
    }
    return ORR_OK;
}

const orr__op orr__op_variate = {
    .id = ORR__OP_variate,
    .name = "variate",
    .arity = 3,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_DIST,
    .flags = ORR__OP_ORIGIN | ORR__OP_MAY_FAIL | ORR__OP_STOPS,
    .flops = 300,
    .verify = verify_variate,
    .reference = reference_variate,
    .distribute = orr__rule_elements,
};

static const char *verify_weights(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return n->shape.rank > 0 && n->dtype == ORR_F64 && in[0]->dtype == ORR_F64 &&
                   orr__shape_equal(&in[0]->shape, &n->shape)
               ? NULL
               : "a checked weight is missing for a weight";
}

static orr_status reference_weights(const orr__reference *j)
{
    int64_t many = j->out.shape.dim[j->out.shape.rank - 1], bad;
    for (int64_t row = 0; many && row < j->out.count / many; row++) {
        const double *w = orr__array_at(&j->in[0], row * many);
        const char *rule = orr__weights(w, many, j->s[0].i, orr__array_at(&j->out, row * many), &bad);
        if (rule)
            return orr__weights_refused(orr__reference_site(j), rule, w, many, row, bad, j->s[0].i);
    }
    return ORR_OK;
}

static orr_status reference_multinomial(const orr__reference *j)
{
    int64_t many = j->out.shape.dim[j->out.shape.rank - 1];
    for (int64_t row = 0; many && row < j->out.count / many; row++)
        orr__multinomial(j->s[0].u, orr__array_get(&j->in[1], row).u, j->s[1].i, orr__array_at(&j->in[0], row * many),
                         many, orr__array_at(&j->out, row * many));
    return ORR_OK;
}

static const char *verify_multinomial(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return n->shape.rank > 0 && in[0]->dtype == ORR_F64 && orr__shape_equal(&in[0]->shape, &n->shape) &&
                   in[1]->dtype == ORR_I64 && in[1]->shape.rank == n->shape.rank
               ? NULL
               : "a weight is missing for a count";
}

static int space(const orr__call *c, int64_t *dim)
{
    dim[1] = c->out.dim[c->out.rank - 1];
    dim[0] = dim[1] ? orr__shape_count(&c->out) / dim[1] : 0;
    return 2;
}

const orr__op orr__op_weights = {
    .id = ORR__OP_weights,
    .name = "weights",
    .arity = 1,
    .pattern = ORR__PATTERN_KERNEL,
    .flags = ORR__OP_MAY_FAIL | ORR__OP_STOPS,
    .flops = 10,
    .verify = verify_weights,
    .reference = reference_weights,
    .distribute = orr__rule_rows,
    .space = space,
};

const orr__op orr__op_multinomial = {
    .id = ORR__OP_multinomial,
    .name = "multinomial",
    .arity = 2,
    .pattern = ORR__PATTERN_KERNEL,
    .flags = ORR__OP_ORIGIN | ORR__OP_MAY_FAIL | ORR__OP_STOPS,
    .flops = 300,
    .verify = verify_multinomial,
    .reference = reference_multinomial,
    .distribute = orr__rule_rows,
    .space = space,
};

orr_tensor *orr__weights_checked(orr__site at, orr_tensor *weights, int64_t positive)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, weights, "weights", &n, &bad))
        return bad;
    orr__node *w = orr__rec_cast(at, orr__node_ref(n), ORR_F64);
    orr__node *r = w ? orr__rec_one(at, &orr__op_weights, ORR_F64, &n->shape, w) : NULL;
    if (r) {
        r->nscalar = 1;
        r->s[0].i = positive;
    }
    return orr__handle_new(r);
}

/* -- public functions ---------------------------------------------------------------------------------------------- */

/* A parameter broadcast to the shape, as f64. */
static orr__node *parameter(orr__site at, orr_tensor *t, const char *name, const orr_shape *s, orr_tensor **bad)
{
    orr__node *n;
    orr_shape both;
    if (!orr__operand(at, t, name, &n, bad))
        return NULL;
    if (!orr__shape_broadcast(&n->shape, s, &both) || !orr__shape_equal(&both, s)) {
        *bad = orr__poison(at, ORR_ESHAPE, "%s of shape %s does not broadcast to %s", name, orr__str(n->shape).s,
                           orr__str(*s).s);
        return NULL;
    }
    orr__node *r = orr__rec_broadcast(at, orr__rec_cast(at, orr__node_ref(n), ORR_F64), s);
    if (!r)
        *bad = orr__handle_new(NULL);
    return r;
}

static orr_tensor *variate(orr__site at, int kind, orr_dtype dtype, const orr_shape *s, orr_tensor *a, orr_tensor *b,
                           const char *const names[2])
{
    orr_tensor *bad;
    bool counts = kind == ORR__VPOISSON || kind == ORR__VBINOMIAL;
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, s, &bad))
        return bad;
    if (!(orr__is_float(dtype) || (counts && orr__is_int(dtype))))
        return orr__poison(at, ORR_EDTYPE, "%s is no dtype of the numbers: %s", orr_dtype_name(dtype),
                           counts ? "integers and floats are" : "floats are");
    orr_scope *scope = orr__compose_begin(at);
    orr__node *in[3] = { parameter(at, a, names[0], s, &bad) };
    in[1] = in[0] ? parameter(at, b, names[1], s, &bad) : NULL;
    if (!in[1]) {
        if (in[0])
            orr__node_unref(in[0]);
        return orr__compose_end(at, scope, bad);
    }
    in[2] = numbers(at, s, 1);
    orr__node *r = orr__node_of(at, &orr__op_variate, ORR_F64, s, 3, in);
    if (r)
        r->as = at.op; /* errors name the distribution */
    if (r) {
        r->attr.dist = (uint8_t)kind;
        r->nscalar = 1;
        r->s[0].u = orr__next_stream();
    }
    return orr__compose_end(at, scope, orr__handle_new(orr__rec_cast(at, r, dtype)));
}

orr_tensor *orr_gamma_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_tensor *alpha,
                         orr_tensor *scale)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "gamma");
    orr_tensor *bad = NULL;
    orr__node *by = orr__shape_ok(at, &shape, &bad) ? parameter(at, scale, "scale", &shape, &bad) : NULL;
    if (!by)
        return bad;
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *r = variate(at, ORR__VGAMMA, ORR_F64, &shape, alpha, alpha, (const char *const[]){ "alpha", "alpha" });
    r = orr_mul_at(file, line, r, orr__handle_new(by));
    if (orr_tensor_status(r) == ORR_OK && orr__dtype_ok(at, dtype, &bad) && !orr__is_float(dtype))
        r = orr__poison(at, ORR_EDTYPE, "%s is no float dtype", orr_dtype_name(dtype));
    return orr__compose_end(at, s, orr_cast_at(file, line, r, dtype));
}

orr_tensor *orr_beta_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_tensor *a, orr_tensor *b)
{
    ORR__IN_DEFAULT_FPMODE;
    return variate(ORR__SITE(file, line, "beta"), ORR__VBETA, dtype, &shape, a, b, (const char *const[]){ "a", "b" });
}

orr_tensor *orr_poisson_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_tensor *rate)
{
    ORR__IN_DEFAULT_FPMODE;
    return variate(ORR__SITE(file, line, "poisson"), ORR__VPOISSON, dtype, &shape, rate, rate,
                   (const char *const[]){ "rate", "rate" });
}

orr_tensor *orr_binomial_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_tensor *trials,
                            orr_tensor *p)
{
    ORR__IN_DEFAULT_FPMODE;
    return variate(ORR__SITE(file, line, "binomial"), ORR__VBINOMIAL, dtype, &shape, trials, p,
                   (const char *const[]){ "trials", "p" });
}

orr_tensor *orr_multinomial_at(const char *file, int line, orr_shape shape, int64_t trials, orr_tensor *weights)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "multinomial");
    orr__node *n;
    orr_tensor *bad = NULL;
    if (!orr__operand(at, weights, "weights", &n, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    if (trials < 0 || trials > (int64_t)1 << 53)
        return orr__poison(at, ORR_EINVAL, "%lld trials: a number from 0 to 2^53 is needed", (long long)trials);
    if (n->shape.rank < 1 || n->shape.dim[n->shape.rank - 1] < 1)
        return orr__poison(at, ORR_ESHAPE, "weights of shape %s have no last axis of categories", orr__str(n->shape).s);
    if (shape.rank == ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "shape %s has no axis left for the categories", orr__str(shape).s);
    shape.dim[shape.rank++] = n->shape.dim[n->shape.rank - 1];
    if (!orr__shape_ok(at, &shape, &bad))
        return bad;
    orr_scope *scope = orr__compose_begin(at);
    weights = orr__weights_checked(at, weights, trials > 0);
    orr__node *in[2] = { parameter(at, weights, "weights", &shape, &bad) };
    if (!in[0])
        return orr__compose_end(at, scope, bad);
    orr_shape rows = shape;
    rows.dim[rows.rank - 1] = 1;
    in[1] = numbers(at, &rows, shape.dim[shape.rank - 1]);
    orr__node *r = orr__node_of(at, &orr__op_multinomial, ORR_I64, &shape, 2, in);
    if (r) {
        r->nscalar = 2;
        r->s[0].u = orr__next_stream();
        r->s[1].i = trials;
    }
    return orr__compose_end(at, scope, orr__handle_new(r));
}
