/* StarPU codelets, one per kind of work and one for all bundles, and their performance models.
 * Must not know: how tasks are submitted. */
#include "config.h"
#include <stdlib.h>
#include "runtime/base/hash.h"
#include "runtime/engine/star.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t task_rows(const orr__task *a)
{
    int64_t lo, hi;

    orr__step_rows(a->step, a->tile, &lo, &hi);
    return hi - lo;
}

/* Kernel and extents decide, not the sizes of the buffers: an input read by broadcast or as a whole says nothing. */
static uint32_t footprint(struct starpu_task *task)
{
    const orr__task *a = task->cl_arg;
    const orr__region *r = a->step->region;
    int64_t facts[ORR__REGION_RANK + 3] = { task_rows(a) };
    uint64_t h = a->step->key;

    if (a->step->members <= 1) {
        for (int i = 1; i < r->rank && i < ORR__REGION_RANK; i++)
            facts[i] = r->dim[i];
        facts[ORR__REGION_RANK] = r->out_count;
        facts[ORR__REGION_RANK + 1] = (int64_t)r->key;
        facts[ORR__REGION_RANK + 2] = r->rmask;
        h = orr__hash(facts, sizeof facts, 0);
        if (r->kind == ORR__G_USER) /* what it costs may depend on its inputs alone */
            h = orr__hash(r->in_count, (size_t)r->nin * sizeof *r->in_count, h);
    }
    return (uint32_t)(h ^ h >> 32);
}

static size_t size_base(struct starpu_task *task, unsigned nimpl)
{
    const orr__task *a = task->cl_arg;
    double all = 0;

    (void)nimpl;
    for (int i = 0; i < (a->step->members > 1 ? a->step->members : 1); i++) {
        const orr__region *r = a->step[i].region;
        all += r->flops > r->bytes ? r->flops : r->bytes;
    }
    if (a->step->members > 1)
        return (size_t)all;
    return a->step->region->dim[0] > 0 ? (size_t)(all * (double)task_rows(a) / (double)a->step->region->dim[0]) : 0;
}

/* A symbol is a file in StarPU's directory of models. There is one for each kind of region, however many kernels a user
 * makes: a line in it, which the footprint finds, is one kernel at one size. */
#define ROW(kind)                                                                                                      \
    {                                                                                                                  \
        .type = STARPU_HISTORY_BASED, .symbol = ORR__STAR_MODEL(kind), .size_base = size_base, .footprint = footprint            \
    }
static struct starpu_perfmodel model[ORR__G_KINDS] = {
    [ORR__G_MAP] = ROW("map"),       [ORR__G_REDUCE] = ROW("reduce"), [ORR__G_ARGREDUCE] = ROW("argreduce"),
    [ORR__G_MATMUL] = ROW("matmul"), [ORR__G_TAKE] = ROW("take"),     [ORR__G_SCATTER_ADD] = ROW("scatter_add"),
    [ORR__G_CONCAT] = ROW("concat"), [ORR__G_PAD] = ROW("pad"),
    [ORR__G_CHOLESKY] = ROW("cholesky"), [ORR__G_SOLVE] = ROW("solve"),
};
static bool in_use = true; /* written by start alone */
static struct starpu_perfmodel bundle_model = ROW("bundle"), other_model = ROW("other");

/* One for all: what their members are is in the footprint. */
static struct starpu_codelet bundle = {
    .where = STARPU_CPU,
    .cpu_funcs = { orr__star_bundle },
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &bundle_model,
    .name = "bundle",
};

typedef struct {
    struct starpu_codelet cl; /* first */
    struct starpu_perfmodel *model;
} codelet;

static struct starpu_codelet *make(const orr__work *w, const orr__step *s)
{
    codelet *c = orr__alloc(sizeof *c);
    orr__gkind kind = s->region->kind;

    if (!c)
        return NULL;
    starpu_codelet_init(&c->cl);
    c->cl.where = STARPU_CPU;
    c->cl.cpu_funcs[0] = orr__star_cpu;
#ifdef ORR__STAR_OPENCL
    c->cl.where |= STARPU_OPENCL;
    c->cl.opencl_funcs[0] = orr__star_opencl;
#endif
#ifdef ORR__STAR_CUDA
    c->cl.where |= STARPU_CUDA;
    c->cl.cuda_funcs[0] = orr__star_cuda;
    c->cl.cuda_flags[0] = STARPU_CUDA_ASYNC;
#endif
    c->cl.nbuffers = STARPU_VARIABLE_NBUFFERS;
    c->model = kind == ORR__G_USER                         ? orr__star_user_model(s->region, &other_model)
               : kind < ORR__G_KINDS && model[kind].symbol ? &model[kind]
                                                           : &other_model;
    c->cl.model = in_use ? c->model : NULL;
    c->cl.name = w->label;
    return &c->cl;
}

static void use_model(orr__work *w, void *arg)
{
    codelet *c = atomic_load(&w->codelet);

    (void)arg;
    if (c)
        c->cl.model = in_use ? c->model : NULL;
}

void orr__star_models(bool use)
{
    in_use = use;
    bundle.model = use ? &bundle_model : NULL;
    orr__star_cholesky_models(use);
    orr__works_each(use_model, NULL);
}

struct starpu_codelet *orr__star_codelet(orr__work *w, const orr__step *s)
{
    struct starpu_codelet *cl;

    if (s->members > 1)
        return &bundle;
    if ((cl = atomic_load_explicit(&w->codelet, memory_order_acquire)))
        return cl;
    pthread_mutex_lock(&lock);
    if (!(cl = atomic_load(&w->codelet)) && (cl = make(w, s)))
        atomic_store_explicit(&w->codelet, cl, memory_order_release);
    pthread_mutex_unlock(&lock);
    return cl;
}
