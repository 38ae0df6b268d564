/* The rules that every capture keeps, checked before anything is planned.
 * Must not know: how it is computed. */
#include "config.h"

#include "runtime/graph/capture.h"

static const orr__node *in(const orr__capture *p, int i, int k)
{
    return p->node[p->arg[p->arg0[i] + k]];
}

static bool same_count(const orr__node *a, const orr__node *b)
{
    return orr__shape_count(&a->shape) == orr__shape_count(&b->shape);
}

static const char *check_slice(const orr__node *n, const orr__node *x)
{
    if (x->shape.rank != n->shape.rank)
        return "slice changes the rank";
    for (int d = 0; d < n->shape.rank; d++) {
        int64_t len = n->shape.dim[d], first = n->attr.start[d];
        if (n->attr.step[d] == 0)
            return "slice step is 0";
        if (len > 0 && (first < 0 || first >= x->shape.dim[d] || first + (len - 1) * n->attr.step[d] < 0 ||
                        first + (len - 1) * n->attr.step[d] >= x->shape.dim[d]))
            return "slice leaves its input";
    }
    return NULL;
}

static const char *check_permute(const orr__node *n, const orr__node *x)
{
    unsigned seen = 0;
    if (x->shape.rank != n->shape.rank)
        return "permute changes the rank";
    for (int d = 0; d < n->shape.rank; d++) {
        int s = n->attr.perm[d];
        if (s < 0 || s >= x->shape.rank || (seen >> s & 1u) || x->shape.dim[s] != n->shape.dim[d])
            return "permute is no permutation";
        seen |= 1u << s;
    }
    return NULL;
}

static const char *check_reduce(const orr__node *n, const orr__node *x, uint32_t mask)
{
    if (x->shape.rank != n->shape.rank || (mask >> n->shape.rank) != 0)
        return "reduce mask or rank";
    for (int d = 0; d < n->shape.rank; d++)
        if (n->shape.dim[d] != ((mask >> d & 1u) ? 1 : x->shape.dim[d]))
            return "reduce shape";
    return NULL;
}

static const char *check_matmul(const orr__node *n, const orr__node *a, const orr__node *b)
{
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

/* The last axes of a are square; b has as many columns, or is the same. */
static const char *check_square(const orr__node *n, const orr__node *a, const orr__node *b)
{
    int r = n->shape.rank;
    if (r < 2 || a->shape.rank != r || a->dtype != n->dtype || b->dtype != n->dtype ||
        (n->dtype != ORR_F32 && n->dtype != ORR_F64))
        return "square operands differ in rank or dtype";
    if (!orr__shape_equal(&n->shape, &b->shape) || a->shape.dim[r - 1] != n->shape.dim[r - 1] ||
        a->shape.dim[r - 2] != n->shape.dim[r - 1])
        return "square shapes";
    for (int d = 0; d < r - 2; d++)
        if (a->shape.dim[d] != n->shape.dim[d])
            return "batch dimensions of squares differ";
    return NULL;
}

static const char *check_broadcast(const orr__node *n, const orr__node *x)
{
    orr_shape s;
    return orr__shape_broadcast(&x->shape, &n->shape, &s) && orr__shape_equal(&s, &n->shape) ? NULL
                                                                                             : "broadcast shapes";
}

static const char *check_ew(const orr__capture *p, int i, const orr__node *n, int nin)
{
    if (nin < 1 || nin > 3)
        return "element-wise arity";
    for (int k = 0; k < nin; k++)
        if (!orr__shape_equal(&in(p, i, k)->shape, &n->shape))
            return "element-wise operands differ in shape";
    return NULL;
}

static const char *check_take(const orr__node *n, const orr__node *x, const orr__node *index)
{
    int k = n->attr.axis, more = index->shape.rank - 1;
    if (index->dtype != ORR_I32 && index->dtype != ORR_I64)
        return "take by other indices than i32 or i64";
    if (k >= x->shape.rank || n->shape.rank != x->shape.rank + more)
        return "take along no axis of its operand";
    for (int d = 0; d < n->shape.rank; d++)
        if (n->shape.dim[d] != (d < k           ? x->shape.dim[d]
                                : d <= k + more ? index->shape.dim[d - k]
                                                : x->shape.dim[d - more]))
            return "take of another shape than its operands say";
    return NULL;
}

/* Why node i breaks a rule, or NULL. */
static const char *check(const orr__capture *p, int i, int nin)
{
    static const signed char arity[ORR__OP_EW] = {
        [ORR__OP_CAST] = 1,     [ORR__OP_RESHAPE] = 1, [ORR__OP_PERMUTE] = 1,     [ORR__OP_BROADCAST] = 1,
        [ORR__OP_SLICE] = 1,    [ORR__OP_PAD] = 1,     [ORR__OP_REDUCE] = 1,      [ORR__OP_ARGREDUCE] = 1,
        [ORR__OP_MATMUL] = 2,   [ORR__OP_TAKE] = 2,    [ORR__OP_SCATTER_ADD] = 3, [ORR__OP_CONCAT] = -1,
        [ORR__OP_CHOLESKY] = 1, [ORR__OP_SOLVE] = 2,   [ORR__OP_USER] = -1,
    };
    const orr__node *n = p->node[i];
    int id = n->op->id;
    if (p->leaf_of[i] >= 0)
        return nin ? "a leaf with inputs" : NULL;
    if (id >= ORR__OP_EW)
        return check_ew(p, i, n, nin);
    if (arity[id] >= 0 && nin != arity[id])
        return "wrong number of inputs";
    switch (id) {
    case ORR__OP_CAST: return orr__shape_equal(&in(p, i, 0)->shape, &n->shape) ? NULL : "cast changes the shape";
    case ORR__OP_RESHAPE: return same_count(in(p, i, 0), n) ? NULL : "reshape changes the size";
    case ORR__OP_PERMUTE: return check_permute(n, in(p, i, 0));
    case ORR__OP_BROADCAST: return check_broadcast(n, in(p, i, 0));
    case ORR__OP_SLICE: return check_slice(n, in(p, i, 0));
    case ORR__OP_REDUCE: return check_reduce(n, in(p, i, 0), n->attr.mask);
    case ORR__OP_ARGREDUCE: return check_reduce(n, in(p, i, 0), 1u << n->attr.axis);
    case ORR__OP_MATMUL: return check_matmul(n, in(p, i, 0), in(p, i, 1));
    case ORR__OP_CHOLESKY: return check_square(n, in(p, i, 0), in(p, i, 0));
    case ORR__OP_SOLVE: return check_square(n, in(p, i, 0), in(p, i, 1));
    case ORR__OP_TAKE: return check_take(n, in(p, i, 0), in(p, i, 1));
    case ORR__OP_CONCAT: return nin >= 1 ? NULL : "concat of nothing";
    case ORR__OP_CONST: return n->nscalar >= 1 ? NULL : "a constant without its value";
    case ORR__OP_IOTA: return n->nscalar == 2 && n->attr.axis < n->shape.rank ? NULL : "iota attributes";
    default: return NULL;
    }
}

orr_status orr__capture_verify(const orr__capture *p)
{
    for (int i = 0; i < p->n; i++) {
        const orr__node *n = p->node[i];
        int nin = orr__capture_nin(p, i);
        orr__site at = ORR__SITE(n->file, n->line, n->op->name);
        for (int k = 0; k < nin; k++)
            if (p->arg[p->arg0[i] + k] < 0 || p->arg[p->arg0[i] + k] >= i)
                return orr__fail(at, ORR_EINTERNAL, "node %d uses node %d before it", i, p->arg[p->arg0[i] + k]);
        const char *why = orr__shape_valid(&n->shape) ? check(p, i, nin) : "an invalid shape";
        if (why)
            return orr__fail(at, ORR_EINTERNAL, "node %d: %s", i, why);
    }
    return ORR_OK;
}
