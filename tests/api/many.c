/* Millions of made and freed tensors leave no memory behind. ORR_TEST_FULL=1: ten million.
 * Must not know: where handles, nodes and buffers are kept. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"

/* Resident bytes of this process, except those mapped from files. */
static long resident(void)
{
    long size = 0, all = 0, shared = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f || fscanf(f, "%ld %ld %ld", &size, &all, &shared) != 3)
        all = shared = 0;
    if (f)
        (void)fclose(f);
    return (all - shared) * sysconf(_SC_PAGESIZE);
}

static long count(void)
{
    return getenv("ORR_TEST_FULL") ? 10000000 : 1000000;
}

/* After a tenth of the calls every free list has its final size. */
static void flat(void (*thousand)(void))
{
    long before = 0, n = count() / 1000;
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* else the kernel may turn a page into two megabytes at any time */
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    for (long i = 0; i < n; i++) {
        if (i == n / 10)
            before = resident();
        thousand();
    }
    long grown = resident() - before;
    ORR_CHECK_MSG(before > 0 && grown < 1 << 20, "%ld bytes more after %ld tensors", grown, 1000 * n);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void data(void)
{
    static const float x[16] = { 1 };
    for (int i = 0; i < 1000; i++) {
        orr_tensor *t = orr_keep(orr_from(ORR_F32, ORR_SHAPE(4, 4), x));
        if (orr_free(t) != ORR_OK)
            ORR_CHECK(false);
    }
}

static void graphs(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_full(ORR_F32, ORR_SHAPE(4, 4), 1.0);
    for (int i = 0; i < 999; i++)
        t = orr_add(t, t);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void values(void)
{
    orr_scope *s = orr_scope_begin();
    for (int k = 0; k < 10; k++) {
        orr_tensor *t = orr_full(ORR_F32, ORR_SHAPE(4, 4), 1.0);
        for (int i = 0; i < 99; i++)
            t = orr_mul(t, t);
        if (orr_eval(t) != ORR_OK)
            ORR_CHECK_MSG(false, "%s", orr_error_message());
    }
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

static void data_made_and_freed(void)
{
    flat(data);
}

static void graphs_recorded_and_dropped(void)
{
    flat(graphs);
}

static void graphs_evaluated(void)
{
    flat(values);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(data_made_and_freed), ORR_TEST(graphs_recorded_and_dropped), ORR_TEST(graphs_evaluated), { 0 }
    };
    (void)setenv("ORRERY_JIT", "wait", 1); /* kernels are compiled before memory is measured, not at some later time */
    return orr_test_main(argc, argv, "api.many", tests);
}
