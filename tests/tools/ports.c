/* The long form builds and tests this tree on other systems, each in a Debian of its own (build-aux/port-check).
 * Must not know: how such a system is made. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

/* The last line says the reason of a failure, or of what cannot be tried here. */
static void port(const char *command)
{
    enum { CANNOT = 77 };
    char line[8192], said[512] = "", text[512];
    if (!getenv("ORR_TEST_FULL"))
        ORR_SKIP("another system is built in the long form only");
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(line, sizeof line, "cd '%.2000s' && '%.2000s/../../build-aux/port-check' %s 2>&1",
                   build ? build : ".", orr_test_golden("."), command);
    FILE *f = popen(line, "r"); /* NOLINT(cert-env33-c): a test */
    ORR_REQUIRE(f);
    while (fgets(text, sizeof text, f))
        (void)snprintf(said, sizeof said, "%s", text);
    int status = pclose(f);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
        ORR_SKIP("%s", said);
    ORR_CHECK_MSG(status == 0, "%s", said);
}

static void tarballs_of_one_tree_are_equal(void)
{
    port("dist");
}

static void tarball_builds_on_the_oldest_system(void)
{
    port("oldest");
}

static void another_processor_computes_the_same(void)
{
    port("aarch64");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(tarballs_of_one_tree_are_equal),
                                      ORR_TEST(tarball_builds_on_the_oldest_system),
                                      ORR_TEST(another_processor_computes_the_same),
                                      { 0 } };
    return orr_test_main(argc, argv, "tools.ports", tests);
}
