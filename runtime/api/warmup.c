/* orr_warmup: the plan of an evaluation, and its kernels compiled; nothing is run.
 * Must not know: how kernels are compiled. */
#include "config.h"

#include <stdlib.h>
#include "runtime/api/eval.h"
#include "runtime/base/fpmode.h"

/* Those without a value, with a reference each, in the order in which orr_eval captures them: its plan is this one. */
static int without_value(orr__node *const *from, int n, orr__node **to)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!orr__node_value(from[i]))
            to[count++] = orr__node_ref(from[i]);
    return count;
}

static void compile(orr__plan *plan)
{
    for (int i = 0; i < plan->nstep; i++)
        if (plan->step[i].cpu)
            orr__cpu_compile(plan->step[i].cpu, plan->step[i].region);
    for (int i = 0; i < plan->nstep; i++)
        if (plan->step[i].cuda)
            orr__cuda.compile(plan->step[i].cuda, plan->step[i].region);
    for (int i = 0; i < plan->nstep; i++)
        if (plan->step[i].cpu)
            orr__cpu_compiled(plan->step[i].cpu);
}

/* The roots of orr_eval: also held nodes, where variables have pending assignments (orr__eval_nodes). */
static orr_status capture(orr__site at, orr__node *const *node, int n, int nfirst, orr__capture *p)
{
    int waited = nfirst ? nfirst : n;
    if (nfirst == n || !orr__machine_here.one_memory)
        return orr__capture_make_roots(at, &(orr__capture_roots){ node, n, waited, 0 }, p);
    orr__donors donors;
    orr__node **all;
    orr__capture_roots roots = orr__eval_roots(node, n, waited, &donors, &all);
    orr_status st = orr__capture_make_roots(at, &roots, p);
    orr__donors_release(&donors);
    free(all);
    return st;
}

static orr_status warm(orr__site at, orr__node *const *node, int n, int nfirst)
{
    orr__capture p;
    orr__plan *plan;
    orr_status st = capture(at, node, n, nfirst, &p);
    if (st != ORR_OK)
        return st;
    st = orr__plan_get(at, &p, &plan);
    if (st == ORR_OK) {
        compile(plan);
        orr__plan_unref(plan);
    }
    orr__capture_free(&p);
    return st;
}

orr_status orr_warmup_at(const char *file, int line, orr_tensor *t)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "warmup");
    orr__node *node, **pending;
    orr__calls_over();
    orr_status st = orr__need_running(at);
    if (st == ORR_OK)
        st = orr__tensor_nodes(at, &t, 1, NULL, &node);
    if (st != ORR_OK)
        return st;
    int npending = orr__pending(&pending);
    orr__node **todo = npending < 0 ? NULL : orr__alloc_n((size_t)npending + 1, sizeof *todo);
    if (!todo)
        return ORR_ENOMEM;
    int nfirst = without_value(&node, 1, todo), n = nfirst;
    n += without_value(pending, npending, todo + n);
    if (n)
        st = warm(at, todo, n, nfirst);
    for (int i = 0; i < n; i++)
        orr__node_unref(todo[i]);
    free(todo);
    return st;
}
