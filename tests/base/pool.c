/* Buffers and the pool: reuse, alignment, limits, failure, threads.
 * Must not know: graphs. */
#include "config.h"
#include "runtime/base/clock.h"
#include "runtime/base/idle_memory.h"
#include "runtime/base/pool.h"
#include "runtime/base/thread_cache.h"
#include "tests/harness/harness.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void blocks_are_aligned_and_writable(void)
{
    static const size_t sizes[] = { 0, 1, 63, 64, 65, 256, 257, 320, 4095, 4096, 100000, 2097152, 2097153, 9999999 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        orr__buffer *b = orr__buffer_new(sizes[i]);
        ORR_REQUIRE(b != NULL);
        ORR_CHECK((uintptr_t)b->host % 64 == 0);
        ORR_CHECK_MSG(b->bytes == sizes[i] && b->cap >= sizes[i], "%zu in %zu", sizes[i], b->cap);
        ORR_CHECK_MSG(b->cap <= 64 || b->cap - b->bytes < 64 || b->cap <= b->bytes + b->bytes / 4, "%zu in %zu",
                      sizes[i], b->cap);
        memset(b->host, 0xa5, sizes[i]);
        orr__buffer_unref(b);
    }
    orr__buffer_unref(NULL);
}

static void pool_serves_every_size(void)
{
    for (size_t n = 1; n < 5000; n++) {
        orr__buffer *b = orr__buffer_new(n);
        ORR_REQUIRE(b != NULL && b->cap >= n);
        memset(b->host, 1, n);
        orr__buffer_unref(b);
    }
    orr__pool_trim();
    orr__pool_stats s = orr__pool_get_stats();
    ORR_CHECK(s.pooled == 0 && s.live == 0);
}

static void freed_memory_is_used_again(void)
{
    orr__pool_trim();
    orr__buffer *b = orr__buffer_new(3000000);
    ORR_REQUIRE(b != NULL);
    void *host = b->host;
    orr__buffer_unref(b);
    orr__pool_stats before = orr__pool_get_stats();
    ORR_CHECK(before.pooled >= 3000000);
    b = orr__buffer_new(2900000); /* same class */
    ORR_REQUIRE(b != NULL);
    ORR_CHECK(b->host == host);
    orr__pool_stats s = orr__pool_get_stats();
    ORR_CHECK(s.fresh == before.fresh && s.live == 2900000 && s.pooled == 0 && s.peak >= 3000000);
    orr__buffer_unref(b);
}

static void pool_does_not_hoard(void)
{
    orr__pool_trim();
    for (size_t n = 1; n <= 60; n++) {
        orr__buffer *b = orr__buffer_new(n << 20);
        ORR_REQUIRE(b != NULL);
        orr__buffer_unref(b);
    }
    ORR_CHECK(orr__pool_get_stats().pooled <= (size_t)150 << 20);
    orr__pool_trim();
}

/* Uses n buffers at once. */
static void use_once(int n, size_t mib)
{
    orr__buffer *b[4] = { NULL };
    for (int i = 0; i < n; i++)
        ORR_REQUIRE((b[i] = orr__buffer_new(mib << 20)) != NULL);
    for (int i = 0; i < n; i++)
        orr__buffer_unref(b[i]);
}

/* Free blocks of different sizes in turn add up to more than was ever live at once. */
static void sizes_in_turn_stay(void)
{
    enum { TURNS = 20 };
    uint64_t fresh = 0;
    orr__pool_trim();
    for (int turn = 0; turn < TURNS; turn++) {
        use_once(1, 48);
        use_once(2, 20);
        use_once(1, 3);
        if (turn == 0)
            fresh = orr__pool_get_stats().fresh;
    }
    ORR_CHECK(orr__pool_get_stats().fresh == fresh);
    for (int turn = 0; turn < TURNS; turn++)
        use_once(1, 10);
    orr__pool_stats s = orr__pool_get_stats();
    ORR_CHECK_MSG(s.pooled <= (size_t)60 << 20, "%zu bytes, mostly of sizes that nobody uses any more", s.pooled);
    orr__pool_trim();
}

/* A free block is cut for smaller buffers, and its parts are joined again when they are free. */
static void a_large_free_block_serves_smaller_buffers(void)
{
    orr__pool_trim();
    use_once(1, 16);
    uint64_t fresh = orr__pool_get_stats().fresh;
    orr__buffer *b = orr__buffer_new((size_t)9 << 20), *c = orr__buffer_new((size_t)5 << 20);
    ORR_REQUIRE(b && c);
    ORR_CHECK(b->bytes == (size_t)9 << 20 && b->cap - b->bytes <= (size_t)320 << 10);
    memset(b->host, 1, b->bytes);
    memset(c->host, 2, c->bytes);
    ORR_CHECK(((char *)b->host)[b->bytes - 1] == 1 && *(char *)b->host == 1);
    orr__buffer_unref(b);
    orr__buffer_unref(c);
    use_once(1, 16);
    use_once(2, 7);
    ORR_CHECK(orr__pool_get_stats().fresh == fresh);
    orr__pool_trim();
}

/* Whatever sizes come in turn, all blocks together stay within 1.5 times what was in use, or some megabytes more. */
static void blocks_are_bounded_by_use(void)
{
    enum { TURNS = 400, AT_ONCE = 6 };
    unsigned long long r = 11;
    size_t most = 0;
    orr__pool_trim();
    for (int turn = 0; turn < TURNS; turn++) {
        orr__buffer *b[AT_ONCE];
        size_t use = 0;
        for (int i = 0; i < AT_ONCE; i++) {
            size_t bytes = 1 + (size_t)(orr_test_rand(&r) % (turn % 2 ? 12U << 20 : 200U << 10));
            ORR_REQUIRE((b[i] = orr__buffer_new(bytes)) != NULL);
            use += b[i]->cap;
        }
        most = use > most ? use : most;
        for (int i = 0; i < AT_ONCE; i++)
            orr__buffer_unref(b[i]);
        orr__pool_stats s = orr__pool_get_stats();
        size_t all = s.outside + s.pooled, half = most / 2 > (size_t)8 << 20 ? most / 2 : (size_t)8 << 20;
        ORR_CHECK_MSG(all <= most + half, "turn %d: %zu bytes held, and %zu were in use at most", turn, all, most);
    }
    for (int i = 0; i < 40; i++) /* looks at idle memory: large blocks are forgotten */
        (use_once(1, 1), (void)orr__pool_tick());
    ORR_CHECK_MSG(orr__pool_get_stats().pooled <= (size_t)10 << 20, "%zu bytes", orr__pool_get_stats().pooled);
    orr__pool_trim();
}

/* Blocks of eight sizes come in turn, 32 at a time: those of an earlier size cannot serve the next. */
static void values_that_stay_allow_no_free_memory(void)
{
    enum { AT_ONCE = 32, TURNS = 24 };
    static const size_t size[] = {
        80 << 10, 96 << 10, 112 << 10, 128 << 10, 160 << 10, 192 << 10, 224 << 10, 256 << 10
    };
    orr__pool_trim();
    for (int i = 0; i < 40; i++) /* what other tests had in use is forgotten */
        (void)orr__pool_tick();
    orr__buffer *stays = orr__buffer_new((size_t)64 << 20), *b[AT_ONCE];
    ORR_REQUIRE(stays != NULL);
    size_t moves = AT_ONCE * size[7], before = orr__pool_get_stats().outside;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < AT_ONCE; i++)
            ORR_REQUIRE((b[i] = orr__buffer_new(size[turn % 8])) != NULL);
        for (int i = 0; i < AT_ONCE; i++)
            orr__buffer_unref(b[i]);
        orr__pool_stats s = orr__pool_get_stats();
        ORR_CHECK_MSG(s.outside + s.pooled <= before + 2 * moves, "turn %d: %zu bytes free, and %zu move", turn,
                      s.pooled, moves);
    }
    orr__buffer_unref(stays);
    orr__pool_trim();
}

/* An engine returns its kept blocks little by little, in the look itself: no use, else the next look returns as little. */
static void blocks_that_an_engine_returns_are_no_use(void)
{
    enum { KEPT = 4, BYTES = 3 << 20 };
    void *kept[KEPT];
    size_t cap[KEPT];
    orr__pool_trim();
    for (int i = 0; i < KEPT; i++) {
        ORR_REQUIRE((kept[i] = orr__pool_lend(BYTES, &cap[i])) != NULL);
        orr__pool_keep(cap[i]);
    }
    ORR_CHECK(!orr__pool_tick());
    for (int i = 0; i < KEPT - 1; i++) {
        orr__pool_unkeep(cap[i], false);
        orr__pool_put(kept[i], 0, cap[i]);
        ORR_CHECK_MSG(orr__pool_tick(), "look %d", i);
        ORR_CHECK(orr__pool_get_stats().pooled == 0);
    }
    orr__pool_unkeep(cap[KEPT - 1], true); /* for a value, without a block of the pool */
    ORR_CHECK(!orr__pool_tick());
    orr__pool_put(kept[KEPT - 1], 0, cap[KEPT - 1]);
    ORR_CHECK(orr__pool_tick());
}

static void idle_memory_returns_to_the_system(void)
{
    orr__idle_memory_start();
    for (int round = 0; round < 2; round++) {
        use_once(2, 30);
        ORR_CHECK(orr__pool_get_stats().pooled >= (size_t)60 << 20);
        double t0 = orr__now();
        while (orr__pool_get_stats().pooled > 0 && orr__now() - t0 < 20)
            (void)usleep(20000);
        ORR_CHECK_MSG(orr__pool_get_stats().pooled == 0, "%zu bytes after %.1f s", orr__pool_get_stats().pooled,
                      orr__now() - t0);
    }
    orr__idle_memory_stop();
}

static void limit_is_kept_and_reported(void)
{
    orr__pool_limit(1000000);
    orr__buffer *a = orr__buffer_new(600000);
    ORR_REQUIRE(a != NULL);
    ORR_CHECK(orr__buffer_new(600000) == NULL);
    ORR_CHECK(orr_error_status() == ORR_ENOMEM);
    const char *m = orr_error_message();
    ORR_CHECK_MSG(strstr(m, "600000 bytes") && strstr(m, "600000 bytes live") && strstr(m, "1000000"), "%s", m);
    ORR_CHECK(orr__pool_get_stats().live == 600000);
    orr__buffer *b = orr__buffer_new(400000);
    ORR_CHECK(b != NULL); /* exactly full */
    orr__buffer_unref(a);
    orr__buffer_unref(b);
    a = orr__buffer_new(900000); /* pooled memory is released for it */
    ORR_CHECK(a != NULL);
    orr__pool_stats s = orr__pool_get_stats();
    ORR_CHECK_MSG(s.live + s.pooled <= 1000000, "%zu + %zu", s.live, s.pooled);
    orr__buffer_unref(a);
    orr__pool_limit(0);
}

static void impossible_size_is_refused(void)
{
    orr__pool_stats before = orr__pool_get_stats();
    ORR_CHECK(orr__buffer_new(SIZE_MAX) == NULL && orr_error_status() == ORR_ENOMEM);
    ORR_CHECK(orr__buffer_new((size_t)1 << 47) == NULL);
    ORR_CHECK(orr__buffer_new(((size_t)1 << 47) + 1) == NULL);
    ORR_CHECK(orr__alloc_n(SIZE_MAX / 2, 3) == NULL && orr_error_status() == ORR_ENOMEM);
    ORR_CHECK(orr__pool_get_stats().live == before.live);
    orr__buffer *b = orr__buffer_new(100);
    ORR_CHECK(b != NULL);
    orr__buffer_unref(b);
}

static void injected_failures_leave_no_trace(void)
{
    orr__pool_trim();
    for (long n = 0; n < 2; n++) {
        size_t live = orr__pool_get_stats().live;
        orr__pool_fail_after(n);
        orr__buffer *b = orr__buffer_new(5000); /* a block and a header */
        ORR_CHECK(b == NULL);
        ORR_CHECK(orr_error_status() == ORR_ENOMEM);
        ORR_CHECK(orr__pool_get_stats().live == live);
        b = orr__buffer_new(5000);
        ORR_CHECK(b != NULL);
        orr__buffer_unref(b);
        orr__pool_trim();
    }
    orr__pool_fail_after(-1);
}

static void count_release(void *host, void *user)
{
    (void)host;
    ++*(int *)user;
}

static void wrapped_memory_is_released_once(void)
{
    int released = 0;
    char mine[8];
    orr__buffer *b = orr__buffer_wrap(mine, sizeof mine, count_release, &released);
    ORR_REQUIRE(b != NULL);
    ORR_CHECK(b->host == mine);
    orr__buffer_ref(b);
    orr__buffer_unref(b);
    ORR_CHECK(released == 0);
    orr__buffer_unref(b);
    ORR_CHECK(released == 1);
    orr__buffer_unref(orr__buffer_wrap(mine, sizeof mine, NULL, NULL));
}

static int drops;
static bool keep_it(orr__buffer *b)
{
    (void)b;
    drops++;
    return false;
}

static void engine_may_hold_dropped_buffer(void)
{
    orr__buffer_engine.drop = keep_it;
    orr__buffer *b = orr__buffer_new(10);
    ORR_REQUIRE(b != NULL);
    orr__buffer_unref(b);
    ORR_CHECK(drops == 1 && orr__pool_get_stats().live == 10);
    orr__buffer_engine.drop = NULL;
    orr__buffer_recycle(b);
    ORR_CHECK(orr__pool_get_stats().live == 0);
}

static void thread_cache_keeps_small_buffers(void)
{
    static orr__stash mine;
    orr__pool_trim();
    orr__stash_begin(&mine);
    orr__buffer *b = orr__buffer_new(100), *c = orr__buffer_new(100000);
    ORR_REQUIRE(b && c);
    void *host = b->host;
    orr__buffer_unref(b);
    orr__buffer_unref(c); /* too large */
    ORR_CHECK(mine.held == 128 && orr__pool_get_stats().live == 0 && orr__pool_get_stats().pooled >= 100000);
    uint64_t fresh = orr__pool_get_stats().fresh;
    b = orr__buffer_new(120); /* same class */
    ORR_REQUIRE(b != NULL);
    ORR_CHECK(b->host == host && b->bytes == 120 && b->cap == 128 && mine.held == 0);
    ORR_CHECK(orr__pool_get_stats().live == 120 && orr__pool_get_stats().fresh == fresh);
    memset(b->host, 1, 120);
    orr__pool_limit(200);
    ORR_CHECK(orr__buffer_new(100) == NULL && orr_error_status() == ORR_ENOMEM);
    orr__buffer_unref(b);
    ORR_CHECK(mine.held == 0); /* under a limit all threads share */
    orr__pool_limit(0);
    orr__buffer *many[200];
    for (int i = 0; i < 200; i++)
        ORR_REQUIRE((many[i] = orr__buffer_new(4096)) != NULL);
    for (int i = 0; i < 200; i++)
        orr__buffer_unref(many[i]);
    ORR_CHECK(mine.held == ORR__STASH_BYTES && orr__pool_get_stats().live == 0);
    orr__stash_end();
    ORR_CHECK(mine.held == 0);
    orr__pool_trim();
    ORR_CHECK(orr__pool_get_stats().pooled == 0);
}

static void *churn(void *arg)
{
    orr__stash own = { { NULL }, 0 };
    orr__stash_begin(&own);
    unsigned long long r = (unsigned long long)(uintptr_t)arg;
    orr__buffer *held[16] = { 0 };
    for (int i = 0; i < 20000; i++) {
        size_t k = orr_test_rand(&r) % 16;
        if (held[k]) {
            if (*(unsigned char *)held[k]->host != (unsigned char)k)
                return arg;
            orr__buffer_unref(held[k]);
        }
        held[k] = orr__buffer_new(1 + orr_test_rand(&r) % 3000);
        if (held[k])
            memset(held[k]->host, (int)k, held[k]->bytes);
        if (orr_test_rand(&r) % 4096 == 0)
            orr__pool_trim();
    }
    for (int k = 0; k < 16; k++)
        orr__buffer_unref(held[k]);
    orr__stash_end();
    return NULL;
}

static void threads_share_the_pool(void)
{
    pthread_t t[4];
    for (uintptr_t i = 0; i < 4; i++)
        ORR_REQUIRE(pthread_create(&t[i], NULL, churn, (void *)(i + 1)) == 0);
    for (int i = 0; i < 4; i++) {
        void *bad = NULL;
        pthread_join(t[i], &bad);
        ORR_CHECK(bad == NULL);
    }
    ORR_CHECK(orr__pool_get_stats().live == 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(blocks_are_aligned_and_writable),
        ORR_TEST(pool_serves_every_size),
        ORR_TEST(freed_memory_is_used_again),
        ORR_TEST(pool_does_not_hoard),
        ORR_TEST(sizes_in_turn_stay),
        ORR_TEST(a_large_free_block_serves_smaller_buffers),
        ORR_TEST(blocks_are_bounded_by_use),
        ORR_TEST(blocks_that_an_engine_returns_are_no_use),
        ORR_TEST(idle_memory_returns_to_the_system),
        ORR_TEST(values_that_stay_allow_no_free_memory),
        ORR_TEST(limit_is_kept_and_reported),
        ORR_TEST(impossible_size_is_refused),
        ORR_TEST(injected_failures_leave_no_trace),
        ORR_TEST(wrapped_memory_is_released_once),
        ORR_TEST(engine_may_hold_dropped_buffer),
        ORR_TEST(thread_cache_keeps_small_buffers),
        ORR_TEST(threads_share_the_pool),
        { 0 },
    };
    int rc = orr_test_main(argc, argv, "base.pool", tests);
    orr__pool_trim();
    return rc;
}
