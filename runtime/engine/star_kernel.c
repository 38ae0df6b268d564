/* What a StarPU task does on a CPU worker: finds the addresses of whole arrays, launches, counts.
 * Must not know: how tasks are submitted. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "runtime/engine/star.h"

static size_t tile_size(const orr__span *p, int k)
{
    size_t off = (size_t)(p->first + k) * p->tiles->bytes, left = p->tiles->buf->bytes - off;

    return left < p->tiles->bytes ? left : p->tiles->bytes;
}

/* Where a CPU worker sees an operand: `base` is element 0 of the whole array, or where it would be. */
typedef struct { void *base, *scratch; } seen;

/* The data may lie at home, elsewhere in one piece, or in pieces; these are gathered. */
static bool locate(const orr__span *p, void *buffers[], seen *to)
{
    char *first = p->n > 0 ? (char *)STARPU_VARIABLE_GET_PTR(buffers[0]) : NULL, *all;
    size_t ahead = p->n > 0 ? (size_t)p->first * p->tiles->bytes : 0;
    bool whole = true;

    to->scratch = NULL;
    to->base = NULL;
    if (p->n == 0)
        return true;
    for (int k = 1; k < p->n && whole; k++)
        whole = (char *)STARPU_VARIABLE_GET_PTR(buffers[k]) == first + (size_t)k * p->tiles->bytes;
    if (whole) {
        to->base = (void *)((uintptr_t)first - ahead);
        return true;
    }
    if (!(all = malloc((size_t)p->n * p->tiles->bytes)))
        return false;
    for (int k = 0; k < p->n; k++)
        memcpy(all + (size_t)k * p->tiles->bytes, (void *)STARPU_VARIABLE_GET_PTR(buffers[k]), tile_size(p, k));
    to->scratch = all;
    to->base = (void *)((uintptr_t)all - ahead);
    return true;
}

static void scatter(const orr__span *p, void *buffers[], const seen *from)
{
    for (int k = 0; from->scratch && k < p->n; k++)
        memcpy((void *)STARPU_VARIABLE_GET_PTR(buffers[k]), (char *)from->scratch + (size_t)k * p->tiles->bytes,
               tile_size(p, k));
}

/* StarPU may have moved data to another NUMA node. */
static orr_status launch_anywhere(const orr__task *a, void *buffers[])
{
    const orr__region *r = a->step->region;
    int n = r->nin + r->nout, at = 0;
    seen *where = orr__alloc_n((size_t)n, sizeof *where);
    void **p = orr__alloc_n((size_t)n, sizeof *p);
    orr_status st = where && p ? ORR_OK : ORR_ENOMEM;

    for (int j = 0; j < n && st == ORR_OK; j++) {
        orr__span span = orr__star_span(a->run, a->step, a->tile, j);
        if (!locate(&span, buffers + at, &where[j]))
            st = orr__fail(ORR__SITE(r->file, r->line, r->label), ORR_ENOMEM, "no memory to gather an input");
        p[j] = where[j].base;
        at += span.n;
    }
    if (st == ORR_OK)
        st = orr__exec_launch(a->step, a->tile, p + r->nout, p, a->run->scalar);
    at = 0;
    for (int j = 0; where && j < n; j++) {
        orr__span span = orr__star_span(a->run, a->step, a->tile, j);
        if (st == ORR_OK && j < r->nout)
            scatter(&span, buffers + at, &where[j]);
        at += span.n;
        free(where[j].scratch);
    }
    free(where);
    free(p);
    return st;
}

static orr_status launch_home(const orr__task *a)
{
    const orr__region *r = a->step->region;
    void *few[32], **p = few;
    int n = r->nin + r->nout;
    orr_status st;

    if (n > 32 && !(p = orr__alloc_n((size_t)n, sizeof *p)))
        return ORR_ENOMEM;
    for (int k = 0; k < r->nout; k++)
        p[k] = a->run->value[a->step->out[k]]->host;
    for (int i = 0; i < r->nin; i++)
        p[r->nout + i] = a->run->value[a->step->in[i]]->host;
    st = orr__exec_launch(a->step, a->tile, p + r->nout, p, a->run->scalar);
    if (p != few)
        free(p);
    return st;
}

/* buffers NULL: on the submitting thread, all data acquired at home. */
void orr__star_cpu(void *buffers[], void *arg)
{
    const orr__task *a = arg;
    double t0;
    orr_status st;

    if (orr__run_status(a->run) != ORR_OK)
        return;
    t0 = orr__now();
    st = orr__star.numa && buffers ? launch_anywhere(a, buffers) : launch_home(a);
    orr__exec_rest(a->step, a->tile, a->run->value);
    if (st != ORR_OK) {
        orr__run_fail(a->run, st, orr_error_message());
        orr_error_clear();
    }
    double t1 = orr__work_done(a->work, a->step->region, 1 + starpu_worker_get_id(), t0);
    if (st == ORR_OK)
        orr__exec_took(a->step, a->tile, ORR__ON_CPU, t1 - t0);
}
