/* Variables: handles whose node may be replaced, and the assignments that wait for an evaluation.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdlib.h>
#include "runtime/graph/tls.h"

bool orr__pending_add(uint64_t handle)
{
    orr__tls *tls = orr__tls_get();
    for (size_t i = 0; i < tls->npending; i++)
        if (tls->pending[i] == handle)
            return true;
    if (tls->npending == tls->pending_cap) {
        size_t cap = tls->pending_cap ? 2 * tls->pending_cap : 32;
        uint64_t *more = realloc(tls->pending, cap * sizeof *more);
        if (!more)
            return false;
        tls->pending = more;
        tls->pending_cap = cap;
    }
    tls->pending[tls->npending++] = handle;
    return true;
}

int orr__pending(orr__node ***nodes)
{
    orr__tls *tls = orr__tls_now(); /* what a shutdown has ended is no longer pending */
    if (tls->pending_nodes_cap < tls->npending) {
        orr__node **more = realloc(tls->pending_nodes, tls->pending_cap * sizeof *more);
        if (!more)
            return 0; /* they stay pending */
        tls->pending_nodes = more;
        tls->pending_nodes_cap = tls->pending_cap;
    }
    int n = 0;
    for (size_t i = 0; i < tls->npending; i++) {
        orr__node *node = orr__handle_node((const orr_tensor *)(uintptr_t)tls->pending[i]);
        if (node && !node->poison)
            tls->pending_nodes[n++] = node;
    }
    *nodes = tls->pending_nodes;
    return n;
}

void orr__pending_clear(void)
{
    orr__tls_get()->npending = 0;
}

orr__node *orr__variable_now(uint64_t var)
{
    const orr_tensor *t = (const orr_tensor *)(uintptr_t)var;
    orr__node *n = orr__handle_is_variable(t) ? orr__handle_node(t) : NULL;
    return n ? orr__node_ref(n) : NULL;
}

/* The node that stands for a variable's value: always one of its own, so that what else uses `n` does not become the
 * variable in the eyes of a gradient. Captures look through it; it costs nothing at run time. */
static orr__node *own_value(orr__site at, orr__node *n)
{
    static const orr__op detach = { ORR__OP_DETACH, "detach" };
    orr__node *value = orr__node_new(at, &detach, (orr_dtype)n->dtype, &n->shape, 1, &n);
    if (value)
        value->tracked = 1;
    return value;
}

orr_tensor *orr_variable_at(const char *file, int line, orr_tensor *t)
{
    orr__site at = ORR__SITE(file, line, "variable");
    orr__node *n;
    orr_tensor *bad;
    const orr_tensor *c = t;
    if (!orr__operands(at, 1, &c, (const char *const[]){ "the initial value" }, &n, &bad))
        return bad;
    if (n->op->id == ORR__OP_PLACEHOLDER)
        return orr__poison(at, ORR_EGRAPH, "a placeholder has no value to start from");
    if (!(n = own_value(at, n)))
        return orr__handle_new(NULL);
    orr_tensor *v = orr__handle_new(n);
    uint64_t h = orr__handle_bits(v);
    if (orr__handle_node(v) != n)
        return v; /* the poison of last resort */
    orr__slot_make_variable(h);
    n->var = h;
    if (!orr__pending_add(h))
        return orr__poison(at, ORR_ENOMEM, "no memory for the list of assignments");
    return v;
}

orr_status orr_assign_at(const char *file, int line, orr_tensor *v, orr_tensor *t)
{
    orr__site at = ORR__SITE(file, line, "assign");
    const orr_tensor *c[2] = { v, t };
    orr__node *n[2];
    orr_tensor *bad;
    if (!orr__operands(at, 2, c, (const char *const[]){ "the variable", "the value" }, n, &bad)) {
        orr__node *p = orr__handle_node(bad);
        orr_status st = orr_tensor_status(bad);
        if (p && p->poison)
            (void)orr__fail_text(p->poison->status, p->poison->text);
        (void)orr_free_at(file, line, bad);
        return st;
    }
    if (!orr__handle_is_variable(v))
        return orr__fail(at, ORR_EINVAL, "the first argument is no variable; make it by orr_variable");
    if (n[0]->dtype != n[1]->dtype)
        return orr__fail(at, ORR_EDTYPE, "the variable is %s, the value %s; write orr_cast", orr_dtype_name(n[0]->dtype),
                         orr_dtype_name(n[1]->dtype));
    if (!orr__shape_equal(&n[0]->shape, &n[1]->shape))
        return orr__fail(at, ORR_ESHAPE, "the variable is %s, the value %s", orr__str(n[0]->shape).s,
                         orr__str(n[1]->shape).s);
    if (n[0] == n[1])
        return ORR_OK;
    uint64_t h = orr__handle_bits(v);
    orr__node *value = own_value(at, n[1]);
    if (!value)
        return ORR_ENOMEM;
    if (!orr__pending_add(h)) {
        orr__node_unref(value);
        return orr__fail(at, ORR_ENOMEM, "no memory for the list of assignments");
    }
    value->var = h;
    orr__node_unref(orr__slot_swap(h, value));
    return ORR_OK;
}
