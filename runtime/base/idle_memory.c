/* The thread that returns idle memory to the system: it looks twice a second while there is any, and sleeps otherwise.
 * Must not know: engines, which memory is idle. */
#include "config.h"
#include "runtime/base/idle_memory.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include "runtime/base/clock.h"
#include "runtime/base/exit.h"
#include "runtime/base/pool.h"

/* Memory that was not used between two looks is returned at the second, so within a second. */
static const double period_s = 0.45; /* limit of a promise */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    pthread_t thread;
    bool lives;
} idler = { .lock = PTHREAD_MUTEX_INITIALIZER };
static atomic_bool runs, awake; /* runs: between orr_init and orr_shutdown */

/* Under the lock. False: the library stops. */
static bool pause_once(void)
{
    struct timespec end = orr__time_after(period_s);
    while (atomic_load(&runs) && pthread_cond_timedwait(&idler.more, &idler.lock, &end) == 0)
        continue;
    return atomic_load(&runs);
}

/* Without the lock. True: nothing was used since the last look, and all free memory is returned. */
static bool look(void)
{
    bool idle = orr__pool_tick();
    if (orr__buffer_engine.tick)
        orr__buffer_engine.tick(idle);
    if (!idle)
        return false;
    orr__pool_trim(); /* what the engine kept is in the pool now */
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
    return true;
}

static void *keep(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&idler.lock);
    while (atomic_load(&runs)) {
        if (!atomic_load(&awake)) {
            pthread_cond_wait(&idler.more, &idler.lock);
            continue;
        }
        if (!pause_once())
            break;
        pthread_mutex_unlock(&idler.lock);
        orr__work_begins(ORR__WORK_COMPUTES); /* handles are StarPU's, whose own handler of the exit takes it down */
        bool idle = look();
        orr__work_ends(ORR__WORK_COMPUTES);
        if (idle) {
            atomic_store(&awake, false);
            if (orr__pool_free() > 0) /* put meanwhile, when its thread saw this one awake */
                atomic_store(&awake, true);
        }
        pthread_mutex_lock(&idler.lock);
    }
    pthread_mutex_unlock(&idler.lock);
    return NULL;
}

/* Signals go to the program's own threads. Under the lock. */
static void begin(void)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    idler.lives = pthread_create(&idler.thread, NULL, keep, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void orr__idle_memory_wake(void)
{
    if (atomic_load_explicit(&awake, memory_order_relaxed) || !atomic_load_explicit(&runs, memory_order_relaxed) ||
        atomic_exchange(&awake, true))
        return;
    pthread_mutex_lock(&idler.lock);
    if (atomic_load(&runs) && !idler.lives)
        begin();
    else
        pthread_cond_broadcast(&idler.more);
    pthread_mutex_unlock(&idler.lock);
}

/* A child of fork has no such thread. */
static void forked(void)
{
    atomic_store(&runs, false);
    idler.lives = false;
    (void)pthread_mutex_init(&idler.lock, NULL);
    orr__cond_init(&idler.more);
}

static void watch(void)
{
    orr__cond_init(&idler.more);
    (void)pthread_atfork(NULL, NULL, forked);
}

void orr__idle_memory_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch);
    atomic_store(&awake, false);
    atomic_store(&runs, true);
}

void orr__idle_memory_stop(void)
{
    pthread_mutex_lock(&idler.lock);
    bool lives = idler.lives;
    atomic_store(&runs, false);
    pthread_cond_broadcast(&idler.more);
    pthread_mutex_unlock(&idler.lock);
    if (lives)
        (void)pthread_join(idler.thread, NULL);
    idler.lives = false;
}
