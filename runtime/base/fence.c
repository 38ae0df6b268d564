/* The heavy fence, by membarrier(2) if the kernel has it.
 * Must not know: what is ordered. */
#include "config.h"
#include "runtime/base/fence.h"

#include <sys/syscall.h>
#include <unistd.h>

/* From <linux/membarrier.h>, which some C libraries' headers lack. */
enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 }; /* limit of the machine */

atomic_bool orr__fences_paired;

static bool membarrier(int command)
{
#ifdef SYS_membarrier
    return syscall(SYS_membarrier, command, 0, 0) == 0;
#else
    (void)command;
    return false;
#endif
}

void orr__fences_begin(void)
{
    bool paired = membarrier(REGISTER_PRIVATE_EXPEDITED) && membarrier(PRIVATE_EXPEDITED);
    atomic_store(&orr__fences_paired, paired);
}

void orr__fence_heavy(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&orr__fences_paired, memory_order_relaxed))
        (void)membarrier(PRIVATE_EXPEDITED);
}
