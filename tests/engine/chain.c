/* Tasks each of which depends on the previous one: all on one worker if nothing else runs, and correct in any case.
 * Must not know: how tasks are submitted. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

enum { LINKS = 60 };

/* Settings under which every op is a task, and none runs on the calling thread. */
static bool start(void)
{
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_INLINE_US", "0", 1);
    setenv("ORRERY_FUSE", "off", 1);
    setenv("STARPU_NCPU", "2", 1);
    setenv("STARPU_SCHED", "lws", 1);
    return orr_init(NULL) == ORR_OK;
}

/* [[1, 1], [0, 1]] to the power of LINKS + 1 is [[1, LINKS + 1], [0, 1]]. */
static bool chain_is_right(void)
{
    const float shear[4] = { 1, 1, 0, 1 };
    float got[4] = { 0 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_from(ORR_F32, ORR_SHAPE(2, 2), shear), *y = w;
    for (int i = 0; i < LINKS; i++)
        y = orr_matmul(y, w);
    bool ok = orr_read(y, got, sizeof got) == ORR_OK;
    (void)orr_scope_end(s);
    return ok && got[0] == 1 && got[1] == LINKS + 1 && got[2] == 0 && got[3] == 1;
}

static void a_chain_stays_on_one_worker(void)
{
    orr_stat row[16];
    ORR_REQUIRE(start());
    bool tasks = strncmp(orr_engine_name(), "starpu", 6) == 0;
    for (int k = 0; tasks && k < 20; k++) {
        orr_stats_reset();
        ORR_CHECK(chain_is_right());
        int n = orr_stats(row, 16);
        ORR_CHECK_MSG(n == 1 && row[0].tasks == LINKS, "%d rows, %d tasks", n, (int)row[0].tasks);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
    if (!tasks)
        ORR_SKIP("no StarPU");
}

static void *chains(void *wrong)
{
    for (int k = 0; k < 20; k++)
        if (!chain_is_right())
            *(bool *)wrong = true;
    return NULL;
}

static void chains_of_several_threads_are_right(void)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    bool wrong[THREADS] = { false };
    ORR_REQUIRE(start());
    for (int t = 0; t < THREADS; t++)
        ORR_REQUIRE(pthread_create(&thread[t], NULL, chains, &wrong[t]) == 0);
    for (int t = 0; t < THREADS; t++) {
        (void)pthread_join(thread[t], NULL);
        ORR_CHECK(!wrong[t]);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_chain_stays_on_one_worker),
                                      ORR_TEST(chains_of_several_threads_are_right),
                                      { 0 } };
    return orr_test_main(argc, argv, "engine.chain", tests);
}
