/* The memory of bundles. Values that stay inside a bundle are in scratch memory of its task; others are listed as its uses.
 * Must not know: which steps are bundled and why, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/array.h"
#include "runtime/base/minmax.h"
#include "runtime/plan/passes.h"

static size_t local_bytes(const orr__value *v)
{
    return (orr__value_bytes(v) + 63) & ~(size_t)63;
}

/* Places local values: each step's outputs get the lowest bytes that no live local value has. */
static orr_status place_locals(const orr__planner *planner, int head)
{
    orr__plan *p = planner->plan;
    int *live = NULL, nlive = 0, cap = 0;
    size_t top = 0;
    for (int i = head; i < head + p->step[head].bundle.members; i++) {
        for (int k = 0; k < p->step[i].region->nout; k++) {
            int number = p->step[i].out[k];
            orr__value *v = &p->value[number];
            if (!v->local)
                continue;
            int *more = orr__array_reserve(live, &cap, nlive + 1, sizeof *more);
            if (!more) {
                free(live);
                return orr__plan_enomem(planner);
            }
            live = more;
            /* live[] is in order of offset; dead values are removed here */
            int kept = 0, slot;
            for (int l = 0; l < nlive; l++)
                if (p->value[live[l]].last >= i)
                    live[kept++] = live[l];
            nlive = kept;
            size_t from = 0;
            for (slot = 0; slot < nlive && p->value[live[slot]].scratch - from < local_bytes(v); slot++)
                from = p->value[live[slot]].scratch + local_bytes(&p->value[live[slot]]);
            v->scratch = from;
            memmove(live + slot + 1, live + slot, (size_t)(nlive - slot) * sizeof *live);
            live[slot] = number;
            nlive++;
            top = from + local_bytes(v) > top ? from + local_bytes(v) : top;
        }
    }
    free(live);
    p->memory.scratch_bytes = ORR__MAX(top, p->memory.scratch_bytes);
    p->memory.nscratch += top > 0;
    return ORR_OK;
}

/* Adds one use of a step to those of its bundle, use[0 … *nuse). */
static void add_use(const orr__plan *p, orr__use *use, int *nuse, int *use_of, orr__use one)
{
    if (p->value[one.value].local || one.end <= one.first)
        return;
    if (use_of[one.value] < 0) {
        use_of[one.value] = (*nuse)++;
        use[use_of[one.value]] = one;
    }
    orr__use *u = &use[use_of[one.value]];
    u->first = ORR__MIN(one.first, u->first);
    u->end = ORR__MAX(one.end, u->end);
}

static void add_uses(const orr__plan *p, const orr__step *s, orr__use *use, int *nuse, int *use_of)
{
    for (int k = 0; k < s->region->nout; k++)
        add_use(p, use, nuse, use_of, (orr__use){ s->out[k], true, 0, p->value[s->out[k]].count });
    for (int k = 0; k < s->region->nin; k++) {
        orr__use one = { .value = s->in[k] };
        orr__step_reads(s, 0, k, &one.first, &one.end);
        add_use(p, use, nuse, use_of, one);
    }
}

static orr_status list_uses(const orr__planner *planner, int h, int *use_of)
{
    orr__plan *p = planner->plan;
    orr__step *head = &p->step[h];
    int most = 0;
    for (int i = h; i < h + head->bundle.members; i++)
        most += p->step[i].region->nin + p->step[i].region->nout;
    if (!(head->bundle.use = calloc((size_t)most + 1, sizeof *head->bundle.use)))
        return orr__plan_enomem(planner);
    for (int i = h; i < h + head->bundle.members; i++)
        add_uses(p, &p->step[i], head->bundle.use, &head->bundle.nuse, use_of);
    for (int k = 0; k < head->bundle.nuse; k++)
        use_of[head->bundle.use[k].value] = -1;
    return ORR_OK;
}

orr_status orr__pass_bundle_memory(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    int *use_of = malloc(((size_t)p->nvalue + 1) * sizeof *use_of);
    orr_status st = use_of ? ORR_OK : orr__plan_enomem(planner);
    for (int i = 0; st == ORR_OK && i < p->nvalue; i++) {
        orr__value *v = &p->value[i];
        int head = v->leaf < 0 && v->first >= 0 ? orr__plan_head(p, v->first) : -1;
        v->local = head >= 0 && v->output < 0 && orr__bundle_size(&p->step[head]) > 1 &&
                   v->last < head + orr__bundle_size(&p->step[head]);
        use_of[i] = -1;
    }
    for (int i = 0; st == ORR_OK && i < p->nstep; i++)
        if (orr__bundle_size(&p->step[i]) > 1) {
            st = place_locals(planner, i);
            if (st == ORR_OK)
                st = list_uses(planner, i, use_of);
        }
    free(use_of);
    return st;
}
