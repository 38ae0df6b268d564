/* The host memory of tensors: counted buffers, a pool that recycles them, the memory limit.
 * Must not know: graphs, StarPU. The engine attaches itself by hooks. */
#ifndef ORR_BASE_BUFFER_H
#define ORR_BASE_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/base/status.h"

/* A run is one submission of work. A buffer that the run writes points to the run until the run is known to have finished. */
typedef struct orr__run orr__run; /* defined by runtime/engine */

typedef struct orr__buffer {
    atomic_int refs;
    void *host;                           /* 64-byte aligned if ours; base of a contiguous array                    */
    struct orr__value_form *_Atomic form; /* the order of the elements (form.h); NULL: row-major   */
    size_t bytes;                         /* used; the allocation may be larger (cap)                               */
    size_t cap;                           /* 0: the user's memory                                                   */
    bool spilled;                         /* in a file, beyond the memory limit (spill.h)                            */
    void (*release)(void *host, void *user); /* wrapped user memory: called when the last use ends   */
    void *release_user;
    void *tiles;        /* the engine's handles for this buffer; NULL: there is host memory only */
    orr__run *run;      /* the run that writes it; NULL: the content is complete                  */
    atomic_int readers; /* host pointers handed out (orr_data)                                     */
    atomic_int ordered; /* references of runs whose accesses StarPU knows completely; counted down before refs */
    _Atomic(const void *)
        exclusive_to;        /* the thread whose evaluation alone may use it (runtime/graph/donation.h), else NULL */
    atomic_bool overwritten; /* that evaluation overwrote it and failed: no longer a value             */
    bool published;          /* the buffer is, or was, the value of a node                             */
    bool changed;            /* … and held another value before                                        */
    bool stays_plain;        /* of form.h: the value was returned to row-major once                    */
    int form_users;          /* … runs that read it in its form                                        */
    atomic_uint_least64_t content; /* number of the content; 0: not requested so far                        */
    struct orr__buffer *next;      /* free lists                                                              */
} orr__buffer;

/* Set once by the engine at start, cleared at shutdown. */
typedef struct {
    /* Waits until the content is in host memory and valid to read there. */
    orr_status (*host_read)(orr__buffer *b);
    /* The last reference is gone: releases the handles. true: the memory may be reused at once. false: the engine keeps it until its
     * tasks are done, then calls orr__buffer_recycle itself. */
    bool (*drop)(orr__buffer *b);
    /* Memory is short: the engine recycles the buffers that it keeps for reuse. false: it keeps none. */
    bool (*press)(void);
    /* The pool has no free block for a value: the engine recycles a buffer that has one if it keeps one for reuse, and buffers beyond the
     * pool's bound. */
    void (*release)(size_t bytes);
    /* From the thread that returns idle memory: the engine recycles the buffers that it keeps beyond the pool's bound; idle: all that it keeps. */
    void (*tick)(bool idle);
} orr__buffer_hooks;
extern orr__buffer_hooks orr__buffer_engine;

/* A new buffer with one reference, content undefined. NULL: no memory, or the limit is reached (last error set, with the numbers). bytes
 * may be 0. */
orr__buffer *orr__buffer_new(size_t bytes);
/* A buffer over the user's memory; release may be NULL. NULL on ENOMEM (release is then not called). */
orr__buffer *orr__buffer_wrap(void *host, size_t bytes, void (*release)(void *, void *), void *user);
static inline orr__buffer *orr__buffer_ref(orr__buffer *b)
{
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}
/* The buffer has become the value of a node; that value had no other buffer. */
static inline void orr__buffer_renew(orr__buffer *b)
{
    atomic_store_explicit(&b->content, 0, memory_order_relaxed);
    b->stays_plain = false;
    b->changed = b->published;
    b->published = true;
}
/* Equal numbers mean equal values. 0: unknown, as for the user's memory. The number is assigned at the first call, since few callers
 * need it. */
uint64_t orr__buffer_number(orr__buffer *b);
void orr__buffer_unref(orr__buffer *b);   /* NULL is fine */
void orr__buffer_recycle(orr__buffer *b); /* engine only, see drop */
/* Makes the content valid in host memory. */
orr_status orr__buffer_sync(orr__buffer *b);

void orr__pool_limit(size_t bytes); /* 0: none */
void orr__pool_trim(void);          /* returns all free memory to the system */
typedef struct {
    size_t live, pooled, peak, limit; /* bytes in memory                                          */
    bool spills;                      /* values beyond the limit go to files                      */
    size_t spilled, spilled_peak;     /* bytes in files                                           */
    size_t outside, headers;          /* bytes of blocks in use, larger than their contents; of free headers */
    uint64_t fresh;                   /* blocks that no free block could serve                    */
} orr__pool_stats;
orr__pool_stats orr__pool_get_stats(void);
void orr__pool_peak_reset(void); /* peaks count from here on */
/* For tests: after n more successful allocations (buffers, orr__alloc) one fails. n < 0: none fails. */
void orr__pool_fail_after(long n);

void *orr__alloc(size_t bytes);                       /* zeroed; NULL and last error on ENOMEM */
void *orr__alloc_n(size_t n, size_t size);            /* zeroed, checked multiplication        */
void *orr__realloc_n(void *p, size_t n, size_t size); /* new bytes are not zeroed; on ENOMEM p is as before  */

#endif
