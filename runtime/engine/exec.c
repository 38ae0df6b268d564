/* Runs a plan on the calling thread, and the pieces of that which every engine needs.
 * Must not know: StarPU, how a kernel computes. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "runtime/engine/exec.h"

const orr__backend *orr__exec_cpu = &orr__cpu, *orr__exec_opencl = &orr__opencl, *orr__exec_cuda = &orr__cuda;

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

/* Step s as a whole; in, out as in orr__exec_launch. */
static orr_status launch_whole(const orr__step *s, void *const *in, void *const *out, const orr__scalar *scalar)
{
    orr__launch l = { .region = s->region, .hi = s->region->dim[0], .in = in, .out = out, .scalar = scalar };
    orr_status st = ORR_OK;

    if (!s->partial)
        return orr__exec_cpu->launch(s->cpu, &l);
    for (int t = 0; t < s->ntiles && st == ORR_OK; t++)
        st = orr__exec_launch(s, t, in, out, scalar);
    return st;
}

orr_status orr__exec_steps(const orr__plan *plan, int first, int n, void *const *host, const orr__scalar *scalar,
                           int worker)
{
    void *few[64], **p = few;
    int most = 0;
    orr_status st = ORR_OK;

    for (int i = first; i < first + n; i++) {
        int operands = plan->step[i].region->nin + plan->step[i].region->nout;
        most = operands > most ? operands : most;
    }
    if (most > 64 && !(p = orr__alloc_n((size_t)most, sizeof *p)))
        return ORR_ENOMEM;
    double t = orr__now();
    for (int i = first; i < first + n && st == ORR_OK; i++) {
        const orr__step *s = &plan->step[i];
        int nin = s->region->nin;
        for (int k = 0; k < nin; k++)
            p[k] = host[s->in[k]];
        for (int k = 0; k < s->region->nout; k++)
            p[nin + k] = host[s->out[k]];
        st = launch_whole(s, p, p + nin, scalar);
        t = orr__work_done(orr__work_of_step(s), s->region, worker, t);
    }
    if (p != few)
        free(p);
    return st;
}

/* Memory of temporaries: a block for each slot, and behind those one that all bundles use in turn. Small ones lie on the
 * stack. */
typedef struct {
    _Alignas(64) char near[2048];
    void *few[32], **host; /* by slot; the last one is scratch memory */
    orr__buf **buf;        /* NULL: on the stack                      */
    int n;
} inside;

static size_t block_bytes(const orr__plan *plan, int slot)
{
    size_t bytes = slot < plan->nslot ? plan->slot_bytes[slot] : plan->scratch_bytes;

    return (bytes + 63) & ~(size_t)63;
}

static orr_status inside_get(inside *in, const orr__plan *plan)
{
    size_t all = 0, at = 0;

    in->n = plan->nslot + 1;
    in->host = in->few;
    in->buf = NULL;
    for (int i = 0; i < in->n; i++)
        all += block_bytes(plan, i);
    if (in->n > 32 && !(in->host = orr__alloc_n((size_t)in->n, sizeof *in->host)))
        return ORR_ENOMEM;
    if (all <= sizeof in->near) {
        for (int i = 0; i < in->n; at += block_bytes(plan, i++))
            in->host[i] = in->near + at;
        return ORR_OK;
    }
    if (!(in->buf = orr__alloc_n((size_t)in->n, sizeof *in->buf)))
        return ORR_ENOMEM;
    for (int i = 0; i < in->n; i++) {
        if (block_bytes(plan, i) > 0 && !(in->buf[i] = orr__buf_new(block_bytes(plan, i))))
            return ORR_ENOMEM;
        in->host[i] = in->buf[i] ? in->buf[i]->host : NULL;
    }
    return ORR_OK;
}

static void inside_put(inside *in)
{
    for (int i = 0; in->buf && i < in->n; i++)
        orr__buf_unref(in->buf[i]);
    free(in->buf);
    if (in->host != in->few)
        free(in->host);
}

/* Where each value lies; outputs get buffers of their own. */
static orr_status bind(const orr__plan *plan, orr__buf *const *leaf, const inside *in, orr__buf **out, void **host)
{
    for (int i = 0; i < plan->nvalue; i++) {
        const orr__value *v = &plan->value[i];
        if (v->leaf >= 0)
            host[i] = leaf[v->leaf]->host;
        else if (v->local)
            host[i] = (char *)in->host[plan->nslot] + v->scratch;
        else if (v->slot >= 0)
            host[i] = in->host[v->slot];
    }
    for (int k = 0; k < plan->nout; k++) {
        const orr__value *v = &plan->value[plan->out[k]];
        if (v->leaf >= 0)
            out[k] = orr__buf_ref(leaf[v->leaf]);
        else if (v->output != k)
            out[k] = orr__buf_ref(out[v->output]);
        else if (!(out[k] = orr__buf_new(orr__value_bytes(v))))
            return ORR_ENOMEM;
        host[plan->out[k]] = out[k]->host;
    }
    return ORR_OK;
}

orr_status orr__exec_inline(orr__site at, orr__plan *plan, orr__buf *const *leaf, const orr__scalar *scalar,
                            orr__buf **out)
{
    void *few[64], **host = few;
    inside in;
    orr_status st;

    (void)at;
    if (plan->nvalue > 64 && !(host = orr__alloc_n((size_t)plan->nvalue, sizeof *host)))
        return ORR_ENOMEM;
    memset(out, 0, (size_t)plan->nout * sizeof *out);
    if ((st = inside_get(&in, plan)) == ORR_OK && (st = bind(plan, leaf, &in, out, host)) == ORR_OK)
        st = orr__exec_steps(plan, 0, plan->nstep, host, scalar, 0);
    for (int k = 0; st != ORR_OK && k < plan->nout; k++) {
        orr__buf_unref(out[k]);
        out[k] = NULL;
    }
    inside_put(&in);
    if (host != few)
        free(host);
    return st;
}
