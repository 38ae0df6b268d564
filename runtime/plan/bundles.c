/* Bundles: puts small steps next to each other, so that several of them can be one task.
 * Must not know: which of them go together, memory, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/env.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"
#include "runtime/cost/model.h"
#include "runtime/plan/passes.h"

/* Steps that wait for a bundle, at most, so that each search of them ends. */
enum { PENDING_MOST = 1024 }; /* limit of memory */

/* An order of all steps in which every bundle is a run of neighbours. All steps that depend on a bundle follow it, so bundles cannot
 * wait for each other in a cycle. */
typedef struct {
    orr__plan *pl;
    int *producer;          /* value -> step, -1                       */
    bool *small, *need;     /* by step; a step that would keep much memory is not small */
    int *order, *where;     /* position -> step, step -> position      */
    int *members;           /* by position: as bundle.members of a step */
    int *pending, npending; /* small steps that no emitted step needs  */
    double pending_us;
    int norder;
} joiner;

/* -- the order: large steps as they come, small ones when a large one needs them, the rest together ------------- */

static void mark_inputs(joiner *j, int i)
{
    const orr__step *s = &j->pl->step[i];
    for (int k = 0; k < s->region->nin; k++)
        if (j->producer[s->in[k]] >= 0)
            j->need[j->producer[s->in[k]]] = true;
}

static void emit_pending(joiner *j, bool all)
{
    int kept = 0;
    for (int k = 0; k < j->npending; k++) {
        int i = j->pending[k];
        if (all || j->need[i]) {
            j->order[j->norder++] = i;
            j->pending_us -= orr__bundled_us(&j->pl->step[i]);
        } else {
            j->pending[kept++] = i;
        }
    }
    j->npending = kept;
}

/* Emits a large step, or one that is waited for, after the pending steps that it needs. */
static void emit_large(joiner *j, int i)
{
    mark_inputs(j, i);
    for (int k = j->npending; k-- > 0;)
        if (j->need[j->pending[k]])
            mark_inputs(j, j->pending[k]);
    emit_pending(j, false);
    j->order[j->norder++] = i;
}

/* Limits the pending steps: they keep their inputs in memory, and could fill idle workers. */
static void find_order(joiner *j)
{
    double most = 2 * orr__bundle_worth(orr__machine_here.device_bundles) * orr__machine_here.workers;
    for (int i = 0; i < j->pl->nstep; i++) {
        if (!j->small[i] || orr__step_awaited(j->pl, i)) {
            emit_large(j, i);
            continue;
        }
        j->pending[j->npending++] = i;
        j->pending_us += orr__bundled_us(&j->pl->step[i]);
        if (j->pending_us >= most || j->npending >= PENDING_MOST)
            emit_pending(j, true);
    }
    emit_pending(j, true);
    for (int k = 0; k < j->norder; k++)
        j->where[j->order[k]] = k;
}

/* Is the small step at position `at` of the kind of the one at position `first`? */
static bool alike(const joiner *j, int first, int at)
{
    const orr__step *s = j->pl->step;
    return j->small[j->order[at]] && !s[j->order[at]].cuda == !s[j->order[first]].cuda;
}

static orr_status find_bundles(orr__site at, joiner *j)
{
    orr_status st = ORR_OK;
    for (int a = 0, n; a < j->norder && st == ORR_OK; a += n) {
        for (n = 0; a + n < j->norder && alike(j, a, a + n); n++)
            ;
        if (n > 1) {
            st = orr__bundle_run(at, j->pl, &(orr__run_of_steps){ a, n, j->order, j->where, j->producer, j->members });
            continue;
        }
        j->members[a] = n = 1;
    }
    return st;
}

/* True if delaying step i would keep values of many more bytes than it makes; other steps may wait for that memory. */
static bool keeps_much(const orr__plan *p, int i)
{
    const orr__step *s = &p->step[i];
    size_t reads = 0, makes = ORR__T_CORE_CACHES;
    for (int k = 0; k < s->region->nin; k++) {
        const orr__value *v = &p->value[s->in[k]];
        reads += v->leaf < 0 && v->output < 0 ? orr__value_bytes(v) : 0;
    }
    for (int k = 0; k < s->region->nout; k++)
        makes += orr__value_bytes(&p->value[s->out[k]]);
    return reads >= makes;
}

/* A launch on a device takes 1 us at least. */
static double guess(const orr__step *s, orr__on on)
{
    double us = orr__model_guess(s->region, &s->cost, s->rows, on).us;
    return on == ORR__ON_CPU ? us : ORR__MAX(us, 1);
}

static orr_status reorder(const orr__planner *p, joiner *j)
{
    orr__plan *pl = j->pl;
    orr__step *step = malloc((size_t)pl->nstep * sizeof *step);
    if (!step)
        return orr__plan_enomem(p);
    for (int i = 0; i < pl->nstep; i++) {
        step[i] = pl->step[j->order[i]];
        step[i].bundle.members = j->members[i];
    }
    memcpy(pl->step, step, (size_t)pl->nstep * sizeof *step);
    free(step);
    for (int i = 0; i < pl->nstep; i++)
        for (int on = 0; on < ORR__ON_COUNT && orr__step_bundled(pl, i); on++)
            if (orr__step_can(&pl->step[i], (orr__on)on))
                pl->step[i].bundle.us[on] = guess(&pl->step[i], (orr__on)on);
    return ORR_OK;
}

bool orr__plan_may_bundle(const orr__plan *p)
{
    return orr__env.fuse && (orr__machine_here.bundles || orr__machine_here.device_bundles) && p->nstep > 1;
}

double orr__bundle_worth(bool on_device)
{
    return on_device && orr__env.tile_us < 0 ? ORR__T_DEVICE_TASK : orr__task_worth();
}

double orr__bundled_us(const orr__step *s)
{
    if (!s->cuda)
        return orr__step_us(s);
    return guess(s, ORR__ON_CUDA);
}

/* Devices tell whether a step has failed after it, and the host says then where and why, from operands that it must have. So none of a
 * device's bundle can fail. */
static bool fits_device(const orr__step *s)
{
    return s->cuda && !s->opencl && orr__machine_here.device_bundles && !s->graph && orr__step_cannot_fail(s);
}

/* Is the step, of one tile, short enough to share a task? The predicted cost of a user's kernel is a guess: it keeps its own performance
 * model. */
static bool is_small(const orr__plan *p, int i)
{
    const orr__step *s = &p->step[i];
    bool on_device = fits_device(s), on_processor = !s->cuda && !s->opencl && orr__machine_here.bundles;
    return s->ntiles == 1 && !orr__step_posts(s) && (on_processor || on_device) &&
           orr__bundled_us(s) < orr__task_worth() && s->terms.parts < 2 && !orr__region_is_users(s->region) &&
           !keeps_much(p, i);
}

orr_status orr__pass_bundles(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    size_t n = (size_t)p->nstep + 1;
    if (!orr__plan_may_bundle(p))
        return ORR_OK;
    int *block = malloc((4 * n + (size_t)p->nvalue) * sizeof *block);
    bool *flags = calloc(2 * n, sizeof *flags);
    joiner j = { .pl = p };
    orr_status st = ORR_OK;
    if (!block || !flags) {
        st = orr__plan_enomem(planner);
    } else {
        j.order = block, j.where = block + n, j.members = block + 2 * n, j.pending = block + 3 * n;
        j.producer = block + 4 * n;
        j.small = flags, j.need = flags + n;
        for (int i = 0; i < p->nvalue; i++)
            j.producer[i] = -1;
        for (int i = 0; i < p->nstep; i++) {
            const orr__step *s = &p->step[i];
            j.small[i] = is_small(p, i);
            for (int k = 0; k < s->region->nout; k++)
                j.producer[s->out[k]] = i;
        }
        find_order(&j);
        if ((st = find_bundles(planner->at, &j)) == ORR_OK)
            st = reorder(planner, &j);
    }
    free(block);
    free(flags);
    return st;
}
