/* From a capture to regions: group, lower each root in order.
 * Must not know: tiles, buffers, devices. */
#include "config.h"

#include <stdlib.h>
#include "runtime/fuse/group.h"

orr_status orr__fuse(orr__site at, const orr__prog *p, bool fuse, orr__regions *out)
{
    orr__group g;
    memset(out, 0, sizeof *out);
    orr_status st = orr__group_make(at, p, fuse, &g);
    if (st != ORR_OK)
        return st;
    if (!(out->region = calloc((size_t)g.norder + 1, sizeof *out->region)))
        st = orr__fail(at, ORR_ENOMEM, "no memory for %d regions", g.norder);
    for (int i = 0; i < g.norder && st == ORR_OK; i++)
        if ((st = orr__lower(at, &g, g.order[i], &out->region[out->n])) == ORR_OK)
            out->n++;
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
