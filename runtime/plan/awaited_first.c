/* The steps that awaited outputs need stand before the others; they read nothing of these.
 * Must not know: who waits, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/passes.h"

orr_status orr__pass_awaited_first(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    size_t n = (size_t)p->nstep;
    bool any = false;
    for (int i = 0; i < p->nvalue; i++)
        any = any || p->value[i].awaited;
    if (!any || !orr__plan_may_bundle(p))
        return ORR_OK;
    bool *needed = calloc(n + 1, sizeof *needed);
    orr__step *step = malloc((n + 1) * sizeof *step);
    if (needed && step) {
        orr__plan_lifetimes(p);
        orr__plan_needed(p, needed);
        for (int pass = 0, k = 0; pass < 2; pass++)
            for (int i = 0; i < p->nstep; i++)
                if (needed[i] == (pass == 0))
                    step[k++] = p->step[i];
        memcpy(p->step, step, n * sizeof *step);
    }
    bool ok = needed && step;
    free(needed);
    free(step);
    return ok ? ORR_OK : orr__plan_enomem(planner);
}
