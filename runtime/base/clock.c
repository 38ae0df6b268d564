/* Monotonic time.
 * Must not know: its callers. */
#include "config.h"
#include "runtime/base/clock.h"

double orr__now(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        return 0.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct timespec orr__time_after(clockid_t clock, double seconds)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    double end = (double)t.tv_nsec * 1e-9 + seconds;
    time_t whole = (time_t)end;
    t.tv_sec += whole;
    t.tv_nsec = (long)((end - (double)whole) * 1e9);
    return t;
}
