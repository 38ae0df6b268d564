/* Scopes: per-thread owners of handles.
 * Must not know: nodes' content. */
#include "config.h"

#include <stdlib.h>
#include "runtime/graph/thread_state.h"

/* Limits: ended scopes that a thread keeps; total capacity of their lists; serials that a thread acquires together. */
enum { KEPT = 8, KEPT_ITEMS = 32768, SERIALS = 1024 }; /* limit of memory */

void orr__tls_renew(orr__tls *tls)
{
    orr__scopes_drop(tls);
    orr__pending_clear();
    tls->epoch = orr__handles_epoch();
}

static void scope_close(orr__tls *tls)
{
    orr__scope *s = tls->scope;
    tls->scope = s->outer;
    orr__lent_drop(tls, s->lent);
    if (!s->borrowing)
        orr__borrow_end(tls);
    orr__slots_free_owned(tls, s);
    if (tls->nfree_scopes < KEPT && tls->kept_items + s->cap <= KEPT_ITEMS) {
        s->n = 0;
        tls->kept_items += s->cap;
        s->outer = tls->free_scopes;
        tls->free_scopes = s;
        tls->nfree_scopes++;
        return;
    }
    free(s->item);
    free(s);
}

void orr__scopes_drop(orr__tls *tls)
{
    while (tls->scope)
        scope_close(tls);
}

void orr__scopes_thread_exit(orr__tls *tls)
{
    orr__scopes_drop(tls);
    while (tls->free_scopes) {
        orr__scope *s = tls->free_scopes;
        tls->free_scopes = s->outer;
        free(s->item);
        free(s);
    }
    tls->nfree_scopes = 0;
    tls->kept_items = 0;
}

bool orr__scope_grow(orr__scope *s)
{
    size_t live = 0; /* first drop handles that have left: a long-lived scope with short-lived tensors stays small */
    for (size_t i = 0; i < s->n; i++)
        if (orr__slot_owned_by(s->item[i], s))
            s->item[live++] = s->item[i];
    s->n = live;
    if (live <= s->cap / 2 && s->cap)
        return true;
    size_t cap = s->cap ? 2 * s->cap : 64;
    uint64_t *more = orr__realloc_n(s->item, cap, sizeof *more);
    if (more) {
        s->item = more;
        s->cap = cap;
    }
    return s->n < s->cap;
}

/* Threads acquire SERIALS serials at a time. */
static uint64_t next_serial(orr__tls *tls)
{
    static atomic_uint_least64_t all = 1;
    if (!tls->serials) {
        tls->serial = atomic_fetch_add_explicit(&all, SERIALS, memory_order_relaxed);
        tls->serials = SERIALS;
    }
    tls->serials--;
    return tls->serial++;
}

orr_scope *orr_scope_begin(void)
{
    orr__tls *tls = orr__tls_now();
    orr__scope *s = tls->free_scopes;
    if (s) {
        tls->free_scopes = s->outer;
        tls->nfree_scopes--;
        tls->kept_items -= s->cap;
    } else if (!(s = orr__alloc(sizeof *s))) {
        return NULL;
    }
    s->serial = next_serial(tls);
    s->outer = tls->scope;
    s->lent = tls->nlent;
    s->born = tls->born;
    s->borrowing = tls->borrowing;
    s->call = NULL;
    tls->scope = s;
    return (orr_scope *)(uintptr_t)s->serial;
}

orr_scope *orr__scope_composing(const char *call)
{
    const orr__scope *outer = orr__tls_now()->scope;
    orr_scope *s = orr_scope_begin();
    if (s)
        orr__tls_now()->scope->call = outer && outer->call ? outer->call : call;
    return s;
}

/* The scope with this name if it is open on this thread, else NULL. */
static orr__scope *open_scope(const orr__tls *tls, const orr_scope *name)
{
    orr__scope *s = tls->scope;
    while (s && s->serial != (uint64_t)(uintptr_t)name)
        s = s->outer;
    return s;
}

orr_status orr_scope_end_at(const char *file, int line, orr_scope *name)
{
    orr__tls *tls = orr__tls_now();
    orr__scope *s = name ? open_scope(tls, name) : NULL;
    if (!s)
        return orr__fail(ORR__SITE(file, line, "scope_end"), ORR_EINVAL,
                         name ? "the scope is not open on this thread (ended already, or begun by another thread)"
                              : "the scope is NULL");
    while (tls->scope != s)
        scope_close(tls);
    scope_close(tls);
    return ORR_OK;
}

bool orr__scope_made(const orr_scope *name, const orr__node *n)
{
    const orr__scope *s = open_scope(orr__tls_now(), name);
    return s && n->born > s->born;
}

/* Moves t to another scope (NULL: none). */
static orr_tensor *move(orr__site at, orr_tensor *t, orr__scope *to)
{
    orr__node *n;
    orr_tensor *bad;
    if (!t || !orr__handle_node(t)) {
        const orr_tensor *c = t;
        (void)orr__operands(at, 1, &c, (const char *const[]){ "the tensor" }, &n, &bad);
        return bad;
    }
    if (orr__handle_lent(t))
        return t;
    if (to && !orr__scope_add(to, orr__handle_bits(t)))
        return orr__handle_oom();                       /* t ends with its scope; its handle would not report the
                                                           error */
    (void)orr__slot_set_scope(orr__handle_bits(t), to); /* false: another thread has just freed t */
    return t;
}

orr_tensor *orr_keep_at(const char *file, int line, orr_tensor *t)
{
    return move(ORR__SITE(file, line, "keep"), t, NULL);
}

orr_tensor *orr_scope_return_at(const char *file, int line, orr_scope *name, orr_tensor *t)
{
    orr__site at = ORR__SITE(file, line, "scope_return");
    orr__scope *s = name ? open_scope(orr__tls_now(), name) : NULL;
    if (!s)
        return orr__poison(at, ORR_EINVAL, "the scope is not open on this thread");
    return move(at, t, s->outer);
}

orr_status orr_free_at(const char *file, int line, orr_tensor *t)
{
    orr__tls *tls = orr__tls_now();
    orr__lent_drop(tls, tls->scope ? tls->scope->lent : 0);
    if (!tls->scope || !tls->scope->borrowing)
        orr__borrow_end(tls);
    if (t && orr__handle_lent(t))
        return orr__fail(ORR__SITE(file, line, "free"), ORR_ESTATE,
                         "the variable belongs to the module, optimiser or average that made it, which frees it");
    if (!t || orr__slot_free(orr__handle_bits(t)))
        return ORR_OK;
    return orr__fail(ORR__SITE(file, line, "free"), ORR_EHANDLE,
                     "no live tensor: its scope has ended, it was freed already, or it never was one");
}

orr_status orr_tensor_status(const orr_tensor *t)
{
    const orr__node *n = t ? orr__handle_node(t) : NULL;
    return !n ? ORR_EHANDLE : n->poison ? n->poison->status : ORR_OK;
}

orr_shape orr_tensor_shape(const orr_tensor *t)
{
    const orr__node *n = t ? orr__handle_node(t) : NULL;
    return n && !n->poison ? n->shape : (orr_shape){ -1, { 0 } };
}

orr_dtype orr_tensor_dtype(const orr_tensor *t)
{
    const orr__node *n = t ? orr__handle_node(t) : NULL;
    return n && !n->poison ? (orr_dtype)n->dtype : ORR_DTYPE_COUNT;
}

int64_t orr_tensor_size(const orr_tensor *t)
{
    const orr__node *n = t ? orr__handle_node(t) : NULL;
    return n && !n->poison ? orr__shape_count(&n->shape) : -1;
}
