/* Variables: handles whose node may be replaced, and the assignments that wait for an evaluation.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/array.h"
#include "runtime/base/text.h"
#include "runtime/graph/distribution.h"
#include "runtime/graph/former.h"
#include "runtime/graph/pile.h"
#include "runtime/graph/thread_state.h"

/* limits of memory: pending variables for which there is space at least; slots of the table for each */
enum { LEAST = 32, SLOTS = 4 };

/* The slot of the handle in the table of pending variables, or the free slot for it. */
static uint64_t *slot_of(const orr__tls *tls, uint64_t handle)
{
    size_t mask = SLOTS * tls->pending_cap - 1, i = (size_t)(handle * 0x9E3779B97F4A7C15u >> 20) & mask;
    while (tls->pending_at[i] >> 32 == tls->pending_age && tls->pending[(uint32_t)tls->pending_at[i]] != handle)
        i = (i + 1) & mask;
    return &tls->pending_at[i];
}

/* Handles of the thread's own for the new values, by place, in the second half of `pending`; 0: none. Where tensors lie over ranks, each rank
 * evaluates an assignment that is pending on the others, even if it has ended the variable. */
static uint64_t *held(const orr__tls *tls)
{
    return tls->pending + tls->pending_cap;
}

static void hold(orr__tls *tls, size_t place, orr__node *n)
{
    uint64_t *h = &held(tls)[place];
    if (*h)
        (void)orr__slot_free(*h);
    *h = n && orr__distributions_exist() && orr__ranks() > 1 ? orr__handle_hold(n) : 0;
}

/* The new value of the pending variable at `place`, borrowed; NULL: it is not evaluated any more. */
static orr__node *pending_node(const orr__tls *tls, size_t place)
{
    orr__node *n = orr__handle_node((const orr_tensor *)(uintptr_t)tls->pending[place]);
    if (n || !held(tls)[place])
        return n;
    n = orr__handle_node((const orr_tensor *)(uintptr_t)held(tls)[place]);
    return n && orr__node_is_common(n) ? n : NULL;
}

/* Makes space for n more pending assignments; false: no memory, last error set. */
static bool pending_room(orr__tls *tls, size_t n)
{
    size_t need = tls->npending + n, cap = tls->pending_cap ? tls->pending_cap : LEAST;
    if (need <= tls->pending_cap)
        return true;
    while (cap < need)
        cap *= 2;
    uint64_t *at = orr__alloc_n(SLOTS * cap, sizeof *at);
    uint64_t *more = at ? orr__realloc_n(tls->pending, 2 * cap, sizeof *more) : NULL;
    if (!more) {
        free(at);
        return false;
    }
    memmove(more + cap, more + tls->pending_cap, tls->npending * sizeof *more);
    free(tls->pending_at);
    tls->pending = more;
    tls->pending_cap = cap;
    tls->pending_at = at;
    tls->pending_age = 1;
    for (size_t i = 0; i < tls->npending; i++)
        *slot_of(tls, more[i]) = (uint64_t)1 << 32 | i;
    return true;
}

/* Adds a variable, for which the list has space. Returns its place. */
static size_t pending_add(orr__tls *tls, uint64_t handle)
{
    uint64_t *slot = slot_of(tls, handle);
    if (*slot >> 32 == tls->pending_age)
        return (uint32_t)*slot;
    *slot = (uint64_t)tls->pending_age << 32 | tls->npending;
    held(tls)[tls->npending] = 0;
    tls->pending[tls->npending++] = handle;
    return tls->npending - 1;
}

int orr__pending(orr__node ***nodes)
{
    orr__tls *tls = orr__tls_now(); /* a shutdown ends pending assignments */
    if (tls->pending_nodes_cap < tls->npending) {
        orr__node **more = orr__realloc_n(tls->pending_nodes, tls->pending_cap, sizeof *more);
        if (!more)
            return -1; /* the assignments stay pending */
        tls->pending_nodes = more;
        tls->pending_nodes_cap = tls->pending_cap;
    }
    int n = 0;
    for (size_t i = 0; i < tls->npending; i++) {
        orr__node *node = pending_node(tls, i);
        if (node && (!node->poison || orr__node_is_common(node)))
            tls->pending_nodes[n++] = node;
    }
    *nodes = tls->pending_nodes;
    return n;
}

void orr__pending_clear(void)
{
    orr__tls *tls = orr__tls_get();
    for (size_t i = 0; i < tls->npending; i++)
        hold(tls, i, NULL);
    tls->npending = 0;
    orr__formers_drop(tls);
    tls->pile_off = false;
    tls->pile_lead = 0;
    tls->pile_born = tls->born;
    if (++tls->pending_age == 0 && tls->pending_at) { /* all ages were used */
        memset(tls->pending_at, 0, SLOTS * tls->pending_cap * sizeof *tls->pending_at);
        tls->pending_age = 1;
    }
}

void orr__pending_clear_but(orr__node *const *stay, int n)
{
    orr__tls *tls = orr__tls_get();
    size_t all = tls->npending, kept = 0;
    if (n == 0) {
        orr__pending_clear();
        return;
    }
    tls->npending = 0;
    if (++tls->pending_age == 0) {
        memset(tls->pending_at, 0, SLOTS * tls->pending_cap * sizeof *tls->pending_at);
        tls->pending_age = 1;
    }
    for (size_t i = 0; i < all; i++) {
        uint64_t h = tls->pending[i], own = held(tls)[i];
        bool stays = kept < (size_t)n && pending_node(tls, i) == stay[kept];
        held(tls)[i] = 0;
        if (stays) {
            kept = pending_add(tls, h) + 1;
            held(tls)[kept - 1] = own;
        } else if (own) {
            (void)orr__slot_free(own);
        }
        orr__former_move(tls, i, stays ? kept - 1 : i, stays);
    }
}

void orr__pending_forget(const orr__node *n)
{
    orr__tls *tls = orr__tls_get();
    for (size_t i = 0; i < tls->npending; i++)
        if (pending_node(tls, i) == n) {
            hold(tls, i, NULL);
            tls->pending[i] = 0; /* no handle */
            orr__former_move(tls, i, i, false);
        }
}

orr__node *orr__former_of(const orr__node *n)
{
    orr__tls *tls = orr__tls_get();
    const uint64_t *slot = tls->npending ? slot_of(tls, n->var) : NULL;
    return slot && *slot >> 32 == tls->pending_age ? orr__former_at(tls, (size_t)(uint32_t)*slot) : NULL;
}

int orr__formers(orr__node *const *pending, int n, orr__former *f)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        orr__node *old = orr__former_of(pending[i]);
        if (old)
            f[found++] = (orr__former){ orr__node_ref(pending[i]), orr__node_ref(old) };
    }
    return found;
}

orr__node *orr__variable_now(uint64_t var)
{
    const orr_tensor *t = (const orr_tensor *)(uintptr_t)var;
    orr__node *n = orr__handle_is_variable(t) ? orr__handle_node(t) : NULL;
    return n ? orr__node_ref(n) : NULL;
}

/* Makes the node of a variable's value. It is always a node of its own, so that a gradient does not take other uses
 * of `n` for the variable. Captures skip it; it costs nothing at run time. */
static orr__node *own_value(orr__site at, orr__node *n)
{
    orr__node *value = orr__node_new(at, &orr__op_detach, (orr_dtype)n->dtype, &n->shape, 1, &n);
    if (value)
        value->tracked |= ORR__TRACKED | ORR__FLOWS;
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
    if (n->op->role == ORR__ROLE_PLACEHOLDER)
        return orr__poison(at, ORR_EGRAPH, "a placeholder has no value to start from");
    orr__tls *tls = orr__tls_now();
    if (!pending_room(tls, 1) || !(n = own_value(at, n)))
        return orr__handle_new(NULL);
    orr_tensor *v = orr__handle_new(n);
    uint64_t h = orr__handle_bits(v);
    if (orr__handle_node(v) != n)
        return v; /* the poison of last resort */
    orr__slot_make_variable(h);
    n->var = h;
    hold(tls, pending_add(tls, h), n);
    return v;
}

/* Makes *value, the node that v names after the assignment of t; NULL: v names that node already. */
static orr_status next_value(orr__site at, const orr_tensor *v, const orr_tensor *t, const char *const *names,
                             orr__node **value)
{
    const orr_tensor *c[2] = { v, t };
    orr__node *n[2];
    orr_tensor *bad;
    *value = NULL;
    if (!orr__operands(at, 2, c, names, n, &bad)) {
        orr__node *p = orr__handle_node(bad);
        orr_status st = orr_tensor_status(bad);
        if (p && p->poison)
            (void)orr__fail_text(p->poison->status, p->poison->text);
        orr__tls_now()->common = p && orr__node_is_common(p);
        (void)orr_free_at(at.file, at.line, bad);
        return st;
    }
    bool variable = orr__handle_is_variable(v);
    if (!orr__slot_live(orr__handle_bits(v)))
        return orr__fail(at, ORR_EHANDLE, "another thread has just freed %s", names[0]);
    if (!variable)
        return orr__fail(at, ORR_EINVAL, "%s is no variable; make it by orr_variable", names[0]);
    if (n[0]->dtype != n[1]->dtype)
        return orr__fail(at, ORR_EDTYPE, "%s is %s, %s %s; write orr_cast", names[0],
                         orr_dtype_name((orr_dtype)n[0]->dtype), names[1], orr_dtype_name((orr_dtype)n[1]->dtype));
    if (!orr__shape_equal(&n[0]->shape, &n[1]->shape))
        return orr__fail(at, ORR_ESHAPE, "%s is %s, %s %s", names[0], orr__str(n[0]->shape).s, names[1],
                         orr__str(n[1]->shape).s);
    if (n[0] != n[1] && !(*value = own_value(at, n[1])))
        return ORR_ENOMEM;
    return ORR_OK;
}

/* True if the assignment of these variables begins a new round of assignments. */
static bool new_round(const orr__tls *tls, orr_tensor *const *v, orr__node *const *value, int n, bool any)
{
    bool is = false;
    for (int i = 0; i < n && !is; i++) {
        uint64_t h = orr__handle_bits(v[i]);
        is = value[i] && (h == tls->pile_lead || (any && *slot_of(tls, h) >> 32 == tls->pending_age));
    }
    return is;
}

/* Submits the pending assignments if there are enough nodes, before these variables get their next values. `value` belongs to them. */
static void submit_pile(orr__site at, orr__tls *tls, orr_tensor *const *v, orr__node *const *value, int n)
{
    void (*submit)(orr__site at) = atomic_load_explicit(&orr__pile_submit, memory_order_acquire);
    uint64_t nodes = tls->born - tls->pile_born;
    if (!submit || !tls->pile_lead || tls->pile_off || nodes < ORR__PILE_NODES)
        return;
    if (new_round(tls, v, value, n, nodes >= ORR__PILE_ROUNDS * ORR__PILE_NODES))
        submit(at);
}

/* An assignment that fails is pending, too, where its value would lie over ranks: the other ranks may have made it, and evaluate it. */
static void pend_failure(orr__tls *tls)
{
    bool told = tls->common && orr__ranks() > 1 && pending_room(tls, 1);
    orr__node *poison = told ? orr__poison_node() : NULL;
    uint64_t h = poison ? orr__handle_hold(poison) : 0;
    if (h)
        held(tls)[pending_add(tls, h)] = h;
    orr__node_unref(poison);
}

/* Makes all new values before it changes a variable; after that nothing can fail. */
static orr_status assign(orr__site at, orr_tensor *const *v, orr_tensor *const *t, int n, orr__node **value)
{
    orr__tls *tls = orr__tls_now();
    orr_status st = pending_room(tls, (size_t)n) ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
    int made = 0;
    for (; made < n && st == ORR_OK; made++) {
        char names[2][32] = { "the variable", "the value" };
        for (int k = 0; k < 2 && n > 1; k++)
            orr__text_numbered(names[k], sizeof names[k], k ? "value " : "variable ", made, "");
        st = next_value(at, v[made], t[made], (const char *const[]){ names[0], names[1] }, &value[made]);
    }
    if (st == ORR_OK)
        submit_pile(at, tls, v, value, n);
    for (int i = 0; i < made; i++) {
        uint64_t h = orr__handle_bits(v[i]);
        if (st != ORR_OK)
            orr__node_unref(value[i]);
        if (st != ORR_OK || !value[i])
            continue;
        tls->pile_lead = tls->pile_lead ? tls->pile_lead : h;
        value[i]->var = h;
        size_t place = pending_add(tls, h);
        hold(tls, place, value[i]);
        orr__former_keep(tls, place, orr__slot_swap(h, value[i]));
    }
    if (st != ORR_OK)
        pend_failure(tls);
    tls->common = false;
    return st;
}

orr_status orr_assign_at(const char *file, int line, orr_tensor *v, orr_tensor *t)
{
    orr__node *value;
    return assign(ORR__SITE(file, line, "assign"), &v, &t, 1, &value);
}

orr_status orr_assign_all_at(const char *file, int line, orr_tensor *const *v, orr_tensor *const *t, int n)
{
    orr__site at = ORR__SITE(file, line, "assign_all");
    if (n < 0 || (n > 0 && (!v || !t)))
        return orr__fail(at, ORR_EINVAL, n < 0 ? "the number of variables is negative" : "the list of %s is NULL",
                         !v ? "variables" : "values");
    orr__node *few[32], **value = orr__array_begin(few, sizeof few, (size_t)n, sizeof *value);
    orr_status st = value ? assign(at, v, t, n, value) : orr__fail_place(at, ORR_ENOMEM);
    orr__array_end(value, few);
    return st;
}
