/* Tasks and times per kind and worker, from the counters of work.
 * Must not know: how the counters are filled. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/codelet.h"
#include "runtime/base/array.h"
#include "runtime/base/regret.h"
#include "runtime/engine/execution.h"

static orr__regret before; /* at the last reset of the counters */
static struct {
    uint64_t graphs, captures, capture_ns;
} graphs_before; /* the same of CUDA graphs */

typedef struct {
    orr_stat *row;
    int n, capacity;
} table;

/* Kinds with equal names (such as the same chain on other dtypes) are one row per worker. */
static orr_stat *row_for(table *t, const char *kind, const char *worker)
{
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->row[i].kind, kind) == 0 && strcmp(t->row[i].worker, worker) == 0)
            return &t->row[i];
    orr_stat *row = orr__array_reserve(t->row, &t->capacity, t->n + 1, sizeof *row);
    if (!row)
        return NULL;
    t->row = row;
    memset(&t->row[t->n], 0, sizeof *t->row);
    snprintf(t->row[t->n].kind, sizeof t->row->kind, "%s", kind);
    snprintf(t->row[t->n].worker, sizeof t->row->worker, "%s", worker);
    return &t->row[t->n++];
}

static void collect(orr__work *k, void *arg)
{
    char worker[48];

    for (int w = 0; k->tally && w <= orr__works_workers(); w++) {
        uint64_t tasks = atomic_load_explicit(&k->tally[w].tasks, memory_order_relaxed);
        orr_stat *row;
        if (tasks == 0)
            continue;
        orr__engine_worker(w, worker, sizeof worker);
        if (!(row = row_for(arg, k->label, worker)))
            return;
        row->tasks += tasks;
        row->seconds += 1e-9 * (double)atomic_load_explicit(&k->tally[w].ns, memory_order_relaxed);
    }
}

static int busier(const void *a, const void *b)
{
    double x = ((const orr_stat *)a)->seconds, y = ((const orr_stat *)b)->seconds;

    return (x < y) - (x > y);
}

static void add_row(table *t, const char *kind, uint64_t tasks, double seconds)
{
    orr_stat *row = tasks > 0 ? row_for(t, kind, "all") : NULL;

    if (!row)
        return;
    row->tasks = tasks;
    row->seconds = seconds;
}

/* Trials since the last reset, and the time that they cost. */
static void add_regret(table *t)
{
    orr__regret now = orr__regret_now();
    add_row(t, "trials: regret", now.trials - before.trials, now.excess - before.excess);
}

/* Launches of CUDA graphs, whose time is that of their tasks; captures, and what they cost the host. */
static void add_graphs(table *t)
{
    const orr__device_counts *d = &orr__device_did;

    add_row(t, "CUDA graphs: launches", atomic_load(&d->graphs) - graphs_before.graphs, 0);
    add_row(t, "CUDA graphs: captures", atomic_load(&d->captures) - graphs_before.captures,
            1e-9 * (double)(atomic_load(&d->capture_ns) - graphs_before.capture_ns));
}

int orr__engine_stats(orr_stat *out, int max)
{
    table t = { NULL, 0, 0 };

    if (!orr__engine_running())
        return 0;
    orr__works_each(collect, &t);
    add_regret(&t);
    add_graphs(&t);
    if (t.n > 0)
        qsort(t.row, (size_t)t.n, sizeof *t.row, busier);
    if (out && max > 0 && t.n > 0)
        memcpy(out, t.row, (size_t)(t.n < max ? t.n : max) * sizeof *out);
    free(t.row);
    return t.n;
}

/* -- per kind, all workers together ------------------------------------------------------------------------- */

typedef struct {
    orr_metric metric;
    orr__histogram spread;
} kind_row;

typedef struct {
    kind_row *row;
    int n, capacity;
} kinds;

static int kind_for(kinds *t, const char *kind)
{
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->row[i].metric.kind, kind) == 0)
            return i;
    kind_row *row = orr__array_reserve(t->row, &t->capacity, t->n + 1, sizeof *row);
    if (!row)
        return -1;
    t->row = row;
    memset((void *)&row[t->n], 0, sizeof *row);
    snprintf(row[t->n].metric.kind, sizeof row->metric.kind, "%s", kind);
    return t->n++;
}

static void collect_kind(orr__work *k, void *arg)
{
    kinds *t = arg;
    uint64_t tasks = 0, ns = 0;

    for (int w = 0; k->tally && w <= orr__works_workers(); w++) {
        tasks += atomic_load_explicit(&k->tally[w].tasks, memory_order_relaxed);
        ns += atomic_load_explicit(&k->tally[w].ns, memory_order_relaxed);
    }
    int i = tasks > 0 ? kind_for(t, k->label) : -1;
    if (i < 0)
        return;
    t->row[i].metric.tasks += tasks;
    t->row[i].metric.seconds += 1e-9 * (double)ns;
    orr__histogram_join(&t->row[i].spread, &k->spread);
}

static int more_expensive(const void *a, const void *b)
{
    double x = ((const kind_row *)a)->metric.seconds, y = ((const kind_row *)b)->metric.seconds;

    return (x < y) - (x > y);
}

int orr__engine_metrics(orr_metric *out, int max)
{
    kinds t = { NULL, 0, 0 };

    if (!orr__engine_running())
        return 0;
    orr__works_each(collect_kind, &t);
    if (t.n > 0)
        qsort(t.row, (size_t)t.n, sizeof *t.row, more_expensive);
    for (int i = 0; out && i < t.n && i < max; i++) {
        out[i] = t.row[i].metric;
        out[i].p50 = orr__histogram_quantile(&t.row[i].spread, 0.50);
        out[i].p95 = orr__histogram_quantile(&t.row[i].spread, 0.95);
        out[i].p99 = orr__histogram_quantile(&t.row[i].spread, 0.99);
    }
    free(t.row);
    return t.n;
}

static void forget(orr__work *k, void *arg)
{
    (void)arg;
    orr__histogram_clear(&k->spread);
    for (int w = 0; k->tally && w <= orr__works_workers(); w++) {
        atomic_store_explicit(&k->tally[w].tasks, 0, memory_order_relaxed);
        atomic_store_explicit(&k->tally[w].ns, 0, memory_order_relaxed);
    }
}

void orr__engine_stats_reset(void)
{
    before = orr__regret_now();
    graphs_before.graphs = atomic_load(&orr__device_did.graphs);
    graphs_before.captures = atomic_load(&orr__device_did.captures);
    graphs_before.capture_ns = atomic_load(&orr__device_did.capture_ns);
    orr__works_each(forget, NULL);
}
