/* The pool of memory blocks: size classes with free lists, extents with huge pages for large blocks, the memory limit.
 * Must not know: buffers' owners. */
#include "config.h"
#include "runtime/base/extents.h"
#include "runtime/base/fork.h"
#include "runtime/base/idle_memory.h"
#include "runtime/base/memory_nodes.h"
#include "runtime/base/minmax.h"
#include "runtime/base/pool.h"
#include "runtime/base/spill.h"
#include "runtime/base/thread_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Sizes of small blocks: 64, 128, 192, 256, then four steps to each power of two (so at most a fifth is unused). Larger blocks are parts of
 * extents, so that free memory serves blocks of every size. */
enum { FIRST_LOG = 8, LAST_LOG = 18, CLASSES = 4 * (LAST_LOG - FIRST_LOG) + 4 }; /* limit of memory */
static const size_t huge_page = (size_t)2 << 20;
static const size_t class_most = (size_t)1 << LAST_LOG; /* larger blocks are extents */
#ifdef ORR__ASAN
enum { GUARD = 64 }; /* limit of the machine: bytes after a large block that are out of bounds */
#else
enum { GUARD = 0 };
#endif
static const size_t always_kept = (size_t)8 << 20;

typedef struct block {
    struct block *next;
} block;

static struct {
    pthread_mutex_t lock;
    block *free[CLASSES];
    uint64_t used[CLASSES]; /* the clock when a block was last taken or put */
    uint64_t clock;         /* takes and puts */
    orr__extents extents;
    orr__buffer *headers;
    size_t nheaders;
    uint64_t fresh, seen; /* seen: the uses at the last orr__pool_tick */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Bytes of blocks; written under the lock. */
static atomic_size_t outside, pooled; /* in use, and free                                           */
static atomic_size_t maps;            /* of all of them, those that malloc did not give             */
static atomic_size_t kept;            /* of those outside: held for reuse by the engine            */
static atomic_size_t recent;          /* the most in use; falls by a quarter at each tick          */
static atomic_size_t least;           /* the least in use since then                               */
static atomic_size_t moved;           /* the most by which use fell; decreases in the same way     */

/* Blocks that were taken. One that is put is none: the engine returns its own, when they exceed the bound. */
static atomic_uint_fast64_t uses;

/* Bytes. Not under the lock, since threads with blocks of their own count too. */
static atomic_size_t live, limit, peak;

static atomic_long fail_in = -1;

void orr__pool_guard(void)
{
    orr__fork_guard(&pool.lock);
}

void orr__pool_fail_after(long n)
{
    atomic_store(&fail_in, n < 0 ? -1 : n);
}

bool orr__pool_may_fail(void)
{
    return atomic_load_explicit(&fail_in, memory_order_relaxed) >= 0;
}

bool orr__pool_must_fail(void)
{
    return orr__pool_may_fail() && atomic_fetch_sub(&fail_in, 1) == 0;
}

int orr__pool_class(size_t bytes, size_t *cap)
{
    if (bytes <= 256) { /* limit of memory */
        size_t n = bytes ? (bytes + 63) / 64 : 1;
        *cap = 64 * n;
        return (int)n - 1;
    }
    if (bytes > class_most)
        return -1;
    int log = 63 - __builtin_clzll(bytes - 1); /* 2^log < bytes ≤ 2^(log+1) */
    size_t step = (size_t)1 << (log - 2), k = (bytes - 1 - ((size_t)1 << log)) / step;
    *cap = ((size_t)1 << log) + (k + 1) * step;
    return 4 + 4 * (log - FIRST_LOG) + (int)k;
}

static size_t class_size(int c)
{
    if (c < 4)
        return 64u * (size_t)(c + 1);
    int log = FIRST_LOG + (c - 4) / 4;
    return ((size_t)1 << log) + (size_t)((c - 4) % 4 + 1) * ((size_t)1 << (log - 2));
}

static bool mapped(size_t cap)
{
    return cap > class_most;
}

/* Large blocks come from the kernel, aligned to huge pages and with advice to use them: the page faults of fresh 4 KiB pages cost more
 * than most kernels' work on them. A page that the data do not fill stays small, since its rest would be unused memory. */
static void *map_aligned(size_t bytes, size_t cap)
{
    size_t mapped = cap + huge_page;
    char *p = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    size_t lead = (huge_page - (uintptr_t)p % huge_page) % huge_page;
    if (lead)
        munmap(p, lead);
    if (mapped - lead - cap)
        munmap(p + lead + cap, mapped - lead - cap);
#ifdef MADV_HUGEPAGE
    madvise(p + lead, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    orr__nodes_settle(p + lead, bytes);
    return p + lead;
}

static void *get_system(size_t bytes, size_t cap)
{
    void *p = NULL;
    if (mapped(cap)) {
        if ((p = map_aligned(bytes, cap)))
            atomic_fetch_add_explicit(&maps, cap, memory_order_relaxed);
        return p;
    }
    return posix_memalign(&p, 64, cap) == 0 ? p : NULL;
}

/* part: of an extent, else a block. */
static void put_system(void *p, size_t cap, bool part)
{
    ORR__SHOW(p, cap);
    if (!part && !mapped(cap)) {
        free(p);
        return;
    }
    munmap(p, cap);
    atomic_fetch_sub_explicit(&maps, cap, memory_order_relaxed);
}

/* -- free blocks, under the lock ------------------------------------------------------------------------------ */

static block *pop(int c)
{
    block *b = pool.free[c];
    ORR__SHOW(b, class_size(c));
    ORR__HOLDS(b, sizeof *b);
    pool.free[c] = b->next;
    atomic_fetch_sub_explicit(&pooled, class_size(c), memory_order_relaxed);
    return b;
}

/* A free block of class c, or of extents (c < 0), for `bytes`; *cap becomes its size. NULL: there is none. */
static void *take_free(int c, size_t bytes, size_t *cap)
{
    void *p = NULL;
    pool.clock++;
    atomic_fetch_add_explicit(&uses, 1, memory_order_relaxed);
    if (c < 0) {
        if ((p = orr__extent_take(&pool.extents, bytes + GUARD, cap)))
            atomic_fetch_sub_explicit(&pooled, *cap, memory_order_relaxed);
        ORR__SHOW(p, p ? *cap : 0);
        return p;
    }
    pool.used[c] = pool.clock;
    return pool.free[c] ? pop(c) : NULL;
}

/* False: there is no memory to note that it is free. */
static bool put_free(void *p, int c, size_t cap)
{
    pool.clock++;
    if (c < 0 && !orr__extent_put(&pool.extents, p, cap, pool.clock))
        return false;
    if (c >= 0) {
        block *b = p;
        b->next = pool.free[c];
        pool.free[c] = b;
        pool.used[c] = pool.clock;
    }
    atomic_fetch_add_explicit(&pooled, cap, memory_order_relaxed);
    return true;
}

/* Takes out a free block of the sizes that were used last the longest time ago, or (*part) at most about `most` bytes of an extent. NULL:
 * nothing is free. */
static void *take_oldest(size_t most, size_t *cap, bool *part)
{
    const orr__extent *x = orr__extent_oldest(&pool.extents);
    int old = -1;
    for (int c = 0; c < CLASSES; c++)
        if (pool.free[c] && (old < 0 || pool.used[c] < pool.used[old]))
            old = c;
    if (old >= 0 && (!x || pool.used[old] <= x->used)) {
        *cap = class_size(old);
        *part = false;
        return pop(old);
    }
    *part = true;
    if (!x)
        return NULL;
    void *p = orr__extent_cut(&pool.extents, most, cap);
    atomic_fetch_sub_explicit(&pooled, *cap, memory_order_relaxed);
    return p;
}

/* -- bounds --------------------------------------------------------------------------------------------------------- */

static void raise_to(atomic_size_t *high, size_t n)
{
    size_t now = atomic_load_explicit(high, memory_order_relaxed);
    while (n > now && !atomic_compare_exchange_weak_explicit(high, &now, n, memory_order_relaxed, memory_order_relaxed))
        continue;
}

static void lower_to(atomic_size_t *low, size_t n)
{
    size_t now = atomic_load_explicit(low, memory_order_relaxed);
    while (n < now && !atomic_compare_exchange_weak_explicit(low, &now, n, memory_order_relaxed, memory_order_relaxed))
        continue;
}

static size_t less(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

static size_t in_use(void)
{
    return less(atomic_load_explicit(&outside, memory_order_relaxed),
                atomic_load_explicit(&kept, memory_order_relaxed));
}

/* The bytes that are made and freed. */
static size_t moves(void)
{
    size_t fell = less(atomic_load_explicit(&recent, memory_order_relaxed),
                       atomic_load_explicit(&least, memory_order_relaxed)),
           before = atomic_load_explicit(&moved, memory_order_relaxed);
    return ORR__MAX(fell, before);
}

/* A new maximum, as when a program makes its weights: all of it may stay. */
static void note_use(void)
{
    size_t use = in_use();
    if (use <= atomic_load_explicit(&recent, memory_order_relaxed))
        return;
    raise_to(&moved, moves());
    raise_to(&recent, use);
    atomic_store_explicit(&least, use, memory_order_relaxed);
}

size_t orr__pool_excess(size_t bytes)
{
    size_t most = atomic_load_explicit(&recent, memory_order_relaxed);
    size_t bound = most + ORR__MIN(moves(), ORR__MAX(most / 2, always_kept));
    return less(atomic_load_explicit(&outside, memory_order_relaxed) +
                    atomic_load_explicit(&pooled, memory_order_relaxed) + bytes,
                bound);
}

/* Returns free blocks to the system: `excess` bytes if there are so many. Not under the lock. */
static void shed(size_t excess)
{
    while (excess) {
        size_t cap = 0;
        bool part;
        pthread_mutex_lock(&pool.lock);
        void *p = take_oldest(excess, &cap, &part);
        pthread_mutex_unlock(&pool.lock);
        if (!p)
            return;
        put_system(p, cap, part);
        excess = less(excess, cap);
    }
}

void orr__pool_keep(size_t cap)
{
    atomic_fetch_add_explicit(&kept, cap, memory_order_relaxed);
    lower_to(&least, in_use());
}

void orr__pool_unkeep(size_t cap, bool used)
{
    if (used)
        atomic_fetch_add_explicit(&uses, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&kept, cap, memory_order_relaxed);
    note_use();
}

size_t orr__pool_mapped(void)
{
    return atomic_load_explicit(&maps, memory_order_relaxed);
}

size_t orr__pool_recent(void)
{
    return atomic_load_explicit(&recent, memory_order_relaxed);
}

size_t orr__pool_free(void)
{
    return atomic_load_explicit(&pooled, memory_order_relaxed);
}

bool orr__pool_tick(void)
{
    size_t most = atomic_load(&recent), use = in_use();
    pthread_mutex_lock(&pool.lock);
    uint64_t now = atomic_load_explicit(&uses, memory_order_relaxed);
    bool idle = pool.seen == now;
    pool.seen = now;
    pthread_mutex_unlock(&pool.lock);
    size_t some = moves();
    atomic_store(&moved, idle ? 0 : some - some / 4);
    most -= idle ? most : most / 4;
    atomic_store(&recent, ORR__MAX(most, use));
    if (most <= use)
        atomic_store(&least, use);
    if (idle)
        orr__pool_trim();
    else
        shed(orr__pool_excess(0));
    return idle;
}

void orr__pool_trim(void)
{
    orr__stash_trim();
    shed(SIZE_MAX);
    pthread_mutex_lock(&pool.lock);
    orr__buffer *headers = pool.headers;
    pool.headers = NULL;
    pool.nheaders = 0;
    pthread_mutex_unlock(&pool.lock);
    for (orr__buffer *next; headers; headers = next) {
        next = headers->next;
        free(headers);
    }
}

void orr__pool_limit(size_t bytes)
{
    atomic_store(&limit, bytes);
}

bool orr__pool_limited(void)
{
    return atomic_load_explicit(&limit, memory_order_relaxed) != 0;
}

orr__pool_stats orr__pool_get_stats(void)
{
    orr__pool_stats s = { .live = atomic_load(&live),
                          .limit = atomic_load(&limit),
                          .peak = atomic_load(&peak),
                          .outside = atomic_load(&outside) };
    pthread_mutex_lock(&pool.lock);
    s.pooled = atomic_load(&pooled);
    s.fresh = pool.fresh;
    s.headers = pool.nheaders * sizeof(orr__buffer);
    pthread_mutex_unlock(&pool.lock);
    orr__spill_stats(&s);
    return s;
}

void orr__pool_peak_reset(void)
{
    atomic_store(&peak, atomic_load(&live));
    orr__spill_peak_reset();
}

void orr__pool_report(size_t bytes)
{
    orr__pool_stats s = orr__pool_get_stats();
    char most_live[48] = "none";
    if (s.limit)
        snprintf(most_live, sizeof most_live, "%zu bytes", s.limit);
    orr__fail(ORR__SITE(NULL, 0, "memory"), ORR_ENOMEM,
              "%zu bytes cannot be had: %zu bytes live, %zu held for reuse, peak %zu, limit (ORRERY_MEMORY_LIMIT) %s",
              bytes, s.live, s.pooled, s.peak, most_live);
}

static void note_peak(void)
{
    raise_to(&peak, atomic_load_explicit(&live, memory_order_relaxed));
}

/* Data that must be in memory may exceed the limit if other values can go to files. */
static bool book(size_t bytes)
{
    size_t end = atomic_load_explicit(&limit, memory_order_relaxed);
    size_t now = atomic_load_explicit(&live, memory_order_relaxed);
    bool beyond = !end || (bytes < ORR__SPILL_LEAST && orr__spill_on());
    while (beyond || (bytes <= end && now <= end - bytes))
        if (atomic_compare_exchange_weak_explicit(&live, &now, now + bytes, memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

bool orr__pool_book(size_t bytes)
{
    if (!book(bytes))
        return false;
    note_peak();
    return true;
}

bool orr__pool_has_room(size_t bytes)
{
    size_t end = atomic_load_explicit(&limit, memory_order_relaxed);
    size_t now = atomic_load_explicit(&live, memory_order_relaxed);
    return !end || (bytes <= end && now <= end - bytes);
}

void orr__pool_unbook(size_t bytes)
{
    atomic_fetch_sub_explicit(&live, bytes, memory_order_relaxed);
}

bool orr__pool_has(size_t bytes)
{
    size_t cap;
    int c = orr__pool_class(bytes, &cap);
    pthread_mutex_lock(&pool.lock);
    bool has = c >= 0 ? pool.free[c] != NULL : orr__extent_fits(&pool.extents, bytes);
    pthread_mutex_unlock(&pool.lock);
    return has;
}

/* A free block, counted as outside; NULL: there is none. */
static void *reuse(int c, size_t bytes, size_t *cap)
{
    pthread_mutex_lock(&pool.lock);
    void *p = take_free(c, bytes, cap);
    if (p)
        atomic_fetch_add_explicit(&outside, *cap, memory_order_relaxed);
    else
        pool.fresh++;
    pthread_mutex_unlock(&pool.lock);
    return p;
}

/* A block of the system, counted as outside. Under the limit, blocks held for reuse count too: those of other sizes are returned first. */
static void *fresh(size_t bytes, size_t cap)
{
    size_t all = atomic_load_explicit(&limit, memory_order_relaxed);
    size_t left = less(all, atomic_load_explicit(&live, memory_order_relaxed));
    size_t beyond = all ? less(orr__pool_free(), left) : 0, excess = orr__pool_excess(cap);
    shed(beyond > excess ? beyond : excess);
    bool shares = !all && mapped(cap) && cap < huge_page; /* a huge page, whose rest becomes free */
    size_t all_of_it = shares ? huge_page : cap;
    char *p = get_system(bytes, all_of_it);
    if (!p) {
        orr__pool_trim();
        p = get_system(bytes, all_of_it);
    }
    if (!p)
        return NULL;
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add_explicit(&outside, cap, memory_order_relaxed);
    bool free = !shares || put_free(p + cap, -1, all_of_it - cap);
    if (free && shares)
        ORR__HIDE(p + cap, all_of_it - cap);
    pthread_mutex_unlock(&pool.lock);
    if (!free)
        put_system(p + cap, all_of_it - cap, true);
    return p;
}

static void *get(size_t bytes, bool counts, size_t *cap)
{
    int c = orr__pool_class(bytes, cap);
    if (c < 0)
        *cap = orr__extent_size(bytes + GUARD);
    void *p = NULL;
    if (*cap >= bytes && *cap && !orr__pool_must_fail() && (!counts || book(bytes))) {
        p = reuse(c, bytes, cap);
        if (!p)
            p = fresh(bytes, *cap);
        if (!p && counts)
            orr__pool_unbook(bytes);
    }
    if (!p) {
        orr__pool_report(bytes);
        return NULL;
    }
    if (counts)
        note_peak();
    note_use();
    ORR__SHOW(p, bytes);
    ORR__HIDE((char *)p + bytes, *cap - bytes);
    return p;
}

void *orr__pool_get(size_t bytes, size_t *cap)
{
    return get(bytes, true, cap);
}

void *orr__pool_lend(size_t bytes, size_t *cap)
{
    return get(bytes, false, cap);
}

void orr__pool_put(void *p, size_t bytes, size_t cap)
{
    size_t size;
    int c = orr__pool_class(cap, &size);
    ORR__SHOW(p, cap);
    orr__pool_unbook(bytes);
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_sub_explicit(&outside, cap, memory_order_relaxed);
    bool free = put_free(p, c, cap);
    if (free)
        ORR__HIDE(p, cap);
    pthread_mutex_unlock(&pool.lock);
    if (!free)
        put_system(p, cap, false);
    lower_to(&least, in_use());
    size_t excess = orr__pool_excess(0);
    if (excess)
        shed(excess);
    orr__idle_memory_wake();
}

orr__buffer *orr__pool_header(void)
{
    pthread_mutex_lock(&pool.lock);
    orr__buffer *h = pool.headers;
    if (h) {
        pool.headers = h->next;
        pool.nheaders--;
    }
    pthread_mutex_unlock(&pool.lock);
    if (!h)
        return orr__alloc(sizeof *h);
    memset((void *)h, 0, sizeof *h);
    return h;
}

void orr__pool_header_put(orr__buffer *b)
{
    pthread_mutex_lock(&pool.lock);
    b->next = pool.headers;
    pool.headers = b;
    pool.nheaders++;
    pthread_mutex_unlock(&pool.lock);
}
