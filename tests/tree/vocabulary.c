/* The vocabulary of the tree: the glossary is sorted, and withdrawn sentences, file names and calls do not return.
 * Must not know: what the terms mean. */
#include "config.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "tests/harness/harness.h"

static const char *const folders[] = {
    "include", "runtime", "ops", "codelets", "tools", "bench", "examples", "tests", "docs", "build-aux",
};

/* Parts of sentences that an outside review quoted as unreadable. */
static const char *const sentences[] = {
    "who could is given",
    "what_is_not_positive_definite",
    "What nobody wants; then",
    "to what they are to be waited for by",
    "who holds what is made of them",
    "do not mind",
    "one core's worth",
    "disbands for a second caller",
    "lose their names",
};

/* Names, without their endings, that hide the content of a file. */
static const char *const stems[] = {
    "blasroom", "inside",   "keep",  "look",     "none",      "say",       "stash",     "sweep",      "tail",
    "token",    "vec_more", "whole", "star_run", "star_last", "star_home", "vmath_arc", "vmath_rest", "vmath_turn",
};

/* Folders whose comments have a noun as subject. */
static const char *const plain[] = {
    "include/", "runtime/", "ops/", "codelets/", "serve/", "tools/", "examples/", "bench/", "tests/",
};

/* Beginnings of comments whose subject is a clause. */
static const char *const clauses[] = { "/* What ", "/** What ", "/* Who ", "/** Who ", "/* Whoever ", "/* Nobody " };

/* Calls that read or write numbers in the program's locale, and the folders whose files call runtime/base/decimal instead. */
static const char *const calls[] = { " strtod(", "(strtod(", " vsnprintf(", ")vsnprintf(" };
static const char *const library[] = { "runtime/", "ops/", "codelets/" };

static char root[2048];
static int files;

/* Compares two terms without regard to case. */
static bool in_order(const char *a, const char *b)
{
    return strcasecmp(a, b) < 0;
}

static void glossary_is_sorted(void)
{
    char path[4096], line[1024], before[128] = "", term[128];
    (void)snprintf(path, sizeof path, "%s/docs/glossary.md", root);
    FILE *f = fopen(path, "re");
    ORR_REQUIRE(f);
    int terms = 0;
    for (int n = 1; fgets(line, sizeof line, f); n++) {
        ORR_CHECK_MSG(strchr(line, '\n'), "docs/glossary.md:%d is too long", n);
        if (line[0] != '|') {
            before[0] = 0;
            continue;
        }
        if (!strncmp(line, "|---", 4)) {
            before[0] = 0;
            continue;
        }
        ORR_REQUIRE(sscanf(line, "| %127[^|]", term) == 1);
        ORR_CHECK_MSG(!before[0] || in_order(before, term), "docs/glossary.md:%d: \"%s\" does not follow \"%s\"", n,
                      term, before);
        (void)snprintf(before, sizeof before, "%s", term);
        terms++;
    }
    (void)fclose(f);
    ORR_CHECK_MSG(terms > 60, "only %d terms", terms);
}

static bool is_text(const char *name)
{
    static const char *const endings[] = { ".c", ".h", ".cpp", ".def", ".md", ".py", ".am", ".awk", ".sh" };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(dot, endings[i]))
            return true;
    return false;
}

static bool is_plain(const char *path)
{
    const char *inside = path + strlen(root) + 1;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strncmp(inside, plain[i], strlen(plain[i])))
            return true;
    return false;
}

static void check_sentences(const char *path)
{
    size_t size = 0;
    char *text = (char *)orr_test_slurp(path, &size);
    ORR_CHECK_MSG(text, "%s cannot be read", path);
    for (size_t i = 0; text && i < sizeof sentences / sizeof *sentences; i++)
        ORR_CHECK_MSG(!strstr(text, sentences[i]), "%s says \"%s\" again", path, sentences[i]);
    for (size_t i = 0; text && i < sizeof clauses / sizeof *clauses; i++)
        ORR_CHECK_MSG(!is_plain(path) || !strstr(text, clauses[i]), "%s has a comment \"%s…\": begin with a noun", path,
                      clauses[i]);
    free(text);
}

static void check_numbers(const char *path)
{
    const char *inside = path + strlen(root) + 1;
    bool mine = false;
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        mine = mine || !strncmp(inside, library[i], strlen(library[i]));
    if (!mine || !strcmp(inside, "runtime/base/decimal.c"))
        return;
    size_t size = 0;
    char *text = (char *)orr_test_slurp(path, &size);
    for (size_t i = 0; text && i < sizeof calls / sizeof *calls; i++)
        ORR_CHECK_MSG(!strstr(text, calls[i]), "%s:%s follows the program's locale: see runtime/base/decimal.h", path,
                      calls[i]);
    free(text);
}

static void check_stem(const char *path, const char *name)
{
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        ORR_CHECK_MSG(strlen(stems[i]) != length || strncmp(name, stems[i], length) != 0,
                      "%s: the name does not tell what the file holds", path);
}

static int check_file(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    const char *name = path + at->base;
    if (kind != FTW_F || !is_text(name) || !strcmp(name, "vocabulary.c"))
        return 0;
    files++;
    check_sentences(path);
    check_numbers(path);
    check_stem(path, name);
    return 0;
}

static void sentences_and_file_names_are_plain(void)
{
    char path[4096];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        (void)nftw(path, check_file, 16, FTW_PHYS);
    }
    ORR_CHECK_MSG(files > 300, "only %d files found below %s", files, root);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(glossary_is_sorted),
                                      ORR_TEST(sentences_and_file_names_are_plain),
                                      { 0 } };
    (void)snprintf(root, sizeof root, "%.2000s/../..", orr_test_golden("."));
    return orr_test_main(argc, argv, "vocabulary", tests);
}
