/* Slots: where handles lie. A handle is a slot's number and the slot's generation packed into the pointer's bits, so that a stale
 * or foreign one is recognised without being followed.
 * Must not know: what becomes of a handle. */
#ifndef ORR_GRAPH_SLOT_H
#define ORR_GRAPH_SLOT_H

#include "runtime/graph/thread_state.h"

enum { ORR__SLOT_CHUNK = 1024, ORR__SLOT_CHUNKS = 65536, ORR__SLOT_OOM = 1 };

/* All but `gen` and `node` change under the lock of its keeper, or before the handle is known. */
typedef struct {
    atomic_uint gen;      /* even: free, odd: live; the handle carries the odd value */
    atomic_ushort keeper; /* its maker's, ORR__NO_KEEPER: none                      */
    atomic_bool variable;
    _Atomic(orr__node *) node;
    union {
        _Atomic(orr__scope *) scope; /* while live                                     */
        atomic_uint next;            /* once ended: of those whose node is to be given up, 0: none */
    };
} orr__slot;

/* Slot 0 is never used (NULL); ORR__SLOT_OOM is the poison of last resort, and always there. */
extern _Atomic(orr__slot *) orr__slot_chunk[ORR__SLOT_CHUNKS];

static inline orr__slot *orr__slot_at(uint32_t i)
{
    if (i / ORR__SLOT_CHUNK >= ORR__SLOT_CHUNKS)
        return NULL;
    orr__slot *c = atomic_load_explicit(&orr__slot_chunk[i / ORR__SLOT_CHUNK], memory_order_acquire);
    return c ? &c[i % ORR__SLOT_CHUNK] : NULL;
}

static inline uint64_t orr__slot_pack(uint32_t i, unsigned gen)
{
    return ((uint64_t)gen << 32) | i;
}

/* The live slot that a handle names, or NULL. */
static inline orr__slot *orr__slot_of(uint64_t handle)
{
    uint32_t i = (uint32_t)handle;
    unsigned gen = (unsigned)(handle >> 32);
    orr__slot *s = i ? orr__slot_at(i) : NULL;
    return s && (gen & 1) && atomic_load_explicit(&s->gen, memory_order_acquire) == gen ? s : NULL;
}

/* A thread as the others see it. It is the next thread's when its own has ended; the handles that it made go with it. */
typedef struct {
    _Alignas(64) atomic_bool borrowing; /* its thread may be looking at nodes of its handles without references */
    atomic_uint left;                   /* slots that others ended meanwhile: their nodes are to be given up    */
} orr__keeper;
extern orr__keeper orr__keepers[ORR__KEEPERS];
unsigned orr__keeper_take(void); /* ORR__NO_KEEPER: all are in use */
void orr__keeper_give_back(unsigned keeper);

bool orr__slots_begin(orr__tls *tls);  /* whether the thread has its list of free slots         */
bool orr__slots_refill(orr__tls *tls); /* whether there is one in it                            */
/* Gives slots back until `keep` are left with the thread. */
void orr__slots_give_back(orr__tls *tls, int keep);
uint32_t orr__slots_made(void); /* so many, ever: the numbers below it */
void orr__slots_guard(void);    /* their lock, against forks           */

#endif
