/* Lines of the log, if ORRERY_LOG admits their level: to stderr, or to the program's function.
 * Must not know: its callers. */
#include "config.h"
#include "runtime/base/decimal.h"
#include "runtime/base/env.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include "runtime/base/callback.h"
#include "runtime/base/signals.h"

/* A call of the function holds the lock. A second lock by the same thread fails with EDEADLK: the function logs. */
static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static orr_log_fn sink;
static void *sink_user;
static atomic_bool have_sink;

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

void orr_log_to(orr_log_fn fn, void *user)
{
    (void)pthread_once(&once, start);
    bool locked = pthread_mutex_lock(&lock) == 0;
    sink = fn;
    sink_user = user;
    atomic_store(&have_sink, fn != NULL);
    if (locked)
        (void)pthread_mutex_unlock(&lock);
}

/* False: there is no function, or it logs itself. */
static bool told(int level, const char *text)
{
    if (!atomic_load(&have_sink) || pthread_mutex_lock(&lock) != 0)
        return false;
    orr_log_fn fn = sink;
    const char *outer = orr__callback_begins("the function of the log");
    if (fn)
        fn((orr_log_level)level, text, sink_user);
    orr__callback_ends(outer);
    (void)pthread_mutex_unlock(&lock);
    return fn != NULL;
}

void orr__log(int level, const char *fmt, ...)
{
    static const char *const names[] = { "error", "warning", "info", "debug" };
    if (level > orr__env.log || level < 0 || level > 3)
        return;
    ORR__GUARD_WRITES;
    char line[1024]; /* one write per line, so that lines of several threads do not mix */
    int n = snprintf(line, sizeof line, "orrery: %s: ", names[level]);
    va_list ap;
    va_start(ap, fmt);
    orr__decimal_vprint(line + n, sizeof line - (size_t)n, fmt, ap);
    va_end(ap);
    if (!told(level, line + n))
        fprintf(stderr, "%s\n", line);
}
