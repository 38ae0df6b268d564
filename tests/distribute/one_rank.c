/* Failures of one rank alone reach all ranks as an error that names it, and the ranks go on: a poison tensor, a variable that ended early, other
 * settings, refused memory. A test that takes too long ends the rank.
 * Must not know: how the ranks agree. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "runtime/base/pool.h"
#include "tests/harness/ranks.h"

enum { N = 12, DEADLINE = 30 /* seconds of one test */ };

#include "tests/distribute/odd_rank.h"

static bool up(void)
{
    (void)alarm(DEADLINE);
    bool ok = orr_init(&(orr_config){ .workers = 1 }) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    return ok;
}

/* -- a file that is missing on one node -------------------------------------------------------------------------------------- */

static const char none[] = "/nonexistent/x.npy";

static orr_tensor *ones_or_none(void)
{
    return mine() ? orr_load(none) : orr_ones(ORR_F64, ORR_SHAPE(N, N));
}

typedef orr_status way(orr_tensor *t, orr_grid *g);

static orr_status by_eval(orr_tensor *t, orr_grid *g)
{
    (void)g;
    return orr_eval(t);
}

static orr_status by_list(orr_tensor *t, orr_grid *g)
{
    return orr_eval_all(ORR_TENSORS(ramp(g), t));
}

static orr_status by_read(orr_tensor *t, orr_grid *g)
{
    double got[N * N];
    (void)g;
    return orr_read(t, got, sizeof got);
}

static orr_status by_item(orr_tensor *t, orr_grid *g)
{
    double got;
    (void)g;
    return orr_item(orr_sum(t, ORR_ALL_AXES, false), &got);
}

static orr_status by_event(orr_tensor *t, orr_grid *g)
{
    orr_event *e = NULL;
    orr_status st = orr_eval_async(&t, 1, &e);
    (void)g;
    return st == ORR_OK ? orr_wait(e) : st;
}

static orr_status by_limit(orr_tensor *t, orr_grid *g)
{
    (void)g;
    return orr_eval_for(t, 20);
}

static orr_status by_graph(orr_tensor *t, orr_grid *g)
{
    orr_tensor *p = orr_placeholder(ORR_F64, ORR_SHAPE(N, N)), *out = orr_add(ramp(g), p), *r = NULL;
    orr_graph *graph = orr_graph_build(&p, 1, &out, 1);
    orr_status st = graph ? orr_graph_submit(graph, &t, 1, &r, 1, NULL) : orr_error_status();
    if (graph)
        (void)orr_graph_free(graph);
    return st;
}

/* Lists of wrong lengths, and no memory for the result. */
static void a_submission_that_one_rank_writes_wrongly_is_told_to_all(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *p = orr_placeholder(ORR_F64, ORR_SHAPE(N, N)), *out[2] = { orr_add(p, p), orr_neg(p) }, *r[2];
    orr_graph *one = orr_graph_build(&p, 1, out, 1), *two = orr_graph_build(&p, 1, out, 2);
    orr_tensor *whole = orr_ones(ORR_F64, ORR_SHAPE(N, N));
    for (int how = 0; how < 4; how++) {
        orr_tensor *x = ramp(g);
        orr_status st =
            how < 3 ? orr_graph_submit(how == 2 && mine() ? two : one, how == 1 && mine() ? NULL : &x,
                                       how == 0 && mine() ? 2 : 1, r, 1, NULL)
            : mine() ? orr_graph_submit_into(one, &x, 1, ORR_BUFFERS(ORR_BUFFER(NULL, sizeof(double[N * N]))), NULL)
                     : orr_graph_submit(one, &x, 1, r, 1, NULL);
        ORR_CHECK(is_told(st, ORR_EINVAL, "graph_submit", "submit") && is_sum(ramp(g), RAMP));
        /* A rank's own. */
        st = orr_graph_submit(one, &whole, 1, r, mine() ? 2 : 1, NULL);
        ORR_CHECK(st == (mine() ? ORR_EINVAL : ORR_OK) && is_sum(ramp(g), RAMP));
    }
    ORR_CHECK(orr_graph_free(one) == ORR_OK && orr_graph_free(two) == ORR_OK);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

static orr_status by_value_of_graph(orr_tensor *t, orr_grid *g)
{
    orr_tensor *p = orr_placeholder(ORR_F64, ORR_SHAPE(N, N)), *out = orr_add(p, p), *r = NULL;
    orr_graph *graph = orr_graph_build(&p, 1, &out, 1);
    orr_status st = graph ? orr_graph_submit(graph, &t, 1, &r, 1, NULL) : orr_error_status();
    (void)g;
    if (graph)
        (void)orr_graph_free(graph);
    return st;
}

static void a_poison_tensor_of_one_rank_is_told_to_all(void)
{
    static const struct {
        way *of;
        const char *name;
    } ways[] = { { by_eval, "eval" },   { by_list, "list" },   { by_read, "read" },   { by_item, "item" },
                 { by_event, "event" }, { by_limit, "limit" }, { by_graph, "graph" }, { by_value_of_graph, "value" } };
    ORR_REQUIRE(up());
    orr_scope *all = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int how = 0; how < 4; how++) {
            orr_scope *s = orr_scope_begin();
            orr_tensor *x = ones_or_none();
            orr_tensor *t = how == 0   ? orr_shard(x, g, ORR_AXES(0))
                            : how == 1 ? orr_matmul(ramp(g), x)
                            : how == 2 ? orr_mul(orr_exp(x), orr_add(ramp(g), orr_scalar(1)))
                                       : orr_add(orr_relu(orr_shard(x, g, ORR_AXES(1))), ramp(g));
            bool well = is_told(ways[i].of(t, g), ORR_EIO, none, ways[i].name);
            well = is_sum(ramp(g), RAMP) && well;
            if (!well)
                printf("    way %s, tensor %d\n", ways[i].name, how);
            (void)orr_scope_end(s);
        }
    /* A failure of a rank's own is no business of the others. */
    orr_tensor *x = ones_or_none();
    ORR_CHECK(orr_eval(orr_add(x, x)) == (mine() ? ORR_EIO : ORR_OK));
    ORR_CHECK(is_sum(ramp(g), RAMP));
    orr_grid_free(g);
    (void)orr_scope_end(all);
    down();
}

/* The first thing that a rank does with a distribution fails. */
static void the_first_shard_of_a_rank_may_be_poison(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    ORR_CHECK(is_told(orr_eval(orr_shard(ones_or_none(), g, ORR_AXES(0))), ORR_EIO, none, "eval"));
    ORR_CHECK(is_sum(ramp(g), RAMP));
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* -- pending assignments ------------------------------------------------------------------------------------------------------ */

static void assignments_before_a_failure_are_not_lost(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *v = orr_variable(ramp(g)), *w = orr_variable(orr_ones(ORR_F64, ORR_SHAPE(4)));
    ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
    for (int i = 1; i <= 3; i++) {
        ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK);
        ORR_CHECK(orr_assign(w, orr_add(w, orr_scalar(1))) == ORR_OK);
        ORR_CHECK(is_told(orr_eval(orr_shard(ones_or_none(), g, ORR_AXES(0))), ORR_EIO, none, "eval"));
        if (i > 1)
            ORR_CHECK(is_sum(v, RAMP + i * N * N) && is_sum(w, 4 + 4 * i));
    }
    /* An assignment that fails on one rank: the next evaluation says so, and the values stay what each rank says that they are. */
    orr_status st = orr_assign(v, orr_add(orr_shard(ones_or_none(), g, ORR_AXES(0)), v));
    ORR_CHECK(st == (mine() ? ORR_EIO : ORR_OK));
    ORR_CHECK(orr_eval_all(NULL, 0) != ORR_OK || mine());
    ORR_CHECK(is_sum(ramp(g), RAMP));
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* The odd rank ends its variables before the evaluation that computes their new values. */
static void a_variable_may_end_earlier_on_one_rank(void)
{
    ORR_REQUIRE(up());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    for (int how = 0; how < 4; how++) {
        orr_scope *inner = orr_scope_begin();
        orr_tensor *v = orr_variable(ramp(g));
        if (how % 2)
            ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
        orr_tensor *y = orr_mul(v, orr_scalar(2));
        ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK);
        y = how > 1 ? orr_keep(y) : y;
        if (how > 1 && mine())
            (void)orr_scope_end(inner);
        else if (mine())
            (void)orr_free(v);
        orr_tensor *z = ramp(g);
        ORR_CHECK(is_sum(z, RAMP));
        if (!mine())
            ORR_CHECK_MSG(orr_eval(v) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(is_sum(y, 2 * RAMP));
        if (how > 1)
            (void)orr_free(y);
        if (how < 2 || !mine())
            (void)orr_scope_end(inner);
    }
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* -- settings -------------------------------------------------------------------------------------------------------------------- */

/* The ranks would evaluate more or less than each other. */
static void settings_of_evaluations_are_those_of_all_ranks(void)
{
    static const char *const differs[][2] = { { "ORRERY_CHECK", "nonfinite" },
                                              { "ORRERY_DUMP", "/tmp/never" },
                                              { "ORRERY_DUMP_WHEN", "all" } };
    char name[32];
    (void)snprintf(name, sizeof name, "rank %d of ", odd());
    (void)alarm(DEADLINE);
    for (int i = 0; i < 3; i++) {
        if (mine())
            (void)setenv(differs[i][0], differs[i][1], 1);
        orr_status st = orr_init(NULL);
        const char *text = orr_error_message();
        ORR_CHECK_MSG(st == ORR_EENV && strstr(text, differs[i][0]) && strstr(text, name) && strstr(text, "rank 0 of"),
                      "%s: %s", differs[i][0], text);
        if (st == ORR_OK)
            (void)orr_shutdown();
        (void)unsetenv(differs[i][0]);
    }
    ORR_REQUIRE(up());
    orr_grid *g = line_of_ranks();
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(is_sum(ramp(g), RAMP));
    (void)orr_scope_end(s);
    orr_grid_free(g);
    down();
}

/* A trace, notes, printed stages, other kernels and other tiles are a rank's own. */
static void other_settings_may_differ(void)
{
    char trace[1100], notes[1100];
    (void)snprintf(trace, sizeof trace, "%s/one.trace", getenv("ORR_TEST_RANKS"));
    (void)snprintf(notes, sizeof notes, "%s/one.notes", getenv("ORR_TEST_RANKS"));
    const char *const own[][2] = { { "ORRERY_TRACE", trace },       { "ORRERY_NOTES", notes }, { "ORRERY_FUSE", "off" },
                                   { "ORRERY_INLINE_US", "0" },     { "ORRERY_TILE_US", "1" }, { "ORRERY_JIT", "off" },
                                   { "ORRERY_DETERMINISTIC", "on" } };
    for (int i = 0; mine() && i < 7; i++)
        (void)setenv(own[i][0], own[i][1], 1);
    bool well = up();
    orr_grid *g = line_of_ranks();
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(ramp(g));
    for (int i = 1; well && i <= 3; i++) {
        ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK);
        orr_tensor *m = orr_matmul(ramp(g), v);
        ORR_CHECK(is_sum(orr_sub(m, orr_matmul(ramp(g), v)), 0) && is_sum(v, RAMP + i * N * N));
    }
    (void)orr_scope_end(s);
    orr_grid_free(g);
    if (well)
        down();
    for (int i = 0; mine() && i < 7; i++)
        (void)unsetenv(own[i][0]);
}

/* Of engines with and without products of all ranks together, all ranks take what each can. */
static void engines_may_differ(void)
{
    (void)alarm(DEADLINE);
    orr_config c = { .workers = 1, .engine = mine() ? "serial" : NULL };
    ORR_REQUIRE(orr_init(&c) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(2, ((int64_t[]){ 1, -1 }));
    orr_tensor *a = orr_shard_cyclic(orr_eye(ORR_F64, N, N, 0), g, ORR_AXES(0, 1), ORR_INDEX(2, 2));
    orr_tensor *b = orr_mul(a, orr_scalar(4));
    ORR_CHECK(is_sum(orr_matmul(a, b), 4 * N));
    ORR_CHECK(is_sum(orr_cholesky(b), 2 * N));
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

/* -- refused memory ---------------------------------------------------------------------------------------------------------------- */

/* The start fails on all ranks, and the next one does not: the memory of the exchanges. A later failure, as that of an engine, ends the
 * session of all for good. */
static void a_start_without_memory_on_one_rank_fails_on_all(void)
{
    (void)alarm(DEADLINE);
    int failed = 0;
    for (int n = 0; n < 8; n++) {
        orr__pool_fail_after(mine() ? n : -1);
        orr_status st = orr_init(&(orr_config){ .workers = 1, .engine = "serial" });
        orr__pool_fail_after(-1);
        failed += st != ORR_OK;
        if (st != ORR_OK && st != ORR_ENOMEM && st != ORR_ERANK)
            ORR_CHECK_MSG(false, "allocation %d: %s: %s", n, orr_status_name(st), orr_error_message());
        if (st == ORR_OK) {
            st = orr_barrier();
            ORR_CHECK_MSG(st == ORR_OK, "allocation %d: %s", n, orr_error_message());
            ORR_CHECK(orr_shutdown() == ORR_OK);
        }
    }
    ORR_CHECK_MSG(failed == 8, "%d starts have failed", failed);
    if (up())
        down();
}

/* Each allocation of an evaluation fails once on one rank: all have an error, and go on. */
static void memory_that_one_rank_lacks_is_told_to_all(void)
{
    ORR_REQUIRE(up());
    orr_scope *all = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    orr_tensor *v = orr_variable(ramp(g));
    int failed = 0, assigned = 0;
    ORR_CHECK(is_sum(v, RAMP));
    for (int n = 0; n < 70; n++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *y = orr_add(ramp(g), orr_scalar(n % 3)), *z = NULL;
        for (int k = 0; k < 24 * n; k++) /* more than any graph before */
            y = orr_sin(y);
        z = orr_matmul(y, orr_transpose(ramp(g)));
        ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK);
        assigned++;
        orr__pool_fail_after(mine() ? n : -1);
        orr_status st = orr_eval(z);
        orr__pool_fail_after(-1);
        ORR_CHECK_MSG(st == ORR_OK || st == (mine() ? ORR_ENOMEM : ORR_ERANK), "allocation %d: %s: %s", n,
                      orr_status_name(st), orr_error_message());
        failed += st != ORR_OK;
        ORR_CHECK_MSG(orr_barrier() == ORR_OK, "allocation %d: %s", n, orr_error_message());
        ORR_CHECK(is_sum(v, RAMP + assigned * N * N) && is_sum(ramp(g), RAMP));
        (void)orr_scope_end(s);
    }
    ORR_CHECK_MSG(failed > 40, "%d evaluations have failed", failed);
    orr_grid_free(g);
    (void)orr_scope_end(all);
    down();
}

/* The ranks compute different nodes, each alone or in common, and one lacks memory while they look for the difference. */
static void memory_that_one_rank_lacks_in_a_search_is_told_to_all(void)
{
    ORR_REQUIRE(up());
    orr_scope *all = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    int failed = 0;
    for (int n = 0; n < 160; n++) {
        orr_scope *s = orr_scope_begin();
        bool common = n % 2;
        orr_tensor *own = orr_ones(ORR_F64, ORR_SHAPE(N, N)), *y = ramp(g);
        for (int k = 0; k < 3 * n; k++) /* more than any graph before */
            y = orr_sin(y);
        ORR_CHECK(orr_eval(own) == ORR_OK);
        if (mine() && !common)
            own = orr_mul(own, orr_scalar(1));
        y = mine() && common ? orr_sin(y) : orr_cos(y);
        y = orr_add(y, orr_shard(own, g, ORR_AXES(0)));
        orr__pool_fail_after(mine() ? n / 2 : -1);
        orr_status st = orr_eval(y);
        orr__pool_fail_after(-1);
        bool lacks = mine() && st == ORR_ENOMEM;
        ORR_CHECK_MSG(lacks || st == ORR_ERANK || (st == ORR_OK && !common), "allocation %d: %s: %s", n / 2,
                      orr_status_name(st), orr_error_message());
        failed += lacks || strstr(orr_error_message(), "no memory");
        ORR_CHECK_MSG(orr_barrier() == ORR_OK, "allocation %d: %s", n / 2, orr_error_message());
        ORR_CHECK(is_sum(ramp(g), RAMP));
        orr_error_clear();
        (void)orr_scope_end(s);
    }
    ORR_CHECK_MSG(failed > 40, "%d evaluations have failed", failed);
    orr_grid_free(g);
    (void)orr_scope_end(all);
    down();
}

static orr_tensor *total(orr_tensor *t)
{
    return orr_sum(t, ORR_ALL_AXES, false);
}

/* Exchanges of all kinds, each of a size that no exchange before had. Its elements add up to `right`. */
static orr_tensor *moved(orr_grid *g, int n, bool large, double *right)
{
    int64_t rows = 4 * orr_ranks(), cols = (large ? 150000 : 8) + n, all = rows * cols;
    orr_dtype dtype = n % 3 == 2 ? ORR_F32 : ORR_F64;
    orr_tensor *x = orr_shard(orr_ones(dtype, ORR_SHAPE(rows, cols)), g, ORR_AXES(0));
    orr_tensor *over = orr_sum(x, ORR_AXES(0), true);                              /* rows each                 */
    orr_tensor *turned = orr_shard(x, g, ORR_AXES(1));                             /* all to all                */
    orr_tensor *parts = orr_shard(orr_sum(x, ORR_AXES(0), false), g, ORR_AXES(0)); /* reduced and scattered     */
    orr_tensor *sum = orr_add(total(orr_add(x, over)), orr_add(total(turned), total(orr_replicate(parts))));
    *right = (double)(all + rows * all + all + all);
    return orr_cast(sum, ORR_F64);
}

/* Each allocation for the messages of an evaluation is refused once on one rank: the reserve has it, or all have an error, and go on. */
static void memory_for_messages_that_one_rank_lacks_is_in_reserve(void)
{
    int failed = 0;
    ORR_REQUIRE(up());
    orr_scope *all = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    for (int n = 0; n < 240; n++) {
        orr_scope *s = orr_scope_begin();
        double right = 0, got = NAN;
        orr_tensor *t = moved(g, n, n % 24 == 23, &right);
        orr_event *e = NULL;
        orr__pool_fail_after(mine() ? n / 2 : -1);
        orr_status st = n % 2 ? orr_eval_async(&t, 1, &e) : orr_eval(t);
        st = e ? orr_wait(e) : st;
        orr__pool_fail_after(-1);
        ORR_CHECK_MSG(st == ORR_OK || st == (mine() ? ORR_ENOMEM : ORR_ERANK), "allocation %d: %s: %s", n / 2,
                      orr_status_name(st), orr_error_message());
        failed += st != ORR_OK;
        ORR_CHECK_MSG(st != ORR_OK || (orr_item(t, &got) == ORR_OK && fabs(got - right) < 1e-6 * right),
                      "allocation %d: %g, not %g: %s", n / 2, got, right, orr_error_message());
        ORR_CHECK_MSG(orr_barrier() == ORR_OK, "allocation %d: %s", n / 2, orr_error_message());
        ORR_CHECK(is_sum(ramp(g), RAMP));
        orr_error_clear();
        (void)orr_scope_end(s);
    }
    ORR_CHECK_MSG(failed > 60, "%d evaluations have failed", failed);
    orr_grid_free(g);
    (void)orr_scope_end(all);
    down();
}

/* All that the process has now, and no more. */
static void limit_address_space(bool on)
{
    struct rlimit l;
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    ORR_CHECK(f && fscanf(f, "%ld", &pages) == 1 && getrlimit(RLIMIT_AS, &l) == 0);
    if (f)
        (void)fclose(f);
    l.rlim_cur = on ? (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) : l.rlim_max;
    ORR_CHECK(setrlimit(RLIMIT_AS, &l) == 0);
}

/* The system refuses all memory to one rank: the reserve serves the evaluation under way, or all have an error, and go on. */
static void a_rank_to_which_the_system_refuses_memory_ends_no_session(void)
{
    int failed = 0;
    if (ORR_TEST_SANITIZED)
        ORR_SKIP("sanitizers end the program without memory");
    ORR_REQUIRE(up());
    orr_scope *all = orr_scope_begin();
    orr_grid *g = line_of_ranks();
    for (int n = 0; n < 24; n++) {
        orr_scope *s = orr_scope_begin();
        double right = 0, got = NAN;
        orr_tensor *t = moved(g, n, n % 2, &right);
        if (mine())
            limit_address_space(true);
        orr_status st = orr_eval(t);
        if (mine())
            limit_address_space(false);
        ORR_CHECK_MSG(st == ORR_OK || st == (mine() ? ORR_ENOMEM : ORR_ERANK), "turn %d: %s: %s", n,
                      orr_status_name(st), orr_error_message());
        failed += st != ORR_OK;
        ORR_CHECK_MSG(st != ORR_OK || (orr_item(t, &got) == ORR_OK && fabs(got - right) < 1e-6 * right),
                      "turn %d: %g, not %g: %s", n, got, right, orr_error_message());
        ORR_CHECK_MSG(orr_barrier() == ORR_OK, "turn %d: %s", n, orr_error_message());
        ORR_CHECK(is_sum(ramp(g), RAMP));
        orr_error_clear();
        (void)orr_scope_end(s);
    }
    ORR_CHECK_MSG(failed > 4 && failed < 20, "%d evaluations have failed", failed);
    orr_grid_free(g);
    (void)orr_scope_end(all);
    down();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(the_first_shard_of_a_rank_may_be_poison),
                                      ORR_TEST(a_poison_tensor_of_one_rank_is_told_to_all),
                                      ORR_TEST(assignments_before_a_failure_are_not_lost),
                                      ORR_TEST(a_variable_may_end_earlier_on_one_rank),
                                      ORR_TEST(settings_of_evaluations_are_those_of_all_ranks),
                                      ORR_TEST(other_settings_may_differ),
                                      ORR_TEST(engines_may_differ),
                                      ORR_TEST(a_start_without_memory_on_one_rank_fails_on_all),
                                      ORR_TEST(a_submission_that_one_rank_writes_wrongly_is_told_to_all),
                                      ORR_TEST(memory_that_one_rank_lacks_is_told_to_all),
                                      ORR_TEST(memory_that_one_rank_lacks_in_a_search_is_told_to_all),
                                      ORR_TEST(memory_for_messages_that_one_rank_lacks_is_in_reserve),
                                      ORR_TEST(a_rank_to_which_the_system_refuses_memory_ends_no_session),
                                      { 0 } };
    return orr_test_ranks_main(argc, argv, "one_rank", tests, (const int[]){ 2, 3, 0 });
}
