/* The lessons: the program on each page is the one that the build compiled, and its commands print what the page shows.
 * Must not know: what the lessons teach.
 *
 * A block ```console has commands after "$ " and the lines that they print; "…" stands for any text of a line, and a line "…" for any
 * lines. A block ```console mpi needs mpirun. The commands run by sh in a folder of the test that has the programs. */
#include "config.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/harness/ranks.h"

#define ANY "…"

static char root[2048], output[1u << 16];

static char *slurp(const char *folder, const char *name)
{
    char path[4096];
    size_t size = 0;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return (char *)orr_test_slurp(path, &size);
}

/* Whether the line of `have` is that of `want`, in which "…" is any text. */
static bool line_fits(const char *want, size_t nwant, const char *have, size_t nhave)
{
    const size_t any = strlen(ANY);
    if (nwant >= any && strncmp(want, ANY, any) == 0) {
        for (size_t skip = 0; skip <= nhave; skip++)
            if (line_fits(want + any, nwant - any, have + skip, nhave - skip))
                return true;
        return false;
    }
    if (!nwant || !nhave)
        return nwant == nhave;
    return *want == *have && line_fits(want + 1, nwant - 1, have + 1, nhave - 1);
}

/* Whether the lines of `have` are those of `want`. */
static bool fits(const char *want, const char *have)
{
    size_t n = strcspn(want, "\n"), m = strcspn(have, "\n");
    const char *rest = want + n + (want[n] != 0);
    if (n == strlen(ANY) && strncmp(want, ANY, n) == 0) {
        for (const char *p = have; *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : p + strlen(p))
            if (fits(rest, p))
                return true;
        return !*rest;
    }
    if (!*want || !*have)
        return !*want && !*have;
    return line_fits(want, n, have, m) && fits(rest, have + m + (have[m] != 0));
}

/* The folder of the test with a link to each program of a lesson. */
static void link_programs(void)
{
    char folder[2048], path[4096];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(folder, sizeof folder, "%s/examples/lessons", build ? build : ".");
    DIR *d = opendir(folder);
    ORR_REQUIRE(d);
    for (struct dirent *e; (e = readdir(d));) {
        (void)snprintf(path, sizeof path, "%s/%.255s", folder, e->d_name);
        if (e->d_name[0] != '.' && !strchr(e->d_name, '.'))
            (void)symlink(path, orr_test_tmp(e->d_name));
    }
    (void)closedir(d);
}

static void run(const char *command)
{
    char line[8192];
    (void)snprintf(line, sizeof line, "cd '%s' && { %s\n} 2>&1", orr_test_tmp("."), command);
    FILE *f = popen(line, "r");
    size_t n = f ? fread(output, 1, sizeof output - 1, f) : 0;
    output[n] = 0;
    if (f)
        (void)pclose(f);
}

/* Runs the commands of one block, which ends at `end`. */
static void check_block(const char *page, char *p, char *end)
{
    *end = 0;
    while (strncmp(p, "$ ", 2) == 0) {
        char *command = p + 2, *lines = strchr(command, '\n');
        if (lines)
            *lines++ = 0;
        else
            lines = end;
        char *next = strncmp(lines, "$ ", 2) == 0 ? lines : strstr(lines, "\n$ ");
        next = !next ? end : next == lines ? next : next + 1;
        char *want = strndup(lines, (size_t)(next - lines));
        run(command);
        ORR_CHECK_MSG(want && fits(want, output), "%s: \"%s\" prints\n%s\nand not\n%s", page, command, output, want);
        free(want);
        p = next;
    }
}

static void check_page(const char *page)
{
    char name[300], *text = slurp(root, page);
    (void)snprintf(name, sizeof name, "examples/lessons/%.200s", strrchr(page, '/') + 1);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    (void)snprintf(strrchr(name, '.'), 3, ".c");
    char *program = slurp(root, name), *begin = text ? strstr(text, "```c\n") : NULL;
    char *end = begin ? strstr(begin, "\n```\n") : NULL;
    ORR_REQUIRE(program && end);
    *end = 0;
    ORR_CHECK_MSG(strstr(program, begin + 5), "%s: its program is not %s", page, name);
    int blocks = 0;
    for (char *p = end + 1; (p = strstr(p, "\n```console")); blocks++) {
        char *body = strchr(p + 1, '\n') + 1, *stop = strstr(body, "\n```");
        ORR_REQUIRE(stop);
        const char *lack = strncmp(p, "\n```console mpi", 15) == 0 ? orr_test_ranks_lack() : NULL;
        if (lack)
            orr_test_skip(lack);
        else
            check_block(page, body, stop + 1);
        p = stop + 2;
    }
    ORR_CHECK_MSG(blocks > 0, "%s shows no output", page);
    free(program);
    free(text);
}

static void programs_print_what_their_pages_show(void)
{
    char folder[2100], page[300];
    int pages = 0;
    (void)snprintf(folder, sizeof folder, "%s/docs/lessons", root);
    DIR *d = opendir(folder);
    ORR_REQUIRE(d);
    link_programs();
    orr_test_ranks_environment();
    for (struct dirent *e; (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || strcmp(dot, ".md") != 0)
            continue;
        (void)snprintf(page, sizeof page, "docs/lessons/%.255s", e->d_name);
        check_page(page);
        pages++;
    }
    (void)closedir(d);
    ORR_CHECK_MSG(pages == 10, "%d lessons", pages);
}

static void a_page_with_another_output_fails(void)
{
    ORR_CHECK(fits("a 1\n…\nb …x\n", "a 1\nq\nr\nb 17 x\n") && fits("…c: d\n", "../c: d\n"));
    ORR_CHECK(!fits("a 1\n", "a 2\n") && !fits("a\n", "a\nb\n") && !fits("a\nb\n", "a\n") && !fits("b …x\n", "b 17\n"));
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(programs_print_what_their_pages_show),
                                      ORR_TEST(a_page_with_another_output_fails),
                                      { 0 } };
    (void)snprintf(root, sizeof root, "%.2000s/../..", orr_test_golden("."));
    return orr_test_main(argc, argv, "lessons", tests);
}
