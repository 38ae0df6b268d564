/* The limits of this process, checked before StarPU starts: StarPU aborts the process if it gets less.
 * Must not know: what StarPU does with it. */
#include "config.h"
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "runtime/engine/starpu/starpu.h"

/* Bytes of address space in addition to the threads' stacks, found by experiment; open files; threads for each core: a worker, and one
 * of an OpenCL implementation that runs on processors. */
enum { ADDRESSES = 640 << 20, DESCRIPTORS = 8, THREADS_PER_CORE = 2, THREADS_MOST = 512 }; /* limit of a library */

static bool addresses_left(void)
{
    void *p = mmap(NULL, ADDRESSES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p != MAP_FAILED && munmap(p, ADDRESSES) == 0;
}

static bool descriptors_left(void)
{
    int fd[DESCRIPTORS], n = 0;
    while (n < DESCRIPTORS && (fd[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        n++;
    for (int i = 0; i < n; i++)
        close(fd[i]);
    return n == DESCRIPTORS;
}

static void *wait_for_all(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Starts all threads at once, with stacks as StarPU's will be, beside the other addresses. */
static bool threads_left(int *wanted)
{
    static pthread_t thread[THREADS_MOST];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    cpu_set_t set;
    int n = 0, cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    *wanted = cores * THREADS_PER_CORE < THREADS_MOST ? cores * THREADS_PER_CORE : THREADS_MOST;
    pthread_mutex_lock(&gate);
    while (n < *wanted && pthread_create(&thread[n], NULL, wait_for_all, &gate) == 0)
        n++;
    bool enough = n == *wanted && addresses_left();
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < n; i++)
        (void)pthread_join(thread[i], NULL);
    return enough;
}

orr_status orr__star_limits(orr__site at)
{
    int threads;
    if (!descriptors_left())
        return orr__fail(at, ORR_EDEVICE, "StarPU needs %d more open files than this process may have (ulimit -n)",
                         DESCRIPTORS);
    if (!threads_left(&threads))
        return orr__fail(
            at, ORR_EDEVICE,
            "StarPU needs %d threads and %d MiB of addresses, which this process may not have (ulimit -u, -v)", threads,
            ADDRESSES >> 20);
    return ORR_OK;
}
