/* The lanes of a plan: one thread; a crew of workers that do the steps together, one after the other; tasks. Decides which steps a crew
 * shares, and predicts the time of each lane.
 * Must not know: callers that wait for the plan, StarPU. */
#include "config.h"

#include <math.h>
#include "codelets/codelet.h"
#include "runtime/base/env.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"
#include "runtime/plan/passes.h"
#include "runtime/ranks/ranks.h"

static bool by_blas(const orr__region *r)
{
    return r->loops == ORR__LOOPS_PRODUCT || (r->call.op && r->call.op->flags & ORR__OP_BLAS);
}

/* The bits of products and solutions depend on the number of rows in a call of BLAS, so every engine passes the rows of a task. A single
 * tile is the whole. */
bool orr__step_by_tiles(const orr__step *s)
{
    return s->ntiles > 1 && !s->graph && (s->partial || orr__env.deterministic || by_blas(s->region));
}

/* A fold along axis 0 reads all rows in one order. */
bool orr__step_by_rows(const orr__step *s)
{
    const orr__region *r = s->region;
    return !s->graph && !orr__step_by_tiles(s) && orr__region_cuttable(r) && !by_blas(r) && (r->rmask & 1u) == 0 &&
           r->dim[0] > 1;
}

/* The most shares into which a step can be divided; 1: it is for one worker. */
static int parts_of(const orr__step *s)
{
    double worth = s->cost.us / ORR__T_SHARE;
    int most = orr__plan_workers();
    if (s->graph || worth < 2)
        return 1;
    most = worth < most ? (int)worth : most;
    if (orr__step_by_tiles(s))
        return ORR__MIN(s->ntiles, most);
    return orr__step_by_rows(s) ? most : 1;
}

/* True if the plan is one step whose inputs are leaves and whose outputs are those of the plan, in order, each with memory of its own. A
 * call may ask for facts of its inputs. */
static bool is_direct(const orr__plan *p)
{
    const orr__step *s = p->step;
    if (p->nstep != 1 || p->calls || s->graph || s->ntiles > 1 || s->shared || s->borrows || p->ndonors > 0 ||
        p->memory.scratch_bytes > 0 || orr__region_needs_device(s->region) || p->nout != s->region->nout ||
        s->region->nin > ORR__DIRECT_MOST || p->nout > ORR__DIRECT_MOST)
        return false;
    for (int i = 0; i < s->region->nin; i++)
        if (p->value[s->in[i]].leaf < 0)
            return false;
    for (int k = 0; k < p->nout; k++)
        if (p->out[k] != s->out[k] || p->value[s->out[k]].output != k)
            return false;
    return true;
}

/* The members of a crew meet after each step. A task that waits for another one begins with the latency of a task
 * alone. */
orr_status orr__pass_lanes(orr__planner *planner)
{
    static const double meet_us = 1e-3 * ORR__T_CREW_MEET; /* and as much again for each doubling of the members */
    orr__plan *p = planner->plan;
    const orr__profile *now = orr__profile_now();
    int workers = orr__plan_workers(), tasks = 0;
    bool apart = false;
    for (int i = 0; i < p->nstep; i++) {
        orr__step *s = &p->step[i];
        int parts = orr__ablated(ORR__OFF_CREW) ? 1 : parts_of(s);
        s->shared = parts > 1;
        apart = apart || s->borrows || (orr__step_posts(s) && !orr__ranks_in_calls());
        p->lanes.alone += s->cost.us;
        p->lanes.together += s->cost.us / parts + (s->shared ? meet_us * (1 + log2(workers)) : 0);
        tasks += orr__plan_head(p, i) == i;
    }
    /* A crew has no idle workers whose cores a call could borrow, and no tasks beside an exchange. */
    if (apart)
        p->lanes.together = HUGE_VAL;
    double even = p->lanes.alone / workers;
    p->lanes.tasks = ORR__MAX(p->urgency.longest, even) + tasks * now->latency_us;
    p->lanes.direct = is_direct(p);
    return ORR_OK;
}
