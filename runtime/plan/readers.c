/* The number of reads of each node's buffer, counted once for all regions: a pass that counted them for one region would take n² for n.
 * Must not know: the passes that ask, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/passes.h"

bool orr__readers_find(const orr__capture *p, const orr__regions *rs, orr__readers *r)
{
    r->reads = calloc((size_t)p->n + 1, sizeof *r->reads);
    r->last = malloc(((size_t)p->n + 1) * sizeof *r->last);
    if (!r->reads || !r->last)
        return false;
    for (int i = 0; i < p->n; i++)
        r->last[i] = -1;
    for (int k = 0; k < p->nout; k++)
        r->reads[orr__fuse_strip(p, p->out[k])]++;
    for (int j = 0; j < rs->n; j++)
        for (int k = 0; k < rs->region[j].nin; k++) {
            r->reads[rs->region[j].in[k]]++;
            r->last[rs->region[j].in[k]] = j;
        }
    return true;
}

void orr__readers_free(orr__readers *r)
{
    free(r->reads);
    free(r->last);
    *r = (orr__readers){ 0 };
}
