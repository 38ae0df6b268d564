/* A StarPU task that runs a bundle: all of its steps, one after another, on a CPU worker.
 * Must not know: how bundles are chosen, how tasks are submitted. */
#include "config.h"
#include <sched.h>
#include <stdlib.h>
#include "runtime/base/array.h"
#include "runtime/base/clock.h"
#include "runtime/engine/starpu/starpu.h"

bool orr__star_scratch(orr__run *r)
{
    int n = orr__plan_scratches(r->plan);

    if (r->meter && n > 1) /* memory is limited: bundles use one scratch memory in turn */
        n = 1;
    if (n == 0)
        return true;
    if (!(r->scratch = orr__alloc_n((size_t)n, sizeof *r->scratch)))
        return false;
    for (; r->nscratch < n; r->nscratch++) {
        struct orr__scratch *s = &r->scratch[r->nscratch];
        atomic_flag_clear(&s->taken);
        if (!(s->buf = orr__buffer_new(r->plan->memory.scratch_bytes)))
            return false;
    }
    return true;
}

/* A scratch memory is free, or will be soon: there are as many as bundles can run at once, or memory is limited. */
static struct orr__scratch *take_scratch(orr__run *r)
{
    for (int i = 0; r->nscratch > 0; i = (i + 1) % r->nscratch) {
        if (!atomic_flag_test_and_set_explicit(&r->scratch[i].taken, memory_order_acquire))
            return &r->scratch[i];
        if (i == r->nscratch - 1)
            (void)sched_yield();
    }
    return NULL;
}

/* All data is at home: bundles are planned only if CPU workers share one memory. */
void orr__star_bundle(void *buffers[], void *arg)
{
    orr__task *a = arg;
    const orr__plan *plan = a->run->plan;
    void *few[128], **host;
    int first = (int)(a->step - plan->step);
    orr_status st = ORR_OK;

    if (orr__run_is_over(a->run) || !orr__star_complete(a, buffers))
        return;
    orr__task_runs(a);
    if (!(host = orr__array_begin(few, sizeof few, (size_t)plan->nvalue, sizeof *host)))
        st = ORR_ENOMEM;
    struct orr__scratch *own = st == ORR_OK ? take_scratch(a->run) : NULL;
    char *inside = own ? own->buf->host : (char *)few; /* without scratch memory all local values are empty */
    for (int i = first; st == ORR_OK && i < first + orr__bundle_size(a->step); i++) {
        const orr__step *s = &plan->step[i];
        for (int k = 0; k < s->region->nin + s->region->nout; k++) {
            int v = k < s->region->nin ? s->in[k] : s->out[k - s->region->nin];
            host[v] = plan->value[v].local ? inside + plan->value[v].scratch : a->run->value[v]->host;
        }
    }
    orr__stop *outer = orr__stop_begins(a->run->stop);
    for (int i = first; st == ORR_OK && i < first + orr__bundle_size(a->step); i++)
        if ((st = orr__stop_check(orr__stop_mine)) == ORR_OK)
            st = orr__exec_step(plan, &plan->step[i], a->tile, host, a->run->scalar, a->run->known,
                                1 + starpu_worker_get_id(), NULL);
    orr__stop_ends(outer);
    if (own)
        atomic_flag_clear_explicit(&own->taken, memory_order_release);
    if (st != ORR_OK) {
        orr__run_fail(a->run, st, orr_error_message());
        orr_error_clear();
    }
    orr__array_end(host, few);
}
