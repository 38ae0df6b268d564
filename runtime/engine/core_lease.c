/* Leases of cores: while more threads evaluate than there are cores, a few evaluations for each core are under way at a time, in the order of their
 * coming. The system would share the cores by time slices: an evaluation that its thread is in the middle of when a slice ends would wait until
 * all others have had theirs, which is a hundred times as long as short work takes.
 * Must not know: plans, how they are run. */
#include "config.h"
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include "runtime/base/ablation.h"
#include "runtime/base/cgroup.h"
#include "runtime/base/clock.h"
#include "runtime/base/fork.h"
#include "runtime/engine/core_lease.h"

/* Work that is shorter than a hundredth of a time slice is rarely interrupted: at most every hundredth time. A lease ends after the time in which
 * the system would have given the core to each caller once, so that a thread whose work is long, or that waits for others, keeps none of them
 * waiting for longer than without leases. */
static const double slice_s = 100e-6 * ORR__LEASE_US;

typedef struct waiter {
    uint64_t lease; /* 0: none yet */
    double seconds; /* of the lease, at most */
    int places;     /* among which it is       */
    pthread_cond_t cond;
    struct waiter *next;
} waiter;

enum { CORES = CPU_SETSIZE }; /* limit of memory: more cores are not lent */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
ORR__GUARDED_IN_FORKS(lock)
static struct {
    waiter *first, **end; /* in the order of their coming */
    uint64_t last;        /* the number of the newest lease */
    struct {
        uint64_t lease; /* 0: free */
        double until;
    } place[2 * CORES];
    uint64_t process; /* by orr__fork_number: a child has no waiters, and no leases but its own */
} all;

/* The lock is held. */
static void here(void)
{
    if (all.end && all.process == orr__fork_number())
        return;
    memset(&all, 0, sizeof all);
    all.process = orr__fork_number();
    all.end = &all.first;
}

static int cores; /* written before any evaluation */

void orr__leases_start(void)
{
    cores = orr__processors();
}

/* A place without a lease, or whose lease is over: lends it. 0: there is none. */
static uint64_t lend(double now, double seconds, int places)
{
    for (int i = 0; i < places; i++)
        if (all.place[i].lease == 0 || all.place[i].until <= now) {
            all.place[i].lease = ++all.last;
            all.place[i].until = now + seconds;
            return all.last;
        }
    return 0;
}

static void lend_to_waiters(void)
{
    double now = orr__now();
    while (all.first && (all.first->lease = lend(now, all.first->seconds, all.first->places)) != 0) {
        waiter *w = all.first;
        if (!(all.first = w->next))
            all.end = &all.first;
        pthread_cond_signal(&w->cond);
    }
}

static uint64_t wait_for_lease(double seconds, int places)
{
    waiter me = { .seconds = seconds, .places = places };
    orr__cond_init(&me.cond);
    *all.end = &me;
    all.end = &me.next;
    while (me.lease == 0) {
        struct timespec until = orr__time_after(slice_s);
        if (pthread_cond_timedwait(&me.cond, &lock, &until) != 0 && me.lease == 0)
            lend_to_waiters();
    }
    pthread_cond_destroy(&me.cond);
    return me.lease;
}

/* limit of the machine: a core whose evaluation ends has the next one at once only if that is awake already, so there are more places than cores.
 * Short work, of a tenth of a slice, has twice as many: it rarely takes a whole slice together. `orrery-bench crowd` measures both. */
int orr__lease_places(double us)
{
    return us < 10 * ORR__LEASE_US ? 2 * cores : cores + (cores + 1) / 2;
}

/* Twice the predicted time, but a slice at least. */
static double longest(double us, int callers)
{
    double twice = 2e-6 * us, most = slice_s * callers / cores;
    return twice < slice_s ? slice_s : fmin(twice, most);
}

uint64_t orr__lease_begin(int callers, double us)
{
    int places = orr__lease_places(us);
    if (callers <= places || us < ORR__LEASE_US || cores > CORES || orr__ablated(ORR__OFF_CORE_LEASES))
        return 0;
    pthread_mutex_lock(&lock);
    here();
    double seconds = longest(us, callers);
    uint64_t lease = all.first ? 0 : lend(orr__now(), seconds, places);
    if (lease == 0)
        lease = wait_for_lease(seconds, places);
    pthread_mutex_unlock(&lock);
    return lease;
}

void orr__lease_end(uint64_t lease)
{
    if (lease == 0)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2 * cores; i++)
        if (all.place[i].lease == lease) {
            all.place[i].lease = 0;
            lend_to_waiters();
        }
    pthread_mutex_unlock(&lock);
}

void orr__lease_counts(int *waiting, uint64_t *lent)
{
    *waiting = 0;
    pthread_mutex_lock(&lock);
    here();
    for (const waiter *w = all.first; w; w = w->next)
        ++*waiting;
    *lent = all.last;
    pthread_mutex_unlock(&lock);
}
