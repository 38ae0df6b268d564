/* Monotonic time.
 * Must not know: its callers. */
#include "config.h"
#include "runtime/base/clock.h"

static double time_by(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        return 0.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

clockid_t orr__clock = CLOCK_MONOTONIC;

double orr__now(void)
{
    return time_by(orr__clock);
}

double orr__cpu_time(void)
{
    return time_by(CLOCK_THREAD_CPUTIME_ID);
}

void orr__cond_init(pthread_cond_t *c)
{
    pthread_condattr_t attr;
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(c, &attr);
    (void)pthread_condattr_destroy(&attr);
}

struct timespec orr__time_after(double seconds)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    double end = (double)t.tv_nsec * 1e-9 + seconds;
    time_t whole = (time_t)end;
    t.tv_sec += whole;
    t.tv_nsec = (long)((end - (double)whole) * 1e9);
    return t;
}
