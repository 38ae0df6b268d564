/* The plans that each thread used last: taken out and put back without a lock, and without counting references.
 * Must not know: how a plan is made, or found elsewhere. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/fork.h"
#include "runtime/plan/recent_plans.h"

/* A loop has hardly ever more graphs. Each costs a comparison of sizes. */
enum { RECENT = 4 };

typedef struct recent {
    orr__plan *plan[RECENT]; /* references */
    unsigned oldest;
    atomic_uint_least64_t count; /* written by its thread alone */
    struct recent *next, **at;
} recent;

/* The plans of a record are read by its own thread alone, except at the end of that thread or of the library, when no call is under way. */
static _Thread_local recent *mine __attribute__((tls_model("initial-exec")));
static recent *all;
static uint64_t count_of_ended; /* under the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;

static void drop(recent *r)
{
    for (int i = 0; i < RECENT; i++) {
        orr__plan_unref(r->plan[i]);
        r->plan[i] = NULL;
    }
}

static void thread_exit(void *p)
{
    recent *r = p;
    pthread_mutex_lock(&lock);
    *r->at = r->next;
    if (r->next)
        r->next->at = r->at;
    count_of_ended += atomic_load(&r->count);
    pthread_mutex_unlock(&lock);
    drop(r);
    free(r);
    mine = NULL;
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, thread_exit) == 0;
}

/* Makes the thread's record. NULL: impossible; the thread works without one. */
static recent *begin(void)
{
    (void)pthread_once(&once, make_key);
    recent *r = have_key ? calloc(1, sizeof *r) : NULL;
    if (!r || pthread_setspecific(key, r) != 0) {
        free(r);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    r->next = all;
    r->at = &all;
    if (all)
        all->at = &r->next;
    all = r;
    pthread_mutex_unlock(&lock);
    return mine = r;
}

orr__plan *orr__recent_take(bool (*is)(const orr__plan *p, const void *what), const void *what)
{
    recent *r = mine;
    for (int i = 0; r && i < RECENT; i++) {
        orr__plan *p = r->plan[i];
        if (!p || !is(p, what))
            continue;
        r->plan[i] = NULL;
        return p;
    }
    return NULL;
}

void orr__recent_put(orr__plan *p)
{
    recent *r = mine ? mine : begin();
    int i = 0;
    while (r && i < RECENT && r->plan[i])
        i++;
    if (r && i == RECENT) {
        i = (int)(r->oldest++ % RECENT);
        orr__plan_unref(r->plan[i]);
    }
    if (r)
        r->plan[i] = p;
    else
        orr__plan_unref(p);
}

/* Called after a successful orr__recent_take, so there is a record. */
void orr__recent_count(void)
{
    uint64_t n = atomic_load_explicit(&mine->count, memory_order_relaxed);
    atomic_store_explicit(&mine->count, n + 1, memory_order_relaxed);
}

uint64_t orr__recent_counted(void)
{
    pthread_mutex_lock(&lock);
    uint64_t n = count_of_ended;
    for (const recent *r = all; r; r = r->next)
        n += atomic_load_explicit(&r->count, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    return n;
}

void orr__recent_clear(void)
{
    pthread_mutex_lock(&lock);
    for (recent *r = all; r; r = r->next)
        drop(r);
    pthread_mutex_unlock(&lock);
}

void orr__recent_guard(void)
{
    orr__fork_guard(&lock);
}
