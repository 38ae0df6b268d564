/* From a capture to regions: group, lower each root in order.
 * Must not know: tiles, buffers, devices. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/ablation.h"
#include "runtime/fuse/group.h"

/* Fills out->home, the region that computes each node. */
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
        int root = g->node[i].root ? i : g->node[i].owner;
        out->home[i] = g->node[i].live && root >= 0 ? number[g->root[root].home] : -1;
    }
    free(number);
    return ORR_OK;
}

/* Keeps the reasons that are still true after merging: those about stored values. */
static void keep_reasons(orr__group *g, orr__regions *out)
{
    out->reason = malloc(((size_t)g->nreason + 1) * sizeof *out->reason);
    for (int k = 0; k < g->nreason && out->reason; k++) {
        int root = g->reason[k].root;
        if (g->node[root].root && !g->root[root].stored)
            continue;
        out->reason[out->nreason++] = g->reason[k].text;
        g->reason[k].text = NULL;
    }
}

/* False: regions could not be lowered as they were merged. All of them are found in one round: with a round for each, n of them would
 * take n². */
static bool lower_all(orr__site at, const orr__group *g, orr__regions *out, orr_status *st)
{
    bool all = true;
    out->n = 0;
    free(out->region);
    if (!(out->region = calloc((size_t)g->norder + 1, sizeof *out->region))) {
        *st = orr__fail(at, ORR_ENOMEM, "no memory for %d regions", g->norder);
        return true;
    }
    for (int i = 0; i < g->norder; i++) {
        orr__region *r = &out->region[out->n];
        if ((*st = orr__lower(at, g, g->order[i], r)) != ORR_OK)
            return true;
        all = all && !(orr__region_is_map(r) && !r->ninstr);
        out->n += all;
        if (!all)
            orr__region_free(r);
    }
    for (int k = 0; k < out->n && !all; k++)
        orr__region_free(&out->region[k]);
    return all;
}

orr_status orr__fuse(orr__site at, const orr__capture *p, int how, orr__regions *out)
{
    orr__group g;
    memset(out, 0, sizeof *out);
    orr_status st = how != ORR__FUSE_NONE && !orr__ablated(ORR__OFF_SIMPLIFY) ? orr__simplify(at, p) : ORR_OK;
    if (st != ORR_OK || (st = orr__group_make(at, p, how, &g)) != ORR_OK)
        return st;
    st = orr__group_excess(at, &g);
    while (st == ORR_OK && !lower_all(at, &g, out, &st)) { /* each round excludes one more root from merging */
        orr__merge_undo(&g);
        st = orr__merge(at, &g);
        st = st == ORR_OK ? orr__group_excess(at, &g) : st;
    }
    if (st == ORR_OK)
        st = homes(at, &g, out);
    keep_reasons(&g, out);
    orr__group_free(&g);
    if (st == ORR_OK)
        st = orr__regions_verify(p, out);
    if (st != ORR_OK)
        orr__regions_free(out);
    return st;
}
