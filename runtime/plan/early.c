/* Which tasks make the outputs that are waited for: with the loss of a training step in hand the next one can be recorded, while
 * the variables' new values are computed.
 * Must not know: who waits, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "codelets/emit/emit.h"
#include "runtime/plan/make.h"

/* Nothing in the data can make it fail. What fails behind the waiter's back is told to whoever asks next, but the variable
 * would be lost: indices that are out of range, matrices that are not positive definite, users' kernels. */
static bool cannot_fail(const orr__step *s)
{
    const orr__op *op = s->region->call.op;
    return !(op && op->flags & ORR__OP_MAY_FAIL) && orr__emit_flags(s->region) == 0;
}

bool orr__plan_cannot_fail(const orr__plan *p)
{
    bool safe = true;
    for (int i = 0; i < p->nstep; i++)
        safe = safe && cannot_fail(&p->step[i]);
    return safe;
}

/* Marks what the awaited values are made by, from the end to the beginning: needed[i] of step i. */
static void find_needed(const orr__plan *p, bool *needed)
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

/* Steps that awaited values need, then the others, each in the order in which they stood: the former read nothing of the
 * latter. */
orr_status orr__plan_awaited_first(orr__site at, orr__plan *p)
{
    size_t n = (size_t)p->nstep;
    bool any = false;
    for (int i = 0; i < p->nvalue; i++)
        any = any || p->value[i].awaited;
    if (!any)
        return ORR_OK;
    bool *needed = calloc(n + 1, sizeof *needed);
    orr__step *step = malloc((n + 1) * sizeof *step);
    if (needed && step) {
        orr__plan_lifetimes(p);
        find_needed(p, needed);
        for (int pass = 0, k = 0; pass < 2; pass++)
            for (int i = 0; i < p->nstep; i++)
                if (needed[i] == (pass == 0))
                    step[k++] = p->step[i];
        memcpy(p->step, step, n * sizeof *step);
    }
    bool ok = needed && step;
    free(needed);
    free(step);
    return ok ? ORR_OK : orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", p->nstep);
}

void orr__plan_early(orr__plan *p)
{
    bool *needed = calloc((size_t)p->nstep + 1, sizeof *needed), ok = needed != NULL, rest = false;
    if (ok)
        find_needed(p, needed);
    for (int i = 0; ok && i < p->nstep; i++) {
        orr__step *s = &p->step[i], *head = &p->step[orr__plan_head(p, i)];
        bool made = false;
        for (int k = 0; k < s->region->nout; k++)
            made = made || p->value[s->out[k]].awaited;
        rest = rest || !needed[i];
        ok = needed[i] ? !made || !s->graph : cannot_fail(s);
        if (made && !head->early) {
            head->early = true;
            p->nearly += orr__plan_tasks(p, orr__plan_head(p, i));
        }
    }
    if (!ok || !rest)
        p->nearly = 0;
    free(needed);
}
