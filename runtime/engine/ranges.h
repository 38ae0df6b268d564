/* Ranges of NVTX, ITT or PAPI around each launch, for profilers and counters: their names are those of kernels and source lines.
 * Must not know: StarPU. */
#ifndef ORR_ENGINE_RANGES_H
#define ORR_ENGINE_RANGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include "runtime/base/env.h"
#include "runtime/fuse/region.h"

/* The last word of ORRERY_RANGES. */
enum { ORR__RANGES_PAPI = ORR__RANGES_ITT + 1 };

extern atomic_bool orr__ranges_on;
/* Opens the library that ORRERY_RANGES names. If it is missing, a line of the log says so. */
void orr__ranges_start(void);
void orr__ranges_stop(void);
void orr__range_push(const orr__region *r);
void orr__range_pop(const orr__region *r);

/* True: the calling thread's range has begun, and must end. */
static inline bool orr__range_begins(const orr__region *r)
{
    bool on = atomic_load_explicit(&orr__ranges_on, memory_order_relaxed);
    if (on)
        orr__range_push(r);
    return on;
}
static inline void orr__range_ends(bool begun, const orr__region *r)
{
    if (begun)
        orr__range_pop(r);
}

#endif
