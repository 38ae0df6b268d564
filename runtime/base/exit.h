/* The end of the process while the library is at work. exit() takes down the libraries that kernels use, and the program's own objects,
 * under threads that still run: so each thread is stopped before, in a safe place.
 * Must not know: the work of the threads. */
#ifndef ORR_BASE_EXIT_H
#define ORR_BASE_EXIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "runtime/base/fence.h"

/* Work that the exit waits for, up to a limit of time. */
typedef enum {
    ORR__WORK_COMPUTES, /* on processors, with libraries that the exit takes down after this one */
    ORR__WORK_DEVICE,   /* … with libraries that were opened at run time, which it takes down before this one */
    ORR__WORK_FILES, /* temporary files and child processes are to be removed; an interruption is harmless otherwise */
    ORR__WORK_KINDS
} orr__work_kind;

/* The work of one thread; written by this thread alone. */
typedef struct orr__work_slot {
    atomic_int depth[ORR__WORK_KINDS];
    atomic_bool taken;
    struct orr__work_slot *next;
} orr__work_slot;

extern atomic_bool orr__exit_begun;
extern _Thread_local orr__work_slot *orr__work_mine __attribute__((tls_model("initial-exec")));
orr__work_slot *orr__work_slot_new(void); /* the calling thread's */
void orr__exit_rest(orr__work_slot *s, orr__work_kind kind);

/* Around work of a thread. After the exit has begun orr__work_begins returns only on the thread that exits. */
static inline void orr__work_begins(orr__work_kind kind)
{
    orr__work_slot *s = orr__work_mine ? orr__work_mine : orr__work_slot_new();
    atomic_store_explicit(&s->depth[kind], atomic_load_explicit(&s->depth[kind], memory_order_relaxed) + 1,
                          memory_order_relaxed);
    orr__fence_light();
    if (atomic_load_explicit(&orr__exit_begun, memory_order_acquire))
        orr__exit_rest(s, kind);
}
static inline void orr__work_ends(orr__work_kind kind)
{
    orr__work_slot *s = orr__work_mine;
    if (s)
        atomic_store_explicit(&s->depth[kind], atomic_load_explicit(&s->depth[kind], memory_order_relaxed) - 1,
                              memory_order_release);
}

/* True if the exit has begun, on the thread that exits, which must not wait for the others; the others do not return. */
bool orr__exit_is_here(void);
/* True if the exit has begun, whatever the thread. */
static inline bool orr__exit_has_begun(void)
{
    return atomic_load_explicit(&orr__exit_begun, memory_order_acquire);
}

/* f asks threads to stop. It is called on the exiting thread, perhaps repeatedly, and must neither wait nor take a lock. */
void orr__exit_asks(void (*f)(void));
/* Registers the handler of the exit: at the end of each start. */
void orr__exit_watch(void);
/* Registers it once more after the first use of a library that makes objects of C++ at that time: handlers run in the reverse order of
 * their registration, and those objects are destroyed by handlers. */
typedef enum { ORR__LIBRARY_ONEDNN, ORR__LIBRARY_OPENCL, ORR__LIBRARIES } orr__cpp_library;
void orr__exit_watch_beyond(orr__cpp_library l);

#endif
