/* orr_lobpcg: some eigenvalues of an operator of the program.
 * Must not know: devices, plans. */
#include "config.h"

#include <orrery/eval.h>
#include "ops/linalg/iterate.h"

#define AT at.file, at.line

/* Vectors, their last change, values, the largest residual. */
enum { V, P, W, RESIDUAL, STATE };

typedef struct {
    orr__site at;
    orr_linear_fn *a;
    void *user;
    orr_iteration_options o;
    bool largest;
    int64_t k;
    orr_tensor *now[STATE]; /* P is NULL at first */
} iteration;

static orr_tensor *mm(orr__site at, orr_tensor *x, orr_tensor *y)
{
    return orr_matmul_at(AT, x, y);
}

static orr_tensor *turned(orr__site at, orr_tensor *x)
{
    return orr_transpose_at(AT, x);
}

/* The best k vectors in the span of the orthonormal columns q (Rayleigh and Ritz), values, and residuals A·v − v·w. */
typedef struct {
    orr_tensor *v, *w, *r;
} ritz;

static ritz best(const iteration *c, orr_tensor *q)
{
    orr__site at = c->at;
    orr_tensor *aq = orr__operator(at, c->a, c->user, q);
    orr_eigh_result e = orr_eigh_at(AT, mm(at, turned(at, q), aq));
    orr_shape s = orr_tensor_shape(e.w);
    int64_t n = s.rank > 0 ? s.dim[0] : 0, from = c->largest ? n - c->k : 0;
    orr_tensor *w = orr_slice_axis_at(AT, e.w, 0, from, from + c->k, 1);
    orr_tensor *y = orr_slice_axis_at(AT, e.v, 1, from, from + c->k, 1);
    if (c->largest) {
        w = orr_flip_at(AT, w, ORR_AXES(0));
        y = orr_flip_at(AT, y, ORR_AXES(1));
    }
    orr_tensor *v = mm(at, q, y);
    orr_tensor *r = orr_sub_at(AT, mm(at, aq, y), orr_mul_at(AT, v, orr_expand_dims_at(AT, w, 0)));
    return (ritz){ v, w, r };
}

static orr_tensor *largest_residual(orr__site at, const ritz *b)
{
    orr_tensor *each = orr_norm_at(AT, b->r, ORR_AXES(0), false);
    orr_tensor *size = orr_max_at(AT, orr_abs_at(AT, b->w), ORR_ALL_AXES, false);
    orr_tensor *worst = orr_max_at(AT, each, ORR_ALL_AXES, false), *zero = orr_equal_at(AT, size, orr_scalar_at(AT, 0));
    return orr_cast_at(AT, orr_div_at(AT, worst, orr_where_at(AT, zero, orr_scalar_at(AT, 1), size)), ORR_F64);
}

/* The next vectors are the best in the span of the vectors, their residuals and their last change. The residuals of the
 * current vectors are computed again here, from a product with the operator. */
static orr_status step(iteration *c)
{
    orr__site at = c->at;
    orr_scope *scope = orr_scope_begin();
    if (!scope)
        return ORR_ENOMEM;
    orr_tensor *v = c->now[V], *next[STATE];
    ritz b;
    if (!c->now[W]) { /* the first step */
        b = best(c, orr_qr_at(AT, v, false).q);
        next[P] = orr_zeros_at(AT, orr_tensor_dtype(v), orr_tensor_shape(v));
    } else {
        orr_tensor *av = orr__operator(at, c->a, c->user, v);
        orr_tensor *r = orr_sub_at(AT, av, orr_mul_at(AT, v, orr_expand_dims_at(AT, c->now[W], 0)));
        r = orr__operator(at, c->o.precondition, c->user, r);
        orr_tensor *span[3] = { v, r, c->now[P] };
        /* Scales all columns to norm 1, since the change and the residuals become as small as the errors. */
        for (int i = 1; i < 3 && span[i]; i++) {
            orr_tensor *size = orr_norm_at(AT, span[i], ORR_AXES(0), true),
                       *zero = orr_equal_at(AT, size, orr_scalar_at(AT, 0));
            span[i] = orr_div_at(AT, span[i], orr_where_at(AT, zero, orr_scalar_at(AT, 1), size));
        }
        b = best(c, orr_qr_at(AT, orr_concat_at(AT, span, span[2] ? 3 : 2, 1), false).q);
        next[P] = orr_sub_at(AT, b.v, mm(at, v, mm(at, turned(at, v), b.v)));
    }
    next[V] = b.v;
    next[W] = b.w;
    next[RESIDUAL] = largest_residual(at, &b);
    bool first = !c->now[W];
    orr_status st = orr_eval_all_at(AT, next, STATE);
    for (int i = 0; i < STATE && st == ORR_OK; i++) {
        if (first && i == P) /* no change yet */
            continue;
        orr_tensor *kept = orr_scope_return_at(AT, scope, next[i]);
        st = orr_tensor_status(kept);
        if (st == ORR_OK && c->now[i] && !(first && i == V)) /* the caller owns the start */
            (void)orr_free_at(AT, c->now[i]);
        c->now[i] = st == ORR_OK ? kept : c->now[i];
    }
    (void)orr_scope_end_at(AT, scope);
    return st;
}

static orr_status run(iteration *c, orr_lobpcg_result *result)
{
    orr__site at = c->at;
    orr_status st = step(c);
    for (result->iterations = 0; st == ORR_OK; result->iterations++) {
        st = orr_item_at(AT, c->now[RESIDUAL], &result->residual);
        result->converged = result->residual <= c->o.tolerance;
        if (st != ORR_OK || result->converged || result->iterations == c->o.most)
            break;
        st = step(c);
    }
    return st;
}

orr_status orr_lobpcg_at(const char *file, int line, orr_linear_fn *a, void *user, orr_tensor *start, bool largest,
                         const orr_iteration_options *options, orr_lobpcg_result *result)
{
    orr__site at = ORR__SITE(file, line, "lobpcg");
    iteration c = { .at = at, .a = a, .user = user, .largest = largest };
    orr__node *n;
    orr_tensor *bad = NULL;
    if (!result || !a) {
        (void)orr__fail(at, ORR_EINVAL, "the %s is NULL", a ? "place for the result" : "operator");
        if (result)
            *result = (orr_lobpcg_result){ .w = orr__handle_new(NULL), .v = orr__handle_new(NULL) };
        return ORR_EINVAL;
    }
    *result = (orr_lobpcg_result){ .w = NULL };
    orr_scope *scope = orr__compose_begin(at);
    orr_status st = orr__iterates(at, start, "start", &n, &bad) ? ORR_OK : orr_tensor_status(bad);
    if (st == ORR_OK && (n->shape.rank != 2 || n->shape.dim[1] < 1 || n->shape.dim[1] > n->shape.dim[0]))
        st = orr__fail(at, ORR_ESHAPE,
                       "start of shape %s is no matrix of at least one and at most as many columns as rows",
                       orr__str(n->shape).s);
    if (st == ORR_OK)
        st = orr__iteration_settings(at, options, (orr_dtype)n->dtype, 200, &c.o);
    if (st == ORR_OK) {
        c.k = n->shape.dim[1];
        c.now[V] = start;
        st = run(&c, result);
    }
    orr_tensor *v = st == ORR_OK ? c.now[V] : orr__handle_new(NULL);
    result->v = scope ? orr_scope_return_at(file, line, scope, v) : v;
    result->w = orr__compose_end(at, scope, st == ORR_OK ? c.now[W] : orr__handle_new(NULL));
    return st;
}
