/* The plan cache finds plans by structure. It is bounded, evicts the least recently used plan first, and is shared by
 * all threads.
 * Must not know: what a plan is made of. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/fork.h"
#include "runtime/base/hash.h"
#include "runtime/base/held.h"
#include "runtime/base/minmax.h"
#include "runtime/base/notes.h"
#include "runtime/base/pool.h"
#include "runtime/base/trace.h"
#include "runtime/base/signals.h"
#include "runtime/plan/passes.h"
#include "runtime/plan/recent_plans.h"

/* The most plans, and the most bytes of plans, their kernels and what libraries keep for these, in addition to a quarter of the memory that
 * was in use lately; but FEW plans as large as the largest one have room in any case. */
enum { BUCKETS = 1024, CAPACITY = 2048, FEW = 4 }; /* limit of memory */
static const size_t most_bytes = (size_t)10 << 20;

static struct {
    pthread_mutex_t lock;
    orr__plan *bucket[BUCKETS];
    int size;
    atomic_uint_least64_t clock,
        hits; /* also read and counted without the lock; hits of recent plans are counted in recent_plans.c */
    uint64_t misses, evicted;
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

void orr__plan_cache_guard(void)
{
    orr__fork_guard(&cache.lock);
    orr__recent_guard();
}

/* Settings on which a plan depends. They follow the capture's key. */
typedef struct {
    int64_t tile_us;
    int32_t workers, opencl, cuda, fuse, low_memory, whole;
    uint64_t ablated;
} settings;

/* A request. */
typedef struct {
    const orr__capture *p;
    settings s;
} wanted;

static void want(wanted *w, const orr__capture *p, bool low_memory)
{
    w->p = p;
    memset(&w->s, 0, sizeof w->s);
    w->s.tile_us = orr__env.tile_us;
    w->s.workers = orr__machine_here.workers;
    w->s.opencl = orr__machine_here.opencl;
    w->s.cuda = orr__machine_here.cuda;
    w->s.fuse = orr__env.fuse;
    w->s.low_memory = low_memory;
    w->s.whole = orr__machine_here.whole;
    w->s.ablated = orr__env.ablated;
}

static bool is(const orr__plan *pl, const void *what)
{
    const wanted *w = what;
    size_t size = w->p->key_size;
    return pl->cache.key_size == size + sizeof w->s && !memcmp(pl->cache.key, w->p->key, size) &&
           !memcmp(pl->cache.key + size, &w->s, sizeof w->s);
}

/* Settings are compared, not hashed: they hardly ever differ. */
static uint64_t hash_of(const wanted *w)
{
    return orr__hash(w->p->key, w->p->key_size, 0) + (uint64_t)w->s.low_memory;
}

static orr__plan *find(const wanted *w, uint64_t hash)
{
    for (orr__plan *pl = cache.bucket[hash % BUCKETS]; pl; pl = pl->cache.next)
        if (pl->cache.hash == hash && is(pl, w)) {
            atomic_store_explicit(&pl->cache.used, ++cache.clock, memory_order_relaxed);
            return orr__plan_ref(pl);
        }
    return NULL;
}

/* Searches the plans that this thread used last. */
static orr__plan *find_mine(const wanted *w)
{
    orr__plan *pl = orr__recent_take(is, w);
    uint64_t now = atomic_load_explicit(&cache.clock, memory_order_relaxed);
    if (pl && atomic_load_explicit(&pl->cache.used, memory_order_relaxed) != now)
        atomic_store_explicit(&pl->cache.used, now, memory_order_relaxed);
    return pl;
}

static orr__plan *find_shared(const wanted *w)
{
    uint64_t hash = hash_of(w);
    pthread_mutex_lock(&cache.lock);
    orr__plan *pl = find(w, hash);
    pthread_mutex_unlock(&cache.lock);
    return pl;
}

/* Unlinks the least recently used plan. It scans the cache, but only once per miss on a full cache, beside planning. */
static orr__plan *evict(void)
{
    orr__plan **oldest = NULL;
    for (int b = 0; b < BUCKETS; b++)
        for (orr__plan **at = &cache.bucket[b]; *at; at = &(*at)->cache.next)
            if (!oldest || (*at)->cache.used < (*oldest)->cache.used)
                oldest = at;
    orr__plan *pl = *oldest;
    *oldest = pl->cache.next;
    cache.size--;
    cache.evicted++;
    return pl;
}

/* Removes pl. True if it was there; its reference is then the caller's. */
static bool take_out(orr__plan *pl)
{
    orr__plan **at = &cache.bucket[pl->cache.hash % BUCKETS];
    while (*at && *at != pl)
        at = &(*at)->cache.next;
    if (!*at)
        return false;
    *at = pl->cache.next;
    cache.size--;
    return true;
}

/* Under the lock: the largest plan costs a scan, beside planning. */
static bool crowded(void)
{
    size_t all = orr__held(ORR_MEMORY_PLANS) + orr__held(ORR_MEMORY_PROGRAMS) + orr__held(ORR_MEMORY_LIBRARIES);
    size_t largest = 0;
    if (cache.size <= FEW || all <= most_bytes + orr__pool_recent() / 4)
        return cache.size >= CAPACITY;
    for (int b = 0; b < BUCKETS; b++)
        for (const orr__plan *pl = cache.bucket[b]; pl; pl = pl->cache.next)
            largest = ORR__MAX(pl->bytes, largest);
    return all > FEW * largest;
}

/* Removes the plans that were used last the longest time ago until the others are within their bounds. */
static void make_room(void)
{
    for (;;) {
        pthread_mutex_lock(&cache.lock);
        orr__plan *out = crowded() ? evict() : NULL;
        pthread_mutex_unlock(&cache.lock);
        if (!out)
            return;
        orr__plan_unref(out);
    }
}

/* Inserts a new plan, in place of a former one if not NULL, and returns it. If another thread was first, returns that thread's plan.
 * *out: a plan that was removed. */
static orr__plan *insert(const wanted *w, uint64_t hash, orr__plan *pl, orr__plan *former, orr__plan **out)
{
    if (former && take_out(former))
        *out = former;
    orr__plan *other = find(w, hash);
    if (other)
        return other;
    pl->cache.next = cache.bucket[hash % BUCKETS];
    cache.bucket[hash % BUCKETS] = orr__plan_ref(pl);
    pl->cache.used = ++cache.clock;
    cache.size++;
    return orr__plan_ref(pl);
}

/* A hash of the operations with their shapes and dtypes, without their numbers. */
static uint64_t operations_of(const orr__capture *p)
{
    uint64_t h = 1;
    for (int i = 0; i < p->n; i++) {
        const orr__node *n = p->node[i];
        const uint64_t is[2] = { (uint64_t)(uintptr_t)n->op, n->dtype };
        h = orr__hash(n->shape.dim, (size_t)n->shape.rank * sizeof *n->shape.dim, orr__hash(is, sizeof is, h));
    }
    return h | 1;
}

static orr_status get(orr__site at, const orr__capture *p, bool low_memory, orr__plan **plan)
{
    wanted w;
    want(&w, p, low_memory);
    uint64_t hash = hash_of(&w);
    pthread_mutex_lock(&cache.lock);
    *plan = find(&w, hash);
    cache.hits += *plan != NULL;
    cache.misses += !*plan;
    pthread_mutex_unlock(&cache.lock);
    if (*plan && !orr__plan_overtaken(*plan))
        return ORR_OK;
    orr__plan *made, *out = NULL, *former = *plan;
    double t0 = orr__tracing() || orr__noting() ? orr__now() : 0, notes = orr__notes_took(0, false);
    orr_status st = orr__plan_make(at, p, low_memory, &made);
    if (orr__tracing())
        orr__trace_span("plan", "make a plan", (orr__trace_at){ at.file, at.line, ORR__TRACE_SELF, t0, orr__now() },
                        NULL, 0);
    if (orr__noting())
        orr__notes_add(&(orr__note){ .kind = ORR__NOTE_PLAN,
                                     .file = at.file,
                                     .line = at.line,
                                     .n = 1,
                                     .content = (uint64_t)p->n,
                                     .reads = operations_of(p),
                                     .seconds = orr__now() - t0 - (orr__notes_took(0, false) - notes) });
    if (st != ORR_OK && former) { /* the former plan will do */
        orr_error_clear();
        return ORR_OK;
    }
    if (st != ORR_OK)
        return st;
    made->renewal.count = former ? former->renewal.count + 1 : 0;
    if (!(made->cache.key = malloc(p->key_size + sizeof w.s))) {
        *plan = made; /* usable, only not cached */
        orr__plan_unref(former);
        return ORR_OK;
    }
    memcpy(made->cache.key, p->key, p->key_size);
    memcpy(made->cache.key + p->key_size, &w.s, sizeof w.s);
    made->cache.key_size = p->key_size + sizeof w.s;
    made->cache.hash = hash;
    orr__plan_count(made);
    make_room();
    if (orr__env.print & ORR__PRINT_PLAN) {
        ORR__GUARD_WRITES;
        orr__plan_print(stderr, made);
    }
    pthread_mutex_lock(&cache.lock);
    *plan = insert(&w, hash, made, former, &out);
    pthread_mutex_unlock(&cache.lock);
    orr__plan_unref(made);
    orr__plan_unref(former);
    orr__plan_unref(out);
    return ORR_OK;
}

orr__plan *orr__plan_known(const orr__capture *p, size_t space)
{
    wanted w;
    want(&w, p, false);
    orr__plan *own = orr__ablated(ORR__OFF_RECENT_PLANS) ? NULL : find_mine(&w), *plan = own ? own : find_shared(&w);
    if (!plan || plan->memory.peak > space || orr__plan_overtaken(plan)) {
        orr__plan_unref(plan);
        return NULL;
    }
    if (own)
        orr__recent_count();
    else
        atomic_fetch_add_explicit(&cache.hits, 1, memory_order_relaxed);
    return plan;
}

/* Counts by hash. Different captures may share a place; then a plan more is made. */
bool orr__plan_repeats(const orr__capture *p)
{
    enum { PLACES = 256, TIMES = 3 };
    static atomic_uint_least64_t counted[PLACES];
    wanted w;
    want(&w, p, false);
    uint64_t hash = hash_of(&w) & ~(uint64_t)TIMES;
    atomic_uint_least64_t *at = &counted[hash / (TIMES + 1) % PLACES];
    uint64_t now = atomic_load_explicit(at, memory_order_relaxed);
    now = (now & ~(uint64_t)TIMES) == hash ? now : hash;
    if ((now & TIMES) == TIMES)
        return true;
    atomic_store_explicit(at, now + 1, memory_order_relaxed);
    return false;
}

void orr__plan_done(orr__plan *p)
{
    if (p->cache.key)
        orr__recent_put(p);
    else
        orr__plan_unref(p);
}

orr_status orr__plan_get(orr__site at, const orr__capture *p, orr__plan **plan)
{
    return get(at, p, false, plan);
}

orr_status orr__plan_get_within(orr__site at, const orr__capture *p, size_t space, orr__plan **plan)
{
    orr__plan *lean;
    orr_status st = get(at, p, false, plan);
    if (st != ORR_OK || (*plan)->memory.peak <= space)
        return st;
    if ((st = get(at, p, true, &lean)) != ORR_OK || lean->memory.peak < (*plan)->memory.peak) {
        orr__plan_unref(*plan);
        *plan = lean;
    } else {
        orr__plan_unref(lean);
    }
    return st;
}

orr__plan *orr__plan_ref(orr__plan *p)
{
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
    return p;
}

void orr__plan_unref(orr__plan *p)
{
    if (p && atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1)
        orr__plan_destroy(p);
}

void orr__plan_cache_clear(void)
{
    orr__recent_clear();
    pthread_mutex_lock(&cache.lock);
    orr__plan *all = NULL;
    for (int b = 0; b < BUCKETS; b++)
        while (cache.bucket[b]) {
            orr__plan *p = cache.bucket[b];
            cache.bucket[b] = p->cache.next;
            p->cache.next = all;
            all = p;
        }
    cache.size = 0;
    pthread_mutex_unlock(&cache.lock);
    while (all) {
        orr__plan *p = all;
        all = p->cache.next;
        orr__plan_unref(p);
    }
}

orr__plan_stats orr__plan_get_stats(void)
{
    uint64_t recent = orr__recent_counted();
    pthread_mutex_lock(&cache.lock);
    orr__plan_stats s = { atomic_load(&cache.hits) + recent, cache.misses, cache.evicted, cache.size };
    pthread_mutex_unlock(&cache.lock);
    return s;
}
