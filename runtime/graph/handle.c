/* Handles: the names by which users hold nodes; how they begin and end.
 * Must not know: what an op means. */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include "runtime/base/fork.h"
#include "runtime/graph/handle_slot.h"

static const orr__op poison_op = { ORR__OP_POISON, "poison" };
static orr__poison_info oom_info = { ORR_ENOMEM, "no memory for a tensor" };
static orr__node oom_node = { .refs = 1 << 30, .op = &poison_op, .poison = &oom_info };

atomic_uint orr__shutdowns;

/* Around a look at a variable's node, and its replacement. */
static pthread_mutex_t assigning = PTHREAD_MUTEX_INITIALIZER;

/* Of two threads that free a handle one wins. It is its maker's lock that decides, of which several threads share one: so a
 * scope that ends, whose handles are nearly all its own thread's, takes one lock for all. Held around nothing but slots. */
static pthread_mutex_t freeing[ORR__KEEPERS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

void orr__handles_guard(void)
{
    for (int i = 0; i < ORR__KEEPERS; i++)
        orr__fork_guard(&freeing[i]); /* before the table's, which is taken within */
    orr__slots_guard();
    orr__fork_guard(&assigning);
}

uint64_t orr__handle_bits(const orr_tensor *t)
{
    return (uint64_t)(uintptr_t)t;
}

void orr__handles_thread_exit(orr__tls *tls)
{
    orr__lent_drop(tls, 0);
    orr__slots_give_back(tls, 0);
    free(tls->slot);
    tls->slot = NULL;
    free(tls->lent);
    tls->lent = NULL;
    tls->lent_cap = 0;
    free(tls->pending);
    free(tls->pending_nodes);
    tls->pending = NULL;
    tls->pending_nodes = NULL;
    tls->npending = tls->pending_cap = tls->pending_nodes_cap = 0;
}

orr_tensor *orr__handle_oom(void)
{
    orr__slot *s = orr__slot_at(ORR__SLOT_OOM);
    atomic_store(&s->node, &oom_node);
    atomic_store(&s->gen, 1);
    (void)orr__fail_text(oom_info.status, oom_info.text); /* who asks for no tensor's status finds it, too */
    return (orr_tensor *)(uintptr_t)orr__slot_pack(ORR__SLOT_OOM, 1);
}

static orr__node *poison_node(orr_status st, const char *text)
{
    static const orr_shape none = { 0, { 0 } };
    orr__poison_info *info = malloc(sizeof *info);
    orr__node *n = info ? orr__node_new(ORR__SITE(NULL, 0, "poison"), &poison_op, ORR_F32, &none, 0, NULL) : NULL;
    if (!n) {
        free(info);
        return NULL;
    }
    info->status = st;
    snprintf(info->text, sizeof info->text, "%s", text);
    n->poison = info;
    return n;
}

/* Takes n's reference; scope may be NULL. */
static inline orr_tensor *new_in(orr__tls *tls, orr__scope *scope, orr__node *n)
{
    if (!tls->nslot && !orr__slots_refill(tls)) {
        orr__node_unref(n);
        return orr__handle_oom();
    }
    uint32_t i = tls->slot[--tls->nslot];
    orr__slot *s = orr__slot_at(i);
    unsigned gen = atomic_load_explicit(&s->gen, memory_order_relaxed) + 1;
    uint64_t h = orr__slot_pack(i, gen);
    if (scope && !orr__scope_add(scope, h)) {
        tls->slot[tls->nslot++] = i;
        orr__node_unref(n);
        return orr__handle_oom();
    }
    s->scope = scope;
    s->variable = false;
    atomic_store_explicit(&s->keeper, (unsigned char)tls->keeper, memory_order_relaxed);
    atomic_store_explicit(&s->node, n, memory_order_relaxed);
    atomic_store_explicit(&s->gen, gen, memory_order_release);
    return (orr_tensor *)(uintptr_t)h;
}

orr_tensor *orr__handle_new(orr__node *n)
{
    if (!n && !(n = poison_node(orr_error_status(), orr_error_message())))
        return orr__handle_oom();
    orr__tls *tls = orr__tls_now();
    return new_in(tls, tls->scope, n);
}

/* -- variables' values ---------------------------------------------------------------------------------------- */

static bool lent_room(orr__tls *tls)
{
    if (tls->nlent < tls->lent_cap)
        return true;
    size_t cap = tls->lent_cap ? 2 * tls->lent_cap : 32;
    uint64_t *more = orr__realloc_n(tls->lent, cap, sizeof *more);
    if (more) {
        tls->lent = more;
        tls->lent_cap = cap;
    }
    return more != NULL;
}

/* Another thread may assign the variable while this one looks at its value. So that gets a handle more, of no scope, until the
 * call is over: the end of the scope in which it began, the next evaluation or orr_free of this thread, or the shutdown. */
static orr__node *lend(orr__slot *s)
{
    orr__tls *tls = orr__tls_now();
    pthread_mutex_lock(&assigning);
    orr__node *n = orr__node_ref(atomic_load(&s->node));
    pthread_mutex_unlock(&assigning);
    uint64_t last = tls->nlent ? tls->lent[tls->nlent - 1] : 0;
    const orr__slot *same = last ? orr__slot_of(last) : NULL;
    if (same && atomic_load_explicit(&same->node, memory_order_relaxed) == n) {
        orr__node_unref(n);
        return n;
    }
    if (!lent_room(tls)) {
        orr__node_unref(n);
        return &oom_node;
    }
    uint64_t h = orr__handle_bits(new_in(tls, NULL, n));
    if ((uint32_t)h == ORR__SLOT_OOM)
        return &oom_node;
    tls->lent[tls->nlent++] = h;
    return n;
}

void orr__lent_drop(orr__tls *tls, size_t keep)
{
    while (tls->nlent > keep)
        (void)orr__slot_free(tls->lent[--tls->nlent]);
}

void orr__calls_over(void)
{
    orr__lent_drop(orr__tls_get(), 0);
}

static inline orr__node *look(const orr_tensor *t)
{
    orr__slot *s = orr__slot_of((uint64_t)(uintptr_t)t);
    if (!s)
        return NULL;
    return s->variable ? lend(s) : atomic_load_explicit(&s->node, memory_order_acquire);
}

orr__node *orr__handle_node(const orr_tensor *t)
{
    return look(t);
}

bool orr__handle_is_variable(const orr_tensor *t)
{
    orr__slot *s = orr__slot_of(orr__handle_bits(t));
    return s && s->variable;
}

bool orr__slot_live(uint64_t handle)
{
    return orr__slot_of(handle) != NULL;
}

bool orr__slot_owned_by(uint64_t handle, const orr__scope *scope)
{
    orr__slot *s = orr__slot_of(handle);
    return s && s->scope == scope;
}

void orr__slot_set_scope(uint64_t handle, orr__scope *scope)
{
    orr__slot *s = orr__slot_of(handle);
    if (s)
        s->scope = scope;
}

void orr__slot_make_variable(uint64_t handle)
{
    orr__slot *s = orr__slot_of(handle);
    if (s)
        s->variable = true;
}

orr__node *orr__slot_swap(uint64_t handle, orr__node *n)
{
    orr__slot *s = orr__slot_of(handle);
    pthread_mutex_lock(&assigning);
    orr__node *old = s ? atomic_exchange(&s->node, n) : n;
    pthread_mutex_unlock(&assigning);
    return old;
}

/* With the lock of the slot's keeper: the handle names nothing from now on. Its node, whose reference is the caller's; NULL: another
 * thread was first. */
static inline orr__node *end_handle(orr__slot *s, unsigned gen)
{
    if (atomic_load_explicit(&s->gen, memory_order_relaxed) != gen)
        return NULL;
    orr__node *n = atomic_load_explicit(&s->node, memory_order_acquire);
    atomic_store_explicit(&s->gen, gen + 1, memory_order_release);
    return n;
}

/* For the thread's next handle. */
static inline void slot_keep(orr__tls *tls, uint32_t i)
{
    if (tls->nslot == ORR__SLOT_CACHE)
        orr__slots_give_back(tls, ORR__SLOT_CACHE / 2);
    tls->slot[tls->nslot++] = i;
}

bool orr__slot_free(uint64_t handle)
{
    orr__tls *tls = orr__tls_get();
    orr__slot *s = orr__slot_of(handle);
    if (!s || (uint32_t)handle == ORR__SLOT_OOM)
        return s != NULL;
    pthread_mutex_t *lock = &freeing[atomic_load_explicit(&s->keeper, memory_order_relaxed)];
    pthread_mutex_lock(lock);
    orr__node *n = end_handle(s, (unsigned)(handle >> 32));
    pthread_mutex_unlock(lock);
    if (!n)
        return false;
    orr__node_unref(n);
    if (orr__slots_begin(tls)) /* else the slot is lost, as in slots_give_back */
        slot_keep(tls, (uint32_t)handle);
    return true;
}

/* Ends the handles that are the scope's and made by this thread, the latest first; leaves their nodes at the end of its list, and
 * says where. Those of other makers, of which there are hardly any, are freed one by one. */
static size_t end_owned(orr__tls *tls, const orr__scope *scope)
{
    size_t top = scope->n;
    pthread_mutex_t *mine = &freeing[tls->keeper];
    pthread_mutex_lock(mine);
    for (size_t i = scope->n; i-- > 0;) {
        uint64_t h = scope->item[i];
        orr__slot *s = orr__slot_of(h);
        if (!s || s->scope != scope || (uint32_t)h == ORR__SLOT_OOM)
            continue;
        if (!tls->slot || atomic_load_explicit(&s->keeper, memory_order_relaxed) != tls->keeper) {
            pthread_mutex_unlock(mine);
            (void)orr__slot_free(h);
            pthread_mutex_lock(mine);
            continue;
        }
        orr__node *n = end_handle(s, (unsigned)(h >> 32));
        if (!n)
            continue;
        slot_keep(tls, (uint32_t)h);
        scope->item[--top] = (uint64_t)(uintptr_t)n;
    }
    pthread_mutex_unlock(mine);
    return top;
}

void orr__slots_free_owned(orr__tls *tls, const orr__scope *scope)
{
    (void)orr__slots_begin(tls);
    size_t first = scope->n ? end_owned(tls, scope) : 0;
    for (size_t i = scope->n; i-- > first;)
        orr__node_unref((orr__node *)(uintptr_t)scope->item[i]);
}

void orr__handles_shutdown(void)
{
    uint32_t made = orr__slots_made();
    for (uint32_t i = ORR__SLOT_OOM + 1; i < made; i++) {
        orr__slot *s = orr__slot_at(i);
        unsigned gen = s ? atomic_load(&s->gen) : 0;
        if (gen & 1)
            (void)orr__slot_free(orr__slot_pack(i, gen));
    }
    atomic_fetch_add(&orr__shutdowns, 1);
    orr__pending_clear();
}

orr_tensor *orr__poison(orr__site at, orr_status st, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    (void)orr__fail(at, st, "%s", text);
    return orr__handle_new(NULL);
}

bool orr__operands(orr__site at, int n, const orr_tensor *const *t, const char *const *names, orr__node **node,
                   orr_tensor **out)
{
    for (int i = 0; i < n; i++) {
        node[i] = t[i] ? look(t[i]) : NULL;
        if (!node[i]) {
            const char *name = names ? names[i] : "operand";
            *out =
                t[i] ? orr__poison(at, ORR_EHANDLE,
                                   "%s is no live tensor: its scope has ended, it was freed, or it never was one", name)
                     : orr__poison(at, ORR_EINVAL, "%s is NULL", name);
            return false;
        }
        if (node[i]->poison) {
            *out = orr__handle_new(orr__node_ref(node[i]));
            return false;
        }
    }
    return true;
}
