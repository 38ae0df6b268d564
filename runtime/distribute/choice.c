/* The choice of a distribution for each node of a capture, by the rules of operations. It is made for each axis of the grid separately: the
 * distribution for which the fewest bytes move. The numbers are global, so that all ranks choose alike.
 * Must not know: any single operation, how values move. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/exchange.h"
#include "runtime/base/pool.h"
#include "runtime/distribute/choice.h"
#include "runtime/distribute/move.h"

/* About so many operations run on a core in the time in which a byte goes to another rank. */
enum { WORK_OF_BYTE = 8 };

static const orr__distribution whole = { .grid = NULL };

/* -- versions --------------------------------------------------------------------------------------------------------------- */

/* Adds a version and returns its number; -1: no memory. */
static int add(orr__choice *c, orr__version v)
{
    if (c->n == c->cap) {
        int cap = c->cap ? 2 * c->cap : 256;
        orr__version *more = realloc(c->version, (size_t)cap * sizeof *more);
        if (!more)
            return -1;
        c->version = more;
        c->cap = cap;
    }
    c->version[c->n] = v;
    c->levels = v.level + 1 > c->levels ? v.level + 1 : c->levels;
    return c->n++;
}

static double bytes_of(const orr__choice *c, int i)
{
    return (double)orr__node_bytes(c->p->node[i]);
}

/* The version of node i that lies as d: an existing one, or one to be moved from the version from which the fewest
 * bytes move. -1: no memory. */
static int version_as(orr__choice *c, int i, const orr__distribution *d)
{
    int best = -1, last = c->own[i];
    double least = INFINITY;
    for (int v = c->own[i]; v >= 0; v = c->version[v].next) {
        double cost = orr__move_bytes(&c->version[v].as, d, bytes_of(c, i));
        if (orr__distribution_equal(&c->version[v].as, d))
            return v;
        if (cost < least) {
            best = v;
            least = cost;
        }
        last = v;
    }
    const orr__version *from = &c->version[best < 0 ? c->own[i] : best];
    bool moves = orr__move_exchanges(&from->as, d);
    int v = add(c, (orr__version){ .node = i,
                                   .from = best < 0 ? c->own[i] : best,
                                   .next = -1,
                                   .level = from->level + moves,
                                   .moves = moves,
                                   .as = *d });
    if (v >= 0)
        c->version[last].next = v;
    return v;
}

/* -- one node, along one axis of the grid ------------------------------------------------------------------------------------ */

typedef struct {
    orr__choice *c;
    int i, nin, g;
    orr_grid *grid;
    const orr__node **in;
    orr__distribution *need, out; /* so far: along the axes before g */
    orr__spread *asks;            /* requested by a rule             */
    double work;                  /* of the node, by its rules      */
} node_choice;

static int arg(const node_choice *w, int k)
{
    return w->c->p->arg[w->c->p->arg0[w->i] + k];
}

static orr__spread lies(const node_choice *w, const orr__distribution *d)
{
    return d->grid == w->grid ? d->along[w->g] : (orr__spread){ .kind = ORR__WHOLE };
}

/* True if s shards an axis of the tensor that an earlier axis of the grid shards already. */
static bool clashes(const node_choice *w, const orr__distribution *d, orr__spread s)
{
    for (int g = 0; s.kind == ORR__SHARDED && g < w->g; g++)
        if (d->along[g].kind == ORR__SHARDED && d->along[g].axis == s.axis)
            return true;
    return false;
}

/* The bytes that move if the operands lie as asked and the result as `out`, including the later sum of partial
 * results. */
static double cost_of(const node_choice *w, orr__spread out)
{
    int64_t ranks = w->grid->extent[w->g];
    double sum = 0;
    if (clashes(w, &w->out, out))
        return INFINITY;
    for (int k = 0; k < w->nin; k++) {
        double least = INFINITY;
        if (clashes(w, &w->need[k], w->asks[k]))
            return INFINITY;
        for (int v = w->c->own[arg(w, k)]; v >= 0; v = w->c->version[v].next) {
            double cost =
                orr__spread_bytes(lies(w, &w->c->version[v].as), w->asks[k], bytes_of(w->c, arg(w, k)), ranks);
            least = cost < least ? cost : least;
        }
        sum += least;
    }
    if (out.kind == ORR__PARTIAL)
        sum += orr__spread_bytes(out, (orr__spread){ .kind = ORR__WHOLE }, bytes_of(w->c, w->i), ranks);
    return sum;
}

static bool follow(node_choice *w, int k, orr__spread from, orr__spread *out)
{
    const orr__node *n = w->c->p->node[w->i];
    int64_t ranks = w->grid->extent[w->g];
    orr__spread_rule r = {
        .node = n, .in = w->in, .nin = w->nin, .k = k, .from = from, .ranks = ranks, .need = w->asks
    };
    for (int j = 0; j < w->nin; j++)
        w->asks[j] = (orr__spread){ .kind = ORR__WHOLE };
    w->asks[k] = from;
    r.work = (double)orr__shape_count(&n->shape);
    r.empty =
        from.kind == ORR__SHARDED && orr__spread_places(from, w->in[k]->shape.dim[from.axis], ranks - 1, ranks) == 0;
    bool known = n->op->distribute && n->op->distribute(&r);
    *out = r.out;
    w->work = r.work > w->work ? r.work : w->work;
    return known;
}

static void keep(node_choice *w, orr__spread out)
{
    for (int k = 0; k < w->nin; k++)
        w->need[k].along[w->g] = w->asks[k];
    w->out.along[w->g] = out;
}

/* Tries the rule for each operand that is not whole. All is whole if no rule applies, or if this costs less. */
static void choose_along(node_choice *w)
{
    const orr__spread all = { .kind = ORR__WHOLE };
    orr__spread out, best_from = all;
    double least = INFINITY;
    int best = -1;
    w->work = 0;
    for (int k = 0; k < w->nin; k++) {
        orr__spread from = lies(w, &w->c->version[w->c->own[arg(w, k)]].as);
        if (from.kind == ORR__WHOLE || !follow(w, k, from, &out))
            continue;
        double cost = cost_of(w, out);
        if (cost < least) {
            least = cost;
            best = k;
            best_from = from;
        }
    }
    for (int k = 0; k < w->nin; k++)
        w->asks[k] = all;
    /* If all is whole, every rank repeats work that the ranks could share: this is a cost too. */
    double again = w->work * (1 - 1 / (double)w->grid->extent[w->g]) / WORK_OF_BYTE;
    if (best < 0 || cost_of(w, all) + again < least) {
        keep(w, all);
        return;
    }
    (void)follow(w, best, best_from, &out);
    keep(w, out);
}

/* -- nodes -------------------------------------------------------------------------------------------------------------------- */

static bool own(orr__choice *c, int i, const orr__distribution *d)
{
    int level = 0;
    for (int k = 0, nin = c->p->leaf_of[i] >= 0 ? 0 : orr__capture_nin(c->p, i); k < nin; k++) {
        int v = c->need[c->p->arg0[i] + k];
        level = v >= 0 && c->version[v].level > level ? c->version[v].level : level;
    }
    c->own[i] = add(c, (orr__version){ .node = i, .from = -1, .next = -1, .level = level, .as = *d });
    return c->own[i] >= 0;
}

static orr_grid *grid_of_operands(const orr__choice *c, int i)
{
    for (int k = 0; k < orr__capture_nin(c->p, i); k++) {
        const orr__distribution *d = &c->version[c->own[c->p->arg[c->p->arg0[i] + k]]].as;
        if (!orr__distribution_whole(d))
            return d->grid;
    }
    return NULL;
}

/* 1 if the operands lie so that the ranks of the grid compute the node together, 0 if not, -1: no memory. */
static int choose_joint(orr__choice *c, int i)
{
    const orr__capture *p = c->p;
    const orr__op *op = p->node[i]->op;
    enum { MOST = 4 };
    orr__distribution in[MOST], out = { .grid = grid_of_operands(c, i) };
    int nin = orr__capture_nin(p, i), *need = c->need + p->arg0[i];
    if (!c->jointly || !op->jointly || !out.grid || nin > MOST)
        return 0;
    orr_shape of[MOST];
    for (int k = 0; k < nin; k++) {
        in[k] = c->version[c->own[p->arg[p->arg0[i] + k]]].as;
        of[k] = p->node[p->arg[p->arg0[i] + k]]->shape;
    }
    if (!op->jointly(p->node[i], of, in, &out))
        return 0;
    for (int k = 0; k < nin; k++)
        if ((need[k] = version_as(c, p->arg[p->arg0[i] + k], &in[k])) < 0)
            return -1;
    if (!own(c, i, orr__distribution_whole(&out) ? &whole : &out))
        return -1;
    orr__version *v = &c->version[c->own[i]];
    v->joint = true;
    c->levels = ++v->level + 1 > c->levels ? v->level + 1 : c->levels;
    return 1;
}

static bool choose_computed(orr__choice *c, int i)
{
    const orr__capture *p = c->p;
    int nin = orr__capture_nin(p, i), *need = c->need + p->arg0[i];
    node_choice w = { .c = c, .i = i, .nin = nin, .grid = grid_of_operands(c, i) };
    bool ok = true;
    if (!w.grid) {
        for (int k = 0; k < nin; k++)
            need[k] = c->own[arg(&w, k)];
        return own(c, i, &whole);
    }
    w.in = orr__alloc_n((size_t)nin, sizeof *w.in);
    w.need = orr__alloc_n((size_t)nin, sizeof *w.need);
    w.asks = orr__alloc_n((size_t)nin, sizeof *w.asks);
    ok = w.in && w.need && w.asks;
    for (int k = 0; ok && k < nin; k++) {
        w.in[k] = p->node[arg(&w, k)];
        w.need[k] = (orr__distribution){ .grid = w.grid };
    }
    w.out.grid = w.grid;
    for (w.g = 0; ok && w.g < w.grid->axes; w.g++)
        if (w.grid->extent[w.g] > 1)
            choose_along(&w);
    for (int k = 0; ok && k < nin; k++)
        ok = (need[k] = version_as(c, arg(&w, k), orr__distribution_whole(&w.need[k]) ? &whole : &w.need[k])) >= 0;
    ok = ok && own(c, i, orr__distribution_whole(&w.out) ? &whole : &w.out);
    free(w.in);
    free(w.need);
    free(w.asks);
    return ok;
}

static bool choose_node(orr__choice *c, int i)
{
    const orr__capture *p = c->p;
    const orr__node *n = p->node[i];
    int number, a0 = p->arg0[i];
    bool like;
    c->depth[i] = n->op->flags & ORR__OP_PLACES ? 0 : -1;
    if (p->leaf_of[i] >= 0) {
        orr__distribution d = orr__distribution_of(p->placed[p->leaf_of[i]]);
        c->depth[i] = p->placed[p->leaf_of[i]] ? 0 : -1;
        return own(c, i, &d);
    }
    for (int k = 0; k < orr__capture_nin(p, i); k++) {
        int below = c->depth[p->arg[a0 + k]];
        c->depth[i] = below >= 0 && below + 1 > c->depth[i] ? below + 1 : c->depth[i];
    }
    if (!orr__distribute_asks(n, &number, &like)) {
        int joint = choose_joint(c, i);
        return joint ? joint > 0 : choose_computed(c, i);
    }
    orr__distribution d = like ? c->version[c->own[p->arg[a0 + 1]]].as : orr__distribution_of(number);
    for (int g = 0; d.grid && g < d.grid->axes; g++)
        if (d.along[g].kind == ORR__PARTIAL)
            d.along[g] = (orr__spread){ .kind = ORR__WHOLE };
    int v = version_as(c, p->arg[a0], orr__distribution_whole(&d) ? &whole : &d);
    if (v < 0)
        return false;
    c->need[a0] = v;
    for (int k = 1; k < orr__capture_nin(p, i); k++)
        c->need[a0 + k] = -1;
    /* The node has the value of version v: a version of its own, without a move. */
    c->own[i] = add(
        c, (orr__version){ .node = i, .from = v, .next = -1, .level = c->version[v].level, .as = c->version[v].as });
    return c->own[i] >= 0;
}

/* An output is whole or sharded; a partial one is summed. */
static bool choose_root(orr__choice *c, int o)
{
    int i = c->p->out[o];
    orr__distribution d = c->version[c->own[i]].as;
    for (int g = 0; d.grid && g < d.grid->axes; g++)
        if (d.along[g].kind == ORR__PARTIAL)
            d.along[g] = (orr__spread){ .kind = ORR__WHOLE };
    c->root[o] = version_as(c, i, orr__distribution_whole(&d) ? &whole : &d);
    return c->root[o] >= 0;
}

/* Marks the versions that the outputs need, from the last on, since a version follows those from which it is made. */
static void mark_needed(orr__choice *c)
{
    const orr__capture *p = c->p;
    for (int o = 0; o < p->nout; o++)
        c->version[c->root[o]].needed = true;
    for (int v = c->n - 1; v >= 0; v--) {
        const orr__version *x = &c->version[v];
        if (!x->needed)
            continue;
        if (x->from >= 0)
            c->version[x->from].needed = true;
        for (int k = 0; x->from < 0 && p->leaf_of[x->node] < 0 && k < orr__capture_nin(p, x->node); k++)
            c->version[c->need[p->arg0[x->node] + k]].needed = true;
    }
}

orr_status orr__choose(orr__site at, const orr__capture *p, bool jointly, orr__choice *c)
{
    *c = (orr__choice){ .p = p, .jointly = jointly };
    c->own = orr__alloc_n((size_t)p->n + 1, sizeof *c->own);
    c->depth = orr__alloc_n((size_t)p->n + 1, sizeof *c->depth);
    c->need = orr__alloc_n((size_t)p->narg + 1, sizeof *c->need);
    c->root = orr__alloc_n((size_t)p->nout + 1, sizeof *c->root);
    bool ok = c->own && c->depth && c->need && c->root;
    for (int i = 0; ok && i < p->n; i++)
        ok = choose_node(c, i);
    for (int o = 0; ok && o < p->nout; o++)
        ok = choose_root(c, o);
    if (ok) {
        mark_needed(c);
        return ORR_OK;
    }
    orr__choice_free(c);
    return orr__fail(at, ORR_ENOMEM, "no memory to distribute the graph");
}

void orr__choice_free(orr__choice *c)
{
    for (int v = 0; v < c->n; v++)
        orr__node_unref(c->version[v].local);
    free(c->version);
    free(c->own);
    free(c->need);
    free(c->root);
    free(c->depth);
    *c = (orr__choice){ .n = 0 };
}
