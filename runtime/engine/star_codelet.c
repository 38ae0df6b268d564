/* A StarPU codelet per kind of work, with its performance model.
 * Must not know: how tasks are submitted. */
#include "config.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "runtime/base/hash.h"
#include "runtime/engine/star.h"

/* Part of every model's name: raise it when what a kind's key means, or the footprint below, changes. */
#define MODEL_VERSION "orr1"

typedef struct {
    struct starpu_codelet cl;
    struct starpu_perfmodel model;
    char symbol[112];
} codelet;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t task_rows(const orr__task *a)
{
    int64_t lo, hi;

    orr__step_rows(a->step, a->tile, &lo, &hi);
    return hi - lo;
}

/* The extents decide, not the sizes of the buffers: an input read by broadcast or as a whole says nothing. */
static uint32_t footprint(struct starpu_task *task)
{
    const orr__task *a = task->cl_arg;
    const orr__region *r = a->step->region;
    int64_t dim[ORR__REGION_RANK + 1] = { task_rows(a) };
    uint64_t h;

    for (int i = 1; i < r->rank && i < ORR__REGION_RANK; i++)
        dim[i] = r->dim[i];
    dim[ORR__REGION_RANK] = r->out_count;
    h = orr__hash(dim, sizeof dim, r->rmask);
    return (uint32_t)(h ^ h >> 32);
}

static size_t size_base(struct starpu_task *task, unsigned nimpl)
{
    const orr__task *a = task->cl_arg;
    const orr__region *r = a->step->region;
    double all = r->flops > r->bytes ? r->flops : r->bytes;

    (void)nimpl;
    return r->dim[0] > 0 ? (size_t)(all * (double)task_rows(a) / (double)r->dim[0]) : 0;
}

/* The symbol names a file in StarPU's directory of models. */
static void name_symbol(char *to, size_t size, const orr__work *w)
{
    char word[48];
    size_t n = 0;

    for (const char *p = w->label; *p && n < sizeof word - 1; p++)
        word[n++] = isalnum((unsigned char)*p) ? *p : '_';
    word[n] = '\0';
    snprintf(to, size, MODEL_VERSION "_%s_%016llx", word, (unsigned long long)w->key);
}

struct starpu_codelet *orr__star_codelet(orr__work *w)
{
    codelet *c = atomic_load_explicit(&w->codelet, memory_order_acquire);

    if (c)
        return &c->cl;
    pthread_mutex_lock(&lock);
    if (!(c = atomic_load(&w->codelet)) && (c = orr__alloc(sizeof *c))) {
        name_symbol(c->symbol, sizeof c->symbol, w);
        starpu_codelet_init(&c->cl);
        c->model.type = STARPU_HISTORY_BASED;
        c->model.symbol = c->symbol;
        c->model.size_base = size_base;
        c->model.footprint = footprint;
        c->cl.where = STARPU_CPU;
        c->cl.cpu_funcs[0] = orr__star_cpu;
#ifdef ORR__STAR_OPENCL
        c->cl.where |= STARPU_OPENCL;
        c->cl.opencl_funcs[0] = orr__star_device;
#endif
        c->cl.nbuffers = STARPU_VARIABLE_NBUFFERS;
        c->cl.model = &c->model;
        c->cl.name = w->label;
        atomic_store_explicit(&w->codelet, c, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return c ? &c->cl : NULL;
}
