/* Locks that another thread must not hold during a fork, and the numbers of forked processes.
 * Must not know: the data behind the locks. */
#include "config.h"
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>
#include "runtime/base/fork.h"
#include "runtime/base/philox.h"

enum { MOST = 64 };

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *guarded[MOST];
static int n;
static pthread_mutex_t *outer[MOST]; /* listed while the library is loaded, and not later */
static int outer_n;
static uint64_t children; /* forks of this process so far, under the lock */
static atomic_uint_least64_t number;
static atomic_int *here; /* 1, on a page that the system clears in a child; NULL: it cannot */

static void before(void)
{
    for (int i = 0; i < outer_n; i++)
        pthread_mutex_lock(outer[i]);
    pthread_mutex_lock(&list_lock);
    children++;
    for (int i = 0; i < n; i++)
        pthread_mutex_lock(guarded[i]);
}

static void after(void)
{
    for (int i = n; i-- > 0;)
        pthread_mutex_unlock(guarded[i]);
    pthread_mutex_unlock(&list_lock);
    for (int i = outer_n; i-- > 0;)
        pthread_mutex_unlock(outer[i]);
}

static void in_child(void)
{
    uint64_t parent = atomic_load(&number);
    atomic_store(&number, orr__rand_mix(parent + 1, children) | 1); /* not 0, the first process */
    children = 0;
    if (here)
        atomic_store(here, 1);
    after();
}

/* From the loading of the library on: a process may draw numbers before it calls anything else. */
__attribute__((constructor)) static void watch(void)
{
    (void)pthread_atfork(before, after, in_child);
#ifdef MADV_WIPEONFORK
    long page = sysconf(_SC_PAGESIZE);
    size_t bytes = page > 0 ? (size_t)page : 4096;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED && madvise(p, bytes, MADV_WIPEONFORK) == 0) {
        here = p;
        atomic_store(here, 1);
    }
#endif
}

/* A fork that bypasses the C library runs no handlers. Its child is alone, and takes a number from its process number. */
static void in_bare_child(void)
{
    uint64_t parent = atomic_load(&number);
    atomic_store(&number, orr__rand_mix(parent + 1, (uint64_t)getpid() << 32) | 1);
    children = 0;
    atomic_store(here, 1);
}

uint64_t orr__fork_number(void)
{
    if (here && !atomic_load_explicit(here, memory_order_relaxed))
        in_bare_child();
    return atomic_load_explicit(&number, memory_order_relaxed);
}

void orr__fork_guard(pthread_mutex_t *m)
{
    pthread_mutex_lock(&list_lock);
    if (n < MOST)
        guarded[n++] = m;
    pthread_mutex_unlock(&list_lock);
}

void orr__fork_guard_outer(pthread_mutex_t *m)
{
    if (outer_n < MOST)
        outer[outer_n++] = m;
}
