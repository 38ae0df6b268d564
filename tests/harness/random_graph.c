/* Random graphs: values of the nodes by the reference evaluation, one op at a time, and bounds for an engine's
 * errors. A bound is found by running each op on operands that are shifted by their own bounds.
 * Must not know: engines. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "runtime/base/env.h"
#include "tests/harness/random_graph.h"

int rg_pick(rg_graph *g, int n)
{
    return (int)(orr_test_rand(&g->state) % (unsigned long long)n);
}

int rg_any(rg_graph *g)
{
    int a = rg_pick(g, g->n), b = rg_pick(g, g->n), later = a > b ? a : b;
    return rg_pick(g, 3) || orr__is_complex(orr_tensor_dtype(g->v[later].t)) ? g->last : later;
}

void rg_begin(rg_graph *g, unsigned long long seed)
{
    memset(g, 0, sizeof *g);
    g->last_complex = -1;
    g->state = seed;
    g->state = orr_test_rand(&g->state); /* separates the streams of neighbouring seeds */
}

void rg_end(rg_graph *g)
{
    for (int i = 0; i < g->n; i++) {
        free(g->v[i].v);
        free(g->v[i].err);
    }
    g->n = 0;
}

static double eps(orr_dtype d)
{
    return d == ORR_F64 ? 0x1p-52 : d == ORR_F32 ? 0x1p-23 : d == ORR_F16 ? 0x1p-10 : 0x1p-7;
}

/* Below this a device may have lost some or all digits. */
static double tiny(orr_dtype d)
{
    return d == ORR_F64 ? 1e-300 : d == ORR_F16 ? 0x1p-22 : 1e-36;
}

static int64_t scalars(const rg_value *x)
{
    return orr_tensor_size(x->t) * help_parts(orr_tensor_dtype(x->t));
}

/* A leaf of these elements, shifted by the errors: sign 0 not, 1 up, -1 down, 2 up and down in turn. */
static orr_tensor *leaf_of(const rg_value *x, int sign)
{
    orr_dtype d = orr__part_dtype(orr_tensor_dtype(x->t));
    int64_t n = scalars(x);
    size_t size = orr_dtype_size(d);
    char *data = calloc((size_t)n + 1, size);
    for (int64_t i = 0; data && i < n; i++) {
        orr__scalar v = x->v[i];
        double by = x->err ? x->err[i] * (sign == 2 ? (i & 1 ? 1 : -1) : sign) : 0;
        if (by != 0) {
            v.f += by;
            v = orr__scalar_cast(v, ORR_F64, d);
        }
        orr__scalar_store(data + (size_t)i * size, d, v);
    }
    orr_tensor *t = orr_from(orr_tensor_dtype(x->t), orr_tensor_shape(x->t), data);
    free(data);
    return t;
}

static bool all_finite(const rg_value *x)
{
    bool ok = true;
    for (int64_t i = 0, n = scalars(x); i < n && orr__is_inexact(orr_tensor_dtype(x->t)); i++)
        ok = ok && isfinite(x->v[i].f);
    return ok;
}

static bool add(rg_graph *g, rg_value x, const char *what)
{
    if (!x.v || g->n == RG_VALUES) {
        free(x.v);
        free(x.err);
        return false;
    }
    if (!x.ref)
        x.ref = leaf_of(&x, 0);
    x.finite = all_finite(&x);
    snprintf(g->log[g->n], sizeof g->log[0], "%s", what);
    g->v[g->n++] = x;
    return true;
}

int rg_leaf(rg_graph *g, orr_dtype dtype, orr_shape s)
{
    rg_value x = { 0 };
    orr_dtype d = orr__part_dtype(dtype);
    int64_t n = orr__shape_count(&s) * help_parts(dtype);
    size_t size = orr_dtype_size(d);
    char *data = calloc((size_t)n + 1, size);
    x.v = calloc((size_t)n + 1, sizeof *x.v);
    for (int64_t i = 0; x.v && data && i < n; i++) {
        double r = orr__is_float(d) ? (double)rg_pick(g, 4001) / 1000 - 2
                   : d == ORR_BOOL  ? rg_pick(g, 2)
                                    : rg_pick(g, 19) - 9;
        if (orr__is_unsigned(d))
            r = fabs(r);
        x.v[i] = orr__scalar_cast((orr__scalar){ .f = r }, ORR_F64, d);
        orr__scalar_store(data + (size_t)i * size, d, x.v[i]);
    }
    x.t = orr_from(dtype, s, data);
    x.ref = x.t;
    free(data);
    return add(g, x, "leaf") ? g->n - 1 : -1;
}

/* Runs the op on the operands' values, shifted by their bounds, with sign 3 in opposite directions; returns scalars of the result. */
static orr__scalar *try_step(rg_graph *g, const rg_step *s, int sign)
{
    orr_tensor *in[8];
    for (int k = 0; k < s->nin; k++) {
        int own = sign < 3 ? sign : k & 1 ? -1 : 1;
        in[k] = own && g->v[s->in[k]].err ? leaf_of(&g->v[s->in[k]], own) : g->v[s->in[k]].ref;
    }
    return help_reference(s->apply(in, s->nin, &s->p));
}

/* Runs the op on the operands' absolute values: its sums without cancellation. */
static orr__scalar *sizes(rg_graph *g, const rg_step *s)
{
    orr_tensor *in[8];
    for (int k = 0; k < s->nin; k++) {
        in[k] = g->v[s->in[k]].ref;
        if (orr__is_float(orr_tensor_dtype(in[k])))
            in[k] = orr_abs(in[k]);
    }
    return help_reference(s->apply(in, s->nin, &s->p));
}

static double largest(rg_graph *g, const rg_step *s)
{
    double most = 0;
    for (int k = 0; k < s->nin; k++) {
        const rg_value *x = &g->v[s->in[k]];
        for (int64_t i = 0, n = scalars(x); i < n && orr__is_inexact(orr_tensor_dtype(x->t)); i++)
            if (isfinite(x->v[i].f))
                most = fmax(most, fabs(x->v[i].f));
    }
    return most;
}

/* Adds to err the change of the result when the operands change. False: the result jumps. */
static bool add_sensitivity(rg_graph *g, const rg_step *s, rg_value *x, int64_t n)
{
    static const int signs[] = { 1, -1, 2, 3 };
    int kinds = s->nin > 1 ? 4 : 3;
    bool ok = true;
    double *moved = calloc((size_t)n + 1, sizeof *moved);
    for (int j = 0; j < kinds && ok && moved; j++) {
        orr__scalar *v = try_step(g, s, signs[j]);
        for (int64_t i = 0; v && i < n; i++)
            if (isfinite(x->v[i].f) != isfinite(v[i].f))
                ok = false;
            else if (isfinite(v[i].f))
                moved[i] = fmax(moved[i], fabs(v[i].f - x->v[i].f));
        free(v);
    }
    for (int64_t i = 0; moved && i < n; i++)
        x->err[i] += 4 * moved[i];
    free(moved);
    return ok;
}

/* Computes bounds for a float result that is not exact. False: not tame. */
static bool bound(rg_graph *g, const rg_step *s, rg_value *x, bool exact_in)
{
    bool pairs = orr__is_complex(orr_tensor_dtype(x->t));
    orr_dtype d = orr__part_dtype(orr_tensor_dtype(x->t)), acc = d == ORR_F16 || d == ORR_BF16 ? ORR_F32 : d;
    int64_t n = scalars(x);
    double most = largest(g, s), slack = s->slack * eps(d) * (s->square ? most * most : most);
    orr__scalar *size = s->terms > 0 || s->cancels ? sizes(g, s) : NULL;
    bool ok = most < 1e4;
    x->err = calloc((size_t)n + 1, sizeof *x->err);
    for (int64_t i = 0; x->err && i < n; i++) {
        double v = isfinite(x->v[i].f) ? fabs(x->v[i].f) : 0;
        if (pairs && isfinite(x->v[i ^ 1].f)) /* the error of a part counts for the whole number */
            v = hypot(v, x->v[i ^ 1].f);
        ok = ok && v < (d == ORR_F16 ? 1e3 : 1e4);
        double own = s->cancels && size && isfinite(size[i].f) ? fmax(v, size[i].f) : v;
        x->err[i] = fmax(s->ulps, 1) * eps(d) * own + slack + tiny(d);
        if (size && isfinite(size[i].f))
            x->err[i] += s->terms * eps(acc) * size[i].f;
    }
    free(size);
    ok = ok && x->err && (exact_in || add_sensitivity(g, s, x, n));
    for (int64_t i = 0; ok && i < n; i++)
        ok = !isfinite(x->v[i].f) || x->err[i] < 0.05 * (0.1 + fabs(x->v[i].f));
    return ok;
}

bool rg_commit(rg_graph *g, const rg_step *s)
{
    orr_tensor *in[8];
    bool exact_in = true;
    for (int k = 0; k < s->nin; k++) {
        in[k] = g->v[s->in[k]].t;
        exact_in = exact_in && !g->v[s->in[k]].err;
    }
    if (g->n == RG_VALUES || (!exact_in && !s->smooth))
        return false;
    rg_value x = { 0 };
    x.sums = s->sums || s->terms > 0 || s->slack > 0;
    for (int k = 0; k < s->nin; k++)
        x.sums = x.sums || g->v[s->in[k]].sums;
    x.t = s->apply(in, s->nin, &s->p);
    int64_t n = orr_tensor_size(x.t);
    ORR_CHECK_MSG(n >= 0, "%s: %s", s->name, orr_error_message());
    if (n < 0 || n > RG_ELEMENTS || orr_tensor_shape(x.t).rank > 6)
        return false;
    x.v = try_step(g, s, 0);
    bool kept = orr__env.excess_precision && orr__is_half(orr_tensor_dtype(x.t)); /* the reference rounds each result */
    bool exact = exact_in && s->ulps == 0 && s->terms == 0 && s->slack == 0 && !kept;
    bool is_complex = orr__is_complex(orr_tensor_dtype(x.t)), is_float = orr__is_inexact(orr_tensor_dtype(x.t));
    if (!x.v || (!exact && is_float && !bound(g, s, &x, exact_in)) || (!exact_in && !is_float)) {
        free(x.v);
        free(x.err);
        return false;
    }
    if (!add(g, x, s->name))
        return false;
    if (is_complex)
        g->last_complex = g->n - 1;
    else if (s->nin && (n > 3 || rg_pick(g, 4) == 0))
        g->last = g->n - 1;
    return true;
}

bool rg_grow(rg_graph *g)
{
    rg_step s;
    for (int tries = 0; tries < 50; tries++)
        if (rg_choose(g, &s) && rg_commit(g, &s))
            return true;
    return false;
}
