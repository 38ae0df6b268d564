/* The job's limits of memory and processors, read from control groups made for the test.
 * Must not know: its callers. */
#include "config.h"
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/base/cgroup.h"
#include "tests/harness/harness.h"

static char root[] = "/tmp/orr-job-XXXXXX";

/* Writes <root>/<path>, and makes the folders above it. */
static void put(const char *path, const char *text)
{
    char full[512];
    int n = snprintf(full, sizeof full, "%s/%s", root, path);
    for (int i = (int)strlen(root) + 1; i < n; i++)
        if (full[i] == '/') {
            full[i] = '\0';
            (void)mkdir(full, 0700);
            full[i] = '/';
        }
    FILE *f = fopen(full, "w");
    ORR_CHECK(f && fputs(text, f) >= 0);
    if (f)
        ORR_CHECK(fclose(f) == 0);
}

/* The groups of a process, and where they are. */
static char file[64], mount[64];
static void groups_are(const char *self)
{
    put("self", self);
    (void)snprintf(file, sizeof file, "%s/self", root);
    (void)snprintf(mount, sizeof mount, "%s/fs", root);
}

static size_t memory(const char *self)
{
    groups_are(self);
    return orr__job_memory(file, mount);
}

static void cgroup_smallest_limit_of_ancestors_counts(void)
{
    put("fs/job/step/memory.max", "max\n");
    put("fs/job/memory.max", "100000000\n");
    put("fs/memory.max", "200000000\n");
    ORR_CHECK(memory("0::/job/step\n") == 100000000);
    put("fs/job/step/memory.max", "50000000\n");
    ORR_CHECK(memory("0::/job/step\n") == 50000000);
    ORR_CHECK(memory("0::/\n") == 200000000);
}

static void cgroup_mounted_in_container_is_the_group(void)
{
    put("fs/memory.max", "70000000\n");
    ORR_CHECK(memory("0::/only/the/host/knows/this\n") == 70000000);
}

static void cgroup_version_1_memory_folder_is_read(void)
{
    put("fs/memory.max", "max\n");
    put("fs/memory/slurm/uid_7/job_3/memory.limit_in_bytes", "60000000\n");
    put("fs/memory/slurm/memory.limit_in_bytes", "9223372036854771712\n");
    ORR_CHECK(memory("5:cpuset:/slurm\n4:memory:/slurm/uid_7/job_3\n0::/\n") == 60000000);
}

static void cgroup_without_limit_returns_zero(void)
{
    put("fs/memory.max", "9223372036854771712\n"); /* more than the machine has */
    ORR_CHECK(memory("0::/\n") == 0);
    ORR_CHECK(memory("") == 0);
    ORR_CHECK(memory("nonsense\n::\n0::relative\n") == 0);
    put("fs/memory.max", "");
    ORR_CHECK(memory("0::/\n") == 0);
    ORR_CHECK(orr__job_memory("/nowhere/at/all", "/nowhere") == 0);
}

static double cores(const char *self)
{
    groups_are(self);
    return orr__job_cores(file, mount);
}

static void cgroup_processors_are_quota_over_period(void)
{
    ORR_CHECK(isinf(cores("0::/job/step\n")));
    put("fs/job/step/cpu.max", "max 100000\n");
    put("fs/job/cpu.max", "150000 100000\n");
    put("fs/cpu.max", "400000 100000\n");
    ORR_CHECK(cores("0::/job/step\n") == 1.5);
    put("fs/job/step/cpu.max", "20000 50000\n");
    ORR_CHECK(cores("0::/job/step\n") == 0.4);
    ORR_CHECK(cores("0::/only/the/host/knows/this\n") == 4);
    put("fs/cpu.max", "100000 0\n");
    ORR_CHECK(isinf(cores("0::/\n")));
    put("fs/cpu.max", "100000\n");
    ORR_CHECK(isinf(cores("0::/\n")));
}

static void cgroup_version_1_processors_are_read(void)
{
    put("fs/cpu/slurm/job_3/cpu.cfs_quota_us", "-1\n");
    put("fs/cpu/slurm/job_3/cpu.cfs_period_us", "100000\n");
    put("fs/cpu/slurm/cpu.cfs_quota_us", "250000\n");
    put("fs/cpu/slurm/cpu.cfs_period_us", "100000\n");
    ORR_CHECK(cores("3:cpuset:/slurm/job_3\n2:cpu,cpuacct:/slurm/job_3\n") == 2.5);
    ORR_CHECK(cores("2:cpuacct,cpu:/slurm/job_3\n") == 2.5);
    ORR_CHECK(isinf(cores("2:cpuacct:/slurm/job_3\n3:cpuset:/slurm\n")));
    ORR_CHECK(isinf(orr__job_cores("/nowhere/at/all", "/nowhere")));
}

static void processors_are_at_least_one_and_at_most_those_allowed(void)
{
    cpu_set_t set;
    ORR_CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    ORR_CHECK(orr__processors() >= 1 && orr__processors() <= CPU_COUNT(&set));
}

static void clean_up(void)
{
    char line[64];
    (void)snprintf(line, sizeof line, "rm -r '%s'", root);
    ORR_CHECK(system(line) == 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(cgroup_smallest_limit_of_ancestors_counts),
                                      ORR_TEST(cgroup_mounted_in_container_is_the_group),
                                      ORR_TEST(cgroup_version_1_memory_folder_is_read),
                                      ORR_TEST(cgroup_without_limit_returns_zero),
                                      ORR_TEST(cgroup_processors_are_quota_over_period),
                                      ORR_TEST(cgroup_version_1_processors_are_read),
                                      ORR_TEST(processors_are_at_least_one_and_at_most_those_allowed),
                                      ORR_TEST(clean_up),
                                      { 0 } };
    if (!mkdtemp(root))
        return 1;
    return orr_test_main(argc, argv, "base.job", tests);
}
