/* Locks that another thread must not hold during a fork.
 * Must not know: the data behind the locks. */
#include "config.h"
#include "runtime/base/fork.h"

enum { MOST = 64 };

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *guarded[MOST];
static int n;

static void before(void)
{
    pthread_mutex_lock(&list_lock);
    for (int i = 0; i < n; i++)
        pthread_mutex_lock(guarded[i]);
}

static void after(void)
{
    for (int i = n; i-- > 0;)
        pthread_mutex_unlock(guarded[i]);
    pthread_mutex_unlock(&list_lock);
}

static void watch(void)
{
    (void)pthread_atfork(before, after, after);
}

void orr__fork_guard(pthread_mutex_t *m)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch);
    pthread_mutex_lock(&list_lock);
    if (n < MOST)
        guarded[n++] = m;
    pthread_mutex_unlock(&list_lock);
}
