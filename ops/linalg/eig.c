/* orr_eig and orr_eigvals: eigenvalues of any square matrix. A row of the result is complex: W followed by V, or W alone.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/linalg/linalg.h"
#include "runtime/base/complex.h"

#define AT b->at.file, b->at.line

enum { VALUES = 1, SWEEPS = 60 }; /* limit of search */

static int64_t length(int64_t n, unsigned mask)
{
    return mask & VALUES ? n : n + n * n;
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

/* a = G·a, or a = a·Gᴴ for `columns`, with the rotation G of lines i and j by c, s. */
static void rotate(orr__number *a, int64_t n, int64_t i, int64_t j, orr__number c, orr__number s, bool columns)
{
    for (int64_t k = 0; k < n; k++) {
        orr__number *x = columns ? &a[k * n + i] : &a[i * n + k], *y = columns ? &a[k * n + j] : &a[j * n + k];
        orr__number u = *x, v = *y;
        *x = columns ? conjl(c) * u + conjl(s) * v : c * u + s * v;
        *y = columns ? -s * u + c * v : -conjl(s) * u + conjl(c) * v;
    }
}

/* Applies a similarity rotation to a that makes element (j, k) 0 by means of (i, k); q accumulates the rotations. */
static void annihilate(orr__number *a, orr__number *q, int64_t n, int64_t i, int64_t j, orr__number x, orr__number y)
{
    long double r = sqrtl(creall(x * conjl(x)) + creall(y * conjl(y)));
    if (!(cabsl(y) > 0))
        return;
    orr__number c = conjl(x) / r, s = conjl(y) / r;
    rotate(a, n, i, j, c, s, false);
    rotate(a, n, i, j, c, s, true);
    rotate(q, n, i, j, c, s, true);
}

/* Hessenberg's form, then Francis's implicit single shifts with deflation. false: no convergence. */
static bool schur(orr__number *a, orr__number *q, int64_t n)
{
    for (int64_t k = 0; k < n * n; k++)
        q[k] = k % (n + 1) == 0;
    for (int64_t c = 0; c + 2 < n; c++)
        for (int64_t r = c + 2; r < n; r++)
            annihilate(a, q, n, c + 1, r, a[(c + 1) * n + c], a[r * n + c]);
    int64_t end = n;
    for (int64_t left = SWEEPS * n; end > 1 && left > 0; left--) {
        int64_t lo = end - 1;
        /* limit of arithmetic */
        while (lo > 0 && cabsl(a[lo * n + lo - 1]) > 1e-19L * (cabsl(a[lo * (n + 1)]) + cabsl(a[(lo - 1) * (n + 1)])))
            lo--;
        if (lo > 0)
            a[lo * n + lo - 1] = 0;
        if (lo == end - 1) {
            end--;
            continue;
        }
        orr__number p = a[(end - 2) * (n + 1)], d = a[(end - 1) * (n + 1)],
                    m = a[(end - 2) * n + end - 1] * a[(end - 1) * n + end - 2];
        orr__number half = (p - d) / 2, root = csqrtl(half * half + m);
        orr__number one = d + half + root, two = d + half - root, shift = cabsl(one - d) < cabsl(two - d) ? one : two;
        if (left % 11 == 0) /* an exceptional shift */
            shift += cabsl(a[(end - 1) * n + end - 2]);
        annihilate(a, q, n, lo, lo + 1, a[lo * (n + 1)] - shift, a[(lo + 1) * n + lo]);
        for (int64_t k = lo; k + 2 < end; k++)
            annihilate(a, q, n, k + 1, k + 2, a[(k + 1) * n + k], a[(k + 2) * n + k]);
    }
    return end <= 1;
}

/* q times eigenvector number k of the triangle t, normalised to 1. */
static void vector(const orr__number *t, const orr__number *q, int64_t n, int64_t k, orr__number *x, orr__number *v)
{
    long double norm = 0;
    for (int64_t i = n - 1; i >= 0; i--) {
        orr__number sum = i == k ? 1 : 0, gap = t[k * (n + 1)] - t[i * (n + 1)];
        for (int64_t j = i + 1; j <= k && i < k; j++)
            sum += t[i * n + j] * x[j];
        x[i] = i < k ? sum / (cabsl(gap) > 1e-300L ? gap : 1e-18L) : sum; /* limit of arithmetic */
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
    orr__number *a = orr__alloc_n((size_t)(2 * n * n + 2 * n) + 1, sizeof *a), *q = a + n * n, *x = q + n * n,
                *v = x + n;
    orr_status st = a ? ORR_OK : ORR_ENOMEM;
    for (int64_t m = 0; m < e.batch && st == ORR_OK; m++) {
        for (int64_t i = 0; i < n * n; i++) {
            a[i] = orr__plain_get(&j->in[0], m * n * n + i);
            st = orr__plain_finite(a[i]) ? st : orr__plain_fail(j, m, "has an element that is not finite");
        }
        if (st == ORR_OK && !schur(a, q, n))
            st = orr__plain_fail(j, m, "has eigenvalues that did not converge");
        for (int64_t k = 0; k < n && st == ORR_OK; k++) {
            orr__plain_set(&j->out, m * len + k, a[k * (n + 1)]);
            if (j->node->attr.mask & VALUES)
                continue;
            vector(a, q, n, k, x, v);
            for (int64_t i = 0; i < n; i++)
                orr__plain_set(&j->out, m * len + n + i * n + k, v[i]);
        }
    }
    free(a);
    return st;
}

/* -- derivative ------------------------------------------------------------------------------------------------------------ */

static orr_tensor *values_of(orr__site at, orr_tensor *row, int64_t n)
{
    return orr__piece(at, row, 0, n, -1);
}

static orr_tensor *vectors_of(orr__site at, orr_tensor *row, int64_t n)
{
    return orr__piece(at, row, n, n, n);
}

/* Vᴴ·dV − Vᴴ·V·diag(Re Vᴴ·dV), with p = Vᴴ·dV. */
static orr_tensor *turning(const orr__back *b, orr_tensor *v, orr_tensor *p, int64_t n)
{
    orr_tensor *here = orr_eye_at(AT, ORR_BOOL, n, n, 0);
    orr_tensor *d =
        orr_sum_at(AT, orr_where_at(AT, here, orr_real_at(AT, p), orr_scalar_at(AT, 0)), ORR_AXES(-2), false);
    return orr__minus(b, p, orr__columns(b, orr__mm(b, orr__adjoint(b, v), v), d));
}

/* That divided by the conjugates of the gaps w_j − w_i; 0 on the diagonal. */
static orr_tensor *quotients(const orr__back *b, orr_tensor *w, orr_tensor *v, orr_tensor *dv, orr_tensor *slope,
                             int64_t n)
{
    orr_tensor *adjoint = orr__adjoint(b, v), *p = orr__mm(b, adjoint, dv);
    orr_tensor *most = orr_expand_dims_at(AT, orr__greatest(b, w, 1), -1);
    orr_tensor *q =
        orr__quotient(b, turning(b, v, p, n), orr__greatest(b, p, 2), orr__pairs(b, orr__conj(b, w), false), most,
                      turning(b, v, orr__mm(b, adjoint, slope), n), orr__pairs(b, orr__numbers(b, w), false));
    return orr__off_diagonal(b, q);
}

/* V⁻ᴴ·(diag(dW) + …)·Vᴴ, where dW and dV are conjugates of cotangents; the real part for a real matrix. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_shape of = orr_tensor_shape(b->in[0]);
    int64_t n = of.dim[of.rank - 1];
    orr__node *in;
    orr_tensor *row = b->out, *bad, *g = orr__conj(b, b->g);
    bool values = (b->node->attr.mask & VALUES) != 0;
    (void)k;
    if (values) {
        if (!orr__square_operand(b->at, b->in[0], "a", &in, &bad))
            return bad;
        row = orr__packed_complex(b->at, &orr__op_eig, in, length(n, 0), 0);
    }
    orr_tensor *v = vectors_of(b->at, row, n), *core = orr__diagonal_matrix(b, values_of(b->at, g, n));
    if (!values && n > 0) {
        orr_tensor *slope = vectors_of(b->at, orr__apart(b, g, 0, n), n);
        core = orr__plus(b, core, quotients(b, values_of(b->at, row, n), v, vectors_of(b->at, g, n), slope, n));
    }
    orr_tensor *adjoint = orr__adjoint(b, v);
    orr_tensor *all = orr__conj(b, orr_solve_at(AT, adjoint, orr__mm(b, core, adjoint)));
    return orr__is_complex(orr_tensor_dtype(b->in[0])) ? all : orr_real_at(AT, all);
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->in[0]);
    double n = (double)e.n, flops = (c->attr.mask & VALUES ? 20 : 50) * n * n * n;
    return (orr__workload){ .flops = (double)e.batch * flops, .product = true };
}

const orr__op orr__op_eig = { ORR__FACTORISATION(eig, 1) };

orr_eig_result orr_eig_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "eig");
    orr__node *in;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &in, &bad))
        return (orr_eig_result){ bad, bad };
    int64_t n = in->shape.dim[in->shape.rank - 1];
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *row = orr__packed_complex(at, &orr__op_eig, in, length(n, 0), 0);
    orr_eig_result r = { .w = orr_scope_return_at(file, line, scope, values_of(at, row, n)) };
    r.v = orr__compose_end(at, scope, vectors_of(at, row, n));
    return r;
}

orr_tensor *orr_eigvals_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "eigvals");
    orr__node *in;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &in, &bad))
        return bad;
    return orr__packed_complex(at, &orr__op_eig, in, length(in->shape.dim[in->shape.rank - 1], VALUES), VALUES);
}
