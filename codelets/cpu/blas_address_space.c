/* Address space for BLAS: OpenBLAS takes a buffer of 128 MiB for each call under way, keeps it, and where the system
 * refuses it (ulimit -v) tries again for ever. So there must be room before a call begins.
 * Must not know: what is multiplied. */
#include "config.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include "codelets/cpu/call.h"

static atomic_int inside, had; /* calls under way; the most there have been, whose buffers OpenBLAS keeps */

int orr__cpu_blas_enter(void)
{
    int n = atomic_fetch_add(&inside, 1) + 1, more = n - atomic_load(&had);
#ifdef HAVE_OPENBLAS
    size_t bytes = (size_t)(more > 0 ? more : 0) * ((size_t)136 << 20);
    void *p = more > 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : NULL;
    if (p == MAP_FAILED) {
        atomic_fetch_sub(&inside, 1);
        return 0;
    }
    if (p)
        (void)munmap(p, bytes);
#else
    (void)more;
#endif
    return n;
}

void orr__cpu_blas_leave(int n, bool kept)
{
    int most = atomic_load(&had);
    while (kept && n > most && !atomic_compare_exchange_weak(&had, &most, n))
        continue;
    atomic_fetch_sub(&inside, 1);
}
