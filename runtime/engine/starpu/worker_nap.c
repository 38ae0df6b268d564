/* Naps of workers that find no task, where StarPU's workers would spin: in all runs if orr__engine_naps, else in those that follow a rest, and in
 * those beside a compiler, whose priority is low. Workers that were woken for a run have run for less time than its caller, so the system prefers
 * them, and one that spins keeps the caller from submitting, and after the run from its core, for a time slice.
 * Must not know: what a run does. */
#include "config.h"
#include <time.h>
#include "runtime/base/clock.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/starpu/starpu.h"

/* Workers that take each other's tasks are called when there are more tasks than workers awake; they also look by themselves at times, since
 * StarPU makes some tasks ready by itself. Under other policies, and on several memory nodes, a task belongs to some workers, which cannot be
 * called by themselves, so naps are short. A worker of a device naps only if the device is this processor. All spin for some times as long as
 * a wake takes, and for a part of that where they nap at once. */
static const double long_nap = 1e-6 * ORR__T_SLEEP_AFTER / 2, short_nap = 1e-6 * ORR__T_CREW_WAKE;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
ORR__TIMED_COND(bell)
static atomic_bool at_once; /* they nap after a short time, since the newest run began */
static atomic_int napping;  /* workers that can be called */
static atomic_uint changes; /* of the tasks that are ready */
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;
/* StarPU's number of `look`; -1: it is not registered, and StarPU's locks for such functions are not in the way of workers. */
static atomic_int look_number = -1;

static void nap_until_called(unsigned seen)
{
    struct timespec until = orr__time_after(long_nap);

    pthread_mutex_lock(&lock);
    (void)atomic_fetch_add(&napping, 1);
    if (atomic_load(&changes) == seen)
        (void)pthread_cond_timedwait(&bell, &lock, &until);
    (void)atomic_fetch_sub(&napping, 1);
    pthread_mutex_unlock(&lock);
}

static void nap(enum starpu_worker_archtype type, unsigned seen)
{
    if (type == STARPU_CPU_WORKER && orr__star.thieves && orr__machine_here.nodes < 2)
        nap_until_called(seen);
    else if (type == STARPU_CPU_WORKER || (type == STARPU_OPENCL_WORKER && orr__star.opencl_on_cpus))
        (void)nanosleep(&(struct timespec){ 0, (long)(1e9 * short_nap) }, NULL);
}

/* Of a worker, which alone uses it. Not in the thread's memory, of which a library has little. */
static struct {
    _Alignas(64) double before, idle_since; /* its last look; its first look since its last task */
    unsigned seen;                          /* changes at the last look                          */
} looks[STARPU_NMAXWORKERS];

/* StarPU calls it each time that a worker has found no task. A task that became ready after the worker's last look is a change. */
static unsigned look(void *unused)
{
    static const double soon = 1e-6 * ORR__T_CREW_WAKE / 4; /* a worker with a task looks later */
    int worker = starpu_worker_get_id();

    (void)unused;
    if (worker < 0)
        return 1;
    unsigned seen = atomic_load(&changes);
    double now = orr__now();
    if (now - looks[worker].before >= soon)
        looks[worker].idle_since = now;
    if (now - looks[worker].idle_since >= (atomic_load(&at_once) ? soon : 8 * soon) && seen == looks[worker].seen) {
        nap(starpu_worker_get_type(worker), seen);
        now = orr__now();
    }
    looks[worker].before = now;
    looks[worker].seen = seen;
    return 1;
}

/* Two runs may begin at a time: the newest state counts, whichever thread comes last. */
static void follow(bool runs)
{
    pthread_mutex_lock(&registering);
    bool may = runs && (atomic_load(&at_once) || orr__engine_naps);
    if (may && look_number < 0) {
        look_number = starpu_progression_hook_register(look, NULL);
    } else if (!may && look_number >= 0) {
        starpu_progression_hook_deregister(look_number);
        look_number = -1;
    }
    pthread_mutex_unlock(&registering);
}

void orr__star_nap_start(void)
{
    atomic_store(&at_once, false);
    follow(true);
}

void orr__star_nap_begin(bool naps)
{
    if (atomic_exchange(&at_once, naps) != naps)
        follow(true);
}

void orr__star_nap_stop(void)
{
    follow(false);
}

void orr__star_call(int own, bool named)
{
    if (atomic_load_explicit(&look_number, memory_order_relaxed) < 0)
        return;
    (void)atomic_fetch_add(&changes, 1);
    int asleep = atomic_load(&napping);
    if (asleep == 0)
        return;
    int more = named ? asleep : starpu_task_nready() - own - (orr__star.cpus - asleep);
    if (more <= 0)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < more && i < asleep; i++)
        pthread_cond_signal(&bell);
    pthread_mutex_unlock(&lock);
}
