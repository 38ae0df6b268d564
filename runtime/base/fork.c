/* Locks that another thread must not hold during a fork, and the numbers of forked processes.
 * Must not know: the data behind the locks. */
#include "config.h"
#include <stdatomic.h>
#include "runtime/base/fork.h"
#include "runtime/base/philox.h"

enum { MOST = 64 };

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *guarded[MOST];
static int n;
static uint64_t children; /* forks of this process so far, under the lock */
static atomic_uint_least64_t number;

static void before(void)
{
    pthread_mutex_lock(&list_lock);
    children++;
    for (int i = 0; i < n; i++)
        pthread_mutex_lock(guarded[i]);
}

static void after(void)
{
    for (int i = n; i-- > 0;)
        pthread_mutex_unlock(guarded[i]);
    pthread_mutex_unlock(&list_lock);
}

static void in_child(void)
{
    uint64_t parent = atomic_load(&number);
    atomic_store(&number, orr__rand_mix(parent + 1, children) | 1); /* not 0, the first process */
    children = 0;
    after();
}

/* From the loading of the library on: a process may draw numbers before it calls anything else. */
__attribute__((constructor)) static void watch(void)
{
    (void)pthread_atfork(before, after, in_child);
}

uint64_t orr__fork_number(void)
{
    return atomic_load_explicit(&number, memory_order_relaxed);
}

void orr__fork_guard(pthread_mutex_t *m)
{
    pthread_mutex_lock(&list_lock);
    if (n < MOST)
        guarded[n++] = m;
    pthread_mutex_unlock(&list_lock);
}
