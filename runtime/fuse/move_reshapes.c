/* Rewrites a capture. Reshapes that mix axes move below element-wise work, down to existing values, where they cost nothing. The work above
 * then joins its readers, such as a slice or a take that needs only some elements. Short folds become element-wise work.
 * Must not know: any single operation, regions. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/ablation.h"
#include "runtime/fuse/group.h"

enum { DEPTH = 64 }; /* limit of search: levels of element-wise work below one reshape */

typedef struct {
    orr__site at;
    const orr__capture *p;
    orr__capture *q;
    int *map; /* per node of p: its number in q */
    orr__usage *use;
    int node_cap, arg_cap, made_cap, nmade;
    orr__node **made;
    bool oom;
} moving;

static bool grow(moving *s, void *array, int *cap, int need, size_t size)
{
    int n = *cap ? *cap : 64;
    while (n < need)
        n *= 2;
    void *more = need > *cap ? realloc(*(void **)array, (size_t)n * size) : *(void **)array;
    if (!more) {
        s->oom = true;
        return false;
    }
    *(void **)array = more;
    *cap = n > *cap ? n : *cap;
    return true;
}

/* Adds a node to q, with the leaf and the scalars of node `like` of p. Returns its number. */
static int add(moving *s, orr__node *n, int like, int nin, const int32_t *arg)
{
    orr__capture *q = s->q;
    int cap[4] = { s->node_cap, s->node_cap, s->node_cap, s->node_cap };
    if (!grow(s, &q->node, &cap[0], q->n + 1, sizeof *q->node) ||
        !grow(s, &q->arg0, &cap[1], q->n + 1, sizeof *q->arg0) ||
        !grow(s, &q->leaf_of, &cap[2], q->n + 1, sizeof *q->leaf_of) ||
        !grow(s, &q->scalar0, &cap[3], q->n + 1, sizeof *q->scalar0) ||
        !grow(s, &q->arg, &s->arg_cap, q->narg + nin + 1, sizeof *q->arg))
        return 0;
    s->node_cap = cap[0];
    q->node[q->n] = n;
    q->arg0[q->n] = q->narg;
    q->leaf_of[q->n] = s->p->leaf_of[like];
    q->scalar0[q->n] = s->p->scalar0[like];
    for (int k = 0; k < nin; k++)
        q->arg[q->narg++] = arg[k];
    return q->n++;
}

/* A copy of node `like` with another operation, dtype or shape. */
static orr__node *copy(moving *s, const orr__node *like, const orr__op *op, orr_dtype dtype, const orr_shape *shape)
{
    if (!grow(s, &s->made, &s->made_cap, s->nmade + 1, sizeof(orr__node *)))
        return NULL;
    orr__node *n = orr__node_of(s->at, op, dtype, shape, 0, NULL);
    if (!n) {
        s->oom = true;
        return NULL;
    }
    if (op == like->op) {
        n->attr = like->attr;
        n->nscalar = like->nscalar;
        for (int k = 0; k < like->nscalar; k++)
            n->s[k] = like->s[k];
    }
    n->file = like->file;
    n->line = like->line;
    n->as = like->as;
    s->made[s->nmade++] = n;
    return n;
}

/* Node j repeats its operand along axes. Finds the shape of the operand from which it can be repeated to shape `to`. For each run of
 * axes that `to` divides differently, the operand's axes must all have the lengths of j's, or all be 1; else false. */
static bool repeated(const orr__capture *p, int j, const orr_shape *to, orr_shape *operand)
{
    const orr_shape *from = &p->node[j]->shape, *x = &p->node[orr__arg(p, j, 0)]->shape;
    int a = 0, b = 0, lead = from->rank - x->rank;
    *operand = *to;
    while (a < from->rank || b < to->rank) {
        int a0 = a, b0 = b;
        int64_t m = 1, n = 1;
        bool all = true, none = true;
        while (a == a0 || b == b0 || m != n) {
            bool left = a < from->rank && (m <= n || b == to->rank);
            if (!left && b == to->rank)
                break;
            if (left) {
                int64_t length = a < lead ? 1 : x->dim[a - lead];
                all = all && length == from->dim[a];
                none = none && length == 1;
                m *= from->dim[a++];
            } else {
                n *= to->dim[b++];
            }
        }
        if (m != n || !(all || none))
            return false;
        for (int k = b0; k < b && !all; k++)
            operand->dim[k] = 1;
    }
    return true;
}

static bool is_repeat(const orr__capture *p, int j)
{
    const orr__node *n = p->node[j];
    return orr__pattern_of(p, j) == ORR__PATTERN_VIEW && !n->op->attrs &&
           !(n->op->flags & (ORR__OP_ORDERED | ORR__OP_OVERLAPS)) && orr__shape_count(&n->shape) > 0;
}

/* True if node j can be computed in shape `to` with reshapes of leaves and of repeated operands alone. */
static bool moves(const moving *s, int j, const orr_shape *to, int depth)
{
    const orr__capture *p = s->p;
    const orr__node *n = p->node[j];
    orr_shape operand;
    if (p->leaf_of[j] >= 0)
        return true;
    if (is_repeat(p, j))
        return repeated(p, j, to, &operand);
    bool by_place = n->op->flags & ORR__OP_BY_PLACE;
    if (orr__pattern_of(p, j) != ORR__PATTERN_ELEMENT || by_place || depth == 0 ||
        (orr__capture_nin(p, j) && s->use[j].readers > 1))
        return false;
    for (int k = 0; k < orr__capture_nin(p, j); k++)
        if (!moves(s, orr__arg(p, j, k), to, depth - 1))
            return false;
    return true;
}

/* Adds node j of p to q in shape `to`, the shape of reshape i. Returns its number. */
static int move(moving *s, int i, int j, const orr_shape *to)
{
    const orr__capture *p = s->p;
    const orr__node *n = p->node[j];
    int32_t arg[3] = { 0 };
    orr_shape operand = *to;
    bool repeat = p->leaf_of[j] < 0 && is_repeat(p, j);
    if (s->oom)
        return 0;
    if (p->leaf_of[j] >= 0) {
        arg[0] = s->map[j];
        orr__node *r = copy(s, p->node[i], p->node[i]->op, (orr_dtype)n->dtype, to);
        return r ? add(s, r, i, 1, arg) : 0;
    }
    int nin = orr__capture_nin(p, j);
    if (repeat && repeated(p, j, to, &operand)) {
        int x = orr__arg(p, j, 0);
        orr__node *r = copy(s, p->node[i], p->node[i]->op, (orr_dtype)n->dtype, &operand);
        arg[0] = s->map[x];
        arg[0] = r ? add(s, r, i, 1, arg) : 0;
    }
    for (int k = 0; k < nin && !repeat; k++)
        arg[k] = move(s, i, orr__arg(p, j, k), to);
    orr__node *r = s->oom ? NULL : copy(s, n, n->op, (orr_dtype)n->dtype, to);
    return r ? add(s, r, j, nin, arg) : 0;
}

static bool worth(const moving *s, int i)
{
    const orr__capture *p = s->p;
    if (p->leaf_of[i] >= 0 || !(p->node[i]->op->flags & ORR__OP_ORDERED) || !orr__mixes_axes(p, i) ||
        orr__ablated(ORR__OFF_MOVE_RESHAPES))
        return false;
    int j = orr__arg(p, i, 0);
    return orr__pattern_of(p, j) == ORR__PATTERN_ELEMENT && orr__capture_nin(p, j) > 0 &&
           moves(s, j, &p->node[i]->shape, DEPTH);
}

/* Adds fold i of p to q: a chain, or a fold, over `axes`, and a fold of its values over the others, if there are any. Returns its number. */
static int divide(moving *s, int i, uint32_t axes, const orr__op *first)
{
    const orr__node *n = s->p->node[i], *x = s->p->node[orr__arg(s->p, i, 0)];
    int32_t arg = s->map[orr__arg(s->p, i, 0)];
    uint32_t rest = n->attr.mask & ~axes;
    orr_shape shape = n->shape;
    for (int d = 0; d < shape.rank; d++)
        shape.dim[d] = rest >> d & 1u ? x->shape.dim[d] : shape.dim[d];
    orr_dtype dtype = rest ? orr__fold_dtype(n->attr.rop, (orr_dtype)x->dtype) : (orr_dtype)n->dtype;
    orr__node *chain = copy(s, n, first, dtype, &shape), *r = chain;
    if (chain) {
        chain->attr = n->attr;
        chain->attr.mask = axes;
        arg = add(s, chain, i, 1, &arg);
    }
    if (chain && rest && (r = copy(s, n, n->op, (orr_dtype)n->dtype, &n->shape))) {
        r->attr.mask = rest;
        arg = add(s, r, i, 1, &arg);
    }
    return r ? arg : 0;
}

/* The axes over which fold i is a chain, 0: none. */
static uint32_t unrolled(const moving *s, int i)
{
    return orr__unrolls(s->p, s->use, i) ? s->p->node[i]->attr.mask : orr__unrolled_axes(s->p, s->use, i);
}

static void rewrite(moving *s)
{
    const orr__capture *p = s->p;
    orr__capture *q = s->q;
    for (int i = 0; i < p->n && !s->oom; i++) {
        if (worth(s, i)) {
            s->map[i] = move(s, i, orr__arg(p, i, 0), &p->node[i]->shape);
            continue;
        }
        uint32_t axes = unrolled(s, i);
        if (axes) {
            s->map[i] = divide(s, i, axes, p->node[i]->op->unrolled);
            continue;
        }
        axes = orr__last_axes(p, s->use, i);
        if (axes) {
            s->map[i] = divide(s, i, axes, p->node[i]->op);
            continue;
        }
        int nin = orr__capture_nin(p, i), first = q->narg;
        s->map[i] = add(s, p->node[i], i, nin, p->arg + p->arg0[i]);
        for (int k = 0; k < nin && !s->oom; k++)
            q->arg[first + k] = s->map[orr__arg(p, i, k)];
    }
    for (int k = 0; k < p->nout && !s->oom; k++)
        q->out[k] = s->map[p->out[k]];
    for (int k = 0; k < p->nleaf && !s->oom; k++)
        q->leaf_node[k] = s->map[p->leaf_node[k]];
}

void orr__moved_free(orr__moved *k)
{
    for (int i = 0; i < k->nmade; i++)
        orr__node_unref(k->made[i]);
    free(k->made);
    free(k->q.node);
    free(k->q.arg0);
    free(k->q.arg);
    free(k->q.leaf_of);
    free(k->q.scalar0);
    free(k->q.out);
    free(k->q.leaf_node);
    memset(k, 0, sizeof *k);
}

orr_status orr__move_reshapes(orr__site at, const orr__capture *p, orr__moved *k)
{
    moving s = { .at = at, .p = p, .q = &k->q };
    bool any = false;
    memset(k, 0, sizeof *k);
    s.map = calloc((size_t)p->n + 1, sizeof *s.map);
    s.use = calloc((size_t)p->n + 1, sizeof *s.use);
    s.oom = !s.map || !s.use;
    if (!s.oom)
        orr__usage_of(p, s.use);
    for (int i = 0; i < p->n && !s.oom && !any; i++)
        any = worth(&s, i) || unrolled(&s, i) || orr__last_axes(p, s.use, i);
    if (any) {
        k->q = *p;
        k->q.node = NULL;
        k->q.arg0 = k->q.arg = k->q.leaf_of = k->q.scalar0 = NULL;
        k->q.n = k->q.narg = 0;
        k->q.out = calloc((size_t)p->nout + 1, sizeof *k->q.out);
        k->q.leaf_node = calloc((size_t)p->nleaf + 1, sizeof *k->q.leaf_node);
        s.oom = !k->q.out || !k->q.leaf_node;
        if (!s.oom)
            rewrite(&s);
        k->made = s.made;
        k->nmade = s.nmade;
        k->any = true;
    }
    free(s.map);
    free(s.use);
    if (!s.oom)
        return ORR_OK;
    orr__moved_free(k);
    return orr__fail(at, ORR_ENOMEM, "no memory to move reshapes of %d nodes", p->n);
}
