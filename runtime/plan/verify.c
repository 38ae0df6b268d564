/* Checks the rules that the engine relies on: order, tiles, bundles, memory.
 * Must not know: how a plan was made, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/passes.h"

/* Members of a bundle have one tile; local values are used by their bundle alone. */
static const char *check_bundle(const orr__plan *p, int i)
{
    int head = orr__plan_head(p, i), end = head + orr__bundle_size(&p->step[head]);
    const orr__step *s = &p->step[i];
    if (end > p->nstep || (end > head + 1 && s->ntiles != 1))
        return "a bundle of too many steps, or of several tiles";
    for (int k = 0; k < s->region->nout + s->region->nin; k++) {
        const orr__value *v = &p->value[k < s->region->nout ? s->out[k] : s->in[k - s->region->nout]];
        if (v->local && (v->leaf >= 0 || v->output >= 0 || v->slot >= 0 || v->first < head || v->last >= end ||
                         v->scratch + orr__value_bytes(v) > p->memory.scratch_bytes))
            return "a bundle's own value is seen outside, or has no room";
    }
    return NULL;
}

/* True if two values of one bundle live at the same time and share bytes. */
static bool overlap(const orr__value *a, const orr__value *b)
{
    return a->local && b->local && b->last >= a->first && a->scratch < b->scratch + orr__value_bytes(b) &&
           b->scratch < a->scratch + orr__value_bytes(a);
}

/* True if an output of step i shares bytes with an earlier output of its bundle that is still read. live[0 … *n): these. */
static bool crowds(const orr__plan *p, int i, int *live, int *n)
{
    const orr__step *s = &p->step[i];
    *n = orr__plan_head(p, i) == i ? 0 : *n;
    for (int k = 0; k < s->region->nout; k++) {
        const orr__value *v = &p->value[s->out[k]];
        int kept = 0;
        for (int l = 0; v->local && l < *n; l++) {
            if (overlap(v, &p->value[live[l]]))
                return true;
            if (p->value[live[l]].last >= i)
                live[kept++] = live[l];
        }
        if (v->local) {
            *n = kept;
            live[(*n)++] = s->out[k];
        }
    }
    return false;
}

/* True if two values of one slot live at the same time. A recipient begins with the last reader of its donor.
 * Outputs stay to the end. */
static bool collide(const orr__plan *p, int early, int late)
{
    const orr__value *a = &p->value[early], *b = &p->value[late];
    int end = a->output >= 0 ? p->nstep : a->last - (b->donor == early);
    return end >= b->first || a->first > b->first;
}

static const char *check_step(const orr__plan *p, int i)
{
    const orr__step *s = &p->step[i];
    const orr__region *r = s->region;
    if (!s->cpu || s->ntiles < 1 || s->rows < 1)
        return "a step without a kernel or rows";
    if ((int64_t)s->ntiles * s->rows < r->dim[0])
        return "tiles do not cover the step";
    for (int k = 0; k < r->nin; k++) {
        const orr__value *v = s->in[k] >= 0 && s->in[k] < p->nvalue ? &p->value[s->in[k]] : NULL;
        if (!v || (v->leaf < 0 && v->first >= i) || v->count != r->in_count[k] || v->dtype != (orr_dtype)r->in_dtype[k])
            return "an input that is not there, or of another size";
    }
    for (int k = 0; k < r->nin; k++)
        if (p->value[s->in[k]].recipient >= 0 && p->value[p->value[s->in[k]].recipient].first < i)
            return "a donor is read after its memory is written";
    for (int k = 0; k < r->nout; k++) {
        const orr__value *v = s->out[k] >= 0 && s->out[k] < p->nvalue ? &p->value[s->out[k]] : NULL;
        if (!v || v->leaf >= 0 || v->first != i || v->ntiles != s->ntiles ||
            v->count != r->out_count * (s->partial ? s->ntiles : 1))
            return "an output that is not its own, or of another size";
    }
    return NULL;
}

/* Values of one slot are in the order of their numbers, so each is compared with the one before it alone. */
static orr_status check_slots(const orr__plan *p)
{
    int *latest = malloc(((size_t)p->memory.nslot + 1) * sizeof *latest);
    orr_status st = latest ? ORR_OK : orr__fail(ORR__SITE(NULL, 0, "plan"), ORR_ENOMEM, "no memory to plan");
    for (int k = 0; latest && k < p->memory.nslot; k++)
        latest[k] = -1;
    for (int i = 0; st == ORR_OK && i < p->nvalue; i++) {
        int slot = p->value[i].slot;
        if (slot >= 0 && latest[slot] >= 0 && collide(p, latest[slot], i))
            st = orr__fail(ORR__SITE(NULL, 0, "plan"), ORR_EINTERNAL, "values %d and %d share memory while both live",
                           latest[slot], i);
        if (slot >= 0)
            latest[slot] = i;
    }
    free(latest);
    return st;
}

orr_status orr__plan_verify(const orr__plan *p)
{
    int *live = malloc(((size_t)p->nvalue + 1) * sizeof *live), n = 0;
    if (!live)
        return orr__fail(ORR__SITE(NULL, 0, "plan"), ORR_ENOMEM, "no memory to plan");
    for (int i = 0; i < p->nstep; i++) {
        const char *why = check_step(p, i);
        if (!why && crowds(p, i, live, &n))
            why = "an output over a value of its bundle that lives";
        if (!why)
            why = check_bundle(p, i);
        if (why) {
            free(live);
            return orr__fail(orr__region_site(p->step[i].region), ORR_EINTERNAL, "step %d: %s", i, why);
        }
    }
    free(live);
    return check_slots(p);
}

orr_status orr__pass_verify(orr__planner *p)
{
    return orr__plan_verify(p->plan);
}
