/* Case task: what one of our tasks costs when it has next to nothing to compute.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"

enum { TASKS = 200, SIZE = 4 };

typedef struct tasks {
    bool chain;
    char policy[32];
    orr_graph *graph;
    orr_tensor *value[1], *result[TASKS];
} tasks;

/* Products of tiny matrices, each a task of its own without fusion. Independent: TASKS outputs; chain: one, after TASKS products. */
static int build(tasks *t)
{
    orr_scope *s = orr_scope_begin();
    orr_shape shape = ORR_SHAPE(SIZE, SIZE);
    orr_tensor *x = orr_placeholder(ORR_F32, shape), *y = x, *w[TASKS], *out[TASKS];
    for (int i = 0; i < TASKS; i++)
        w[i] = orr_full(ORR_F32, shape, 0.25);
    orr_status st = orr_eval_all(w, TASKS);
    for (int i = 0; i < TASKS; i++) {
        y = orr_matmul(t->chain ? y : x, w[i]);
        out[t->chain ? 0 : i] = y;
    }
    t->graph = st == ORR_OK ? orr_graph_build(&x, 1, out, t->chain ? 1 : TASKS) : NULL;
    (void)orr_scope_end(s);
    return t->graph ? 0 : bench_failed("task");
}

static int ours_start(void *user)
{
    tasks *t = user;
    bench_settle();
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("task");
    const char *policy = strrchr(orr_engine_name(), ' '); /* "starpu 1.3.10, 2 CPU workers, lws" */
    (void)snprintf(t->policy, sizeof t->policy, "%s", policy ? policy + 1 : "lws");
    t->value[0] = orr_ones(ORR_F32, ORR_SHAPE(SIZE, SIZE));
    return orr_eval(t->value[0]) == ORR_OK ? build(t) : bench_failed("task");
}

static int ours_once(void *user)
{
    tasks *t = user;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_graph_submit(t->graph, t->value, t->result, NULL);
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("task");
}

static void ours_stop(void *user)
{
    tasks *t = user;
    (void)orr_graph_free(t->graph);
    (void)orr_shutdown();
}

static int bare_start(void *user)
{
    tasks *t = user;
    if (peer_starpu_start(t->policy) == 0)
        return 0;
    (void)fputs("orrery-bench: task: StarPU is not there, or cannot start\n", stderr);
    return 1;
}

static int bare_once(void *user)
{
    tasks *t = user;
    return peer_starpu_tasks(TASKS, t->chain) < 0.0;
}

static void bare_stop(void *user)
{
    (void)user;
    peer_starpu_stop();
}

int bench_task(bench_sink *out, int rounds)
{
    static const bench_side ours = { ours_start, ours_once, ours_stop }, bare = { bare_start, bare_once, bare_stop };
    int rc = 0;
    /* Else work as small as this stays on the calling thread, or all of it is one task. */
    if (setenv("ORRERY_INLINE_US", "0", 1) != 0 || setenv("ORRERY_FUSE", "off", 1) != 0)
        return 1;
    for (int chain = 0; rc == 0 && chain < 2; chain++) {
        tasks t = { .chain = chain != 0 };
        double a = 0.0, b = 0.0;
        rc = bench_interleave(&ours, &bare, &t, rounds, 0.1, &a, &b);
        if (rc != 0)
            break;
        bench_record r = { .name = "task",
                           .metric = "time per task",
                           .unit = "us",
                           .value = a / TASKS * 1e6,
                           .reference = "bare empty StarPU task",
                           .reference_value = b / TASKS * 1e6 };
        (void)snprintf(r.params, sizeof r.params, "\"graph\": \"%s\", \"tasks\": %d", chain ? "chain" : "independent",
                       TASKS);
        r.ratio = bench_ratio(&r, false);
        rc = bench_add(out, &r);
    }
    (void)unsetenv("ORRERY_INLINE_US");
    (void)unsetenv("ORRERY_FUSE");
    return rc;
}
