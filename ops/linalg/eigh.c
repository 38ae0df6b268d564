/* orr_eigh and orr_eigvalsh: eigenvalues of symmetric and Hermitian matrices, with vectors or alone. A row of the result is W followed by
 * V, or W alone.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/linalg/linalg.h"

#define AT b->at.file, b->at.line

enum { VALUES = 1 };

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

static orr_status reference(const orr__reference *j)
{
    orr__extent e = orr__extent_of(&j->in[0].shape);
    int64_t n = e.n, len = length(n, j->node->attr.mask);
    orr__number *a = orr__plain(n * n), *w = orr__plain(n), *v = orr__plain(n * n);
    orr_status st = a && w && v ? ORR_OK : ORR_ENOMEM;
    for (int64_t q = 0; q < e.batch && st == ORR_OK; q++) {
        orr__plain_load(j, 0, q, n * n, a);
        for (int64_t i = 0; i < n * n && st == ORR_OK; i++)
            if (i / n >= i % n && !orr__plain_finite(a[i]))
                st = orr__plain_fail(j, q, "has an element that is not finite");
        if (st != ORR_OK)
            break;
        orr__plain_eigh(a, n, w, v);
        for (int64_t i = 0; i < len; i++)
            orr__plain_set(&j->out, q * len + i, i < n ? w[i] : v[i - n]);
    }
    free(a);
    free(w);
    free(v);
    return st;
}

/* ½(P − Pᴴ). */
static orr_tensor *turning(const orr__back *b, orr_tensor *p)
{
    return orr_mul_at(AT, orr__minus(b, p, orr__adjoint(b, p)), orr_scalar_at(AT, 0.5));
}

/* V·(diag(dW) + ½(P − Pᴴ)_ij/(w_j − w_i))·Vᴴ with P = VᴴdV, where dW and dV are conjugates of cotangents. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_shape of = orr_tensor_shape(b->in[0]);
    int64_t n = of.dim[of.rank - 1];
    (void)k;
    orr_tensor *g = orr__conj(b, b->g);
    if (b->node->attr.mask & VALUES) {
        orr_tensor *v = orr_eigh_at(AT, b->in[0]).v;
        return orr__conj(b, orr__mm(b, orr__columns(b, v, orr__real_part(b, g)), orr__adjoint(b, v)));
    }
    orr_tensor *w = orr__real_piece(b->at, b->out, 0, n), *v = orr__piece(b->at, b->out, n, n, n);
    orr_tensor *dw = orr__real_piece(b->at, g, 0, n), *dv = orr__piece(b->at, g, n, n, n);
    if (n == 0)
        return b->g;
    orr_tensor *slope = orr__piece(b->at, orr__apart(b, g, 0, n), n, n, n);
    orr_tensor *p = orr__mm(b, orr__adjoint(b, v), dv), *core = turning(b, p);
    orr_tensor *most = orr_expand_dims_at(AT, orr__greatest(b, w, 1), -1), *count = orr__numbers(b, w);
    core = orr__quotient(b, core, orr__greatest(b, p, 2), orr__pairs(b, w, false), most,
                         turning(b, orr__mm(b, orr__adjoint(b, v), slope)), orr__pairs(b, count, false));
    core = orr__plus(b, orr__off_diagonal(b, core), orr__diagonal_matrix(b, dw));
    return orr__conj(b, orr__mm(b, orr__mm(b, v, core), orr__adjoint(b, v)));
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->in[0]);
    double n = (double)e.n, flops = (c->attr.mask & VALUES ? 4.0 / 3 : 9) * n * n * n;
    return (orr__workload){ .flops = (double)e.batch * flops, .product = true };
}

const orr__op orr__op_eigh = { ORR__FACTORISATION(eigh, 1) };

orr_eigh_result orr_eigh_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "eigh");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &n, &bad))
        return (orr_eigh_result){ bad, bad };
    int64_t order = n->shape.dim[n->shape.rank - 1];
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *all = orr__packed(at, &orr__op_eigh, n, length(order, 0), 0);
    orr_eigh_result r = { .w = orr_scope_return_at(file, line, scope, orr__real_piece(at, all, 0, order)) };
    r.v = orr__compose_end(at, scope, orr__piece(at, all, order, order, order));
    return r;
}

orr_tensor *orr_eigvalsh_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "eigvalsh");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &n, &bad))
        return bad;
    int64_t order = n->shape.dim[n->shape.rank - 1];
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *row = orr__packed(at, &orr__op_eigh, n, length(order, VALUES), VALUES);
    return orr__compose_end(at, scope, orr__real_piece(at, row, 0, order));
}
