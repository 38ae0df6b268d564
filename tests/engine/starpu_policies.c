/* No run hangs under any of StarPU's policies: random graphs, training steps, and kernels for some workers only, under each
 * policy of this StarPU, on processors alone and beside an OpenCL device. Each run is a process of its own, which SIGALRM
 * ends if it makes no progress. Half of the policies run on processors (orr_test_due), and with the device half of those that place work
 * by other rules; ORR_TEST_FULL=1: all, with more work each. ORR_TEST_POLICY: a single one.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"

#include <orrery/device.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <starpu.h>
#include "tests/harness/define_affine.h"
#include "tests/harness/random_graph.h"
#include "tests/harness/steps.h"

#define LIMIT "240" /* seconds for one graph or step, which takes far less than one; more on a busy machine */

/* Policies that differ in their choice between a processor and a device. */
static const char *const sample[] = { "lws", "eager", "dmda", "dmdas", "heteroprio", "modular-heft", "modular-gemm" };

static bool full(void)
{
    return getenv("ORR_TEST_FULL") != NULL;
}

static bool wanted(const char *policy, unsigned number, bool device)
{
    const char *alone = getenv("ORR_TEST_POLICY");
    if (alone)
        return strcmp(alone, policy) == 0;
    for (size_t i = 0; device && i < sizeof sample / sizeof *sample; i++)
        if (strcmp(sample[i], policy) == 0)
            return full() || orr_test_due((unsigned)i, 2);
    return full() || (!device && orr_test_due(number, 2));
}

/* Runs under a policy. False: skipped, this machine has no such worker. */
static bool ends(const char *policy, bool device)
{
    static char graphs[8], steps[8];
    const char *count = full() ? "60" : "4";
    (void)snprintf(graphs, sizeof graphs, "%s", device && !full() ? "2" : count);
    (void)snprintf(steps, sizeof steps, "%d", full() ? 100 : 3);
    int status = -1, pid = rg_start((const rg_setting[]){ { "ORRERY_ENGINE", "starpu" },
                                                          { "STARPU_SCHED", policy },
                                                          { "STARPU_NCUDA", "0" },
                                                          { "STARPU_NOPENCL", device ? "1" : "0" },
                                                          { "STARPU_OPENCL_ON_CPUS", device ? "1" : "0" },
                                                          /* the device's driver uses a core; one worker has both */
                                                          { "STARPU_NCPU", device ? "1" : "" },
                                                          { "ORRERY_TILE_US", "20" },
                                                          { "ORR_TEST_ALARM", LIMIT },
                                                          { "ORR_TEST_NEEDS", device ? "OpenCL" : "starpu" },
                                                          { "ORR_TEST_GRAPHS", graphs },
                                                          { "ORR_TEST_STEPS", steps },
                                                          { NULL, NULL } });
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        status = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        return false;
    bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    ORR_CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s%s: %s (wait status %d)", policy,
                  device ? " with OpenCL" : "", hung ? "nothing went on for " LIMIT " s" : "it failed", status);
    return true;
}

static void each_policy(bool device)
{
    struct starpu_sched_policy **all = starpu_sched_get_predefined_policies();
    int ran = 0, there = 0;
    unsigned number = 0;
    ORR_REQUIRE(all != NULL);
    for (; *all; all++)
        if (wanted((*all)->policy_name, number++, device)) {
            there++;
            ran += ends((*all)->policy_name, device);
        }
    printf("    %d policies%s\n", ran, device ? " with OpenCL" : "");
    if (ran == 0 && there > 0)
        ORR_SKIP("StarPU has no %s here", device ? "OpenCL worker" : "worker");
    ORR_CHECK_MSG(ran == there, "%d of %d were skipped", there - ran, there);
}

static void no_run_hangs_on_processors(void)
{
    each_policy(false);
}

static void no_run_hangs_beside_a_device(void)
{
    each_policy(true);
}

static void steps(void)
{
    const char *need = getenv("ORR_TEST_NEEDS");
    if (need && !strstr(orr_engine_name(), need))
        ORR_SKIP("the engine is \"%s\"", orr_engine_name());
    steps_child();
}

/* A kernel that only some of the workers can run, between work for any worker. Work that a policy cannot place is refused,
 * not kept for ever. */
static void some_workers_alone(const char *policy, bool device)
{
    orr_kernel_def d = affine_def;
    static float got[64 * 100];
    d.name = device ? "affine_on_device" : "affine_on_processor";
    d.entry = "affine";
    if (device)
        d.cpu = NULL;
    else
        d.opencl = d.cuda = NULL;
    bool refused = device && strcmp(policy, "modular-gemm") == 0;
    orr_op *op = orr_define_kernel(&d);
    for (int k = 0; k < 5; k++) {
        orr_test_alarm();
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_add(orr_ones(ORR_F32, ORR_SHAPE(64, 100)), orr_scalar(k));
        orr_tensor *y = orr_sub(orr_apply_with(op, ORR_TENSORS(x), ORR_PARAMS(2)), orr_scalar(1));
        orr_status st = orr_read(y, got, sizeof got);
        ORR_CHECK_MSG(refused ? st == ORR_EDEVICE && strstr(orr_error_message(), policy) : st == ORR_OK, "%s",
                      orr_error_message());
        for (int i = 0; i < 64 * 100 && st == ORR_OK; i++)
            ORR_CHECK((int)got[i] == 2 * (k + 1) + i / 100 - 1);
        (void)orr_scope_end(s);
    }
}

static void on_some_workers_alone(void)
{
    const char *need = getenv("ORR_TEST_NEEDS"), *policy = getenv("STARPU_SCHED");
    if (need && !strstr(orr_engine_name(), need))
        ORR_SKIP("the engine is \"%s\"", orr_engine_name());
    some_workers_alone(policy ? policy : "", false);
    if (need && policy && strcmp(need, "OpenCL") == 0)
        some_workers_alone(policy, true);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(no_run_hangs_on_processors),
                                      ORR_TEST(no_run_hangs_beside_a_device),
                                      { 0 } };
    static const orr_test child[] = { ORR_TEST(rg_agree), ORR_TEST(steps), ORR_TEST(on_some_workers_alone), { 0 } };
    if (getenv("ORR_TEST_CHILD")) {
        orr_test_alarm();
        return help_main(argc, argv, "starpu.policies.child", child);
    }
    return orr_test_main(argc, argv, "starpu.policies", tests);
}
