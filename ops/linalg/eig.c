/* orr_eig and orr_eigvals: eigenvalues of real matrices, which are complex. A row of the result is real: the real parts of W, its
 * imaginary parts, those of V likewise; or W alone.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include "ops/linalg/linalg.h"

#define AT b->at.file, b->at.line

enum { VALUES = 1, SWEEPS = 60 };

static int64_t length(int64_t n, unsigned mask)
{
    return mask & VALUES ? 2 * n : 2 * n + 2 * n * n;
}

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr_shape *s = &in[0]->shape;
    (void)nin;
    return s->rank < 2 || s->dim[s->rank - 1] != s->dim[s->rank - 2]
               ? "eigenvalues of what is not square"
               : orr__packed_verify(n, in[0], length(s->dim[s->rank - 1], n->attr.mask));
}

/* -- reference: QR iterations with shifts on the whole matrix, to Schur's form ---------------------------------------------- */

typedef long double complex number;

/* a = G·a, or a·Gᴴ for the columns, with the rotation G of lines i and j that has c, s. */
static void rotate(number *a, int64_t n, int64_t i, int64_t j, number c, number s, bool columns)
{
    for (int64_t k = 0; k < n; k++) {
        number *x = columns ? &a[k * n + i] : &a[i * n + k], *y = columns ? &a[k * n + j] : &a[j * n + k];
        number u = *x, v = *y;
        *x = columns ? conjl(c) * u + conjl(s) * v : c * u + s * v;
        *y = columns ? -s * u + c * v : -conjl(s) * u + conjl(c) * v;
    }
}

/* Rotates a similarly so that element (j, k) becomes 0 by (i, k); q gathers the rotations. */
static void annihilate(number *a, number *q, int64_t n, int64_t i, int64_t j, number x, number y)
{
    long double r = sqrtl(creall(x * conjl(x)) + creall(y * conjl(y)));
    if (!(cabsl(y) > 0))
        return;
    number c = conjl(x) / r, s = conjl(y) / r;
    rotate(a, n, i, j, c, s, false);
    rotate(a, n, i, j, c, s, true);
    rotate(q, n, i, j, c, s, true);
}

/* Hessenberg's form, then Francis's implicit single shifts with deflation. false: no convergence. */
static bool schur(number *a, number *q, int64_t n)
{
    for (int64_t k = 0; k < n * n; k++)
        q[k] = k % (n + 1) == 0;
    for (int64_t c = 0; c + 2 < n; c++)
        for (int64_t r = c + 2; r < n; r++)
            annihilate(a, q, n, c + 1, r, a[(c + 1) * n + c], a[r * n + c]);
    int64_t end = n;
    for (int64_t left = SWEEPS * n; end > 1 && left > 0; left--) {
        int64_t lo = end - 1;
        while (lo > 0 && cabsl(a[lo * n + lo - 1]) > 1e-19L * (cabsl(a[lo * (n + 1)]) + cabsl(a[(lo - 1) * (n + 1)])))
            lo--;
        if (lo > 0)
            a[lo * n + lo - 1] = 0;
        if (lo == end - 1) {
            end--;
            continue;
        }
        number p = a[(end - 2) * (n + 1)], d = a[(end - 1) * (n + 1)],
               m = a[(end - 2) * n + end - 1] * a[(end - 1) * n + end - 2];
        number half = (p - d) / 2, root = csqrtl(half * half + m);
        number one = d + half + root, two = d + half - root, shift = cabsl(one - d) < cabsl(two - d) ? one : two;
        if (left % 11 == 0) /* an exceptional one */
            shift += cabsl(a[(end - 1) * n + end - 2]);
        annihilate(a, q, n, lo, lo + 1, a[lo * (n + 1)] - shift, a[(lo + 1) * n + lo]);
        for (int64_t k = lo; k + 2 < end; k++)
            annihilate(a, q, n, k + 1, k + 2, a[(k + 1) * n + k], a[(k + 2) * n + k]);
    }
    return end <= 1;
}

/* Eigenvector number k of the triangle t, times q, of norm 1. */
static void vector(const number *t, const number *q, int64_t n, int64_t k, number *x, number *v)
{
    long double norm = 0;
    for (int64_t i = n - 1; i >= 0; i--) {
        number sum = i == k ? 1 : 0, gap = t[k * (n + 1)] - t[i * (n + 1)];
        for (int64_t j = i + 1; j <= k && i < k; j++)
            sum += t[i * n + j] * x[j];
        x[i] = i < k ? sum / (cabsl(gap) > 1e-300L ? gap : 1e-18L) : sum;
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] = 0;
        for (int64_t j = 0; j <= k; j++)
            v[i] += q[i * n + j] * x[j];
        norm += creall(v[i] * conjl(v[i]));
    }
    for (int64_t i = 0; i < n; i++)
        v[i] /= sqrtl(norm);
}

static orr_status reference(const orr__reference *j)
{
    orr__extent e = orr__extent_of(&j->in[0].shape);
    int64_t n = e.n, len = length(n, j->node->attr.mask);
    number *a = orr__alloc_n((size_t)(2 * n * n + 2 * n) + 1, sizeof *a), *q = a + n * n, *x = q + n * n, *v = x + n;
    orr_status st = a ? ORR_OK : ORR_ENOMEM;
    for (int64_t m = 0; m < e.batch && st == ORR_OK; m++) {
        for (int64_t i = 0; i < n * n; i++) {
            a[i] = orr__reference_get(&j->in[0], m * n * n + i);
            st = isfinite(creall(a[i])) ? st : orr__plain_fail(j, m, "has an element that is not finite");
        }
        if (st == ORR_OK && !schur(a, q, n))
            st = orr__plain_fail(j, m, "has eigenvalues that did not converge");
        for (int64_t k = 0; k < n && st == ORR_OK; k++) {
            orr__reference_set(&j->out, m * len + k, creall(a[k * (n + 1)]));
            orr__reference_set(&j->out, m * len + n + k, cimagl(a[k * (n + 1)]));
            if (j->node->attr.mask & VALUES)
                continue;
            vector(a, q, n, k, x, v);
            for (int64_t i = 0; i < n; i++) {
                orr__reference_set(&j->out, m * len + 2 * n + i * n + k, creall(v[i]));
                orr__reference_set(&j->out, m * len + 2 * n + n * n + i * n + k, cimagl(v[i]));
            }
        }
    }
    free(a);
    return st;
}

/* -- derivative, in pairs of real tensors ------------------------------------------------------------------------------------- */

typedef struct {
    orr_tensor *re, *im;
} pair;

/* Pieces of a row: W, V. */
static pair values_of(const orr__back *b, orr_tensor *row, int64_t n)
{
    return (pair){ orr__piece(b->at, row, 0, n, -1), orr__piece(b->at, row, n, n, -1) };
}

static pair vectors_of(const orr__back *b, orr_tensor *row, int64_t n)
{
    return (pair){ orr__piece(b->at, row, 2 * n, n, n), orr__piece(b->at, row, 2 * n + n * n, n, n) };
}

/* xᴴ·y, x·yᴴ. */
static pair product_hn(const orr__back *b, pair x, pair y)
{
    orr_tensor *re = orr__tr(b, x.re), *im = orr__tr(b, x.im);
    return (pair){ orr__plus(b, orr__mm(b, re, y.re), orr__mm(b, im, y.im)),
                   orr__minus(b, orr__mm(b, re, y.im), orr__mm(b, im, y.re)) };
}

static pair product_nh(const orr__back *b, pair x, pair y)
{
    orr_tensor *re = orr__tr(b, y.re), *im = orr__tr(b, y.im);
    return (pair){ orr__plus(b, orr__mm(b, x.re, re), orr__mm(b, x.im, im)),
                   orr__minus(b, orr__mm(b, x.im, re), orr__mm(b, x.re, im)) };
}

/* (xᴴ·dx − xᴴ·x·diag(Re xᴴ·dx)) divided by the conjugates of the gaps w_j − w_i; 0 where they are 0. */
static pair turning(const orr__back *b, pair w, pair v, pair dv, int64_t n)
{
    pair p = product_hn(b, v, dv), vv = product_hn(b, v, v);
    orr_tensor *here = orr_eye_at(AT, ORR_BOOL, n, n, 0), *zero = orr_scalar_at(AT, 0);
    orr_tensor *d = orr_sum_at(AT, orr_where_at(AT, here, p.re, zero), ORR_AXES(-2), false);
    pair t = { orr__minus(b, p.re, orr__columns(b, vv.re, d)), orr__minus(b, p.im, orr__columns(b, vv.im, d)) };
    orr_tensor *x = orr__minus(b, orr_expand_dims_at(AT, w.re, -2), orr_expand_dims_at(AT, w.re, -1));
    orr_tensor *y = orr__minus(b, orr_expand_dims_at(AT, w.im, -1), orr_expand_dims_at(AT, w.im, -2));
    orr_tensor *q = orr__reciprocal(b, orr__plus(b, orr__times(b, x, x), orr__times(b, y, y)));
    return (pair){ orr__times(b, q, orr__plus(b, orr__times(b, t.re, x), orr__times(b, t.im, y))),
                   orr__times(b, q, orr__minus(b, orr__times(b, t.im, x), orr__times(b, t.re, y))) };
}

static orr_tensor *beside(const orr__back *b, orr_tensor *x, orr_tensor *y, int axis)
{
    return orr_concat_at(AT, (orr_tensor *[]){ x, y }, 2, axis);
}

/* The real part of V⁻ᴴ·core·Vᴴ, where the complex system is a real one of twice the order. */
static orr_tensor *transformed(const orr__back *b, pair v, pair core, int64_t n)
{
    pair right = product_nh(b, core, v);
    orr_tensor *re = orr__tr(b, v.re), *im = orr__tr(b, v.im); /* Vᴴ = re − i·im */
    orr_tensor *system = beside(b, beside(b, re, im, -1), beside(b, orr_neg_at(AT, im), re, -1), -2);
    orr_tensor *x = orr_solve_at(AT, system, beside(b, right.re, right.im, -2));
    return orr_slice_axis_at(AT, x, -2, 0, n, 1);
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_shape of = orr_tensor_shape(b->in[0]);
    int64_t n = of.dim[of.rank - 1];
    orr__node *in;
    orr_tensor *row = b->out, *bad;
    bool values = (b->node->attr.mask & VALUES) != 0;
    (void)k;
    if (values) {
        if (!orr__square_operand(b->at, b->in[0], "a", &in, &bad))
            return bad;
        row = orr__packed(b->at, &orr__op_eig, 1, &in, length(n, 0), 0);
    }
    pair w = values_of(b, row, n), v = vectors_of(b, row, n), dw = values_of(b, b->g, n);
    pair core = { orr__diagonal_matrix(b, dw.re), orr__diagonal_matrix(b, dw.im) };
    if (!values) {
        pair more = turning(b, w, v, vectors_of(b, b->g, n), n);
        core = (pair){ orr__plus(b, core.re, more.re), orr__plus(b, core.im, more.im) };
    }
    return transformed(b, v, core, n);
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->in[0]);
    double n = (double)e.n, flops = (c->attr.mask & VALUES ? 20 : 50) * n * n * n;
    return (orr__workload){ .flops = (double)e.batch * flops, .product = true };
}

const orr__op orr__op_eig = {
    .id = ORR__OP_eig,
    .name = "eig",
    .arity = 1,
    .form = ORR__FORM_KERNEL,
    .attrs = ORR__ATTR_MASK,
    .flags = ORR__OP_MAY_FAIL,
    .verify = verify,
    .reference = reference,
    .vjp = vjp,
    .work = work,
    .space = orr__packed_space,
};

static orr_tensor *pieces(orr__site at, orr_tensor *row, int64_t re, int64_t im, int64_t n, int64_t cols)
{
    return orr_complex_at(at.file, at.line, orr__piece(at, row, re, n, cols), orr__piece(at, row, im, n, cols));
}

orr_eig_result orr_eig_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "eig");
    orr__node *in;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &in, &bad))
        return (orr_eig_result){ bad, bad };
    int64_t n = in->shape.dim[in->shape.rank - 1];
    orr_scope *scope = orr_scope_begin();
    orr_tensor *row = orr__packed(at, &orr__op_eig, 1, &in, length(n, 0), 0);
    orr_eig_result r = { .w = orr_scope_return_at(file, line, scope, pieces(at, row, 0, n, n, -1)) };
    r.v = orr__compose_end(at, scope, pieces(at, row, 2 * n, 2 * n + n * n, n, n));
    return r;
}

orr_tensor *orr_eigvals_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "eigvals");
    orr__node *in;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &in, &bad))
        return bad;
    int64_t n = in->shape.dim[in->shape.rank - 1];
    orr_scope *scope = orr_scope_begin();
    orr_tensor *row = orr__packed(at, &orr__op_eig, 1, &in, length(n, VALUES), VALUES);
    return orr__compose_end(at, scope, pieces(at, row, 0, n, n, -1));
}
