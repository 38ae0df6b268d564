/* The ledger of regret. All numbers are atomic: workers report while callers evaluate.
 * Must not know: what is tried. */
#include "config.h"
#include "runtime/base/regret.h"

#include <stdatomic.h>

static atomic_uint_least64_t evaluations, trials, refused;
static atomic_int_least64_t seconds_ns, excess_ns, reserved_ns;

static int64_t ns_of(double seconds)
{
    return seconds > 0 ? seconds < 1e9 ? (int64_t)(seconds * 1e9) : (int64_t)1e18 : 0;
}

/* The bound is a share of the time of all evaluations so far. A program's first evaluations may be few and long: they have a bound in
 * seconds, too. */
static double bound(void)
{
    double early_most = 1e-3 * ORR__REGRET_EARLY_MS,
           most = ORR__REGRET_SHARE / 100.0 * 1e-9 * (double)atomic_load_explicit(&seconds_ns, memory_order_relaxed);
    bool early = atomic_load_explicit(&evaluations, memory_order_relaxed) <= ORR__REGRET_EARLY;
    return early && most > early_most ? early_most : most;
}

bool orr__regret_leave(double expected)
{
    int64_t want = ns_of(expected), most = ns_of(bound()), before = atomic_load(&reserved_ns);
    do {
        if (before + want > most - atomic_load(&excess_ns)) {
            (void)atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed);
            return false;
        }
    } while (!atomic_compare_exchange_weak(&reserved_ns, &before, before + want));
    return true;
}

void orr__regret_add(double excess)
{
    (void)atomic_fetch_add(&excess_ns, ns_of(excess));
}

void orr__regret_report(double expected, double excess)
{
    orr__regret_add(excess);
    (void)atomic_fetch_add_explicit(&trials, 1, memory_order_relaxed);
    orr__regret_return(expected);
}

void orr__regret_return(double expected)
{
    (void)atomic_fetch_sub(&reserved_ns, ns_of(expected));
}

void orr__regret_evaluated(uint64_t n, double seconds)
{
    (void)atomic_fetch_add_explicit(&seconds_ns, ns_of(seconds), memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&evaluations, n, memory_order_relaxed);
}

orr__regret orr__regret_now(void)
{
    return (orr__regret){ .evaluations = atomic_load(&evaluations),
                          .trials = atomic_load(&trials),
                          .refused = atomic_load(&refused),
                          .seconds = 1e-9 * (double)atomic_load(&seconds_ns),
                          .excess = 1e-9 * (double)atomic_load(&excess_ns),
                          .bound = bound() };
}

void orr__regret_clear(void)
{
    atomic_store(&evaluations, 0);
    atomic_store(&trials, 0);
    atomic_store(&refused, 0);
    atomic_store(&seconds_ns, 0);
    atomic_store(&excess_ns, 0);
}
