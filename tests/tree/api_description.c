/* The description of the public headers, include/orrery/api.json: fresh, whole.
 * Must not know: any function. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

enum { ABSENT = 77, MOST = 4 << 20 };

/* The description made anew from the headers. NULL: there is no Python with pycparser. The caller frees it. */
static char *made_anew(void)
{
    static const char *const interpreters[] = { "python3", "/usr/bin/python3" };
    const char *top = orr_test_golden("../.."), *build = getenv("ORR_BUILDDIR");
    for (size_t k = 0; k < sizeof interpreters / sizeof *interpreters; k++) {
        char command[8000];
        (void)snprintf(command, sizeof command,
                       "%s '%.2000s/build-aux/describe-api' '%.2000s' '%.2000s/include/orrery/elementwise.h' %s 2>&1",
                       interpreters[k], top, top, build ? build : ".", PACKAGE_VERSION);
        FILE *f = popen(command, "r"); /* NOLINT(cert-env33-c): a test */
        char *text = calloc(1, MOST);
        size_t n = f && text ? fread(text, 1, MOST - 1, f) : 0;
        int status = f ? pclose(f) : -1;
        if (status == 0)
            return text;
        bool absent = WIFEXITED(status) && (WEXITSTATUS(status) == ABSENT || WEXITSTATUS(status) == 127);
        ORR_CHECK_MSG(absent, "describe-api: %.*s", (int)(n > 2000 ? 2000 : n), text ? text : "");
        free(text);
    }
    return NULL;
}

static char *committed(void)
{
    size_t size = 0;
    char path[5000];
    (void)snprintf(path, sizeof path, "%.4000s/include/orrery/api.json", orr_test_golden("../.."));
    char *text = (char *)orr_test_slurp(path, &size);
    ORR_CHECK_MSG(text, "%s cannot be read", path);
    return text ? text : strdup("");
}

static void description_is_fresh(void)
{
    char *want = made_anew();
    if (!want) {
        orr_test_skip("no python3 with pycparser here");
        return;
    }
    char *have = committed();
    int line = 1;
    size_t i = 0;
    for (; have[i] && have[i] == want[i]; i++)
        line += have[i] == '\n';
    ORR_CHECK_MSG(have[i] == want[i], "include/orrery/api.json is stale from line %d on: run 'make api'", line);
    free(have);
    free(want);
}

/* Needs no parser: each exported form that names the caller's place is there, once. */
static void description_has_every_function_of_the_headers(void)
{
    char *text = committed();
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
                                      ORR_TEST(description_has_every_function_of_the_headers),
                                      { 0 } };
    return orr_test_main(argc, argv, "tree.api_description", tests);
}
