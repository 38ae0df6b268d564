/* The table of tasks by kind and worker, for people.
 * Must not know: how the counters are filled. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/engine/execution.h"

typedef struct {
    orr__stat *row;
    int n, room;
} table;

/* Kinds with equal names (the same chain on other dtypes, say) are one row per worker. */
static orr__stat *row_for(table *t, const char *what, const char *worker)
{
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->row[i].what, what) == 0 && strcmp(t->row[i].worker, worker) == 0)
            return &t->row[i];
    if (t->n == t->room) {
        int room = t->room ? 2 * t->room : 64;
        orr__stat *more = realloc(t->row, (size_t)room * sizeof *more);
        if (!more)
            return NULL;
        t->row = more;
        t->room = room;
    }
    memset(&t->row[t->n], 0, sizeof *t->row);
    snprintf(t->row[t->n].what, sizeof t->row->what, "%s", what);
    snprintf(t->row[t->n].worker, sizeof t->row->worker, "%s", worker);
    return &t->row[t->n++];
}

static void collect(orr__work *k, void *arg)
{
    char worker[48];

    for (int w = 0; k->tally && w <= orr__works_workers(); w++) {
        uint64_t tasks = atomic_load_explicit(&k->tally[w].tasks, memory_order_relaxed);
        orr__stat *row;
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
    double x = ((const orr__stat *)a)->seconds, y = ((const orr__stat *)b)->seconds;

    return (x < y) - (x > y);
}

int orr__engine_stats(orr__stat *out, int max)
{
    table t = { NULL, 0, 0 };

    if (!orr__engine_running())
        return 0;
    orr__works_each(collect, &t);
    if (t.n > 0)
        qsort(t.row, (size_t)t.n, sizeof *t.row, busier);
    if (out && max > 0 && t.n > 0)
        memcpy(out, t.row, (size_t)(t.n < max ? t.n : max) * sizeof *out);
    free(t.row);
    return t.n;
}

/* -- per kind, all workers together ------------------------------------------------------------------------- */

typedef struct {
    orr__metric *row;
    orr__histogram *spread;
    int n, room;
} kinds;

static int kind_for(kinds *t, const char *what)
{
    for (int i = 0; i < t->n; i++)
        if (strcmp(t->row[i].what, what) == 0)
            return i;
    if (t->n == t->room) {
        int room = t->room ? 2 * t->room : 64;
        orr__metric *row = realloc(t->row, (size_t)room * sizeof *row);
        t->row = row ? row : t->row;
        orr__histogram *spread = row ? realloc(t->spread, (size_t)room * sizeof *spread) : NULL;
        if (!spread)
            return -1;
        t->spread = spread;
        t->room = room;
    }
    memset(&t->row[t->n], 0, sizeof *t->row);
    memset((void *)&t->spread[t->n], 0, sizeof *t->spread);
    snprintf(t->row[t->n].what, sizeof t->row->what, "%s", what);
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
    t->row[i].tasks += tasks;
    t->row[i].seconds += 1e-9 * (double)ns;
    orr__histogram_join(&t->spread[i], &k->spread);
}

static int dearer(const void *a, const void *b)
{
    double x = ((const orr__metric *)a)->seconds, y = ((const orr__metric *)b)->seconds;

    return (x < y) - (x > y);
}

int orr__engine_metrics(orr__metric *out, int max)
{
    kinds t = { NULL, NULL, 0, 0 };

    if (!orr__engine_running())
        return 0;
    orr__works_each(collect_kind, &t);
    for (int i = 0; i < t.n; i++) {
        t.row[i].p50 = orr__histogram_quantile(&t.spread[i], 0.50);
        t.row[i].p95 = orr__histogram_quantile(&t.spread[i], 0.95);
        t.row[i].p99 = orr__histogram_quantile(&t.spread[i], 0.99);
    }
    if (t.n > 0)
        qsort(t.row, (size_t)t.n, sizeof *t.row, dearer);
    if (out && max > 0 && t.n > 0)
        memcpy(out, t.row, (size_t)(t.n < max ? t.n : max) * sizeof *out);
    free(t.row);
    free(t.spread);
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
    orr__works_each(forget, NULL);
}
