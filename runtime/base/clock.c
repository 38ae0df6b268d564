/* Monotonic time.
 * Must not know: its callers. */
#include "config.h"
#include "runtime/base/clock.h"

#include <time.h>

double orr__now(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        return 0.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
