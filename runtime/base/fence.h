/* A pair of asymmetric fences: the light fence is for code that runs often, the heavy one for code that runs seldom.
 * Must not know: what is ordered. */
#ifndef ORR_BASE_FENCE_H
#define ORR_BASE_FENCE_H

#include <stdatomic.h>
#include <stdbool.h>

/* True if the kernel executes the fence of the light side on request (membarrier(2), Linux 4.14). */
extern atomic_bool orr__fences_paired;

/* To be called before the first light fence of the process, and in a child of fork. */
void orr__fences_begin(void);

/* Of a light and a heavy fence, one precedes the other: the loads after the later fence see the stores before the earlier one. */
static inline void orr__fence_light(void)
{
    if (atomic_load_explicit(&orr__fences_paired, memory_order_relaxed))
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
}

/* Takes some microseconds, since it interrupts the cores that run this process. */
void orr__fence_heavy(void);

#endif
