/* Objects with checked addresses: slots of blocks that are never returned, and a list of the blocks.
 * Must not know: the content of an object. */
#include "config.h"
#include "runtime/base/object.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/fork.h"
#include "runtime/base/pool.h"

/* BLOCK: bytes of a block and its alignment. TABLE: places for blocks, which bound the number of live objects. */
enum { BLOCK = 1 << 16, TABLE = 1 << 14, ALIGN = 64 }; /* limit of memory */

typedef struct slot {
    atomic_bool live;
    struct slot *next; /* of an ended one */
} slot;

/* A block has slots of one kind: its object follows each slot's head. */
typedef struct block {
    const orr__object_kind *kind;
    size_t stride;
    uint32_t n;
} block;

/* The free slots of a kind: those that no object had yet, and those that have ended, the first the longest ago. */
typedef struct {
    const orr__object_kind *kind;
    slot *fresh, *first, *last;
    int64_t ended;
} rest;

enum { KINDS = 64 };
static struct {
    pthread_mutex_t lock; /* guards all but `at`, to which blocks are only added */
    block *_Atomic at[TABLE];
    int blocks;
    rest rest[KINDS];
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t hash(uintptr_t base)
{
    return (size_t)((uint64_t)(base / BLOCK) * 0x9E3779B97F4A7C15u >> 32) & (TABLE - 1);
}

/* The block that begins at this address, or NULL. */
static const block *block_at(uintptr_t base)
{
    const block *b;
    for (size_t i = hash(base); (b = atomic_load_explicit(&table.at[i], memory_order_acquire));
         i = (i + 1) & (TABLE - 1))
        if ((uintptr_t)b == base)
            return b;
    return NULL;
}

static slot *slot_of(const block *b, uint32_t i)
{
    return (slot *)(uintptr_t)((const char *)b + ALIGN + i * b->stride);
}

static void *object_of(slot *s)
{
    return (char *)s + ALIGN;
}

/* The slot of an object that the kind has or had, or NULL. */
static slot *find(const orr__object_kind *kind, const void *object)
{
    uintptr_t p = (uintptr_t)object, base = p & ~(uintptr_t)(BLOCK - 1);
    const block *b = p ? block_at(base) : NULL;
    if (!b || b->kind != kind || p < base + 2 * (uintptr_t)ALIGN)
        return NULL;
    size_t at = p - base - 2 * (size_t)ALIGN;
    return at % b->stride == 0 && at / b->stride < b->n ? slot_of(b, (uint32_t)(at / b->stride)) : NULL;
}

bool orr__object_is(const orr__object_kind *kind, const void *object)
{
    slot *s = find(kind, object);
    return s && atomic_load_explicit(&s->live, memory_order_acquire);
}

orr_status orr__object_check(orr__site at, const orr__object_kind *kind, const void *object)
{
    if (orr__object_is(kind, object))
        return ORR_OK;
    return object ? orr__fail(at, ORR_EHANDLE, "the %s is none: it was freed, or never was one", kind->noun)
                  : orr__fail(at, ORR_EINVAL, "the %s is NULL", kind->noun);
}

bool orr__object_there(const char *op, const orr__object_kind *kind, const void *object)
{
    return object && orr__object_check(ORR__SITE(NULL, 0, op), kind, object) == ORR_OK;
}

/* Under the lock; NULL: more kinds than places. */
static rest *rest_of(const orr__object_kind *kind)
{
    for (int k = 0; k < KINDS; k++)
        if (table.rest[k].kind == kind || !table.rest[k].kind) {
            table.rest[k].kind = kind;
            return &table.rest[k];
        }
    return NULL;
}

/* A new block. Under the lock. */
static bool grow(rest *r)
{
    size_t stride = ALIGN + (r->kind->bytes + ALIGN - 1) / ALIGN * ALIGN;
    block *b = 4 * (table.blocks + 1) < 3 * TABLE && stride <= BLOCK / 4 ? aligned_alloc(BLOCK, BLOCK) : NULL;
    if (!b)
        return false;
    memset(b, 0, BLOCK);
    *b = (block){ r->kind, stride, (uint32_t)((BLOCK - ALIGN) / stride) };
    for (uint32_t i = b->n; i-- > 0;) {
        slot *s = slot_of(b, i);
        s->next = r->fresh;
        r->fresh = s;
    }
    size_t i = hash((uintptr_t)b);
    while (atomic_load(&table.at[i]))
        i = (i + 1) & (TABLE - 1);
    atomic_store_explicit(&table.at[i], b, memory_order_release);
    table.blocks++;
    return true;
}

/* A free slot, or NULL. Under the lock. */
static slot *take(rest *r)
{
    bool again = r->ended > ORR__OBJECTS_RESTING;
    if (!again && !r->fresh && !grow(r))
        return NULL;
    slot *s = again ? r->first : r->fresh;
    *(again ? &r->first : &r->fresh) = s->next;
    r->ended -= again;
    return s;
}

static void guard(void)
{
    orr__fork_guard(&table.lock);
}

void *orr__object_new(const orr__object_kind *kind)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    slot *s = NULL;
    (void)pthread_once(&once, guard);
    if (!orr__pool_must_fail()) {
        pthread_mutex_lock(&table.lock);
        rest *r = rest_of(kind);
        s = r ? take(r) : NULL;
        pthread_mutex_unlock(&table.lock);
    }
    if (!s) {
        orr__pool_report(kind->bytes);
        return NULL;
    }
    atomic_store_explicit(&s->live, true, memory_order_release);
    return object_of(s);
}

void orr__object_end(const orr__object_kind *kind, void *object)
{
    slot *s = find(kind, object);
    if (!s || !atomic_exchange(&s->live, false))
        return;
    memset(object, 0, kind->bytes);
    pthread_mutex_lock(&table.lock);
    rest *r = rest_of(kind);
    s->next = NULL;
    *(r->ended ? &r->last->next : &r->first) = s;
    r->last = s;
    r->ended++;
    pthread_mutex_unlock(&table.lock);
}
