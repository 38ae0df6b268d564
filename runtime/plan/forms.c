/* Leaves that may be stored in a form (runtime/base/form.h): those that a single call reads, once, and that nothing overwrites. The run
 * decides, by the values and by their other readers.
 * Must not know: which kernels take forms, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/form.h"
#include "runtime/base/threshold.h"
#include "runtime/plan/passes.h"

orr_status orr__pass_forms(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    int *readers = calloc((size_t)p->nvalue + 1, sizeof *readers);
    if (!readers)
        return orr__plan_enomem(planner);
    for (int i = 0; i < p->nstep; i++) {
        const orr__step *s = &p->step[i];
        for (int k = 0; k < s->region->nin; k++) {
            orr__value *v = &p->value[s->in[k]];
            readers[s->in[k]]++;
            v->form_step = !s->opencl && !s->cuda && orr__cpu.form_input(s->region) == k ? i : -1;
        }
    }
    for (int i = 0; i < p->nvalue; i++) {
        orr__value *v = &p->value[i];
        bool may = v->leaf >= 0 && readers[i] == 1 && v->recipient < 0 && v->form_step >= 0 &&
                   orr__value_bytes(v) >= ORR__LARGE_VALUE;
        v->form_step = may ? v->form_step : -1;
        p->nforms += may;
    }
    for (int k = 0; k < p->nout; k++) /* not a leaf that is an output too */
        if (p->value[p->out[k]].form_step >= 0) {
            p->value[p->out[k]].form_step = -1;
            p->nforms--;
        }
    free(readers);
    return ORR_OK;
}
