/* Random graphs against the reference evaluation: one graph, many in a process, processes with other settings.
 * Must not know: how a value is computed. */
#include "config.h"

#include <math.h>
#include <orrery/device.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "codelets/jit/jit.h"
#include "runtime/base/buffer.h"
#include "runtime/base/env.h"
#include "tests/harness/random_graph.h"

/* -- one graph ------------------------------------------------------------------------------------------- */

void rg_build(rg_graph *g, unsigned long long seed, int ops)
{
    if (getenv("ORR_TEST_BOXES")) {
        rg_boxes(g, seed, ops);
        return;
    }
    rg_begin(g, seed);
    bool huge = getenv("ORR_TEST_LARGE") != NULL, large = huge || rg_pick(g, 20) == 0;
    for (int i = 2 + rg_pick(g, 3); i > 0; i--) {
        orr_shape s = { rg_pick(g, 8) ? 1 + rg_pick(g, 3) : 0, { 0 } };
        for (int d = 0; d < s.rank; d++)
            s.dim[d] = rg_pick(g, 40) ? 1 + rg_pick(g, 6) : 0;
        if (large)
            s = ORR_SHAPE((huge ? 60 : 20) + rg_pick(g, 50), 1 + rg_pick(g, huge ? 160 : 60));
        (void)rg_leaf(g, (orr_dtype)rg_pick(g, ORR__SCALAR_DTYPES), s);
    }
    for (int want = 8 + rg_pick(g, 40); want > 0 && ops > 0 && g->n < RG_VALUES; want--, ops--)
        if (huge && rg_pick(g, 5) == 0)
            rg_over(g);
        else if (rg_pick(g, 20) == 0)
            rg_motif(g);
        else if (!rg_grow(g))
            break;
}

/* Receives, as numbers, the values that must be equal to the last bit in every tier; with ORRERY_DETERMINISTIC, all
 * values. */
static FILE *results;
static int refused; /* evaluations refused for lack of memory */

static void note(const rg_graph *g, int i, const orr__scalar *got)
{
    uint64_t h = 0xcbf29ce484222325u;
    orr_dtype d = orr_tensor_dtype(g->v[i].t);
    for (int64_t k = 0, n = orr_tensor_size(g->v[i].t) * help_parts(d); k < n; k++) {
        bool nan = orr__is_inexact(d) && isnan(got[k].f);
        h = (h ^ (nan ? 1 : got[k].u)) * 0x100000001b3u;
    }
    fprintf(results, "%s %016llx\n", g->log[i], (unsigned long long)h);
}

static const orr__node *node_of(const rg_graph *g, int i)
{
    return orr__handle_node(g->v[i].t);
}

static void print(const rg_graph *g, int i)
{
    orr__capture p;
    orr__node *n = orr__handle_node(g->v[i].t);
    if (orr__capture_make(ORR__SITE(__FILE__, __LINE__, "print"), &n, 1, &p) == ORR_OK) {
        orr__capture_print(stdout, &p);
        orr__capture_free(&p);
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

/* Compares value i of the engine with `want`. Returns the first element that is out of bounds, -1: none. */
static int64_t compare(const rg_graph *g, int i, const orr__scalar *want)
{
    orr_dtype d = orr__part_dtype(orr_tensor_dtype(g->v[i].t));
    int64_t n = orr_tensor_size(g->v[i].t) * help_parts(orr_tensor_dtype(g->v[i].t)), off = -1;
    orr__scalar *got = help_engine(g->v[i].t);
    for (int64_t k = 0; got && want && k < n && off < 0; k++)
        if (!near(d, got[k], want[k], g->v[i].err ? g->v[i].err[k] : 0)) {
            off = k;
            printf("element %lld: engine %.17g, reference %.17g, bound %g\n", (long long)k, orr__scalar_f64(got[k], d),
                   orr__scalar_f64(want[k], d), g->v[i].err ? g->v[i].err[k] : 0);
        }
    if (got && results && (orr__env.deterministic || !g->v[i].sums))
        note(g, i, got);
    free(got);
    return !got || !want ? 0 : off;
}

/* Evaluates under the least sufficient limit, found to a factor of 2: smaller limits must be refused before the start. */
static orr_status eval_tightly(orr_tensor *const *t, int n)
{
    orr_status st = ORR_ENOMEM;
    for (size_t more = (size_t)8 << 10; st == ORR_ENOMEM && more < (size_t)1 << 30; more *= 2) {
        orr_memory m = orr_memory_stats();
        orr__pool_limit(m.live + more);
        st = orr_eval_all(t, n);
        if (st == ORR_ENOMEM && !strstr(orr_error_message(), "was not started"))
            break;
        refused += st == ORR_ENOMEM;
    }
    orr__pool_limit(0);
    return st;
}

/* Evaluates the chosen values together; returns the number of wrong ones. */
static int evaluate(rg_graph *g, const int *out, int n)
{
    orr_tensor *t[4] = { NULL };
    orr__scalar *want[4];
    int wrong = 0;
    for (int k = 0; k < n; k++) {
        t[k] = g->v[out[k]].t;
        want[k] = help_reference(t[k]);
    }
    orr_status st = getenv("ORR_TEST_TIGHT") ? eval_tightly(t, n) : orr_eval_all(t, n);
    if (st != ORR_OK)
        printf("evaluation: %s\n", orr_error_message());
    for (int k = 0; k < n; k++) {
        wrong += st != ORR_OK || compare(g, out[k], want[k]) >= 0;
        free(want[k]);
    }
    return wrong;
}

/* Prints the shortest prefix of the seed's graph whose last value is wrong when evaluated alone. */
static void shrink(unsigned long long seed)
{
    for (int ops = 0; ops < RG_VALUES; ops++) {
        rg_graph g;
        orr_scope *s = orr_scope_begin();
        rg_build(&g, seed, ops);
        int last = g.n - 1;
        bool bad = node_of(&g, last) && evaluate(&g, &last, 1) > 0;
        if (bad) {
            rg_graph again;
            rg_build(&again, seed, ops); /* recorded again: the other has its value and forgot its inputs */
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

bool rg_one(unsigned long long seed)
{
    rg_graph g;
    orr_scope *s = orr_scope_begin();
    int out[4], n = 0;
    rg_build(&g, seed, RG_VALUES);
    if (rg_pick(&g, 4) == 0) { /* evaluates some values first */
        out[0] = rg_pick(&g, g.n);
        n = evaluate(&g, out, 1);
    }
    bool ok = n == 0;
    out[0] = g.n - 1;
    n = 1 + rg_pick(&g, 4);
    for (int k = 1; k < n; k++)
        out[k] = rg_pick(&g, 2) ? g.last : rg_pick(&g, g.n);
    for (int k = 0; n > 1 && k < g.ntogether && k < 3; k++) {
        out[k + 1] = g.together[k];
        n = n < k + 2 ? k + 2 : n;
    }
    ok = evaluate(&g, out, n) == 0 && ok;
    rg_end(&g);
    (void)orr_scope_end(s);
    return ok;
}

/* -- one process ------------------------------------------------------------------------------------------- */

static void compiled_enough(void)
{
    orr__jit_stats s = orr__jit_get_stats();
    ORR_CHECK_MSG(s.failures == 0, "%llu kernels could not be compiled", (unsigned long long)s.failures);
    ORR_CHECK(s.compiled + s.disk_hits + s.memory_hits > 0);
    printf("    %llu kernels compiled, %llu from the directory\n", (unsigned long long)s.compiled,
           (unsigned long long)s.disk_hits);
}

/* Of orr_test_alarm: the message of the seed that takes too long. */
static char late[64];

static void end_late(int signal)
{
    (void)signal;
    (void)!write(STDOUT_FILENO, late, strlen(late));
    _exit(1);
}

/* With fewer graphs, possibly none is too large for the memory. */
enum { SAMPLE = 40 };

void rg_agree(void)
{
    const char *need = getenv("ORR_TEST_NEEDS"), *seeds = getenv("ORR_TEST_SEEDS"), *alone = getenv("ORR_TEST_SEED");
    const char *count = getenv("ORR_TEST_GRAPHS"), *file = getenv("ORR_TEST_RESULTS");
    unsigned long long first = 0, end = count ? strtoull(count, NULL, 10) : 1000;
    int failures = 0;
    if (need && !strstr(orr_engine_name(), need))
        ORR_SKIP("the engine is \"%s\", not %s", orr_engine_name(), need);
    if (seeds)
        ORR_CHECK(sscanf(seeds, "%llu-%llu", &first, &end) == 2);
    if (alone)
        end = (first = strtoull(alone, NULL, 10)) + 1;
    results = file ? fopen(file, "we") : NULL;
    ORR_CHECK(!file || results);
    (void)signal(SIGALRM, end_late);
    for (unsigned long long seed = first; seed < end && failures < 3; seed++) {
        (void)snprintf(late, sizeof late, "    seed %llu does not end\n", seed);
        orr_test_alarm();
        if (results)
            fprintf(results, "%llu\n", seed);
        if (rg_one(seed))
            continue;
        failures++;
        ORR_CHECK_MSG(false, "seed %llu on %s", seed, orr_engine_name());
        shrink(seed);
        fflush(stdout);
    }
    if (results)
        (void)fclose(results);
    results = NULL;
    if (getenv("ORR_TEST_COMPILES"))
        compiled_enough();
    if (end - first >= SAMPLE && getenv("ORR_TEST_TIGHT"))
        ORR_CHECK_MSG(refused > 0, "nothing was refused");
    if (end - first >= SAMPLE && getenv("ORRERY_SPILL_DIR"))
        ORR_CHECK_MSG(orr_memory_stats().spilled_peak > 0, "nothing was spilled");
}

const char *rg_count(const char *few)
{
    const char *given = getenv("ORR_TEST_GRAPHS");
    return given ? given : getenv("ORR_TEST_FULL") ? "1000" : few;
}

/* -- processes ----------------------------------------------------------------------------------------------- */

int rg_start(const rg_setting *env)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        (void)setenv("ORR_TEST_CHILD", "1", 1);
        (void)setenv("ORRERY_INLINE_US", "0", 1);
        (void)setenv("ORRERY_EXCESS_PRECISION", "off", 1); /* tests of `on` set it: more values are exact without */
        for (; env->name; env++)
            (void)setenv(env->name, env->value, 1);
        (void)execl("/proc/self/exe", "random_graphs", (char *)NULL);
        _exit(127);
    }
    return (int)pid;
}

bool rg_wait(int pid)
{
    int status = -1;
    bool ended = pid > 0 && waitpid(pid, &status, 0) == pid;
    if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 77)
        return false;
    ORR_CHECK_MSG(ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, "wait status %d", status);
    return true;
}
