/* Where a plan's values lie and for how long: lifetimes, outputs that take over an input's memory, slots, the peak.
 * Must not know: how a region became a step, StarPU. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/emit/emit.h"
#include "runtime/plan/make.h"

static size_t bytes_of(const orr__value *v)
{
    return (size_t)v->count * orr_dtype_size(v->dtype);
}

static bool inside(const orr__plan *p, int i)
{
    return p->step[orr__plan_head(p, i)].members > 1;
}

void orr__plan_lifetimes(orr__plan *p)
{
    for (int i = 0; i < p->nstep; i++) {
        const orr__step *s = &p->step[i];
        for (int k = 0; k < s->region->nout; k++)
            p->value[s->out[k]].first = p->value[s->out[k]].last = i;
        for (int k = 0; k < s->region->nin; k++)
            p->value[s->in[k]].last = i;
    }
}

/* -- in place ------------------------------------------------------------------------------------------------ */

/* A map, or a product with element-wise work behind it, which makes the product elsewhere. */
bool orr__region_writes_elements(const orr__region *r)
{
    bool tail = r->product && r->rank == 3 && r->ninstr > 0;
    for (int k = 0; k < r->nout; k++)
        tail = tail && r->out_reg[k] != 0;
    return (orr__region_is_map(r) || tail) && !r->rows && orr__emit_flags(r) == 0;
}

static bool writes_in_place(const orr__region *r)
{
    return r->nout == 1 && orr__region_writes_elements(r);
}

bool orr__region_reads_elements(const orr__region *r, int k)
{
    int axes = r->product ? r->rank - 1 : r->rank; /* not along k */
    for (int a = 0; a < r->naccess; a++) {
        int64_t step = 1;
        if (r->access[a].input != k)
            continue;
        if (r->access[a].offset != 0 || r->access[a].box || (r->product && a < 2))
            return false;
        for (int d = axes - 1; d >= 0; d--) {
            if (r->dim[d] != 1 && r->access[a].stride[d] != step)
                return false;
            step *= r->dim[d];
        }
    }
    return r->in_count[k] == r->out_count;
}

static bool may_take(const orr__plan *p, int i, int k)
{
    const orr__step *s = &p->step[i];
    const orr__value *u = &p->value[s->in[k]], *v = &p->value[s->out[0]];
    bool again = false;
    for (int j = 0; j < s->region->nin; j++)
        again = again || (j != k && s->in[j] == s->in[k]);
    return !again && u->leaf < 0 && u->output < 0 && !u->local && u->last == i && !v->local && u->ntiles == v->ntiles &&
           u->tile == v->tile && orr_dtype_size(u->dtype) == orr_dtype_size(v->dtype) &&
           orr__region_reads_elements(s->region, k);
}

/* -- other readers first --------------------------------------------------------------------------------------- */

/* Moves step `from` up to place `to`. */
static void move_up(orr__plan *p, int from, int to)
{
    orr__step s = p->step[from];
    memmove(p->step + to + 1, p->step + to, (size_t)(from - to) * sizeof s);
    p->step[to] = s;
}

/* Everything that step i reads is written before place `at`. */
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

/* Step r writes over an input of at least `bytes` bytes, which it could not if it went before step i, as others read that from there
 * on. */
static bool loses_more(const orr__plan *p, int i, int r, size_t bytes)
{
    const orr__step *s = &p->step[r];
    for (int k = 0; k < s->region->nin && writes_in_place(s->region); k++) {
        const orr__value *x = &p->value[s->in[k]];
        if (x->leaf >= 0 || x->last != r || bytes_of(x) < bytes || !orr__region_reads_elements(s->region, k))
            continue;
        for (int j = i; j < r; j++)
            if (reads(&p->step[j], s->in[k]))
                return true;
    }
    return false;
}

/* The readers of value u behind step i go before it, as far as they can and lose no more than is won; how many went. */
static int readers_first(orr__plan *p, int i, int u)
{
    int moved = 0;
    for (int r = i + moved + 1; r < p->nstep && r <= p->value[u].last; r++) {
        bool leaf = p->value[u].leaf >= 0;
        if (!reads(&p->step[r], u) || !can_run_at(p, r, i) || (leaf && loses_more(p, i, r, bytes_of(&p->value[u]))))
            continue;
        move_up(p, r, i + moved++);
    }
    return moved;
}

orr_status orr__plan_make_way(orr__site at, orr__plan *p, int *renumber)
{
    enum { LARGE = 1 << 20 };
    for (int i = 0; i < p->nvalue; i++)
        renumber[i] = i;
    orr__plan_lifetimes(p);
    bool any = false, heirs = orr__plan_cannot_fail(p);
    for (int i = 0; i < p->nstep; i++) {
        const orr__step *s = &p->step[i];
        int moved = 0;
        for (int k = 0; k < s->region->nin && !moved; k++) {
            const orr__value *u = &p->value[s->in[k]];
            bool may = u->leaf >= 0 ? heirs && orr__plan_has_heir(p, s, k)
                                    : writes_in_place(s->region) && bytes_of(u) >= LARGE &&
                                          orr__region_reads_elements(s->region, k);
            if (may && u->last > i)
                moved = readers_first(p, i, s->in[k]);
        }
        if (moved) { /* and the step itself stands behind them */
            any = true;
            i += moved;
            orr__plan_lifetimes(p);
        }
    }
    return any ? orr__plan_renumber(at, p, renumber) : ORR_OK;
}

/* -- in place, again ------------------------------------------------------------------------------------------- */

/* An element-wise step with one output may write where an input is that nobody reads later. One that a device may try
 * first may not, nor one that is given indices: when that fails, or one is wrong, the step is done again, and needs its
 * inputs. */
static void find_in_place(orr__plan *p)
{
    for (int i = 0; i < p->nstep; i++) {
        const orr__step *s = &p->step[i];
        const orr__region *r = s->region;
        orr__value *v = &p->value[s->out[0]];
        if (!writes_in_place(r) || s->opencl || s->cuda || inside(p, i) || v->count == 0)
            continue;
        for (int k = 0; k < r->nin && v->over < 0; k++)
            if (may_take(p, i, k)) {
                v->over = s->in[k];
                p->value[s->in[k]].given = true;
            }
    }
}

/* -- how much ------------------------------------------------------------------------------------------------ */

static int task_end(const orr__plan *p, int i)
{
    int head = orr__plan_head(p, i);
    return head + (p->step[head].members > 1 ? p->step[head].members : 1);
}

/* What lives while each step runs, if steps run one after the other and what was read last goes. Then strips are no tasks. */
static void find_peak(orr__plan *p, size_t *grows, size_t *shrinks)
{
    size_t live = p->scratch_bytes;
    p->bytes_peak = live;
    for (int i = 0; i < p->nvalue; i++) {
        const orr__value *v = &p->value[i];
        if (v->leaf >= 0 || (v->local && v->ntiles == 1) || v->first < 0)
            continue;
        grows[v->over >= 0 ? task_end(p, v->first) : orr__plan_head(p, v->first)] += bytes_of(v);
        if (v->output < 0)
            shrinks[task_end(p, v->last)] += bytes_of(v);
    }
    for (int i = 0; i < p->nstep; i++) {
        live += grows[i];
        live -= shrinks[i];
        if (live > p->bytes_peak) {
            p->bytes_peak = live;
            p->peak_step = i;
        }
    }
}

orr_status orr__plan_memory(orr__site at, orr__plan *p)
{
    size_t *change = calloc(2 * ((size_t)p->nstep + 1), sizeof *change);
    bool ok = change != NULL;
    int at_once = orr__machine_here.workers < p->nscratch ? orr__machine_here.workers : p->nscratch;
    p->bytes_all = (size_t)at_once * p->scratch_bytes;
    if (ok) {
        find_in_place(p);
        ok = orr__plan_slots(p);
    }
    if (ok) {
        for (int i = 0; i < p->nvalue; i++) {
            const orr__value *v = &p->value[i];
            p->bytes_all += v->leaf < 0 && !v->local && v->slot < 0 ? bytes_of(v) : 0;
        }
        for (int k = 0; k < p->nslot; k++)
            p->bytes_all += p->slot_bytes[k];
        find_peak(p, change, change + p->nstep + 1);
        for (int i = 0; i < p->nstep; i++)
            p->ntasks += orr__plan_tasks(p, i);
    }
    free(change);
    return ok ? ORR_OK : orr__fail(at, ORR_ENOMEM, "no memory to plan %d steps", p->nstep);
}
