/* The urgency of each task: the longest path from it to the end of the plan. Tasks on the longest path go first.
 * Must not know: policies, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/minmax.h"
#include "runtime/plan/passes.h"

/* The µs of a task of step s from its beginning to its end, if all tasks of the step run in parallel. */
static double alone(const orr__step *s)
{
    double us = 0;
    for (int k = 0; k < (orr__bundle_size(s)); k++)
        us += s[k].cost.us;
    return us / (s->graph ? orr__machine_here.workers : s->ntiles > 0 ? s->ntiles : 1);
}

/* The task that makes value v, -1: a leaf. */
static int maker_of(const orr__plan *p, int v)
{
    return p->value[v].leaf < 0 && p->value[v].first >= 0 ? orr__plan_head(p, p->value[v].first) : -1;
}

/* Passes the path of task i, which is known, on to the tasks for which it waits. */
static void hand_on(orr__plan *p, int i, bool *needed)
{
    const orr__step *s = &p->step[i];
    for (int k = i; k < i + (orr__bundle_size(s)); k++)
        for (int in = 0; in < p->step[k].region->nin; in++) {
            int from = maker_of(p, p->step[k].in[in]);
            if (from < 0 || from == i)
                continue;
            needed[from] = needed[from] || needed[i];
            if (p->step[from].urgency.from_start < s->urgency.from_start)
                p->step[from].urgency.from_start = s->urgency.from_start;
        }
}

/* True if the bundle or step i reads a value of the task of step `before`. */
static bool needs(const orr__plan *p, int i, int before)
{
    for (int k = i; k < i + (orr__bundle_size(&p->step[i])); k++)
        for (int in = 0; in < p->step[k].region->nin; in++)
            if (maker_of(p, p->step[k].in[in]) == before)
                return true;
    return false;
}

static bool is_chain(const orr__plan *p)
{
    int before = -1;
    for (int i = 0; i < p->nstep; i++) {
        if (orr__plan_head(p, i) != i)
            continue;
        if (orr__plan_tasks(p, i) != 1 || (before >= 0 && !needs(p, i, before)))
            return false;
        before = i;
    }
    return true;
}

orr_status orr__pass_urgency(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    bool *needed = calloc((size_t)p->nstep + 1, sizeof *needed);
    double late = 0;
    if (!needed)
        return orr__plan_enomem(planner);
    for (int i = p->nstep; i-- > 0;) {
        orr__step *s = &p->step[i];
        if (orr__plan_head(p, i) != i)
            continue;
        needed[i] = needed[i] || s->waited;
        s->urgency.from_end = s->urgency.from_start;
        s->urgency.from_start += alone(s);
        late = !needed[i] && s->urgency.from_start > late ? s->urgency.from_start : late;
        hand_on(p, i, needed);
    }
    for (int i = 0; i < p->nstep; i++) {
        orr__step *s = &p->step[i];
        double more = needed[i] ? late : 0; /* an awaited output needs it: it precedes all that may end later */
        s->urgency.from_start += more;
        s->urgency.from_end += more;
        p->urgency.longest = ORR__MAX(s->urgency.from_start, p->urgency.longest);
    }
    p->urgency.chain = is_chain(p);
    free(needed);
    return ORR_OK;
}
