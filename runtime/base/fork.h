/* Forks: locks that another thread must not hold during one, since the child would wait for them for ever; and the number of a process, by
 * which random numbers of a child are others than those of its parent.
 * Must not know: the data behind the locks. */
#ifndef ORR_BASE_FORK_H
#define ORR_BASE_FORK_H

#include <pthread.h>
#include <stdint.h>

/* From now on a fork acquires `m` first, and parent and child release it. `m` must be held briefly only; a thread that holds it must
 * neither acquire another guarded lock nor fork. Once for each lock. */
void orr__fork_guard(pthread_mutex_t *m);
/* For a lock under which those of orr__fork_guard are acquired, and none of these. A constructor calls it. */
void orr__fork_guard_outer(pthread_mutex_t *m);
/* The one such lock of a file. */
#define ORR__GUARDED_IN_FORKS(lock)                                                                                    \
    __attribute__((constructor)) static void guard_in_forks(void)                                                      \
    {                                                                                                                  \
        orr__fork_guard_outer(&(lock));                                                                                \
    }

/* The number of this process: 0 in the first one, and in a child another number than in its parent and in the parent's other children. The
 * same in each run of the program: the n-th child of a process has the same number; but not for a child whose fork bypassed the C library. */
uint64_t orr__fork_number(void);

#endif
