/* How long it is from the beginning of each task to the plan's end: what lies on the longest way goes first.
 * Must not know: policies, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/make.h"

/* µs from the beginning of the task of step i to its end, all of its like side by side. */
static double alone(const orr__step *s)
{
    double us = 0;
    for (int k = 0; k < (s->members > 1 ? s->members : 1); k++)
        us += s[k].cost.us;
    return us / (s->graph ? orr__machine_here.workers : s->ntiles > 0 ? s->ntiles : 1);
}

/* The task that makes value v, -1: a leaf. */
static int maker_of(const orr__plan *p, int v)
{
    return p->value[v].leaf < 0 && p->value[v].first >= 0 ? orr__plan_head(p, p->value[v].first) : -1;
}

/* What is behind i's end is known: so is what is behind the ends of those that it waits for. */
static void hand_on(orr__plan *p, int i, bool *needed)
{
    const orr__step *s = &p->step[i];
    for (int k = i; k < i + (s->members > 1 ? s->members : 1); k++)
        for (int in = 0; in < p->step[k].region->nin; in++) {
            int from = maker_of(p, p->step[k].in[in]);
            if (from < 0 || from == i)
                continue;
            needed[from] = needed[from] || needed[i];
            if (p->step[from].way_us < s->way_us)
                p->step[from].way_us = s->way_us;
        }
}

/* The bundle or step i reads what the task of step `before` makes. */
static bool needs(const orr__plan *p, int i, int before)
{
    for (int k = i; k < i + (p->step[i].members > 1 ? p->step[i].members : 1); k++)
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

orr_status orr__plan_urgency(orr__site at, orr__plan *p)
{
    bool *needed = calloc((size_t)p->nstep + 1, sizeof *needed);
    double late = 0;
    if (!needed)
        return orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", p->nstep);
    for (int i = p->nstep; i-- > 0;) {
        orr__step *s = &p->step[i];
        if (orr__plan_head(p, i) != i)
            continue;
        needed[i] = needed[i] || s->early;
        s->rest_us = s->way_us;
        s->way_us += alone(s);
        late = !needed[i] && s->way_us > late ? s->way_us : late;
        hand_on(p, i, needed);
    }
    for (int i = 0; i < p->nstep; i++) {
        orr__step *s = &p->step[i];
        double more = needed[i] ? late : 0; /* somebody waits for it: before all that may be finished later */
        s->way_us += more;
        s->rest_us += more;
        p->way_us = s->way_us > p->way_us ? s->way_us : p->way_us;
    }
    p->chain = is_chain(p);
    free(needed);
    return ORR_OK;
}
