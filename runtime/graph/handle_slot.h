/* Slots: the storage of handles. A handle is a slot's number and generation packed into the bits of a pointer, so that a stale or foreign
 * one is recognised without being dereferenced.
 * Must not know: what becomes of a handle. */
#ifndef ORR_GRAPH_HANDLE_SLOT_H
#define ORR_GRAPH_HANDLE_SLOT_H

#include "runtime/graph/thread_state.h"

enum { ORR__SLOT_CHUNK = 1024, ORR__SLOT_CHUNKS = 65536, ORR__SLOT_OOM = 1 };

/* Fields other than `gen` and `node` change under the keeper's lock, or before the handle is known. */
typedef struct {
    atomic_uint gen;      /* even: free, odd: live; the handle carries the odd value */
    atomic_ushort keeper; /* the maker's; ORR__NO_KEEPER: none                      */
    atomic_bool variable;
    atomic_bool lent; /* it belongs to an object, which alone ends it: orr_free and scopes leave it */
    _Atomic(orr__node *) node;
    union {
        _Atomic(orr__scope *) scope; /* while live                                     */
        atomic_uint next;            /* once ended: the next slot whose node is to be released, 0: none */
    };
} orr__slot;

/* Slot 0 is never used (NULL). ORR__SLOT_OOM is the poison of last resort and always exists. */
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

/* A thread as other threads see it. When the thread ends, its keeper goes to a later thread, with the handles made under it. */
typedef struct {
    _Alignas(64) atomic_bool borrowing; /* its thread may be reading nodes of its handles without references */
    atomic_uint left;                   /* slots that others ended meanwhile: their nodes are to be released    */
} orr__keeper;
extern orr__keeper orr__keepers[ORR__KEEPERS];
unsigned orr__keeper_take(void); /* ORR__NO_KEEPER: all are in use */
void orr__keeper_give_back(unsigned keeper);

bool orr__slots_begin(orr__tls *tls);  /* true: the thread has its list of free slots           */
bool orr__slots_refill(orr__tls *tls); /* true: the list has a free slot                        */
/* Returns slots to the table until the thread has `keep` left. */
void orr__slots_give_back(orr__tls *tls, int keep);
/* handle.c: counts the handles of no scope when there are many more slots than at the last count, and warns of a program that forgot a
 * scope. */
void orr__handles_count(uint32_t made);
uint32_t orr__slots_made(void); /* slots made so far: all numbers are below it */
void orr__slots_guard(void);    /* protects their lock across forks    */

#endif
