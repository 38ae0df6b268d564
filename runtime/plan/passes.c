/* The planner: a list of passes in order, and the making of one plan by them.
 * Must not know: what a pass decides, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/env.h"
#include "runtime/base/signals.h"
#include "runtime/base/held.h"
#include "runtime/plan/passes.h"

/* clang-format off */
static const orr__pass passes[] = {
#define REQUIRED -1
#define ROW(pass, when, off, decision) { #pass, decision, orr__pass_##pass, ORR__PASS_##when, off },
    ROW(rewrite,          ALWAYS,     REQUIRED,                  "reshapes that move below element-wise work, short folds as such work")
    ROW(regions,          ALWAYS,     REQUIRED,                  "the nodes that become one kernel (by the fuser)")
    ROW(layouts,          ALWAYS,     ORR__OFF_LAYOUTS,          "values stored with their channels in blocks")
    ROW(epilogues,        ALWAYS,     ORR__OFF_EPILOGUES,        "maps that become part of the call before them")
    ROW(tiles,            ALWAYS,     REQUIRED,                  "the number of tiles of each region")
    ROW(split_reduction,  ALWAYS,     ORR__OFF_SPLIT_REDUCTION,  "reductions of axis 0 in two stages")
    ROW(split_k,          ALWAYS,     ORR__OFF_SPLIT_K,          "products in parts along their terms")
    ROW(steps,            ALWAYS,     REQUIRED,                  "steps with values, tiles and kernels")
    ROW(outputs,          ALWAYS,     REQUIRED,                  "the values that are outputs")
    ROW(low_memory_order, LOW_MEMORY, ORR__OFF_LOW_MEMORY_ORDER, "an order of steps in which few values live at once")
    ROW(readers_first,    ALWAYS,     ORR__OFF_READERS_FIRST,    "readers of a value before the step that could use its memory")
    ROW(bundles,          USUAL,      ORR__OFF_BUNDLES,          "small steps that share a task")
    ROW(recompute,        LOW_MEMORY, ORR__OFF_RECOMPUTE,        "cheap values that are computed twice instead of kept")
    ROW(numbering,        ALWAYS,     REQUIRED,                  "the numbers of values, in the order in which steps use them")
    ROW(lifetimes,        ALWAYS,     REQUIRED,                  "the first and last step of each value")
    ROW(waited_outputs,   ALWAYS,     ORR__OFF_WAITED_OUTPUTS,   "the tasks after which awaited outputs exist")
    ROW(urgency,          ALWAYS,     ORR__OFF_URGENCY,          "the longest path from each task to the end")
    ROW(bundle_memory,    ALWAYS,     REQUIRED,                  "the scratch memory and the data of each bundle")
    ROW(index_checks,     ALWAYS,     ORR__OFF_INDEX_CHECKS,     "leaves whose indices make the plan certain, if they are in range")
    ROW(donation,         ALWAYS,     ORR__OFF_DONATION,         "outputs that use the memory of an input")
    ROW(forms,            ALWAYS,     ORR__OFF_FORMS,            "leaves stored in the form in which their only reader is fastest")
    ROW(memory_slots,     ALWAYS,     REQUIRED,                  "values that share memory one after the other")
    ROW(memory_peak,      ALWAYS,     REQUIRED,                  "the bytes that the plan needs")
    ROW(cost_classes,     ALWAYS,     REQUIRED,                  "the performance model of each step")
    ROW(lanes,            ALWAYS,     REQUIRED,                  "the steps of which workers take shares, and the time of each way to run the plan")
    ROW(verify,           ALWAYS,     REQUIRED,                  "nothing: checks the plan")
#undef ROW
#undef REQUIRED
};
/* clang-format on */
enum { PASSES = sizeof passes / sizeof *passes };

const orr__pass *orr__plan_pass(int i)
{
    return i >= 0 && i < PASSES ? &passes[i] : NULL;
}

orr_status orr__plan_enomem(const orr__planner *p)
{
    return orr__fail(p->at, ORR_ENOMEM, "no memory to plan %d nodes", p->capture->n);
}

static bool belongs(const orr__pass *pass, bool low_memory)
{
    return (pass->when == ORR__PASS_ALWAYS || (pass->when == ORR__PASS_LOW_MEMORY) == low_memory) &&
           (pass->off < 0 || !orr__ablated((orr__mechanism)pass->off));
}

/* One line per pass that runs: its name, its decision, the steps and values after it. */
static void print(const orr__planner *p, const orr__pass *pass)
{
    ORR__GUARD_WRITES;
    fprintf(stderr, "pass %-16s %s: %d regions, %d steps, %d values\n", pass->name, pass->decision, p->regions.n,
            p->plan->nstep, p->plan->nvalue);
}

static orr_status run_passes(orr__planner *p)
{
    orr_status st = ORR_OK;
    for (int i = 0; i < PASSES && st == ORR_OK; i++) {
        if (!belongs(&passes[i], p->low_memory))
            continue;
        st = passes[i].run(p);
        if (orr__env.print & ORR__PRINT_PASSES)
            print(p, &passes[i]);
    }
    return st;
}

orr_status orr__plan_make(orr__site at, const orr__capture *capture, bool low_memory, orr__plan **plan)
{
    orr__planner p = { .at = at, .capture = capture, .low_memory = low_memory, .plan = calloc(1, sizeof *p.plan) };
    if (!p.plan)
        return orr__plan_enomem(&p);
    atomic_init(&p.plan->refs, 1);
    atomic_init(&p.plan->state, NULL);
    p.plan->nleaf = capture->nleaf;
    p.plan->nscalar = capture->nscalar;
    orr_status st = run_passes(&p);
    orr__regions_free(&p.regions);
    free(p.cut);
    free(p.value_of);
    orr__moved_free(&p.moved);
    if (st == ORR_OK)
        *plan = p.plan;
    else
        orr__plan_destroy(p.plan);
    return st;
}

static void blocks(orr__plan *p, void (*f)(void *block, void *arg), void *arg)
{
    for (int i = 0; i < p->nstep; i++) {
        orr__step *s = &p->step[i];
        orr__region_blocks(s->region, f, arg);
        f(s->region, arg);
        f(s->in, arg);
        f(s->out, arg);
        f(s->bundle.use, arg);
    }
    for (int i = 0; i < p->reason.n; i++)
        f(p->reason.text[i], arg);
    f(p->reason.text, arg);
    f(p->step, arg);
    f(p->value, arg);
    f(p->out, arg);
    f(p->memory.slot_bytes, arg);
    f(p->cache.key, arg);
    f(p->check, arg);
    f(atomic_load(&p->state), arg);
    f(p, arg);
}

static void add_size(void *block, void *sum)
{
    *(size_t *)sum += orr__held_size(block);
}

void orr__plan_count(orr__plan *p)
{
    orr__held_sub(ORR_MEMORY_PLANS, p->bytes);
    p->bytes = 0;
    blocks(p, add_size, &p->bytes);
    orr__held_add(ORR_MEMORY_PLANS, p->bytes);
}

static void free_block(void *block, void *unused)
{
    (void)unused;
    free(block);
}

void orr__plan_destroy(orr__plan *p)
{
    orr__held_sub(ORR_MEMORY_PLANS, p->bytes + (p->bytes ? orr__held_size(atomic_load(&p->state)) : 0));
    for (int i = 0; i < p->nstep; i++) {
        orr__step *s = &p->step[i];
        if (s->cpu)
            orr__cpu.release(s->cpu);
        if (s->opencl)
            orr__opencl.release(s->opencl);
        if (s->cuda)
            orr__cuda.release(s->cuda);
    }
    blocks(p, free_block, NULL);
}
