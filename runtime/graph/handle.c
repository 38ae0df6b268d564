/* Handles: the names by which users hold nodes; their creation and end.
 * Must not know: what an op means. */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include "runtime/base/decimal.h"
#include "runtime/base/env.h"
#include "runtime/base/error_site.h"
#include "runtime/base/fence.h"
#include "runtime/base/fork.h"
#include "runtime/base/held.h"
#include "runtime/graph/distribution.h"
#include "runtime/graph/handle_slot.h"

static orr__poison_info oom_info = { ORR_ENOMEM, "no memory for a tensor" };
static orr__node oom_node = { .refs = 1 << 30, .op = &orr__op_poison, .poison = &oom_info };

atomic_uint orr__shutdowns;

/* Any thread may free a handle while another reads it. The lock of the handle's keeper, which several keepers share, guards the handle's
 * end, its variable's new value, and every read by a thread other than the maker; such a reader gets a reference. The maker, which makes
 * most reads, needs neither lock nor reference. It sets `borrowing` meanwhile, and other threads that end its handles then leave the
 * nodes' references to it. Only slots are accessed under a lock. */
enum { LOCKS = 8 };
static pthread_mutex_t locks[LOCKS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

static inline pthread_mutex_t *lock_of(unsigned keeper)
{
    return &locks[keeper % LOCKS];
}

static inline unsigned keeper_of(orr__slot *s)
{
    return atomic_load_explicit(&s->keeper, memory_order_relaxed);
}

/* The slot with its lock held, if the handle is live; else NULL and no lock. */
static orr__slot *lock_live(uint64_t handle, pthread_mutex_t **lock)
{
    orr__slot *s = orr__slot_of(handle);
    if (!s)
        return NULL;
    *lock = lock_of(keeper_of(s)); /* if another handle has the slot by now, the generation differs */
    pthread_mutex_lock(*lock);
    if (atomic_load_explicit(&s->gen, memory_order_relaxed) == (unsigned)(handle >> 32))
        return s;
    pthread_mutex_unlock(*lock);
    return NULL;
}

/* In the child of a fork the other threads do not exist: their keepers borrow nothing. */
static void in_child(void)
{
    for (unsigned k = 0; k < ORR__KEEPERS; k++)
        if (atomic_load(&orr__keepers[k].borrowing) && k != orr__tls_get()->keeper)
            atomic_store(&orr__keepers[k].borrowing, false);
    orr__fences_begin();
}

void orr__handles_guard(void)
{
    for (int i = 0; i < LOCKS; i++)
        orr__fork_guard(&locks[i]); /* before the table's, which is acquired inside */
    orr__slots_guard();
    orr__fences_begin();
    (void)pthread_atfork(NULL, NULL, in_child);
}

uint64_t orr__handle_bits(const orr_tensor *t)
{
    return (uint64_t)(uintptr_t)t;
}

void orr__handles_thread_exit(orr__tls *tls)
{
    orr__pending_clear();
    orr__lent_drop(tls, 0);
    orr__borrow_end(tls);
    orr__slots_give_back(tls, 0);
    free(orr__unhold(ORR_MEMORY_GRAPHS, tls->slot));
    tls->slot = NULL;
    orr__keeper_give_back(tls->keeper);
    tls->keeper = ORR__NO_KEEPER;
    free(tls->lent);
    tls->lent = NULL;
    tls->lent_cap = 0;
    orr__formers_thread_exit(tls);
    free(tls->pending);
    free(tls->pending_at);
    free(tls->pending_nodes);
    tls->pending = tls->pending_at = NULL;
    tls->pending_nodes = NULL;
    tls->npending = tls->pending_cap = tls->pending_nodes_cap = 0;
}

orr_tensor *orr__handle_oom(void)
{
    orr__slot *s = orr__slot_at(ORR__SLOT_OOM);
    atomic_store(&s->node, &oom_node);
    atomic_store(&s->gen, 1);
    (void)orr__fail_text(oom_info.status, oom_info.text); /* for callers that read the last error, no tensor's status */
    return (orr_tensor *)(uintptr_t)orr__slot_pack(ORR__SLOT_OOM, 1);
}

orr__node *orr__poison_node(void)
{
    static const orr_shape none = { 0, { 0 } };
    orr__poison_info *info = malloc(sizeof *info);
    orr__node *n = info ? orr__node_new(orr__error_site("poison"), &orr__op_poison, ORR_F32, &none, 0, NULL) : NULL;
    if (!n) {
        free(info);
        return NULL;
    }
    info->status = orr_error_status();
    snprintf(info->text, sizeof info->text, "%s", orr_error_message());
    n->poison = info;
    if (orr__tls_get()->common)
        n->tracked = ORR__COMMON;
    return n;
}

/* Takes over n's reference; scope may be NULL. */
static inline __attribute__((always_inline)) orr_tensor *new_in(orr__tls *tls, orr__scope *scope, orr__node *n)
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
    atomic_store_explicit(&s->scope, scope, memory_order_relaxed);
    atomic_store_explicit(&s->variable, false, memory_order_relaxed);
    atomic_store_explicit(&s->lent, false, memory_order_relaxed);
    atomic_store_explicit(&s->keeper, (unsigned short)tls->keeper, memory_order_relaxed);
    /* A thread that sees the node also sees that the generation before has ended. */
    atomic_store_explicit(&s->node, n, memory_order_release);
    atomic_store_explicit(&s->gen, gen, memory_order_release);
    return (orr_tensor *)(uintptr_t)h;
}

orr_tensor *orr__handle_new(orr__node *n)
{
    if (!n && !(n = orr__poison_node()))
        return orr__handle_oom();
    orr__tls *tls = orr__tls_now();
    tls->common = false;
    return new_in(tls, tls->scope, n);
}

uint64_t orr__handle_hold(orr__node *n)
{
    orr_tensor *t = new_in(orr__tls_now(), NULL, orr__node_ref(n));
    if ((uint32_t)orr__handle_bits(t) == ORR__SLOT_OOM)
        return 0;
    orr__handle_lend(t, true);
    return orr__handle_bits(t);
}

/* Keeps slot i for the thread's next handle. */
static inline void slot_keep(orr__tls *tls, uint32_t i)
{
    if (tls->nslot == ORR__SLOT_CACHE)
        orr__slots_give_back(tls, ORR__SLOT_CACHE / 2);
    tls->slot[tls->nslot++] = i;
}

/* -- reads of nodes ------------------------------------------------------------------------------------------- */

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

static orr__node *node_referred(uint64_t handle)
{
    pthread_mutex_t *lock;
    orr__slot *s = lock_live(handle, &lock);
    orr__node *n = s ? orr__node_ref(atomic_load_explicit(&s->node, memory_order_relaxed)) : NULL;
    if (s)
        pthread_mutex_unlock(lock);
    return n;
}

static bool lent_lately(const orr__tls *tls, const orr__node *n)
{
    for (size_t i = tls->nlent; i-- > 0 && i + 3 >= tls->nlent;) {
        const orr__slot *s = orr__slot_of(tls->lent[i]);
        if (s && atomic_load_explicit(&s->node, memory_order_relaxed) == n)
            return true;
    }
    return false;
}

/* Another thread may free the tensor, or assign the variable, while this thread reads the node. So the node gets one more handle, of no
 * scope, until the call is over: the end of the scope in which it began, the next evaluation or orr_free of this thread, or the
 * shutdown. */
static orr__node *lend(uint64_t handle)
{
    orr__tls *tls = orr__tls_now();
    orr__node *n = node_referred(handle);
    if (!n)
        return NULL;
    if (lent_lately(tls, n)) {
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

/* Releases the nodes of the slots in the list from i, whose handles have ended. The slots go to the calling thread. */
static void give_up(orr__tls *tls, uint32_t i)
{
    bool keep = orr__slots_begin(tls); /* else the slots are lost, as in slots_give_back */
    while (i) {
        orr__slot *s = orr__slot_at(i);
        uint32_t next = atomic_load_explicit(&s->next, memory_order_relaxed);
        orr__node_unref(atomic_load_explicit(&s->node, memory_order_relaxed));
        if (keep)
            slot_keep(tls, i);
        i = next;
    }
}

/* From here on the thread reads nodes of its own handles without references. The fence pairs with that of `leave`: another thread that
 * ends such a handle sees `borrowing`, or this thread sees the end. */
static void borrow_begin(orr__tls *tls)
{
    tls->borrowing = true;
    atomic_store_explicit(&orr__keepers[tls->keeper].borrowing, true, memory_order_relaxed);
    orr__fence_light();
}

void orr__borrow_end(orr__tls *tls)
{
    orr__keeper *k = &orr__keepers[tls->keeper];
    if (!tls->borrowing)
        return;
    tls->borrowing = false;
    atomic_store_explicit(&k->borrowing, false, memory_order_release);
    orr__fence_light();
    if (atomic_load_explicit(&k->left, memory_order_relaxed))
        give_up(tls, atomic_exchange(&k->left, 0));
}

void orr__calls_over(void)
{
    orr__tls *tls = orr__tls_get();
    tls->common = false;
    orr__lent_drop(tls, 0);
    orr__borrow_end(tls);
}

static inline orr__node *look(const orr_tensor *t)
{
    uint64_t handle = orr__handle_bits(t);
    orr__slot *s = orr__slot_of(handle);
    if (!s)
        return NULL;
    orr__tls *tls = orr__tls_get();
    if (keeper_of(s) != tls->keeper || tls->keeper == ORR__NO_KEEPER ||
        atomic_load_explicit(&s->variable, memory_order_relaxed))
        return (uint32_t)handle == ORR__SLOT_OOM ? &oom_node : lend(handle);
    if (!tls->borrowing)
        borrow_begin(tls);
    orr__node *n = atomic_load_explicit(&s->node, memory_order_acquire);
    return atomic_load_explicit(&s->gen, memory_order_acquire) == (unsigned)(handle >> 32) ? n : NULL;
}

orr__node *orr__handle_node(const orr_tensor *t)
{
    return look(t);
}

bool orr__handle_is_variable(const orr_tensor *t)
{
    orr__slot *s = orr__slot_of(orr__handle_bits(t));
    return s && atomic_load_explicit(&s->variable, memory_order_relaxed);
}

void orr__handle_lend(const orr_tensor *t, bool lent)
{
    orr__slot *s = orr__slot_of(orr__handle_bits(t));
    if (s)
        atomic_store_explicit(&s->lent, lent, memory_order_relaxed);
}

bool orr__handle_lent(const orr_tensor *t)
{
    orr__slot *s = orr__slot_of(orr__handle_bits(t));
    return s && atomic_load_explicit(&s->lent, memory_order_relaxed);
}

bool orr__slot_live(uint64_t handle)
{
    return orr__slot_of(handle) != NULL;
}

bool orr__slot_owned_by(uint64_t handle, const orr__scope *scope)
{
    orr__slot *s = orr__slot_of(handle);
    return s && atomic_load_explicit(&s->scope, memory_order_relaxed) == scope;
}

bool orr__slot_set_scope(uint64_t handle, orr__scope *scope)
{
    pthread_mutex_t *lock;
    orr__slot *s = lock_live(handle, &lock);
    if (!s)
        return false;
    atomic_store_explicit(&s->scope, scope, memory_order_relaxed);
    pthread_mutex_unlock(lock);
    return true;
}

void orr__slot_make_variable(uint64_t handle)
{
    orr__slot *s = orr__slot_of(handle);
    if (s)
        atomic_store_explicit(&s->variable, true, memory_order_relaxed);
}

orr__node *orr__slot_swap(uint64_t handle, orr__node *n)
{
    pthread_mutex_t *lock;
    orr__slot *s = lock_live(handle, &lock);
    if (!s)
        return n;
    orr__node *old = atomic_load_explicit(&s->node, memory_order_relaxed);
    atomic_store_explicit(&s->node, n, memory_order_release);
    pthread_mutex_unlock(lock);
    return old;
}

orr__node *orr__slot_restore(uint64_t handle, const orr__node *n, orr__node *before)
{
    pthread_mutex_t *lock;
    orr__slot *s = lock_live(handle, &lock);
    if (!s)
        return before;
    orr__node *now = atomic_load_explicit(&s->node, memory_order_relaxed);
    if (now == n)
        atomic_store_explicit(&s->node, before, memory_order_release);
    pthread_mutex_unlock(lock);
    return now == n ? now : before;
}

/* Called with the lock of slot i, whose handle has just ended. Returns the first of the slots to release now, 0: none. Another thread
 * that is the keeper may be reading the node: the slot is then left to it, unless it has stopped borrowing meanwhile. */
static uint32_t leave(const orr__tls *tls, uint32_t i, orr__slot *s)
{
    unsigned number = keeper_of(s);
    orr__keeper *k = &orr__keepers[number];
    atomic_store_explicit(&s->next, 0, memory_order_relaxed);
    if (number == tls->keeper)
        return i;
    orr__fence_heavy();
    if (!atomic_load(&k->borrowing))
        return i;
    unsigned first = atomic_load(&k->left);
    do
        atomic_store_explicit(&s->next, first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&k->left, &first, i));
    orr__fence_heavy();
    return atomic_load(&k->borrowing) ? 0 : atomic_exchange(&k->left, 0);
}

bool orr__slot_free(uint64_t handle)
{
    orr__tls *tls = orr__tls_get();
    pthread_mutex_t *lock;
    if ((uint32_t)handle == ORR__SLOT_OOM)
        return orr__slot_of(handle) != NULL;
    orr__slot *s = lock_live(handle, &lock);
    if (!s)
        return false;
    atomic_store_explicit(&s->gen, (unsigned)(handle >> 32) + 1, memory_order_release);
    uint32_t ended = leave(tls, (uint32_t)handle, s);
    pthread_mutex_unlock(lock);
    give_up(tls, ended);
    return true;
}

/* Ends the scope's handles that this thread made, the latest first, under one lock. Their nodes go to the end of the scope's list, from
 * the returned index on. Handles of other makers, which are rare, are freed one by one. */
static size_t end_owned(orr__tls *tls, const orr__scope *scope)
{
    size_t top = scope->n;
    pthread_mutex_t *mine = lock_of(tls->keeper);
    pthread_mutex_lock(mine);
    for (size_t i = scope->n; i-- > 0;) {
        uint64_t h = scope->item[i];
        orr__slot *s = orr__slot_of(h);
        if (!s || atomic_load_explicit(&s->scope, memory_order_relaxed) != scope || (uint32_t)h == ORR__SLOT_OOM)
            continue;
        if (!tls->slot || keeper_of(s) != tls->keeper) {
            pthread_mutex_unlock(mine);
            (void)orr__slot_free(h);
            pthread_mutex_lock(mine);
            continue;
        }
        if (atomic_load_explicit(&s->gen, memory_order_relaxed) != (unsigned)(h >> 32))
            continue;
        orr__node *n = atomic_load_explicit(&s->node, memory_order_relaxed);
        atomic_store_explicit(&s->gen, (unsigned)(h >> 32) + 1, memory_order_release);
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

/* -- forgotten scopes ------------------------------------------------------------------------------------------ */

/* MANY: handles of no scope at which the first warning comes; the next ones at twice as many. LINES: places for source lines. */
enum { MANY = 100000, LINES = 1024 }; /* limit of a promise */

typedef struct {
    const char *file;
    int line;
    uint32_t n;
} maker;

/* Adds one handle to its line; lines beyond the table's places are left out. */
static void add_maker(maker *m, const char *file, int line)
{
    size_t i = (size_t)(((uintptr_t)file ^ (uintptr_t)line) * 0x9E3779B97F4A7C15u >> 40) % LINES;
    for (int tries = 0; tries < 8; tries++, i = (i + 1) % LINES)
        if (!m[i].n || (m[i].file == file && m[i].line == line)) {
            m[i] = (maker){ file, line, m[i].n + 1 };
            return;
        }
}

/* The number of live handles of no scope that no object owns. At the end neither variables count, whose life is often the program's, nor
 * tensors of calls without a line: in other languages objects own them, and those of a main program in Fortran outlive it. */
static uint32_t count_unscoped(uint32_t made, maker *m, bool at_end)
{
    uint32_t n = 0;
    for (uint32_t i = ORR__SLOT_OOM + 1; i < made; i++) {
        orr__slot *s = orr__slot_at(i);
        unsigned gen = s ? atomic_load_explicit(&s->gen, memory_order_acquire) : 0;
        pthread_mutex_t *lock;
        if (!(gen & 1) || !lock_live(orr__slot_pack(i, gen), &lock))
            continue;
        if (!atomic_load_explicit(&s->scope, memory_order_relaxed) &&
            !atomic_load_explicit(&s->lent, memory_order_relaxed)) {
            const orr__node *node = atomic_load_explicit(&s->node, memory_order_acquire);
            if (!at_end || (node->line > 0 && !atomic_load_explicit(&s->variable, memory_order_relaxed))) {
                add_maker(m, node->file, node->line);
                n++;
            }
        }
        pthread_mutex_unlock(lock);
    }
    return n;
}

static const maker *most_of(const maker *m)
{
    const maker *most = m;
    for (int i = 1; i < LINES; i++)
        most = m[i].n > most->n ? &m[i] : most;
    return most;
}

void orr__handles_count(uint32_t made)
{
    static atomic_uint next = MANY, warned = MANY;
    unsigned limit = atomic_load_explicit(&next, memory_order_relaxed);
    if (made < limit || !atomic_compare_exchange_strong(&next, &limit, made + made / 4))
        return;
    maker *m = calloc(LINES, sizeof *m);
    uint32_t n = m ? count_unscoped(made, m, false) : 0;
    if (n >= atomic_load(&warned)) {
        const maker *most = most_of(m);
        atomic_store(&warned, 2 * n);
        orr__log(1,
                 "%u tensors are live and belong to no scope, %u of them made at %s:%d: put the work of a step between "
                 "orr_scope_begin and orr_scope_end, or orr_free what is not needed",
                 n, most->n, most->file ? most->file : "?", most->line);
    }
    free(m);
}

/* A tensor that no scope owns is freed at the shutdown alone: its memory is in use until then, which a loop makes a leak. */
static void report_unscoped(uint32_t made)
{
    maker *m = calloc(LINES, sizeof *m);
    uint32_t n = m ? count_unscoped(made, m, true) : 0;
    if (n) {
        const maker *most = most_of(m);
        orr__log(
            1,
            "shutdown: %u tensor%s that no scope owned %s never freed, %u of them made at %s:%d: call orr_scope_begin "
            "before they are made, or orr_free",
            n, n == 1 ? "" : "s", n == 1 ? "was" : "were", most->n, most->file ? most->file : "?", most->line);
    }
    free(m);
}

void orr__handles_shutdown(void)
{
    uint32_t made = orr__slots_made();
    orr__calls_over();
    report_unscoped(made);
    for (uint32_t i = ORR__SLOT_OOM + 1; i < made; i++) {
        orr__slot *s = orr__slot_at(i);
        unsigned gen = s ? atomic_load(&s->gen) : 0;
        if (gen & 1)
            (void)orr__slot_free(orr__slot_pack(i, gen));
    }
    for (unsigned k = 0; k < ORR__KEEPERS; k++) /* no call is under way */
        give_up(orr__tls_get(), atomic_exchange(&orr__keepers[k].left, 0));
    atomic_fetch_add(&orr__shutdowns, 1);
    orr__pending_clear();
    orr__formers_drop_all();
}

orr_tensor *orr__poison(orr__site at, orr_status st, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    orr__decimal_vprint(text, sizeof text, fmt, ap);
    va_end(ap);
    (void)orr__fail(at, st, "%s", text);
    return orr__handle_new(NULL);
}

static ORR__COLD bool any_common(int n, const orr_tensor *const *t)
{
    bool any = false;
    for (int i = 0; i < n && !any; i++) {
        const orr__node *x = t[i] ? look(t[i]) : NULL;
        any = x && orr__node_is_common(x);
    }
    return any;
}

/* The poison of an operand, whose result is common if another operand is. */
static ORR__COLD orr_tensor *pass_on(orr__node *poison)
{
    if (!orr__tls_get()->common || orr__node_is_common(poison))
        return orr__handle_new(orr__node_ref(poison));
    (void)orr__fail_text(poison->poison->status, poison->poison->text);
    return orr__handle_new(NULL);
}

orr_tensor *orr__poison_in_common(orr_tensor *t)
{
    orr__node *n = look(t);
    atomic_store(&orr__distributed, true);
    if (!n || !n->poison || orr__node_is_common(n))
        return t;
    orr__tls_get()->common = true;
    orr_tensor *common = pass_on(n);
    (void)orr_free_at(NULL, 0, t);
    return common;
}

bool orr__operands(orr__site at, int n, const orr_tensor *const *t, const char *const *names, orr__node **node,
                   orr_tensor **out)
{
    if (orr__distributions_exist())
        orr__tls_get()->common = any_common(n, t);
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
            *out = pass_on(node[i]);
            return false;
        }
    }
    return true;
}
