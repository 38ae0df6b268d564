/* The bytes that a plan needs: with all of its values at once, with one task after the other, and with one step after the other.
 * Must not know: why values live as long as they do, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/passes.h"

/* The step after the task of step i, or after step i alone (stepwise). */
static int end_of(const orr__plan *p, int i, bool stepwise)
{
    if (stepwise)
        return i + 1;
    int head = orr__plan_head(p, i);
    return head + orr__bundle_size(&p->step[head]);
}

/* The most bytes that live at a step, if tasks, or steps, run one after the other and values end with their last reader. */
static size_t find_peak(const orr__plan *p, bool stepwise, bool over_leaves, size_t *grows, size_t *shrinks,
                        int *peak_step)
{
    size_t live = p->memory.scratch_bytes, peak = live;
    for (int i = 0; i < p->nvalue; i++) {
        const orr__value *v = &p->value[i];
        if (v->leaf >= 0 || v->local || v->first < 0 || (over_leaves && orr__leaf_donor(p, v) >= 0))
            continue;
        int begin = stepwise ? v->first : orr__plan_head(p, v->first);
        grows[orr__temporary_donor(p, v) >= 0 ? end_of(p, v->first, stepwise) : begin] += orr__value_bytes(v);
        if (v->output < 0)
            shrinks[end_of(p, v->last, stepwise)] += orr__value_bytes(v);
    }
    for (int i = 0; i < p->nstep; i++) {
        live += grows[i];
        live -= shrinks[i];
        if (live > peak) {
            peak = live;
            *peak_step = i;
        }
    }
    return peak;
}

orr_status orr__pass_memory_peak(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    size_t n = (size_t)p->nstep + 1, *change = calloc(6 * n, sizeof *change);
    int ignored;
    if (!change)
        return orr__plan_enomem(planner);
    p->memory.all = (size_t)orr__plan_scratches(p) * p->memory.scratch_bytes;
    for (int i = 0; i < p->nvalue; i++) {
        const orr__value *v = &p->value[i];
        p->memory.all += v->leaf < 0 && !v->local && v->slot < 0 ? orr__value_bytes(v) : 0;
    }
    for (int k = 0; k < p->memory.nslot; k++)
        p->memory.all += p->memory.slot_bytes[k];
    p->memory.peak = find_peak(p, false, false, change, change + n, &p->memory.peak_step);
    p->memory.stepwise = find_peak(p, true, false, change + 2 * n, change + 3 * n, &ignored);
    p->memory.in_place = find_peak(p, true, true, change + 4 * n, change + 5 * n, &ignored);
    free(change);
    return ORR_OK;
}
