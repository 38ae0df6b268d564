/* Locks that a fork must not catch in another thread's hands: the child would wait for them for ever.
 * Must not know: the data behind the locks. */
#ifndef ORR_BASE_FORK_H
#define ORR_BASE_FORK_H

#include <pthread.h>

/* From now on a fork waits until it has `m`, a lock that is held briefly, while no other of these is taken and nothing
 * is forked. Child and parent find it open. Once for each lock. */
void orr__fork_guard(pthread_mutex_t *m);

#endif
