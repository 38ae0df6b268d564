/* The tasks after which awaited outputs exist. When the loss of a training step exists, the next step can be recorded, while the variables'
 * new values are computed.
 * Must not know: callers that wait, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "codelets/emit/emit.h"
#include "runtime/plan/passes.h"

/* True if no data make the step fail. Steps fail by indices that are out of range, matrices that are not positive definite, and users'
 * kernels. A failure after the awaited outputs is reported to the next call, but the variable would be lost. */
bool orr__step_cannot_fail(const orr__step *s)
{
    const orr__op *op = s->region->call.op;
    return !(op && op->flags & ORR__OP_MAY_FAIL) && orr__emit_flags(s->region) == 0;
}

bool orr__step_awaited(const orr__plan *p, int i)
{
    bool any = false;
    for (int k = 0; k < p->step[i].region->nout; k++)
        any = any || p->value[p->step[i].out[k]].awaited;
    return any;
}

void orr__plan_needed(const orr__plan *p, bool *needed)
{
    for (int i = p->nstep; i-- > 0;) {
        const orr__step *s = &p->step[i];
        for (int k = 0; k < s->region->nout; k++)
            needed[i] = needed[i] || p->value[s->out[k]].awaited;
        for (int k = 0; needed[i] && k < s->region->nin; k++)
            if (p->value[s->in[k]].leaf < 0 && p->value[s->in[k]].first >= 0)
                needed[p->value[s->in[k]].first] = true;
    }
}

/* Only if the other steps cannot fail, and no graph writes an awaited output: a graph's tasks are not counted one by
 * one. */
orr_status orr__pass_waited_outputs(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    bool *needed = calloc((size_t)p->nstep + 1, sizeof *needed), ok = true, others = false;
    if (!needed)
        return orr__plan_enomem(planner);
    orr__plan_needed(p, needed);
    for (int i = 0; ok && i < p->nstep; i++) {
        int h = orr__plan_head(p, i);
        bool writes = orr__step_awaited(p, i);
        others = others || !needed[i];
        ok = needed[i] ? !writes || !p->step[i].graph : orr__step_cannot_fail(&p->step[i]);
        if (writes && !p->step[h].waited) {
            p->step[h].waited = true;
            p->waited_tasks += orr__plan_tasks(p, h);
        }
    }
    if (!ok || !others)
        p->waited_tasks = 0;
    free(needed);
    return ORR_OK;
}
