/* StarPU codelets, one per kind of work and one for all bundles, and their performance models.
 * Must not know: how tasks are submitted. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/text.h"
#include "runtime/engine/starpu/starpu.h"
#include "runtime/cost/model.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double guess(const orr__step *s, int tile, orr__on on)
{
    int64_t lo, hi;

    orr__step_rows(s, tile, &lo, &hi);
    return orr__model_guess(s->region, &s->cost, hi - lo, on).us;
}

static orr__on kind_of(const struct starpu_perfmodel_arch *arch)
{
    switch (arch->devices[0].type) {
    case STARPU_OPENCL_WORKER: return ORR__ON_OPENCL;
    case STARPU_CUDA_WORKER: return ORR__ON_CUDA;
    default: return ORR__ON_CPU;
    }
}

/* us. The model has an answer from the first task on, so policies never have to explore blindly. */
static double cost(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
    const orr__task *a = task->cl_arg;
    double us = 0;

    (void)nimpl;
    if (orr__bundle_size(a->step) == 1)
        return guess(a->step, a->tile, kind_of(arch));
    for (int i = 0; i < orr__bundle_size(a->step); i++)
        us += a->step[i].bundle.us[kind_of(arch)];
    return us;
}

/* The models are our own (runtime/cost/model.h), so StarPU keeps no files for us. */
static struct starpu_perfmodel model = { .type = STARPU_PER_ARCH, .arch_cost_function = cost, .symbol = "orrery" };
static bool in_use = true; /* written by start only */

static int can_execute(unsigned worker, struct starpu_task *task, unsigned nimpl);

/* One for all bundles: the footprint tells their members apart. */
static struct starpu_codelet bundle = {
#ifdef ORR__STAR_CUDA
    .where = STARPU_CPU | STARPU_CUDA,
    .cuda_funcs = { orr__star_cuda },
    .cuda_flags = { STARPU_CUDA_ASYNC },
    .can_execute = can_execute,
#else
    .where = STARPU_CPU,
#endif
    .cpu_funcs = { orr__star_bundle },
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .model = &model,
    .name = "bundle",
};

/* Runs on no worker: StarPU calls the prologue, orders the operands, and waits for the end that the posted work reports. */
struct starpu_codelet orr__star_posted = {
    .where = STARPU_NOWHERE,
    .nbuffers = STARPU_VARIABLE_NBUFFERS,
    .name = "posted",
};

/* A resting device gets no task that a processor can do. */
static int can_execute(unsigned worker, struct starpu_task *task, unsigned nimpl)
{
    (void)nimpl;
    bool elsewhere = orr__star.cpus > 0 && task->where & (int32_t)STARPU_CPU;
    return !elsewhere || !orr__device_rests((int)worker);
}

static struct starpu_codelet *make(const orr__work *w)
{
    struct starpu_codelet *c = orr__alloc(sizeof *c);

    if (!c)
        return NULL;
    starpu_codelet_init(c);
    c->where = STARPU_CPU;
    c->cpu_funcs[0] = orr__star_cpu;
    if (orr__star.opencls + orr__star.cudas > 0)
        c->can_execute = can_execute;
#ifdef ORR__STAR_OPENCL
    c->where |= STARPU_OPENCL;
    c->opencl_funcs[0] = orr__star_opencl;
#endif
#ifdef ORR__STAR_CUDA
    c->where |= STARPU_CUDA;
    c->cuda_funcs[0] = orr__star_cuda;
    c->cuda_flags[0] = STARPU_CUDA_ASYNC;
#endif
    c->nbuffers = STARPU_VARIABLE_NBUFFERS;
    c->model = in_use ? &model : NULL;
    c->name = w->label;
    return c;
}

static void use_model(orr__work *w, void *arg)
{
    struct starpu_codelet *c = atomic_load(&w->codelet);

    (void)arg;
    if (c)
        c->model = in_use ? &model : NULL;
}

void orr__star_models(bool use)
{
    in_use = use;
    bundle.model = use ? &model : NULL;
    orr__star_cholesky_models(use);
#ifdef HAVE_STARPUMPI
    orr__star_block_cyclic_models(use);
#endif
    orr__works_each(use_model, NULL);
}

/* Tasks outlive plans in StarPU's trace, so names are kept until the process ends. */
typedef struct name {
    struct name *next;
    char text[];
} name;

const char *orr__star_task_name(const orr__region *r)
{
    static name *known;
    const char *traces = getenv("STARPU_FXT_TRACE");
    char text[256], file[160];
    if (!traces || strcmp(traces, "1") != 0)
        return NULL;
    (void)snprintf(text, sizeof text, "%s %s:%d", r->label, orr__text_line(file, sizeof file, r->file ? r->file : "?"), r->line);
    pthread_mutex_lock(&lock);
    name *n = known;
    while (n && strcmp(n->text, text) != 0)
        n = n->next;
    if (!n && (n = malloc(sizeof *n + strlen(text) + 1))) {
        strcpy(n->text, text);
        n->next = known;
        known = n;
    }
    pthread_mutex_unlock(&lock);
    return n ? n->text : NULL;
}

struct starpu_codelet *orr__star_codelet(orr__work *w, const orr__step *s)
{
    struct starpu_codelet *cl;

    if (orr__bundle_size(s) > 1)
        return &bundle;
    if ((cl = atomic_load_explicit(&w->codelet, memory_order_acquire)))
        return cl;
    pthread_mutex_lock(&lock);
    if (!(cl = atomic_load(&w->codelet)) && (cl = make(w)))
        atomic_store_explicit(&w->codelet, cl, memory_order_release);
    pthread_mutex_unlock(&lock);
    return cl;
}
