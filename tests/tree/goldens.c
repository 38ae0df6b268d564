/* The goldens of the array standard: every function has one in every dtype, or the audit gives the reason.
 * Must not know: what a function does. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

static void no_function_of_the_standard_lacks_a_golden(void)
{
    char command[5000], line[1024];
    (void)snprintf(command, sizeof command, "cd '%.2000s' && python3 tests/golden/audit.py 2>&1",
                   orr_test_golden("../.."));
    FILE *f = popen(command, "r");
    ORR_REQUIRE(f);
    while (fgets(line, sizeof line, f))
        printf("  %s", line);
    int status = pclose(f);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        ORR_SKIP("no python3 here");
    ORR_CHECK_MSG(status == 0, "the lines above name functions and dtypes: tests/golden/numpy/make_standard.py");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(no_function_of_the_standard_lacks_a_golden), { 0 } };
    return orr_test_main(argc, argv, "tree.goldens", tests);
}
