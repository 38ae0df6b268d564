/* Puts regions in an executable order.
 * Must not know: why roots were joined. */
#include "config.h"

#include <stdlib.h>
#include "runtime/fuse/merge.h"

bool orr__read_outside(const orr__merging *c, int i, int j, int with)
{
    if (c->g->root[i].stored)
        return true;
    for (int e = c->first[i]; e >= 0; e = c->next[e])
        if (c->g->root[c->user[e]].home != j && c->user[e] != with)
            return true;
    return false;
}

/* Kahn's algorithm over homes: a home runs after all homes that its roots read. */
bool orr__order_regions(orr__merging *c)
{
    orr__group *g = c->g;
    int n = g->p->n, done = 0;
    for (int i = 0; i < n; i++)
        g->root[i].stored = g->node[i].root && orr__read_outside(c, i, g->root[i].home, -1);
    int *waits = calloc((size_t)n + 1, sizeof *waits), *next = malloc(((size_t)c->ndep + 1) * sizeof *next);
    int *first = malloc(((size_t)n + 1) * sizeof *first), *who = malloc(((size_t)c->ndep + 1) * sizeof *who), used = 0;
    g->order = malloc(((size_t)n + 1) * sizeof *g->order);
    bool ok = waits && next && first && who && g->order;
    if (ok) {
        memset(first, -1, ((size_t)n + 1) * sizeof *first);
        for (int i = 0; i < n; i++)
            for (int k = g->node[i].root ? g->root[i].dep0 : 0; g->node[i].root && k < g->root[i + 1].dep0; k++) {
                int from = g->root[g->dep[k].root].home, to = g->root[i].home;
                if (from == to)
                    continue;
                waits[to]++;
                who[used] = to;
                next[used] = first[from];
                first[from] = used++;
            }
        for (int i = 0; i < n; i++)
            if (g->node[i].root && g->root[i].home == i && !waits[i])
                g->order[g->norder++] = i;
        for (; done < g->norder; done++)
            for (int e = first[g->order[done]]; e >= 0; e = next[e])
                if (--waits[who[e]] == 0)
                    g->order[g->norder++] = who[e];
    }
    free(waits);
    free(next);
    free(first);
    free(who);
    return ok;
}
