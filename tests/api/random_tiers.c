/* Random graphs, and programs of boxes (arrays that are shifted, joined, bordered), in every way to compute a kernel:
 * interpreted, compiled by gcc and by clang, on OpenCL. All agree with the reference evaluation, and the tiers with each
 * other: to the last bit in graphs without float sums. Each run takes the first graphs by gcc, and by turns (orr_test_due) graphs or
 * boxes by clang and on OpenCL; ORR_TEST_FULL=1, which
 * "./bootstrap check --full" sets, takes a thousand, ORR_TEST_GRAPHS another number.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "codelets/nest/cloop.h"
#include "codelets/emit/emit.h"
#include "runtime/fuse/region.h"
#include "tests/harness/random_graph.h"

enum { PARTS = 4 };

/* Settings of programs of boxes. More values are exact without excess precision. The alarm is for one program. */
static const rg_setting of_boxes[] = { { "ORR_TEST_BOXES", "1" },
                                       { "ORRERY_EXCESS_PRECISION", "off" },
                                       { "ORR_TEST_ALARM", "300" } };
enum { OF_BOXES = sizeof of_boxes / sizeof *of_boxes };

/* Several processes share the seeds: each kernel is waited for, so that one process uses one core. Their results go
 * to files <name>.<part>. */
static bool run_parts(const char *name, const rg_setting *own, int n, bool boxes)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int parts = cores < 2 ? 1 : cores < PARTS ? 2 : PARTS, pid[PARTS];
    bool all = true;
    for (int k = 0; k < parts; k++) {
        char seeds[40], file[1100], part[64];
        rg_setting env[20] = { { "ORRERY_CACHE_DIR", orr_test_kernels() },
                               { "ORRERY_EXCESS_PRECISION", "on" },
                               { "ORR_TEST_SEEDS", seeds },
                               { "ORR_TEST_RESULTS", file } };
        int last = 4;
        for (int i = 0; i < OF_BOXES && boxes; i++)
            env[last++] = of_boxes[i];
        for (int i = 0; own[i].name; i++)
            env[last++] = own[i];
        (void)snprintf(part, sizeof part, "%s.%d", name, k);
        (void)snprintf(file, sizeof file, "%s", orr_test_tmp(part));
        (void)snprintf(seeds, sizeof seeds, "%d-%d", n * k / parts, n * (k + 1) / parts);
        pid[k] = rg_start(env);
    }
    for (int k = 0; k < parts; k++)
        all = rg_wait(pid[k]) && all;
    return all;
}

/* Finds the first line in which two tiers differ; returns the number of equal lines. */
static int equal_results(const char *one, const char *two)
{
    char a[80], b[80], file[64], seed[80] = "";
    int lines = 0;
    for (int k = 0; k < PARTS; k++) {
        (void)snprintf(file, sizeof file, "%s.%d", one, k);
        FILE *f = fopen(orr_test_tmp(file), "re");
        (void)snprintf(file, sizeof file, "%s.%d", two, k);
        FILE *g = fopen(orr_test_tmp(file), "re");
        while (f && g && fgets(a, sizeof a, f)) {
            bool same = fgets(b, sizeof b, g) && !strcmp(a, b);
            a[strcspn(a, "\n")] = b[strcspn(b, "\n")] = '\0';
            if (!strchr(a, ' '))
                memcpy(seed, a, sizeof seed);
            ORR_CHECK_MSG(same, "seed %s: %s: %s; %s: %s", seed, one, a, two, b);
            lines += same;
            if (!same)
                break;
        }
        if (f)
            (void)fclose(f);
        if (g)
            (void)fclose(g);
    }
    return lines;
}

static void compiled_by(const char *cc, int n, bool boxes)
{
    const rg_setting off[] = { { "ORRERY_ENGINE", "serial" }, { "ORRERY_JIT", "off" }, { NULL, NULL } };
    const rg_setting on[] = { { "ORRERY_ENGINE", "serial" },
                              { "ORRERY_JIT", "wait" },
                              { "ORRERY_CC", cc },
                              { "ORR_TEST_COMPILES", "1" },
                              { NULL, NULL } };
    char command[64], name[32], plain[32];
    (void)snprintf(name, sizeof name, boxes ? "boxes.%s" : "%s", cc);
    (void)snprintf(plain, sizeof plain, boxes ? "boxes.off.%s" : "off.%s", cc);
    (void)snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", cc);
    if (system(command) != 0)
        ORR_SKIP("there is no %s here", cc);
    ORR_CHECK(run_parts(plain, off, n, boxes));
    ORR_CHECK(run_parts(name, on, n, boxes));
    int same = equal_results(plain, name);
    printf("    %d graphs, %d results and seeds equal to the bit\n", n, same);
    ORR_CHECK(same > n);
}

static void compiled_by_gcc(void)
{
    compiled_by("gcc", atoi(rg_count("10")), false);
}

static void boxes_compiled_by_gcc(void)
{
    compiled_by("gcc", atoi(rg_count("6")), true);
}

static void compiled_by_clang(void)
{
    if (!orr_test_due(0, 2))
        return;
    compiled_by("clang", atoi(rg_count("6")), false);
}

static void boxes_compiled_by_clang(void)
{
    if (!orr_test_due(1, 2))
        return;
    compiled_by("clang", atoi(rg_count("4")), true);
}

static void device(const char *name, int n, bool boxes)
{
    const rg_setting env[] = { { "ORRERY_ENGINE", "starpu" },
                               { "ORRERY_BACKEND", "opencl" },
                               { "STARPU_NCPU", "0" },
                               { "STARPU_OPENCL_ON_CPUS", "1" },
                               { "STARPU_OPENCL_ONLY_ON_CPUS", "1" },
                               { "STARPU_NCUDA", "0" },
                               { "ORR_TEST_NEEDS", "OpenCL" },
                               { NULL, NULL } };
    if (!run_parts(name, env, n, boxes))
        ORR_SKIP("see above");
    printf("    %d graphs\n", n);
}

static void on_opencl(void)
{
    if (!orr_test_due(1, 2))
        return;
    device("opencl", atoi(rg_count("10")), false);
}

static void boxes_on_opencl(void)
{
    if (!orr_test_due(0, 2))
        return;
    device("boxes.opencl", atoi(rg_count("6")), true);
}

/* -- the operations in the graphs ---------------------------------------------------------------------------- */

enum { ROWS, OUTPUTS, FOLDS, CHOICES, MASKS, GATHERS, PRODUCTS, KINDS };

static bool used_by_elementwise(const orr__capture *p, int i)
{
    for (int j = i + 1; j < p->n; j++)
        for (int k = 0; p->leaf_of[j] < 0 && p->node[j]->op->id >= ORR__OP_EW && k < orr__capture_nin(p, j); k++)
            if (p->arg[p->arg0[j] + k] == i)
                return true;
    return false;
}

static void look(const orr__capture *p, bool found[KINDS])
{
    orr__regions rs;
    for (int i = 0; i < p->n; i++) {
        const orr__op *op = p->leaf_of[i] < 0 ? p->node[i]->op : &orr__op_leaf;
        bool used = used_by_elementwise(p, i);
        found[MASKS] = found[MASKS] || (op == &orr__op_random && used);
        found[GATHERS] = found[GATHERS] || (op == &orr__op_take && used);
        found[PRODUCTS] = found[PRODUCTS] || (op == &orr__op_matmul && used);
    }
    if (orr__fuse(ORR__SITE(__FILE__, __LINE__, "test"), p, ORR__FUSE_ROWS, &rs) != ORR_OK)
        return;
    for (int k = 0; k < rs.n; k++) {
        found[ROWS] = found[ROWS] || orr__region_rows(&rs.region[k]);
        found[OUTPUTS] = found[OUTPUTS] || rs.region[k].nout > 1;
        found[FOLDS] = found[FOLDS] || (rs.region[k].nout > 1 && rs.region[k].rmask);
        for (int a = 0; a < rs.region[k].naccess; a++)
            found[CHOICES] = found[CHOICES] || rs.region[k].access[a].box;
    }
    orr__regions_free(&rs);
}

/* The operations that graphs contain: each counts once per graph. */
static const char *const drawn[] = {
    "conv",           "conv_transpose",  "conv_weights", "max_pool",  "average_pool", "resize",  "layer_norm",
    "group_norm",     "batch_norm",      "local_norm",   "attention", "scan",         "rotary",  "loss",
    "scatter",        "take_along_axis", "gather_nd",    "sort",      "argsort",      "topk",    "searchsorted",
    "cumulative_sum", "cumulative_prod", "solve",        "inv",       "qr",           "svdvals", "eigvalsh",
    "lstsq",          "cholesky",        "fft",          "rfft",      "irfft",        "z_fft",   "z_fftn",
    "z_matmul",       "z_sum",           "z_prod",       "z_where",   "z_take",       "complex", "z_cumulative_sum",
};
enum { DRAWN = sizeof drawn / sizeof *drawn };

static void draws(const rg_graph *g, int count[DRAWN])
{
    for (int k = 0; k < DRAWN; k++) {
        bool found = false;
        for (int i = 0; i < g->n; i++)
            found = found || !strcmp(g->log[i], drawn[k]);
        count[k] += found;
    }
}

static void explain_lists_fused_nodes(void)
{
    static const char *const names[KINDS] = {
        "rows folded in place",           "several outputs of one kernel",      "several folds in one kernel",
        "parts put together in a kernel", "random masks that are used at once", "gathered rows that are used at once",
        "products that are used at once"
    };
    int count[KINDS] = { 0 }, of[DRAWN] = { 0 };
    for (unsigned long long seed = 0; seed < 1000; seed++) {
        rg_graph g;
        orr__capture p;
        orr_scope *s = orr_scope_begin();
        rg_build(&g, seed, RG_VALUES);
        draws(&g, of);
        orr__node *node[4] = { orr__handle_node(g.v[g.n - 1].t) };
        int n = 1;
        for (int k = 0; k < g.ntogether && n < 4; k++)
            node[n++] = orr__handle_node(g.v[g.together[k]].t);
        bool found[KINDS] = { false };
        if (orr__capture_make(ORR__SITE(__FILE__, __LINE__, "test"), node, n, &p) == ORR_OK) {
            look(&p, found);
            orr__capture_free(&p);
        }
        for (int k = 0; k < KINDS; k++)
            count[k] += found[k];
        rg_end(&g);
        (void)orr_scope_end(s);
    }
    for (int k = 0; k < KINDS; k++) {
        printf("    %3d of 1000: %s\n", count[k], names[k]);
        ORR_CHECK_MSG(count[k] >= 30, "only %d of 1000 graphs have %s", count[k], names[k]);
    }
    for (int k = 0; k < DRAWN; k++) {
        printf("    %3d of 1000: %s\n", of[k], drawn[k]);
        ORR_CHECK_MSG(of[k] >= 10, "only %d of 1000 graphs have %s", of[k], drawn[k]);
    }
}

/* The texts of a region, in each language that has one. False: one takes too many steps. */
static bool writes(const orr__region *r)
{
    static const orr__dialect *const language[] = { &orr__dialect_c, &orr__dialect_opencl, &orr__dialect_cuda };
    char *c = orr__emit_c_can(r) ? orr__emit_c(r) : NULL;
    bool all = c || !orr__emit_c_can(r);
    free(c);
    for (int k = 0; k < 3 && orr__emit_can(r, true); k++) {
        orr__layout lay;
        char *text = orr__layout_make(r, language[k], &lay) == ORR_OK ? orr__emit(r, language[k], &lay, true) : NULL;
        all = all && text;
        free(text);
        orr__layout_free(&lay);
    }
    return all;
}

/* No text of the programs takes more than a part of the steps that one may take. */
static void texts_of_boxes_end(void)
{
    enum { FEW = 200, MANY = 10000, PART = 8 };
    unsigned long long first = 1000000, n = getenv("ORR_TEST_FULL") ? MANY : FEW;
    int regions = 0, boxes = 0;
    orr__text_steps = ORR__TEXT_STEPS / PART;
    for (unsigned long long seed = first; seed < first + n; seed++) {
        rg_graph g;
        orr__capture p;
        orr__regions rs = { 0 };
        orr_scope *s = orr_scope_begin();
        orr_test_alarm();
        rg_boxes(&g, seed, RG_VALUES);
        orr__node *node = orr__handle_node(g.v[g.n - 1].t);
        orr__site at = ORR__SITE(__FILE__, __LINE__, "test");
        if (orr__capture_make(at, &node, 1, &p) == ORR_OK) {
            ORR_CHECK(orr__fuse(at, &p, ORR__FUSE_ROWS, &rs) == ORR_OK);
            for (int k = 0; k < rs.n; k++) {
                regions++;
                for (int a = 0; a < rs.region[k].naccess; a++)
                    boxes += rs.region[k].access[a].box != 0;
                ORR_CHECK_MSG(writes(&rs.region[k]), "seed %llu: %s", seed, rs.region[k].label);
            }
            orr__regions_free(&rs);
            orr__capture_free(&p);
        }
        rg_end(&g);
        (void)orr_scope_end(s);
    }
    orr__text_steps = ORR__TEXT_STEPS;
    printf("    %d regions with %d boxes\n", regions, boxes);
    ORR_CHECK(regions > FEW && boxes > 3 * FEW);
}

static void contents(void)
{
    ORR_CHECK(rg_wait(rg_start((const rg_setting[]){ { "ORR_TEST_CONTENTS", "1" }, { NULL, NULL } })));
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(contents),
        ORR_TEST(compiled_by_gcc),
        ORR_TEST(compiled_by_clang),
        ORR_TEST(on_opencl),
        ORR_TEST(boxes_compiled_by_gcc),
        ORR_TEST(boxes_compiled_by_clang),
        ORR_TEST(boxes_on_opencl),
        { 0 },
    };
    static const orr_test child[] = { ORR_TEST(rg_agree), { 0 } };
    static const orr_test inside[] = { ORR_TEST(explain_lists_fused_nodes), ORR_TEST(texts_of_boxes_end), { 0 } };
    if (getenv("ORR_TEST_CHILD"))
        return help_main(argc, argv, "api.random_tiers.child", getenv("ORR_TEST_CONTENTS") ? inside : child);
    return orr_test_main(argc, argv, "api.random_tiers", tests);
}
