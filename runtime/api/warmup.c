/* The plan of an evaluation that does not run; orr_warmup compiles its kernels.
 * Must not know: how kernels are compiled. */
#include "config.h"

#include <stdlib.h>
#include "runtime/api/eval.h"
#include "runtime/base/fpmode.h"
#include "runtime/distribute/partition.h"

/* Lists the nodes without a value, with a reference each, in the order in which orr_eval captures them, so that the plan is the same. */
static int without_value(orr__node *const *from, int n, orr__node **to)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!orr__node_value(from[i]))
            to[count++] = orr__node_ref(from[i]);
    return count;
}

void orr__plan_compile(orr__plan *plan)
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

/* The roots of orr_eval: also held nodes, if variables have pending assignments (orr__eval_nodes). The caller releases the donors. */
static orr_status capture(orr__site at, orr__node *const *node, int n, int nfirst, orr__capture *p, orr__donors *donors)
{
    int waited = nfirst ? nfirst : n;
    if (nfirst == n || !orr__machine_here.one_memory)
        return orr__capture_make_roots(at, &ORR__ROOTS(node, n, waited), p);
    orr__node **all;
    orr__capture_roots roots = orr__eval_roots(node, n, waited, donors, &all);
    orr_status st = orr__capture_make_roots(at, &roots, p);
    free(all);
    return st;
}

/* Bytes of outputs that are written over leaves. */
static size_t in_place(const orr__plan *plan, const orr__capture *p)
{
    size_t bytes = 0;
    for (int k = 0; k < plan->nout; k++) {
        const orr__value *v = &plan->value[plan->out[k]];
        int donor = v->output == k ? orr__leaf_donor(plan, v) : -1;
        orr__buffer *b = donor >= 0 ? p->leaf[plan->value[donor].leaf] : NULL;
        bytes += b && orr__donor_mine(b) ? orr__value_bytes(v) : 0;
    }
    return bytes;
}

orr_status orr__eval_plan(orr__site at, orr_tensor *const *t, int n, orr__plan **plan, size_t *over)
{
    orr__capture p;
    orr__donors donors = { 0 };
    orr__node **node = orr__alloc_n((size_t)n, sizeof *node), **pending;
    int npending = orr__pending(&pending), all = 0;
    orr__node **todo = node && npending >= 0 ? orr__alloc_n((size_t)n + (size_t)npending, sizeof *todo) : NULL;
    orr_status st = todo ? orr__tensor_nodes(at, t, n, n > 1 ? "tensor" : NULL, node) : ORR_ENOMEM;
    *plan = NULL;
    *over = 0;
    if (st == ORR_OK) {
        int nfirst = without_value(node, n, todo);
        all = nfirst + without_value(pending, npending, todo + nfirst);
        if (all)
            st = capture(at, todo, all, nfirst, &p, &donors);
        if (all && st == ORR_OK) {
            st = orr__partition_local(at, false, &p);
            st = st == ORR_OK ? orr__plan_get(at, &p, plan) : st;
            *over = st == ORR_OK ? in_place(*plan, &p) : 0;
            orr__capture_free(&p);
        }
    }
    orr__donors_release(&donors);
    for (int i = 0; i < all; i++)
        orr__node_unref(todo[i]);
    free(todo);
    free(node);
    return st;
}

orr_status orr_warmup_at(const char *file, int line, orr_tensor *t)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "warmup");
    orr__plan *plan;
    size_t over;
    orr__calls_over();
    orr_status st = orr__need_running(at);
    if (st == ORR_OK)
        st = orr__eval_plan(at, &t, 1, &plan, &over);
    if (st == ORR_OK && plan) {
        orr__plan_compile(plan);
        orr__plan_unref(plan);
    }
    return st;
}
