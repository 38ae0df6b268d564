/* The table of choices between variants of one computation.
 * Must not know: the variants' work, files. */
#include "config.h"
#include "codelets/variants.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/ablation.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/fork.h"
#include "runtime/base/held.h"
#include "runtime/base/regret.h"
#include "runtime/base/threshold.h"

enum { BUCKETS = 256 };

static orr__variants *_Atomic bucket[BUCKETS]; /* entries are only added, at the head: readers need no lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t bucket_of(uint64_t kernel, uint32_t size)
{
    return (size_t)((kernel ^ kernel >> 32 ^ size) % BUCKETS);
}

static orr__variants *find(uint64_t kernel, uint32_t size, int n)
{
    orr__variants *v = atomic_load_explicit(&bucket[bucket_of(kernel, size)], memory_order_acquire);
    while (v && (v->kernel != kernel || v->size != size || v->n != n))
        v = v->next;
    return v;
}

static orr__variants *find_or_add(uint64_t kernel, uint32_t size, int n)
{
    static atomic_bool guarded;
    orr__variants *v = find(kernel, size, n);
    if (v || n < 1 || n > ORR__VARIANTS_MOST)
        return v;
    if (!atomic_exchange(&guarded, true))
        orr__fork_guard(&lock);
    pthread_mutex_lock(&lock);
    if (!(v = find(kernel, size, n)) && (v = calloc(1, sizeof *v))) {
        size_t h = bucket_of(kernel, size);
        (void)orr__hold(ORR_MEMORY_MODELS, v);
        v->kernel = kernel;
        v->size = size;
        v->n = n;
        atomic_init(&v->chosen, -1);
        v->next = atomic_load(&bucket[h]);
        atomic_store_explicit(&bucket[h], v, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return v;
}

orr__variants *orr__variants_of(uint64_t kernel, uint32_t size, int n)
{
    orr__variants *v = find_or_add(kernel, size, n);
    if (v && !atomic_load_explicit(&v->used, memory_order_relaxed))
        atomic_store_explicit(&v->used, true, memory_order_relaxed);
    return v;
}

/* The variant that is to be used without a measurement; -1: it is to be found. */
int orr__variants_settled(const orr__variants *v)
{
    if (!v || orr__env.machine == ORR__MACHINE_FIXED || orr__ablated(ORR__OFF_VARIANTS))
        return 0;
    return atomic_load_explicit(&v->chosen, memory_order_relaxed);
}

int orr__variants_next(orr__variants *v, bool *timed)
{
    *timed = false;
    int chosen = orr__variants_settled(v);
    if (chosen >= 0)
        return chosen;
    *timed = true;
    return (int)((unsigned)atomic_fetch_add_explicit(&v->turn, 1, memory_order_relaxed) % (unsigned)v->n);
}

/* Called under the lock; -1: a variant has fewer than `times` measurements. Compares minima: other load on the machine only slows a variant
 * down. */
static int choice(const orr__variants *v, int times)
{
    int best = 0;
    for (int i = 0; i < v->n; i++)
        if (v->taken[i] < times)
            return -1;
    for (int i = 1; i < v->n; i++)
        if (v->least[i] < v->least[best] * (best ? 1 : 1 - ORR__T_NOISE / 100.0))
            best = i;
    return best;
}

void orr__variants_time(orr__variants *v, int i, double time)
{
    pthread_mutex_lock(&lock);
    if (v->taken[i] == 0 || time < v->least[i])
        v->least[i] = time;
    v->taken[i]++;
    if (atomic_load(&v->chosen) < 0)
        atomic_store(&v->chosen, choice(v, ORR__T_SETTLED));
    pthread_mutex_unlock(&lock);
}

/* The fastest of the variants with a time; variant 0 if there is none. Under the lock. */
static int best_known(const orr__variants *v)
{
    int best = 0;
    for (int i = 1; i < v->n; i++)
        if (v->taken[i] > 0 && (v->taken[best] == 0 || v->least[i] < v->least[best]))
            best = i;
    return best;
}

/* The best known variant, or a trial of the next one whose times are too few. Under the lock. */
static void pick(orr__pick *t, double part)
{
    orr__variants *v = t->v;
    int best = best_known(v), way = 0;
    for (int i = 0; i < v->n && v->taken[0] > 0; i++) {
        way = (int)((unsigned)atomic_fetch_add_explicit(&v->turn, 1, memory_order_relaxed) % (unsigned)v->n);
        if (v->taken[way] < ORR__T_SETTLED)
            break;
    }
    t->trial = v->taken[best] > 0 && way != best;
    if (t->trial) {
        double excess = v->taken[way] > 0 ? v->least[way] - v->least[best] : ORR__REGRET_MOST * v->least[best];
        t->expected = excess * part;
        t->trial = orr__regret_leave(t->expected);
    }
    t->way = t->trial || v->taken[best] == 0 ? way : best;
    t->timed = v->taken[t->way] < ORR__T_SETTLED;
}

orr__pick orr__variants_begin(orr__variants *v, double part)
{
    orr__pick t = { .v = v, .way = orr__variants_settled(v) };
    if (t.way >= 0)
        return t;
    pthread_mutex_lock(&lock);
    pick(&t, part);
    pthread_mutex_unlock(&lock);
    t.began = t.timed ? orr__cpu_time() : 0;
    return t;
}

/* Work of a thread is measured by the time that it runs, so that other load counts neither as a time nor as regret. */
void orr__variants_end(const orr__pick *t, double work)
{
    orr__variants *v = t->v;
    if (t->trial && work <= 0)
        orr__regret_return(t->expected);
    if (!t->timed || work <= 0)
        return;
    double took = orr__cpu_time() - t->began, each = took / work;
    orr__variants_time(v, t->way, each);
    if (!t->trial)
        return;
    pthread_mutex_lock(&lock);
    double best = v->least[best_known(v)];
    if (v->taken[t->way] >= ORR__CLEAR && v->least[t->way] > (1 + ORR__REGRET_MOST) * best &&
        v->taken[t->way] < ORR__T_SETTLED) {
        v->taken[t->way] = ORR__T_SETTLED;
        if (atomic_load(&v->chosen) < 0)
            atomic_store(&v->chosen, choice(v, ORR__T_SETTLED));
    }
    pthread_mutex_unlock(&lock);
    orr__regret_report(t->expected, took - best * work);
}

void orr__variants_each(void (*f)(const orr__variants *v, int chosen, void *arg), void *arg)
{
    for (int h = 0; h < BUCKETS; h++)
        for (orr__variants *v = atomic_load(&bucket[h]); v; v = v->next) {
            pthread_mutex_lock(&lock);
            int chosen = atomic_load(&v->chosen);
            chosen = chosen >= 0 ? chosen : choice(v, 1);
            pthread_mutex_unlock(&lock);
            if (chosen >= 0)
                f(v, chosen, arg);
        }
}

void orr__variants_put(uint64_t kernel, uint32_t size, int n, int chosen)
{
    orr__variants *v = chosen >= 0 && chosen < n ? find_or_add(kernel, size, n) : NULL;
    int open = -1;
    if (v)
        (void)atomic_compare_exchange_strong(&v->chosen, &open, chosen);
}

int orr__variants_forget(void)
{
    int n = 0;
    pthread_mutex_lock(&lock);
    for (int h = 0; h < BUCKETS; h++)
        for (orr__variants *v = atomic_load(&bucket[h]); v; v = v->next) {
            n += atomic_exchange(&v->chosen, -1) >= 0;
            for (int i = 0; i < v->n; i++)
                v->taken[i] = 0;
        }
    pthread_mutex_unlock(&lock);
    return n;
}
