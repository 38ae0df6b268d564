/* Subnormal numbers ("denormals"): kernels that take them for zero, and a count of those that kernels write.
 * Must not know: StarPU. */
#ifndef ORR_ENGINE_DENORMALS_H
#define ORR_ENGINE_DENORMALS_H

#include "codelets/codelet.h"
#include "runtime/base/env.h"
#include "runtime/base/fpmode.h"

/* Around a launch on the calling thread: ORRERY_FLUSH_DENORMALS=on sets the processor's mode, and the end restores it. */
static inline uint64_t orr__denormals_begin(void)
{
    return orr__env.flush_denormals == ORR__DENORMALS_FLUSHED ? orr__fpmode_begin(ORR__FPMODE_FLUSHES) : 0;
}
static inline void orr__denormals_end(uint64_t was)
{
    if (orr__env.flush_denormals == ORR__DENORMALS_FLUSHED)
        orr__fpmode_end(ORR__FPMODE_FLUSHES, was);
}
/* ORRERY_FLUSH_DENORMALS=count: counts the subnormal elements that the launch has written. */
static inline bool orr__denormals_counted(void)
{
    return orr__env.flush_denormals == ORR__DENORMALS_COUNTED;
}
void orr__denormals_count(const orr__launch *l);
/* Logs the lines of the program whose kernels wrote most, and forgets them. */
void orr__denormals_report(void);

#endif
