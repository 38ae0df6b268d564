/* Slots: allocated in chunks that are never freed. Threads keep free slots; a table holds those that they have too many
 * of.
 * Must not know: what becomes of a handle. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/fork.h"
#include "runtime/base/held.h"
#include "runtime/graph/handle_slot.h"

_Static_assert(sizeof(uintptr_t) == 8, "handles need 64-bit pointers");

static orr__slot chunk0[ORR__SLOT_CHUNK];
_Atomic(orr__slot *) orr__slot_chunk[ORR__SLOT_CHUNKS] = { chunk0 };
orr__keeper orr__keepers[ORR__KEEPERS];
static struct {
    pthread_mutex_t lock;
    uint32_t *free;
    size_t nfree, cap;
    uint32_t made;                 /* slots made so far */
    uint16_t keeper[ORR__KEEPERS]; /* keepers that are free again   */
    unsigned nkeeper, keepers_made;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER, .made = ORR__SLOT_OOM + 1, .keepers_made = ORR__NO_KEEPER + 1 };

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

unsigned orr__keeper_take(void)
{
    pthread_mutex_lock(&table.lock);
    unsigned k = table.nkeeper                       ? table.keeper[--table.nkeeper]
                 : table.keepers_made < ORR__KEEPERS ? table.keepers_made++
                                                     : ORR__NO_KEEPER;
    pthread_mutex_unlock(&table.lock);
    return k;
}

void orr__keeper_give_back(unsigned keeper)
{
    if (keeper == ORR__NO_KEEPER)
        return;
    pthread_mutex_lock(&table.lock);
    table.keeper[table.nkeeper++] = (uint16_t)keeper;
    pthread_mutex_unlock(&table.lock);
}

bool orr__slots_begin(orr__tls *tls)
{
    if (tls->slot)
        return true;
    if (!(tls->slot = orr__hold(ORR_MEMORY_GRAPHS, malloc(ORR__SLOT_CACHE * sizeof *tls->slot))))
        return false;
    tls->keeper = orr__keeper_take();
    return true;
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
            (void)orr__hold(ORR_MEMORY_GRAPHS, c);
            atomic_store_explicit(&orr__slot_chunk[i / ORR__SLOT_CHUNK], c, memory_order_release);
        }
        table.made++;
        tls->slot[tls->nslot++] = i;
    }
    uint32_t made = table.made;
    pthread_mutex_unlock(&table.lock);
    orr__handles_count(made);
    return tls->nslot > 0;
}

/* A slot for which the list has no space is lost, at a cost of 24 bytes. */
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
            orr__held_add(ORR_MEMORY_GRAPHS, (cap - table.cap) * sizeof *more);
            table.cap = cap;
        }
        table.free[table.nfree++] = tls->slot[--tls->nslot];
    }
    if (tls->nslot > keep)
        tls->nslot = keep;
    pthread_mutex_unlock(&table.lock);
}
