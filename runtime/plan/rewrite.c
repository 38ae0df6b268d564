/* Another capture of the same meaning, from which fewer kernels are made (runtime/fuse/move_reshapes.c).
 * Must not know: how nodes are grouped, StarPU. */
#include "config.h"

#include "runtime/plan/passes.h"

orr_status orr__pass_rewrite(orr__planner *p)
{
    if (orr__plan_fusion() == ORR__FUSE_NONE)
        return ORR_OK;
    orr_status st = orr__move_reshapes(p->at, p->capture, &p->moved);
    if (st == ORR_OK && p->moved.any)
        p->capture = &p->moved.q;
    return st;
}
