/* Joins independent reductions that read the same memory, so that one pass over it computes all.
 * Must not know: how a region's instructions look. */
#include "config.h"

#include <stdlib.h>
#include "runtime/fuse/merge.h"

enum { WINDOW = 64 }; /* limit of search: regions of reductions with which one is compared */

/* The node whose elements the region of home j folds, all over the same axes; -1: the region is something else. */
static int folded_by(const orr__group *g, int j)
{
    if (!g->node[j].root || g->root[j].home != j)
        return -1;
    if (g->root[j].space != j)
        return g->root[j].space;
    return orr__pattern_of(g->p, j) == ORR__PATTERN_FOLD && g->p->node[j]->attr.mask ? orr__arg(g->p, j, 0) : -1;
}

/* True if all folds of the region can be done row by row, as part of a region of rows. */
static bool by_rows(const orr__group *g, int j)
{
    bool all = true;
    for (int m = j; m >= 0 && g->root[j].space == j; m = g->root[m].below)
        if (orr__pattern_of(g->p, m) == ORR__PATTERN_FOLD)
            all = all && orr__folds_rows(g->p, m) && !g->root[m].apart;
    return all;
}

static bool same_pass(const orr__group *g, int a, int b)
{
    int x = folded_by(g, a), y = folded_by(g, b);
    if (x < 0 || y < 0 || !orr__shape_equal(&g->p->node[x]->shape, &g->p->node[y]->shape))
        return false;
    if (g->root[a].space == a && g->root[b].space == b)
        return g->p->node[a]->attr.mask == g->p->node[b]->attr.mask;
    return by_rows(g, a) && by_rows(g, b);
}

/* Marks the buffers that the region of j reads with `mark`. Returns the number of large ones that had the mark
 * `like` before, -1: no memory. A large buffer has at least half as many elements as are folded. */
static int buffers(orr__merging *c, int j, int mark, int like)
{
    const orr__group *g = c->g;
    int found = 0;
    int64_t large = orr__shape_count(&g->p->node[folded_by(g, j)]->shape) / 2;
    c->depth = 0;
    for (int m = j; m >= 0; m = g->root[m].below)
        for (int k = 0; k < orr__capture_nin(g->p, m); k++)
            if (!orr__merge_push(c, orr__arg(g->p, m, k), 0))
                return -1;
    while (c->depth) {
        int i = c->stack[--c->depth].node, *stamp = &c->stamp[ORR__BYS * i];
        bool buffer = g->p->leaf_of[i] >= 0 || (g->node[i].root && g->root[i].home != j);
        if (*stamp == mark)
            continue;
        found += buffer && *stamp == like && orr__shape_count(&g->p->node[i]->shape) >= large;
        *stamp = mark;
        for (int k = 0; k < orr__capture_nin(g->p, i) && !buffer; k++)
            if (!orr__merge_push(c, orr__arg(g->p, i, k), 0))
                return -1;
    }
    return found;
}

/* The number of large buffers that both regions read; -1: no memory. */
static int shared(orr__merging *c, int a, int b)
{
    int of_a = orr__merge_mark(c);
    return buffers(c, a, of_a, -1) < 0 ? -1 : buffers(c, b, orr__merge_mark(c), of_a);
}

static int outputs(const orr__merging *c, int j)
{
    int n = 0;
    for (int m = j; m >= 0; m = c->g->root[m].below)
        n += orr__read_outside(c, m, j, -1);
    return n;
}

/* 1 if the regions of a and b may be joined, 0 if not, -1: no memory. */
static int may_join(orr__merging *c, int a, int b)
{
    if (!same_pass(c->g, a, b) || outputs(c, a) + outputs(c, b) > ORR__REGION_OUTS)
        return 0;
    int common = shared(c, a, b);
    if (common <= 0 || orr__region_full(c->g, a, b, common))
        return common < 0 ? -1 : 0;
    int waits = orr__merge_reaches(c, a, b);
    if (!waits)
        waits = orr__merge_reaches(c, b, a);
    return waits < 0 ? -1 : !waits;
}

/* The region of a becomes part of that of b, a later root. */
static void join(orr__group *g, int a, int b, int common)
{
    if (g->root[a].space != a)
        g->root[b].space = g->root[a].space;
    orr__merge_members(g, a, b);
    g->root[b].size += g->root[a].size;
    g->root[b].inputs += g->root[a].inputs - common;
}

/* True if the region of i is element-wise over the elements that j folds, and only j reads it. */
static bool only_for(const orr__merging *c, int i, int j)
{
    const orr__group *g = c->g;
    const orr_shape *s = &g->p->node[folded_by(g, j)]->shape;
    if (g->root[i].home != i || g->root[i].space != i || g->root[i].product >= 0 || orr__region_full(g, i, j, 1))
        return false;
    for (int m = i; m >= 0; m = g->root[m].below) {
        if (!orr__joinable(g, m) || !orr__shape_equal(&g->p->node[m]->shape, s) || g->root[m].stored)
            return false;
        for (int e = c->first[m]; e >= 0; e = c->next[e])
            if (g->root[c->user[e]].home != j && g->root[c->user[e]].home != i)
                return false;
    }
    return true;
}

/* True if member m reads root i only element by element. */
static bool sees(const orr__group *g, int m, int i)
{
    bool well = true;
    for (int k = g->root[m].dep0; k < g->root[m + 1].dep0; k++)
        well = well && (g->dep[k].root != i || g->dep[k].by == ORR__BY_SELF);
    return well;
}

/* Joins to j a region that only the reductions of j read: its values are computed there, not stored. False: none. */
static bool take_in_one(orr__merging *c, int j)
{
    orr__group *g = c->g;
    for (int m = j; m >= 0; m = g->root[m].below)
        for (int k = g->root[m].dep0; k < g->root[m + 1].dep0; k++) {
            int i = g->dep[k].root;
            bool fits = g->root[i].home != j && only_for(c, i, j);
            for (int o = j; fits && o >= 0; o = g->root[o].below)
                fits = sees(g, o, i);
            if (fits) {
                join(g, i, j, 1);
                return true;
            }
        }
    return false;
}

/* Joins to b, number `at` among the folds, the earlier regions that may be joined; *more: at least one was. False: no memory. */
static bool join_to(orr__merging *c, int at, bool *more)
{
    orr__group *g = c->g;
    int b = c->folds[at];
    *more = false;
    for (int k = at - 1, seen = 0; k >= 0 && seen < WINDOW; k--) {
        int a = c->folds[k];
        if (folded_by(g, a) < 0)
            continue; /* it has joined another one */
        seen++;
        int yes = may_join(c, a, b);
        if (yes < 0)
            return false;
        if (yes)
            join(g, a, b, 1);
        *more = *more || yes;
    }
    return true;
}

bool orr__merge_beside(orr__merging *c)
{
    if (!(c->folds = malloc(((size_t)c->g->p->n + 1) * sizeof *c->folds)))
        return false;
    for (int b = 0; b < c->g->p->n; b++)
        if (folded_by(c->g, b) >= 0)
            c->folds[c->nfolds++] = b;
    for (int at = c->nfolds - 1; at >= 0; at--) {
        int b = c->folds[at];
        bool more, closer; /* a region that joins may read buffers that further reductions read too */
        do {
            if (folded_by(c->g, b) < 0)
                break;
            if (!join_to(c, at, &more))
                return false;
            closer = more && take_in_one(c, b);
            while (closer && take_in_one(c, b))
                ;
        } while (closer);
    }
    return true;
}
