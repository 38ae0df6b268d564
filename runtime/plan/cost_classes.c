/* Steps and the models: the class of a step's tasks, the predicted time of a task on each kind of device.
 * Must not know: how times are kept, StarPU. */
#include "config.h"

#include "runtime/base/minmax.h"
#include "runtime/plan/passes.h"

double orr__step_us(const orr__step *s)
{
    double least = orr__profile_now()->kernel_us;
    return ORR__MAX(s->cost.us, least);
}

/* The classes of tasks, as all passes have cut them. */
orr_status orr__pass_cost_classes(orr__planner *p)
{
    for (int i = 0; i < p->plan->nstep; i++)
        p->plan->step[i].cost.class = orr__model_class(p->plan->step[i].region, p->plan->step[i].rows);
    return ORR_OK;
}

bool orr__step_can(const orr__step *s, orr__on on)
{
    return on == ORR__ON_CPU      ? !orr__region_needs_device(s->region)
           : on == ORR__ON_OPENCL ? s->opencl != NULL
                                  : s->cuda != NULL;
}

double orr__step_guesses(const orr__step *s, int t, orr__guess g[ORR__ON_COUNT])
{
    int64_t rows = s->region->dim[0], from = t * s->rows;
    double best = -1;
    if (t >= 0 && s->ntiles > 1)
        rows = rows - from < s->rows ? rows - from : s->rows;
    for (int on = 0; on < ORR__ON_COUNT; on++) {
        g[on] = (orr__guess){ -1, ORR__ESTIMATED };
        if (orr__step_can(s, (orr__on)on))
            g[on] = orr__model_guess(s->region, &s->cost, rows, (orr__on)on);
        best = g[on].us >= 0 && (best < 0 || g[on].us < best) ? g[on].us : best;
    }
    return best;
}
