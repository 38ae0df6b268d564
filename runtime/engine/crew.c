/* The protocol of a crew: a job has a number, and each share is claimed once for that number.
 * Must not know: plans, kernels, StarPU. */
#include "config.h"
#include <sched.h>
#include <stdio.h>
#include "runtime/base/exit.h"
#include "runtime/engine/crew.h"

enum { TURNS = 4096 }; /* polls before a thread yields its core: some 100 µs */

static void breathe(int *turn)
{
    if (++*turn % TURNS == 0) {
        (void)sched_yield();
        (void)orr__exit_is_here(); /* a member that has stopped ends no share */
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
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
    (void)atomic_fetch_add_explicit(&c->done, 1, memory_order_release);
}

/* Does shares from the beginning of the member's part on, wrapping around. false: none was left. */
static bool take(orr__crew *c, uint64_t offer, int member)
{
    uint64_t number = offer >> 16;
    int shares = (int)(offer & 0xffff), first = member < shares ? (int)((int64_t)shares * member / c->members) : 0;
    bool any = false;

    for (int i = 0; i < shares; i++) {
        int share = first + i < shares ? first + i : first + i - shares;
        if (!claim(c, number, share))
            continue;
        work(c, share);
        any = true;
    }
    return any;
}

unsigned orr__crew_open(orr__crew *c, int members)
{
    c->members = members;
    return atomic_fetch_add(&c->trips, 1) + 1;
}

void orr__crew_close(orr__crew *c)
{
    (void)atomic_fetch_add(&c->trips, 1);
}

orr_status orr__crew_do(orr__crew *c, int shares, orr__share share, void *job)
{
    uint64_t number = (atomic_load_explicit(&c->offer, memory_order_relaxed) >> 16) + 1;
    int turn = 0;

    c->share = share;
    c->job = job;
    atomic_store_explicit(&c->done, 0, memory_order_relaxed);
    atomic_store_explicit(&c->status, ORR_OK, memory_order_relaxed);
    atomic_store_explicit(&c->offer, number << 16 | (uint64_t)shares, memory_order_release);
    (void)take(c, number << 16 | (uint64_t)shares, 0);
    while (atomic_load_explicit(&c->done, memory_order_acquire) < shares)
        breathe(&turn);
    orr_status st = (orr_status)atomic_load(&c->status);
    return st == ORR_OK ? ORR_OK : orr__fail_text(st, c->text);
}

void orr__crew_help(orr__crew *c, unsigned trip, int member)
{
    int turn = 0;

    while (atomic_load_explicit(&c->trips, memory_order_acquire) == trip)
        if (take(c, atomic_load_explicit(&c->offer, memory_order_acquire), member))
            turn = 0;
        else
            breathe(&turn);
}
