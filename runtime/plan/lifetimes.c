/* The first and last step of each value, and the number of tasks.
 * Must not know: memory, StarPU. */
#include "config.h"

#include "codelets/cholesky.h"
#include "runtime/plan/passes.h"

void orr__plan_lifetimes(orr__plan *p)
{
    for (int i = 0; i < p->nstep; i++) {
        orr__step *s = &p->step[i];
        s->results = 0;
        for (int k = 0; k < s->region->nout; k++) {
            p->value[s->out[k]].first = p->value[s->out[k]].last = i;
            s->results |= (uint8_t)((p->value[s->out[k]].output >= 0) << k);
        }
        for (int k = 0; k < s->region->nin; k++)
            p->value[s->in[k]].last = i;
    }
}

void orr__step_move(orr__plan *p, int from, int to)
{
    orr__step s = p->step[from];
    memmove(p->step + to + 1, p->step + to, (size_t)(from - to) * sizeof s);
    p->step[to] = s;
}

int orr__plan_tasks(const orr__plan *p, int i)
{
    const orr__step *s = &p->step[i];
    const orr__region *r = s->region;
    if (s->graph) /* the output's tiles are opened and closed */
        return 2 * s->ntiles + (r->rank > 2 ? (int)r->dim[0] : 1) * (int)orr__cholesky_ops(r->dim[r->rank - 1]);
    return orr__plan_head(p, i) != i ? 0 : s->ntiles;
}

orr_status orr__pass_lifetimes(orr__planner *p)
{
    orr__plan_lifetimes(p->plan);
    for (int i = 0; i < p->plan->nstep; i++)
        p->plan->ntasks += orr__plan_tasks(p->plan, i);
    return ORR_OK;
}
