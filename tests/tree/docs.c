/* Pages made from the source are fresh; the README's program is the example that the build compiles; links have
 * targets; the environment variables that they name exist; the transforms that they list are short.
 * Must not know: what the pages say. */
#include "config.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery/info.h>
#include "runtime/base/env.h"
#include "runtime/base/starpu_variables.h"
#include "tests/harness/harness.h"

/* A file of the source tree; "" (and a failed check) if it cannot be read. The caller frees it. */
static char *page(const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%.2000s/../../%s", orr_test_golden("."), name);
    size_t size = 0;
    char *text = (char *)orr_test_slurp(path, &size);
    ORR_CHECK_MSG(text, "%s cannot be read", path);
    return text ? text : strdup("");
}

/* Reports the first difference of two texts. */
static void same(const char *name, const char *have, const char *want)
{
    int line = 1;
    size_t i = 0;
    for (; have[i] && have[i] == want[i]; i++)
        line += have[i] == '\n';
    ORR_CHECK_MSG(have[i] == want[i], "%s is stale from line %d on: run 'make docs-pages'", name, line);
}

static void environment_page_is_fresh(void)
{
    char *have = page("docs/environment.md"), *want = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&want, &size);
    ORR_REQUIRE(f);
    ORR_CHECK(orr_env_print(f, true) == ORR_OK);
    (void)fclose(f);
    same("docs/environment.md", have, want);
    ORR_CHECK(orr_env_print(NULL, true) == ORR_EINVAL);
    free(want);
    free(have);
}

static void thresholds_page_is_fresh(void)
{
    char *have = page("docs/thresholds.md"), *want = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&want, &size);
    ORR_REQUIRE(f);
    ORR_CHECK(orr_thresholds_print(f, true) == ORR_OK);
    (void)fclose(f);
    same("docs/thresholds.md", have, want);
    ORR_CHECK(orr_thresholds_print(NULL, true) == ORR_EINVAL);
    free(want);
    free(have);
}

static void api_page_is_fresh(void)
{
    char command[5000];
    const char *top = orr_test_golden("../..");
    (void)snprintf(command, sizeof command,
                   "LC_ALL=C awk -f '%.2000s/build-aux/gen-api.awk' '%.2000s/include/orrery.h'", top, top);
    FILE *f = popen(command, "r");
    ORR_REQUIRE(f);
    size_t cap = 1u << 20;
    char *want = calloc(1, cap), *have = page("docs/api.md");
    size_t n = want ? fread(want, 1, cap - 1, f) : 0;
    if (pclose(f) != 0 || n == 0)
        orr_test_skip("no awk here");
    else
        same("docs/api.md", have, want);
    free(have);
    free(want);
}

static void readme_program_is_the_compiled_example(void)
{
    char *readme = page("README.md"), *example = page("examples/ten_lines.c");
    char *begin = strstr(readme, "```c\n"), *end = begin ? strstr(begin + 5, "```") : NULL;
    ORR_CHECK_MSG(end, "README.md has no C program");
    if (end) {
        *end = 0;
        ORR_CHECK_MSG(strstr(example, begin + 5), "README.md's program is not in examples/ten_lines.c:\n%s", begin + 5);
    }
    free(example);
    free(readme);
}

/* [text](target): targets without a scheme are files beside the page. */
static void check_links(const char *name)
{
    char *text = page(name);
    const char *slash = strrchr(name, '/');
    for (char *p = text; (p = strstr(p, "](")); p++) {
        char target[512], path[4096];
        if (sscanf(p, "](%511[^)# ])", target) != 1 || strstr(target, "://"))
            continue;
        (void)snprintf(path, sizeof path, "%.2000s/../../%.*s%s", orr_test_golden("."),
                       slash ? (int)(slash - name + 1) : 0, name, target);
        ORR_CHECK_MSG(access(path, R_OK) == 0, "%s links to %s, which is not there", name, target);
    }
    free(text);
}

static bool known(const char *name)
{
    /* names of StarPU's interface, which pages mention */
    static const char *const words[] = { "STARPU_OPENCL_ASYNC", "STARPU_CUDA_REPORT_ERROR", "STARPU_COMMUTE" };
    const orr__env_row *row;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    for (size_t i = 0; (row = orr__env_table(i, NULL, 0)); i++)
        if (strcmp(name, row->name) == 0)
            return true;
    return orr__starpu_variable_known(name);
}

/* A reader who copies a name that is in no table gets an error from orr_init, or no effect. */
static void check_variables(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_#";
    char *text = page(name);
    for (char *p = text; (p = strpbrk(p, "OS"));) {
        size_t n = strspn(p, letters);
        bool whole = p == text || !strchr(letters, p[-1]);
        if (whole && n < 100 && (strncmp(p, "ORRERY_", 7) == 0 || strncmp(p, "STARPU_", 7) == 0)) {
            char word[101];
            (void)snprintf(word, sizeof word, "%.*s", (int)n, p);
            for (char *c = word; *c; c++)
                *c = *c == '#' ? '1' : *c;
            bool prefix = word[strlen(word) - 1] == '_'; /* "ORRERY_" and "STARPU_*" stand for all */
            ORR_CHECK_MSG(prefix || known(word), "%s names %s, which is in no table of variables", name, word);
        }
        p += n > 0 ? n : 1;
    }
    free(text);
}

/* Calls check for each page, example and job of the tree. */
static void for_each_page(void (*check)(const char *name))
{
    static const char *const folders[] = { "docs", "docs/lessons", "examples", "examples/lessons", "examples/slurm" };
    check("README.md");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%.2000s/../../%s", orr_test_golden("."), folders[i]);
        DIR *d = opendir(path);
        ORR_REQUIRE(d != NULL);
        for (struct dirent *e; (e = readdir(d));) {
            char name[400];
            size_t n = strlen(e->d_name);
            (void)snprintf(name, sizeof name, "%s/%s", folders[i], e->d_name);
            if ((n > 3 && !strcmp(e->d_name + n - 3, ".md")) || (n > 2 && !strcmp(e->d_name + n - 2, ".c")) ||
                (n > 7 && !strcmp(e->d_name + n - 7, ".sbatch")))
                check(name);
        }
        (void)closedir(d);
    }
}

static void links_lead_somewhere(void)
{
    for_each_page(check_links);
}

static void variables_of_pages_and_examples_exist(void)
{
    for_each_page(check_variables);
}

/* A paragraph, or a row of a table, that has a word says one thing of it on all pages: it has the texts, too, unless its page defines them. */
static const struct {
    const char *word, *texts[2], *defined_in;
} claims[] = {
    { "STARPU_CALIBRATE`", { "StarPU's", " own" }, "" },
    { "STARPU_PERF_MODEL_DIR", { "starpu.md#at-run-time", "" }, "docs/starpu.md docs/environment.md" },
    { "STARPU_HOME", { "starpu.md#at-run-time", "" }, "docs/starpu.md docs/environment.md docs/benchmarks.md" },
    { ".starpu/", { "starpu.md#at-run-time", "" }, "docs/starpu.md docs/environment.md" },
    { "models of task times are in", { "ORRERY_CACHE_DIR", "" }, "" },
    { "models to the cache directory", { "ORRERY_CACHE_DIR", "" }, "" },
};

static const char *paragraph_of(const char *text, const char *p, size_t *n)
{
    const char *from = p, *to = p;
    while (from > text && !(from[-1] == '\n' && (*from == '\n' || *from == '|')))
        from--;
    while (*to && !(*to == '\n' && (to[1] == '\n' || to[1] == '|')))
        to++;
    *n = (size_t)(to - from);
    return from;
}

static void check_claims(const char *name)
{
    if (!strstr(name, ".md"))
        return;
    char *text = page(name);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        for (const char *p = strstr(claims[i].defined_in, name) ? NULL : strstr(text, claims[i].word); p;
             p = strstr(p + 1, claims[i].word)) {
            size_t n;
            const char *from = paragraph_of(text, p, &n);
            char *paragraph = strndup(from, n);
            for (int k = 0; k < 2; k++)
                ORR_CHECK_MSG(paragraph && strstr(paragraph, claims[i].texts[k]), "%s: of %s it does not say %s: %s",
                              name, claims[i].word, claims[i].texts[k], paragraph);
            free(paragraph);
        }
    free(text);
}

/* Facts that no page had, or that one had wrongly. */
static void check_facts(const char *name, const char *const *facts)
{
    char *text = page(name);
    for (; *facts; facts++)
        ORR_CHECK_MSG(strstr(text, *facts), "%s does not have: %s", name, *facts);
    free(text);
}

static void pages_do_not_contradict_each_other(void)
{
    for_each_page(check_claims);
    check_facts("docs/environment.md",
                (const char *const[]){ "| `STARPU_LIMIT_CUDA_MEM` |", "| `STARPU_WORKERS_CUDAID` |",
                                       "| `STARPU_CUDA_PIPELINE` |", "| `STARPU_DISABLE_PINNING` |",
                                       "| `STARPU_RESERVE_NCPU` |", "| `STARPU_USE_NUMA` |", NULL });
    check_facts("docs/cluster.md", (const char *const[]){ "`STARPU_USE_NUMA=0`", NULL });
    check_facts("include/orrery/dlpack.h",
                (const char *const[]){ "types that do not exist here, such as complex numbers of 32 bits", NULL });
}

/* `module load` and the user have set search paths: a command that a page tells to type adds to them. */
static void commands_of_pages_keep_search_paths(void)
{
    static const char *const pages[] = { "README.md", "docs/environment.md", "docs/starpu.md", "docs/distributed.md" };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char *text = page(pages[i]);
        for (const char *p = text; (p = strstr(p, "export "));) {
            p += strlen("export ");
            size_t n = strcspn(p, "=\n"), end = strcspn(p, "\n");
            char line[200];
            (void)snprintf(line, sizeof line, "%.*s", (int)end, p);
            bool path = n > 4 && n < end && strncmp(p + n - 4, "PATH", 4) == 0;
            char self[80];
            (void)snprintf(self, sizeof self, ":$%.*s", (int)n, p);
            ORR_CHECK_MSG(!path || strstr(line, self), "%s: export %s overwrites the path", pages[i], line);
        }
        free(text);
    }
}

/* build-aux/check-blocks has the rules. A library with a sanitizer wants it of the programs, too. */
#ifdef ORR_FC
#define FC ORR_FC
#else
#define FC ""
#endif
static void code_blocks_of_pages_compile_and_run(void)
{
    char command[9000], out[4096], faults[8192];
    const char *run = ORR_TEST_SANITIZED ? "" : "run";
    const char *top = orr_test_golden("../.."), *build = getenv("ORR_BUILDDIR");
    (void)snprintf(out, sizeof out, "%s", orr_test_tmp("blocks"));
    (void)snprintf(command, sizeof command,
                   "FC='%.200s' sh '%.2000s/build-aux/check-blocks' '%.2000s' '%.2000s' '%.2000s' %s 2>&1", FC, top,
                   top, build ? build : ".", out, run);
    FILE *f = popen(command, "r");
    ORR_REQUIRE(f);
    size_t n = fread(faults, 1, sizeof faults - 1, f);
    faults[n] = 0;
    int status = pclose(f);
    ORR_CHECK_MSG(status == 0, "blocks of pages do not compile, or do not run:\n%s", faults);
}

/* The table of transforms in docs/fusion.md: a row is "| name | `file`, `file` | … |". */
static void transforms_are_few_and_short(void)
{
    enum { MOST = 14, LINES = 200 };
    char *text = page("docs/fusion.md"), *row = strstr(text, "| transform | file |");
    int rows = -2, files = 0; /* the heading and its line */
    for (; row && *row == '|'; row += strcspn(row, "\n") + 1, rows++) {
        const char *end = row + strcspn(row, "\n");
        for (char *name = strchr(row, '`'); name && name < end; name = strchr(name, '`')) {
            char path[96];
            size_t n = strcspn(++name, "`"), lines = 0;
            (void)snprintf(path, sizeof path, "codelets/nest/%.*s", (int)n, name);
            name += n + 1;
            char *file = page(path);
            for (const char *p = file; (p = strchr(p, '\n')); p++)
                lines++;
            ORR_CHECK_MSG(lines > 0 && lines <= LINES, "%s has %zu lines", path, lines);
            files++;
            free(file);
        }
    }
    ORR_CHECK_MSG(rows > 0 && rows <= MOST && files >= rows, "docs/fusion.md has %d transforms in %d files", rows,
                  files);
    free(text);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(environment_page_is_fresh),
        ORR_TEST(thresholds_page_is_fresh),
        ORR_TEST(api_page_is_fresh),
        ORR_TEST(readme_program_is_the_compiled_example),
        ORR_TEST(links_lead_somewhere),
        ORR_TEST(variables_of_pages_and_examples_exist),
        ORR_TEST(commands_of_pages_keep_search_paths),
        ORR_TEST(pages_do_not_contradict_each_other),
        ORR_TEST(transforms_are_few_and_short),
        ORR_TEST(code_blocks_of_pages_compile_and_run),
        { 0 },
    };
    return orr_test_main(argc, argv, "docs", tests);
}
