/* Monotonic time.
 * Must not know: its callers. */
#ifndef ORR_BASE_CLOCK_H
#define ORR_BASE_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

double orr__now(void); /* seconds, monotonic */
/* The clock of orr__now. A test of shares of time takes the thread's own, which other load on the machine does not move, with the serial
 * engine. */
extern clockid_t orr__clock;
double
orr__cpu_time(void); /* seconds that the calling thread has run: other load on the machine does not add to them */
/* A condition with timed waits by the monotonic clock: the time of day may be set back, and a wait would last as long as that. */
void orr__cond_init(pthread_cond_t *c);
/* A static one. */
#define ORR__TIMED_COND(name)                                                                                          \
    static pthread_cond_t name;                                                                                        \
    __attribute__((constructor)) static void init_##name(void)                                                         \
    {                                                                                                                  \
        orr__cond_init(&(name));                                                                                       \
    }
/* The time `seconds` from now: the deadline of a pthread_cond_timedwait on such a condition. */
struct timespec orr__time_after(double seconds);

/* The sampling rate of events that may be shorter than two readings of the clock. Returns the number of events that the measured time of
 * event n (from 0) stands for, if the events before took ns; 0: event n is not timed. */
static inline uint32_t orr__time_stands_for(uint64_t n, uint64_t ns)
{
    enum { ENOUGH = 64, SAMPLE = 16, SHORT = 20000 /* ns on average */ }; /* limit of a measurement */
    if (n < ENOUGH || ns >= n * SHORT)
        return 1;
    return n % SAMPLE == 0 ? SAMPLE : 0;
}

#endif
