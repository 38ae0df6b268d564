/* orr_qr: orthonormal columns times an upper triangle. A row of the result has, for each j, column j of Q followed by row j of R;
 * or R alone.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/linalg/linalg.h"
#include "ops/linalg/panels.h"
#include "runtime/base/threshold.h"

#define AT b->at.file, b->at.line

enum { COMPLETE = 1, ALONE = 2 };

/* Columns of Q. */
static int64_t inner(const orr__extent *e, unsigned mask)
{
    return mask & COMPLETE ? e->m : e->k;
}

static int64_t length(const orr__extent *e, unsigned mask)
{
    return inner(e, mask) * ((mask & ALONE ? 0 : e->m) + e->n);
}

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    if (in[0]->shape.rank < 2)
        return "a factorisation of what is no matrix";
    orr__extent e = orr__extent_of(&in[0]->shape);
    return orr__packed_verify(n, in[0], length(&e, n->attr.mask));
}

/* x −= t·v·(vᴴ·x) for columns [from, cols) of x, rows [at, rows). */
static void reflect(const orr__number *v, orr__number t, int64_t at, int64_t rows, orr__number *x, int64_t from,
                    int64_t cols)
{
    for (int64_t c = from; c < cols && t != 0; c++) {
        orr__number vx = 0;
        for (int64_t r = at; r < rows; r++)
            vx += conjl(v[r]) * x[r * cols + c];
        for (int64_t r = at; r < rows; r++)
            x[r * cols + c] -= t * v[r] * vx;
    }
}

/* Householder vectors as LAPACK's ?larfg makes them: R in a's upper triangle, with a real diagonal; the vectors in the rows of
 * v; H = I − t·v·vᴴ. */
static void factor(orr__number *a, int64_t m, int64_t n, int64_t k, orr__number *v, orr__number *t)
{
    for (int64_t c = 0; c < k; c++) {
        long double below = 0;
        orr__number head = a[c * n + c];
        for (int64_t r = c + 1; r < m; r++)
            below += creall(a[r * n + c] * conjl(a[r * n + c]));
        long double size = cabsl(head), beta = -copysignl(sqrtl(size * size + below), creall(head));
        bool done = !(below > 0) && cimagl(head) == 0;
        for (int64_t r = 0; r < m; r++)
            v[c * m + r] = r > c && !done ? a[r * n + c] / (head - beta) : r == c;
        t[c] = done ? 0 : (beta - head) / beta;
        reflect(v + c * m, conjl(t[c]), c, m, a, c, n);
    }
}

static orr_status reference(const orr__reference *j)
{
    orr__extent e = orr__extent_of(&j->in[0].shape);
    unsigned mask = j->node->attr.mask;
    int64_t w = inner(&e, mask), apart = mask & ALONE ? 0 : e.m, row = apart + e.n;
    orr__number *a = orr__plain(e.m * e.n), *v = orr__plain(e.k * e.m), *x = orr__plain(e.m * w), *t = orr__plain(e.k);
    for (int64_t q = 0; q < e.batch && a && v && x && t; q++) {
        orr__plain_load(j, 0, q, e.m * e.n, a);
        factor(a, e.m, e.n, e.k, v, t);
        for (int64_t i = 0; i < e.m * w; i++)
            x[i] = i / w == i % w;
        for (int64_t c = e.k - 1; c >= 0; c--)
            reflect(v + c * e.m, t[c], c, e.m, x, 0, w);
        for (int64_t i = 0; i < w; i++) {
            for (int64_t r = 0; r < apart; r++)
                orr__plain_set(&j->out, (q * w + i) * row + r, x[r * w + i]);
            for (int64_t c = 0; c < e.n; c++)
                orr__plain_set(&j->out, (q * w + i) * row + apart + c, i <= c ? a[i * e.n + c] : 0);
        }
    }
    orr_status st = a && v && x && t ? ORR_OK : ORR_ENOMEM;
    free(a);
    free(v);
    free(x);
    free(t);
    return st;
}

/* Columns [from, to) of a row of the result, read as a matrix. */
static orr_tensor *part(orr__site at, orr_tensor *packed, int64_t w, int64_t row, int64_t from, int64_t to)
{
    return orr_slice_axis_at(at.file, at.line, orr__piece(at, packed, 0, w, row), -1, from, to, 1);
}

/* Q and R from the row, or their cotangents. */
static orr_qr_result parts(orr__site at, orr_tensor *packed, const orr__extent *e, unsigned mask)
{
    int64_t w = inner(e, mask), apart = mask & ALONE ? 0 : e->m;
    orr_qr_result r = { NULL, part(at, packed, w, apart + e->n, apart, apart + e->n) };
    if (!(mask & ALONE))
        r.q = orr_transpose_at(at.file, at.line, part(at, packed, w, apart + e->n, 0, apart));
    return r;
}

/* The Hermitian matrix with the lower triangle of x and the real part of its diagonal. */
static orr_tensor *mirror(const orr__back *b, orr_tensor *x)
{
    orr_tensor *low = orr_tril_at(AT, x, -1), *both = orr__plus(b, low, orr__adjoint(b, low));
    return orr__plus(b, both, orr__real_part(b, orr_tril_at(AT, orr_triu_at(AT, x, 0), 0)));
}

/* (dQ + Q·mirror(R·dRᴴ − dQᴴ·Q))·R⁻ᴴ for m ≥ n, where dQ and dR are conjugates of cotangents (Roberts and Roberts,
 * 2020). */
static orr_tensor *tall(const orr__back *b, orr_qr_result x, orr_qr_result d)
{
    orr_tensor *m = orr__minus(b, orr__mm(b, x.r, orr__adjoint(b, d.r)), orr__mm(b, orr__adjoint(b, d.q), x.q));
    return orr__right(b, orr__conj(b, x.r), orr__plus(b, d.q, orr__mm(b, x.q, mirror(b, m))), false, true);
}

/* A wide matrix is [X Y] = Q·[U W]: Y = Q·W, and X is square. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_shape of = orr_tensor_shape(b->in[0]);
    orr__extent e = orr__extent_of(&of);
    unsigned mask = b->node->attr.mask;
    (void)k;
    if (mask & COMPLETE && e.m > e.n)
        return orr__poison(
            b->at, ORR_EGRAPH,
            "a complete qr of %lld rows and %lld columns has no gradient: its last columns are not unique",
            (long long)e.m, (long long)e.n);
    if (mask & ALONE) /* Q = A·R⁻¹ would be less exact; no public function records this */
        return orr__poison(b->at, ORR_EGRAPH, "the triangle alone has no gradient");
    orr_qr_result x = parts(b->at, b->out, &e, mask), d = parts(b->at, orr__conj(b, b->g), &e, mask);
    if (e.m >= e.n)
        return orr__conj(b, tall(b, x, d));
    orr_tensor *y = orr_slice_axis_at(AT, b->in[0], -1, e.m, e.n, 1), *dw = orr_slice_axis_at(AT, d.r, -1, e.m, e.n, 1);
    d.q = orr__plus(b, d.q, orr__mm(b, y, orr__adjoint(b, dw)));
    d.r = orr_slice_axis_at(AT, d.r, -1, 0, e.m, 1);
    x.r = orr_slice_axis_at(AT, x.r, -1, 0, e.m, 1);
    orr_tensor *dx = tall(b, x, d);
    return orr__conj(b, orr_concat_at(AT, (orr_tensor *[]){ dx, orr__mm(b, x.q, dw) }, 2, -1));
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->in[0]);
    double w = (double)inner(&e, c->attr.mask);
    return (orr__workload){ .flops = (double)e.batch * 4 * (double)e.m * w * (double)e.k, .product = true };
}

const orr__op orr__op_qr = { ORR__FACTORISATION(qr, 1) };

/* -- a tall matrix: the stacked triangles of its pieces have the same triangle as the whole (Demmel, Grigori, Hoemmen and Langou,
 * "Communication-optimal parallel and sequential QR and LU factorizations", SIAM J. Sci. Comput. 34, 2012) ------------------------ */

/* A piece is several times as high as wide. A core computes some ten flops a ns. */
enum { PIECES = ORR__T_FEW_LINES, TALL = ORR__LINE_CHUNKS, THIN = ORR__VECTOR, WORTH = 10 * ORR__LONG_FLOPS };

static bool tree_pays(const orr__extent *e)
{
    return e->batch == 1 && e->n >= THIN && e->m >= TALL * e->n &&
           (double)e->m * (double)e->n * (double)e->n >= (double)WORTH;
}

/* The rows of a, padded with zeros, as a batch of PIECES pieces. */
static orr_tensor *pieces(orr__site at, orr_tensor *a, int64_t m, int64_t n)
{
    int64_t high = (m + PIECES - 1) / PIECES, more = high * PIECES - m;
    a = orr_reshape_at(at.file, at.line, a, ORR_SHAPE(m, n));
    if (more) {
        orr_tensor *zero = orr_zeros_at(at.file, at.line, orr_tensor_dtype(a), ORR_SHAPE(more, n));
        a = orr_concat_at(at.file, at.line, (orr_tensor *[]){ a, zero }, 2, 0);
    }
    return orr_reshape_at(at.file, at.line, a, ORR_SHAPE(PIECES, high, n));
}

static orr_tensor *packed(orr__site at, orr_tensor *a, unsigned mask)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__matrix_operand(at, a, "a", &n, &bad))
        return bad;
    orr__extent e = orr__extent_of(&n->shape);
    return orr__packed(at, &orr__op_qr, n, length(&e, mask), mask);
}

/* The packed row of a matrix many times as high as wide. */
static orr_tensor *tree(orr__site at, orr__node *a, const orr__extent *e)
{
    orr_tensor *x = pieces(at, orr__handle_new(orr__node_ref(a)), e->m, e->n);
    orr_shape of = orr_tensor_shape(x), s = a->shape;
    if (orr_tensor_status(x) != ORR_OK)
        return x;
    orr__extent each = orr__extent_of(&of), top = { PIECES * e->n, e->n, e->n, 1 };
    orr_qr_result low = parts(at, packed(at, x, 0), &each, 0);
    orr_tensor *heads = orr_reshape_at(at.file, at.line, low.r, ORR_SHAPE(top.m, top.n));
    orr_qr_result high = parts(at, packed(at, heads, 0), &top, 0);
    orr_tensor *q = orr_reshape_at(at.file, at.line, high.q, ORR_SHAPE(PIECES, e->n, e->n));
    q = orr_reshape_at(at.file, at.line, orr_matmul_at(at.file, at.line, low.q, q), ORR_SHAPE(PIECES * each.m, e->n));
    q = orr_transpose_at(at.file, at.line, orr_slice_axis_at(at.file, at.line, q, 0, 0, e->m, 1));
    orr_tensor *row = orr_concat_at(at.file, at.line, (orr_tensor *[]){ q, high.r }, 2, -1);
    s.dim[s.rank - 2] = length(e, 0);
    s.dim[--s.rank] = 0;
    return orr__stands_for(at, &orr__op_qr, 1, &a, orr_reshape_at(at.file, at.line, row, s), 0, (orr__scalar){ 0 });
}

orr_tensor *orr__triangle_of(orr__site at, orr_tensor *a, orr_tensor *b)
{
    orr_shape sa = orr_tensor_shape(a), sb = orr_tensor_shape(b);
    orr__extent e = orr__extent_of(&sa), of = orr__extent_of(&sb), both = { e.m, e.n + of.n, e.n + of.n, e.batch };
    bool tall = tree_pays(&both), high = e.m >= e.n + e.n / 2;
    if (!high || (!tall && !orr__panels_pay(&e, NULL)))
        return NULL;
    if (!tall)
        return orr__panels_triangle(at, a, b);
    orr_tensor *x = orr_concat_at(at.file, at.line, (orr_tensor *[]){ a, b }, 2, -1);
    orr_tensor *low = packed(at, pieces(at, x, e.m, both.n), ALONE);
    low = packed(at, orr_reshape_at(at.file, at.line, low, ORR_SHAPE(PIECES * both.n, both.n)), ALONE);
    return orr_slice_axis_at(at.file, at.line, orr__piece(at, low, 0, both.n, both.n), 0, 0, e.n, 1);
}

orr_qr_result orr_qr_at(const char *file, int line, orr_tensor *a, bool complete)
{
    orr__site at = ORR__SITE(file, line, "qr");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__matrix_operand(at, a, "a", &n, &bad))
        return (orr_qr_result){ bad, bad };
    orr__extent e = orr__extent_of(&n->shape);
    unsigned mask = complete ? COMPLETE : 0;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *all = tree_pays(&e) && !complete  ? tree(at, n, &e)
                      : orr__panels_pay(&e, NULL) ? orr__panels_qr(at, n, complete)
                                                  : orr__packed(at, &orr__op_qr, n, length(&e, mask), mask);
    orr_qr_result x = parts(at, all, &e, mask), r = { .q = orr_scope_return_at(file, line, scope, x.q) };
    r.r = orr__compose_end(at, scope, x.r);
    return r;
}
