/* orr_svd and orr_svdvals: singular values, with vectors or alone. A row of the result is U, S and Vh, or S alone.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/linalg/linalg.h"

#define AT b->at.file, b->at.line

enum { VALUES = 1, FULL = 2 };

/* Columns of U and rows of Vh. */
typedef struct {
    int64_t u, v;
} inner_of;

static inner_of inner(const orr__extent *e, unsigned mask)
{
    return mask & FULL ? (inner_of){ e->m, e->n } : (inner_of){ e->k, e->k };
}

static int64_t length(const orr__extent *e, unsigned mask)
{
    inner_of w = inner(e, mask);
    return mask & VALUES ? e->k : e->m * w.u + e->k + w.v * e->n;
}

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    if (in[0]->shape.rank < 2)
        return "singular values of what is no matrix";
    orr__extent e = orr__extent_of(&in[0]->shape);
    return orr__packed_verify(n, in[0], length(&e, n->attr.mask));
}

/* -- reference -------------------------------------------------------------------------------------------------------- */

/* Fills columns [have, cols) of x (rows × cols) with vectors orthonormal to the earlier columns and to each other. Columns
 * of norm 0 are filled, too. */
static void complete(orr__number *x, int64_t rows, int64_t cols, int64_t have)
{
    for (int64_t c = have, unit = 0; c < cols && unit < rows; unit++) {
        long double norm = 0;
        for (int64_t r = 0; r < rows; r++)
            x[r * cols + c] = r == unit;
        for (int twice = 0; twice < 2; twice++)
            for (int64_t k = 0; k < c; k++) {
                orr__number dot = 0;
                for (int64_t r = 0; r < rows; r++)
                    dot += conjl(x[r * cols + k]) * x[r * cols + c];
                for (int64_t r = 0; r < rows; r++)
                    x[r * cols + c] -= dot * x[r * cols + k];
            }
        for (int64_t r = 0; r < rows; r++)
            norm += creall(conjl(x[r * cols + c]) * x[r * cols + c]);
        if (norm * (long double)rows < 0.5L) /* limit of arithmetic */
            continue;                        /* this unit vector is nearly in the span; try the next */
        for (int64_t r = 0; r < rows; r++)
            x[r * cols + c] /= sqrtl(norm);
        c++;
    }
}

/* a, or aᴴ if that is the tall one (rows × cols), as left·diag(s)·rightᴴ; left has `wide` columns. */
static void decompose(orr__number *a, int64_t rows, int64_t cols, int64_t wide, orr__number *left, orr__number *s,
                      orr__number *right)
{
    int64_t have = 0;
    orr__plain_svd(a, rows, cols, s, right);
    /* limit of arithmetic */
    while (have < cols && creall(s[have]) > 1e-300L && creall(s[have]) > 1e-17L * creall(s[0]))
        have++;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < have; c++)
            left[r * wide + c] = a[r * cols + c] / s[c];
    complete(left, rows, wide, have);
}

static orr_status reference(const orr__reference *j)
{
    orr__extent e = orr__extent_of(&j->in[0].shape);
    unsigned mask = j->node->attr.mask;
    inner_of w = inner(&e, mask);
    bool turned = e.m < e.n;
    int64_t rows = turned ? e.n : e.m, cols = e.k, wide = turned ? w.v : w.u, len = length(&e, mask);
    orr__number *a = orr__plain(rows * cols), *left = orr__plain(rows * wide), *s = orr__plain(cols),
                *right = orr__plain(cols * cols);
    orr_status st = a && left && s && right ? ORR_OK : ORR_ENOMEM;
    for (int64_t q = 0; q < e.batch && st == ORR_OK; q++) {
        for (int64_t r = 0; r < e.m; r++)
            for (int64_t c = 0; c < e.n; c++) {
                orr__number v = orr__plain_get(&j->in[0], (q * e.m + r) * e.n + c);
                st = orr__plain_finite(v) ? st : orr__plain_fail(j, q, "has an element that is not finite");
                a[turned ? c * cols + r : r * cols + c] = turned ? conjl(v) : v;
            }
        if (st != ORR_OK)
            break;
        decompose(a, rows, cols, wide, left, s, right);
        int64_t at = q * len;
        for (int64_t i = 0; i < e.m * w.u && !(mask & VALUES); i++)
            orr__plain_set(&j->out, at++, turned ? right[i] : left[i]);
        for (int64_t i = 0; i < e.k; i++)
            orr__plain_set(&j->out, at++, s[i]);
        for (int64_t r = 0; r < w.v && !(mask & VALUES); r++)
            for (int64_t c = 0; c < e.n; c++)
                orr__plain_set(&j->out, at++, conjl(turned ? left[c * wide + r] : right[c * cols + r]));
    }
    free(a);
    free(left);
    free(s);
    free(right);
    return st;
}

/* -- derivative --------------------------------------------------------------------------------------------------------- */

/* In this section dU, dS and dV are the conjugates of cotangents.
 * x − y·(yᴴ·x): the component of x's columns orthogonal to those of y. */
static orr_tensor *upright(const orr__back *b, orr_tensor *y, orr_tensor *x)
{
    return orr__minus(b, x, orr__mm(b, y, orr__mm(b, orr__adjoint(b, y), x)));
}

/* xᴴ·dx − dxᴴ·x. */
static orr_tensor *turning(const orr__back *b, orr_tensor *x, orr_tensor *dx)
{
    orr_tensor *p = orr__mm(b, orr__adjoint(b, x), dx);
    return orr__minus(b, p, orr__adjoint(b, p));
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_shape of = orr_tensor_shape(b->in[0]);
    orr__extent e = orr__extent_of(&of);
    unsigned mask = b->node->attr.mask;
    inner_of w = inner(&e, mask);
    int64_t to_s = e.m * w.u, to_v = to_s + e.k;
    (void)k;
    if (mask & VALUES) { /* dA = U·diag(g)·Vh */
        orr_svd_result all = orr_svd_at(AT, b->in[0], false);
        return orr__conj(b, orr__mm(b, orr__columns(b, all.u, orr__conj(b, b->g)), all.vh));
    }
    if (mask & FULL && e.m != e.n)
        return orr__poison(b->at, ORR_EGRAPH,
                           "a full svd of %lld rows and %lld columns has no gradient: its last vectors are not unique",
                           (long long)e.m, (long long)e.n);
    orr_tensor *g = orr__conj(b, b->g);
    orr_tensor *u = orr__piece(b->at, b->out, 0, e.m, w.u), *s = orr__real_piece(b->at, b->out, to_s, e.k),
               *vh = orr__piece(b->at, b->out, to_v, w.v, e.n), *v = orr__adjoint(b, vh);
    orr_tensor *du = orr__piece(b->at, g, 0, e.m, w.u), *ds = orr__real_piece(b->at, g, to_s, e.k),
               *dv = orr__adjoint(b, orr__piece(b->at, g, to_v, w.v, e.n));
    if (e.k == 0)
        return b->g;
    orr_tensor *slope = orr__apart(b, g, to_s, e.k), *slope_u = orr__piece(b->at, slope, 0, e.m, w.u),
               *slope_v = orr__adjoint(b, orr__piece(b->at, slope, to_v, w.v, e.n));
    orr_tensor *most = orr__greatest(b, s, 1), *wide = orr_expand_dims_at(AT, most, -1), *count = orr__numbers(b, s);
    orr_tensor *x = turning(b, u, du), *y = turning(b, v, dv);
    orr_tensor *x_slope = turning(b, u, slope_u), *y_slope = turning(b, v, slope_v);
    orr_tensor *size = orr_maximum_at(AT, orr__greatest(b, du, 2), orr__greatest(b, dv, 2));
    /* (x_ij s_j + s_i y_ij) / (s_j² − s_i²) = ½(x + y)_ij / (s_j − s_i) + ½(x − y)_ij / (s_j + s_i) */
    orr_tensor *core = orr__quotient(b, orr__plus(b, x, y), size, orr__pairs(b, s, false), wide,
                                     orr__plus(b, x_slope, y_slope), orr__pairs(b, count, false));
    core = orr__plus(b, core,
                     orr__quotient(b, orr__minus(b, x, y), size, orr__pairs(b, s, true), wide,
                                   orr__minus(b, x_slope, y_slope), orr__pairs(b, count, true)));
    core = orr__off_diagonal(b, orr_mul_at(AT, core, orr_scalar_at(AT, 0.5)));
    core = orr__plus(b, core, orr__diagonal_matrix(b, ds));
    orr_tensor *row = orr_expand_dims_at(AT, s, -2);
    if (orr__is_complex(orr_tensor_dtype(u))) { /* the common phase of a pair of vectors */
        orr_tensor *here = orr_eye_at(AT, ORR_BOOL, e.k, e.k, 0),
                   *phase = orr__quotient(b, x, size, row, wide, x_slope, count);
        phase = orr_where_at(AT, here, orr_mul_at(AT, phase, orr_scalar_at(AT, 0.5)), orr_scalar_at(AT, 0));
        core = orr__plus(b, core, phase);
    }
    orr_tensor *all = orr__mm(b, u, core);
    if (e.m > e.k)
        all = orr__plus(b, all, orr__quotient(b, upright(b, u, du), size, row, wide, upright(b, u, slope_u), count));
    all = orr__mm(b, all, vh);
    if (e.n > e.k) {
        orr_tensor *rest = orr__quotient(b, upright(b, v, dv), size, row, wide, upright(b, v, slope_v), count);
        all = orr__plus(b, all, orr__mm(b, u, orr__adjoint(b, rest)));
    }
    return orr__conj(b, all);
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->in[0]);
    double flops = (c->attr.mask & VALUES ? 3 : 22) * (double)e.m * (double)e.n * (double)e.k;
    return (orr__workload){ .flops = (double)e.batch * flops, .product = true };
}

const orr__op orr__op_svd = { ORR__FACTORISATION(svd, 1) };

orr_svd_result orr_svd_at(const char *file, int line, orr_tensor *a, bool full)
{
    orr__site at = ORR__SITE(file, line, "svd");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__matrix_operand(at, a, "a", &n, &bad))
        return (orr_svd_result){ bad, bad, bad };
    orr__extent e = orr__extent_of(&n->shape);
    unsigned mask = full ? FULL : 0;
    inner_of w = inner(&e, mask);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *all = orr__packed(at, &orr__op_svd, n, length(&e, mask), mask);
    orr_svd_result r = { .u = orr_scope_return_at(file, line, scope, orr__piece(at, all, 0, e.m, w.u)) };
    r.s = orr_scope_return_at(file, line, scope, orr__real_piece(at, all, e.m * w.u, e.k));
    r.vh = orr__compose_end(at, scope, orr__piece(at, all, e.m * w.u + e.k, w.v, e.n));
    return r;
}

orr_tensor *orr_svdvals_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "svdvals");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__matrix_operand(at, a, "a", &n, &bad))
        return bad;
    orr__extent e = orr__extent_of(&n->shape);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *row = orr__packed(at, &orr__op_svd, n, length(&e, VALUES), VALUES);
    return orr__compose_end(at, scope, orr__real_piece(at, row, 0, e.k));
}
