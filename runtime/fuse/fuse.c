/* From a capture to regions: group, lower each root in order.
 * Must not know: tiles, buffers, devices. */
#include "config.h"

#include <stdlib.h>
#include "runtime/fuse/group.h"

/* For people: which region each node went into. */
static orr_status homes(orr__site at, const orr__group *g, orr__regions *out)
{
    int n = g->p->n;
    int32_t *number = malloc(((size_t)n + 1) * sizeof *number);
    out->home = malloc(((size_t)n + 1) * sizeof *out->home);
    if (!number || !out->home) {
        free(number);
        return orr__fail(at, ORR_ENOMEM, "no memory for %d nodes", n);
    }
    for (int k = 0; k < g->norder; k++)
        number[g->order[k]] = k;
    for (int i = 0; i < n; i++) {
        int root = g->root[i] ? i : g->owner[i];
        out->home[i] = g->live[i] && root >= 0 ? number[g->home[root]] : -1;
    }
    free(number);
    return ORR_OK;
}

orr_status orr__fuse(orr__site at, const orr__prog *p, bool fuse, orr__regions *out)
{
    orr__group g;
    memset(out, 0, sizeof *out);
    orr_status st = fuse ? orr__simplify(at, p) : ORR_OK;
    if (st != ORR_OK || (st = orr__group_make(at, p, fuse, &g)) != ORR_OK)
        return st;
    if (!(out->region = calloc((size_t)g.norder + 1, sizeof *out->region)))
        st = orr__fail(at, ORR_ENOMEM, "no memory for %d regions", g.norder);
    for (int i = 0; i < g.norder && st == ORR_OK; i++)
        if ((st = orr__lower(at, &g, g.order[i], &out->region[out->n])) == ORR_OK)
            out->n++;
    if (st == ORR_OK)
        st = homes(at, &g, out);
    out->reason = g.reason;
    out->nreason = g.nreason;
    g.reason = NULL;
    g.nreason = 0;
    orr__group_free(&g);
    if (st == ORR_OK)
        st = orr__regions_verify(p, out);
    if (st != ORR_OK)
        orr__regions_free(out);
    return st;
}
