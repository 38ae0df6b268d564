/* A thousand random graphs on every engine give what the reference evaluation gives. The program runs itself once per
 * engine, with that engine's environment; ORR_TEST_GRAPHS says how many graphs, ORR_TEST_SEED which one alone,
 * ORR_TEST_LARGE that tensors be large enough for several tiles.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery/device.h>
#include "tests/random_graph.h"

/* -- one graph ------------------------------------------------------------------------------------------- */

/* Grows the graph of a seed to at most `ops` values by ops. */
static void build(rg_graph *g, unsigned long long seed, int ops)
{
    rg_begin(g, seed);
    bool huge = getenv("ORR_TEST_LARGE") != NULL, large = huge || rg_pick(g, 20) == 0;
    for (int i = 2 + rg_pick(g, 3); i > 0; i--) {
        orr_shape s = { rg_pick(g, 8) ? 1 + rg_pick(g, 3) : 0, { 0 } };
        for (int d = 0; d < s.rank; d++)
            s.dim[d] = rg_pick(g, 40) ? 1 + rg_pick(g, 6) : 0;
        if (large)
            s = ORR_SHAPE((huge ? 60 : 20) + rg_pick(g, 50), 1 + rg_pick(g, huge ? 160 : 60));
        (void)rg_leaf(g, (orr_dtype)rg_pick(g, ORR_DTYPE_COUNT), s);
    }
    for (int want = 8 + rg_pick(g, 40); want > 0 && ops > 0 && g->n < RG_VALUES; want--, ops--)
        if (!rg_grow(g))
            break;
}

static const orr__node *node_of(const rg_graph *g, int i)
{
    return orr__handle_node(g->v[i].t);
}

static void print(const rg_graph *g, int i)
{
    orr__prog p;
    orr__node *n = orr__handle_node(g->v[i].t);
    if (orr__prog_capture(ORR__SITE(__FILE__, __LINE__, "print"), &n, 1, &p) == ORR_OK) {
        orr__prog_print(stdout, &p);
        orr__prog_free(&p);
    }
}

static bool near(orr_dtype d, orr__scalar got, orr__scalar want, double err)
{
    if (!orr__is_float(d))
        return got.u == want.u;
    if (!isfinite(want.f) || !isfinite(got.f))
        return isnan(want.f) ? isnan(got.f) : got.f == want.f;
    return fabs(got.f - want.f) <= err;
}

/* Compares value i as the engine has it with `want`; -1 when all is well, else the first element that is off. */
static int64_t compare(const rg_graph *g, int i, const orr__scalar *want)
{
    int64_t n = orr_tensor_size(g->v[i].t), off = -1;
    orr__scalar *got = help_engine(g->v[i].t);
    for (int64_t k = 0; got && want && k < n && off < 0; k++)
        if (!near(orr_tensor_dtype(g->v[i].t), got[k], want[k], g->v[i].err ? g->v[i].err[k] : 0)) {
            off = k;
            printf("element %lld: engine %.17g, reference %.17g, bound %g\n", (long long)k,
                   orr__scalar_f64(got[k], orr_tensor_dtype(g->v[i].t)),
                   orr__scalar_f64(want[k], orr_tensor_dtype(g->v[i].t)), g->v[i].err ? g->v[i].err[k] : 0);
        }
    free(got);
    return !got || !want ? 0 : off;
}

/* Evaluates the chosen values together; returns how many are wrong. */
static int evaluate(rg_graph *g, const int *out, int n)
{
    orr_tensor *t[4] = { NULL };
    orr__scalar *want[4];
    int wrong = 0;
    for (int k = 0; k < n; k++) {
        t[k] = g->v[out[k]].t;
        want[k] = help_reference(t[k]);
    }
    orr_status st = orr_eval_all(t, n);
    if (st != ORR_OK)
        printf("evaluation: %s\n", orr_error_message());
    for (int k = 0; k < n; k++) {
        wrong += st != ORR_OK || compare(g, out[k], want[k]) >= 0;
        free(want[k]);
    }
    return wrong;
}

/* Prints the least beginning of the seed's graph whose last value is wrong when evaluated alone. */
static void shrink(unsigned long long seed)
{
    for (int ops = 0; ops < RG_VALUES; ops++) {
        rg_graph g;
        orr_scope *s = orr_scope_begin();
        build(&g, seed, ops);
        int last = g.n - 1;
        bool bad = node_of(&g, last) && evaluate(&g, &last, 1) > 0;
        if (bad) {
            rg_graph again;
            build(&again, seed, ops); /* recorded anew: the other has its value and forgot its inputs */
            printf("seed %llu, after %d ops, by %s:\n", seed, ops, again.log[last]);
            print(&again, last);
            rg_end(&again);
        }
        rg_end(&g);
        (void)orr_scope_end(s);
        if (bad)
            return;
    }
    printf("seed %llu: every value alone is right; only together they are wrong\n", seed);
}

static bool one_graph(unsigned long long seed)
{
    rg_graph g;
    orr_scope *s = orr_scope_begin();
    int out[4], n = 0;
    build(&g, seed, RG_VALUES);
    if (rg_pick(&g, 4) == 0) { /* a part is evaluated before */
        out[0] = rg_pick(&g, g.n);
        n = evaluate(&g, out, 1);
    }
    bool ok = n == 0;
    out[0] = g.n - 1;
    n = 1 + rg_pick(&g, 4);
    for (int k = 1; k < n; k++)
        out[k] = rg_pick(&g, 2) ? g.last : rg_pick(&g, g.n);
    ok = evaluate(&g, out, n) == 0 && ok;
    rg_end(&g);
    (void)orr_scope_end(s);
    return ok;
}

/* -- one engine ------------------------------------------------------------------------------------------ */

static void graphs_agree_with_the_reference(void)
{
    const char *alone = getenv("ORR_TEST_SEED"), *count = getenv("ORR_TEST_GRAPHS"), *need = getenv("ORR_TEST_NEEDS");
    unsigned long long first = alone ? strtoull(alone, NULL, 10) : 0,
                       end = alone ? first + 1 : strtoull(count, NULL, 10);
    int failures = 0;
    if (need && !strstr(orr_engine_name(), need))
        ORR_SKIP("the engine is \"%s\", not %s", orr_engine_name(), need);
    for (unsigned long long seed = first; seed < end && failures < 3; seed++) {
        if (one_graph(seed))
            continue;
        failures++;
        ORR_CHECK_MSG(false, "seed %llu on %s", seed, orr_engine_name());
        shrink(seed);
        fflush(stdout);
    }
}

/* -- all engines ----------------------------------------------------------------------------------------- */

typedef struct {
    const char *name, *value;
} setting;

/* Runs this program again with these settings; its output comes through. */
static void run(const setting *env, const char *graphs)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        (void)setenv("ORR_TEST_CHILD", "1", 1);
        (void)setenv("ORR_TEST_GRAPHS", graphs, 0);
        (void)setenv("ORRERY_INLINE_US", "0", 1);
        for (; env->name; env++)
            (void)setenv(env->name, env->value, 1);
        (void)execl("/proc/self/exe", "test_api_random_graphs", (char *)NULL);
        _exit(127);
    }
    int status = -1;
    bool ended = pid > 0 && waitpid(pid, &status, 0) == pid;
    if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 77)
        ORR_SKIP("see above");
    ORR_CHECK_MSG(ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, "wait status %d", status);
}

#define STARPU(cpus, sched)                                                                                            \
    { "ORRERY_ENGINE", "starpu" }, { "STARPU_NCPU", cpus }, { "STARPU_SCHED", sched }, { "STARPU_NOPENCL", "0" },      \
        { "STARPU_NCUDA", "0" },                                                                                       \
    {                                                                                                                  \
        "ORR_TEST_NEEDS", "starpu"                                                                                     \
    }

#define ENGINE(test, graphs, ...)                                                                                      \
    static void test(void)                                                                                             \
    {                                                                                                                  \
        run((const setting[]){ __VA_ARGS__, { NULL, NULL } }, graphs);                                                 \
    }
ENGINE(serial, "1000", { "ORRERY_ENGINE", "serial" })
ENGINE(serial_without_fusion, "300", { "ORRERY_ENGINE", "serial" }, { "ORRERY_FUSE", "off" })
ENGINE(eager_1, "1000", STARPU("1", "eager"))
ENGINE(eager_2, "1000", STARPU("2", "eager"))
ENGINE(lws_1, "1000", STARPU("1", "lws"))
ENGINE(lws_2, "1000", STARPU("2", "lws"))
ENGINE(dmda_1, "1000", STARPU("1", "dmda"))
ENGINE(dmda_2, "1000", STARPU("2", "dmda"))
ENGINE(dmdas_1, "1000", STARPU("1", "dmdas"))
ENGINE(dmdas_2, "1000", STARPU("2", "dmdas"))
ENGINE(many_tiles, "150", STARPU("2", "lws"), { "ORRERY_TILE_US", "1" }, { "ORR_TEST_LARGE", "1" })
ENGINE(many_tiles_serial, "150", { "ORRERY_ENGINE", "serial" }, { "ORRERY_TILE_US", "1" }, { "ORR_TEST_LARGE", "1" })
ENGINE(opencl, "100", { "ORRERY_ENGINE", "starpu" }, { "ORRERY_BACKEND", "opencl" }, { "STARPU_NCPU", "0" },
       { "STARPU_OPENCL_ON_CPUS", "1" }, { "STARPU_OPENCL_ONLY_ON_CPUS", "1" }, { "STARPU_NCUDA", "0" },
       { "ORR_TEST_NEEDS", "starpu" })

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(serial),     ORR_TEST(serial_without_fusion),
                                      ORR_TEST(eager_1),    ORR_TEST(eager_2),
                                      ORR_TEST(lws_1),      ORR_TEST(lws_2),
                                      ORR_TEST(dmda_1),     ORR_TEST(dmda_2),
                                      ORR_TEST(dmdas_1),    ORR_TEST(dmdas_2),
                                      ORR_TEST(many_tiles), ORR_TEST(many_tiles_serial),
                                      ORR_TEST(opencl),     { 0 } };
    static const orr_test child[] = { ORR_TEST(graphs_agree_with_the_reference), { 0 } };
    if (getenv("ORR_TEST_CHILD"))
        return help_main(argc, argv, "api.random_graphs.child", child);
    return orr_test_main(argc, argv, "api.random_graphs", tests);
}
