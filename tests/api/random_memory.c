/* Random graphs give the same results in little memory: under the least sufficient limits, and with the rest in
 * files. A sample; ORR_TEST_FULL=1: a thousand of each.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>
#include "tests/harness/random_graph.h"

static char spill_dir[] = "/var/tmp/orrery-test-XXXXXX";

static void run(const rg_setting *env)
{
    if (!rg_wait(rg_start(env)))
        ORR_SKIP("see above");
}

#define SERIAL                                                                                                         \
    {                                                                                                                  \
        "ORRERY_ENGINE", "serial"                                                                                      \
    }
#define TASKS                                                                                                          \
    { "ORRERY_ENGINE", "starpu" }, { "ORRERY_TILE_US", "1" }, { "ORRERY_BACKEND", "cpu" }, { "STARPU_NCPU", "2" },     \
    {                                                                                                                  \
        "ORR_TEST_NEEDS", "starpu"                                                                                     \
    }
#define SPILL                                                                                                          \
    { "ORRERY_MEMORY_LIMIT", "64K" }, { "ORRERY_SPILL_DIR", spill_dir },                                               \
    {                                                                                                                  \
        "ORR_TEST_LARGE", "1"                                                                                          \
    }
#define TEST(name, n, ...)                                                                                             \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        run((const rg_setting[]){ __VA_ARGS__, { "ORR_TEST_GRAPHS", rg_count(n) }, { NULL, NULL } });                  \
    }
TEST(in_little_memory, "16", SERIAL, { "ORR_TEST_TIGHT", "1" }, { "ORR_TEST_LARGE", "1" })
TEST(in_little_memory_without_fusion, "16", SERIAL, { "ORR_TEST_TIGHT", "1" }, { "ORR_TEST_LARGE", "1" },
     { "ORRERY_FUSE", "off" })
TEST(tasks_in_little_memory, "16", TASKS, { "ORR_TEST_TIGHT", "1" }, { "ORR_TEST_LARGE", "1" })
TEST(tasks_in_little_memory_without_fusion, "16", TASKS, { "ORR_TEST_TIGHT", "1" }, { "ORR_TEST_LARGE", "1" },
     { "ORRERY_FUSE", "off" })
TEST(small_tasks_in_little_memory, "50", TASKS, { "ORR_TEST_TIGHT", "1" })
TEST(in_files, "12", SERIAL, SPILL)
TEST(tasks_in_files, "12", TASKS, SPILL)
TEST(tasks_in_files_without_fusion, "12", TASKS, SPILL, { "ORRERY_FUSE", "off" })

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(in_little_memory),
                                      ORR_TEST(in_little_memory_without_fusion),
                                      ORR_TEST(tasks_in_little_memory),
                                      ORR_TEST(tasks_in_little_memory_without_fusion),
                                      ORR_TEST(small_tasks_in_little_memory),
                                      ORR_TEST(in_files),
                                      ORR_TEST(tasks_in_files),
                                      ORR_TEST(tasks_in_files_without_fusion),
                                      { 0 } };
    static const orr_test child[] = { ORR_TEST(rg_agree), { 0 } };
    if (getenv("ORR_TEST_CHILD"))
        return help_main(argc, argv, "api.random_memory.child", child);
    if (!mkdtemp(spill_dir))
        return 1;
    int rc = orr_test_main(argc, argv, "api.random_memory", tests);
    (void)rmdir(spill_dir);
    return rc;
}
