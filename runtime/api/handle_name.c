/* Checked names for events and graphs: a slot number and the slot's generation, as tensors have them.
 * Must not know: events, graphs. */
#include "config.h"
#include "runtime/api/handle_name.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include "runtime/base/buffer.h"
#include "runtime/base/fork.h"

typedef struct {
    orr__named *object; /* NULL: free */
    uint32_t gen, next;
} slot;

static struct {
    pthread_mutex_t lock;
    slot *slot;
    uint32_t n, cap, free; /* free: 1 + the first free slot, 0: none */
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool grow(void)
{
    uint32_t cap = table.cap ? 2 * table.cap : 64;
    slot *more = orr__alloc_n(cap, sizeof *more);
    if (!more)
        return false;
    for (uint32_t i = 0; i < table.n; i++)
        more[i] = table.slot[i];
    free(table.slot);
    table.slot = more;
    table.cap = cap;
    return true;
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
    if (table.free || table.n < table.cap || grow()) {
        uint32_t i = table.free ? table.free - 1 : table.n++;
        slot *s = &table.slot[i];
        table.free = s->next;
        s->next = 0;
        s->object = object;
        atomic_init(&object->refs, 1);
        s->gen++;
        token = (void *)(uintptr_t)((uint64_t)s->gen << 32 | (i + 1));
    }
    pthread_mutex_unlock(&table.lock);
    return token;
}

void *orr__token_get(const void *token, bool take)
{
    uint64_t bits = (uint64_t)(uintptr_t)token;
    uint32_t i = (uint32_t)bits - 1;
    orr__named *object = NULL;
    pthread_mutex_lock(&table.lock);
    if (token && i < table.n && table.slot[i].gen == (uint32_t)(bits >> 32)) {
        slot *s = &table.slot[i];
        object = s->object;
        if (take && object) {
            s->object = NULL;
            s->next = table.free;
            table.free = i + 1;
        } else if (object) {
            (void)atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
        }
    }
    pthread_mutex_unlock(&table.lock);
    return object;
}

bool orr__named_unref(orr__named *object)
{
    return atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) == 1;
}
