/* The program's function of progress, and the times of its calls.
 * Must not know: what the work is. */
#include "config.h"
#include "runtime/base/progress.h"

#include <orrery/eval.h>
#include <pthread.h>
#include <stdatomic.h>
#include "runtime/base/callback.h"
#include "runtime/base/clock.h"

static const double interval = 0.1;

/* A call of the function holds the lock. A second lock by the same thread fails with EDEADLK: the function sets another one. */
static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static orr_progress_fn *sink;
static void *sink_user;
static atomic_bool wanted;

static void make_lock(void)
{
    pthread_mutexattr_t attr;
    (void)pthread_mutexattr_init(&attr);
    (void)pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    (void)pthread_mutex_init(&lock, &attr);
    (void)pthread_mutexattr_destroy(&attr);
}

/* In a child of fork the thread of a call may not exist; its lock is made anew. */
static void start(void)
{
    make_lock();
    (void)pthread_atfork(NULL, NULL, make_lock);
}

void orr_progress_to(orr_progress_fn *fn, void *user)
{
    (void)pthread_once(&once, start);
    bool locked = pthread_mutex_lock(&lock) == 0;
    sink = fn;
    sink_user = user;
    atomic_store(&wanted, fn != NULL);
    if (locked)
        (void)pthread_mutex_unlock(&lock);
}

bool orr__progress_wanted(void)
{
    return atomic_load_explicit(&wanted, memory_order_relaxed);
}

static void tell(int64_t done, int64_t planned)
{
    if (!atomic_load(&wanted) || pthread_mutex_lock(&lock) != 0)
        return;
    orr_progress_fn *fn = sink;
    const char *outer = orr__callback_begins("the function of progress");
    if (fn)
        fn(done, planned, sink_user);
    orr__callback_ends(outer);
    (void)pthread_mutex_unlock(&lock);
}

void orr__progress_tell(orr__progress *p, int64_t done, int64_t planned)
{
    if (!orr__progress_wanted())
        return;
    double now = orr__now();
    bool begun = p->next > 0, due = begun && now >= p->next;
    if (!begun || due)
        p->next = now + interval;
    if (!due)
        return;
    p->told = true;
    tell(done < 0 ? 0 : done > planned ? planned : done, planned);
}

void orr__progress_end(orr__progress *p, int64_t planned)
{
    if (p->told)
        tell(planned, planned);
}
