/* Plans as text.
 * Must not know: how a plan was made, StarPU. */
#include "config.h"

#include <math.h>
#include "runtime/base/decimal.h"
#include "runtime/plan/plan.h"

static void print_bundle(FILE *to, const orr__plan *p, int i)
{
    double us = 0;
    for (int k = i; k < i + p->step[i].bundle.members; k++)
        us += p->step[k].cost.us;
    fprintf(to, "  bundle of %d steps, one task, %.0f µs\n", p->step[i].bundle.members, us);
}

static size_t slot_bytes(const orr__plan *p)
{
    size_t all = 0;
    for (int k = 0; k < p->memory.nslot; k++)
        all += p->memory.slot_bytes[k];
    return all;
}

/* The homes of tiles: ", tiles 0…3 on node 0, 4…7 on node 1". */
static void print_homes(FILE *to, int ntiles)
{
    for (int t = 0, begin = 0; orr__machine_here.nodes > 1 && t < ntiles; t++)
        if (t + 1 == ntiles || orr__home(t + 1, ntiles) != orr__home(t, ntiles)) {
            fprintf(to, "%s %d…%d on node %d", begin ? "," : ", tiles", begin, t, orr__home(t, ntiles));
            begin = t + 1;
        }
}

void orr__plan_print(FILE *to, const orr__plan *p)
{
    ORR__WITH_POINT;
    fprintf(to,
            "plan: %d steps, %d tasks, %d values, %d slots, %.0f µs on one core, %zu bytes (%zu one by one, %zu in "
            "slots); ",
            p->nstep, p->ntasks, p->nvalue, p->memory.nslot, p->us, p->memory.all, p->memory.peak, slot_bytes(p));
    if (isfinite(p->lanes.together))
        fprintf(to, "by a crew %.0f µs, ", p->lanes.together);
    fprintf(to, "as tasks %.0f µs\n", p->lanes.tasks);
    for (int i = 0; i < p->nstep; i++) {
        const orr__step *s = &p->step[i];
        if (orr__bundle_size(s) > 1)
            print_bundle(to, p, i);
        char part[64] = "";
        if (s->terms.parts > 1)
            (void)snprintf(part, sizeof part, " (%spart %d of %d%s)", s->terms.adds ? "adds " : "", s->terms.part + 1,
                           s->terms.parts, orr__step_commutes(p, s) ? ", in any order" : "");
        fprintf(to, "  %sstep %d: \"%s\" %d × %lld rows%s, %.0f µs, cpu%s%s: ", orr__step_bundled(p, i) ? "  " : "", i,
                s->region->label, s->ntiles, (long long)s->rows,
                s->graph     ? " (graph)"
                : s->borrows ? " (borrows)"
                : s->partial ? " (partial)"
                             : part,
                s->cost.us, s->opencl ? " opencl" : "", s->cuda ? " cuda" : "");
        for (int k = 0; k < s->region->nout; k++)
            fprintf(to, "v%d ", s->out[k]);
        fprintf(to, "<-");
        for (int k = 0; k < s->region->nin; k++)
            fprintf(to, " v%d", s->in[k]);
        fputc('\n', to);
    }
    for (int i = 0; i < p->nvalue; i++) {
        const orr__value *v = &p->value[i];
        fprintf(to, "  v%d: %s × %lld", i, orr_dtype_name(v->dtype), (long long)v->count);
        if (v->leaf >= 0)
            fprintf(to, ", leaf %d", v->leaf);
        else if (v->local)
            fprintf(to, ", steps %d…%d, in its bundle at %zu", v->first, v->last, v->scratch);
        else
            fprintf(to, ", %d tiles of %lld, steps %d…%d, %s %d", v->ntiles, (long long)v->tile, v->first, v->last,
                    v->output >= 0 ? "output" : "slot", v->output >= 0 ? v->output : v->slot);
        if (v->leaf < 0 && !v->local)
            print_homes(to, v->ntiles);
        if (v->form_step >= 0)
            fprintf(to, ", may lie as step %d takes it", v->form_step);
        if (v->donor >= 0)
            fprintf(to, ", in place of %s v%d", p->value[v->donor].leaf >= 0 ? "leaf" : "value", v->donor);
        fputc('\n', to);
    }
}
