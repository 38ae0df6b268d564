/* Case data-set: batches of a data set that is normalised as a whole and stays lazy, beside the same with an
 * explicit orr_eval.
 * Must not know: how the batches are planned. */
#include "config.h"
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"

enum { ROWS = 20000, COLS = 784, BATCH = 128 };

static struct {
    bool chosen; /* rows by orr_take; else a slice */
    int64_t step;
    orr_tensor *lazy, *computed, *w, *order;
} g;

static int step(orr_tensor *set)
{
    orr_scope *s = orr_scope_begin();
    int64_t from = g.step++ * BATCH % (ROWS - BATCH);
    orr_tensor *rows = orr_slice_axis(g.order, 0, from, from + BATCH, 1);
    orr_tensor *batch = g.chosen ? orr_take(set, rows, 0) : orr_slice_axis(set, 0, from, from + BATCH, 1);
    orr_status st = orr_eval(orr_matmul(batch, g.w));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("data-set");
}

static int step_lazy(void *unused)
{
    (void)unused;
    return step(g.lazy);
}

static int step_computed(void *unused)
{
    (void)unused;
    return step(g.computed);
}

static orr_tensor *normalised(orr_tensor *x)
{
    orr_tensor *mean = orr_mean(x, ORR_AXES(0), true), *std = orr_std(x, ORR_AXES(0), 0.0, true);
    return orr_div(orr_sub(x, mean), std);
}

static int measure(bench_sink *out, int rounds)
{
    static const bench_side lazy = { NULL, step_lazy, NULL }, computed = { NULL, step_computed, NULL };
    double a, b;
    g.step = 0;
    if (bench_interleave(&lazy, &computed, NULL, rounds, 0.05, &a, &b) != 0)
        return 1;
    bench_record r = { .name = "data-set",
                       .metric = "time of a batch",
                       .unit = "ms",
                       .value = 1e3 * a,
                       .reference = "the set evaluated before",
                       .reference_value = 1e3 * b };
    (void)snprintf(r.params, sizeof r.params, "\"rows\": %d, \"batch\": %d, \"by\": \"%s\"", ROWS, BATCH,
                   g.chosen ? "take" : "slice");
    r.ratio = bench_ratio(&r, false);
    return bench_add(out, &r);
}

int bench_data_set(bench_sink *out, int rounds)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(ROWS, COLS), 0.0, 1.0);
    g.w = orr_rand(ORR_F32, ORR_SHAPE(COLS, 10), -0.1, 0.1);
    g.order = orr_permutation(ROWS);
    int rc = orr_eval_all(ORR_TENSORS(x, g.w, g.order)) != ORR_OK;
    g.lazy = normalised(x);
    g.computed = normalised(x);
    rc = rc || orr_eval(g.computed) != ORR_OK;
    if (rc)
        (void)bench_failed("data-set");
    for (int chosen = 0; rc == 0 && chosen < 2; chosen++) {
        g.chosen = chosen != 0;
        rc = measure(out, rounds);
    }
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
