/* Buffers without references, kept with their handles: the next value of that size and tiling needs neither memory nor registration.
 * Must not know: plans, tasks. */
#include "config.h"
#include "runtime/base/ablation.h"
#include "runtime/base/idle_memory.h"
#include "runtime/base/pool.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/starpu/starpu.h"

/* A buffer is added when its last run has called back. StarPU may still be closing that task, and orders the next writer after it.
 * Unregistering waits, so it is left to threads that are not workers. */
enum { BUCKETS = 256, MOST = 4096 /* handles held */ }; /* limit of memory */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static orr__tiles *bucket[BUCKETS], *newest, *oldest;
static size_t held_bytes, held_handles;
static orr__tiles *grave; /* memory of the user and files, to be unregistered and released; linked by `older` */
static atomic_int work;   /* non-zero: orr__tilepool_settle has work */

static size_t hash(size_t bytes)
{
    return bytes * 0x9E3779B97F4A7C15u >> 40 & (BUCKETS - 1);
}

/* used: by a value, else its memory is returned. */
static void remove_held(orr__tiles *t, bool used)
{
    size_t h = hash(t->buf->bytes);

    if (t->same_prev)
        t->same_prev->same_next = t->same_next;
    else
        bucket[h] = t->same_next;
    if (t->same_next)
        t->same_next->same_prev = t->same_prev;
    if (t->newer)
        t->newer->older = t->older;
    else
        newest = t->older;
    if (t->older)
        t->older->newer = t->newer;
    else
        oldest = t->newer;
    t->older = t->newer = t->same_prev = t->same_next = NULL;
    held_bytes -= t->buf->bytes;
    orr__pool_unkeep(t->buf->cap, used);
    held_handles -= (size_t)t->n;
}

static void hold(orr__tiles *t)
{
    size_t h = hash(t->buf->bytes);

    t->same_next = bucket[h];
    if (bucket[h])
        bucket[h]->same_prev = t;
    bucket[h] = t;
    t->older = newest;
    if (newest)
        newest->newer = t;
    else
        oldest = t;
    newest = t;
    held_bytes += t->buf->bytes;
    orr__pool_keep(t->buf->cap);
    held_handles += (size_t)t->n;
    if (held_handles > MOST)
        atomic_store(&work, 1);
    orr__idle_memory_wake();
}

/* Returns the newest match: its memory is the most likely to be in cache. */
orr__buffer *orr__tilepool_take(size_t bytes, size_t tile_bytes)
{
    orr__tiles *t;

    pthread_mutex_lock(&lock);
    t = orr__ablated(ORR__OFF_HANDLE_POOL) ? NULL : bucket[hash(bytes)];
    for (; t; t = t->same_next)
        if (t->buf->bytes == bytes && t->bytes == tile_bytes)
            break;
    if (t)
        remove_held(t, true);
    pthread_mutex_unlock(&lock);
    if (!t)
        return NULL;
    atomic_store(&t->buf->refs, 1);
    atomic_store(&t->buf->readers, 0);
    atomic_store(&t->buf->overwritten, false);
    t->maker = t->file = NULL;
    atomic_store(&t->away, false); /* its content is undefined until it is written */
    return t->buf;
}

static void free_held(orr__tiles *t)
{
    orr__buffer *b = t->buf;

    orr__tiles_unregister(t, false);
    orr__buffer_recycle(b);
}

/* The smallest buffer with at least `bytes`, of equal ones the oldest; NULL: none has less than twice as many. Under the lock. */
static orr__tiles *near(size_t bytes)
{
    orr__tiles *best = NULL;

    for (orr__tiles *t = oldest; t; t = t->newer)
        if (t->buf->cap >= bytes && t->buf->cap / 2 < bytes && (!best || t->buf->cap < best->buf->cap))
            best = t;
    return best;
}

/* Removes and returns the oldest buffer if all memory would exceed its bound with `bytes` more, or the handles exceed theirs; it is the most
 * likely to belong to a plan no longer in use. */
static orr__tiles *excess(size_t bytes, bool any)
{
    orr__tiles *t = NULL;

    pthread_mutex_lock(&lock);
    if (oldest && (any || held_handles > MOST || orr__pool_excess(bytes) > orr__pool_free())) {
        t = oldest;
        remove_held(t, false);
    }
    pthread_mutex_unlock(&lock);
    return t;
}

/* Without this, the values of a plan with other sizes, other tiles or without tiles would need memory in addition to that of the previous
 * plan. */
void orr__tilepool_release(size_t bytes)
{
    /* A handle costs little compared with so many pages. */
    orr__tiles *t = NULL;

    if (starpu_worker_get_id() >= 0)
        return;
    pthread_mutex_lock(&lock);
    if (bytes >= ORR__T_CORE_CACHES && (t = near(bytes)))
        remove_held(t, false);
    pthread_mutex_unlock(&lock);
    if (t)
        free_held(t);
    else
        while ((t = excess(bytes, false)))
            free_held(t);
}

bool orr__tilepool_drop(orr__buffer *b)
{
    orr__tiles *t = orr__buffer_tiles(b);
    bool theirs = b->cap == 0 || b->spilled, worker; /* memory of the user and files: not kept for reuse */

    orr__run_unref(b->run);
    b->run = NULL;
    if (!t)
        return true;
    orr__recipe_drop(t);
    worker = starpu_worker_get_id() >= 0;
    if (theirs && !worker) {
        orr__tiles_unregister(t, false);
        return true;
    }
    pthread_mutex_lock(&lock);
    if (theirs) {
        t->older = grave;
        grave = t;
        atomic_store(&work, 1);
    } else {
        hold(t);
    }
    pthread_mutex_unlock(&lock);
    return false;
}

static orr__tiles *buried(void)
{
    orr__tiles *t;

    pthread_mutex_lock(&lock);
    if ((t = grave))
        grave = t->older;
    pthread_mutex_unlock(&lock);
    return t;
}

static void settle(bool any)
{
    for (orr__tiles *t; (t = buried()) || (t = excess(0, any));)
        free_held(t);
}

void orr__tilepool_settle(void)
{
    if (atomic_load_explicit(&work, memory_order_relaxed) && atomic_exchange(&work, 0))
        settle(false);
}

void orr__tilepool_tick(bool idle)
{
    settle(idle);
}

bool orr__tilepool_trim(void)
{
    bool some = false;

    if (starpu_worker_get_id() >= 0)
        return false;
    for (orr__tiles *t; (t = excess(0, true)); some = true)
        free_held(t);
    return some;
}

size_t orr__tilepool_held(void)
{
    size_t n;

    pthread_mutex_lock(&lock);
    n = held_bytes;
    pthread_mutex_unlock(&lock);
    return n;
}

void orr__tilepool_stop(void)
{
    settle(true);
}
