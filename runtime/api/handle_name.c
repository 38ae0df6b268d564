/* Checked names for events and graphs: a slot number and the slot's generation, as for tensors.
 * Must not know: events, graphs. */
#include "config.h"
#include "runtime/api/handle_name.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include "runtime/base/buffer.h"
#include "runtime/base/fork.h"
#include "runtime/base/status.h"

/* A slot. Its generation (high half) and the references to its object (low half) are one word: acquiring a reference is one
 * compare-and-swap that fails for a stale name, and needs no lock. The generation grows when the name is taken. */
typedef struct orr__name {
    _Atomic uint64_t word;
    orr__named *object; /* valid while there are references */
    uint32_t index, next;
} slot;

/* Block b has FIRST << b slots, which never move. */
enum { FIRST = 64, BLOCKS = 26 }; /* limit of memory */
static struct {
    pthread_mutex_t lock; /* guards n and free; blocks are added under it */
    slot *_Atomic block[BLOCKS];
    uint32_t n, free; /* free: 1 + the first free slot, 0: none */
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int block_of(uint32_t i, uint32_t *at)
{
    int b = 31 - __builtin_clz(i / FIRST + 1);
    *at = i - FIRST * ((1u << b) - 1);
    return b;
}

/* NULL: the slot's block does not exist. */
static slot *slot_of(uint32_t i)
{
    uint32_t at;
    int b = block_of(i, &at);
    slot *first = b < BLOCKS ? atomic_load_explicit(&table.block[b], memory_order_acquire) : NULL;
    return first ? &first[at] : NULL;
}

/* Under the lock. */
static slot *fresh(void)
{
    uint32_t at;
    int b = block_of(table.n, &at);
    if (b >= BLOCKS) {
        (void)orr__fail(ORR__SITE(NULL, 0, "name"), ORR_ENOMEM, "no number is left for a name");
        return NULL;
    }
    slot *first = atomic_load(&table.block[b]);
    if (!first) {
        size_t n = (size_t)FIRST << b;
        if (!(first = orr__alloc_n(n, sizeof *first)))
            return NULL;
        for (size_t i = 0; i < n; i++) {
            atomic_init(&first[i].word, (uint64_t)1 << 32);
            first[i].index = table.n + (uint32_t)i;
        }
        atomic_store_explicit(&table.block[b], first, memory_order_release);
    }
    table.n++;
    return &first[at];
}

static void guard(void)
{
    orr__fork_guard(&table.lock);
}

void *orr__token_new(orr__named *object)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    void *token = NULL;
    (void)pthread_once(&once, guard);
    pthread_mutex_lock(&table.lock);
    slot *s = table.free ? slot_of(table.free - 1) : fresh();
    if (s) {
        if (table.free)
            table.free = s->next;
        s->object = object;
        object->name = s;
        uint64_t word = atomic_load_explicit(&s->word, memory_order_relaxed) + 1;
        atomic_store_explicit(&s->word, word, memory_order_release);
        token = (void *)(uintptr_t)((word & ~(uint64_t)UINT32_MAX) | (s->index + 1));
    }
    pthread_mutex_unlock(&table.lock);
    return token;
}

void *orr__token_get(const void *token, bool take)
{
    uint64_t bits = (uint64_t)(uintptr_t)token;
    slot *s = (uint32_t)bits ? slot_of((uint32_t)bits - 1) : NULL;
    uint64_t word = s ? atomic_load_explicit(&s->word, memory_order_relaxed) : 0;
    while (s && word >> 32 == bits >> 32 && (uint32_t)word)
        if (atomic_compare_exchange_weak_explicit(&s->word, &word, word + (take ? (uint64_t)1 << 32 : 1),
                                                  memory_order_acquire, memory_order_relaxed))
            return s->object;
    return NULL;
}

bool orr__named_unref(orr__named *object)
{
    slot *s = object->name;
    if ((uint32_t)atomic_fetch_sub_explicit(&s->word, 1, memory_order_acq_rel) != 1)
        return false;
    pthread_mutex_lock(&table.lock);
    s->object = NULL;
    s->next = table.free;
    table.free = s->index + 1;
    pthread_mutex_unlock(&table.lock);
    return true;
}
