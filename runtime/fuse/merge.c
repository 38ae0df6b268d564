/* Joins roots that feed one another into one region with several outputs.
 * Must not know: how a region's instructions look. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/ablation.h"
#include "runtime/base/env.h"
#include "runtime/base/threshold.h"
#include "runtime/fuse/merge.h"

static orr_status enomem(orr__site at)
{
    return orr__fail(at, ORR_ENOMEM, "no memory to order regions");
}

bool orr__folds_rows(const orr__capture *p, int i)
{
    const orr__node *n = p->node[i];
    if (orr__pattern_of(p, i) != ORR__PATTERN_FOLD || n->shape.rank < 1 || n->attr.mask != 1u << (n->shape.rank - 1) ||
        n->attr.rop == ORR__RANY || n->attr.rop == ORR__RALL)
        return false;
    const orr_shape *s = &p->node[orr__arg(p, i, 0)]->shape;
    int64_t row = s->dim[s->rank - 1], rows = orr__shape_count(&n->shape);
    return row > 0 && (row <= ORR__NEAR_ROW ||
                       (row <= ORR__LONG_ROW && rows >= ORR__T_FEW_LINES && !orr__ablated(ORR__OFF_LONG_ROWS)));
}

/* A fold of rows that root i, with one value per row, reads directly or through element-wise roots of its shape; -1:
 * none. */
static int fold_below(const orr__group *g, int i, int depth)
{
    for (int k = g->root[i].dep0; k < g->root[i + 1].dep0; k++) {
        int d = g->dep[k].root, fold = -1;
        if (g->dep[k].by == ORR__BY_NUMBER)
            continue;
        if (orr__folds_rows(g->p, d) && !g->root[d].apart &&
            orr__shape_equal(&g->p->node[d]->shape, &g->p->node[i]->shape))
            return d;
        if (depth > 0 && orr__joinable(g, d) && orr__shape_equal(&g->p->node[d]->shape, &g->p->node[i]->shape))
            fold = fold_below(g, d, depth - 1);
        if (fold >= 0)
            return fold;
    }
    return -1;
}

static const orr_shape *space(const orr__group *g, int j)
{
    return &g->p->node[g->root[j].space]->shape;
}

/* True if root i, with one value per row of j's region, may join it. The outputs of a region are all such values, or
 * all whole rows. */
static bool row_stays(const orr__merging *c, int i, int j)
{
    return c->g->root[j].space != j || !orr__read_outside(c, i, j, i);
}

/* True if root i is element-wise with one value per row of j's region, and reads a fold of such rows. */
static bool maps_rows(const orr__merging *c, int i, int j)
{
    const orr__group *g = c->g;
    orr_shape s = *space(g, j);
    if (!g->rows || !orr__joinable(g, i) || s.rank < 1 || s.dim[s.rank - 1] < 2)
        return false;
    s.dim[s.rank - 1] = 1;
    return orr__shape_equal(&s, &g->p->node[i]->shape) && fold_below(g, i, 8) >= 0 && row_stays(c, i, j);
}

/* The number of outputs of the region of j with root i in it. */
static int outputs_with(const orr__merging *c, int i, int j)
{
    int n = 1 + orr__read_outside(c, i, j, i);
    for (int m = c->g->root[j].below; m >= 0; m = c->g->root[m].below)
        n += orr__read_outside(c, m, j, i);
    return n;
}

/* True if member m has one value per row: it reads other such values element by element. */
static bool row_level(const orr__group *g, int m, int j)
{
    const orr_shape *a = &g->p->node[m]->shape, *b = space(g, j);
    return orr__computes(g, m) && !orr__shape_equal(a, b);
}

/* The role of root i in the region of j, which decides whether members must read it through a view. */
typedef enum { AS_OTHER, AS_MAP, AS_ROW, AS_FOLD, AS_PRODUCT } role;

static role role_of(const orr__merging *c, int i, int j)
{
    const orr__group *g = c->g;
    const orr_shape *s = space(g, j);
    bool rows = g->rows && g->root[j].product < 0, narrow = g->root[j].space != j;
    if (orr__is_product(g, i))
        return narrow || orr__refuse_product(g, i, j) ? AS_OTHER : AS_PRODUCT;
    if (rows && orr__folds_rows(g->p, i) && !g->root[i].apart && row_stays(c, i, j))
        return orr__shape_equal(&g->p->node[orr__arg(g->p, i, 0)]->shape, s) ? AS_FOLD : AS_OTHER;
    if (rows && maps_rows(c, i, j))
        return AS_ROW;
    bool stays = !narrow || !orr__read_outside(c, i, j, i);
    return stays && orr__joinable(g, i) && orr__shape_equal(&g->p->node[i]->shape, s) ? AS_MAP : AS_OTHER;
}

/* True if member m of the region of j, which reads root i as dependence k, reads it as its role requires. Otherwise
 * root i would be computed twice. */
static bool seen_well(const orr__group *g, role as, int k, int m, int j)
{
    if (orr__is_product(g, m) || g->dep[k].by == ORR__BY_NUMBER)
        return false; /* all of root i is needed before the first element */
    if (as == AS_PRODUCT)
        return !g->dep[k].by || !orr__shape_equal(&g->p->node[g->dep[k].root]->shape, &g->p->node[j]->shape);
    return (g->dep[k].by == ORR__BY_VIEW) == (as == AS_ROW || as == AS_FOLD) || row_level(g, m, j);
}

/* The number of reads of root i's buffer in the region of j; they end when i joins. */
static int reads_of(const orr__group *g, int i, int j)
{
    int n = 0;
    for (int m = g->node[i].loads > 0 ? j : -1; m >= 0; m = g->root[m].below)
        for (int k = g->root[m].dep0; k < g->root[m + 1].dep0; k++)
            n += g->dep[k].root == i;
    return n;
}

/* 1 if root i may join the region of j, which reads it, as one more output, 0 if not, -1: no memory. */
static int may_join(orr__merging *c, int i, int j)
{
    orr__group *g = c->g;
    role as = g->node[i].root && g->root[i].home == i && g->root[i].members == 1 ? role_of(c, i, j) : AS_OTHER;
    if (as == AS_OTHER || orr__region_full(g, i, j, reads_of(g, i, j)) || outputs_with(c, i, j) > ORR__REGION_OUTS)
        return 0;
    int least = orr__merge_least(g, i);
    for (int m = j; m >= 0; m = g->root[m].below)
        for (int k = g->root[m].dep0; k < g->root[m + 1].dep0; k++) {
            int d = g->dep[k].root;
            if (d == i && !seen_well(g, as, k, m, j))
                return 0;
            if (d == i || g->root[d].home == j)
                continue;
            int r = g->root[d].home >= least ? orr__merge_reaches(c, d, i) : 0; /* through the region of d */
            if (r)
                return r < 0 ? -1 : 0; /* a third region stands between the two */
        }
    return 1;
}

static void join(orr__group *g, int i, int j)
{
    g->root[j].size += g->root[i].size;
    g->root[j].inputs += g->root[i].inputs - reads_of(g, i, j);
    orr__merge_members(g, i, j);
    if (orr__is_product(g, i))
        g->root[j].product = i;
}

/* Joins one root to the region of j: a product, or another root. 1: joined, 0: nothing fits, -1: no memory. */
static int gather_one(orr__merging *c, int j, bool product)
{
    orr__group *g = c->g;
    for (int m = j; m >= 0; m = g->root[m].below)
        for (int k = g->root[m].dep0; k < g->root[m + 1].dep0; k++) {
            int i = g->dep[k].root, yes = orr__is_product(g, i) == product ? may_join(c, i, j) : 0;
            if (yes > 0)
                join(g, i, j);
            if (yes)
                return yes;
        }
    return 0;
}

/* Joins to the region of j roots that it reads, as long as one fits. Products come last, since rows are not folded
 * beside one. */
static bool gather(orr__merging *c, int j)
{
    int more = 1;
    while (more > 0) {
        more = gather_one(c, j, false);
        if (!more)
            more = gather_one(c, j, true);
    }
    return more == 0;
}

/* Makes root j a region of rows, with one value per row of the node that j, or a fold below j, folds. All work on
 * these rows joins it. A region that stays a single root is left as it was. */
static bool gather_rows(orr__merging *c, int j)
{
    orr__group *g = c->g;
    bool folds = orr__folds_rows(g->p, j) && !g->root[j].apart;
    int fold = folds ? j : orr__joinable(g, j) ? fold_below(g, j, 8) : -1;
    if (!g->rows || fold < 0)
        return true;
    const orr_shape *s = &g->p->node[orr__arg(g->p, fold, 0)]->shape;
    if (s->dim[s->rank - 1] < 2)
        return true;
    g->root[j].space = orr__arg(g->p, fold, 0);
    bool ok = gather(c, j);
    if (g->root[j].members == 1)
        g->root[j].space = j;
    return ok;
}

/* Lists the readers of each root, and marks the roots that are outputs as stored. */
static bool list_users(orr__merging *c)
{
    orr__group *g = c->g;
    int n = g->p->n;
    c->user = malloc(((size_t)c->ndep + 1) * sizeof *c->user);
    c->next = malloc(((size_t)c->ndep + 1) * sizeof *c->next);
    c->first = malloc(((size_t)n + 1) * sizeof *c->first);
    if (!c->user || !c->next || !c->first)
        return false;
    memset(c->first, -1, ((size_t)n + 1) * sizeof *c->first);
    for (int i = 0; i < n; i++)
        for (int k = g->root[i].dep0; k < g->root[i + 1].dep0; k++) {
            c->user[c->nuser] = i;
            c->next[c->nuser] = c->first[g->dep[k].root];
            c->first[g->dep[k].root] = c->nuser++;
        }
    for (int k = 0; k < g->p->nout; k++)
        g->root[orr__fuse_strip(g->p, g->p->out[k])].stored = true;
    return true;
}

void orr__merge_undo(orr__group *g)
{
    free(g->dep);
    free(g->order);
    g->dep = NULL;
    g->order = NULL;
    g->norder = 0;
}

orr_status orr__merge(orr__site at, orr__group *g)
{
    size_t n = (size_t)g->p->n + 1;
    orr__merging c = { .g = g, .mark = -1, .stamp = malloc(ORR__BYS * n * sizeof *c.stamp) };
    bool ok = c.stamp != NULL;
    if (ok)
        memset(c.stamp, -1, ORR__BYS * n * sizeof *c.stamp);
    for (int i = 0; i < g->p->n && ok; i++) {
        orr__grouproot *r = &g->root[i];
        r->home = r->run = r->space = i;
        r->below = r->product = -1;
        r->members = 1;
        r->stored = false;
        r->dep0 = c.ndep;
        ok = !g->node[i].root || orr__merge_list(&c, i);
    }
    if (ok)
        g->root[g->p->n].dep0 = c.ndep;
    ok = ok && list_users(&c);
    for (int j = g->p->n; ok && g->fuse && j-- > 0;) {
        if (g->node[j].root && g->root[j].home == j)
            ok = gather_rows(&c, j);
        if (ok && orr__joinable(g, j) && g->root[j].home == j && g->root[j].members == 1)
            ok = gather(&c, j);
    }
    ok = ok && (!g->fuse || orr__ablated(ORR__OFF_FUSE_SIBLINGS) || orr__merge_beside(&c));
    if (ok && g->fuse)
        orr__explain_products(&c);
    ok = ok && orr__order_regions(&c);
    if (c.cut_short)
        orr__log(2, "%s: %d nodes: %d searches for dependencies ended after %d regions each, which stay apart", at.op,
                 g->p->n, c.cut_short, ORR__REACH_MOST);
    free(c.stack);
    free(c.stamp);
    free(c.folds);
    free(c.user);
    free(c.next);
    free(c.first);
    if (!ok)
        return enomem(at);
    int homes = 0;
    for (int i = 0; i < g->p->n; i++)
        homes += g->node[i].root && g->root[i].home == i;
    return homes == g->norder
               ? ORR_OK
               : orr__fail(at, ORR_EINTERNAL, "%d of %d regions wait for one another", homes - g->norder, homes);
}
