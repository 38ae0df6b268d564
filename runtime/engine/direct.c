/* Runs a plan of one step on the calling thread, from leaves to outputs.
 * Must not know: StarPU, other lanes. */
#include "config.h"
#include "runtime/base/ablation.h"
#include "runtime/base/form.h"
#include "runtime/base/pool.h"
#include "runtime/base/spill.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/execution.h"

/* True if the calling thread can read the leaf as it is. */
static inline bool is_at_hand(const orr__buffer *b, const orr__value *v)
{
    return b && !b->run && b->bytes >= orr__value_bytes(v) && b->bytes < ORR__LARGE_VALUE;
}

static void release(orr__buffer **out, int n)
{
    while (n > 0)
        orr__buffer_unref(out[--n]);
}

static orr_status run(const orr__plan *plan, void *const *in, const orr__scalar *scalar, orr__buffer **out)
{
    const orr__step *s = plan->step;
    void *to[ORR__DIRECT_MOST];

    for (int k = 0; k < plan->nout; k++) {
        if (!(out[k] = orr__buffer_new(orr__value_bytes(&plan->value[s->out[k]])))) {
            release(out, k);
            return ORR_ENOMEM;
        }
        to[k] = out[k]->host;
    }
    orr_status st = orr__exec_step_at(plan, s, -1, in, to, scalar, NULL, 0, NULL);
    if (st != ORR_OK)
        release(out, plan->nout);
    return st;
}

bool orr__exec_direct(const orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar, orr__buffer **out,
                      orr_status *st)
{
    const orr__step *s = plan->step;
    void *in[ORR__DIRECT_MOST];

    if (!plan->lanes.direct || orr__stop_mine || !orr__machine_here.one_memory || orr__pool_limited() ||
        orr__spill_on() || orr__exec_on_device_alone() || orr__ablated(ORR__OFF_INLINE_LANE))
        return false;
    for (int i = 0; i < s->region->nin; i++) {
        const orr__value *v = &plan->value[s->in[i]];
        orr__buffer *b = leaf[v->leaf];
        if (!is_at_hand(b, v))
            return false;
        in[i] = b->host;
    }
    *st = run(plan, in, scalar, out);
    return true;
}
