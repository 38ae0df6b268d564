/* Subnormal numbers ("denormals"): kernels that take them for zero, and a count of those that kernels write.
 * Must not know: StarPU. */
#ifndef ORR_ENGINE_DENORMALS_H
#define ORR_ENGINE_DENORMALS_H

#include "codelets/codelet.h"

/* Around a launch on the calling thread: ORRERY_FLUSH_DENORMALS=on sets the processor's mode, and the end restores it. */
uint64_t orr__denormals_begin(void);
void orr__denormals_end(uint64_t was);
/* ORRERY_FLUSH_DENORMALS=count: counts the subnormal elements that the launch has written. */
void orr__denormals_count(const orr__launch *l);
/* Logs the lines of the program whose kernels wrote most, and forgets them. */
void orr__denormals_report(void);

#endif
