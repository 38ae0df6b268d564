/* With ORRERY_DETERMINISTIC=1 results have the same bits for 1 and 2 workers, under every policy, with any size of tile, by
 * compiled kernels or not, each time: random graphs, long sums and a hundred training steps. Each setting is a process whose
 * results are compared with the first one's. A sample; ORR_TEST_FULL=1: all policies of this StarPU.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"

#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <starpu.h>
#include "tests/harness/random_graph.h"
#include "tests/harness/steps.h"

enum { RUNS = 3 };

typedef struct {
    const char *engine, *policy, *workers, *tile, *jit;
} setting;

static const char *results(const char *name)
{
    static char path[1024];
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp(name));
    return path;
}

/* The results of a run; empty if it failed or was skipped. The caller frees them. */
static char *run(const setting *s, bool graphs)
{
    const char *file = results("results");
    const bool full = getenv("ORR_TEST_FULL") != NULL;
    size_t size;
    (void)unlink(file);
    rg_setting env[] = { { "ORRERY_DETERMINISTIC", "1" },
                         { "ORRERY_ENGINE", s->engine },
                         { "STARPU_SCHED", s->policy },
                         { "STARPU_NCPU", s->workers },
                         { "ORRERY_TILE_US", s->tile },
                         { "ORRERY_JIT", s->jit },
                         { "STARPU_NOPENCL", "0" },
                         { "STARPU_NCUDA", "0" },
                         { "ORR_TEST_ALARM", "300" },
                         { graphs ? "ORR_TEST_RESULTS" : "ORR_TEST_BITS", file },
                         { graphs ? "ORR_TEST_GRAPHS" : "ORR_TEST_STEPS", !graphs ? "40"
                                                                          : full  ? "60"
                                                                                  : "12" },
                         { "ORR_TEST_LARGE", "1" },
                         { NULL, NULL } };
    if (rg_wait(rg_start(env)) && access(file, R_OK) == 0)
        return (char *)orr_test_slurp(file, &size);
    return calloc(1, 1);
}

/* Prints the first line that differs. */
static void differ(const char *a, const char *b, const char *what)
{
    const char *graph = a;
    while (*a && *b) {
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        if (n != m || strncmp(a, b, n) != 0) {
            printf("    %s: graph %.*s: %.*s, not %.*s\n", what, (int)strcspn(graph, "\n"), graph, (int)m, b, (int)n,
                   a);
            return;
        }
        graph = memchr(a, ' ', n) ? graph : a;
        a += n + (a[n] != '\0');
        b += m + (b[m] != '\0');
    }
}

static bool same(const char *want, const setting *s, bool graphs)
{
    char what[128], *got = run(s, graphs);
    (void)snprintf(what, sizeof what, "%s, %s, %s workers, tiles of %s us, kernels %s", s->engine, s->policy,
                   s->workers, s->tile, s->jit);
    bool ok = *got && strcmp(want, got) == 0;
    if (*got && !ok)
        differ(want, got, what);
    ORR_CHECK_MSG(ok, "%s: %s", what, *got ? "other bits" : "no results");
    free(got);
    return ok;
}

/* The first setting is the reference for the others. */
static const setting sample[] = {
    { "starpu", "lws", "1", "200", "on" },     { "starpu", "lws", "2", "200", "on" },
    { "serial", "lws", "1", "200", "off" },    { "starpu", "eager", "2", "1", "on" },
    { "starpu", "dmdas", "2", "20", "off" },   { "starpu", "random", "2", "1000", "on" },
    { "starpu", "random", "2", "1000", "on" }, { "starpu", "modular-ws", "2", "100", "on" },
    { "starpu", "prio", "1", "5", "on" },
};

static int all_policies(const char *want, bool graphs)
{
    static const char *const tile[RUNS] = { "200", "1", "30" };
    int ran = 0;
    for (struct starpu_sched_policy **p = starpu_sched_get_predefined_policies(); p && *p; p++)
        for (int k = 0; k < 2 * RUNS; k++, ran++)
            if (!same(want,
                      &(setting){ "starpu", (*p)->policy_name, k & 1 ? "2" : "1", tile[k / 2], k & 2 ? "on" : "off" },
                      graphs))
                break;
    return ran;
}

static void every_setting(bool graphs)
{
    char *want = run(&sample[0], graphs);
    int n = sizeof sample / sizeof *sample;
    ORR_CHECK(*want);
    for (int i = 1; *want && i < n; i++)
        (void)same(want, &sample[i], graphs);
    if (*want && getenv("ORR_TEST_FULL"))
        n += all_policies(want, graphs);
    printf("    %d runs\n", n);
    free(want);
}

static void random_graphs(void)
{
    every_setting(true);
}

static void sums_and_training_steps(void)
{
    every_setting(false);
}

/* Runs in a child: long sums and products in f64, whose last bits depend on the order. */
static void sums_child(void)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(3);
    orr_tensor *x = orr_randn(ORR_F64, ORR_SHAPE(20000, 7), 0.0, 1.0), *a = orr_reshape(x, ORR_SHAPE(700, 200));
    orr_tensor *l = orr_randn(ORR_F64, ORR_SHAPE(257, 259), 0.0, 1.0),
               *r = orr_randn(ORR_F64, ORR_SHAPE(259, 263), 0.0, 1.0);
    orr_tensor *many = orr_randn(ORR_F64, ORR_SHAPE(230000), 0.0, 1.0);
    orr_tensor *t[] = { orr_sum(orr_exp(x), ORR_AXES(0, 1), false),
                        orr_sum(orr_exp(many), ORR_AXES(0), false), /* in several parts */
                        orr_sum(x, ORR_AXES(0), false),
                        orr_sum(orr_mul(a, a), ORR_AXES(1), false),
                        orr_matmul(orr_transpose(a), a),
                        orr_matmul(l, r), /* the BLAS's rounding depends on the number of rows */
                        orr_relu(orr_matmul(orr_transpose(r), orr_transpose(l))),
                        orr_softmax(a, 0) };
    enum { N = sizeof t / sizeof *t };
    FILE *f = fopen(getenv("ORR_TEST_BITS"), "ae");
    ORR_REQUIRE(f != NULL);
    ORR_CHECK_MSG(orr_eval_all(t, N) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < N; i++) {
        const double *v = orr_data(t[i]);
        for (int64_t k = 0; v && k < orr_tensor_size(t[i]); k += 1 + orr_tensor_size(t[i]) / 1000)
            (void)fprintf(f, "sum %d.%lld %a\n", i, (long long)k, v[k]);
    }
    ORR_CHECK(fclose(f) == 0);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(sums_and_training_steps), ORR_TEST(random_graphs), { 0 } };
    static const orr_test graphs[] = { ORR_TEST(rg_agree), { 0 } },
                          training[] = { ORR_TEST(sums_child), ORR_TEST(steps_child), { 0 } };
    if (getenv("ORR_TEST_CHILD")) {
        orr_test_alarm();
        return help_main(argc, argv, "starpu.same_bits.child", getenv("ORR_TEST_STEPS") ? training : graphs);
    }
    return orr_test_main(argc, argv, "starpu.same_bits", tests);
}
