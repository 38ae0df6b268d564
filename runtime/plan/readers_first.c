/* Moves readers of a value before the step that could use the value's memory, so that it can.
 * Must not know: which donations are made in the end, StarPU. */
#include "config.h"

#include <math.h>
#include "runtime/base/env.h"
#include "runtime/base/threshold.h"
#include "runtime/plan/passes.h"

/* True if all that step i reads is written before position `at`. */
static bool can_run_at(const orr__plan *p, int i, int at)
{
    for (int k = 0; k < p->step[i].region->nin; k++)
        if (p->value[p->step[i].in[k]].leaf < 0 && p->value[p->step[i].in[k]].first >= at)
            return false;
    return true;
}

static bool reads(const orr__step *s, int v)
{
    bool any = false;
    for (int k = 0; k < s->region->nin; k++)
        any = any || s->in[k] == v;
    return any;
}

/* The steps that the pass may look at: n log n of them for n steps. */
static double most_work(const orr__plan *p)
{
    return 64.0 * p->nstep * (1 + log2((double)p->nstep + 1));
}

/* True if step r could use the memory of an input of at least `bytes` bytes, but not before step i, since other steps from i on read
 * that input. */
static bool loses_more(const orr__plan *p, int i, int r, size_t bytes)
{
    const orr__step *s = &p->step[r];
    for (int k = 0; k < s->region->nin; k++) {
        const orr__value *x = &p->value[s->in[k]];
        if (x->leaf >= 0 || x->last != r || orr__value_bytes(x) < bytes || orr__donation_output(p, r, k) < 0)
            continue;
        for (int j = i; j < r; j++)
            if (reads(&p->step[j], s->in[k]))
                return true;
    }
    return false;
}

/* *work counts the steps looked at, up to `most`.
 * Moves readers of value u from after step i to before it, if they can run there and lose no more than is gained.
 * Returns their number. */
static int move_readers(orr__plan *p, int i, int u, double *work, double most)
{
    int moved = 0;
    bool leaf = p->value[u].leaf >= 0;
    for (int r = i + 1; r < p->nstep && r <= p->value[u].last && *work < most; r++) {
        *work += 1;
        if (!reads(&p->step[r], u) || !can_run_at(p, r, i))
            continue;
        *work += r - i;
        if (!(leaf && loses_more(p, i, r, orr__value_bytes(&p->value[u]))))
            orr__step_move(p, r, i + moved++);
    }
    return moved;
}

orr_status orr__pass_readers_first(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    double work = 0, most = most_work(p);
    orr__plan_lifetimes(p);
    for (int i = 0; i < p->nstep && work < most; i++) {
        const orr__step *s = &p->step[i];
        int moved = 0;
        for (int k = 0; k < s->region->nin && !moved; k++) {
            const orr__value *u = &p->value[s->in[k]];
            if (u->last > i && orr__value_bytes(u) >= (u->leaf >= 0 ? ORR__T_FIRST_CACHE : ORR__T_CORE_CACHES) &&
                orr__donation_output(p, i, k) >= 0)
                moved = move_readers(p, i, s->in[k], &work, most);
        }
        if (moved) { /* the step itself follows them */
            i += moved;
            work += p->nstep;
            orr__plan_lifetimes(p);
        }
    }
    if (work >= most)
        orr__log(2,
                 "%s: the order of %d steps was searched for in-place work up to a bound, and the rest stays as it is",
                 planner->at.op, p->nstep);
    return ORR_OK;
}
