/* Decides which values of f16 and bf16 keep the precision of the f32 registers that hold them: those that stay inside of a kernel and are
 * read by arithmetic alone. A stored value is always rounded. Values on which a decision depends, such as a comparison or a maximum, are
 * rounded too, so that another region that recomputes them gets the same bits.
 * Must not know: how values are rounded. */
#include "config.h"

#include <stdlib.h>
#include "ops/rounding.h"
#include "runtime/base/env.h"
#include "runtime/fuse/group.h"

/* True if node r may read an unrounded value: apart from rounding, its result is that of the rounded value. */
static bool admits(const orr__group *g, int r)
{
    orr__use use = orr__use_of(g->p->node[r]);
    return use == ORR__USE_COMPUTES || (use == ORR__USE_PASSES && g->excess[r]);
}

/* True if only instructions read the value of node i: no buffer holds it. */
static bool stays_inside(const orr__group *g, int i)
{
    return g->p->leaf_of[i] < 0 && (!g->node[i].root || (g->root[i].home != i && !g->root[i].stored));
}

static bool carries(const orr__node *n)
{
    orr__use use = orr__use_of(n);
    bool element = n->op->pattern == ORR__PATTERN_ELEMENT;
    return use == ORR__USE_PASSES || (element && use == ORR__USE_COMPUTES && orr__is_half((orr_dtype)n->dtype));
}

orr_status orr__group_excess(orr__site at, orr__group *g)
{
    const orr__capture *p = g->p;
    bool *decided = calloc((size_t)p->n + 1, sizeof *decided);
    free(g->excess);
    g->excess = calloc((size_t)p->n + 1, sizeof *g->excess);
    if (!decided || !g->excess) {
        free(decided);
        return orr__fail(at, ORR_ENOMEM, "no memory for %d nodes", p->n);
    }
    bool any = g->fuse && orr__env.excess_precision && !orr__env.deterministic;
    for (int i = 0; i < p->n && any; i++)
        g->excess[i] = g->node[i].live && stays_inside(g, i) && carries(p->node[i]);
    for (int i = p->n; any && i-- > 0;) {
        if (!g->node[i].live || p->leaf_of[i] >= 0)
            continue;
        bool decides = decided[i] || orr__use_of(p->node[i]) == ORR__USE_DECIDES;
        g->excess[i] = g->excess[i] && !decided[i];
        for (int k = 0; k < orr__capture_nin(p, i); k++) {
            int x = orr__arg(p, i, k);
            decided[x] = decided[x] || decides;
            g->excess[x] = g->excess[x] && admits(g, i);
        }
    }
    free(decided);
    return ORR_OK;
}
