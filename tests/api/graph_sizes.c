/* The work on a graph grows with its nodes as n log n at most: recording, gradient, fusing, planning, running.
 * Must not know: how graphs are walked or planned. */
#include "config.h"

#include <stdlib.h>
#include <orrery.h>
#include "bench/graph_shapes.h"
#include "tests/harness/harness.h"

enum { SMALL = 3000, TIMES = 8, TURNS = 2, MOST = 24, ANOTHER = 48 };

/* The least seconds of each stage of several turns, each with a graph of its own, which is planned anew. */
static bool measure(int shape, int nodes, double least[GRAPH_STAGES])
{
    bool ok = true;
    for (int turn = 0; turn < TURNS && ok; turn++) {
        double took[GRAPH_STAGES], value;
        ok = graph_shape_measure(shape, nodes + turn * ANOTHER, took, &value) == ORR_OK;
        ORR_CHECK_MSG(ok, "%s: %s", graph_shapes[shape], orr_error_message());
        for (int k = 0; k < GRAPH_STAGES; k++)
            least[k] = turn && least[k] < took[k] ? least[k] : took[k];
    }
    return ok;
}

/* Quadratic work takes 64 times as long for 8 times the nodes; caches and page faults make linear
 * work take up to twice 8 times. A stage that is short beside the whole is noise. */
static void eightfold_graphs_take_eight_times_as_long(void)
{
    (void)setenv("ORRERY_JIT", "off", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    for (int shape = 0; graph_shapes[shape]; shape++) {
        double small[GRAPH_STAGES], large[GRAPH_STAGES], all[2] = { 0, 0 };
        ORR_REQUIRE(measure(shape, SMALL, small));
        ORR_REQUIRE(measure(shape, TIMES * SMALL, large));
        for (int k = 0; k < GRAPH_STAGES; k++) {
            all[0] += small[k];
            all[1] += large[k];
        }
        for (int k = 0; k < GRAPH_STAGES; k++)
            ORR_CHECK_MSG(large[k] < MOST * small[k] || large[k] < all[1] / 4,
                          "%s, %s: %.2f ms for %d nodes, %.2f ms for %d", graph_shapes[shape], graph_stages[k],
                          1e3 * small[k], SMALL, 1e3 * large[k], TIMES * SMALL);
        ORR_CHECK_MSG(all[1] < MOST * all[0], "%s: %.2f ms for %d nodes, %.2f ms for %d", graph_shapes[shape],
                      1e3 * all[0], SMALL, 1e3 * all[1], TIMES * SMALL);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(eightfold_graphs_take_eight_times_as_long), { 0 } };
    return orr_test_main(argc, argv, "api.graph_sizes", tests);
}
