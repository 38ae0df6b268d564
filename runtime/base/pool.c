/* The pool of memory blocks: size classes with free lists, huge pages for large blocks, the memory limit.
 * Must not know: buffers' owners. */
#include "config.h"
#include "runtime/base/fork.h"
#include "runtime/base/pool.h"
#include "runtime/base/spill.h"
#include "runtime/base/thread_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Sizes: 64, 128, 192, 256, then four steps to each power of two (so at most a fifth is unused). */
enum { FIRST_LOG = 8, LAST_LOG = 47, CLASSES = 4 * (LAST_LOG - FIRST_LOG) + 4 };
static const size_t huge_page = (size_t)2 << 20;
static const size_t always_kept = (size_t)64 << 20;

typedef struct block {
    struct block *next;
} block;

static struct {
    pthread_mutex_t lock;
    block *free[CLASSES];
    int count[CLASSES], least[CLASSES]; /* free blocks now; the fewest since the last sweep */
    orr__buffer *headers;
    size_t pooled, returned; /* bytes: in free blocks; returned to the pool since the last sweep */
    uint64_t fresh;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Bytes. Not under the lock, since threads with blocks of their own count too. */
static atomic_size_t live, limit, peak, most; /* most: the most bytes ever live at once; worth keeping */

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
    if (bytes <= 256) {
        size_t n = bytes ? (bytes + 63) / 64 : 1;
        *cap = 64 * n;
        return (int)n - 1;
    }
    int log = 63 - __builtin_clzll(bytes - 1); /* 2^log < bytes ≤ 2^(log+1) */
    if (log >= LAST_LOG)
        return -1;
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
#ifdef ORR__ASAN
    return cap >> 38 != 0; /* the sanitizer must see every block, but ends the process on absurd sizes */
#else
    return cap >= huge_page;
#endif
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
    return p + lead;
}

static void *system_get(size_t bytes, size_t cap)
{
    if (mapped(cap))
        return map_aligned(bytes, cap);
    void *p = NULL;
    return posix_memalign(&p, 64, cap) == 0 ? p : NULL;
}

static void system_put(void *p, size_t cap)
{
    ORR__SHOW(p, cap);
    if (mapped(cap))
        munmap(p, cap);
    else
        free(p);
}

static block *pop(int c)
{
    block *b = pool.free[c];
    ORR__SHOW(b, class_size(c));
    pool.free[c] = b->next;
    pool.pooled -= class_size(c);
    pool.count[c]--;
    if (pool.least[c] > pool.count[c])
        pool.least[c] = pool.count[c];
    return b;
}

static void push(block *b, int c)
{
    b->next = pool.free[c];
    pool.free[c] = b;
    pool.pooled += class_size(c);
    pool.returned += class_size(c);
    pool.count[c]++;
}

/* Removes all free blocks from the pool. The caller holds the lock, and frees the blocks without it. */
static void detach_all(block *lists[CLASSES])
{
    memcpy(lists, pool.free, sizeof pool.free);
    memset(pool.free, 0, sizeof pool.free);
    memset(pool.count, 0, sizeof pool.count);
    memset(pool.least, 0, sizeof pool.least);
    pool.pooled = pool.returned = 0;
}

/* Removes the blocks that were free all the time since the last sweep, likewise. */
static void detach_stale(block *lists[CLASSES])
{
    for (int c = 0; c < CLASSES; c++) {
        lists[c] = NULL;
        for (int n = pool.least[c]; n > 0; n--) {
            block *b = pop(c);
            b->next = lists[c];
            lists[c] = b;
        }
        pool.least[c] = pool.count[c];
    }
    pool.returned = 0;
}

/* Steps of one program use different sizes in turn, so the free blocks of all classes may exceed the most that was ever live. Up to 1.5
 * times that amount is kept; blocks of sizes that are no longer used are removed. False: none are removed. Under the lock. */
static bool detach_surplus(size_t cap, block *lists[CLASSES])
{
    size_t keep = atomic_load_explicit(&most, memory_order_relaxed);
    keep = keep > always_kept ? keep : always_kept;
    if (pool.pooled + cap <= keep)
        return false;
    if (pool.pooled + cap > keep + keep / 2)
        detach_all(lists);
    else if (pool.returned > keep)
        detach_stale(lists);
    else
        return false;
    return true;
}

static void free_all(block *lists[CLASSES])
{
    for (int c = 0; c < CLASSES; c++) {
        for (block *b = lists[c], *next; b; b = next) {
            ORR__SHOW(b, sizeof *b);
            next = b->next;
            system_put(b, class_size(c));
        }
    }
}

void orr__pool_trim(void)
{
    block *lists[CLASSES];
    orr__stash_trim();
    pthread_mutex_lock(&pool.lock);
    detach_all(lists);
    orr__buffer *headers = pool.headers;
    pool.headers = NULL;
    pthread_mutex_unlock(&pool.lock);
    free_all(lists);
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
    orr__pool_stats s = { .live = atomic_load(&live), .limit = atomic_load(&limit), .peak = atomic_load(&peak) };
    pthread_mutex_lock(&pool.lock);
    s.pooled = pool.pooled;
    s.fresh = pool.fresh;
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

static void raise_to(atomic_size_t *high, size_t n)
{
    size_t now = atomic_load_explicit(high, memory_order_relaxed);
    while (n > now && !atomic_compare_exchange_weak_explicit(high, &now, n, memory_order_relaxed, memory_order_relaxed))
        continue;
}

static void note_peak(void)
{
    size_t n = atomic_load_explicit(&live, memory_order_relaxed);
    raise_to(&peak, n);
    raise_to(&most, n);
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

/* The class of a free block that can serve class c, -1: none. A large block may have up to twice the size: fresh memory costs more. */
static int free_class(int c)
{
    enum { DOUBLE = 4 };
    int end = class_size(c) < huge_page || c + DOUBLE >= CLASSES ? c : c + DOUBLE;
    while (c <= end && !pool.free[c])
        c++;
    return c <= end ? c : -1;
}

bool orr__pool_has(size_t bytes)
{
    size_t cap;
    int c = orr__pool_class(bytes, &cap);
    pthread_mutex_lock(&pool.lock);
    bool has = c >= 0 && free_class(c) >= 0;
    pthread_mutex_unlock(&pool.lock);
    return has;
}

typedef enum { HIT, FRESH, CROWDED, REFUSED } answer;

/* Books `bytes` if they count, and finds a free block for class c; *cap becomes its size. Under the limit, blocks held for reuse count
 * too: those of other classes must be freed (CROWDED) before a fresh block is made. */
static answer reserve(size_t bytes, bool counts, int c, block **b, size_t *cap)
{
    answer a = FRESH;
    size_t all = atomic_load_explicit(&limit, memory_order_relaxed);
    if (counts && !book(bytes))
        return REFUSED;
    size_t now = atomic_load_explicit(&live, memory_order_relaxed);
    pthread_mutex_lock(&pool.lock);
    int of = free_class(c);
    if (of >= 0) {
        *b = pop(of);
        *cap = class_size(of);
        a = HIT;
    } else {
        pool.fresh++;
        if (all && pool.pooled > (now < all ? all - now : 0))
            a = CROWDED;
    }
    pthread_mutex_unlock(&pool.lock);
    if (a == HIT && counts)
        note_peak();
    return a;
}

static void *get(size_t bytes, bool counts, size_t *cap)
{
    int c = orr__pool_class(bytes, cap);
    block *b = NULL;
    answer a = c < 0 || orr__pool_must_fail() ? REFUSED : reserve(bytes, counts, c, &b, cap);
    if (a == CROWDED)
        orr__pool_trim();
    if (a == FRESH || a == CROWDED) {
        b = system_get(bytes, *cap);
        if (!b) {
            orr__pool_trim();
            b = system_get(bytes, *cap);
        }
        if (b && counts)
            note_peak();
        else if (counts)
            orr__pool_unbook(bytes);
    }
    if (!b) {
        orr__pool_report(bytes);
        return NULL;
    }
    ORR__HIDE((char *)b + bytes, *cap - bytes);
    return b;
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
    block *b = p, *lists[CLASSES];
    ORR__SHOW(b, cap);
    orr__pool_unbook(bytes);
    pthread_mutex_lock(&pool.lock);
    bool surplus = detach_surplus(cap, lists);
    push(b, c);
    ORR__HIDE(b, cap);
    pthread_mutex_unlock(&pool.lock);
    if (surplus)
        free_all(lists);
}

orr__buffer *orr__pool_header(void)
{
    pthread_mutex_lock(&pool.lock);
    orr__buffer *h = pool.headers;
    if (h)
        pool.headers = h->next;
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
    pthread_mutex_unlock(&pool.lock);
}
