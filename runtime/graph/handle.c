/* Handles: the names by which users hold nodes. A handle is a slot number and the slot's generation packed into the
 * pointer's bits, so that a stale or foreign one is recognised without being followed.
 * Must not know: what an op means. */
#include "config.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include "runtime/base/fork.h"
#include "runtime/graph/tls.h"

_Static_assert(sizeof(uintptr_t) == 8, "handles need 64-bit pointers");

#define CHUNK 1024u
#define CHUNKS 65536u

typedef struct {
    atomic_uint gen; /* even: free, odd: live; the handle carries the odd value */
    bool variable;
    _Atomic(orr__node *) node;
    orr__scope *scope;
} slot;

/* Slot 0 is never used (NULL); slot 1 of the static first chunk is the poison of last resort. */
static slot chunk0[CHUNK];
static _Atomic(slot *) chunk[CHUNKS] = { chunk0 };
static struct {
    pthread_mutex_t lock;
    uint32_t *free;
    size_t nfree, cap;
    uint32_t made; /* slots handed out so far, ever */
} table = { .lock = PTHREAD_MUTEX_INITIALIZER, .made = 2 };

static const orr__op poison_op = { ORR__OP_POISON, "poison" };
static orr__poison_info oom_info = { ORR_ENOMEM, "no memory for a tensor" };
static orr__node oom_node = { .refs = 1 << 30, .op = &poison_op, .poison = &oom_info };

atomic_uint orr__shutdowns;

/* Around a look at a variable's node, and its replacement. */
static pthread_mutex_t assigning = PTHREAD_MUTEX_INITIALIZER;

void orr__handles_guard(void)
{
    orr__fork_guard(&table.lock);
    orr__fork_guard(&assigning);
}

static inline slot *slot_at(uint32_t i)
{
    if (i / CHUNK >= CHUNKS)
        return NULL;
    slot *c = atomic_load_explicit(&chunk[i / CHUNK], memory_order_acquire);
    return c ? &c[i % CHUNK] : NULL;
}

static inline uint64_t pack(uint32_t i, unsigned gen)
{
    return ((uint64_t)gen << 32) | i;
}

uint64_t orr__handle_bits(const orr_tensor *t)
{
    return (uint64_t)(uintptr_t)t;
}

/* The live slot that a handle names, or NULL. */
static inline slot *slot_of(uint64_t h)
{
    uint32_t i = (uint32_t)h;
    unsigned gen = (unsigned)(h >> 32);
    slot *s = i ? slot_at(i) : NULL;
    return s && (gen & 1) && atomic_load_explicit(&s->gen, memory_order_acquire) == gen ? s : NULL;
}

/* Whether the thread has its list of slots. */
static bool slots_begin(orr__tls *tls)
{
    return tls->slot || (tls->slot = malloc(ORR__SLOT_CACHE * sizeof *tls->slot));
}

static bool slots_refill(orr__tls *tls)
{
    if (!slots_begin(tls))
        return false;
    pthread_mutex_lock(&table.lock);
    while (tls->nslot < ORR__SLOT_CACHE / 2) {
        if (table.nfree) {
            tls->slot[tls->nslot++] = table.free[--table.nfree];
            continue;
        }
        uint32_t i = table.made;
        if (i / CHUNK >= CHUNKS)
            break;
        if (!atomic_load(&chunk[i / CHUNK])) {
            slot *c = calloc(CHUNK, sizeof *c);
            if (!c)
                break;
            atomic_store_explicit(&chunk[i / CHUNK], c, memory_order_release);
        }
        table.made++;
        tls->slot[tls->nslot++] = i;
    }
    pthread_mutex_unlock(&table.lock);
    return tls->nslot > 0;
}

/* Gives slots back until `keep` are left with the thread. A slot that finds no room in the list is lost, which costs
 * 32 bytes and nothing else. */
static void slots_give_back(orr__tls *tls, int keep)
{
    pthread_mutex_lock(&table.lock);
    while (tls->nslot > keep) {
        if (table.nfree == table.cap) {
            size_t cap = table.cap ? 2 * table.cap : 1024;
            uint32_t *more = realloc(table.free, cap * sizeof *more);
            if (!more)
                break;
            table.free = more;
            table.cap = cap;
        }
        table.free[table.nfree++] = tls->slot[--tls->nslot];
    }
    if (tls->nslot > keep)
        tls->nslot = keep;
    pthread_mutex_unlock(&table.lock);
}

void orr__handles_thread_exit(orr__tls *tls)
{
    orr__lent_drop(tls, 0);
    slots_give_back(tls, 0);
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

static orr_tensor *oom_handle(void)
{
    atomic_store(&chunk0[1].node, &oom_node);
    atomic_store(&chunk0[1].gen, 1);
    return (orr_tensor *)(uintptr_t)pack(1, 1);
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
    if (!tls->nslot && !slots_refill(tls)) {
        orr__node_unref(n);
        return oom_handle();
    }
    uint32_t i = tls->slot[--tls->nslot];
    slot *s = slot_at(i);
    unsigned gen = atomic_load_explicit(&s->gen, memory_order_relaxed) + 1;
    uint64_t h = pack(i, gen);
    if (scope && !orr__scope_add(scope, h)) {
        tls->slot[tls->nslot++] = i;
        orr__node_unref(n);
        return oom_handle();
    }
    s->scope = scope;
    s->variable = false;
    atomic_store_explicit(&s->node, n, memory_order_relaxed);
    atomic_store_explicit(&s->gen, gen, memory_order_release);
    return (orr_tensor *)(uintptr_t)h;
}

orr_tensor *orr__handle_new(orr__node *n)
{
    if (!n && !(n = poison_node(orr_error_status(), orr_error_message())))
        return oom_handle();
    orr__tls *tls = orr__tls_now();
    return new_in(tls, tls->scope, n);
}

/* -- variables' values ---------------------------------------------------------------------------------------- */

static bool lent_room(orr__tls *tls)
{
    if (tls->nlent < tls->lent_cap)
        return true;
    size_t cap = tls->lent_cap ? 2 * tls->lent_cap : 32;
    uint64_t *more = realloc(tls->lent, cap * sizeof *more);
    if (more) {
        tls->lent = more;
        tls->lent_cap = cap;
    }
    return more != NULL;
}

/* Another thread may assign the variable while this one looks at its value. So that gets a handle more, of no scope, until the
 * call is over: the end of the scope in which it began, the next evaluation or orr_free of this thread, or the shutdown. */
static orr__node *lend(slot *s)
{
    orr__tls *tls = orr__tls_now();
    if (!lent_room(tls))
        return &oom_node;
    pthread_mutex_lock(&assigning);
    orr__node *n = orr__node_ref(atomic_load(&s->node));
    pthread_mutex_unlock(&assigning);
    uint64_t last = tls->nlent ? tls->lent[tls->nlent - 1] : 0;
    const slot *same = last ? slot_of(last) : NULL;
    if (same && atomic_load_explicit(&same->node, memory_order_relaxed) == n) {
        orr__node_unref(n);
        return n;
    }
    uint64_t h = orr__handle_bits(new_in(tls, NULL, n));
    if ((uint32_t)h == 1)
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

orr__node *orr__handle_node(const orr_tensor *t)
{
    slot *s = slot_of(orr__handle_bits(t));
    if (!s)
        return NULL;
    return s->variable ? lend(s) : atomic_load_explicit(&s->node, memory_order_acquire);
}

bool orr__handle_is_variable(const orr_tensor *t)
{
    slot *s = slot_of(orr__handle_bits(t));
    return s && s->variable;
}

bool orr__slot_live(uint64_t handle)
{
    return slot_of(handle) != NULL;
}

bool orr__slot_owned_by(uint64_t handle, const orr__scope *scope)
{
    slot *s = slot_of(handle);
    return s && s->scope == scope;
}

void orr__slot_set_scope(uint64_t handle, orr__scope *scope)
{
    slot *s = slot_of(handle);
    if (s)
        s->scope = scope;
}

void orr__slot_make_variable(uint64_t handle)
{
    slot *s = slot_of(handle);
    if (s)
        s->variable = true;
}

orr__node *orr__slot_swap(uint64_t handle, orr__node *n)
{
    slot *s = slot_of(handle);
    pthread_mutex_lock(&assigning);
    orr__node *old = s ? atomic_exchange(&s->node, n) : n;
    pthread_mutex_unlock(&assigning);
    return old;
}

static inline bool slot_free(orr__tls *tls, slot *s, uint64_t handle)
{
    unsigned gen = (unsigned)(handle >> 32);
    if (!s || (uint32_t)handle == 1)
        return s != NULL;
    /* Of two threads that free the same handle one wins; the other sees a stale one. */
    orr__node *n = atomic_load(&s->node);
    if (!atomic_compare_exchange_strong(&s->gen, &gen, gen + 1))
        return false;
    orr__node_unref(n);
    if (!slots_begin(tls))
        return true; /* the slot is lost, as in slots_give_back */
    if (tls->nslot == ORR__SLOT_CACHE)
        slots_give_back(tls, ORR__SLOT_CACHE / 2);
    tls->slot[tls->nslot++] = (uint32_t)handle;
    return true;
}

bool orr__slot_free(uint64_t handle)
{
    return slot_free(orr__tls_get(), slot_of(handle), handle);
}

void orr__slots_free_owned(orr__tls *tls, const orr__scope *scope)
{
    for (size_t i = scope->n; i-- > 0;) {
        slot *s = slot_of(scope->item[i]);
        if (s && s->scope == scope)
            (void)slot_free(tls, s, scope->item[i]);
    }
}

void orr__handles_shutdown(void)
{
    pthread_mutex_lock(&table.lock);
    uint32_t made = table.made;
    pthread_mutex_unlock(&table.lock);
    for (uint32_t i = 2; i < made; i++) {
        slot *s = slot_at(i);
        unsigned gen = s ? atomic_load(&s->gen) : 0;
        if (gen & 1)
            (void)orr__slot_free(pack(i, gen));
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
        node[i] = t[i] ? orr__handle_node(t[i]) : NULL;
        if (!node[i]) {
            const char *name = names ? names[i] : "operand";
            *out = t[i] ? orr__poison(at, ORR_EHANDLE,
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
