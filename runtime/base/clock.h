/* Monotonic time.
 * Must not know: its callers. */
#ifndef ORR_BASE_CLOCK_H
#define ORR_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

double orr__now(void); /* seconds, monotonic */
/* The time of a clock so many seconds from now: the end of a pthread_cond_timedwait. */
struct timespec orr__time_after(clockid_t clock, double seconds);

/* Where events are shorter than two readings of the clock may be, a time stands for several: for how many does that of event n (from 0)
 * stand, when those before took ns? 0: it is not taken. */
static inline uint32_t orr__time_stands_for(uint64_t n, uint64_t ns)
{
    enum { ENOUGH = 64, SAMPLE = 16, SHORT = 20000 /* ns on average */ };
    if (n < ENOUGH || ns >= n * SHORT)
        return 1;
    return n % SAMPLE == 0 ? SAMPLE : 0;
}

#endif
