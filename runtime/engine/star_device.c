/* What a StarPU task does on an OpenCL worker; when the device fails, the same on the host.
 * Must not know: how OpenCL text is made or compiled. */
#include "config.h"
#include <stdlib.h>
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/engine/star.h"

#ifdef ORR__STAR_OPENCL

/* Every operand is one tile or empty: the submitter saw to it. mem[j] is its memory object, off[j] the number of
 * the element at which that starts. */
typedef struct {
    const orr__task *task;
    cl_command_queue queue;
    int n;
    void **mem;
    int64_t *off;
    orr__span *span;
    size_t *byte; /* offset in the memory object */
} device_call;

static atomic_bool told;

static size_t span_bytes(const orr__span *p)
{
    size_t off = (size_t)p->first * p->tiles->bytes, left = p->tiles->buf->bytes - off;

    return left < p->tiles->bytes ? left : p->tiles->bytes;
}

static bool gather(device_call *c, void *buffers[])
{
    const orr__region *r = c->task->step->region;
    int at = 0;

    c->n = r->nin + r->nout;
    c->mem = orr__alloc_n((size_t)c->n, sizeof *c->mem);
    c->off = orr__alloc_n((size_t)c->n, sizeof *c->off);
    c->span = orr__alloc_n((size_t)c->n, sizeof *c->span);
    c->byte = orr__alloc_n((size_t)c->n, sizeof *c->byte);
    if (!c->mem || !c->off || !c->span || !c->byte)
        return false;
    for (int j = 0; j < c->n; j++) {
        orr__span s = c->span[j] = orr__star_span(c->task->run, c->task->step, c->task->tile, j);
        if (s.n == 0)
            continue;
        c->byte[j] = STARPU_VARIABLE_GET_OFFSET(buffers[at]);
        c->mem[j] = (void *)STARPU_VARIABLE_GET_DEV_HANDLE(buffers[at]);
        c->off[j] = (int64_t)((size_t)s.first * s.tiles->bytes / s.elem) - (int64_t)(c->byte[j] / s.elem);
        if (j == 0 && c->task->step->partial) /* it folds into its own row, taken as a whole */
            c->off[j] = -(int64_t)(c->byte[j] / s.elem);
        at++;
    }
    return true;
}

static void forget(device_call *c)
{
    free(c->mem);
    free(c->off);
    free(c->span);
    free(c->byte);
}

static orr_status on_device(const device_call *c, int device)
{
    const orr__step *s = c->task->step;
    const orr__region *r = s->region;
    orr__launch l = { .region = r,
                      .in = c->mem + r->nout,
                      .out = c->mem,
                      .in_off = c->off + r->nout,
                      .out_off = c->off,
                      .scalar = c->task->run->scalar,
                      .queue = c->queue };
    cl_context context;
    cl_device_id id;
    orr_status st;
    cl_int err;

    starpu_opencl_get_context(device, &context);
    starpu_opencl_get_device(device, &id);
    l.context = context;
    l.device = id;
    orr__step_rows(s, c->task->tile, &l.lo, &l.hi);
    if ((st = orr__exec_opencl->launch(s->opencl, &l)) != ORR_OK)
        return st;
    if ((err = clFinish(c->queue)) != CL_SUCCESS)
        return orr__fail(ORR__SITE(r->file, r->line, r->label), ORR_EDEVICE, "OpenCL error %d", (int)err);
    return ORR_OK;
}

/* Copies in, computes, copies out: slow, and right. */
static orr_status on_host(const device_call *c)
{
    const orr__region *r = c->task->step->region;
    void **host = orr__alloc_n((size_t)c->n, sizeof *host), **base = orr__alloc_n((size_t)c->n, sizeof *base);
    orr_status st = host && base ? ORR_OK : ORR_ENOMEM;
    cl_int err = CL_SUCCESS;

    for (int j = 0; j < c->n && st == ORR_OK; j++) {
        const orr__span *p = &c->span[j];
        if (p->n == 0)
            continue;
        if (!(host[j] = orr__alloc(span_bytes(p)))) {
            st = ORR_ENOMEM;
            break;
        }
        base[j] = (void *)((uintptr_t)host[j] - (size_t)p->first * p->tiles->bytes);
        if (j >= r->nout)
            err |= clEnqueueReadBuffer(c->queue, c->mem[j], CL_TRUE, c->byte[j], span_bytes(p), host[j], 0, NULL, NULL);
    }
    if (st == ORR_OK && err == CL_SUCCESS)
        st = orr__exec_launch(c->task->step, c->task->tile, base + r->nout, base, c->task->run->scalar);
    for (int j = 0; j < r->nout && st == ORR_OK && err == CL_SUCCESS; j++)
        if (c->span[j].n > 0)
            err |= clEnqueueWriteBuffer(c->queue, c->mem[j], CL_TRUE, c->byte[j], span_bytes(&c->span[j]), host[j], 0,
                                        NULL, NULL);
    for (int j = 0; host && j < c->n; j++)
        free(host[j]);
    free(host);
    free(base);
    if (st == ORR_OK && err != CL_SUCCESS)
        st = orr__fail(ORR__SITE(r->file, r->line, r->label), ORR_EDEVICE,
                       "an OpenCL device failed, and its memory cannot be read");
    return st;
}

void orr__star_device(void *buffers[], void *arg)
{
    device_call c = { .task = arg };
    int worker = starpu_worker_get_id(), device = starpu_worker_get_devid(worker);
    double t0 = orr__now();
    orr_status st = ORR_ENOMEM;

    if (orr__run_status(c.task->run) != ORR_OK)
        return;
    starpu_opencl_get_queue(device, &c.queue);
    if (gather(&c, buffers)) {
        st = on_device(&c, device);
        if (st == ORR_EDEVICE && orr__env.fallback && !orr__region_needs_device(c.task->step->region)) {
            /* One line for people; the rest for who asks. */
            orr__log(atomic_exchange(&told, true) ? 3 : 1, "%s: done again on the host: %s", c.task->work->label,
                     orr_error_message());
            st = on_host(&c);
        }
        for (int k = 0; k < c.task->step->region->nout; k++)
            if (c.span[k].n > 0)
                atomic_store_explicit(&c.span[k].tiles->away, true, memory_order_release);
    }
    forget(&c);
    if (st != ORR_OK)
        orr__run_fail(c.task->run, st, orr_error_message());
    orr_error_clear();
    orr__work_done(c.task->work, c.task->step->region, 1 + worker, t0);
}

#endif
