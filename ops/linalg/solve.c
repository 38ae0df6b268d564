/* orr_solve and orr_inv: systems of linear equations.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <stdlib.h>
#include "ops/exchange.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/panels.h"

#define AT b->at.file, b->at.line

/* in: (b…, n, n), (b…, n, k); bits of attr.mask. */
enum { TURNED = 1, INVERSE = 2 }; /* the matrix is transposed; the right-hand side is the unit matrix */

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    int r = n->shape.rank;
    (void)nin;
    if (r < 2 || in[0]->shape.rank != r || in[0]->dtype != n->dtype || in[1]->dtype != n->dtype ||
        !orr__shape_equal(&n->shape, &in[1]->shape))
        return "ranks, dtypes or shapes of a system";
    for (int d = 0; d < r; d++)
        if (in[0]->shape.dim[d] != n->shape.dim[d < r - 1 ? d : r - 2])
            return "a system is not square, or its batch differs";
    return NULL;
}

static orr_status reference(const orr__reference *j)
{
    orr__extent e = orr__extent_of(&j->out.shape);
    int64_t n = e.m, k = e.n, bad;
    bool turned = (j->node->attr.mask & TURNED) != 0;
    orr__number *a = orr__plain(n * n), *x = orr__plain(n * k);
    int64_t *p = orr__alloc_n((size_t)n + 1, sizeof *p);
    orr_status st = a && x && p ? ORR_OK : ORR_ENOMEM;
    for (int64_t q = 0; q < e.batch && st == ORR_OK; q++) {
        for (int64_t r = 0; r < n; r++)
            for (int64_t c = 0; c < n; c++)
                a[r * n + c] = orr__plain_get(&j->in[0], q * n * n + (turned ? c * n + r : r * n + c));
        (void)orr__plain_lu(a, n, n, p, &bad);
        if (bad < n) {
            st = orr__plain_fail(j, q, "is singular");
            break;
        }
        for (int64_t c = 0; c < k; c++) {
            for (int64_t r = 0; r < n; r++) {
                orr__number v = orr__plain_get(&j->in[1], (q * n + p[r]) * k + c);
                for (int64_t i = 0; i < r; i++)
                    v -= a[r * n + i] * x[i * k + c];
                x[r * k + c] = v;
            }
            for (int64_t r = n - 1; r >= 0; r--) {
                for (int64_t i = r + 1; i < n; i++)
                    x[r * k + c] -= a[r * n + i] * x[i * k + c];
                x[r * k + c] /= a[r * n + r];
            }
        }
        for (int64_t i = 0; i < n * k; i++)
            orr__plain_set(&j->out, q * n * k + i, x[i]);
    }
    free(a);
    free(x);
    free(p);
    return st;
}

/* Records the solution of a system: by panels, or as one node. */
static orr_tensor *solution(orr__site at, orr_tensor *a, orr_tensor *b, unsigned mask)
{
    orr__node *in[2];
    orr_tensor *bad, *x;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ a, b }, (const char *const[]){ "a", "b" }, in, &bad))
        return bad;
    orr__extent e = orr__extent_of(&in[0]->shape);
    if (mask & TURNED && orr__lies_over_ranks(in[0])) {
        orr_scope *scope = orr__compose_begin(at);
        x = solution(at, orr_transpose_at(at.file, at.line, a), b, mask & ~(unsigned)TURNED);
        return orr__compose_end(at, scope, x);
    }
    if (orr__panels_pay(&e, in[0])) {
        orr_scope *scope = orr__compose_begin(at);
        x = mask & TURNED    ? orr__panels_solve(at, orr_transpose_at(at.file, at.line, a), b)
            : mask & INVERSE ? orr__panels_inv(at, a)
                             : orr__panels_solve(at, a, b);
        return orr__compose_end(at, scope, orr__stands_for(at, &orr__op_solve, 2, in, x, mask, (orr__scalar){ 0 }));
    }
    orr__node *r = orr__node_new(at, &orr__op_solve, (orr_dtype)in[1]->dtype, &in[1]->shape, 2, in);
    if (r) {
        r->attr.mask = mask;
        r->as = mask & INVERSE ? "inv" : NULL;
    }
    return orr__handle_new(r);
}

orr_tensor *orr__solve(orr__site at, orr_tensor *a, orr_tensor *b, bool transposed)
{
    return solution(at, a, b, transposed ? TURNED : 0);
}

/* X = M⁻¹·B with M = op(A): dB = M⁻ᵀ·g, dM = −dB·Xᵀ. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    unsigned turned = b->node->attr.mask & TURNED;
    orr_tensor *db = orr__solve(b->at, b->in[0], b->g, !turned);
    if (k == 1)
        return db;
    orr_tensor *x = turned ? b->out : db, *y = turned ? db : b->out;
    return orr_neg_at(AT, orr__mm(b, x, orr__tr(b, y)));
}

static orr__workload work(const orr__call *c)
{
    orr__extent e = orr__extent_of(&c->out);
    double n = (double)e.m;
    return (orr__workload){ .flops = (double)e.batch * (2 * n * n * n / 3 + 2 * n * n * (double)e.n), .product = true };
}

/* The right-hand side lies beside the matrix: its rows on the ranks of the matrix's rows, its columns over the ranks of the columns. */
static bool jointly(const orr__node *n, const orr_shape *of, orr__distribution *in, orr__distribution *out)
{
    int rows, cols;
    if (n->attr.mask & TURNED || !orr__shape_count(&of[1]) ||
        !orr__blocks_over_ranks(&of[0], (orr_dtype)n->dtype, &in[0], &rows, &cols))
        return false;
    orr__distribution d = { .grid = in[0].grid };
    if (rows >= 0)
        d.along[rows] = in[0].along[rows];
    if (cols >= 0) {
        orr__spread s = in[1].grid == d.grid ? in[1].along[cols] : (orr__spread){ .kind = ORR__WHOLE };
        int64_t ranks = d.grid->extent[cols];
        bool stays = s.kind == ORR__SHARDED && s.axis == 1;
        d.along[cols] =
            stays ? s : (orr__spread){ .kind = ORR__SHARDED, .axis = 1, .block = (of[1].dim[1] + ranks - 1) / ranks };
    }
    *out = in[1] = d;
    return true;
}

const orr__op orr__op_solve = { ORR__FACTORISATION(solve, 2), .inverse = INVERSE, .jointly = jointly,
                                .joint = ORR__JOINT_SOLVE };

/* -- public ---------------------------------------------------------------------------------------------------------- */

orr_tensor *orr_solve_at(const char *file, int line, orr_tensor *a, orr_tensor *b)
{
    orr__site at = ORR__SITE(file, line, "solve");
    orr__node *in[2];
    orr_tensor *bad;
    orr_dtype t;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ a, b }, (const char *const[]){ "a", "b" }, in, &bad))
        return bad;
    if (!orr__promote_nodes(at, 2, in, &t))
        return orr__handle_new(NULL);
    orr_shape s = in[1]->shape;
    bool vector = s.rank == 1;
    orr_scope *scope = orr__compose_begin(at);
    a = orr_cast_at(file, line, a, t);
    b = orr_cast_at(file, line, b, t);
    if (!orr__square_operand(at, a, "a", &in[0], &bad))
        return orr__compose_end(at, scope, bad);
    int64_t n = in[0]->shape.dim[in[0]->shape.rank - 1];
    if (s.rank < 1 || s.dim[vector ? 0 : s.rank - 2] != n)
        return orr__compose_end(at, scope,
                                orr__poison(at, ORR_ESHAPE, "a of order %lld has no solution for b of shape %s",
                                            (long long)n, orr__str(s).s));
    if (vector)
        b = orr_expand_dims_at(file, line, b, -1);
    if (!orr__matrix_operand(at, b, "b", &in[1], &bad))
        return orr__compose_end(at, scope, bad);
    if (!orr__stacks(at, &a, &b, &bad))
        return orr__compose_end(at, scope, bad);
    orr_tensor *x = orr__solve(at, a, b, false);
    s = orr_tensor_shape(x);
    if (vector && s.rank > 0) {
        s.dim[--s.rank] = 0;
        x = orr_reshape_at(file, line, x, s);
    }
    return orr__compose_end(at, scope, x);
}

orr_tensor *orr_inv_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "inv");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &n, &bad))
        return bad;
    int64_t order = n->shape.dim[n->shape.rank - 1];
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *one = orr_eye_at(file, line, (orr_dtype)n->dtype, order, order, 0);
    return orr__compose_end(at, scope, solution(at, a, orr_broadcast_to_at(file, line, one, n->shape), INVERSE));
}
