/* The calls of BLAS under way: their address space, and the number of threads of the BLAS library.
 * OpenBLAS allocates a buffer of 128 MiB for each concurrent call and keeps it. Where the system refuses the buffer (ulimit -v), OpenBLAS
 * retries for ever. Address space is therefore checked before a call begins.
 * The number of threads is one for the process. During calls it is the library's, otherwise the program's, which calls the same BLAS.
 * Must not know: what is multiplied. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif
#include "codelets/cpu/call.h"
#include "runtime/base/fork.h"
#include "runtime/base/minmax.h"

static atomic_int inside, had; /* calls under way; their maximum so far, whose buffers OpenBLAS keeps */

/* calling: as `inside`, of the calls that have begun. own: for our calls; 0: as the program has it. theirs: the program's number while ours is
 * set; 0: it is the program's. All under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calling, theirs;
static atomic_int own;

static int number(void)
{
#ifdef HAVE_OPENBLAS
    return openblas_get_num_threads();
#else
    return 1;
#endif
}

static void set_number(int n)
{
#ifdef HAVE_OPENBLAS
    openblas_set_num_threads(n);
#else
    (void)n;
#endif
}

/* Sets the number that is due. Where it cannot change beside calls of the program, ours stays from the start to the stop of an engine. */
static void balance(void)
{
    bool ours = atomic_load(&own) > 0 && (calling > 0 || !orr__cpu_blas_threads_change());
    if (ours && theirs == 0)
        theirs = number();
    if (ours)
        set_number(atomic_load(&own));
    else if (theirs > 0)
        set_number(theirs);
    if (!ours)
        theirs = 0;
}

/* OpenBLAS ends its threads before a fork and starts them again, under a lock, when a number is set next. The destructor of a child that was
 * forked meanwhile would wait for this lock for ever. */
static void guard(void)
{
    orr__fork_guard(&lock);
}

void orr__cpu_blas_threads(int n)
{
    (void)pthread_once(&once, guard);
    pthread_mutex_lock(&lock);
    atomic_store(&own, n);
    balance();
    pthread_mutex_unlock(&lock);
}

int orr__cpu_blas_get_threads(void)
{
    int n = atomic_load_explicit(&own, memory_order_relaxed);
    return n > 0 ? n : number();
}

static void count(int more)
{
    pthread_mutex_lock(&lock);
    calling += more;
    if (calling == (more > 0))
        balance();
    pthread_mutex_unlock(&lock);
}

int orr__cpu_blas_enter(void)
{
    int n = atomic_fetch_add(&inside, 1) + 1, more = n - atomic_load(&had);
#ifdef HAVE_OPENBLAS
    size_t bytes = (size_t)ORR__MAX(more, 0) * ((size_t)136 << 20);
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
    count(1);
    return n;
}

void orr__cpu_blas_leave(int n, bool kept)
{
    int most = atomic_load(&had);
    while (kept && n > most && !atomic_compare_exchange_weak(&had, &most, n))
        continue;
    count(-1);
    atomic_fetch_sub(&inside, 1);
}
