/* Hints to StarPU for plans that exceed a device's memory: dead values are not copied home when memory is needed, and outputs are copied
 * home early.
 * Must not know: the work of a task. */
#include "config.h"
#include "runtime/engine/starpu/starpu.h"

/* A hint costs some microseconds per handle, and gains only if memory is short. With limited host memory, buffers are released after
 * their last reader anyway. */
bool orr__star_is_full(const orr__run *r)
{
    const orr__plan *p = r->plan;
    size_t bytes = p->memory.all;

    if (orr__star.one_memory || r->meter || orr__star.device_bytes == 0)
        return false;
    for (int v = 0; v < p->nvalue; v++)
        bytes += p->value[v].leaf >= 0 ? orr__value_bytes(&p->value[v]) : 0;
    return bytes > orr__star.device_bytes / 2;
}

static void say(const orr__run *r, int v)
{
    const orr__value *val = &r->plan->value[v];
    orr__tiles *t = val->local || val->recipient >= 0 || !r->value[v] ? NULL : orr__buffer_tiles(r->value[v]);
    bool dead = val->leaf < 0 && val->output < 0;

    if (t && !dead)
        atomic_store_explicit(&t->leaving, true, memory_order_relaxed);
    for (int i = 0; t && i < t->n; i++)
        (dead ? starpu_data_invalidate_submit : starpu_data_wont_use)(t->handle[i]);
}

/* Gives one hint for each value: at the first operand that is the value, in the last step that uses it. */
void orr__star_last(const orr__run *r, int step)
{
    const orr__step *s = &r->plan->step[step];

    for (int k = 0; k < (orr__bundle_size(s)); k++)
        for (int j = 0; j < s[k].region->nin + s[k].region->nout; j++) {
            int nin = s[k].region->nin, v = j < nin ? s[k].in[j] : s[k].out[j - nin];
            bool before = false;
            for (int i = 0; i < j && i < nin; i++)
                before = before || s[k].in[i] == v;
            if (!before && r->plan->value[v].last == step + k)
                say(r, v);
        }
}
