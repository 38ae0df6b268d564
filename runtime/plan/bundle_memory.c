/* What bundles hold: values that never leave them, in scratch memory of their own, and those that they share.
 * Must not know: which steps are bundled and why, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cholesky.h"
#include "runtime/plan/make.h"

int orr__plan_head(const orr__plan *p, int i)
{
    return p->step[i].members < 0 ? i + p->step[i].members : i;
}

int orr__plan_tasks(const orr__plan *p, int i)
{
    const orr__step *s = &p->step[i];
    const orr__region *r = s->region;
    if (s->graph) /* the output's tiles are opened and closed */
        return 2 * s->ntiles + (r->rank > 2 ? (int)r->dim[0] : 1) * (int)orr__cholesky_ops(r->dim[r->rank - 1]);
    return orr__plan_head(p, i) != i ? 0 : s->ntiles;
}

/* Each task has its own: of a strip's values, one tile. */
static size_t room(const orr__value *v)
{
    return ((size_t)v->tile * orr_dtype_size(v->dtype) + 63) & ~(size_t)63;
}

/* Every step's outputs in turn take the lowest bytes that no living local value has. */
static orr_status place_locals(orr__site at, orr__plan *p, int head)
{
    const orr__step *s = &p->step[head];
    int *live = NULL, nlive = 0, cap = 0;
    size_t top = 0;
    for (int i = head; i < head + s->members; i++) {
        for (int k = 0; k < p->step[i].region->nout; k++) {
            int number = p->step[i].out[k];
            orr__value *v = &p->value[number];
            if (!v->local)
                continue;
            if (nlive == cap) {
                int *more = realloc(live, (size_t)(cap = cap ? 2 * cap : 16) * sizeof *more);
                if (!more) {
                    free(live);
                    return orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", p->nstep);
                }
                live = more;
            }
            /* live[] is in order of place; the dead go as they are met */
            int kept = 0, slot;
            for (int l = 0; l < nlive; l++)
                if (p->value[live[l]].last >= i)
                    live[kept++] = live[l];
            nlive = kept;
            size_t from = 0;
            for (slot = 0; slot < nlive && p->value[live[slot]].scratch - from < room(v); slot++)
                from = p->value[live[slot]].scratch + room(&p->value[live[slot]]);
            v->scratch = from;
            memmove(live + slot + 1, live + slot, (size_t)(nlive - slot) * sizeof *live);
            live[slot] = number;
            nlive++;
            top = from + room(v) > top ? from + room(v) : top;
        }
    }
    free(live);
    p->scratch_bytes = top > p->scratch_bytes ? top : p->scratch_bytes;
    p->nscratch += top > 0 ? s->ntiles : 0;
    return ORR_OK;
}

/* What step s reads and writes in tile t becomes part of what tile t of the bundle does: use[0 … *nuse). */
static void add_use(const orr__plan *p, orr__use *use, int *nuse, int *use_of, orr__use one)
{
    if (p->value[one.value].local || one.end <= one.first)
        return;
    if (use_of[one.value] < 0) {
        use_of[one.value] = (*nuse)++;
        use[use_of[one.value]] = one;
    }
    orr__use *u = &use[use_of[one.value]];
    u->first = one.first < u->first ? one.first : u->first;
    u->end = one.end > u->end ? one.end : u->end;
}

static void add_uses(const orr__plan *p, const orr__step *s, int t, orr__use *use, int *nuse, int *use_of)
{
    for (int k = 0; k < s->region->nout; k++) {
        const orr__value *v = &p->value[s->out[k]];
        int64_t first = t * v->tile, end = first + v->tile < v->count ? first + v->tile : v->count;
        add_use(p, use, nuse, use_of, (orr__use){ s->out[k], true, first, end });
    }
    for (int k = 0; k < s->region->nin; k++) {
        orr__use one = { .value = s->in[k] };
        orr__step_reads(s, t, k, &one.first, &one.end);
        add_use(p, use, nuse, use_of, one);
    }
}

/* A task writes whole tiles of a value, or nothing. Lists of equal length, one for each tile; a shorter one ends with
 * nothing, [0, 0) of value 0. */
static orr_status list_uses(orr__site at, orr__plan *p, int h, int *use_of)
{
    orr__step *head = &p->step[h];
    int most = 0;
    for (int i = h; i < h + head->members; i++)
        most += p->step[i].region->nin + p->step[i].region->nout;
    if (!(head->use = calloc((size_t)most * (size_t)head->ntiles + 1, sizeof *head->use)))
        return orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", p->nstep);
    for (int t = 0; t < head->ntiles; t++) {
        orr__use *use = head->use + (size_t)t * (size_t)most;
        int n = 0;
        for (int i = h; i < h + head->members; i++)
            add_uses(p, &p->step[i], t, use, &n, use_of);
        for (int k = 0; k < n; k++)
            use_of[use[k].value] = -1;
        head->nuse = n > head->nuse ? n : head->nuse;
    }
    for (int t = 1; t < head->ntiles; t++)
        memmove(head->use + (size_t)t * (size_t)head->nuse, head->use + (size_t)t * (size_t)most,
                (size_t)head->nuse * sizeof *head->use);
    return ORR_OK;
}

orr_status orr__plan_bundle_memory(orr__site at, orr__plan *p)
{
    int *use_of = malloc(((size_t)p->nvalue + 1) * sizeof *use_of);
    orr_status st = use_of ? ORR_OK : orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", p->nstep);
    for (int i = 0; st == ORR_OK && i < p->nvalue; i++) {
        orr__value *v = &p->value[i];
        int head = v->leaf < 0 && v->first >= 0 ? orr__plan_head(p, v->first) : -1;
        v->local = head >= 0 && v->output < 0 && p->step[head].members > 1 && v->last < head + p->step[head].members;
        use_of[i] = -1;
    }
    for (int i = 0; st == ORR_OK && i < p->nstep; i++)
        if (p->step[i].members > 1) {
            st = place_locals(at, p, i);
            if (st == ORR_OK)
                st = list_uses(at, p, i, use_of);
        }
    free(use_of);
    return st;
}
