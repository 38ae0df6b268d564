/* The table of choices between variants of one computation.
 * Must not know: the variants' work, files. */
#include "config.h"
#include "codelets/variants.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/ablation.h"
#include "runtime/base/env.h"
#include "runtime/base/fork.h"
#include "runtime/base/held.h"

/* TIMES: measurements of each variant. CLEARLY: another variant must be faster than variant 0 by this factor. */
enum { TIMES = 6, BUCKETS = 256 };
#define CLEARLY 0.97

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

orr__variants *orr__variants_of(uint64_t kernel, uint32_t size, int n)
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

int orr__variants_next(orr__variants *v, bool *timed)
{
    *timed = false;
    if (!v || orr__env.machine == ORR__MACHINE_FIXED || orr__ablated(ORR__OFF_VARIANTS))
        return 0;
    int chosen = atomic_load_explicit(&v->chosen, memory_order_relaxed);
    if (chosen >= 0)
        return chosen;
    *timed = true;
    return (int)((unsigned)atomic_fetch_add_explicit(&v->turn, 1, memory_order_relaxed) % (unsigned)v->n);
}

/* Called under the lock. Compares minima: other load on the machine only slows a variant down. */
static int choice(const orr__variants *v)
{
    int best = 0;
    for (int i = 0; i < v->n; i++)
        if (v->taken[i] < TIMES)
            return -1;
    for (int i = 1; i < v->n; i++)
        if (v->least[i] < v->least[best] * (best ? 1 : CLEARLY))
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
        atomic_store(&v->chosen, choice(v));
    pthread_mutex_unlock(&lock);
}

void orr__variants_each(void (*f)(const orr__variants *v, int chosen, void *arg), void *arg)
{
    for (int h = 0; h < BUCKETS; h++)
        for (orr__variants *v = atomic_load(&bucket[h]); v; v = v->next) {
            int chosen = atomic_load(&v->chosen);
            if (chosen >= 0)
                f(v, chosen, arg);
        }
}

void orr__variants_put(uint64_t kernel, uint32_t size, int n, int chosen)
{
    orr__variants *v = chosen >= 0 && chosen < n ? orr__variants_of(kernel, size, n) : NULL;
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
