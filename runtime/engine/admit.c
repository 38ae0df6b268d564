/* Admission: tests whether a plan fits into the memory that is left. Also the refusal, with the numbers and the remedies.
 * Must not know: StarPU, how a plan is run. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include "runtime/base/pool.h"
#include "runtime/engine/execution.h"

size_t orr__engine_left(void)
{
    if (!orr__pool_limited())
        return SIZE_MAX;
    orr__pool_stats s = orr__pool_get_stats();
    size_t held = orr__engine_held(), used = s.live > held ? s.live - held : 0;

    return used < s.limit ? s.limit - used : 0;
}

/* True if value v is in memory during the step of the peak, or during that step's whole bundle. */
static bool at_peak(const orr__plan *p, const orr__value *v)
{
    return v->leaf < 0 && !v->local && v->recipient < 0 && v->first >= 0 && v->first <= p->memory.peak_step &&
           (v->output >= 0 || v->last >= p->memory.peak_step);
}

/* The largest value at the peak that is not in `named`. */
static const orr__value *largest(const orr__plan *p, const orr__value *const *named, int n)
{
    const orr__value *most = NULL;

    for (int i = 0; i < p->nvalue; i++) {
        const orr__value *v = &p->value[i];
        bool again = false;
        for (int k = 0; k < n; k++)
            again = again || named[k] == v;
        if (!again && at_peak(p, v) && (!most || orr__value_bytes(v) > orr__value_bytes(most)))
            most = v;
    }
    return most;
}

static void name_largest(const orr__plan *p, char *text, size_t size)
{
    const orr__value *named[3];
    size_t at = 0;

    text[0] = '\0';
    for (int n = 0; n < 3 && (named[n] = largest(p, named, n)) && at < size; n++) {
        const orr__region *r = p->step[named[n]->first].region;
        at += (size_t)snprintf(text + at, size - at, "%s%zu for \"%.40s\"", n ? ", " : "", orr__value_bytes(named[n]),
                               r->label);
        if (r->file && at < size)
            at += (size_t)snprintf(text + at, size - at, " (%.60s:%d)", r->file, r->line);
    }
}

orr_status orr__exec_admit(orr__site at, const orr__plan *plan)
{
    size_t room = orr__engine_left();
    orr__pool_stats s = orr__pool_get_stats();
    char text[384];

    if (plan->memory.peak <= room || s.spills)
        return ORR_OK;
    name_largest(plan, text, sizeof text);
    return orr__fail(
        at, ORR_ENOMEM,
        "the evaluation does not fit into memory and was not started: its peak is %zu bytes (%s), and %zu of the limit "
        "of %zu are free; raise ORRERY_MEMORY_LIMIT, set ORRERY_SPILL_DIR to a directory on disk, free tensors, or use "
        "smaller batches",
        plan->memory.peak, text, room, s.limit);
}
