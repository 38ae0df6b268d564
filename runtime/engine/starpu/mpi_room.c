/* Time for StarPU-MPI's thread on a core that it shares with a rank's only worker.
 * An idle worker of StarPU spins, and on a shared core the thread that receives its next tiles would get the core only once in some
 * milliseconds. So the idle worker sleeps in a task of the lowest priority, which is submitted again when it ends.
 * Must not know: the work of other tasks. */
#include "config.h"
#include <stdatomic.h>
#include <time.h>
#include "runtime/base/threshold.h"
#include "runtime/engine/starpu/mpi.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static int users;
static bool under_way;
/* While a worker waits long, its core is of more use to other ranks than to its next poll: naps grow, up to MOST. */
enum { LEAST = ORR__T_CREW_WAKE / 5, MOST = 16 * LEAST /* microseconds */ };
static atomic_int next_nap;
static atomic_llong long_naps; /* those of MOST */

static void nap(void *buffers[], void *arg)
{
    int us = atomic_load_explicit(&next_nap, memory_order_relaxed);
    struct timespec t = { 0, 1000L * us };

    (void)buffers;
    (void)arg;
    atomic_store_explicit(&next_nap, 2 * us < MOST ? 2 * us : MOST, memory_order_relaxed);
    atomic_fetch_add_explicit(&long_naps, us == MOST, memory_order_relaxed);
    (void)nanosleep(&t, NULL);
}

void orr__star_mpi_worked(void)
{
    atomic_store_explicit(&next_nap, LEAST, memory_order_relaxed);
}

long long orr__star_mpi_long_naps(void)
{
    return atomic_load_explicit(&long_naps, memory_order_relaxed);
}

static struct starpu_codelet sleeper = {
    .where = STARPU_CPU, .cpu_funcs = { nap }, .nbuffers = 0, .name = "wait for tiles"
};

static void again(void *unused);

/* Under the lock. */
static void submit(void)
{
    struct starpu_task *task = users > 0 ? starpu_task_create() : NULL;

    under_way = false;
    if (task) {
        task->cl = &sleeper;
        task->callback_func = again;
        task->priority = starpu_sched_get_min_priority();
        under_way = starpu_task_submit(task) == 0;
        if (!under_way) {
            task->destroy = 0;
            starpu_task_destroy(task);
        }
    }
    if (!under_way)
        pthread_cond_broadcast(&ended);
}

static void again(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    submit();
    pthread_mutex_unlock(&lock);
}

/* With several workers, naps would keep them from stealing each other's tasks. */
void orr__star_mpi_room(bool wanted)
{
    if (orr__star_mpi.alone || orr__star.cpus != 1)
        return;
    pthread_mutex_lock(&lock);
    users += wanted ? 1 : -1;
    orr__star_mpi_worked();
    if (wanted && !under_way)
        submit();
    while (users == 0 && under_way)
        pthread_cond_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
}
