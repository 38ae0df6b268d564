/* orr_lstsq and orr_pinv: solutions of least squares and least norm. A row of the result is X, the singular values, the rank.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "ops/linalg/linalg.h"
#include "ops/linalg/panels.h"
#include "runtime/base/fpmode.h"

#define AT b->at.file, b->at.line

static int64_t length(const orr__extent *e, int64_t k)
{
    return e->n * k + e->k + 1;
}

/* in: (b…, m, n), (b…, m, k); the scalar: a singular value below this part of the largest counts as 0. */
static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr_shape *a = &in[0]->shape, *b = &in[1]->shape;
    (void)nin;
    if (a->rank < 2 || b->rank != a->rank || in[1]->dtype != n->dtype || n->nscalar != 1)
        return "ranks, dtypes or scalars of least squares";
    for (int d = 0; d < a->rank - 1; d++)
        if (a->dim[d] != b->dim[d])
            return "rows or batches of least squares differ";
    orr__extent e = orr__extent_of(a);
    return orr__packed_verify(n, in[0], length(&e, b->dim[b->rank - 1]));
}

/* X = V·S⁺·Uᴴ·B, by the singular values of A if it is tall, else of Aᴴ. */
static orr_status reference(const orr__reference *j)
{
    orr__extent e = orr__extent_of(&j->in[0].shape);
    int64_t k = j->in[1].shape.dim[j->in[1].shape.rank - 1], len = length(&e, k);
    bool turned = e.m < e.n;
    int64_t rows = turned ? e.n : e.m, cols = e.k;
    double eps = orr__has_f64(j->out.dtype) ? DBL_EPSILON : FLT_EPSILON, limit = j->s[0].f;
    limit = limit < 0 ? eps * (double)rows : limit;
    orr__number *a = orr__plain(rows * cols), *s = orr__plain(cols), *v = orr__plain(cols * cols),
                *x = orr__plain(e.n * k);
    orr_status st = a && s && v && x ? ORR_OK : ORR_ENOMEM;
    for (int64_t q = 0; q < e.batch && st == ORR_OK; q++) {
        for (int64_t i = 0; i < e.m * e.n; i++) {
            orr__number value = orr__plain_get(&j->in[0], q * e.m * e.n + i);
            st = orr__plain_finite(value) ? st : orr__plain_fail(j, q, "has an element that is not finite");
            a[turned ? i % e.n * cols + i / e.n : i] = turned ? conjl(value) : value;
        }
        if (st != ORR_OK)
            break;
        orr__plain_svd(a, rows, cols, s, v);
        int64_t rank = 0;
        while (rank < cols && creall(s[rank]) > 0 && creall(s[rank]) > creall(s[0]) * limit)
            rank++;
        for (int64_t i = 0; i < e.n * k; i++)
            x[i] = 0;
        for (int64_t c = 0; c < rank; c++)
            for (int64_t h = 0; h < k; h++) {
                orr__number dot = 0; /* column of a: s·u */
                for (int64_t r = 0; r < e.m; r++)
                    dot += conjl(turned ? v[r * cols + c] : a[r * cols + c] / s[c]) *
                           orr__plain_get(&j->in[1], (q * e.m + r) * k + h);
                for (int64_t r = 0; r < e.n; r++)
                    x[r * k + h] += (turned ? a[r * cols + c] / s[c] : v[r * cols + c]) * dot / s[c];
            }
        for (int64_t i = 0; i < len; i++)
            orr__plain_set(&j->out, q * len + i,
                           i < e.n * k         ? x[i]
                           : i < e.n * k + e.k ? s[i - e.n * k]
                                               : (orr__number)rank);
    }
    free(a);
    free(s);
    free(v);
    free(x);
    return st;
}

/* The packed row for operands that fit. */
static orr_tensor *packed(orr__site at, orr_tensor *a, orr_tensor *b, double limit)
{
    orr__node *in[2];
    orr_tensor *bad;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ a, b }, (const char *const[]){ "a", "b" }, in, &bad))
        return bad;
    orr_shape s = in[0]->shape, of = in[1]->shape;
    orr__extent e = orr__extent_of(&s);
    orr_tensor *triangle = orr__triangle_of(at, a, b);
    if (triangle) { /* R·X ≈ Qᴴ·B has the same solution, singular values and rank */
        int64_t k = of.dim[of.rank - 1];
        orr_tensor *r = orr_slice_axis_at(at.file, at.line, triangle, 1, 0, e.n, 1),
                   *qb = orr_slice_axis_at(at.file, at.line, triangle, 1, e.n, e.n + k, 1);
        double eps = orr__has_f64((orr_dtype)in[0]->dtype) ? DBL_EPSILON : FLT_EPSILON;
        orr_tensor *row = packed(at, r, qb, limit < 0 ? eps * (double)e.m : limit);
        s.dim[s.rank - 2] = length(&e, k);
        s.dim[--s.rank] = 0;
        row = orr_reshape_at(at.file, at.line, row, s);
        return orr__stands_for(at, &orr__op_lstsq, 2, in, row, 0, (orr__scalar){ .f = limit });
    }
    s.dim[s.rank - 2] = length(&e, of.dim[of.rank - 1]);
    s.dim[--s.rank] = 0;
    if (!orr__shape_ok(at, &s, &bad))
        return bad;
    orr__node *r = orr__node_new(at, &orr__op_lstsq, (orr_dtype)in[0]->dtype, &s, 2, in);
    if (r) {
        r->s[0].f = limit;
        r->nscalar = 1;
    }
    return orr__handle_new(r);
}

static orr_tensor *solution(orr__site at, orr_tensor *row, orr_tensor *a, orr_tensor *b)
{
    orr_shape sa = orr_tensor_shape(a), sb = orr_tensor_shape(b);
    return sa.rank < 2 || sb.rank < 2 ? row : orr__piece(at, row, 0, sa.dim[sa.rank - 1], sb.dim[sb.rank - 1]);
}

static orr_tensor *least(orr__site at, orr_tensor *a, orr_tensor *b, double limit)
{
    return solution(at, packed(at, a, b, limit), a, b);
}

/* With P = A⁺, constant rank and g the conjugate of the cotangent (Golub and Pereyra, 1973): dB = Pᴴ·g, dA = −dB·Xᴴ
 * + (B − A·X)·(P·dB)ᴴ + (Pᴴ·X)·(g − Aᴴ·dB)ᴴ. Singular values and rank have no gradient. */
static orr_tensor *vjp(const orr__back *b, int which)
{
    orr_tensor *a = b->in[0], *turned = orr__adjoint(b, a);
    orr_tensor *x = solution(b->at, b->out, a, b->in[1]), *g = orr__conj(b, solution(b->at, b->g, a, b->in[1]));
    double limit = b->node->s[0].f;
    if (which == 1)
        return orr__conj(b, least(b->at, turned, g, limit));
    orr_shape s = orr_tensor_shape(b->in[1]);
    int64_t k = s.dim[s.rank - 1];
    orr_tensor *both = least(b->at, turned, orr_concat_at(AT, (orr_tensor *[]){ g, x }, 2, -1), limit);
    orr_tensor *db = orr_slice_axis_at(AT, both, -1, 0, k, 1), *px = orr_slice_axis_at(AT, both, -1, k, 2 * k, 1);
    orr_tensor *rest = orr__minus(b, b->in[1], orr__mm(b, a, x)), *away = orr__minus(b, g, orr__mm(b, turned, db));
    orr_tensor *all = orr__minus(b, orr__mm(b, rest, orr__adjoint(b, least(b->at, a, db, limit))),
                                 orr__mm(b, db, orr__adjoint(b, x)));
    return orr__conj(b, orr__plus(b, all, orr__mm(b, px, orr__adjoint(b, away))));
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->in[0]);
    double m = (double)e.m, n = (double)e.n, k = (double)e.k, b = (double)c->in[1].dim[c->in[1].rank - 1];
    return (orr__workload){ .flops = (double)e.batch * (8 * m * n * k + 8 * m * n * b), .product = true };
}

const orr__op orr__op_lstsq = { ORR__FACTORISATION(lstsq, 2) };

/* -- public ------------------------------------------------------------------------------------------------------------ */

static orr_lstsq_result all_bad(orr_tensor *bad)
{
    return (orr_lstsq_result){ bad, bad, bad };
}

orr_lstsq_result orr_lstsq_at(const char *file, int line, orr_tensor *a, orr_tensor *b, double rtol)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "lstsq");
    orr__node *in[2];
    orr_tensor *bad;
    orr_dtype t;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ a, b }, (const char *const[]){ "a", "b" }, in, &bad))
        return all_bad(bad);
    if (!orr__promote_nodes(at, 2, in, &t))
        return all_bad(orr__handle_new(NULL));
    if (isnan(rtol))
        return all_bad(orr__poison(at, ORR_EINVAL, "rtol is NaN"));
    orr_shape s = in[1]->shape;
    bool vector = s.rank == 1;
    orr_scope *scope = orr__compose_begin(at);
    a = orr_cast_at(file, line, a, t);
    b = orr_cast_at(file, line, b, t);
    b = vector ? orr_expand_dims_at(file, line, b, -1) : b;
    if (!orr__matrix_operand(at, a, "a", &in[0], &bad) || !orr__matrix_operand(at, b, "b", &in[1], &bad))
        return all_bad(orr__compose_end(at, scope, bad));
    orr__extent e = orr__extent_of(&in[0]->shape), of = orr__extent_of(&in[1]->shape);
    if (of.m != e.m)
        return all_bad(
            orr__compose_end(at, scope,
                             orr__poison(at, ORR_ESHAPE, "a of shape %s has another number of rows than b of shape %s",
                                         orr__str(in[0]->shape).s, orr__str(s).s)));
    if (!orr__stacks(at, &a, &b, &bad))
        return all_bad(orr__compose_end(at, scope, bad));
    orr_tensor *row = packed(at, a, b, rtol), *x = solution(at, row, a, b);
    orr_shape to = orr_tensor_shape(x);
    if (vector && to.rank > 0) {
        to.dim[--to.rank] = 0;
        x = orr_reshape_at(file, line, x, to);
    }
    orr_tensor *fixed = orr_detach_at(file, line, row);
    orr_lstsq_result r = { .x = orr_scope_return_at(file, line, scope, x) };
    r.s = orr_scope_return_at(file, line, scope, orr__real_piece(at, fixed, e.n * of.n, e.k));
    orr_tensor *rank = orr_cast_at(file, line, orr__real_piece(at, fixed, e.n * of.n + e.k, 1), ORR_I64);
    r.rank = orr__compose_end(at, scope, orr_select_at(file, line, rank, -1, 0));
    return r;
}

orr_tensor *orr_pinv_at(const char *file, int line, orr_tensor *a, double rtol)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "pinv");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__matrix_operand(at, a, "a", &n, &bad))
        return bad;
    if (isnan(rtol))
        return orr__poison(at, ORR_EINVAL, "rtol is NaN");
    orr_shape s = n->shape;
    int64_t m = s.dim[s.rank - 2];
    s.dim[s.rank - 1] = m;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *one = orr_broadcast_to_at(file, line, orr_eye_at(file, line, (orr_dtype)n->dtype, m, m, 0), s);
    return orr__compose_end(at, scope, least(at, a, one, rtol));
}
