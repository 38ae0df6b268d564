/* Memory for the messages of exchanges, and its reserve: pages that nobody touches, given back to the system when it refuses memory.
 * Must not know: what the memory is for. */
#include "config.h"
#include "runtime/ranks/reserve.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "runtime/base/pool.h"

enum { RESERVE = 32 << 20 }; /* limit of memory */

static void *_Atomic reserve;

bool orr__reserve_hold(void)
{
    void *none = NULL;
    if (atomic_load(&reserve))
        return true;
    void *p = orr__pool_must_fail() ? MAP_FAILED
                                    : mmap(NULL, RESERVE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED && !atomic_compare_exchange_strong(&reserve, &none, p))
        (void)munmap(p, RESERVE); /* another thread was faster */
    return p != MAP_FAILED;
}

void orr__reserve_release(void)
{
    void *p = atomic_exchange(&reserve, NULL);
    if (p)
        (void)munmap(p, RESERVE);
}

void *orr__reserve_realloc(void *p, size_t bytes)
{
    void *more = orr__pool_must_fail() ? NULL : realloc(p, bytes);
    if (!more) {
        orr__reserve_release();
        more = realloc(p, bytes);
    }
    return more;
}

void *orr__reserve_alloc(size_t n, size_t size)
{
    void *p = orr__pool_must_fail() ? NULL : calloc(n, size);
    if (!p) {
        orr__reserve_release();
        p = calloc(n, size);
    }
    return p;
}
