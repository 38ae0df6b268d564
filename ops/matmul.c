/* orr_matmul: NumPy's rules for ranks and broadcasting around the one primitive.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "runtime/graph/distribution.h"

/* (b…, m, k) · (b…, k, n), equal batch dimensions. */
static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr__node *a = in[0], *b = in[1];
    (void)nin;
    int r = n->shape.rank;
    if (r < 2 || a->shape.rank != r || b->shape.rank != r || a->dtype != n->dtype || b->dtype != n->dtype)
        return "matmul operands differ in rank or dtype";
    for (int d = 0; d < r - 2; d++)
        if (a->shape.dim[d] != n->shape.dim[d] || b->shape.dim[d] != n->shape.dim[d])
            return "matmul batch dimensions differ";
    return a->shape.dim[r - 2] == n->shape.dim[r - 2] && b->shape.dim[r - 1] == n->shape.dim[r - 1] &&
                   a->shape.dim[r - 1] == b->shape.dim[r - 2]
               ? NULL
               : "matmul shapes";
}

/* The parts of element i of a complex array. */
static void parts(const orr__array *a, int64_t i, long double v[2])
{
    orr_dtype t = orr__part_dtype(a->dtype);
    const char *p = orr__array_at(a, i);
    v[0] = (long double)orr__scalar_load(p, t).f;
    v[1] = (long double)orr__scalar_load(p + orr__dtype_size(t), t).f;
}

static orr_status reference_complex(const orr__reference *j, int64_t m, int64_t n, int64_t k)
{
    orr_dtype t = orr__part_dtype(j->out.dtype);
    for (int64_t at = 0; at < j->out.count; at++) {
        int64_t batch = at / (m * n), r = at / n % m, c = at % n;
        long double re = 0, im = 0, x[2], y[2];
        for (int64_t i = 0; i < k; i++) {
            parts(&j->in[0], (batch * m + r) * k + i, x);
            parts(&j->in[1], (batch * k + i) * n + c, y);
            re += x[0] * y[0] - x[1] * y[1];
            im += x[0] * y[1] + x[1] * y[0];
        }
        char *p = orr__array_at(&j->out, at);
        orr__scalar_store(p, t, (orr__scalar){ .f = (double)re });
        orr__scalar_store(p + orr__dtype_size(t), t, (orr__scalar){ .f = (double)im });
    }
    return ORR_OK;
}

static orr_status reference(const orr__reference *j)
{
    const orr_shape *s = &j->out.shape;
    int64_t m = s->dim[s->rank - 2], n = s->dim[s->rank - 1], k = j->in[0].shape.dim[s->rank - 1];
    if (orr__is_complex(j->out.dtype))
        return reference_complex(j, m, n, k);
    for (int64_t at = 0; at < j->out.count; at++) {
        int64_t batch = at / (m * n), r = at / n % m, c = at % n;
        long double sum = 0;
        for (int64_t i = 0; i < k; i++)
            sum += (long double)orr__array_get(&j->in[0], (batch * m + r) * k + i).f *
                   (long double)orr__array_get(&j->in[1], (batch * k + i) * n + c).f;
        orr__array_set(&j->out, at, orr__scalar_cast((orr__scalar){ .f = (double)sum }, ORR_F64, j->out.dtype));
    }
    return ORR_OK;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_tensor *other = orr_transpose_at(b->at.file, b->at.line, b->in[1 - k]);
    return k ? orr_matmul_at(b->at.file, b->at.line, other, b->g) : orr_matmul_at(b->at.file, b->at.line, b->g, other);
}

/* If n = xᵀ·g for stacks x and g is not computed yet, sets in[] to new references to x and g. Else false. */
static bool gradient_of_factor(orr__node *n, orr__node *in[2])
{
    orr__graph_lock();
    const orr__node *a = n->nin == 2 && !atomic_load_explicit(&n->value, memory_order_relaxed) ? n->in[0] : NULL;
    int r = n->shape.rank;
    bool turned =
        a && a->op == &orr__op_permute && a->nin == 1 && a->attr.perm[r - 1] == r - 2 && a->attr.perm[r - 2] == r - 1;
    for (int i = 0; turned && i < r - 2; i++)
        turned = a->attr.perm[i] == i;
    if (turned) {
        in[0] = orr__node_ref(a->in[0]);
        in[1] = orr__node_ref(n->in[1]);
    }
    orr__graph_unlock();
    return turned;
}

/* The sum of xᵀ·g over a stack is one product over all rows: the gradient of a factor that many matrices share. */
static orr__node *summed(orr__site at, orr__node *n, uint32_t mask)
{
    orr__node *in[2];
    int r = n->shape.rank;
    if (r < 3 || mask != (1u << (r - 2)) - 1 || !gradient_of_factor(n, in))
        return NULL;
    orr_shape out = ORR_SHAPE(n->shape.dim[r - 2], n->shape.dim[r - 1]);
    for (int k = 0; k < 2; k++) {
        orr_shape rows = ORR_SHAPE(1, in[k]->shape.dim[r - 1]);
        for (int i = 0; i < r - 1; i++)
            rows.dim[0] *= in[k]->shape.dim[i];
        in[k] = orr__rec_reshape(at, in[k], &rows);
    }
    in[0] = orr__rec_permute(at, in[0], (const int[]){ 1, 0 });
    return orr__node_of(at, &orr__op_matmul, (orr_dtype)n->dtype, &out, 2, in);
}

static bool distribute(orr__spread_rule *r)
{
    return orr__rule_product(r, r->node->shape.rank - 2, "mk", "kn", "mn");
}

/* Matrices in blocks over two axes of one grid: the result is cut as the rows of the first and the columns of the second. If an
 * axis is not cut, the rule above is as good. */
static bool jointly(const orr__node *n, const orr_shape *of, orr__distribution *in, orr__distribution *out)
{
    (void)of;
    int r[2], c[2];
    bool fits = n->shape.rank == 2 && (n->dtype == ORR_F32 || n->dtype == ORR_F64) && in[0].grid == in[1].grid &&
                orr__shape_count(&n->shape) > 0;
    for (int k = 0; fits && k < 2; k++)
        fits = orr__distribution_of_blocks(&in[k], &r[k], &c[k]) && r[k] >= 0 && c[k] >= 0;
    if (!fits || r[0] != r[1] || c[0] != c[1])
        return false;
    out->along[r[0]] = in[0].along[r[0]];
    out->along[c[0]] = in[1].along[c[0]];
    return true;
}

const orr__op orr__op_matmul = {
    .id = ORR__OP_matmul,
    .name = "matmul",
    .arity = 2,
    .kinds = ORR__TAKES_COMPLEX,
    .pattern = ORR__PATTERN_PRODUCT,
    .verify = verify,
    .reference = reference,
    .summed = summed,
    .distribute = distribute,
    .jointly = jointly,
    .joint = ORR__JOINT_PRODUCT,
    .vjp = vjp,
};

typedef struct {
    const orr_shape *a, *b;        /* shapes as stacks of matrices: of the operands, or from_a, from_b */
    orr_shape from_a, from_b, out; /* out: with both matrix axes                     */
    int64_t m, k, n;
    bool row, column; /* a or b is 1-d: its axis is removed at the end */
    orr_dtype dtype;
} product;

/* `s` as a stack of matrices; *made holds the new shape if `s` is not one. */
static const orr_shape *as_matrices(const orr_shape *s, bool column, orr_shape *made)
{
    if (s->rank > 1)
        return s;
    *made = column ? ORR_SHAPE(s->dim[0], 1) : ORR_SHAPE(1, s->dim[0]);
    return made;
}

static bool batches(const product *p, orr_shape *out)
{
    *out = (orr_shape){ 0, { 0 } };
    if (p->a->rank == 2 && p->b->rank == 2)
        return true;
    orr_shape a = *p->a, b = *p->b;
    a.rank -= 2;
    b.rank -= 2;
    return orr__shape_broadcast(&a, &b, out);
}

static bool infer(orr__site at, orr__node *const *in, product *p, orr_tensor **bad)
{
    const orr_shape *a = &in[0]->shape, *b = &in[1]->shape;
    if (!orr__promote_nodes(at, 2, in, &p->dtype)) {
        *bad = orr__handle_new(NULL);
        return false;
    }
    if (p->dtype == ORR_BOOL) {
        *bad = orr__poison(at, ORR_EDTYPE, "bool operands: write orr_cast(a, ORR_I32)");
        return false;
    }
    if (!a->rank || !b->rank) {
        *bad = orr__poison(at, ORR_ESHAPE, "operands need an axis at least: %s · %s", orr__str(*a).s, orr__str(*b).s);
        return false;
    }
    p->row = a->rank == 1;
    p->column = b->rank == 1;
    p->a = as_matrices(a, false, &p->from_a);
    p->b = as_matrices(b, true, &p->from_b);
    p->m = p->a->dim[p->a->rank - 2];
    p->k = p->a->dim[p->a->rank - 1];
    p->n = p->b->dim[p->b->rank - 1];
    if (p->k != p->b->dim[p->b->rank - 2]) {
        *bad = orr__poison(at, ORR_ESHAPE, "inner dimensions differ: %s · %s", orr__str(*a).s, orr__str(*b).s);
        return false;
    }
    if (!batches(p, &p->out)) {
        *bad =
            orr__poison(at, ORR_ESHAPE, "batch dimensions do not broadcast: %s · %s", orr__str(*a).s, orr__str(*b).s);
        return false;
    }
    p->out.dim[p->out.rank++] = p->m;
    p->out.dim[p->out.rank++] = p->n;
    return orr__shape_ok(at, &p->out, bad);
}

/* True if the operand has as many matrices as the result. */
static bool has_batches(const product *p, const orr_shape *s)
{
    bool same = s->rank == p->out.rank;
    for (int i = 0; same && i < s->rank - 2; i++)
        same = s->dim[i] == p->out.dim[i];
    return same;
}

static bool fits(const product *p, const orr__node *n)
{
    return n->dtype == p->dtype && !n->weak && has_batches(p, &n->shape);
}

/* The operand with the batch axes of the result and matrices of r × c. */
static orr__node *operand(orr__site at, orr__node *n, const product *p, const orr_shape *as, int64_t r, int64_t c)
{
    n = orr__rec_reshape(at, orr__rec_cast(at, orr__node_ref(n), p->dtype), as);
    if (has_batches(p, as))
        return n;
    orr_shape full = p->out;
    full.dim[full.rank - 2] = r;
    full.dim[full.rank - 1] = c;
    orr_tensor *bad;
    if (n && !orr__shape_ok(at, &full, &bad)) {
        orr__node_unref(n);
        return NULL;
    }
    return orr__rec_broadcast(at, n, &full);
}

/* Elements of a field: by the sums of products in ops/field. */
static orr_tensor *field_product(orr__site at, orr__node *const *in, const product *p)
{
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *a = orr__handle_new(orr__rec_reshape(at, orr__node_ref(in[0]), p->a));
    orr_tensor *b = orr__handle_new(orr__rec_reshape(at, orr__node_ref(in[1]), p->b));
    return orr__compose_end(at, scope, orr__field_product(at, a, b, p->out));
}

/* Integers: Σ over k of a[…, i, k, 1]·b[…, 1, k, j], which fuses into one reduction and wraps as integers do. */
static orr_tensor *integer_product(orr__site at, orr__node *const *in, const product *p)
{
    orr_shape a = *p->a, b = *p->b;
    if (p->out.rank + 1 > ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "integer operands have at most %d batch axes: %s · %s", ORR_MAX_RANK - 3,
                           orr__str(a).s, orr__str(b).s);
    a.dim[a.rank++] = 1;
    b.rank++;
    b.dim[b.rank - 1] = b.dim[b.rank - 2];
    b.dim[b.rank - 2] = b.dim[b.rank - 3];
    b.dim[b.rank - 3] = 1;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *x = orr__handle_new(orr__rec_reshape(at, orr__rec_cast(at, orr__node_ref(in[0]), p->dtype), &a));
    orr_tensor *y = orr__handle_new(orr__rec_reshape(at, orr__rec_cast(at, orr__node_ref(in[1]), p->dtype), &b));
    orr_tensor *r = orr_sum_at(at.file, at.line, orr_mul_at(at.file, at.line, x, y), ORR_AXES(-2), false);
    return orr__compose_end(at, scope, orr_cast_at(at.file, at.line, r, p->dtype));
}

static orr_tensor *float_product(orr__site at, orr__node *const *in, const product *p)
{
    if (fits(p, in[0]) && fits(p, in[1])) /* the usual case */
        return orr__handle_new(orr__node_new(at, &orr__op_matmul, p->dtype, &p->out, 2, in));
    orr__node *ab[2] = { operand(at, in[0], p, p->a, p->m, p->k), operand(at, in[1], p, p->b, p->k, p->n) };
    return orr__handle_new(orr__node_of(at, &orr__op_matmul, p->dtype, &p->out, 2, ab));
}

orr_tensor *orr_matmul_at(const char *file, int line, orr_tensor *a, orr_tensor *b)
{
    orr__site at = ORR__SITE(file, line, "matmul");
    orr__node *in[2];
    orr_tensor *bad;
    product p;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ a, b }, (const char *const[]){ "a", "b" }, in, &bad) ||
        !infer(at, in, &p, &bad))
        return bad;
    if (!p.row && !p.column && orr__is_inexact(p.dtype))
        return float_product(at, in, &p);
    orr_shape to = p.out;
    if (p.column)
        to.rank--;
    if (p.row) {
        to.dim[to.rank - (p.column ? 1 : 2)] = to.dim[to.rank - 1];
        to.rank--;
    }
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *r = orr__is_field(p.dtype)     ? field_product(at, in, &p)
                    : orr__is_inexact(p.dtype) ? float_product(at, in, &p)
                                               : integer_product(at, in, &p);
    return orr__compose_end(at, scope, orr_reshape_at(file, line, r, to));
}
