/* Case nodes: work on an array that lies on all memory nodes, beside one that lies where one thread wrote it.
 * Must not know: other cases, how arrays are divided. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include <orrery/info.h>
#include "bench/bench.h"

enum { NUMBERS = 64 << 20 };

static orr_tensor *divided, *lumped;

static int memory_nodes(void)
{
    enum { MOST = 512 };
    static orr_fact f[MOST];
    int n = orr_info(f, MOST), nodes = 1;
    for (int i = 0; i < n && i < MOST; i++)
        if (!strcmp(f[i].group, "machine") && !strcmp(f[i].name, "NUMA nodes"))
            nodes = (int)strtol(f[i].value, NULL, 10);
    return nodes;
}

static int twice(void *x)
{
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_eval(orr_add(*(orr_tensor **)x, *(orr_tensor **)x));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("nodes");
}

static int on_all(void *user)
{
    (void)user;
    return twice(&divided);
}

static int on_one(void *user)
{
    (void)user;
    return twice(&lumped);
}

static int measure(bench_sink *out, int rounds, float *memory)
{
    static const bench_side ours = { NULL, on_all, NULL }, peer = { NULL, on_one, NULL };
    double t = 0.0, one = 0.0;
    memset(memory, 0, NUMBERS * sizeof *memory);
    divided = orr_full(ORR_F32, ORR_SHAPE(NUMBERS), 1.0);
    lumped = orr_wrap(ORR_F32, ORR_SHAPE(NUMBERS), memory, NULL, NULL);
    if (orr_eval(divided) != ORR_OK)
        return bench_failed("nodes");
    if (bench_interleave(&ours, &peer, NULL, rounds, 0.05, &t, &one) != 0)
        return 1;
    const double gb = 2e-9 * NUMBERS * sizeof(float);
    bench_record r = { .name = "nodes",
                       .metric = "rate",
                       .unit = "GB/s",
                       .value = gb / t,
                       .reference = "the same on an array of one node",
                       .reference_value = gb / one };
    (void)snprintf(r.params, sizeof r.params, "\"nodes\": %d, \"bytes\": %zu", memory_nodes(), NUMBERS * sizeof(float));
    r.ratio = bench_ratio(&r, true);
    return bench_add(out, &r);
}

int bench_nodes(bench_sink *out, int rounds)
{
    if (memory_nodes() < 2) {
        (void)fputs("orrery-bench: nodes: SKIP: this machine has one memory node\n", stderr);
        return 0;
    }
    float *memory = malloc(NUMBERS * sizeof *memory);
    if (!memory || orr_init(NULL) != ORR_OK) {
        free(memory);
        return bench_failed("nodes");
    }
    orr_scope *s = orr_scope_begin();
    int rc = measure(out, rounds, memory);
    (void)orr_scope_end(s);
    rc = orr_shutdown() == ORR_OK ? rc : bench_failed("nodes");
    free(memory);
    return rc;
}
