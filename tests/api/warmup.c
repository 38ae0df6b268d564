/* orr_warmup: compiles, computes nothing; later calls compile nothing.
 * Must not know: how kernels are compiled. */
#include "config.h"
#include <orrery.h>
#include <sys/prctl.h>
#include "codelets/jit/jit.h"
#include "runtime/base/clock.h"
#include "tests/harness/jit_help.h"

static bool start(const char *dir, const char *jit)
{
    setenv("ORRERY_CACHE_DIR", jh_place(dir), 1);
    setenv("ORRERY_JIT", jit, 1);
    return orr_init(NULL) == ORR_OK;
}

static orr_tensor *expression(double scale)
{
    orr_tensor *x = orr_add(orr_mul(orr_arange(ORR_F32, 0, 300, 1), orr_scalar(scale)), orr_scalar(1));
    return orr_mul(x, x);
}

static void warmed_graph_compiles_nothing(void)
{
    ORR_NEED_COMPILER();
    ORR_REQUIRE(start("warm", "on"));
    orr_tensor *t = expression(2);
    uint64_t none = orr__jit_get_stats().compiled;
    ORR_CHECK(orr_warmup(t) == ORR_OK);
    uint64_t some = orr__jit_get_stats().compiled;
    ORR_CHECK(some > none);
    ORR_CHECK(orr_warmup(t) == ORR_OK && orr_eval(t) == ORR_OK && orr_warmup(t) == ORR_OK);
    ORR_CHECK(orr_eval(expression(3)) == ORR_OK && orr__jit_get_stats().compiled == some);
    int count = 0, removed = 0;
    orr_cache_entry e[8];
    ORR_CHECK(orr_cache_list(e, 8, &count) == ORR_OK && count == (int)(some - none) && e[0].bytes > 0 && e[0].label[0]);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(orr_cache_clear(&removed) == ORR_OK && removed == count && orr_cache_list(NULL, 0, &count) == ORR_OK &&
              count == 0);
    ORR_CHECK(orr_cache_list(e, 8, NULL) == ORR_EINVAL);
}

static void tiers_agree(void)
{
    ORR_NEED_COMPILER();
    float tier0[300], tier1[300];
    ORR_REQUIRE(start("agree", "off"));
    ORR_CHECK(orr_warmup(expression(2)) == ORR_OK); /* nothing to do */
    ORR_CHECK(orr_read(expression(2), tier0, sizeof tier0) == ORR_OK && orr_shutdown() == ORR_OK);
    uint64_t none = orr__jit_get_stats().compiled;
    ORR_REQUIRE(start("agree", "wait"));
    ORR_CHECK(orr_read(expression(2), tier1, sizeof tier1) == ORR_OK && orr_shutdown() == ORR_OK);
    ORR_CHECK(orr__jit_get_stats().compiled > none && memcmp(tier0, tier1, sizeof tier0) == 0);
}

static long resident_kb(void)
{
    char line[256];
    long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "VmRSS: %ld", &kb) != 1)
        ;
    if (f)
        (void)fclose(f);
    return kb;
}

/* A kernel's code, data and the remains of its compilation. No program of the suite makes more than 500: 100 MB. */
static void kernels_take_little_memory(void)
{
    ORR_NEED_COMPILER();
#if ORR_TEST_SANITIZED
    ORR_SKIP("a sanitizer needs memory of its own");
#endif
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* else the kernel may turn a page into two megabytes at any time */
    enum { FIRST = 4, KERNELS = 24 };            /* the first ones allocate what all share */
    ORR_REQUIRE(start("memory", "wait"));
    uint64_t none = 0;
    long before = 0;
    for (int i = 0; i < KERNELS; i++) { /* each a longer chain */
        if (i == FIRST) {
            none = orr__jit_get_stats().compiled;
            before = resident_kb();
        }
        orr_tensor *y = orr_sqrt(orr_add(orr_arange(ORR_F32, 0, 300, 1), orr_scalar(1)));
        for (int k = 0; k <= i; k++)
            y = k & 1 ? orr_exp(orr_neg(y)) : orr_mul(y, y);
        ORR_CHECK(orr_eval(y) == ORR_OK);
    }
    int made = (int)(orr__jit_get_stats().compiled - none);
    long each = made > 0 ? (resident_kb() - before) / made : 0;
    ORR_CHECK_MSG(made >= KERNELS - FIRST && each <= 200, "%ld KiB for each of %d kernels", each, made);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void bad_tensors_are_errors(void)
{
    ORR_CHECK(orr_warmup(NULL) != ORR_OK);
    ORR_REQUIRE(start("bad", "on"));
    ORR_CHECK(orr_warmup(NULL) != ORR_OK && orr_warmup(NULL) == orr_eval(NULL));
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void shutdown_does_not_wait_for_a_compiler(void)
{
    jh_write(jh_place("slow"), "#!/bin/sh\ncase $1 in --version) echo 1; exit 0;; esac\nsleep 1000\n", 0755);
    setenv("ORRERY_CC", jh_place("slow"), 1);
    orr__compile_limit = (orr__patience){ 1000, 1000 };
    for (int i = 0; i < 2; i++) {
        orr_event *event = NULL;
        orr_tensor *t;
        ORR_REQUIRE(start("slow-cache", "wait"));
        bool inline_only = strncmp(orr_engine_name(), "serial", 6) == 0;
        t = orr_exp(orr_rand(ORR_F32, ORR_SHAPE(1 << 22), 0, 1));
        if (!inline_only) /* its tasks wait for the compiler */
            ORR_CHECK(orr_eval_async(&t, 1, &event) == ORR_OK);
        (void)usleep(100000);
        double t0 = orr__now();
        if (!inline_only)
            ORR_CHECK(orr_shutdown() == ORR_OK && orr_wait(event) == ORR_OK);
        else
            ORR_CHECK(orr_shutdown() == ORR_OK);
        ORR_CHECK_MSG(orr__now() - t0 < 500, "%g s", orr__now() - t0); /* a busy machine must not fail the test */
    }
    unsetenv("ORRERY_CC");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(warmed_graph_compiles_nothing),
                                      ORR_TEST(tiers_agree),
                                      ORR_TEST(kernels_take_little_memory),
                                      ORR_TEST(bad_tensors_are_errors),
                                      ORR_TEST(shutdown_does_not_wait_for_a_compiler),
                                      { 0 } };
    if (!jh_begin())
        return 1;
    return jh_end(orr_test_main(argc, argv, "api.warmup", tests));
}
