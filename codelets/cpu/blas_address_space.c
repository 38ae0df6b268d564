/* Address space for BLAS: OpenBLAS allocates a buffer of 128 MiB for each concurrent call and keeps it. Where the
 * system refuses the buffer (ulimit -v), OpenBLAS retries for ever. Address space is therefore checked before a call
 * begins.
 * Must not know: what is multiplied. */
#include "config.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include "codelets/cpu/call.h"

static atomic_int inside, had; /* calls under way; their maximum so far, whose buffers OpenBLAS keeps */

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
