/* The numbers of values: in the order in which steps use them, inputs first. Values of one slot come in this order.
 * Must not know: why steps stand in their order, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/passes.h"

orr_status orr__pass_numbering(orr__planner *p)
{
    orr__plan *pl = p->plan;
    size_t all = (size_t)pl->nvalue + 1;
    orr__value *value = malloc(all * sizeof *value);
    int *renumber = malloc(all * sizeof *renumber), n = 0;
    for (int i = 0; renumber && i < pl->nvalue; i++)
        renumber[i] = -1;
    for (int i = 0; value && renumber && i < pl->nstep; i++) {
        orr__step *s = &pl->step[i];
        for (int k = 0; k < s->region->nin + s->region->nout; k++) {
            int *v = k < s->region->nin ? &s->in[k] : &s->out[k - s->region->nin];
            if (renumber[*v] < 0) {
                value[n] = pl->value[*v];
                renumber[*v] = n++;
            }
            *v = renumber[*v];
        }
    }
    bool ok = value && renumber;
    for (int i = 0; ok && i < pl->nvalue; i++) /* values that no step uses */
        if (renumber[i] < 0) {
            value[n] = pl->value[i];
            renumber[i] = n++;
        }
    for (int k = 0; ok && k < pl->nout; k++)
        pl->out[k] = renumber[pl->out[k]];
    if (ok) {
        free(pl->value);
        pl->value = value;
    } else {
        free(value);
    }
    free(renumber);
    return ok ? ORR_OK : orr__plan_enomem(p);
}
