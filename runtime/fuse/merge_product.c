/* Decides which element-wise work joins a matrix product, to be done on its tiles.
 * Must not know: how a region's instructions look. */
#include "config.h"

#include "runtime/fuse/merge.h"

static bool folds(const orr__group *g, int j)
{
    for (int m = j; m >= 0; m = g->root[m].below)
        if (orr__pattern_of(g->p, m) == ORR__PATTERN_FOLD)
            return true;
    return false;
}

static const char elsewhere[] = "its reader does not read it element by element";

/* NULL if the work of region j can be done on the tiles of product i, else the reason against it. The work must be element-wise, on all
 * elements of the product, and on no other product. */
const char *orr__refuse_product(const orr__group *g, int i, int j)
{
    const orr_shape *a = &g->p->node[i]->shape, *b = &g->p->node[j]->shape;
    if (!orr__joinable(g, j))
        return "no element-wise work";
    if (g->root[i].apart || !orr__shape_squeeze_equal(a, b))
        return elsewhere;
    if (g->root[j].product >= 0)
        return "the region has a product already";
    if (folds(g, j))
        return "the region folds rows, and a tile of a product holds only parts of rows";
    return g->tiles ? NULL : "not every worker has kernels for a product with more work";
}

static bool seen_through(const orr__group *g, int user, int i)
{
    for (int k = g->root[user].dep0; k < g->root[user + 1].dep0; k++)
        if (g->dep[k].root == i && g->dep[k].by)
            return true;
    return false;
}

void orr__explain_products(const orr__merging *c)
{
    orr__group *g = c->g;
    for (int i = 0; i < g->p->n; i++)
        for (int e = orr__is_product(g, i) && g->root[i].home == i ? c->first[i] : -1; e >= 0; e = c->next[e]) {
            int u = c->user[e], j = g->root[u].home;
            bool fold = orr__pattern_of(g->p, u) == ORR__PATTERN_FOLD && j == u;
            bool turned = seen_through(g, u, i) && orr__shape_equal(&g->p->node[i]->shape, &g->p->node[j]->shape);
            const char *why = fold     ? "its reader is a reduction, and a tile holds only a part of the product"
                              : turned ? elsewhere
                                       : orr__refuse_product(g, i, j);
            if (!fold && !orr__joinable(g, u))
                continue;
            if (!why)
                why = orr__region_full(g, i, j, 0)
                          ? "the region is full"
                          : "other regions read it, or a region between the two would make a cycle";
            orr__group_reason(g, i, "%%%d %s -> %%%d %s: %s", i, g->p->node[i]->op->name, u, g->p->node[u]->op->name,
                              why);
        }
}
