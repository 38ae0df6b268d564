/* The Fortran module: its tests, compiled by the compiler that this build has.
 * Must not know: what they test. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

static void tests_of_the_module_pass(void)
{
#if !defined ORR_FC
    orr_test_skip("configure found no Fortran compiler");
#elif ORR_TEST_SANITIZED
    orr_test_skip("the library wants a sanitizer of the program");
#else
    char line[8000];
    const char *build = getenv("ORR_BUILDDIR"), *top = orr_test_golden("../..");
    (void)snprintf(
        line, sizeof line,
        "top='%.1500s' && cd '%.1500s' && rm -rf tests/fortran.tmp && mkdir tests/fortran.tmp && cd tests/fortran.tmp "
        "&& "
        "%s -I../../bindings/fortran \"$top/tests/fortran/module.f90\" ../../bindings/fortran/liborrery-fortran.a "
        "../../.libs/liborrery.so -Wl,-rpath,\"$PWD/../../.libs\" -o module && timeout 120 ./module 2>&1",
        top, build ? build : ".", ORR_FC);
    int status = system(line); /* NOLINT(cert-env33-c): a test */
    ORR_CHECK_MSG(status == 0, "status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
#endif
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(tests_of_the_module_pass), { 0 } };
    return orr_test_main(argc, argv, "tools.fortran", tests);
}
