/* orr_qr: orthonormal columns times an upper triangle. A row of the result is Q and behind it R.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/linalg/linalg.h"

#define AT b->at.file, b->at.line

enum { COMPLETE = 1 };

/* Columns of Q. */
static int64_t inner(const orr__extent *e, unsigned mask)
{
    return mask & COMPLETE ? e->m : e->k;
}

static int64_t length(const orr__extent *e, unsigned mask)
{
    return inner(e, mask) * (e->m + e->n);
}

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    if (in[0]->shape.rank < 2)
        return "a factorisation of what is no matrix";
    orr__extent e = orr__extent_of(&in[0]->shape);
    return orr__packed_verify(n, in[0], length(&e, n->attr.mask));
}

/* x −= 2·v·(vᵀ·x)/(vᵀ·v) for columns [from, cols) of x, rows [at, rows). */
static void reflect(const orr__wide_real *v, int64_t at, int64_t rows, orr__wide_real *x, int64_t from, int64_t cols)
{
    orr__wide_real vv = 0;
    for (int64_t r = at; r < rows; r++)
        vv += v[r] * v[r];
    for (int64_t c = from; c < cols && vv > 0; c++) {
        orr__wide_real vx = 0;
        for (int64_t r = at; r < rows; r++)
            vx += v[r] * x[r * cols + c];
        for (int64_t r = at; r < rows; r++)
            x[r * cols + c] -= 2 * v[r] * vx / vv;
    }
}

/* Householder: R in a's upper triangle, the vectors in the rows of v. */
static void factor(orr__wide_real *a, int64_t m, int64_t n, int64_t k, orr__wide_real *v)
{
    for (int64_t c = 0; c < k; c++) {
        orr__wide_real below = 0, head = a[c * n + c];
        for (int64_t r = c + 1; r < m; r++)
            below += a[r * n + c] * a[r * n + c];
        for (int64_t r = 0; r < m; r++)
            v[c * m + r] = r >= c && below > 0 ? a[r * n + c] : 0;
        if (below > 0)
            v[c * m + c] += copysignl(sqrtl(head * head + below), head);
        reflect(v + c * m, c, m, a, c, n);
    }
}

static orr_status reference(const orr__reference *j)
{
    orr__extent e = orr__extent_of(&j->in[0].shape);
    int64_t w = inner(&e, j->node->attr.mask), len = length(&e, j->node->attr.mask);
    orr__wide_real *a = orr__plain(e.m * e.n), *v = orr__plain(e.k * e.m), *x = orr__plain(e.m * w);
    for (int64_t q = 0; q < e.batch && a && v && x; q++) {
        orr__plain_load(j, 0, q, e.m * e.n, a);
        factor(a, e.m, e.n, e.k, v);
        for (int64_t i = 0; i < e.m * w; i++)
            x[i] = i / w == i % w;
        for (int64_t c = e.k - 1; c >= 0; c--)
            reflect(v + c * e.m, c, e.m, x, 0, w);
        for (int64_t i = 0; i < e.m * w; i++)
            orr__reference_set(&j->out, q * len + i, x[i]);
        for (int64_t i = 0; i < w * e.n; i++)
            orr__reference_set(&j->out, q * len + e.m * w + i, i / e.n <= i % e.n ? a[i] : 0);
    }
    orr_status st = a && v && x ? ORR_OK : ORR_ENOMEM;
    free(a);
    free(v);
    free(x);
    return st;
}

/* The symmetric matrix whose lower triangle is x's. */
static orr_tensor *mirror(const orr__back *b, orr_tensor *x)
{
    return orr__plus(b, orr_tril_at(AT, x, 0), orr__tr(b, orr_tril_at(AT, x, -1)));
}

/* (dQ + Q·mirror(R·dRᵀ − dQᵀ·Q))·R⁻ᵀ for m ≥ n. */
static orr_tensor *tall(const orr__back *b, orr_tensor *q, orr_tensor *r, orr_tensor *dq, orr_tensor *dr)
{
    orr_tensor *m = orr__minus(b, orr__mm(b, r, orr__tr(b, dr)), orr__mm(b, orr__tr(b, dq), q));
    return orr__right(b, r, orr__plus(b, dq, orr__mm(b, q, mirror(b, m))), false, true);
}

/* A wide matrix is [X Y] = Q·[U W]: Y = Q·W, and X is square. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_shape of = orr_tensor_shape(b->in[0]);
    orr__extent e = orr__extent_of(&of);
    unsigned mask = b->node->attr.mask;
    int64_t w = inner(&e, mask);
    (void)k;
    if (mask & COMPLETE && e.m > e.n)
        return orr__poison(
            b->at, ORR_EGRAPH,
            "a complete qr of %lld rows and %lld columns has no gradient: its last columns are not unique",
            (long long)e.m, (long long)e.n);
    orr_tensor *q = orr__piece(b->at, b->out, 0, e.m, w), *r = orr__piece(b->at, b->out, e.m * w, w, e.n);
    orr_tensor *dq = orr__piece(b->at, b->g, 0, e.m, w), *dr = orr__piece(b->at, b->g, e.m * w, w, e.n);
    if (e.m >= e.n)
        return tall(b, q, r, dq, dr);
    orr_tensor *y = orr_slice_axis_at(AT, b->in[0], -1, e.m, e.n, 1), *dw = orr_slice_axis_at(AT, dr, -1, e.m, e.n, 1);
    dq = orr__plus(b, dq, orr__mm(b, y, orr__tr(b, dw)));
    orr_tensor *dx = tall(b, q, orr_slice_axis_at(AT, r, -1, 0, e.m, 1), dq, orr_slice_axis_at(AT, dr, -1, 0, e.m, 1));
    return orr_concat_at(AT, (orr_tensor *[]){ dx, orr__mm(b, q, dw) }, 2, -1);
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->in[0]);
    double w = (double)inner(&e, c->attr.mask);
    return (orr__workload){ .flops = (double)e.batch * 4 * (double)e.m * w * (double)e.k, .product = true };
}

const orr__op orr__op_qr = {
    .id = ORR__OP_qr,
    .name = "qr",
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

orr_qr_result orr_qr_at(const char *file, int line, orr_tensor *a, bool complete)
{
    orr__site at = ORR__SITE(file, line, "qr");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__matrix_operand(at, a, "a", &n, &bad))
        return (orr_qr_result){ bad, bad };
    orr__extent e = orr__extent_of(&n->shape);
    unsigned mask = complete ? COMPLETE : 0;
    int64_t w = inner(&e, mask);
    orr_scope *scope = orr_scope_begin();
    orr_tensor *all = orr__packed(at, &orr__op_qr, 1, &n, length(&e, mask), mask);
    orr_qr_result r = { .q = orr_scope_return_at(file, line, scope, orr__piece(at, all, 0, e.m, w)) };
    r.r = orr__compose_end(at, scope, orr__piece(at, all, e.m * w, w, e.n));
    return r;
}
