/* Dependencies: the roots that each root reads, and those that a region needs.
 * Must not know: why roots are joined, how a region's instructions look. */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include "runtime/base/minmax.h"
#include "runtime/fuse/merge.h"

bool orr__merge_push(orr__merging *c, int node, int by)
{
    if (c->depth == c->cap) {
        int cap = c->cap ? 2 * c->cap : 64;
        orr__mergeitem *more = realloc(c->stack, (size_t)cap * sizeof *more);
        if (!more)
            return false;
        c->stack = more;
        c->cap = cap;
    }
    c->stack[c->depth++] = (orr__mergeitem){ node, (uint8_t)by };
    return true;
}

static bool add_dep(orr__merging *c, int root, uint8_t by)
{
    orr__group *g = c->g;
    if (c->ndep == c->dep_cap) {
        int cap = c->dep_cap ? 2 * c->dep_cap : 128;
        struct orr__groupdep *more = realloc(g->dep, (size_t)cap * sizeof *more);
        if (!more)
            return false;
        g->dep = more;
        c->dep_cap = cap;
    }
    g->dep[c->ndep++] = (struct orr__groupdep){ root, by };
    return true;
}

/* How operand k of node i is read by a reader that reads node i as `by` says. */
static int seen_by(const orr__capture *p, int i, int k, int by)
{
    int pattern = orr__pattern_of(p, i);
    bool take = pattern == ORR__PATTERN_GATHER, parts = pattern == ORR__PATTERN_CHOICE;
    bool several = pattern == ORR__PATTERN_ELEMENT && (p->node[i]->op->flags & ORR__OP_SEVERAL);
    int own = parts || (take && k == 0) ? ORR__BY_NUMBER
              : pattern == ORR__PATTERN_VIEW || several ||
                      (take && !orr__shape_equal(&p->node[i]->shape, &p->node[orr__arg(p, i, 1)]->shape))
                  ? ORR__BY_VIEW
                  : ORR__BY_SELF;
    return ORR__MAX(own, by);
}

static bool push_operands(orr__merging *c, int i, int by)
{
    const orr__capture *p = c->g->p;
    for (int k = 0; k < orr__capture_nin(p, i); k++)
        if (!orr__merge_push(c, orr__arg(p, i, k), seen_by(p, i, k, by)))
            return false;
    return true;
}

bool orr__merge_list(orr__merging *c, int r)
{
    orr__group *g = c->g;
    c->depth = 0;
    if (!push_operands(c, r, ORR__BY_SELF))
        return false;
    while (c->depth) {
        orr__mergeitem it = c->stack[--c->depth];
        int *stamp = &c->stamp[ORR__BYS * it.node + it.by];
        if (g->p->leaf_of[it.node] >= 0 || *stamp == r)
            continue;
        *stamp = r;
        if (g->node[it.node].root ? !add_dep(c, it.node, it.by) : !push_operands(c, it.node, it.by))
            return false;
    }
    return true;
}

int orr__merge_least(const orr__group *g, int target)
{
    for (; g->root[target].run != target; target = g->root[target].run)
        g->root[target].run = g->root[g->root[target].run].run;
    return target;
}

/* Links the roots from `first` to `last`, the first and last of a region, and those between, for orr__merge_least. */
static void bind_together(const orr__group *g, int first, int last)
{
    for (int at = orr__merge_least(g, last); at > first; at = orr__merge_least(g, at))
        g->root[at].run = at - 1;
}

void orr__merge_members(orr__group *g, int a, int b)
{
    int first = b;
    for (int m = a; m >= 0; m = g->root[m].below)
        g->root[m].home = b;
    g->root[b].members += g->root[a].members;
    for (int m = b, rest = a; m >= 0; m = g->root[m].below) { /* merges two descending lists */
        int next = g->root[m].below;
        if (next < rest) {
            g->root[m].below = rest;
            rest = next;
        }
        first = m;
    }
    bind_together(g, first, b);
}

int orr__merge_mark(orr__merging *c)
{
    if (c->mark == INT_MIN) {
        memset(c->stamp, -1, ORR__BYS * ((size_t)c->g->p->n + 1) * sizeof *c->stamp);
        c->mark = -1;
    }
    return --c->mark;
}

int orr__merge_reaches(orr__merging *c, int from, int target)
{
    orr__group *g = c->g;
    int mark = orr__merge_mark(c), least = orr__merge_least(g, target), visited = 0;
    c->depth = 0;
    if (g->root[from].home == g->root[target].home)
        return 1;
    if (!orr__merge_push(c, from, ORR__BY_SELF))
        return -1;
    while (c->depth) {
        int r = c->stack[--c->depth].node;
        if (g->root[r].home < least || c->stamp[ORR__BYS * g->root[r].home] == mark)
            continue;
        c->stamp[ORR__BYS * g->root[r].home] = mark;
        if (visited++ == ORR__REACH_MOST) {
            c->cut_short++;
            return 1;
        }
        for (int m = g->root[r].home; m >= 0; m = g->root[m].below)
            for (int k = g->root[m].dep0; k < g->root[m + 1].dep0; k++)
                if (g->root[g->dep[k].root].home == g->root[target].home)
                    return 1;
                else if (!orr__merge_push(c, g->dep[k].root, ORR__BY_SELF))
                    return -1;
    }
    return 0;
}
