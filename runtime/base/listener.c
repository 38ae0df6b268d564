/* The functions of the program that hear of events, and the locks of their calls.
 * Must not know: the events. */
#include "config.h"
#include "runtime/base/listener.h"

#include <pthread.h>
#include "runtime/base/callback.h"

atomic_bool orr__listens[ORR__LISTENERS];

/* A call of the function holds the lock. A second lock by the same thread fails with EDEADLK: the function itself causes an event. */
static struct {
    pthread_mutex_t lock;
    orr__heard *fn;
    void *user;
    const char *const name;
} all[ORR__LISTENERS] = { [ORR__HEARS_LOG] = { .name = "the function of the log" },
                          [ORR__HEARS_PROGRESS] = { .name = "the function of progress" } };
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locks(void)
{
    pthread_mutexattr_t attr;
    (void)pthread_mutexattr_init(&attr);
    (void)pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    for (int i = 0; i < ORR__LISTENERS; i++)
        (void)pthread_mutex_init(&all[i].lock, &attr);
    (void)pthread_mutexattr_destroy(&attr);
}

/* In a child of fork the thread of a call may not exist; its lock is made anew. */
static void start(void)
{
    make_locks();
    (void)pthread_atfork(NULL, NULL, make_locks);
}

void orr__listener_set(orr__hears what, orr__heard *fn, void *user)
{
    (void)pthread_once(&once, start);
    bool locked = pthread_mutex_lock(&all[what].lock) == 0;
    all[what].fn = fn;
    all[what].user = user;
    atomic_store(&orr__listens[what], fn != NULL);
    if (locked)
        (void)pthread_mutex_unlock(&all[what].lock);
}

bool orr__listener_begin(orr__hears what, orr__listener *l)
{
    if (!atomic_load(&orr__listens[what]) || pthread_mutex_lock(&all[what].lock) != 0)
        return false;
    *l = (orr__listener){ .fn = all[what].fn, .user = all[what].user };
    l->outer = orr__callback_begins(all[what].name);
    if (!l->fn)
        orr__listener_end(what, l);
    return l->fn;
}

void orr__listener_end(orr__hears what, const orr__listener *l)
{
    orr__callback_ends(l->outer);
    (void)pthread_mutex_unlock(&all[what].lock);
}
