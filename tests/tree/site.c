/* The site and the manual pages, as make builds them.
 * Must not know: what the pages say. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

static char output[1u << 16];

/* Runs a command of sh in the build folder; `output` gets its output. Returns the exit status. */
static int run(const char *command)
{
    char line[12000];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(line, sizeof line, "unset MAKEFLAGS MFLAGS MAKELEVEL; cd '%s' && { %s\n} 2>&1", build ? build : ".",
                   command);
    FILE *f = popen(line, "r");
    size_t n = f ? fread(output, 1, sizeof output - 1, f) : 0;
    output[n] = 0;
    int status = f ? pclose(f) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A page that another one names is found once both are installed. */
static void manual_pages_pass_mandoc(void)
{
    char command[9000];
    if (run("command -v python3 && command -v mandoc") != 0)
        ORR_SKIP("no python3 or no mandoc here");
    const char *top = orr_test_golden("../.."), *to = orr_test_tmp("manual");
    (void)snprintf(command, sizeof command,
                   "python3 '%.1000s/build-aux/gen-man' '%.1000s' '%.1000s' && python3 '%.1000s/build-aux/gen-man' "
                   "'%.1000s' '%.1000s' tools/orrery-info '%.1000s/tools/orrery-info.c'",
                   top, top, to, top, top, to, top);
    ORR_CHECK_MSG(run(command) == 0, "%s", output);
    (void)snprintf(command, sizeof command, "mandoc -Tlint '%.1000s'/*.[13] | grep -v 'referenced manual not found'",
                   to);
    ORR_CHECK_MSG(run(command) == 1 && !*output, "%s", output);
    (void)snprintf(command, sizeof command, "ls '%.1000s'/*.3 | wc -l", to);
    ORR_CHECK_MSG(run(command) == 0 && atoi(output) >= 60, "%s pages of functions", output);
}

static void site_builds_without_a_warning_and_opens_in_a_browser(void)
{
    if (!getenv("ORR_TEST_FULL"))
        ORR_SKIP("the long form, ORR_TEST_FULL=1");
    int status = run("make -s site");
    if (status != 0 && run("test -x site/venv/bin/mkdocs") != 0)
        ORR_SKIP("make site has no venv, or no network to PyPI");
    ORR_CHECK_MSG(status == 0, "%s", output);
    if (run("command -v chromium || command -v chromium-browser || command -v google-chrome") != 0)
        ORR_SKIP("no chromium here");
    char command[9000], browser[1024];
    (void)snprintf(browser, sizeof browser, "%.*s", (int)strcspn(output, "\n"), output);
    (void)snprintf(command, sizeof command, "site/venv/bin/python '%.2000s/build-aux/gen-site' --browse site '%s'",
                   orr_test_golden("../.."), browser);
    ORR_CHECK_MSG(run(command) == 0, "%s", output);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(manual_pages_pass_mandoc),
                                      ORR_TEST(site_builds_without_a_warning_and_opens_in_a_browser),
                                      { 0 } };
    return orr_test_main(argc, argv, "site", tests);
}
