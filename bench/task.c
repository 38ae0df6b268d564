/* Cases task, submit, replay: the cost of Orrery's tasks with almost no computation.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"

enum { TASKS = 200, SIZE = 4 };

typedef struct tasks {
    const char *name; /* of the case            */
    bool chain;
    bool submission; /* measures the time until submission; else until completion */
    char policy[32];
    orr_graph *graph;
    orr_tensor *value[1], *result[TASKS];
} tasks;

/* Products of tiny matrices, each a task of its own without fusion. Independent: TASKS outputs; chain: one output after TASKS
 * products. */
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
    return t->graph ? 0 : bench_failed(t->name);
}

static int ours_start(void *user)
{
    tasks *t = user;
    bench_settle();
    if (orr_init(NULL) != ORR_OK)
        return bench_failed(t->name);
    const char *policy = strrchr(orr_engine_name(), ' '); /* "starpu 1.3.10, 2 CPU workers, lws" */
    (void)snprintf(t->policy, sizeof t->policy, "%s", policy ? policy + 1 : "lws");
    t->value[0] = orr_ones(ORR_F32, ORR_SHAPE(SIZE, SIZE));
    return orr_eval(t->value[0]) == ORR_OK ? build(t) : bench_failed(t->name);
}

static int ours_once(void *user)
{
    tasks *t = user;
    orr_event *e = NULL;
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_graph_submit(t->graph, t->value, 1, t->result, t->chain ? 1 : TASKS, t->submission ? &e : NULL);
    double submitted = bench_now();
    if (st == ORR_OK && e)
        st = orr_wait(e);
    (void)orr_scope_end(s);
    if (t->submission)
        bench_untimed(bench_now() - submitted);
    return st == ORR_OK ? 0 : bench_failed(t->name);
}

static void ours_stop(void *user)
{
    tasks *t = user;
    (void)orr_graph_free(t->graph);
    t->graph = NULL;
    (void)orr_shutdown();
}

static int bare_start(void *user)
{
    tasks *t = user;
    if (peer_starpu_start(t->policy) == 0)
        return 0;
    (void)fprintf(stderr, "orrery-bench: %s: StarPU is not there, or cannot start\n", t->name);
    return 1;
}

static int bare_once(void *user)
{
    tasks *t = user;
    double submitted = 0.0, all = peer_starpu_tasks(TASKS, t->chain, &submitted);
    if (t->submission)
        bench_untimed(all - submitted);
    return all < 0.0;
}

static void bare_stop(void *user)
{
    (void)user;
    peer_starpu_stop();
}

/* Forces tasks. Otherwise work as small as this stays on the calling thread, or is one task. */
static int as_tasks(bool on)
{
    return on ? setenv("ORRERY_INLINE_US", "0", 1) | setenv("ORRERY_FUSE", "off", 1)
              : unsetenv("ORRERY_INLINE_US") | unsetenv("ORRERY_FUSE");
}

static void describe(bench_record *r, bool chain, const char *more)
{
    (void)snprintf(r->params, sizeof r->params, "\"graph\": \"%s\", \"tasks\": %d%s", chain ? "chain" : "independent",
                   TASKS, more);
    r->ratio = bench_ratio(r, false);
}

static int beside_starpu(bench_sink *out, int rounds, const char *name, bool submission)
{
    static const bench_side ours = { ours_start, ours_once, ours_stop }, bare = { bare_start, bare_once, bare_stop };
    int rc = as_tasks(true);
    for (int chain = 0; rc == 0 && chain < 2; chain++) {
        tasks t = { .name = name, .chain = chain != 0, .submission = submission };
        double a = 0.0, b = 0.0;
        rc = bench_interleave(&ours, &bare, &t, rounds, 0.1, &a, &b);
        if (rc != 0)
            break;
        bench_record r = { .name = name,
                           .metric = submission ? "time to submit a task" : "time per task",
                           .unit = "us",
                           .value = a / TASKS * 1e6,
                           .reference = "bare empty StarPU task",
                           .reference_value = b / TASKS * 1e6 };
        describe(&r, t.chain, "");
        rc = bench_add(out, &r);
    }
    return as_tasks(false) | rc;
}

int bench_task(bench_sink *out, int rounds)
{
    return beside_starpu(out, rounds, "task", false);
}

int bench_submit(bench_sink *out, int rounds)
{
    return beside_starpu(out, rounds, "submit", true);
}

/* -- replay ---------------------------------------------------------------------------------------------- */

enum { FIRST, SECOND, LATER, TIMES };

/* The times from recording to the first result, of the second submission, and the median of many later ones. */
static int replays(tasks *t, double time[TIMES])
{
    enum { MORE = 50 };
    double later[MORE];
    double begin = bench_now();
    int rc = build(t);
    rc = rc != 0 ? rc : ours_once(t);
    time[FIRST] = bench_now() - begin;
    begin = bench_now();
    rc = rc != 0 ? rc : ours_once(t);
    time[SECOND] = bench_now() - begin;
    for (int i = 0; rc == 0 && i < MORE; i++) {
        begin = bench_now();
        rc = ours_once(t);
        later[i] = bench_now() - begin;
    }
    time[LATER] = bench_median(later, MORE);
    return rc;
}

static int add_replay(bench_sink *out, bool chain, const char *which, double first, double again)
{
    bench_record r = { .name = "replay",
                       .metric = "time",
                       .unit = "ms",
                       .value = again * 1e3,
                       .reference = "first: recorded, planned, submitted, done",
                       .reference_value = first * 1e3 };
    describe(&r, chain, which);
    return bench_add(out, &r);
}

int bench_replay(bench_sink *out, int rounds)
{
    enum { MOST = 1000 };
    static double all[TIMES][MOST];
    int rc = as_tasks(true);
    for (int chain = 0; rc == 0 && chain < 2; chain++) {
        for (int r = 0; rc == 0 && r < rounds; r++) {
            tasks t = { .name = "replay", .chain = chain != 0 };
            double time[TIMES] = { 0.0 };
            rc = orr_init(NULL) == ORR_OK ? 0 : bench_failed("replay");
            t.value[0] = orr_ones(ORR_F32, ORR_SHAPE(SIZE, SIZE));
            rc = rc != 0 ? rc : replays(&t, time);
            ours_stop(&t);
            for (int k = 0; k < TIMES; k++)
                all[k][r] = time[k];
        }
        double first = bench_median(all[FIRST], rounds);
        if (rc == 0)
            rc = add_replay(out, chain != 0, ", \"submission\": \"second\"", first, bench_median(all[SECOND], rounds)) |
                 add_replay(out, chain != 0, ", \"submission\": \"later\"", first, bench_median(all[LATER], rounds));
    }
    return as_tasks(false) | rc;
}
