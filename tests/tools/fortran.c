/* The Fortran module: its tests, compiled by the compiler that this build has.
 * Must not know: what they test. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

#ifdef ORR_FC
static void program_passes(const char *name, const char *sources, const char *arguments)
{
    char line[8000];
    const char *build = getenv("ORR_BUILDDIR"), *top = orr_test_golden("../..");
    (void)snprintf(line, sizeof line,
                   "top='%.1500s' && cd '%.1500s' && rm -rf tests/fortran.tmp && mkdir tests/fortran.tmp && cd tests/fortran.tmp && "
                   "%s %s -I../../bindings/fortran \"$top/tests/fortran/%s.f90\" ../../bindings/fortran/liborrery-fortran.a "
                   "../../.libs/liborrery.so -Wl,-rpath,\"$PWD/../../.libs\" -o %s && timeout 120 ./%s %s 2>&1",
                   top, build ? build : ".", ORR_FC, sources, name, name, name, arguments);
    int status = system(line); /* NOLINT(cert-env33-c): a test */
    ORR_CHECK_MSG(status == 0, "%s: status %d", name, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}
#endif

static void tests_of_the_module_pass(void)
{
#if !defined ORR_FC
    orr_test_skip("configure found no Fortran compiler");
#elif ORR_TEST_SANITIZED
    orr_test_skip("the library wants a sanitizer of the program");
#else
    program_passes("module", "", "");
#endif
}

/* The table of operations by name is made here, from the description. */
static void golden_cases_have_the_same_results(void)
{
#if !defined ORR_FC
    orr_test_skip("configure found no Fortran compiler");
#elif ORR_TEST_SANITIZED
    orr_test_skip("the library wants a sanitizer of the program");
#else
    if (system("python3 -c '' 2>/dev/null") != 0) { /* NOLINT(cert-env33-c) */
        orr_test_skip("no python3 here");
        return;
    }
    program_passes("golden",
                   "$(python3 \"$top/bindings/fortran/generate.py\" \"$top/include/orrery/api.json\" calls >calls.f90 && "
                   "echo calls.f90)",
                   "\"$top/tests/golden\"");
#endif
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(tests_of_the_module_pass),
                                      ORR_TEST(golden_cases_have_the_same_results),
                                      { 0 } };
    return orr_test_main(argc, argv, "tools.fortran", tests);
}
