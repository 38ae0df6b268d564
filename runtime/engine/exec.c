/* Runs a plan on the calling thread, and the pieces of that which every engine needs.
 * Must not know: StarPU, how a kernel computes. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "runtime/engine/exec.h"

const orr__backend *orr__exec_cpu = &orr__cpu, *orr__exec_opencl = &orr__opencl;

orr_status orr__exec_check(orr__site at, const orr__plan *plan, orr__buf *const *leaf)
{
    for (int i = 0; i < plan->nvalue; i++) {
        const orr__value *v = &plan->value[i];
        if (v->leaf < 0)
            continue;
        if (!leaf || !leaf[v->leaf])
            return orr__fail(at, ORR_EGRAPH, "leaf %d has no value", v->leaf);
        if (leaf[v->leaf]->bytes < orr__value_bytes(v))
            return orr__fail(at, ORR_EINTERNAL, "leaf %d has %zu bytes where the plan needs %zu", v->leaf,
                             leaf[v->leaf]->bytes, orr__value_bytes(v));
    }
    return ORR_OK;
}

void orr__exec_outputs(const orr__plan *plan, orr__buf *const *value, orr__buf **out)
{
    for (int k = 0; k < plan->nout; k++)
        out[k] = orr__buf_ref(value[plan->out[k]]);
}

void orr__step_rows(const orr__step *s, int t, int64_t *lo, int64_t *hi)
{
    int64_t dim = s->region->dim[0];

    *lo = s->ntiles > 1 ? t * s->rows : 0;
    *lo = *lo < dim ? *lo : dim;
    *hi = s->ntiles > 1 && s->rows < dim - *lo ? *lo + s->rows : dim;
}

void orr__step_writes(const orr__step *s, int t, int k, int64_t *first, int64_t *end)
{
    int64_t count = s->region->out_count, dim = s->region->dim[0];

    (void)k; /* all outputs of a region have the same extent */
    if (s->partial) {
        *first = t * count;
        *end = *first + count;
    } else if (s->ntiles == 1 || dim == 0) {
        *first = 0;
        *end = count;
    } else {
        int64_t lo, hi;
        orr__step_rows(s, t, &lo, &hi);
        *first = lo * (count / dim);
        *end = hi * (count / dim);
    }
}

orr_status orr__exec_launch(const orr__step *s, int t, void *const *in, void *const *out, const orr__scalar *scalar)
{
    const orr__region *r = s->region;
    void *row[ORR__REGION_OUTS];
    orr__launch l = { .region = r, .in = in, .out = out, .scalar = scalar };

    orr__step_rows(s, t, &l.lo, &l.hi);
    if (s->partial) {
        row[0] = (char *)out[0] + (size_t)(t * r->out_count) * orr_dtype_size(r->out_dtype[0]);
        l.out = row;
    }
    return orr__exec_cpu->launch(s->cpu, &l);
}

/* Buffers of outputs and temporaries; temporaries of one slot share one. */
static orr_status bind(orr__plan *plan, orr__buf *const *leaf, orr__buf **value)
{
    orr__buf *few[32] = { NULL }, **slot = few;
    orr_status st = ORR_OK;

    if (plan->nslot > 32 && !(slot = orr__alloc_n((size_t)plan->nslot, sizeof *slot)))
        return ORR_ENOMEM;
    for (int i = 0; i < plan->nvalue && st == ORR_OK; i++) {
        const orr__value *v = &plan->value[i];
        if (v->leaf >= 0) {
            value[i] = orr__buf_ref(leaf[v->leaf]);
        } else if (v->output >= 0 || v->slot < 0) {
            value[i] = orr__buf_new(orr__value_bytes(v));
        } else {
            if (!slot[v->slot])
                slot[v->slot] = orr__buf_new(plan->slot_bytes[v->slot]);
            value[i] = slot[v->slot] ? orr__buf_ref(slot[v->slot]) : NULL;
        }
        if (!value[i])
            st = ORR_ENOMEM;
    }
    for (int i = 0; i < plan->nslot; i++)
        orr__buf_unref(slot[i]);
    if (slot != few)
        free(slot);
    return st;
}

static orr_status run_step(const orr__step *s, orr__buf *const *value, const orr__scalar *scalar, void **p)
{
    const orr__region *r = s->region;
    void **in = p, **out = p + r->nin;
    double t0 = orr__now();
    orr__step whole = *s;
    orr_status st = ORR_OK;

    for (int i = 0; i < r->nin; i++)
        in[i] = value[s->in[i]]->host;
    for (int k = 0; k < r->nout; k++)
        out[k] = value[s->out[k]]->host;
    if (!s->partial)
        whole.ntiles = 1;
    for (int t = 0; t < whole.ntiles && st == ORR_OK; t++)
        st = orr__exec_launch(&whole, t, in, out, scalar);
    orr__work_done(orr__work_of(r), r, 0, t0);
    return st;
}

/* All steps in order; `p` is room for the addresses of one step. */
static orr_status run_steps(orr__plan *plan, orr__buf *const *value, const orr__scalar *scalar)
{
    void *few[64], **p = few;
    int most = 0;
    orr_status st = ORR_OK;

    for (int i = 0; i < plan->nstep; i++) {
        int n = plan->step[i].region->nin + plan->step[i].region->nout;
        most = n > most ? n : most;
    }
    if (most > 64 && !(p = orr__alloc_n((size_t)most, sizeof *p)))
        return ORR_ENOMEM;
    for (int i = 0; i < plan->nstep && st == ORR_OK; i++)
        st = run_step(&plan->step[i], value, scalar, p);
    if (p != few)
        free(p);
    return st;
}

orr_status orr__exec_inline(orr__site at, orr__plan *plan, orr__buf *const *leaf, const orr__scalar *scalar,
                            orr__buf **out)
{
    orr__buf *few[64], **value = few;
    orr_status st;

    if (plan->nvalue > 64) {
        if (!(value = orr__alloc_n((size_t)plan->nvalue, sizeof *value)))
            return ORR_ENOMEM;
    } else {
        memset(few, 0, (size_t)plan->nvalue * sizeof *few);
    }
    (void)at;
    st = bind(plan, leaf, value);
    if (st == ORR_OK)
        st = run_steps(plan, value, scalar);
    if (st == ORR_OK)
        orr__exec_outputs(plan, value, out);
    for (int i = 0; i < plan->nvalue; i++)
        orr__buf_unref(value[i]);
    if (value != few)
        free(value);
    return st;
}
