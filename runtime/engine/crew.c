/* The protocol of a crew: a job has a number, and each share is claimed once for that number.
 * Must not know: plans, kernels, StarPU. */
#include "config.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include "runtime/base/clock.h"
#include "runtime/base/exit.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/crew.h"

/* A process has one crew. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
ORR__TIMED_COND(bell)
ORR__TIMED_COND(ended)

/* True if it is time to look at the clock. A member that has stopped ends no share. */
static bool breathe(int *turn)
{
    if (++*turn % ORR__T_CREW_LOOK == 0) {
        (void)orr__exit_is_here();
        return true;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
    return false;
}

/* All shares of a finished job are claimed by its number or a later one, so a late member claims nothing. */
static bool claim(orr__crew *c, uint64_t number, int share)
{
    uint_least64_t before = atomic_load_explicit(&c->claimed[share], memory_order_relaxed);
    return before < number && atomic_compare_exchange_strong_explicit(&c->claimed[share], &before, number,
                                                                      memory_order_acquire, memory_order_relaxed);
}

/* The job remains valid until the share has ended. */
static void work(orr__crew *c, int share)
{
    int ok = ORR_OK;
    orr_status st = ORR_OK;

    if (atomic_load_explicit(&c->status, memory_order_relaxed) == ORR_OK)
        st = c->share(c->job, share);
    if (st != ORR_OK && atomic_compare_exchange_strong(&c->status, &ok, (int)st))
        (void)snprintf(c->text, sizeof c->text, "%s", orr_error_message());
    if (st != ORR_OK)
        orr_error_clear();
    if (atomic_fetch_add(&c->done, 1) + 1 < atomic_load(&c->awaited) || atomic_load(&c->awaited) == 0)
        return;
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
}

/* Does shares from the beginning of the member's part on, wrapping around; their number. */
static int take(orr__crew *c, uint64_t offer, int member)
{
    uint64_t number = offer >> 16;
    int shares = (int)(offer & 0xffff), first = member < shares ? (int)((int64_t)shares * member / c->members) : 0;
    int did = 0;

    for (int i = 0; i < shares; i++) {
        int share = first + i < shares ? first + i : first + i - shares;
        if (!claim(c, number, share))
            continue;
        work(c, share);
        did++;
    }
    return did;
}

unsigned orr__crew_open(orr__crew *c, int members)
{
    c->members = members;
    return atomic_fetch_add(&c->trips, 1) + 1;
}

/* A member that is about to sleep has counted itself before it reads the job, the ring and the trip for the last time. */
static bool wake(orr__crew *c)
{
    if (atomic_load(&c->napping) == 0)
        return false;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&bell);
    pthread_mutex_unlock(&lock);
    return true;
}

static void wake_for_work(orr__crew *c)
{
    if (wake(c))
        (void)atomic_fetch_add_explicit(&c->wakes, 1, memory_order_relaxed);
}

void orr__crew_close(orr__crew *c)
{
    (void)atomic_fetch_add(&c->trips, 1);
    (void)wake(c);
}

void orr__crew_ring(orr__crew *c)
{
    (void)atomic_fetch_add(&c->rings, 1);
    wake_for_work(c);
}

void orr__crew_spins(orr__crew *c, double us)
{
    int left = atomic_load_explicit(&c->contended, memory_order_relaxed);
    if (left > 0)
        atomic_store_explicit(&c->contended, left - 1, memory_order_relaxed);
    us = left > 0 ? 0 : us;
    atomic_store_explicit(&c->spin_ns, (int)(us * 1e3), memory_order_relaxed);
}

/* The leader has named the shares that it awaits before it reads their number for the last time. At the exit a member may have stopped. */
static void sleep_until_done(orr__crew *c, int shares)
{
    atomic_store(&c->awaited, shares);
    pthread_mutex_lock(&lock);
    while (atomic_load(&c->done) < shares) {
        struct timespec until = orr__time_after(1e-3 * ORR__T_LONG_REST);
        (void)pthread_cond_timedwait(&ended, &lock, &until);
        pthread_mutex_unlock(&lock);
        (void)orr__exit_is_here();
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    atomic_store(&c->awaited, 0);
}

/* A share that is late has lost its core, or has far more work. The leader's core is of use to others then, perhaps to that share. Returns
 * the µs of a long wait; 0: it was short. */
static double await_shares(orr__crew *c, int shares)
{
    int turn = 0;
    double since = -1;

    while (atomic_load_explicit(&c->done, memory_order_acquire) < shares) {
        if (!breathe(&turn))
            continue;
        double now = orr__now();
        since = since < 0 ? now : since;
        if (1e6 * (now - since) >= ORR__CREW_SPIN)
            sleep_until_done(c, shares);
    }
    return since < 0 ? 0 : 1e6 * (orr__now() - since);
}

/* Tells from a job whether the next ones are in smaller shares. A member that slept comes late to a short job anyway. */
static void judge(orr__crew *c, int shares, int mine, double waited, double us)
{
    if (us < ORR__T_CREW_WAKE)
        return;
    bool late = waited > us * ORR__T_DOUBT / 100, most = 100 * mine * c->members > (100 + ORR__T_DOUBT) * shares;
    if (late || most)
        c->uneven = ORR__T_CREW_CONTENDED;
    else if (c->uneven > 0)
        c->uneven--;
}

orr_status orr__crew_do(orr__crew *c, int shares, double us, orr__share share, void *job)
{
    uint64_t number = (atomic_load_explicit(&c->offer, memory_order_relaxed) >> 16) + 1;

    c->share = share;
    c->job = job;
    atomic_store_explicit(&c->done, 0, memory_order_relaxed);
    atomic_store_explicit(&c->status, ORR_OK, memory_order_relaxed);
    atomic_store(&c->offer, number << 16 | (uint64_t)shares);
    wake_for_work(c);
    int mine = take(c, number << 16 | (uint64_t)shares, 0);
    judge(c, shares, mine, await_shares(c, shares), us);
    orr_status st = (orr_status)atomic_load(&c->status);
    return st == ORR_OK ? ORR_OK : orr__fail_text(st, c->text);
}

/* Sleeps until there is another job than `offer`, or a ring, or the trip is over. After a long sleep the crew's owner is told once. */
static void nap(orr__crew *c, unsigned trip, uint64_t offer, unsigned rings)
{
    struct timespec until = orr__time_after(1e-3 * ORR__T_LONG_REST);
    bool told = c->rested == NULL;

    pthread_mutex_lock(&lock);
    (void)atomic_fetch_add(&c->napping, 1);
    while (atomic_load(&c->trips) == trip && atomic_load(&c->offer) == offer && atomic_load(&c->rings) == rings)
        if (told) {
            pthread_cond_wait(&bell, &lock);
        } else if (pthread_cond_timedwait(&bell, &lock, &until) != 0) {
            told = true;
            pthread_mutex_unlock(&lock);
            c->rested();
            pthread_mutex_lock(&lock);
        }
    (void)atomic_fetch_sub(&c->napping, 1);
    pthread_mutex_unlock(&lock);
}

/* The number of times that the system gave this thread's core to another thread. */
static long preempted(void)
{
    struct rusage u;
    return getrusage(RUSAGE_THREAD, &u) == 0 ? u.ru_nivcsw : 0;
}

void orr__crew_help(orr__crew *c, unsigned trip, int member)
{
    int turn = 0;
    double idle_since = orr__now();
    long before = preempted();

    while (atomic_load_explicit(&c->trips, memory_order_acquire) == trip) {
        unsigned rings = atomic_load(&c->rings);
        uint64_t offer = atomic_load_explicit(&c->offer, memory_order_acquire);
        if (take(c, offer, member) > 0) {
            turn = 0;
            idle_since = -1;
            continue;
        }
        if (!breathe(&turn))
            continue;
        double now = orr__now();
        idle_since = idle_since < 0 ? now : idle_since;
        if (1e9 * (now - idle_since) < atomic_load_explicit(&c->spin_ns, memory_order_relaxed))
            continue;
        long then = before;
        if ((before = preempted()) > then + 1)
            atomic_store_explicit(&c->contended, ORR__T_CREW_CONTENDED, memory_order_relaxed);
        nap(c, trip, offer, rings);
        turn = 0;
        idle_since = -1;
    }
}
