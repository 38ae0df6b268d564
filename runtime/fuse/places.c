/* The places at which regions read a node. A place is a view from one region's iteration; the node is computed once for it.
 * Must not know: the decisions that depend on the number of places, how a region's instructions look. */
#include "config.h"

#include <stdlib.h>
#include "runtime/fuse/group.h"

/* Places beyond this number are not distinguished. */
enum { MOST = 128 }; /* limit of memory */

typedef struct orr__reading_place {
    int root; /* of the region */
    orr__view v;
    struct orr__reading_place *next;
} place;

/* The iteration space of the region of root i, before other roots join it. */
static const orr_shape *space(const orr__capture *p, int i)
{
    int pattern = orr__pattern_of(p, i);
    return &p->node[pattern == ORR__PATTERN_FOLD || pattern == ORR__PATTERN_SEARCH ? orr__arg(p, i, 0) : i]->shape;
}

/* The number of iterations that compute a place: along axes on which it does not move, it is computed once. */
static double points(const orr__capture *p, int i, const place *at)
{
    const orr_shape *s = space(p, at->root);
    uint32_t moves = at->v.box;
    double n = 1;
    for (int a = 0; a < p->node[i]->shape.rank; a++) {
        if (at->v.ax[a] >= 0 && at->v.mul[a])
            moves |= 1u << at->v.ax[a];
        if (at->v.more[a])
            moves |= 1u << at->v.too[a];
    }
    for (int d = 0; d < s->rank; d++)
        if (at->v.taken >= 0 || (moves >> d & 1u))
            n *= (double)(at->v.box >> d & 1u ? at->v.hi[d] - at->v.lo[d] : s->dim[d]);
    return n;
}

static void add(orr__group *g, int x, int root, const orr__view *v)
{
    if (g->p->leaf_of[x] >= 0 || g->node[x].nplace >= MOST)
        return;
    for (const place *at = g->node[x].place; at; at = at->next)
        if (at->root == root && orr__view_equal(&at->v, v, g->p->node[x]->shape.rank))
            return;
    place *new = malloc(sizeof *new);
    if (!new) {
        g->node[x].nplace = MOST; /* as if there were many: the node gets a buffer */
        return;
    }
    *new = (place){ root, *v, g->node[x].place };
    g->node[x].place = new;
    g->node[x].nplace++;
    g->node[x].points += points(g->p, x, new);
}

/* A lowering that emits nothing and records the views through which operands are read. */
typedef struct {
    orr__lowering face;
    orr__group *g;
    int root;
} reader;

static int read_node(orr__lowering *c, int i, const orr__view *v)
{
    reader *r = (reader *)(void *)c;
    add(r->g, i, r->root, v);
    return 0;
}

static int16_t no_access(orr__lowering *c, orr__access a)
{
    (void)c;
    (void)a;
    return 0;
}

static int no_instr(orr__lowering *c, orr__rinstr in)
{
    (void)c;
    (void)in;
    return 0;
}

static void read_through(orr__group *g, int i, int root, const orr__view *v)
{
    const orr__capture *p = g->p;
    const orr__node *n = p->node[i];
    orr__view w;
    if (orr__pattern_of(p, i) == ORR__PATTERN_VIEW) {
        if (n->op->see(n, &p->node[orr__arg(p, i, 0)]->shape, v, &w))
            add(g, orr__arg(p, i, 0), root, &w);
    } else if (orr__computes(g, i)) {
        reader r = {
            .face = { .p = p, .dim = space(p, root)->dim, .node = read_node, .access = no_access, .instr = no_instr },
            .g = g,
            .root = root
        };
        (void)n->op->lower(&r.face, i, v);
    }
}

void orr__places_of_operands(orr__group *g, int i)
{
    int pattern = orr__pattern_of(g->p, i);
    if (!g->node[i].root) {
        for (const place *at = g->node[i].place; at; at = at->next)
            read_through(g, i, at->root, &at->v);
        return;
    }
    orr__view whole = orr__view_identity(space(g->p, i)->rank);
    if (pattern == ORR__PATTERN_FOLD || pattern == ORR__PATTERN_SEARCH)
        add(g, orr__arg(g->p, i, 0), i, &whole);
    else
        read_through(g, i, i, &whole);
}

void orr__places_free(orr__group *g)
{
    for (int i = 0; i < g->p->n; i++)
        for (place *at = g->node[i].place, *next; at; at = next) {
            next = at->next;
            free(at);
        }
}
