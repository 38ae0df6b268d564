/* No run hangs, whatever StarPU's policy: random graphs and training steps under each that this StarPU has, on processors
 * alone and beside an OpenCL device. Each run is a process of its own that SIGALRM ends when nothing goes on.
 * All policies on processors, and with the device those that place work by other rules; ORR_TEST_FULL=1: all, and more
 * work in each. ORR_TEST_POLICY: one alone.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"

#include <orrery/device.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <starpu.h>
#include "tests/random_graph.h"
#include "tests/steps.h"

#define LIMIT "240" /* seconds for one graph or step, which take far less than one; a busy machine, more */

/* Policies that differ in how they choose between a processor and a device. */
static const char *const sample[] = { "lws", "eager", "dmda", "dmdas", "heteroprio", "modular-heft" };

static bool full(void)
{
    return getenv("ORR_TEST_FULL") != NULL;
}

static bool wanted(const char *policy, bool device)
{
    const char *alone = getenv("ORR_TEST_POLICY");
    if (alone)
        return strcmp(alone, policy) == 0;
    for (size_t i = 0; device && i < sizeof sample / sizeof *sample; i++)
        if (strcmp(sample[i], policy) == 0)
            return true;
    return full() || !device;
}

/* False: skipped, this machine has no such worker. */
static bool ends(const char *policy, bool device)
{
    static char graphs[8], steps[8];
    const char *count = full() ? "60" : "4";
    (void)snprintf(graphs, sizeof graphs, "%s", device && !full() ? "3" : count);
    (void)snprintf(steps, sizeof steps, "%d", full() ? 100 : 5);
    int status = -1, pid = rg_start((const rg_setting[]){ { "ORRERY_ENGINE", "starpu" },
                                                          { "STARPU_SCHED", policy },
                                                          { "STARPU_NCUDA", "0" },
                                                          { "STARPU_NOPENCL", device ? "1" : "0" },
                                                          { "STARPU_OPENCL_ON_CPUS", device ? "1" : "0" },
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
    ORR_REQUIRE(all != NULL);
    for (; *all; all++)
        if (wanted((*all)->policy_name, device)) {
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

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(no_run_hangs_on_processors),
                                      ORR_TEST(no_run_hangs_beside_a_device),
                                      { 0 } };
    static const orr_test child[] = { ORR_TEST(rg_agree), ORR_TEST(steps), { 0 } };
    if (getenv("ORR_TEST_CHILD")) {
        orr_test_alarm();
        return help_main(argc, argv, "starpu.policies.child", child);
    }
    return orr_test_main(argc, argv, "starpu.policies", tests);
}
