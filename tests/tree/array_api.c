/* The table of the array API standard: every name is in the public headers, a finished category is complete, the page is
 * fresh.
 * Must not know: what a function does. */
#include "config.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/harness.h"

enum { OPEN, DONE };
typedef struct {
    bool category;
    int state, count;        /* of a category */
    const char *name, *ours; /* of a function */
} row;

static const row rows[] = {
#define CATEGORY(state, count, title) { true, state, count, title, NULL },
#define ROW(name, ours, note) { false, 0, 0, #name, #ours },
#include "docs/array-api.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static char *read_file(const char *path)
{
    size_t size = 0;
    char *text = (char *)orr_test_slurp(path, &size);
    ORR_CHECK_MSG(text, "%s cannot be read", path);
    return text ? text : strdup("");
}

/* All public headers as one text, including the generated one. The caller frees it. */
static char *headers(void)
{
    char folder[2][4200], *all = strdup("");
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(folder[0], sizeof folder[0], "%.2000s/include/orrery", orr_test_golden("../.."));
    (void)snprintf(folder[1], sizeof folder[1], "%.2000s/include/orrery", build ? build : ".");
    for (int k = 0; k < 2 && all; k++) {
        DIR *d = opendir(folder[k]);
        for (struct dirent *e; d && (e = readdir(d));) {
            char path[4800];
            const char *dot = strrchr(e->d_name, '.');
            if (!dot || strcmp(dot, ".h") != 0)
                continue;
            (void)snprintf(path, sizeof path, "%.4100s/%.512s", folder[k], e->d_name);
            char *text = read_file(path), *more = realloc(all, strlen(all) + strlen(text) + 1);
            if (more)
                strcat(all = more, text);
            free(text);
        }
        if (d)
            (void)closedir(d);
    }
    return all;
}

static bool declared(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = text; (p = strstr(p, name)); p += n)
        if (!isalnum((unsigned char)p[-1]) && p[-1] != '_' && (p[n] == '(' || !strncmp(p + n, "_at(", 4)))
            return true;
    return false;
}

static void every_name_is_in_a_public_header(void)
{
    char *text = headers();
    for (int i = 0; i < ROWS; i++)
        if (!rows[i].category && strcmp(rows[i].ours, "NONE") != 0)
            ORR_CHECK_MSG(declared(text, rows[i].ours), "%s: no public header has %s", rows[i].name, rows[i].ours);
    free(text);
}

static void no_function_of_the_standard_is_missing(void)
{
    int functions = 0, absent = 0;
    for (int i = 0; i < ROWS; i++) {
        if (!rows[i].category)
            continue;
        int have = 0, none = 0;
        for (int k = i + 1; k < ROWS && !rows[k].category; k++) {
            bool missing = strcmp(rows[k].ours, "NONE") == 0;
            have++;
            none += missing;
            if (missing)
                printf("  absent: %s, %s\n", rows[k].name, rows[i].name);
        }
        ORR_CHECK_MSG(have == rows[i].count, "%s: the standard has %d functions, the table %d", rows[i].name,
                      rows[i].count, have);
        ORR_CHECK_MSG(rows[i].state == OPEN || none == 0, "%s is done, and lacks %d", rows[i].name, none);
        ORR_CHECK_MSG(rows[i].state == DONE || none > 0, "%s lacks nothing: its state is DONE", rows[i].name);
        functions += have;
        absent += none;
    }
    printf("  %d functions, %d absent\n", functions, absent);
}

static void page_is_fresh(void)
{
    char command[9000], path[4200];
    const char *top = orr_test_golden("../..");
    (void)snprintf(command, sizeof command,
                   "LC_ALL=C awk -f '%.2000s/build-aux/gen-array-api.awk' '%.2000s/docs/array-api.def'", top, top);
    (void)snprintf(path, sizeof path, "%.2000s/docs/array-api.md", top);
    FILE *f = popen(command, "r");
    ORR_REQUIRE(f);
    size_t cap = 1u << 18;
    char *want = calloc(1, cap), *have = read_file(path);
    size_t n = want ? fread(want, 1, cap - 1, f) : 0;
    if (pclose(f) != 0 || n == 0)
        orr_test_skip("no awk here");
    else
        ORR_CHECK_MSG(strcmp(want, have) == 0, "docs/array-api.md is stale: run 'make docs-pages'");
    free(have);
    free(want);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(every_name_is_in_a_public_header),
                                      ORR_TEST(no_function_of_the_standard_is_missing),
                                      ORR_TEST(page_is_fresh),
                                      { 0 } };
    return orr_test_main(argc, argv, "tree.array_api", tests);
}
