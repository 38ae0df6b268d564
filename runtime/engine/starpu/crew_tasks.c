/* The crew: a caller leads, and a task on each CPU worker helps. The tasks stay between evaluations that follow each other closely.
 * Must not know: how a step is shared, which plans suit. */
#include "config.h"
#include <math.h>
#include <sched.h>
#include "codelets/jit/jit.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/engine/starpu/starpu.h"
#include "runtime/base/threshold.h"
#include "runtime/graph/node.h"

/* Helpers spin through gaps between calls that are short as a rule, and sleep through others. They leave after a while without a call. */
static orr__crew crew = { .rested = orr__scratch_trim };
static atomic_flag led = ATOMIC_FLAG_INIT; /* set by a leading caller, or while the tasks begin or end */
static atomic_bool formed, unwanted;
static _Atomic double last,
    waited = -HUGE_VAL; /* the end of the last plan; the last time that another caller's work had to wait for one */
static unsigned trip;
static double gap_us; /* between calls, a mean of the last ones; of the leader */
static _Atomic double came,
    rest_us; /* the last call of any lane; the time between such calls, a mean of the last ones */
static _Atomic(pthread_t) leader;
static atomic_int leader_core, helpers, asleep_on; /* of the trip; the core of the sleeping worker, -1: none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
ORR__TIMED_COND(over)

/* Sleeps until the trip is over. If that takes long, the memory in which this thread's kernels keep copies is released. */
static void sleep_through(unsigned of)
{
    struct timespec until = orr__time_after(1e-3 * ORR__T_LONG_REST);
    int rc = 0;

    pthread_mutex_lock(&lock);
    while (atomic_load(&crew.trips) == of && rc == 0)
        rc = pthread_cond_timedwait(&over, &lock, &until);
    if (rc != 0)
        orr__scratch_trim();
    while (atomic_load(&crew.trips) == of)
        pthread_cond_wait(&over, &lock);
    pthread_mutex_unlock(&lock);
}

/* The worker on the caller's core sleeps; otherwise the two would take turns there. A task that starts after its trip does nothing. */
static void help(void *buffers[], void *arg)
{
    unsigned of = (unsigned)(uintptr_t)arg;
    int core = sched_getcpu(), none = -1;

    (void)buffers;
    if (atomic_load(&crew.trips) != of)
        return;
    if (core == atomic_load(&leader_core) && !orr__star_core_is_left() &&
        atomic_compare_exchange_strong(&asleep_on, &none, core)) {
        sleep_through(of);
    } else {
        orr__crew_help(&crew, of, 1 + atomic_fetch_add(&helpers, 1));
    }
}

static struct starpu_codelet helper = { .cpu_funcs = { help }, .nbuffers = 0, .name = "crew" };

static void send(int worker)
{
    struct starpu_task *t = starpu_task_create();

    if (!t)
        return;
    t->cl = &helper;
    t->cl_arg = (void *)(uintptr_t)trip;
    t->execute_on_a_specific_worker = 1;
    t->workerid = (unsigned)worker;
    if (starpu_task_submit(t) == 0) {
        orr__star_call(0, true);
        return;
    }
    t->destroy = 0; /* the crew has one helper fewer */
    starpu_task_destroy(t);
}

static double most_us(void)
{
    return orr__env.spin_us >= 0 ? (double)orr__env.spin_us : ORR__CREW_SPIN;
}

/* None while a compiler is at work, whose kernel saves more. */
static void spin(double us)
{
    orr__crew_spins(&crew, orr__jit_compiles() ? 0 : us);
}

/* The next node that the leader records will be part of its next call, so helpers wake while it records. Other threads' nodes do not count. */
static void wake_early(void)
{
    if (!pthread_equal(atomic_load(&leader), pthread_self()))
        return;
    atomic_store_explicit(&orr__node_first, NULL, memory_order_relaxed);
    spin(most_us());
    orr__crew_ring(&crew);
}

static const double longest_us = ORR__T_LONG_PLAN / 2;

/* A mean of times, of which the last ones count most and none for more than the longest. */
static double learned(double mean, double us)
{
    return mean + ((us < longest_us ? us : longest_us) - mean) / 4;
}

/* Learns from the gap before a call how long helpers spin after it. */
static void pace(double now)
{
    gap_us = learned(gap_us, 1e6 * (now - atomic_load(&last)));
    spin(gap_us < most_us() ? most_us() : 0);
}

/* Helpers will sleep before the next call: they are woken by its first node, if it is worth that. */
static void expect_next(const orr__plan *plan)
{
    atomic_store(&leader, pthread_self());
    bool early = gap_us >= most_us() && orr__star_crew_is_worth(orr__lane_alone_us(plan)) && most_us() > 0;
    atomic_store_explicit(&orr__node_first, early ? wake_early : NULL, memory_order_relaxed);
}

static void form(void)
{
    orr__star_wake(false);
    atomic_store(&leader_core, sched_getcpu());
    atomic_store(&helpers, 0);
    atomic_store(&asleep_on, -1);
    atomic_store(&last, orr__now());
    spin(most_us());
    trip = orr__crew_open(&crew, orr__star.cpus);
    for (int i = 0; i < orr__star.cpus; i++)
        send(starpu_worker_get_by_type(STARPU_CPU_WORKER, i));
    atomic_store(&formed, true);
}

static void disband(void)
{
    atomic_store(&formed, false);
    atomic_store_explicit(&orr__node_first, NULL, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    orr__crew_close(&crew);
    pthread_cond_signal(&over);
    pthread_mutex_unlock(&lock);
    orr__star_rest(false);
}

/* True if the caller has left the core whose worker sleeps, so that a helper may be on its new core. */
static bool stands_in_the_way(void)
{
    int free_core = atomic_load(&asleep_on);
    return free_core >= 0 && free_core != sched_getcpu();
}

bool orr__star_crew_is_formed(void)
{
    return atomic_load_explicit(&formed, memory_order_relaxed);
}

bool orr__star_crew_is_ready(double us)
{
    return orr__star_crew_is_formed() && (orr__star_crew_is_worth(us) || atomic_load(&crew.napping) == 0);
}

void orr__star_crew_asked(void)
{
    double now = orr__now(), before = atomic_exchange_explicit(&came, now, memory_order_relaxed);
    atomic_store_explicit(&rest_us, learned(atomic_load_explicit(&rest_us, memory_order_relaxed), 1e6 * (now - before)),
                          memory_order_relaxed);
}

/* After a long rest a core wakes late, and its caches are of no use: the work must be longer. It takes the caller longer then, too. */
bool orr__star_crew_is_worth(double us)
{
    double rested = atomic_load_explicit(&rest_us, memory_order_relaxed) / longest_us;
    return us >= ORR__T_CREW_WAKE + rested * ORR__CREW_SPIN / 2;
}

unsigned orr__star_crew_wakes(void)
{
    return atomic_load_explicit(&crew.wakes, memory_order_relaxed);
}

void orr__star_crew_dismiss(bool idle_ones)
{
    if (!atomic_load(&formed))
        return;
    if (!idle_ones)
        atomic_store(&unwanted, true);
    if (atomic_flag_test_and_set(&led)) { /* the leader will do it, or the crew is not idle */
        if (!idle_ones)
            atomic_store(&waited, orr__now());
        return;
    }
    bool idle = idle_ones && orr__now() - atomic_load(&last) > 1e-3 * ORR__T_LONG_REST;
    if ((atomic_exchange(&unwanted, false) || idle) && atomic_load(&formed))
        disband();
    atomic_flag_clear(&led);
}

/* One wait for the end of a plan is harmless; repeated waits are not. */
bool orr__star_crew_is_in_the_way(double us)
{
    static const double lately = 1;
    return us >= ORR__T_LONG_PLAN && orr__now() - atomic_load(&waited) < lately;
}

bool orr__star_crew(double most, orr__plan *plan, orr__buffer *const *leaf, const orr__scalar *scalar,
                    void *const *into, orr__buffer **out, orr_status *st)
{
    orr__crew_of of = { &crew, orr__star.cpus, most < HUGE_VAL ? orr__now() + most : HUGE_VAL };

    if (atomic_flag_test_and_set(&led))
        return false;
    pace(orr__now());
    if (atomic_load(&formed) && stands_in_the_way())
        disband();
    if (!atomic_load(&formed))
        form();
    *st = orr__exec_inline(plan, leaf, scalar, into, out, 0, &of);
    atomic_store_explicit(&last, orr__now(), memory_order_relaxed);
    expect_next(plan);
    atomic_flag_clear(&led);
    if (atomic_load(&unwanted))
        orr__star_crew_dismiss(false);
    return true;
}
