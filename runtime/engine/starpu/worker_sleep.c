/* Puts idle workers to sleep, and has busy ones watched: StarPU's idle workers spin, and occupy the cores of threads that record graphs.
 * Must not know: what a run does. */
#include "config.h"
#include <errno.h>
#include <math.h>
#include <time.h>
#include "runtime/base/ablation.h"
#include "runtime/base/clock.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/starpu/starpu.h"

/* Waking costs about 30 µs (up to some ms if all cores are busy), so workers spin through short gaps between runs, and sleep after long
 * ones. Two spinning workers on two cores halved the speed of a third thread. */
static const double patience = 1e-6 * ORR__T_SLEEP_AFTER;
enum { MOST_RUNS = 64 }; /* limit of memory */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t to_watch, to_runs;
static pthread_t watcher;
static bool stopping, asleep, dozing; /* dozing: the watcher's nap is long */
static int busy, runs, waiting, submitting;
static atomic_int posted;    /* written under the lock */
static atomic_int borrowers; /* steps under way that borrow; written under the lock */
static int borrowing_tasks;  /* … of these, the ones in tasks */
static bool lent;
static double idle_since, asked, missed;
static atomic_int pauses; /* written under the lock */

/* Busy workers need their cores. Calls of BLAS under way keep their threads until they end; a step of LAPACK consists of thousands of
 * calls. */
static void take_back(void)
{
    if (lent)
        orr__cpu_blas_threads(1);
    lent = false;
}

static void rise(void)
{
    take_back();
    if (!asleep)
        return;
    asleep = false;
    starpu_resume();
    pthread_cond_signal(&to_watch);
}

/* Lets workers sleep if only posted or borrowing work is left, and wakes them otherwise. own: finished tasks that StarPU still counts as
 * ready; it counts posted ones too. Each call that makes a task ready is followed by this one, so no task waits for sleeping workers. A
 * borrowing step that runs alone gets the workers' cores: OpenBLAS reads the number of its threads once per call, so the number may
 * change while LAPACK runs. */
static void balance(int own)
{
    bool alone = borrowers == 1 && posted == 0 && pauses == 0 && orr__star.lends > 1 && orr__exec_callers() <= 1;
    int without_workers = posted + own + (alone ? borrowing_tasks : 0);

    if (busy == 0 && !alone) { /* no work for workers: they may stay asleep */
        take_back();
        return;
    }
    if (starpu_task_nready() > without_workers || (posted == 0 && !alone) || submitting > 0 || busy > runs) {
        rise();
        return;
    }
    if (!asleep)
        starpu_pause();
    asleep = true;
    if (alone && !lent)
        orr__cpu_blas_threads(orr__star.lends);
    lent = alone;
}

static void nap(double seconds)
{
    struct timespec t = orr__time_after(seconds);

    dozing = seconds > patience;
    pthread_cond_timedwait(&to_watch, &lock, &t);
    dozing = false;
}

/* A crew that waits for a call is all that is left: its members sleep by themselves, and there is nothing to watch. */
static bool only_a_crew(void)
{
    return busy == 1 && runs == 0 && borrowers == 0 && posted == 0 && submitting == 0 && orr__star_crew_is_formed();
}

static void stop_dozing(void)
{
    if (dozing)
        pthread_cond_signal(&to_watch);
}

/* A finished task counts as ready for some µs, which can prevent the lending of cores, so the watcher checks again. */
static void *watch(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!stopping) {
        if (asleep && busy == 0 && posted + borrowing_tasks == 0 && (borrowers == 0 || lent)) {
            pthread_cond_wait(&to_watch, &lock);
        } else if (!asleep && busy == 0 && !orr__ablated(ORR__OFF_SLEEP) &&
                   orr__now() - idle_since >= (pauses ? 0 : patience)) {
            starpu_pause();
            asleep = true;
        } else {
            nap(only_a_crew() ? 2e-3 * ORR__T_LONG_REST : patience);
            pthread_mutex_unlock(&lock);
            orr__stall_look();
            orr__star_crew_dismiss(true);
            pthread_mutex_lock(&lock);
            if (borrowers > 0 || (asleep && busy > 0)) /* no call may have followed a task that became ready */
                balance(0);
        }
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

orr_status orr__star_idle_start(orr__site at)
{
    int err;

    orr__cond_init(&to_watch);
    orr__cond_init(&to_runs);
    stopping = asleep = lent = false;
    atomic_store(&pauses, 0);
    busy = runs = waiting = submitting = borrowing_tasks = 0;
    atomic_store(&posted, 0);
    atomic_store(&borrowers, 0);
    idle_since = orr__now();
    missed = 0;
    asked = -INFINITY;
    if ((err = pthread_create(&watcher, NULL, watch, NULL)) == 0)
        return ORR_OK;
    return orr__fail(at, ORR_EDEVICE, "no thread can be started (error %d)", err);
}

void orr__star_idle_stop(void)
{
    pthread_mutex_lock(&lock);
    stopping = true;
    if (asleep)
        starpu_resume();
    asleep = false;
    pthread_cond_signal(&to_watch);
    pthread_mutex_unlock(&lock);
    pthread_join(watcher, NULL);
    pthread_cond_destroy(&to_watch);
    pthread_cond_destroy(&to_runs);
}

bool orr__star_paused(void)
{
    return atomic_load_explicit(&pauses, memory_order_relaxed) > 0;
}

/* The crew leaves at once, or at the end of the plan that it does. */
void orr__star_pause(bool begins)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&pauses, begins ? 1 : -1);
    pthread_mutex_unlock(&lock);
    if (!begins)
        return;
    orr__star_crew_dismiss(false);
    pthread_mutex_lock(&lock);
    while (busy > 0) {
        pthread_mutex_unlock(&lock);
        (void)nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
        pthread_mutex_lock(&lock);
    }
    if (!asleep)
        starpu_pause();
    asleep = true;
    pthread_mutex_unlock(&lock);
}

bool orr__star_sleeps(void)
{
    pthread_mutex_lock(&lock);
    bool sleeps = asleep;
    pthread_mutex_unlock(&lock);
    return sleeps;
}

bool orr__star_rested(void)
{
    pthread_mutex_lock(&lock);
    bool rested = asleep || (busy == 0 && 1e6 * (orr__now() - idle_since) >= ORR__CREW_SPIN);
    pthread_mutex_unlock(&lock);
    return rested;
}

bool orr__star_wake(bool is_run)
{
    pthread_mutex_lock(&lock);
    for (; is_run && runs >= MOST_RUNS; waiting--) {
        waiting++;
        pthread_cond_wait(&to_runs, &lock);
    }
    runs += is_run;
    busy++;
    rise();
    stop_dozing();
    bool alone = runs == is_run;
    pthread_mutex_unlock(&lock);
    return alone;
}

void orr__star_rest(bool is_run)
{
    pthread_mutex_lock(&lock);
    runs -= is_run;
    if (--busy == 0)
        idle_since = orr__now();
    stop_dozing();
    if (borrowers > 0)
        balance(0);
    if (is_run && waiting > 0)
        pthread_cond_broadcast(&to_runs);
    pthread_mutex_unlock(&lock);
}

void orr__star_submits(bool begins)
{
    pthread_mutex_lock(&lock);
    submitting += begins ? 1 : -1;
    if (!begins && posted + borrowers > 0)
        balance(0);
    pthread_mutex_unlock(&lock);
}

void orr__star_posting(bool begins)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&posted, begins ? 1 : -1);
    pthread_mutex_unlock(&lock);
}

void orr__star_doze(bool was_posted)
{
    orr__star_call(1, false);
    if (!was_posted && atomic_load_explicit(&posted, memory_order_relaxed) == 0 &&
        atomic_load_explicit(&borrowers, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&lock);
    balance(1);
    pthread_mutex_unlock(&lock);
}

void orr__star_borrow(int more)
{
    bool task = more != 0 && starpu_worker_get_id() >= 0;

    orr__star_crew_dismiss(false); /* its helpers would compete with the callers and with the threads of BLAS */
    if (more == 0 && atomic_load_explicit(&borrowers, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&borrowers, more);
    stop_dozing();
    borrowing_tasks += task ? more : 0;
    balance(task && more < 0);
    if (borrowers > 0 && !lent)
        pthread_cond_signal(&to_watch);
    pthread_mutex_unlock(&lock);
}

/* True if waking the workers pays. The possible gain of each request is added up; the time without a request, beyond twice the time of
 * the work, is subtracted, since spinning workers are of no use in it; it costs nothing if they nap as a crew. Workers are woken when the sum reaches the highest cost of
 * waking. */
static bool share(double us, bool naps, bool counts)
{
    double now = orr__now();

    pthread_mutex_lock(&lock);
    double idle = naps ? 0 : now - asked - 2e-6 * us, all = missed + (idle > 0 ? -idle : 0.5e-6 * us);
    all = all > 0 ? fmin(all, 2 * patience) : 0;
    bool pays = runs == 0 && !orr__ablated(ORR__OFF_SHARE) && (asleep ? all >= patience : all > 0);
    missed = counts ? all : missed;
    asked = counts ? now : asked;
    pthread_mutex_unlock(&lock);
    return pays;
}

bool orr__star_share(double us, bool naps)
{
    return share(us, naps, true);
}

bool orr__star_would_share(double us, bool naps)
{
    return share(us, naps, false);
}

/* Two workers save half of the time. */
bool orr__star_sleeps_through(double us)
{
    return orr__star_sleeps() && !orr__star_crew_is_worth(us / 2);
}

void orr__star_wait_runs(int but)
{
    pthread_mutex_lock(&lock);
    for (; runs > but; waiting--) {
        waiting++;
        pthread_cond_wait(&to_runs, &lock);
    }
    pthread_mutex_unlock(&lock);
}
