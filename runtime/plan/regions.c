/* The fuser's regions, with its reasons for people.
 * Must not know: how nodes are grouped, StarPU. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/base/notes.h"
#include "runtime/base/signals.h"
#include "runtime/base/clock.h"
#include "runtime/plan/passes.h"

/* Devices have kernels for all fusion. A region that a device cannot run is run by a CPU worker or the calling
 * thread. */
int orr__plan_fusion(void)
{
    return orr__env.fuse ? ORR__FUSE_TILES : ORR__FUSE_NONE;
}

orr_status orr__pass_regions(orr__planner *p)
{
    orr__regions *rs = &p->regions;
    orr_status st = orr__capture_verify(p->capture);
    if (st == ORR_OK)
        st = orr__fuse(p->at, p->capture, orr__plan_fusion(), rs);
    if (st != ORR_OK) {
        *rs = (orr__regions){ 0 };
        return st;
    }
    if (orr__env.print & ORR__PRINT_FUSE) {
        ORR__GUARD_WRITES;
        orr__regions_print(stderr, rs);
    }
    if (orr__noting()) {
        double t0 = orr__now();
        orr__plan_note(p->capture, rs);
        (void)orr__notes_took(orr__now() - t0, false);
    }
    p->plan->reason.n = rs->nreason;
    p->plan->reason.text = rs->reason;
    rs->reason = NULL;
    rs->nreason = 0;
    size_t values = ((size_t)p->capture->n + 1) * sizeof *p->value_of;
    p->cut = calloc((size_t)rs->n + 1, sizeof *p->cut);
    p->value_of = malloc(values);
    if (!p->cut || !p->value_of)
        return orr__plan_enomem(p);
    memset(p->value_of, -1, values);
    return ORR_OK;
}
