/* The partition of a capture: nodes on local shapes, in the order of the moves between them. Moves are made level by level, so that those
 * of one level do not depend on each other, and within a level in the order in which their operands exist. Sums of one level share an
 * exchange, up to the size of a bucket.
 * Must not know: any single operation, how nodes are computed, how messages travel. */
#include "config.h"

#include <stdlib.h>
#include "ops/exchange.h"
#include "runtime/base/pool.h"
#include "runtime/distribute/partition.h"

#define BUCKET ((size_t)4 << 20) /* bytes: longer messages are no faster, and begin later */

bool orr__partition_needed(const orr__capture *p)
{
    bool any = p->flags & ORR__OP_PLACES;
    for (int k = 0; k < p->nleaf && !any; k++)
        any = p->placed[k] != 0;
    return any && orr__distributions_exist();
}

typedef struct {
    orr__partition *q;
    orr__choice c;
    orr__exchanges *e;
    orr__site at;
} building;

static orr__site site_of(const building *b, int i)
{
    const orr__node *n = b->c.p->node[i];
    return ORR__SITE(n->file, n->line, n->op->name);
}

/* -- nodes ----------------------------------------------------------------------------------------------------------------- */

/* Records r as a taker. Returns r, or NULL: no memory. */
static orr__node *note(const building *b, orr__node *r, int leaf, int slot)
{
    orr__partition *q = b->q;
    if (r && q->ntaker == q->taker_cap) {
        int cap = q->taker_cap ? 2 * q->taker_cap : 64;
        orr__taker *more = realloc(q->taker, (size_t)cap * sizeof *more);
        if (!more) {
            orr__node_unref(r);
            return NULL;
        }
        q->taker = more;
        q->taker_cap = cap;
    }
    if (r)
        q->taker[q->ntaker++] = (orr__taker){ orr__node_ref(r), leaf, slot };
    return r;
}

static orr__node *local_leaf(const building *b, const orr__version *v)
{
    const orr__node *n = b->c.p->node[v->node];
    orr_shape s = orr__distribution_local(&v->as, &n->shape);
    orr__node *r = orr__node_new(site_of(b, v->node), &orr__op_leaf, (orr_dtype)n->dtype, &s, 0, NULL);
    return note(b, r, b->c.p->leaf_of[v->node], -1);
}

static orr__node *version(building *b, int v);

/* The same operation on this rank's pieces of the operands. */
static orr__node *local_node(building *b, const orr__version *v)
{
    const orr__capture *p = b->c.p;
    const orr__node *n = p->node[v->node];
    int nin = orr__capture_nin(p, v->node), *need = b->c.need + p->arg0[v->node];
    orr__node *few[8], **in = nin <= 8 ? few : orr__alloc_n((size_t)nin, sizeof(orr__node *));
    bool ok = in != NULL;
    for (int k = 0; ok && k < nin; k++) {
        in[k] = version(b, need[k]);
        ok = in[k] != NULL;
    }
    orr_shape s = orr__distribution_local(&v->as, &n->shape);
    orr__node *r = ok ? orr__node_new(site_of(b, v->node), n->op, (orr_dtype)n->dtype, &s, nin, in) : NULL;
    if (in != few)
        free(in);
    if (!r)
        return NULL;
    r->nscalar = n->nscalar;
    r->weak = n->weak;
    r->as = n->as;
    memcpy(r->s, n->s, sizeof r->s);
    if (n->op->attrs)
        r->attr = n->attr;
    return n->nscalar ? note(b, r, -1, p->scalar0[v->node]) : r;
}

/* The leaf for the common result of the ranks. */
static orr__node *joint(building *b, const orr__version *v)
{
    orr__node *n = b->c.p->node[v->node];
    int nin = orr__capture_nin(b->c.p, v->node), *need = b->c.need + b->c.p->arg0[v->node];
    orr__joint *more = realloc(b->q->joint, ((size_t)b->q->njoint + 1) * sizeof *more);
    if (!more)
        return NULL;
    b->q->joint = more;
    orr__joint *j = &more[b->q->njoint];
    *j = (orr__joint){ .after = b->e->n, .node = n, .as = v->as };
    j->in = orr__alloc_n((size_t)nin, sizeof(orr__node *));
    j->lies = orr__alloc_n((size_t)nin, sizeof *j->lies);
    j->global = orr__alloc_n((size_t)nin, sizeof *j->global);
    bool ok = j->in && j->lies && j->global;
    b->q->njoint++;
    for (; ok && j->nin < nin; j->nin += ok) {
        orr__node *x = version(b, need[j->nin]);
        ok = x != NULL;
        j->in[j->nin] = ok ? orr__node_ref(x) : NULL;
        j->lies[j->nin] = b->c.version[need[j->nin]].as;
        j->global[j->nin] = b->c.p->node[b->c.version[need[j->nin]].node]->shape;
    }
    orr_shape s = orr__distribution_local(&v->as, &n->shape);
    j->out = ok ? orr__node_new(site_of(b, v->node), &orr__op_leaf, (orr_dtype)n->dtype, &s, 0, NULL) : NULL;
    return j->out ? orr__node_ref(j->out) : NULL;
}

/* The local node of version v, borrowed. Versions that need an exchange are made before others ask for them. */
static orr__node *version(building *b, int v)
{
    orr__version *x = &b->c.version[v];
    if (x->local)
        return x->local;
    const orr_shape *global = &b->c.p->node[x->node]->shape;
    if (x->from >= 0) {
        orr__node *from = version(b, x->from);
        x->local =
            from ? orr__move(site_of(b, x->node), orr__node_ref(from), global, &b->c.version[x->from].as, &x->as, b->e)
                 : NULL;
    } else if (x->joint) {
        x->local = joint(b, x);
    } else {
        x->local = b->c.p->leaf_of[x->node] >= 0 ? local_leaf(b, x) : local_node(b, x);
    }
    return x->local;
}

/* -- moves of a level ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int v, depth;
} due;

static int earlier(const void *a, const void *b)
{
    const due *x = a, *y = b;
    return x->depth != y->depth ? (x->depth > y->depth) - (x->depth < y->depth) : (x->v > y->v) - (x->v < y->v);
}

/* The kind of a sum: grid and axes, reduction, dtype. Sums of one kind share an exchange. mask 0: it shares with
 * none. */
typedef struct {
    orr_grid *grid;
    unsigned mask;
    int rop;
    uint8_t dtype;
    size_t bytes;
} sum_kind;

static sum_kind kind_of(const building *b, int v)
{
    const orr__version *x = &b->c.version[v], *from = &b->c.version[x->joint ? v : x->from];
    const orr__node *n = b->c.p->node[x->node];
    sum_kind k = { .grid = from->as.grid, .dtype = n->dtype };
    if (!x->joint && !orr__is_complex((orr_dtype)n->dtype))
        k.mask = orr__move_reduces(&from->as, &x->as, &k.rop);
    orr_shape s = orr__distribution_local(&from->as, &n->shape);
    k.bytes = (size_t)orr__shape_count(&s) * orr_dtype_size((orr_dtype)n->dtype);
    return k;
}

static bool together(const sum_kind *a, const sum_kind *b)
{
    return a->mask && a->mask == b->mask && a->grid == b->grid && a->rop == b->rop && a->dtype == b->dtype;
}

/* Puts all sums from d[first] on that are of its kind and fit into the bucket into one exchange. */
static bool bucket(building *b, due *d, int n, int first, const sum_kind *kind)
{
    orr__node **x = orr__alloc_n((size_t)n, sizeof(orr__node *));
    int *which = orr__alloc_n((size_t)n, sizeof *which), m = 0;
    size_t bytes = 0;
    bool ok = x && which;
    for (int k = first; ok && k < n; k++) {
        sum_kind other = kind_of(b, d[k].v);
        if (b->c.version[d[k].v].local || !together(kind, &other) || (m && bytes + other.bytes > BUCKET))
            continue;
        orr__node *from = version(b, b->c.version[d[k].v].from);
        ok = from != NULL;
        if (!ok)
            break;
        bytes += other.bytes;
        which[m] = d[k].v;
        x[m++] = orr__node_ref(from);
    }
    ok = ok &&
         orr__move_reduce(site_of(b, b->c.version[d[first].v].node), x, m, kind->grid, kind->mask, kind->rop, b->e);
    for (int k = 0; k < m; k++)
        if (ok)
            b->c.version[which[k]].local = x[k];
        else
            orr__node_unref(x[k]);
    free(x);
    free(which);
    return ok;
}

static bool build_level(building *b, int level, due *d)
{
    int n = 0;
    for (int v = 0; v < b->c.n; v++) {
        const orr__version *x = &b->c.version[v];
        if (x->needed && x->from < 0 && !x->joint && x->level == level && !version(b, v))
            return false;
        if (x->needed && (x->joint ? x->level - 1 == level : x->moves && b->c.version[x->from].level == level))
            d[n++] = (due){ v, b->c.depth[x->node] };
    }
    qsort(d, (size_t)n, sizeof *d, earlier);
    for (int k = 0; k < n; k++) {
        if (b->c.version[d[k].v].local)
            continue;
        sum_kind kind = kind_of(b, d[k].v);
        if (kind.mask ? !bucket(b, d, n, k, &kind) : !version(b, d[k].v))
            return false;
    }
    return true;
}

/* A reference to the local value of output o. */
static orr__node *local_root(building *b, int o, int *placed)
{
    int v = b->c.root[o];
    orr__node *local = version(b, v);
    *placed = local ? orr__distribution_number(b->at, &b->c.version[v].as) : -1;
    return *placed < 0 ? NULL : orr__node_ref(local);
}

orr_status orr__partition_make(orr__site at, const orr__capture *p, bool jointly, orr__partition *q)
{
    building b = { .q = q, .e = &q->exchanges, .at = at };
    *q = (orr__partition){ .nroot = 0 };
    orr_status st = orr__choose(at, p, jointly, &b.c);
    if (st != ORR_OK)
        return st;
    due *d = orr__alloc_n((size_t)b.c.n + 1, sizeof *d);
    q->root = orr__alloc_n((size_t)p->nout + 1, sizeof(orr__node *));
    q->placed = orr__alloc_n((size_t)p->nout + 1, sizeof *q->placed);
    bool ok = d && q->root && q->placed;
    for (int level = 0; ok && level < b.c.levels; level++)
        ok = build_level(&b, level, d);
    for (int o = 0; ok && o < p->nout; o++) {
        q->root[o] = local_root(&b, o, &q->placed[o]);
        ok = q->root[o] != NULL;
        q->nroot += ok;
    }
    orr__choice_free(&b.c);
    free(d);
    if (ok)
        return ORR_OK;
    orr__partition_free(q);
    return orr__fail(at, ORR_ENOMEM, "no memory to distribute the graph");
}

void orr__partition_free(orr__partition *q)
{
    for (int o = 0; o < q->nroot; o++)
        orr__node_unref(q->root[o]);
    free(q->root);
    free(q->placed);
    orr__exchanges_free(&q->exchanges);
    for (int j = 0; j < q->njoint; j++) {
        for (int k = 0; k < q->joint[j].nin; k++)
            orr__node_unref(q->joint[j].in[k]);
        orr__node_unref(q->joint[j].out);
        free(q->joint[j].in);
        free(q->joint[j].lies);
        free(q->joint[j].global);
    }
    free(q->joint);
    for (int t = 0; t < q->ntaker; t++)
        orr__node_unref(q->taker[t].node);
    free(q->taker);
    *q = (orr__partition){ .nroot = 0 };
}

void orr__partition_fill(orr__partition *q, const orr__capture *p)
{
    for (int t = 0; t < q->ntaker; t++)
        if (q->taker[t].leaf >= 0)
            atomic_store(&q->taker[t].node->value, orr__buffer_ref(p->leaf[q->taker[t].leaf]));
}

orr_status orr__partition_local(orr__site at, bool jointly, orr__capture *p)
{
    orr__partition q;
    orr__capture local;
    if (!orr__partition_needed(p))
        return ORR_OK;
    orr_status st = orr__partition_make(at, p, jointly, &q);
    if (st != ORR_OK)
        return st;
    st = orr__capture_make_roots(at, &ORR__ROOTS(q.root, q.nroot, p->nfirst), &local);
    orr__partition_free(&q);
    if (st != ORR_OK)
        return st;
    orr__capture_free(p);
    *p = local;
    return ORR_OK;
}
