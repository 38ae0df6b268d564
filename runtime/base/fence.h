/* A pair of fences of which one side pays: code that often runs has the light one, code that seldom runs the heavy one.
 * Must not know: what is ordered. */
#ifndef ORR_BASE_FENCE_H
#define ORR_BASE_FENCE_H

#include <stdatomic.h>
#include <stdbool.h>

/* Whether the kernel runs the light side's fence on request (membarrier(2), Linux 4.14). */
extern atomic_bool orr__fences_paired;

/* Before the first light fence of the process, and in a child of fork. */
void orr__fences_begin(void);

/* Either the stores before it are seen by the loads behind the other side's heavy fence, or the loads behind it see the stores
 * before that fence. */
static inline void orr__fence_light(void)
{
    if (atomic_load_explicit(&orr__fences_paired, memory_order_relaxed))
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
}

/* Takes some microseconds: it interrupts the cores that run this process. */
void orr__fence_heavy(void);

#endif
