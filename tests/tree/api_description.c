/* The description of the public headers, include/orrery/api.json, and the bindings made from it: fresh, whole.
 * Must not know: any function. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

enum { ABSENT = 77, MOST = 4 << 20 };

/* The output of Python with these arguments. NULL: there is no Python with the modules that it wants. The caller frees it. */
static char *output_of(const char *arguments)
{
    static const char *const interpreters[] = { "python3", "/usr/bin/python3" };
    for (size_t k = 0; k < sizeof interpreters / sizeof *interpreters; k++) {
        char command[9000];
        (void)snprintf(command, sizeof command, "PYTHONDONTWRITEBYTECODE=1 %s %s 2>&1", interpreters[k], arguments);
        FILE *f = popen(command, "r"); /* NOLINT(cert-env33-c): a test */
        char *text = calloc(1, MOST);
        size_t n = f && text ? fread(text, 1, MOST - 1, f) : 0;
        int status = f ? pclose(f) : -1;
        if (status == 0)
            return text;
        bool absent = WIFEXITED(status) && (WEXITSTATUS(status) == ABSENT || WEXITSTATUS(status) == 127);
        ORR_CHECK_MSG(absent, "%s: %.*s", arguments, (int)(n > 2000 ? 2000 : n), text ? text : "");
        free(text);
    }
    return NULL;
}

/* A file of the source tree. The caller frees it. */
static char *committed(const char *name)
{
    size_t size = 0;
    char path[5000];
    (void)snprintf(path, sizeof path, "%.4000s/%s", orr_test_golden("../.."), name);
    char *text = (char *)orr_test_slurp(path, &size);
    ORR_CHECK_MSG(text, "%s cannot be read", path);
    return text ? text : strdup("");
}

static void is_fresh(const char *name, const char *arguments)
{
    char *want = output_of(arguments);
    if (!want) {
        orr_test_skip("no python3 with pycparser here");
        return;
    }
    char *have = committed(name);
    int line = 1;
    size_t i = 0;
    for (; have[i] && have[i] == want[i]; i++)
        line += have[i] == '\n';
    ORR_CHECK_MSG(have[i] == want[i], "%s is stale from line %d on: run 'make api'", name, line);
    free(have);
    free(want);
}

static void description_is_fresh(void)
{
    char arguments[8000];
    const char *top = orr_test_golden("../.."), *build = getenv("ORR_BUILDDIR");
    (void)snprintf(arguments, sizeof arguments,
                   "'%.2000s/build-aux/describe-api' '%.2000s' '%.2000s/include/orrery/elementwise.h' %s", top, top,
                   build ? build : ".", PACKAGE_VERSION);
    is_fresh("include/orrery/api.json", arguments);
}

/* The languages whose files are made from the description alone. */
static const struct language {
    const char *generator, *part, *file;
} languages[] = {
    { "bindings/cxx/generate.py", "", "include/orrery.hpp" },
    { "bindings/fortran/generate.py", "", "bindings/fortran/orrery.f90" },
    { "bindings/fortran/generate.py", "results", "bindings/fortran/results.c" },
};

static void bindings_are_fresh(void)
{
    const char *top = orr_test_golden("../..");
    for (size_t k = 0; k < sizeof languages / sizeof *languages; k++) {
        char arguments[8000];
        (void)snprintf(arguments, sizeof arguments, "'%.2000s/%s' '%.2000s/include/orrery/api.json' %s", top,
                       languages[k].generator, top, languages[k].part);
        is_fresh(languages[k].file, arguments);
    }
}

/* A copy of the description in which the first operation occurs once more, as orr_novel: no generator knows the name. */
static void an_added_operation_is_in_every_language(void)
{
    static const char adds[] = "import json, sys\n"
                               "d = json.load(open(sys.argv[1]))\n"
                               "f = next(f for f in d[\"functions\"] if f[\"name\"] == \"orr_add\")\n"
                               "d[\"functions\"].append(dict(f, name=\"orr_novel\", symbol=\"orr_novel_at\"))\n"
                               "json.dump(d, open(sys.argv[2], \"w\"))\n";
    const char *top = orr_test_golden("../..");
    char arguments[8000], json[2000];
    (void)snprintf(json, sizeof json, "%s", orr_test_tmp("api.json"));
    (void)snprintf(arguments, sizeof arguments, "-c '%s' '%.2000s/include/orrery/api.json' '%s'", adds, top, json);
    char *text = output_of(arguments);
    if (!text) {
        orr_test_skip("no python3 here");
        return;
    }
    free(text);
    for (size_t k = 0; k < sizeof languages / sizeof *languages; k++) {
        (void)snprintf(arguments, sizeof arguments, "'%.2000s/%s' '%s'", top, languages[k].generator, json);
        text = output_of(arguments);
        ORR_CHECK_MSG(text && strstr(text, "orr_novel_at"), "%s leaves orr_novel out", languages[k].generator);
        free(text);
    }
    (void)snprintf(arguments, sizeof arguments, "'%.2000s/bindings/python/generate.py' '%s' /dev/stdout", top, json);
    text = output_of(arguments);
    ORR_CHECK_MSG(text && strstr(text, "orr_novel_at"), "the Python package leaves orr_novel out");
    free(text);
}

/* Needs no parser: each exported form that names the caller's place is there, once. */
static void description_has_every_function_of_the_headers(void)
{
    char *text = committed("include/orrery/api.json");
    static const char *const some[] = { "orr_add_at", "orr_graph_submit_at", "orr_tensor_shape", "orr_fft_at" };
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        char row[200];
        (void)snprintf(row, sizeof row, "\"symbol\": \"%s\"", some[k]);
        const char *first = strstr(text, row);
        ORR_CHECK_MSG(first, "%s is not described", some[k]);
        ORR_CHECK_MSG(!first || !strstr(first + 1, row), "%s is described twice", some[k]);
    }
    free(text);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(description_is_fresh),
                                      ORR_TEST(bindings_are_fresh),
                                      ORR_TEST(an_added_operation_is_in_every_language),
                                      ORR_TEST(description_has_every_function_of_the_headers),
                                      { 0 } };
    return orr_test_main(argc, argv, "tree.api_description", tests);
}
