/* orr_lu: triangular factors with row exchanges. The result has both triangles in one matrix and, as its last column, the permutation
 * as numbers of the dtype. Its parts are views.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <stdlib.h>
#include "ops/exchange.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/panels.h"

#define AT b->at.file, b->at.line

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    orr_shape s = in[0]->shape;
    if (s.rank < 2)
        return "a factorisation of what is no matrix";
    s.dim[s.rank - 1]++;
    return orr__shape_equal(&s, &n->shape) && in[0]->dtype == n->dtype ? NULL : "triangles of another shape or dtype";
}

static orr_status reference(const orr__reference *j)
{
    orr__extent e = orr__extent_of(&j->in[0].shape);
    orr__number *a = orr__plain(e.m * e.n);
    int64_t *p = orr__alloc_n((size_t)e.m + 1, sizeof *p), bad;
    for (int64_t q = 0; q < e.batch && a && p; q++) {
        orr__plain_load(j, 0, q, e.m * e.n, a);
        (void)orr__plain_lu(a, e.m, e.n, p, &bad);
        for (int64_t i = 0; i < e.m; i++)
            for (int64_t c = 0; c <= e.n; c++)
                orr__plain_set(&j->out, (q * e.m + i) * (e.n + 1) + c, c < e.n ? a[i * e.n + c] : (orr__number)p[i]);
    }
    orr_status st = a && p ? ORR_OK : ORR_ENOMEM;
    free(a);
    free(p);
    return st;
}

/* Column n. Over ranks it is summed with zeros in place of the other columns, so that these are not gathered. */
static orr_tensor *last_column(orr__site at, orr_tensor *all, int64_t n)
{
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *number = orr_arange_at(at.file, at.line, ORR_I64, 0, (double)(n + 1), 1);
    orr_tensor *is = orr_equal_at(at.file, at.line, number, orr_scalar_at(at.file, at.line, (double)n));
    orr_tensor *x = orr_where_at(at.file, at.line, is, all, orr_scalar_at(at.file, at.line, 0));
    return orr__compose_end(at, scope, orr_sum_at(at.file, at.line, x, ORR_AXES(-1), false));
}

/* The permutation, which is stored after n columns. */
static orr_tensor *places(orr__site at, orr_tensor *all, int64_t n)
{
    orr_tensor *p = orr__lies_over_ranks(orr__handle_node(all)) ? last_column(at, all, n)
                                                                : orr_select_at(at.file, at.line, all, -1, n);
    if (orr__is_complex(orr_tensor_dtype(p)))
        p = orr_real_at(at.file, at.line, p);
    return orr_cast_at(at.file, at.line, p, ORR_I64);
}

/* Rows or columns [from, to). */
static orr_tensor *band(const orr__back *b, orr_tensor *x, int axis, int64_t from, int64_t to)
{
    return orr_slice_axis_at(AT, x, axis, from, to, 1);
}

static orr_tensor *lower(const orr__back *b, orr_tensor *square)
{
    int64_t k = orr_tensor_shape(square).rank > 1 ? orr_tensor_shape(square).dim[orr_tensor_shape(square).rank - 1] : 0;
    return orr__plus(b, orr_tril_at(AT, square, -1), orr_eye_at(AT, orr_tensor_dtype(square), k, k, 0));
}

/* L⁻ᵀ·x·U⁻ᵀ for triangles of order k; NULL: the identity. */
static orr_tensor *between(const orr__back *b, orr_tensor *l, orr_tensor *x, orr_tensor *u)
{
    if (l)
        x = orr_solve_triangular_at(AT, l, x, true, true, true);
    return u ? orr__right(b, u, x, false, true) : x;
}

/* L₁ and U₁ are the leading square blocks; L₂ is below, or U₂ beside them. The cotangent of the packed matrix is dL below and
 * dU above the diagonal. The result belongs to the rows of L·U; the permutation moves them to their places. */
static orr_tensor *vjp(const orr__back *b, int which)
{
    orr_shape of = orr_tensor_shape(b->in[0]);
    orr__extent e = orr__extent_of(&of);
    int64_t k = e.k;
    (void)which;
    orr_tensor *both = band(b, b->out, -1, 0, e.n), *d = band(b, b->g, -1, 0, e.n);
    orr_tensor *square = band(b, band(b, both, -2, 0, k), -1, 0, k), *ds = band(b, band(b, d, -2, 0, k), -1, 0, k);
    orr_tensor *l = lower(b, square), *u = orr_triu_at(AT, square, 0);
    orr_tensor *dl = orr__mm(b, orr__tr(b, l), orr_tril_at(AT, ds, -1)),
               *du = orr__mm(b, orr_triu_at(AT, ds, 0), orr__tr(b, u));
    orr_tensor *beside = NULL, *below = NULL;
    if (e.n > k) {
        beside = band(b, d, -1, k, e.n);
        dl = orr__minus(b, dl, orr__mm(b, beside, orr__tr(b, band(b, both, -1, k, e.n))));
        beside = between(b, l, beside, NULL);
    }
    if (e.m > k) {
        below = band(b, d, -2, k, e.m);
        du = orr__minus(b, du, orr__mm(b, orr__tr(b, band(b, both, -2, k, e.m)), below));
        below = between(b, NULL, below, u);
    }
    orr_tensor *all = between(b, l, orr__plus(b, orr_tril_at(AT, dl, -1), orr_triu_at(AT, du, 0)), u);
    if (beside)
        all = orr_concat_at(AT, (orr_tensor *[]){ all, beside }, 2, -1);
    if (below)
        all = orr_concat_at(AT, (orr_tensor *[]){ all, below }, 2, -2);
    orr_tensor *p = places(b->at, orr_detach_at(AT, b->out), e.n);
    orr_tensor *places = orr_one_hot_at(AT, p, e.m, (orr_dtype)b->node->dtype);
    return orr__mm(b, orr__tr(b, places), all);
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->in[0]);
    double k = (double)e.k;
    return (orr__workload){ .flops = (double)e.batch * (double)e.m * (double)e.n * k * 2 / 3, .product = true };
}

static bool jointly(const orr__node *n, const orr_shape *of, orr__distribution *in, orr__distribution *out)
{
    int rows, cols;
    *out = *in;
    return orr__blocks_over_ranks(of, (orr_dtype)n->dtype, in, &rows, &cols);
}

const orr__op orr__op_lu = { ORR__FACTORISATION(lu, 1), .jointly = jointly, .joint = ORR__JOINT_LU };

static orr_tensor *triangles(orr__site at, orr__node *a)
{
    orr_shape s = a->shape;
    orr_tensor *bad;
    s.dim[s.rank - 1]++;
    if (!orr__shape_ok(at, &s, &bad))
        return bad;
    return orr__handle_new(orr__node_new(at, &orr__op_lu, (orr_dtype)a->dtype, &s, 1, &a));
}

orr_lu_result orr_lu_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "lu");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__matrix_operand(at, a, "a", &n, &bad))
        return (orr_lu_result){ bad, bad, bad };
    orr__extent e = orr__extent_of(&n->shape);
    orr_dtype t = (orr_dtype)n->dtype;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *all = orr__panels_pay(&e, n) ? orr__panels_lu(at, n) : triangles(at, n);
    orr_tensor *l = orr_tril_at(file, line, orr_slice_axis_at(file, line, all, -1, 0, e.k, 1), -1);
    orr_tensor *p = places(at, all, e.n);
    orr_lu_result r = { .p = orr_scope_return_at(file, line, scope, p) };
    l = orr_add_at(file, line, l, orr_eye_at(file, line, t, e.m, e.k, 0));
    r.l = orr_scope_return_at(file, line, scope, l);
    orr_tensor *u = orr_slice_axis_at(file, line, all, -1, 0, e.n, 1);
    u = orr_slice_axis_at(file, line, u, -2, 0, e.k, 1);
    r.u = orr__compose_end(at, scope, orr_triu_at(file, line, u, 0));
    return r;
}
