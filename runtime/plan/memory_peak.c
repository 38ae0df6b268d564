/* The bytes that a plan needs: with all of its values at once, and with one task after the other.
 * Must not know: why values live as long as they do, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/passes.h"

static int task_end(const orr__plan *p, int i)
{
    int head = orr__plan_head(p, i);
    return head + orr__bundle_size(&p->step[head]);
}

/* The bytes that live while each step runs, if steps run one after the other and values end with their last reader. */
static void find_peak(orr__plan *p, size_t *grows, size_t *shrinks)
{
    size_t live = p->memory.scratch_bytes;
    p->memory.peak = live;
    for (int i = 0; i < p->nvalue; i++) {
        const orr__value *v = &p->value[i];
        if (v->leaf >= 0 || v->local || v->first < 0)
            continue;
        grows[orr__temporary_donor(p, v) >= 0 ? task_end(p, v->first) : orr__plan_head(p, v->first)] +=
            orr__value_bytes(v);
        if (v->output < 0)
            shrinks[task_end(p, v->last)] += orr__value_bytes(v);
    }
    for (int i = 0; i < p->nstep; i++) {
        live += grows[i];
        live -= shrinks[i];
        if (live > p->memory.peak) {
            p->memory.peak = live;
            p->memory.peak_step = i;
        }
    }
}

orr_status orr__pass_memory_peak(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    size_t *change = calloc(2 * ((size_t)p->nstep + 1), sizeof *change);
    if (!change)
        return orr__plan_enomem(planner);
    p->memory.all = (size_t)orr__plan_scratches(p) * p->memory.scratch_bytes;
    for (int i = 0; i < p->nvalue; i++) {
        const orr__value *v = &p->value[i];
        p->memory.all += v->leaf < 0 && !v->local && v->slot < 0 ? orr__value_bytes(v) : 0;
    }
    for (int k = 0; k < p->memory.nslot; k++)
        p->memory.all += p->memory.slot_bytes[k];
    find_peak(p, change, change + p->nstep + 1);
    free(change);
    return ORR_OK;
}
