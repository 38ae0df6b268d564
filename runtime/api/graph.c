/* Explicit graphs: captured and planned once, submitted often with other values.
 * Must not know: devices, StarPU. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "ops/grad_walk.h"
#include "ops/ops.h"
#include "runtime/api/check.h"
#include "runtime/api/dump.h"
#include "runtime/api/eval.h"
#include "runtime/api/event.h"
#include "runtime/api/instance.h"
#include "runtime/api/over_ranks.h"
#include "runtime/base/array.h"
#include "runtime/base/fpmode.h"
#include "runtime/distribute/partition.h"
#include "runtime/graph/donation.h"
#include "runtime/graph/thread_state.h"
#include "runtime/ranks/ranks.h"
#include "runtime/api/handle_name.h"

typedef struct {
    orr__named named;
    orr__capture prog;
    orr__plan *_Atomic plan;               /* NULL: the graph is distributed over ranks */
    orr__plan *former[ORR__PLAN_RENEWALS]; /* plans that the current one replaced: other threads may still run them */
    int nin, nout;
    orr__node **in;     /* the placeholders                                     */
    orr__node **out;    /* the outputs as recorded                              */
    int *leaf_in;       /* leaf -> input number, -1: captured                   */
    uint64_t *leaf_var; /* leaf -> variable whose current value it reads; 0: none */
} graph;

orr_tensor *orr_placeholder_at(const char *file, int line, orr_dtype dtype, orr_shape shape)
{
    orr__site at = ORR__SITE(file, line, "placeholder");
    if ((unsigned)dtype >= ORR_DTYPE_COUNT)
        return orr__poison(at, ORR_EDTYPE, "%d is no dtype", (int)dtype);
    if (!orr__shape_valid(&shape))
        return orr__poison(at, ORR_ESHAPE,
                           "the shape is not valid (rank 0 to 8, sizes not negative, count in 63 bits)");
    return orr__handle_new(orr__node_new(at, &orr__op_placeholder, dtype, &shape, 0, NULL));
}

/* Borrowed nodes of n tensors; the last error if one is bad. */
static orr_status resolve(orr__site at, orr_tensor *const *t, int n, const char *what, orr__node **node)
{
    if (n < 0 || (!t && n))
        return orr__fail(at, ORR_EINVAL, "the list of %ss is NULL or its length negative", what);
    return orr__tensor_nodes(at, t, n, what, node);
}

/* The same in a new array, or NULL. */
static orr__node **resolve_all(orr__site at, orr_tensor *const *t, int n, const char *what)
{
    orr__node **node = orr__alloc_n((size_t)(n < 0 ? 0 : n) + 1, sizeof *node);
    if (node && resolve(at, t, n, what, node) == ORR_OK)
        return node;
    free(node);
    return NULL;
}

static orr_status check_inputs(orr__site at, orr__node *const *in, int n)
{
    for (int i = 0; i < n; i++) {
        if (in[i]->op->role != ORR__ROLE_PLACEHOLDER)
            return orr__fail(at, ORR_EGRAPH, "input %d is no placeholder (it is the result of %s)", i, in[i]->op->name);
        for (int k = 0; k < i; k++)
            if (in[k] == in[i])
                return orr__fail(at, ORR_EGRAPH, "inputs %d and %d are the same placeholder", k, i);
    }
    return ORR_OK;
}

/* Determines the source of each leaf at submission. */
static orr_status bind_leaves(orr__site at, graph *g)
{
    const orr__capture *p = &g->prog;
    g->leaf_in = orr__alloc_n((size_t)p->nleaf + 1, sizeof *g->leaf_in);
    g->leaf_var = orr__alloc_n((size_t)p->nleaf + 1, sizeof *g->leaf_var);
    if (!g->leaf_in || !g->leaf_var)
        return ORR_ENOMEM;
    for (int k = 0; k < p->nleaf; k++) {
        const orr__node *n = p->node[p->leaf_node[k]];
        g->leaf_in[k] = -1;
        for (int i = 0; i < g->nin; i++)
            if (g->in[i] == n)
                g->leaf_in[k] = i;
        if (n->op->role == ORR__ROLE_PLACEHOLDER && g->leaf_in[k] < 0)
            return orr__fail(ORR__SITE(n->file, n->line, "placeholder"), ORR_EGRAPH,
                             "the outputs need this placeholder, which is not among the graph's inputs (%s:%d)",
                             at.file ? at.file : "?", at.line);
        orr__node *now = n->var ? orr__variable_now(n->var) : NULL;
        if (now == n)
            g->leaf_var[k] = n->var;
        orr__node_unref(now);
    }
    return ORR_OK;
}

/* Evaluates all variables: they must be leaves, so that each submission reads their current values. Other threads may have left some
 * uncomputed. */
static orr_status settle_variables(orr__site at, orr__node *const *out, int n)
{
    orr__ancestry a;
    orr_status st = orr__eval_nodes(at, NULL, 0, NULL);
    if (st == ORR_OK)
        st = orr__ancestry_all(at, out, n, &a);
    if (st != ORR_OK)
        return st;
    for (int k = 0; k < a.n && st == ORR_OK; k++)
        if (a.node[k]->var)
            st = orr__eval_nodes(at, &a.node[k], 1, NULL);
    orr__ancestry_free(&a);
    return st;
}

static orr_status get_plan(orr__site at, graph *g)
{
    orr__plan *plan = NULL;
    orr_status st = orr__plan_get(at, &g->prog, &plan);
    atomic_store(&g->plan, plan);
    return st;
}

/* The graph's plan; replaced by another one when new measurements would change it. */
static orr__plan *present_plan(orr__site at, graph *g)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    orr__plan *plan = atomic_load_explicit(&g->plan, memory_order_acquire), *fresh = NULL;
    if (!plan || !orr__plan_overtaken(plan))
        return plan;
    if (orr__plan_get(at, &g->prog, &fresh) != ORR_OK) {
        orr_error_clear(); /* the existing plan will do */
        return plan;
    }
    pthread_mutex_lock(&lock);
    int n = 0;
    while (n < ORR__PLAN_RENEWALS && g->former[n])
        n++;
    if (n < ORR__PLAN_RENEWALS && atomic_load(&g->plan) == plan && fresh != plan) {
        g->former[n] = plan;
        atomic_store_explicit(&g->plan, fresh, memory_order_release);
        fresh = NULL;
    }
    plan = atomic_load(&g->plan);
    pthread_mutex_unlock(&lock);
    orr__plan_unref(fresh);
    return plan;
}

/* A graph computes its nodes for each submission, and random numbers of a node are the same each time: the difference of two results
 * would be free of the noise that protects them. */
static orr_status check_once(const graph *g)
{
    const orr__capture *p = &g->prog;
    for (int i = 0; i < p->n; i++) {
        const orr__node *n = p->node[i];
        if (n->once && p->arg0[i] < p->arg0[i + 1])
            return orr__fail(
                ORR__SITE(n->file, n->line, "graph_build"), ORR_EGRAPH,
                "this noise protects one value, and a graph (or a scan in a loop) adds the same noise to the "
                "values of all its submissions: add it to the results, or evaluate this tensor before");
    }
    return ORR_OK;
}

static orr_status build(orr__site at, graph *g, orr__node *const *out)
{
    orr_status st = check_inputs(at, g->in, g->nin);
    if (st == ORR_OK)
        st = settle_variables(at, out, g->nout);
    if (st == ORR_OK)
        st = orr__capture_make(at, out, g->nout, &g->prog);
    if (st == ORR_OK)
        st = check_once(g);
    if (st == ORR_OK)
        st = bind_leaves(at, g);
    if (st == ORR_OK && !orr__partition_needed(&g->prog))
        st = get_plan(at, g);
    return st;
}

static void destroy(graph *g)
{
    for (int i = 0; i < g->nin; i++)
        orr__node_unref(g->in[i]);
    for (int i = 0; g->out && i < g->nout; i++)
        orr__node_unref(g->out[i]);
    orr__capture_free(&g->prog);
    orr__plan_unref(atomic_load(&g->plan));
    for (int i = 0; i < ORR__PLAN_RENEWALS; i++)
        orr__plan_unref(g->former[i]);
    free(g->in);
    free(g->out);
    free(g->leaf_in);
    free(g->leaf_var);
    free(g);
}

static void graph_unref(graph *g)
{
    if (orr__named_unref(&g->named))
        destroy(g);
}

orr_graph *orr_graph_build_at(const char *file, int line, orr_tensor *const *inputs, int n_inputs,
                              orr_tensor *const *outputs, int n_outputs)
{
    orr__site at = ORR__SITE(file, line, "graph_build");
    ORR__IN_DEFAULT_FPMODE;
    if (orr__need_running(at) != ORR_OK)
        return NULL;
    graph *g = orr__alloc(sizeof *g);
    orr__node **out = resolve_all(at, outputs, n_outputs, "output");
    orr__node **in = out ? resolve_all(at, inputs, n_inputs, "input") : NULL;
    bool ok = g && out && in;
    if (ok) {
        g->nout = n_outputs;
        g->out = out;
        g->in = in;
        for (int i = 0; i < n_outputs; i++)
            (void)orr__node_ref(out[i]);
        for (; g->nin < n_inputs; g->nin++)
            (void)orr__node_ref(in[g->nin]);
        ok = build(at, g, out) == ORR_OK;
    } else {
        free(in);
        free(out);
    }
    orr_graph *name = ok ? orr__token_new(&g->named) : NULL;
    if (!name && g)
        destroy(g);
    if (!name)
        (void)orr__fail_place(at, orr_error_status());
    return name;
}

static orr_status check_value(orr__site at, const orr__node *want, const orr__node *got, int i)
{
    if (want->dtype != got->dtype)
        return orr__fail(at, ORR_EDTYPE, "value %d is %s, its placeholder %s; write orr_cast", i,
                         orr_dtype_name((orr_dtype)got->dtype), orr_dtype_name((orr_dtype)want->dtype));
    if (!orr__shape_equal(&want->shape, &got->shape))
        return orr__fail(at, ORR_ESHAPE, "value %d is %s, its placeholder %s", i, orr__str(got->shape).s,
                         orr__str(want->shape).s);
    return ORR_OK;
}

/* A gradient must not end at a result without a word, so the result descends from the values that flow into it and from all that
 * the graph captured. */
static void add_descent(const graph *g, orr__node *const *value, const orr__node *out, orr__node *result)
{
    orr__node_descends(result, out);
    for (int i = 0; i < g->nin; i++)
        if (out == g->in[i] || orr__node_may_descend(out, g->in[i]))
            orr__node_descends(result, value[i]);
}

/* New leaves with the output buffers (references passed on), in the current scope. */
static void wrap_results(orr__site at, const graph *g, orr__node *const *value, orr__buffer **out,
                         const uint16_t *placed, orr_tensor **results)
{
    for (int i = 0; i < g->nout; i++) {
        const orr__node *like = g->prog.node[g->prog.out[i]];
        orr__node *n = orr__node_new(at, &orr__op_result, (orr_dtype)like->dtype, &like->shape, 0, NULL);
        if (n) {
            add_descent(g, value, g->out[i], n);
            n->as = at.op;
            orr__buffer_renew(out[i]);
            n->placed = placed[i];
            atomic_init(&n->value, out[i]);
        } else {
            orr__buffer_unref(out[i]);
        }
        results[i] = orr__handle_new(n);
    }
}

/* The data of one submission. */
enum { FEW = 16 };
typedef struct {
    orr__node *few_value[FEW], **value; /* borrowed                   */
    orr__buffer *few_leaf[FEW], **leaf; /* references, once bound     */
    orr__buffer *few_out[FEW], **out;
    uint16_t few_lies[FEW], *lies;     /* by leaf: the number of its distribution */
    uint16_t few_placed[FEW], *placed; /* by output                               */
    uint32_t met;                      /* of orr__tls, before the evaluation of the graph itself */
    const orr_buffer *to;              /* the program's memory for the outputs; NULL: results are tensors */
    void *few_into[FEW], **into;       /* … of those that are computed there, as orr__engine_execute_into */
    orr__run *run;
} submission;

/* Evaluates values that were not computed yet. With an event, work under way is left to the runs that read its results: StarPU orders their
 * tasks, and a failure is passed on. The event waits for it, too, since it computes new values of variables. */
static orr_status compute(orr__site at, submission *s, orr__node *const *node, int n, orr_event *e)
{
    orr__run *run = NULL;
    orr_status st = orr__eval_nodes(at, node, n, e ? &run : NULL);
    if (st == ORR_OK)
        s->met = orr__tls_get()->met;
    if (st == ORR_OK && run)
        st = orr__event_awaits_run(e, run);
    orr__run_unref(run);
    return st;
}

/* The buffers of one submission, with references in leaf[], and their distributions over ranks. */
static orr_status bind(orr__site at, const graph *g, submission *s, orr_event *e)
{
    const orr__capture *p = &g->prog;
    orr__node *const *value = s->value;
    orr__buffer **leaf = s->leaf;
    uint16_t *placed = s->lies;
    for (int k = 0; k < p->nleaf; k++) {
        orr__node *now = g->leaf_var[k] ? orr__variable_now(g->leaf_var[k]) : NULL;
        orr__node *from = g->leaf_in[k] >= 0 ? value[g->leaf_in[k]] : now;
        orr_status st = now ? compute(at, s, &now, 1, e) : ORR_OK;
        if (st == ORR_OK && from)
            st = orr__node_value_ref(at, from, &leaf[k]);
        else if (st == ORR_OK)
            leaf[k] = orr__buffer_ref(p->leaf[k]);
        placed[k] = from ? from->placed : p->placed[k];
        orr__node_unref(now);
        if (st != ORR_OK)
            return st;
    }
    return ORR_OK;
}

static bool submission_begin(submission *s, const graph *g, const orr_buffer *to)
{
    s->to = to;
    s->met = orr__tls_get()->met;
    s->into = orr__array_begin(s->few_into, sizeof s->few_into, (size_t)g->nout, sizeof *s->into);
    s->value = orr__array_begin(s->few_value, sizeof s->few_value, (size_t)g->nin, sizeof *s->value);
    s->leaf = orr__array_begin(s->few_leaf, sizeof s->few_leaf, (size_t)g->prog.nleaf, sizeof *s->leaf);
    s->out = orr__array_begin(s->few_out, sizeof s->few_out, (size_t)g->nout, sizeof *s->out);
    s->lies = orr__array_begin(s->few_lies, sizeof s->few_lies, (size_t)g->prog.nleaf, sizeof *s->lies);
    s->placed = orr__array_begin(s->few_placed, sizeof s->few_placed, (size_t)g->nout, sizeof *s->placed);
    for (int k = 0; s->leaf && k < g->prog.nleaf; k++)
        s->leaf[k] = NULL;
    for (int o = 0; s->placed && o < g->nout; o++)
        s->placed[o] = 0;
    for (int o = 0; s->into && o < g->nout; o++)
        s->into[o] = to && !orr__is_field((orr_dtype)g->out[o]->dtype) ? to[o].data : NULL;
    s->run = NULL;
    return s->value && s->leaf && s->out && s->lies && s->placed && s->into;
}

static void submission_end(submission *s, const graph *g)
{
    for (int k = 0; s->leaf && k < g->prog.nleaf; k++)
        orr__buffer_unref(s->leaf[k]);
    orr__array_end(s->value, s->few_value);
    orr__array_end(s->leaf, s->few_leaf);
    orr__array_end(s->out, s->few_out);
    orr__array_end(s->lies, s->few_lies);
    orr__array_end(s->placed, s->few_placed);
    orr__array_end(s->into, s->few_into);
}

/* The graph's capture with the values of this submission. */
static orr__capture bound(const graph *g, const submission *s)
{
    orr__capture p = g->prog;
    p.leaf = s->leaf;
    p.placed = s->lies;
    return p;
}

/* A check and a dump look at tensors: the nodes of the graph are made again, with the values as leaves. */
static orr_status execute_seen(orr__site at, const graph *g, submission *s)
{
    orr__capture now = bound(g, s);
    orr__node **node = orr__instance_make(&now), **out = orr__alloc_n((size_t)g->nout + 1, sizeof *out);
    orr_status st = node && out ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; i < g->nout && st == ORR_OK; i++)
        out[i] = node[now.out[i]];
    st = st == ORR_OK ? orr__eval_nodes(at, out, g->nout, NULL) : st;
    for (int i = 0; i < g->nout && st == ORR_OK; i++) {
        st = orr__node_value_ref(at, out[i], &s->out[i]);
        s->placed[i] = out[i]->placed;
        for (int k = 0; k < i && st != ORR_OK; k++)
            orr__buffer_unref(s->out[k]);
    }
    orr__instance_free(&now, node);
    free(out);
    return st;
}

/* Runs the graph's plan, or one that fits into the memory that the limit leaves. */
static orr_status execute(orr__site at, graph *g, submission *s, bool wait)
{
    orr__plan *plan = present_plan(at, g);
    bool seen = orr__check_wanted() || orr__dump_wanted();
    if (!plan || orr__distributions_exist()) {
        orr__capture now = bound(g, s);
        bool divided = !plan || orr__partition_needed(&now);
        if (divided && s->to)
            return orr__fail(at, ORR_ESTATE, "results over ranks are tensors: call orr_graph_submit");
        if (divided && !seen)
            return orr__evaluate_over_ranks(at, NULL, &now, s->out, s->placed, wait ? NULL : &s->run);
    }
    if (seen)
        return execute_seen(at, g, s);
    orr__plan *tight = NULL;
    size_t left = orr__engine_left();
    orr_status st = plan->memory.peak > left ? orr__plan_get_within(at, &g->prog, left, &tight) : ORR_OK;
    if (st == ORR_OK)
        st = orr__engine_execute_into(at, tight ? tight : plan, s->leaf, g->prog.scalar, s->to ? s->into : NULL, s->out,
                                      wait ? NULL : &s->run);
    orr__plan_unref(tight);
    return st;
}

static bool overlap(const void *a, size_t na, const void *b, size_t nb)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return na > 0 && nb > 0 && x < y + nb && y < x + na;
}

/* A result must not be written over a value that the graph reads, nor over another result. */
static orr_status check_apart(orr__site at, const graph *g, const submission *s)
{
    for (int i = 0; i < g->nout; i++) {
        for (int k = 0; k < i; k++)
            if (overlap(s->to[i].data, s->to[i].bytes, s->to[k].data, s->to[k].bytes))
                return orr__fail(at, ORR_EINVAL, "the memory of results %d and %d overlaps", k, i);
        for (int k = 0; k < g->prog.nleaf; k++)
            if (overlap(s->to[i].data, s->to[i].bytes, s->leaf[k]->host, s->leaf[k]->bytes))
                return orr__fail(at, ORR_EINVAL, "the memory of result %d overlaps with a value that the graph reads",
                                 i);
    }
    return ORR_OK;
}

/* True if the ranks evaluate the graph together, with n values, of which this rank may not know all. */
static bool divided(const graph *g, orr_tensor *const *values, int n_values)
{
    bool any = !atomic_load(&g->plan) || n_values < g->nin;
    for (int i = 0; i < g->nin && !any; i++) {
        const orr__node *n = values[i] ? orr__handle_node(values[i]) : NULL;
        any = !n || orr__node_is_common(n);
    }
    for (int k = 0; k < g->prog.nleaf && !any; k++) {
        orr__node *now = g->leaf_var[k] ? orr__variable_now(g->leaf_var[k]) : NULL;
        any = now && orr__node_is_common(now);
        orr__node_unref(now);
    }
    return any;
}

static orr_status submit(orr__site at, graph *g, submission *s, orr_event *e)
{
    orr_status st = g->nin ? compute(at, s, s->value, g->nin, e) : ORR_OK;
    if (st == ORR_OK)
        st = bind(at, g, s, e);
    if (st == ORR_OK && s->to)
        st = check_apart(at, g, s);
    if (st == ORR_OK)
        st = execute(at, g, s, !e);
    return st;
}

/* The outputs (references passed on) are brought to the program's memory; by the event's wait if there is an event. */
static orr_status land(const graph *g, const submission *s, orr_event *e)
{
    orr_status st = ORR_OK;
    for (int i = 0; i < g->nout; i++) {
        orr_dtype dtype = (orr_dtype)g->out[i]->dtype;
        int64_t n = orr__shape_count(&g->out[i]->shape);
        if (e) {
            orr__event_lands(e, s->out[i], dtype, n, s->to[i].data);
            continue;
        }
        if (st == ORR_OK)
            st = orr__land(s->out[i], dtype, n, s->to[i].data);
        orr__buffer_unref(s->out[i]);
    }
    return st;
}

static bool over_ranks(void)
{
    return orr__ranks() > 1 && orr__distributions_exist();
}

static orr_status submit_values(orr__site at, graph *g, orr_tensor *const *values, orr_tensor **results,
                                const orr_buffer *to, orr_event **event)
{
    submission s;
    orr_status st = submission_begin(&s, g, to) ? resolve(at, values, g->nin, "value", s.value) : ORR_ENOMEM;
    for (int i = 0; i < g->nin && st == ORR_OK; i++)
        st = check_value(at, g->in[i], s.value[i], i);
    orr_event *e = event && st == ORR_OK ? orr__event_new(at, HUGE_VAL) : NULL;
    if (st == ORR_OK && event && (!e || (to && !orr__event_reserve(e, g->nout))))
        st = ORR_ENOMEM;
    orr__stop *outer = e ? orr__event_enter(e) : orr__stop_mine;
    if (st == ORR_OK)
        st = submit(at, g, &s, e);
    orr__stop_ends(outer);
    if (st != ORR_OK && over_ranks() && orr__tls_get()->met == s.met && divided(g, values, g->nin))
        st = orr__over_ranks_absent(at, st, false); /* the others wait for this rank */
    if (e)
        orr__event_adopt(e, s.run);
    if (st == ORR_OK) {
        for (int i = 0; i < g->nout && st == ORR_OK && e; i++) /* an output may be an input, which another run writes */
            st = orr__event_awaits(e, s.out[i]);
        if (st != ORR_OK && to)
            orr__run_await(s.run); /* nothing writes to the program's memory after an error */
        for (int i = 0; i < g->nout && st != ORR_OK; i++)
            orr__buffer_unref(s.out[i]);
        if (st == ORR_OK && to)
            st = land(g, &s, e);
        else if (st == ORR_OK)
            wrap_results(at, g, s.value, s.out, s.placed, results);
    }
    submission_end(&s, g);
    if (st == ORR_OK && e)
        *event = e;
    else if (e)
        orr__event_drop(e);
    return orr__fail_place(at, st);
}

static orr_status check_lists(orr__site at, const graph *g, orr_tensor *const *values, int n_values, bool have_results,
                              int n_results)
{
    if (n_values != g->nin)
        return orr__fail(at, ORR_EINVAL, "%d values for a graph of %d inputs", n_values, g->nin);
    if (n_results != g->nout)
        return orr__fail(at, ORR_EINVAL, "room for %d results of a graph of %d outputs", n_results, g->nout);
    if ((g->nin && !values) || (g->nout && !have_results))
        return orr__fail(at, ORR_EINVAL, "the list of %s is NULL", g->nin && !values ? "values" : "results");
    return ORR_OK;
}

static orr_status check_memory(orr__site at, const graph *g, const orr_buffer *to)
{
    for (int i = 0; i < g->nout; i++) {
        const orr__node *n = g->out[i];
        bool field = orr__is_field((orr_dtype)n->dtype); /* its integers are written one by one */
        size_t size = field ? sizeof(uint64_t) : orr_dtype_size((orr_dtype)n->dtype), need = orr__node_bytes(n);
        if (to[i].bytes != need)
            return orr__fail(at, ORR_EINVAL, "the memory of result %d has %zu bytes; %s of %s needs %zu", i,
                             to[i].bytes, orr__str(n->shape).s, orr_dtype_name((orr_dtype)n->dtype), need);
        if (need > 0 && (!to[i].data || (uintptr_t)to[i].data % size != 0))
            return orr__fail(at, ORR_EINVAL, "the memory of result %d is %s", i,
                             to[i].data ? "not aligned to the size of an element" : "NULL");
    }
    return ORR_OK;
}

/* Results are tensors, or, with `to`, in the program's memory. */
static orr_status submit_graph(orr__site at, orr_graph *name, orr_tensor *const *values, int n_values,
                               orr_tensor **results, const orr_buffer *to, int n_results, orr_event **event)
{
    ORR__IN_DEFAULT_FPMODE;
    if (event)
        *event = NULL;
    graph *g = name ? orr__token_get(name, false) : NULL;
    orr_status st = g ? check_lists(at, g, values, n_values, results || to, n_results) : ORR_OK;
    if (!name)
        st = orr__fail(at, ORR_EINVAL, "the graph is NULL");
    else if (!g)
        st = orr__fail(at, ORR_EHANDLE, "no graph: it was freed, or never was one");
    if (st == ORR_OK && to)
        st = check_memory(at, g, to);
    if (st == ORR_OK)
        st = orr__need_running(at);
    /* It may have failed on this rank alone. */
    if (st != ORR_OK && over_ranks() && (!g || divided(g, values, values ? n_values : 0)))
        st = orr__over_ranks_absent(at, st, false);
    if (st == ORR_OK)
        st = submit_values(at, g, values, results, to, event);
    if (g)
        graph_unref(g);
    return st;
}

orr_status orr_graph_submit_at(const char *file, int line, orr_graph *g, orr_tensor *const *values, int n_values,
                               orr_tensor **results, int n_results, orr_event **event)
{
    return submit_graph(ORR__SITE(file, line, "graph_submit"), g, values, n_values, results, NULL, n_results, event);
}

orr_status orr_graph_submit_into_at(const char *file, int line, orr_graph *g, orr_tensor *const *values, int n_values,
                                    const orr_buffer *to, int n_results, orr_event **event)
{
    return submit_graph(ORR__SITE(file, line, "graph_submit_into"), g, values, n_values, NULL, to, n_results, event);
}

orr_status orr_graph_free(orr_graph *name)
{
    graph *g = orr__token_get(name, true);
    if (g)
        graph_unref(g);
    return g || !name ? ORR_OK
                      : orr__fail(ORR__SITE(NULL, 0, "graph_free"), ORR_EHANDLE,
                                  "no graph: it was freed already, or never was one");
}
