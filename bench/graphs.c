/* Case graphs: recording, gradient, planning and running of graphs of nine shapes, from a thousand nodes on.
 * Must not know: other cases. */
#include "config.h"

#include <stdlib.h>
#include <orrery.h>
#include "bench/bench.h"
#include "bench/graph_shapes.h"

enum { LEAST = 1000, USUAL = 100000, SIZES_MOST = 16 };

/* Linear work takes the same time per node at each size. */
static int report(bench_sink *out, int shape, int stage, int n, const double *nodes, const double *seconds)
{
    bench_record r = { .name = "graphs",
                       .metric = "time per node",
                       .unit = "ns",
                       .value = 1e9 * seconds[n - 1] / nodes[n - 1],
                       .reference = "the same at the least size",
                       .reference_value = 1e9 * seconds[0] / nodes[0] };
    (void)snprintf(r.params, sizeof r.params, "\"graph\": \"%s\", \"stage\": \"%s\", \"nodes\": %.0f, \"slope\": %.3f",
                   graph_shapes[shape], graph_stages[stage], nodes[n - 1], graph_slope(n, nodes, seconds));
    r.ratio = bench_ratio(&r, false);
    return bench_add(out, &r);
}

static int one(bench_sink *out, int rounds, int shape, int most)
{
    double nodes[SIZES_MOST], seconds[GRAPH_STAGES][SIZES_MOST];
    int n = 0, rc = 0;
    for (double size = LEAST; size <= 1.01 * most && n < SIZES_MOST; size *= 3.1623, n++) {
        nodes[n] = size;
        for (int round = 0; round < rounds; round++) {
            double took[GRAPH_STAGES], value;
            if (orr_init(NULL) != ORR_OK || graph_shape_measure(shape, (int)size, took, &value) != ORR_OK ||
                orr_shutdown() != ORR_OK) /* the next round plans anew */
                return bench_failed("graphs");
            for (int k = 0; k < GRAPH_STAGES; k++)
                if (round == 0 || took[k] < seconds[k][n])
                    seconds[k][n] = took[k];
        }
    }
    for (int k = 0; k < GRAPH_STAGES && rc == 0; k++)
        rc = report(out, shape, k, n, nodes, seconds[k]);
    return rc;
}

/* graphs:1000000 goes up to a million nodes, which take some 30 GB. */
int bench_graphs(bench_sink *out, int rounds)
{
    int most = bench_opt.filter ? atoi(bench_opt.filter) : USUAL, rc = 0;
    if (most < LEAST) {
        (void)fprintf(stderr, "graphs:%s is no number of nodes from %d on\n", bench_opt.filter, LEAST);
        return 1;
    }
    for (int shape = 0; graph_shapes[shape] && rc == 0; shape++)
        rc = one(out, rounds, shape, most);
    return rc;
}
