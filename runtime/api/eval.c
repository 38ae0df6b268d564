/* orr_eval and its kin: capture, plan, execute, publish.
 * Must not know: devices, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/api/eval.h"
#include "runtime/base/env.h"

struct orr_event { orr__run *run; };

orr_status orr__need_running(orr__site at)
{
    return orr__engine_running() ? ORR_OK : orr__fail(at, ORR_ESTATE, "Orrery is not running: call orr_init first");
}

/* The run that still writes a node's value (a reference), or NULL. Under the lock. */
static orr__run *run_of(const orr__node *n)
{
    return n->value && n->value->run ? orr__run_ref(n->value->run) : NULL;
}

/* Those of `from` that have no value yet are appended to `to` with a reference. Runs that still write the others are
 * waited for when `wait` is set. */
static orr_status select_nodes(orr__node *const *from, int n, orr__node **to, int *count, bool wait)
{
    orr_status st = ORR_OK;
    for (int i = 0; i < n; i++) {
        orr__graph_lock();
        bool there = from[i]->value != NULL;
        orr__run *busy = there && wait ? run_of(from[i]) : NULL;
        orr__graph_unlock();
        if (!there)
            to[(*count)++] = orr__node_ref(from[i]);
        if (busy) {
            orr_status s = orr__run_wait(busy);
            orr__run_unref(busy);
            st = st == ORR_OK ? s : st;
        }
    }
    return st;
}

/* Gives every requested node its value, and the node behind a DETACH too: it is the same. */
static void publish(orr__node *const *node, int n, const orr__prog *p, orr__buf **out)
{
    for (int i = 0; i < n; i++) {
        orr__node *behind = p->node[p->out[i]];
        if (behind != node[i])
            orr__node_publish(behind, orr__buf_ref(out[i]));
        orr__node_publish(node[i], out[i]);
    }
}

static orr_status run_capture(orr__site at, orr__node *const *node, int n, orr__prog *p, orr__run **run)
{
    orr__plan *plan;
    orr__run *r = NULL;
    for (int k = 0; k < p->nleaf; k++)
        if (!p->leaf[k])
            return orr__fail(at, ORR_EGRAPH, "a placeholder has no value here; submit the graph that it belongs to");
    if (orr__env.print & ORR__PRINT_GRAPH)
        orr__prog_print(stderr, p);
    orr_status st = orr__plan_get(at, p, &plan);
    if (st != ORR_OK)
        return st;
    orr__buf **out = orr__alloc_n((size_t)n + 1, sizeof *out);
    st = out ? orr__engine_execute(at, plan, p->leaf, p->scalar, out, &r) : ORR_ENOMEM;
    if (st == ORR_OK && r && !run) {
        st = orr__run_wait(r);
        orr__run_unref(r);
        r = NULL;
        for (int i = 0; st != ORR_OK && i < n; i++)
            orr__buf_unref(out[i]);
    }
    if (st == ORR_OK)
        publish(node, n, p, out);
    if (run)
        *run = st == ORR_OK ? r : NULL;
    free(out);
    orr__plan_unref(plan);
    return st;
}

orr_status orr__eval_nodes(orr__site at, orr__node *const *nodes, int n, orr__run **run)
{
    orr__node **pending, *few[32];
    int npending = orr__pending(&pending), count = 0;
    if (run)
        *run = NULL;
    orr_status st = orr__need_running(at);
    if (st != ORR_OK)
        return st;
    orr__node **todo = n + npending <= 32 ? few : orr__alloc_n((size_t)n + (size_t)npending, sizeof *todo);
    if (!todo)
        return ORR_ENOMEM;
    st = select_nodes(nodes, n, todo, &count, true);
    if (st == ORR_OK)
        st = select_nodes(pending, npending, todo, &count, false);
    if (st == ORR_OK && count) {
        orr__prog p;
        st = orr__prog_capture(at, todo, count, &p);
        if (st == ORR_OK) {
            st = run_capture(at, todo, count, &p, run);
            orr__prog_free(&p);
        }
    }
    if (st == ORR_OK)
        orr__pending_clear();
    for (int i = 0; i < count; i++)
        orr__node_unref(todo[i]);
    if (todo != few)
        free(todo);
    return st;
}

orr_status orr__tensor_nodes(orr__site at, orr_tensor *const *t, int n, orr__node **node)
{
    for (int i = 0; i < n; i++) {
        orr_tensor *bad;
        const orr_tensor *c = t[i];
        char name[32];
        snprintf(name, sizeof name, n > 1 ? "tensor %d" : "the tensor", i);
        if (orr__operands(at, 1, &c, (const char *const[]){ name }, &node[i], &bad))
            continue;
        const orr__node *p = orr__handle_node(bad);
        orr_status st = p && p->poison ? orr__fail_text(p->poison->status, p->poison->text) : ORR_EHANDLE;
        (void)orr_free_at(NULL, 0, bad);
        return st;
    }
    return ORR_OK;
}

static orr_status eval_tensors(orr__site at, orr_tensor *const *t, int n, orr__run **run)
{
    orr__node *few[16];
    if (n < 0 || (n > 0 && !t))
        return orr__fail(at, ORR_EINVAL, n < 0 ? "the number of tensors is negative" : "the list of tensors is NULL");
    orr__node **node = n <= 16 ? few : orr__alloc_n((size_t)n, sizeof *node);
    if (!node)
        return ORR_ENOMEM;
    orr_status st = orr__need_running(at);
    if (st == ORR_OK)
        st = orr__tensor_nodes(at, t, n, node);
    if (st == ORR_OK)
        st = orr__eval_nodes(at, node, n, run);
    if (node != few)
        free(node);
    return st;
}

orr_status orr_eval_at(const char *file, int line, orr_tensor *t)
{
    return eval_tensors(ORR__SITE(file, line, "eval"), &t, 1, NULL);
}

orr_status orr_eval_all_at(const char *file, int line, orr_tensor *const *t, int n)
{
    return eval_tensors(ORR__SITE(file, line, "eval_all"), t, n, NULL);
}

orr_event *orr__event_new(orr__run *run)
{
    orr_event *e = orr__alloc(sizeof *e);
    if (e)
        e->run = run;
    return e;
}

void orr__event_adopt(orr_event *e, orr__run *run)
{
    e->run = run;
}

orr_status orr_eval_async_at(const char *file, int line, orr_tensor *const *t, int n, orr_event **event)
{
    orr__site at = ORR__SITE(file, line, "eval_async");
    orr__run *run = NULL;
    if (!event)
        return orr__fail(at, ORR_EINVAL, "event is NULL: it is what to wait on");
    *event = NULL;
    orr_event *e = orr__event_new(NULL);
    if (!e)
        return ORR_ENOMEM;
    orr_status st = eval_tensors(at, t, n, &run);
    if (st != ORR_OK) {
        free(e);
        return st;
    }
    e->run = run;
    *event = e;
    return ORR_OK;
}

orr_status orr_wait_at(const char *file, int line, orr_event *event)
{
    if (!event)
        return orr__fail(ORR__SITE(file, line, "wait"), ORR_EINVAL, "the event is NULL");
    orr_status st = event->run ? orr__run_wait(event->run) : ORR_OK;
    orr__run_unref(event->run);
    free(event);
    return st;
}

bool orr_event_done(const orr_event *event)
{
    return !event || !event->run || orr__run_done(event->run);
}

orr_status orr__value_of(orr__site at, orr_tensor *t, orr__buf **buf, orr__node **node)
{
    orr_status st = orr__tensor_nodes(at, &t, 1, node);
    if (st == ORR_OK)
        st = orr__need_running(at);
    if (st != ORR_OK)
        return st;
    orr__graph_lock();
    bool there = (*node)->value != NULL;
    orr__graph_unlock();
    if (!there && (st = orr__eval_nodes(at, node, 1, NULL)) != ORR_OK)
        return st;
    orr__graph_lock();
    *buf = orr__buf_ref((*node)->value);
    orr__run *run = run_of(*node);
    orr__graph_unlock();
    if (run) {
        st = orr__run_wait(run);
        orr__run_unref(run);
    }
    if (st == ORR_OK)
        st = orr__buf_sync(*buf);
    if (st != ORR_OK)
        orr__buf_unref(*buf);
    return st;
}
