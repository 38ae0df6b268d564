/* Captures the part of the graph that an evaluation needs, and writes down its structural key.
 * Must not know: what an op means, how it is computed. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/hash.h"
#include "runtime/graph/prog.h"

typedef struct { orr__node *node; int next; } frame;

/* Growing arrays of one capture; a failed growth sets `oom` and the walk ends. */
typedef struct {
    orr__prog *p;
    frame *stack; int depth, stack_cap;
    int node_cap, arg_cap, leaf_cap, scalar_cap;
    size_t key_cap;
    uint64_t epoch;
    bool oom;
} walk;

static uint64_t epoch; /* under the graph lock */

static bool grow(walk *w, void *array, int *cap, int need, size_t size)
{
    if (need <= *cap)
        return true;
    int c = *cap ? *cap : 64;
    while (c < need)
        c *= 2;
    void *more = realloc(*(void **)array, (size_t)c * size);
    if (!more) {
        w->oom = true;
        return false;
    }
    *(void **)array = more;
    *cap = c;
    return true;
}

static void put(walk *w, const void *data, size_t size)
{
    orr__prog *p = w->p;
    if (p->key_size + size > w->key_cap) {
        size_t c = w->key_cap ? 2 * w->key_cap : 2048;
        while (c < p->key_size + size)
            c *= 2;
        uint8_t *more = realloc(p->key, c);
        if (!more) {
            w->oom = true;
            return;
        }
        p->key = more;
        w->key_cap = c;
    }
    memcpy(p->key + p->key_size, data, size);
    p->key_size += size;
}

static void put_i32(walk *w, int32_t v)
{
    put(w, &v, sizeof v);
}

/* What of the attributes belongs to each primitive's structure. */
static void put_attr(walk *w, const orr__node *n)
{
    const orr__attr *a = &n->attr;
    size_t rank = (size_t)n->shape.rank;
    switch (n->op->id) {
    case ORR__OP_IOTA: case ORR__OP_TAKE: case ORR__OP_SCATTER_ADD: case ORR__OP_CONCAT: put_i32(w, a->axis); break;
    case ORR__OP_RANDOM: put_i32(w, a->dist); break;
    case ORR__OP_USER: put_i32(w, a->index); break;
    case ORR__OP_PERMUTE: put(w, a->perm, sizeof a->perm); break;
    case ORR__OP_SLICE:
        put(w, a->start, rank * sizeof a->start[0]);
        put(w, a->step, rank * sizeof a->step[0]);
        break;
    case ORR__OP_PAD: put(w, a->start, rank * sizeof a->start[0]); break;
    case ORR__OP_REDUCE: put_i32(w, a->rop); put(w, &a->mask, sizeof a->mask); break;
    case ORR__OP_ARGREDUCE: put_i32(w, a->rop); put_i32(w, a->axis); break;
    default: break;
    }
}

static void put_leaf(walk *w, int i)
{
    orr__prog *p = w->p;
    if (!grow(w, &p->leaf_node, &w->leaf_cap, p->nleaf + 1, sizeof *p->leaf_node))
        return;
    p->leaf_of[i] = p->nleaf;
    p->leaf_node[p->nleaf++] = i;
    put_i32(w, ORR__OP_LEAF);
}

/* All inputs of n have their numbers: n gets its own. */
static void number(walk *w, orr__node *n)
{
    orr__prog *p = w->p;
    int nin = n->value ? 0 : n->nin;
    if (p->n == w->node_cap) {
        int cap = w->node_cap, c;
        if (!(c = cap, grow(w, &p->node, &c, cap + 1, sizeof *p->node)) ||
            !(c = cap, grow(w, &p->arg0, &c, cap + 1, sizeof *p->arg0)) ||
            !(c = cap, grow(w, &p->leaf_of, &c, cap + 1, sizeof *p->leaf_of)) ||
            !(c = cap, grow(w, &p->scalar0, &c, cap + 1, sizeof *p->scalar0)))
            return;
        w->node_cap = c;
    }
    if (!grow(w, &p->arg, &w->arg_cap, p->narg + nin, sizeof *p->arg) ||
        !grow(w, &p->scalar, &w->scalar_cap, p->nscalar + 3, sizeof *p->scalar))
        return;
    int i = p->n++;
    p->node[i] = orr__node_ref(n);
    p->arg0[i] = p->narg;
    p->leaf_of[i] = -1;
    p->scalar0[i] = p->nscalar;
    n->index = i;
    if (n->value || n->op->id == ORR__OP_LEAF || n->op->id == ORR__OP_PLACEHOLDER) {
        put_leaf(w, i);
    } else {
        put_i32(w, n->op->id);
        for (int k = 0; k < n->nscalar; k++)
            p->scalar[p->nscalar++] = n->s[k];
        put_attr(w, n);
    }
    put_i32(w, n->dtype | n->shape.rank << 8 | nin << 12);
    put(w, n->shape.dim, (size_t)n->shape.rank * sizeof n->shape.dim[0]);
    for (int k = 0; k < nin; k++) {
        p->arg[p->narg++] = n->in[k]->index;
        put_i32(w, n->in[k]->index);
    }
}

static bool push(walk *w, orr__node *n)
{
    if (!grow(w, &w->stack, &w->stack_cap, w->depth + 1, sizeof *w->stack))
        return false;
    n->mark = w->epoch;
    n->index = -1; /* on the stack */
    w->stack[w->depth++] = (frame){ n, n->op->id == ORR__OP_DEFINED && n->nin ? n->nin - 1 : 0 };
    return true;
}

/* Numbers everything that `root` needs. False: a cycle or poison (the status is set), or no memory. */
static bool visit(walk *w, orr__site at, orr__node *root, orr_status *st)
{
    if (root->mark == w->epoch || !push(w, root))
        return !w->oom;
    while (w->depth && !w->oom) {
        frame *f = &w->stack[w->depth - 1];
        orr__node *n = f->node;
        if (n->poison) {
            *st = orr__fail_text(n->poison->status, n->poison->text);
            return false;
        }
        if (!n->value && f->next < n->nin) {
            orr__node *x = n->in[f->next++];
            if (x->mark != w->epoch) {
                if (!push(w, x))
                    return false;
            } else if (x->index < 0) {
                *st = orr__fail(at, ORR_EGRAPH, "the graph has a cycle through %s", x->op->name);
                return false;
            }
            continue;
        }
        w->depth--;
        if ((n->op->id == ORR__OP_DETACH || n->op->id == ORR__OP_DEFINED) && !n->value)
            n->index = n->in[n->nin - 1]->index; /* looked through */
        else
            number(w, n);
    }
    return !w->oom;
}

orr_status orr__prog_capture(orr__site at, orr__node *const *out, int nout, orr__prog *p)
{
    orr_status st = ORR_OK;
    memset(p, 0, sizeof *p);
    walk w = { .p = p };
    if (!(p->out = malloc(((size_t)nout + 1) * sizeof *p->out)))
        return orr__fail(at, ORR_ENOMEM, "no memory to capture the graph");
    orr__graph_lock();
    w.epoch = ++epoch;
    for (int i = 0; i < nout && st == ORR_OK && !w.oom; i++)
        if (visit(&w, at, out[i], &st)) {
            p->out[p->nout++] = out[i]->index;
            put_i32(&w, ~out[i]->index);
        }
    if (st == ORR_OK && !w.oom && (p->leaf = malloc(((size_t)p->nleaf + 1) * sizeof *p->leaf))) {
        for (int k = 0; k < p->nleaf; k++) {
            orr__buf *b = p->node[p->leaf_node[k]]->value;
            p->leaf[k] = b ? orr__buf_ref(b) : NULL;
        }
    } else if (st == ORR_OK) {
        w.oom = true;
    }
    orr__graph_unlock();
    free(w.stack);
    if (w.oom)
        st = orr__fail(at, ORR_ENOMEM, "no memory to capture the graph");
    if (st != ORR_OK)
        orr__prog_free(p);
    else
        p->hash = orr__hash(p->key, p->key_size, 0);
    return st;
}

void orr__prog_free(orr__prog *p)
{
    for (int i = 0; i < p->n; i++)
        orr__node_unref(p->node[i]);
    for (int k = 0; p->leaf && k < p->nleaf; k++)
        orr__buf_unref(p->leaf[k]);
    free(p->node);
    free(p->arg0);
    free(p->arg);
    free(p->leaf_of);
    free(p->scalar0);
    free(p->out);
    free(p->leaf_node);
    free(p->leaf);
    free(p->scalar);
    free(p->key);
    memset(p, 0, sizeof *p);
}
