/* orr_cg: conjugate gradients on an operator of the program.
 * Must not know: devices, plans. */
#include "config.h"

#include <orrery/eval.h>
#include "ops/linalg/iterate.h"

#define AT at.file, at.line

/* Iterate, residual, direction; ρ = rᵀ·M·r and rᵀ·r. */
enum { X, R, P, RHO, RR, STATE };

typedef struct {
    orr__site at;
    orr_linear_fn *a;
    void *user;
    orr_iteration_options o;
    orr_tensor *now[STATE];
} iteration;

static orr_tensor *dot(orr__site at, orr_tensor *x, orr_tensor *y)
{
    return orr_sum_at(AT, orr_cast_at(AT, orr_mul_at(AT, x, y), ORR_F64), ORR_ALL_AXES, false);
}

/* x + s·y for a 0-d s of f64. */
static orr_tensor *along(orr__site at, orr_tensor *x, orr_tensor *s, orr_tensor *y)
{
    return orr_add_at(AT, x, orr_mul_at(AT, orr_cast_at(AT, s, orr_tensor_dtype(y)), y));
}

/* Evaluates the new state, moves it to the outer scope and frees the old one. */
static orr_status settle(iteration *c, orr_scope *scope, orr_tensor *const next[STATE])
{
    orr__site at = c->at;
    orr_status st = orr_eval_all_at(AT, next, STATE);
    for (int i = 0; i < STATE && st == ORR_OK; i++) {
        orr_tensor *kept = orr_scope_return_at(AT, scope, next[i]);
        st = orr_tensor_status(kept);
        if (st == ORR_OK && c->now[i])
            (void)orr_free_at(AT, c->now[i]);
        c->now[i] = st == ORR_OK ? kept : c->now[i];
    }
    return st;
}

static orr_status first(iteration *c, orr_tensor *b)
{
    orr__site at = c->at;
    orr_scope *scope = orr_scope_begin();
    if (!scope)
        return ORR_ENOMEM;
    orr_tensor *zero = orr_zeros_at(AT, orr_tensor_dtype(b), orr_tensor_shape(b));
    orr_tensor *x = c->o.start ? orr_add_at(AT, c->o.start, zero) : zero;
    orr_tensor *r = c->o.start ? orr_sub_at(AT, b, orr__operator(at, c->a, c->user, x)) : orr_add_at(AT, b, zero);
    orr_tensor *z = orr__operator(at, c->o.precondition, c->user, r);
    orr_tensor *next[STATE] = { x, r, orr_add_at(AT, z, zero), dot(at, r, z), dot(at, r, r) };
    orr_status st = settle(c, scope, next);
    (void)orr_scope_end_at(AT, scope);
    return st;
}

static orr_status step(iteration *c)
{
    orr__site at = c->at;
    orr_scope *scope = orr_scope_begin();
    double curvature = 0;
    if (!scope)
        return ORR_ENOMEM;
    orr_tensor *q = orr__operator(at, c->a, c->user, c->now[P]), *pq = dot(at, c->now[P], q);
    orr_tensor *alpha = orr_div_at(AT, c->now[RHO], pq);
    orr_tensor *x = along(at, c->now[X], alpha, c->now[P]), *r = along(at, c->now[R], orr_neg_at(AT, alpha), q);
    orr_tensor *z = orr__operator(at, c->o.precondition, c->user, r), *rho = dot(at, r, z);
    orr_tensor *p = along(at, z, orr_div_at(AT, rho, c->now[RHO]), c->now[P]);
    orr_tensor *next[STATE] = { x, r, p, rho, dot(at, r, r) }, *all[STATE + 1] = { x, r, p, rho, next[RR], pq };
    orr_status st = orr_eval_all_at(AT, all, STATE + 1);
    if (st == ORR_OK)
        st = orr_item_at(AT, pq, &curvature);
    if (st == ORR_OK && !(curvature > 0))
        st = orr__fail(at, ORR_ENUMERIC, "the operator is not positive definite: xᵀ·A·x is %g for a direction x",
                       curvature);
    if (st == ORR_OK)
        st = settle(c, scope, next);
    (void)orr_scope_end_at(AT, scope);
    return st;
}

static orr_status run(iteration *c, orr_tensor *b, orr_cg_result *result)
{
    orr__site at = c->at;
    double size = 0, rr = 0;
    orr_tensor *bb = dot(at, b, b);
    orr_status st = orr_item_at(AT, bb, &size);
    (void)orr_free_at(AT, bb);
    if (st == ORR_OK)
        st = first(c, b);
    for (result->iterations = 0; st == ORR_OK; result->iterations++) {
        st = orr_item_at(AT, c->now[RR], &rr);
        result->residual = size > 0 ? sqrt(rr / size) : sqrt(rr);
        result->converged = result->residual <= c->o.tolerance;
        if (st != ORR_OK || result->converged || result->iterations == c->o.most)
            break;
        st = step(c);
    }
    return st;
}

orr_status orr_cg_at(const char *file, int line, orr_linear_fn *a, void *user, orr_tensor *b,
                     const orr_iteration_options *options, orr_cg_result *result)
{
    orr__site at = ORR__SITE(file, line, "cg");
    iteration c = { .at = at, .a = a, .user = user };
    orr__node *n;
    orr_tensor *bad = NULL;
    if (!result || !a) {
        (void)orr__fail(at, ORR_EINVAL, "the %s is NULL", a ? "place for the result" : "operator");
        if (result)
            *result = (orr_cg_result){ .x = orr__handle_new(NULL) };
        return ORR_EINVAL;
    }
    *result = (orr_cg_result){ .x = NULL };
    orr_scope *scope = orr__compose_begin(at);
    orr_status st = orr__iterates(at, b, "b", &n, &bad) ? ORR_OK : orr_tensor_status(bad);
    if (st == ORR_OK) {
        int64_t count = orr__shape_count(&n->shape);
        /* limit of search */
        st = orr__iteration_settings(at, options, (orr_dtype)n->dtype, count < 1 << 20 ? 10 * (int)count : 10 << 20,
                                     &c.o);
    }
    if (st == ORR_OK && c.o.start) {
        orr_shape s = orr_tensor_shape(c.o.start);
        if (!orr__shape_equal(&s, &n->shape) || orr_tensor_dtype(c.o.start) != (orr_dtype)n->dtype)
            st = orr__fail(at, ORR_ESHAPE, "the start is %s, and b is %s of %s", orr__str(s).s, orr__str(n->shape).s,
                           orr_dtype_name((orr_dtype)n->dtype));
    }
    if (st == ORR_OK)
        st = run(&c, b, result);
    result->x = orr__compose_end(at, scope, st == ORR_OK ? c.now[X] : orr__handle_new(NULL));
    return st;
}
