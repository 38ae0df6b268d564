/* The values that are outputs, and which of them are awaited.
 * Must not know: steps, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/passes.h"

orr_status orr__pass_outputs(orr__planner *p)
{
    const orr__capture *c = p->capture;
    orr__plan *pl = p->plan;
    pl->nout = c->nout;
    if (!(pl->out = malloc(((size_t)pl->nout + 1) * sizeof *pl->out)))
        return orr__plan_enomem(p);
    for (int k = 0; k < pl->nout; k++) {
        int v = pl->out[k] = orr__plan_value_of(p, orr__fuse_strip(c, c->out[k]));
        if (v < 0)
            return orr__plan_enomem(p);
        pl->value[v].output = pl->value[v].output < 0 ? k : pl->value[v].output;
        pl->value[v].awaited |= k < c->nfirst && c->nfirst < c->nout;
    }
    return ORR_OK;
}
