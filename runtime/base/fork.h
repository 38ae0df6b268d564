/* Locks that another thread must not hold during a fork: the child would wait for them for ever.
 * Must not know: the data behind the locks. */
#ifndef ORR_BASE_FORK_H
#define ORR_BASE_FORK_H

#include <pthread.h>

/* From now on a fork acquires `m` first, and parent and child release it. `m` must be held briefly only; a thread that holds it must
 * neither acquire another guarded lock nor fork. Once for each lock. */
void orr__fork_guard(pthread_mutex_t *m);

#endif
