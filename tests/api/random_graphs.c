/* A thousand random graphs on every engine agree with the reference evaluation. The program starts itself once per
 * engine, with that engine's environment. ORR_TEST_GRAPHS: the number of graphs; ORR_TEST_SEED: a single one;
 * ORR_TEST_LARGE: tensors large enough for several tiles. Compiled kernels and OpenCL: test_api_random_tiers.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdlib.h>
#include "tests/harness/random_graph.h"

static void run(const rg_setting *env)
{
    if (!rg_wait(rg_start(env)))
        ORR_SKIP("see above");
}

#define STARPU(cpus, sched)                                                                                            \
    { "ORRERY_ENGINE", "starpu" }, { "STARPU_NCPU", cpus }, { "STARPU_SCHED", sched }, { "STARPU_NOPENCL", "0" },      \
        { "STARPU_NCUDA", "0" }, { "ORR_TEST_NEEDS", "starpu" }

#define ENGINE(test, graphs, ...)                                                                                      \
    static void test(void)                                                                                             \
    {                                                                                                                  \
        run((const rg_setting[]){ __VA_ARGS__, { "ORR_TEST_GRAPHS", rg_count(graphs) }, { NULL, NULL } });             \
    }
ENGINE(serial, "500", { "ORRERY_ENGINE", "serial" })
ENGINE(serial_without_fusion, "150", { "ORRERY_ENGINE", "serial" }, { "ORRERY_FUSE", "off" })
ENGINE(serial_with_excess_precision, "500", { "ORRERY_ENGINE", "serial" }, { "ORRERY_EXCESS_PRECISION", "on" })
ENGINE(serial_with_checks, "150", { "ORRERY_ENGINE", "serial" }, { "ORRERY_LOG", "error" },
       { "ORRERY_CHECK", "nonfinite,overflow,bounds" })
ENGINE(eager_1, "250", STARPU("1", "eager"))
ENGINE(eager_2, "250", STARPU("2", "eager"))
ENGINE(lws_1, "250", STARPU("1", "lws"))
ENGINE(lws_2, "250", STARPU("2", "lws"))
ENGINE(dmda_1, "250", STARPU("1", "dmda"))
ENGINE(dmda_2, "250", STARPU("2", "dmda"))
ENGINE(dmdas_1, "250", STARPU("1", "dmdas"))
ENGINE(dmdas_2, "250", STARPU("2", "dmdas"))
#define TILES { "ORRERY_TILE_US", "1" }, { "ORR_TEST_LARGE", "1" }
#define AS_TASKS { "ORRERY_INLINE_US", "0" } /* else the caller or a crew computes them */
ENGINE(many_tiles, "30", STARPU("2", "lws"), TILES, AS_TASKS)
ENGINE(many_tiles_eager, "15", STARPU("4", "eager"), TILES, AS_TASKS)
ENGINE(many_tiles_prio, "15", STARPU("2", "prio"), TILES)
ENGINE(many_tiles_dmdas, "15", STARPU("4", "dmdas"), TILES, AS_TASKS)
/* A task of 12 tiles that writes over one of them, and named it twice: it waited for ever. */
ENGINE(many_tiles_over_one, "1", STARPU("2", "dmdas"), TILES, AS_TASKS, { "ORR_TEST_SEEDS", "5206-5207" },
       { "ORR_TEST_ALARM", "120" })
ENGINE(many_tiles_serial, "30", { "ORRERY_ENGINE", "serial" }, TILES)

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(serial),
                                      ORR_TEST(serial_without_fusion),
                                      ORR_TEST(serial_with_excess_precision),
                                      ORR_TEST(serial_with_checks),
                                      ORR_TEST(eager_1),
                                      ORR_TEST(eager_2),
                                      ORR_TEST(lws_1),
                                      ORR_TEST(lws_2),
                                      ORR_TEST(dmda_1),
                                      ORR_TEST(dmda_2),
                                      ORR_TEST(dmdas_1),
                                      ORR_TEST(dmdas_2),
                                      ORR_TEST(many_tiles),
                                      ORR_TEST(many_tiles_eager),
                                      ORR_TEST(many_tiles_prio),
                                      ORR_TEST(many_tiles_dmdas),
                                      ORR_TEST(many_tiles_over_one),
                                      ORR_TEST(many_tiles_serial),
                                      { 0 } };
    static const orr_test child[] = { ORR_TEST(rg_agree), { 0 } };
    if (getenv("ORR_TEST_CHILD"))
        return help_main(argc, argv, "api.random_graphs.child", child);
    return orr_test_main(argc, argv, "api.random_graphs", tests);
}
