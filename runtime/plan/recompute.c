/* Cheap values that would wait long for a reader are computed again instead of kept.
 * Must not know: tiles, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/env.h"
#include "runtime/base/threshold.h"
#include "runtime/plan/passes.h"

/* The most recomputations. */
enum { ROUNDS = 256 };          /* limit of search */
static const double WORK = 1e8; /* limit of search: bound on the search: steps × values × rounds */

static int next_use(const orr__plan *p, int v, int after)
{
    for (int i = after + 1; i < p->nstep; i++)
        for (int k = 0; k < p->step[i].region->nin; k++)
            if (p->step[i].in[k] == v)
                return i;
    return p->nstep;
}

/* The most bytes that live at one step, and that step. change: space for nstep + 1 numbers. */
static double peak_of(const orr__plan *p, double *change, int *where)
{
    double peak = -1, live = 0;
    memset(change, 0, ((size_t)p->nstep + 1) * sizeof *change);
    for (int v = 0; v < p->nvalue; v++) {
        const orr__value *a = &p->value[v];
        if (a->leaf >= 0 || a->first < 0)
            continue;
        change[a->first] += (double)orr__value_bytes(a);
        if (a->output < 0)
            change[a->last + 1] -= (double)orr__value_bytes(a);
    }
    for (int i = 0; i < p->nstep; i++) {
        live += change[i];
        if (live > peak) {
            peak = live;
            *where = i;
        }
    }
    return peak;
}

/* True if computing v again for step `use`, from values that live until then anyway, takes no longer than writing and reading it. */
static bool again_is_cheap(const orr__plan *p, int v, int use)
{
    const orr__step *s = &p->step[p->value[v].first];
    const orr__region *r = s->region;
    const orr__profile *now = orr__profile_now();
    if (!orr__region_is_map(r) || orr__region_rows(r) || r->nout != 1 ||
        r->flops > now->math * orr__profile_move(now, 2 * (double)orr__value_bytes(&p->value[v])))
        return false;
    for (int k = 0; k < r->nin; k++) {
        const orr__value *in = &p->value[s->in[k]];
        if (in->leaf < 0 && in->output < 0 && in->last < use)
            return false;
    }
    return true;
}

static int choose(const orr__plan *p, int peak, int *use)
{
    int best = -1;
    for (int v = 0; v < p->nvalue; v++) {
        const orr__value *a = &p->value[v];
        if (a->leaf >= 0 || a->output >= 0 || a->first < 0 || a->first >= peak || a->last <= peak ||
            next_use(p, v, peak - 1) == peak ||
            (best >= 0 && (double)orr__value_bytes(a) <= (double)orr__value_bytes(&p->value[best])))
            continue;
        int u = next_use(p, v, peak);
        if (u < p->nstep && again_is_cheap(p, v, u)) {
            best = v;
            *use = u;
        }
    }
    return best;
}

/* Puts a copy of v's step before step `use`. That step and later ones read the copy's result. */
static orr_status repeat(const orr__planner *planner, int v, int use)
{
    orr__plan *p = planner->plan;
    orr__value *value = realloc(p->value, ((size_t)p->nvalue + 1) * sizeof *value);
    p->value = value ? value : p->value;
    orr__step *step = value ? realloc(p->step, ((size_t)p->nstep + 1) * sizeof *step) : NULL;
    if (!step)
        return orr__plan_enomem(planner);
    p->step = step;
    orr__step twin = step[p->value[v].first];
    const orr__step *from = &step[p->value[v].first];
    int w = p->nvalue;
    twin.region = orr__region_copy(from->region);
    twin.in = malloc(((size_t)from->region->nin + 1) * sizeof *twin.in);
    twin.out = malloc(sizeof *twin.out);
    twin.cpu = twin.opencl = twin.cuda = NULL;
    if (!twin.region || !twin.in || !twin.out || orr__step_prepare(&twin) != ORR_OK) {
        if (twin.region)
            orr__region_free(twin.region);
        free(twin.region);
        free(twin.in);
        free(twin.out);
        return orr__plan_enomem(planner);
    }
    memcpy(twin.in, from->in, (size_t)from->region->nin * sizeof *twin.in);
    twin.out[0] = w;
    p->value[p->nvalue++] = p->value[v];
    memmove(step + use + 1, step + use, (size_t)(p->nstep - use) * sizeof *step);
    step[use] = twin;
    p->nstep++;
    for (int i = use + 1; i < p->nstep; i++)
        for (int k = 0; k < step[i].region->nin; k++)
            if (step[i].in[k] == v)
                step[i].in[k] = w;
    orr__plan_lifetimes(p);
    return ORR_OK;
}

orr_status orr__pass_recompute(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    int where = 0, use = 0;
    double *change = malloc(((size_t)p->nstep + ROUNDS + 1) * sizeof *change);
    if (!change)
        return orr__plan_enomem(planner);
    orr__plan_lifetimes(p);
    double peak = peak_of(p, change, &where), work = (double)p->nstep * (double)p->nvalue;
    int rounds = work > WORK / ROUNDS ? (int)(WORK / work) : ROUNDS;
    if (rounds < ROUNDS)
        orr__log(2, "%s: of the values of %d steps, %d at most are computed again to save memory", planner->at.op,
                 p->nstep, rounds);
    orr_status st = ORR_OK;
    for (int n = 0, v; n < rounds && st == ORR_OK && (v = choose(p, where, &use)) >= 0; n++) {
        if ((st = repeat(planner, v, use)) != ORR_OK)
            break;
        double now = peak_of(p, change, &where);
        if (now > peak)
            break;
        peak = now;
    }
    free(change);
    return st;
}
