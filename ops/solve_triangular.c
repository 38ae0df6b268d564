/* orr_solve_triangular: ranks, dtypes and broadcasting around the one primitive. This solves from the right, so that
 * the rows of its right-hand side are independent.
 * Must not know: devices, BLAS, plans. */
#include "config.h"

#include "ops/linalg/linalg.h"
#include "ops/matrix.h"

#define AT b->at.file, b->at.line

/* in[1] · op(in[0])⁻¹: (b…, n, n), (b…, m, n), equal batch dimensions; attr.mask: ORR__TRI_…. */
static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__matrix_verify(n, in[0], in[1]);
}

/* x·M = b, one row after the other. */
static orr_status reference(const orr__reference *j)
{
    const orr__array *a = &j->in[0], *x = &j->out;
    unsigned mask = j->node->attr.mask;
    bool turned = (mask & ORR__TRI_TRANSPOSE) != 0, upper = ((mask & ORR__TRI_LOWER) != 0) == turned;
    int64_t n = x->shape.dim[x->shape.rank - 1], m = x->shape.dim[x->shape.rank - 2];
    for (int64_t row = 0; n > 0 && row < x->count / n; row++) {
        int64_t at = row / m * n * n;
        for (int64_t s = 0; s < n; s++) {
            int64_t c = upper ? s : n - 1 - s;
            orr__number v = orr__plain_get(&j->in[1], row * n + c), d = orr__plain_get(a, at + c * (n + 1));
            for (int64_t k = upper ? 0 : c + 1; k < (upper ? c : n); k++)
                v -= orr__plain_get(x, row * n + k) * orr__plain_get(a, at + (turned ? c * n + k : k * n + c));
            if (d == 0 && !(mask & ORR__TRI_UNIT))
                return orr__fail(orr__reference_site(j), ORR_ENUMERIC, "element %lld of the diagonal is 0",
                                 (long long)c);
            orr__plain_set(x, row * n + c, mask & ORR__TRI_UNIT ? v : v / d);
        }
    }
    return ORR_OK;
}

/* Y = B·M⁻¹ with M = op(A): dB = g·M⁻ᵀ, dM = −Yᵀ·dB, restricted to the elements of A that were read. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    unsigned mask = b->node->attr.mask;
    int64_t edge = mask & ORR__TRI_UNIT ? 1 : 0;
    orr_tensor *db = orr__solve_right(b->at, b->in[0], b->g, mask ^ ORR__TRI_TRANSPOSE);
    if (k == 1)
        return db;
    orr_tensor *x = mask & ORR__TRI_TRANSPOSE ? db : b->out, *y = mask & ORR__TRI_TRANSPOSE ? b->out : db;
    orr_tensor *da = orr_neg_at(AT, orr_matmul_at(AT, orr_transpose_at(AT, x), y));
    return mask & ORR__TRI_LOWER ? orr_tril_at(AT, da, -edge) : orr_triu_at(AT, da, edge);
}

static orr__workload work(const orr__call *c)
{
    double n = (double)c->out.dim[c->out.rank - 1];
    return (orr__workload){ .flops = (double)orr__shape_count(&c->out) * n, .product = true };
}

static int space(const orr__call *c, int64_t *dim)
{
    return orr__matrix_space(&c->out, dim);
}

const orr__op orr__op_solve_triangular = {
    .id = ORR__OP_solve_triangular,
    .name = "solve_triangular",
    .arity = 2,
    .kinds = ORR__TAKES_COMPLEX,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK,
    .flags = ORR__OP_MAY_FAIL | ORR__OP_BLAS,
    .verify = verify,
    .reference = reference,
    .distribute = orr__rule_matrices,
    .vjp = vjp,
    .work = work,
    .space = space,
};

typedef struct {
    orr_dtype dtype;
    orr_shape a, b; /* b: with both matrix axes */
    bool vector;    /* b is 1-d                  */
    int64_t n, m;
} system_of;

static bool infer(orr__site at, orr__node *const *in, system_of *p, orr_tensor **bad)
{
    p->a = in[0]->shape;
    p->b = in[1]->shape;
    p->vector = p->b.rank == 1;
    if (!orr__promote_nodes(at, 2, in, &p->dtype))
        *bad = orr__handle_new(NULL);
    else if (p->dtype != ORR_F32 && p->dtype != ORR_F64 && !orr__is_complex(p->dtype))
        *bad =
            orr__poison(at, ORR_EDTYPE, "a and b give %s, and f32, f64, c64 or c128 is needed: write orr_cast for them",
                        orr_dtype_name(p->dtype));
    else if (p->a.rank < 2 || p->a.dim[p->a.rank - 1] != p->a.dim[p->a.rank - 2])
        *bad = orr__poison(at, ORR_ESHAPE, "a of shape %s is not square in its last two axes", orr__str(p->a).s);
    else if (!p->b.rank)
        *bad = orr__poison(at, ORR_ESHAPE, "b needs an axis at least: %s", orr__str(p->b).s);
    else
        *bad = NULL;
    if (*bad)
        return false;
    p->n = p->a.dim[p->a.rank - 1];
    if (p->vector)
        p->b = ORR_SHAPE(p->b.dim[0], 1);
    p->m = p->b.dim[p->b.rank - 1];
    if (p->b.dim[p->b.rank - 2] == p->n)
        return true;
    *bad = orr__poison(at, ORR_ESHAPE, "a of order %lld has no solution for b of shape %s", (long long)p->n,
                       orr__str(in[1]->shape).s);
    return false;
}

orr_tensor *orr__solve_right(orr__site at, orr_tensor *a, orr_tensor *b, unsigned mask)
{
    orr__node *in[2];
    orr_tensor *bad;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ a, b }, (const char *const[]){ "a", "b" }, in, &bad))
        return bad;
    orr__node *r = orr__node_new(at, &orr__op_solve_triangular, (orr_dtype)in[1]->dtype, &in[1]->shape, 2, in);
    if (r)
        r->attr.mask = mask;
    return orr__handle_new(r);
}

/* One matrix for all right-hand sides, whose rows become one list. rows: b with its last two axes exchanged. */
static orr_tensor *one_matrix(orr__site at, const system_of *p, orr_tensor *a, orr_tensor *rows, unsigned mask)
{
    orr_shape s = orr_tensor_shape(rows);
    int64_t count = 1;
    for (int d = 0; d < s.rank - 1; d++)
        count *= s.dim[d];
    rows = orr_reshape_at(at.file, at.line, rows, ORR_SHAPE(count, p->n));
    return orr_reshape_at(at.file, at.line, orr__solve_right(at, a, rows, mask), s);
}

static orr_tensor *batch(orr__site at, const system_of *p, orr_tensor *a, orr_tensor *rows, unsigned mask)
{
    orr_shape x = p->a, y = p->b, both;
    orr_tensor *bad;
    x.rank -= 2;
    y.rank -= 2;
    if (!orr__shape_broadcast(&x, &y, &both))
        return orr__poison(at, ORR_ESHAPE, "batch dimensions do not broadcast: a %s, b %s", orr__str(p->a).s,
                           orr__str(p->b).s);
    x = both;
    x.dim[x.rank++] = p->n;
    x.dim[x.rank++] = p->n;
    y = both;
    y.dim[y.rank++] = p->m;
    y.dim[y.rank++] = p->n;
    if (!orr__shape_ok(at, &x, &bad) || !orr__shape_ok(at, &y, &bad))
        return bad;
    return orr__solve_right(at, orr_broadcast_to_at(at.file, at.line, a, x),
                            orr_broadcast_to_at(at.file, at.line, rows, y), mask);
}

/* op(A)·X = B is solved as Xᵀ·op(A)ᵀ = Bᵀ. */
orr_tensor *orr_solve_triangular_at(const char *file, int line, orr_tensor *a, orr_tensor *b, bool lower,
                                    bool transpose, bool unit)
{
    orr__site at = ORR__SITE(file, line, "solve_triangular");
    orr__node *in[2];
    orr_tensor *bad = NULL;
    system_of p;
    unsigned mask = (lower ? ORR__TRI_LOWER : 0u) | (transpose ? 0u : ORR__TRI_TRANSPOSE) | (unit ? ORR__TRI_UNIT : 0u);
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ a, b }, (const char *const[]){ "a", "b" }, in, &bad) ||
        !infer(at, in, &p, &bad))
        return bad;
    orr_scope *scope = orr__compose_begin(at);
    a = orr_cast_at(file, line, a, p.dtype);
    b = orr_cast_at(file, line, b, p.dtype);
    orr_tensor *rows = p.vector ? orr_reshape_at(file, line, b, ORR_SHAPE(1, p.n)) : orr_transpose_at(file, line, b);
    rows = p.a.rank == 2 ? one_matrix(at, &p, a, rows, mask) : batch(at, &p, a, rows, mask);
    orr_shape to = orr_tensor_status(rows) == ORR_OK ? orr_tensor_shape(rows) : ORR_SHAPE(1, p.n);
    to.dim[to.rank - 2] = p.n;
    to.rank--;
    return orr__compose_end(at, scope,
                            p.vector ? orr_reshape_at(file, line, rows, to) : orr_transpose_at(file, line, rows));
}
