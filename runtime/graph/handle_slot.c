/* Slots: made by chunks, which stay; free ones lie with the threads, and what these have too many of in one table.
 * Must not know: what becomes of a handle. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/fork.h"
#include "runtime/graph/handle_slot.h"

_Static_assert(sizeof(uintptr_t) == 8, "handles need 64-bit pointers");

static orr__slot chunk0[ORR__SLOT_CHUNK];
_Atomic(orr__slot *) orr__slot_chunk[ORR__SLOT_CHUNKS] = { chunk0 };
static struct {
    pthread_mutex_t lock;
    uint32_t *free;
    size_t nfree, cap;
    uint32_t made; /* slots handed out so far, ever */
} table = { .lock = PTHREAD_MUTEX_INITIALIZER, .made = ORR__SLOT_OOM + 1 };

void orr__slots_guard(void)
{
    orr__fork_guard(&table.lock);
}

uint32_t orr__slots_made(void)
{
    pthread_mutex_lock(&table.lock);
    uint32_t made = table.made;
    pthread_mutex_unlock(&table.lock);
    return made;
}

bool orr__slots_begin(orr__tls *tls)
{
    static atomic_uint threads;
    if (tls->slot)
        return true;
    tls->keeper = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % ORR__KEEPERS;
    return (tls->slot = malloc(ORR__SLOT_CACHE * sizeof *tls->slot)) != NULL;
}

bool orr__slots_refill(orr__tls *tls)
{
    if (!orr__slots_begin(tls))
        return false;
    pthread_mutex_lock(&table.lock);
    while (tls->nslot < ORR__SLOT_CACHE / 2) {
        if (table.nfree) {
            tls->slot[tls->nslot++] = table.free[--table.nfree];
            continue;
        }
        uint32_t i = table.made;
        if (i / ORR__SLOT_CHUNK >= ORR__SLOT_CHUNKS)
            break;
        if (!atomic_load(&orr__slot_chunk[i / ORR__SLOT_CHUNK])) {
            orr__slot *c = calloc(ORR__SLOT_CHUNK, sizeof *c);
            if (!c)
                break;
            atomic_store_explicit(&orr__slot_chunk[i / ORR__SLOT_CHUNK], c, memory_order_release);
        }
        table.made++;
        tls->slot[tls->nslot++] = i;
    }
    pthread_mutex_unlock(&table.lock);
    return tls->nslot > 0;
}

/* A slot that finds no room in the list is lost, which costs 24 bytes and nothing else. */
void orr__slots_give_back(orr__tls *tls, int keep)
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
