/* The Python package: it builds against this library, and its tests pass.
 * Must not know: what they test. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

enum { ABSENT = 77 };
/* Debian's Python first: its headers are those that the suite's packages have. */
static const char *const interpreters[] = { "/usr/bin/python3", "python3" };
static const char *python;

static int run(const char *line)
{
    int status = system(line); /* NOLINT(cert-env33-c): a test */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *build_folder(void)
{
    const char *build = getenv("ORR_BUILDDIR");
    return build ? build : ".";
}

static void package_builds_against_this_library(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    orr_test_skip("a plain interpreter cannot load a library with sanitizers");
    return;
#endif
    char line[9000];
    const char *top = orr_test_golden("../.."), *build = build_folder();
    int status = ABSENT;
    for (size_t k = 0; k < sizeof interpreters / sizeof *interpreters && status != 0; k++) {
        (void)snprintf(line, sizeof line,
                       "ORRERY_OPTIMISE=-O0 %s '%.2000s/bindings/python/build.py' '%.2000s/tests/python/package.tmp' "
                       "'%.2000s' 2>&1",
                       interpreters[k], top, build, build);
        status = run(line);
        if (status == 0)
            python = interpreters[k];
        ORR_CHECK_MSG(status == 0 || status == ABSENT || status == 127, "the package does not build: status %d",
                      status);
    }
    if (!python)
        orr_test_skip("no Python with its headers here");
}

/* A file of tests: it prints the failures and ends with 1, or with 77 where a package is absent. */
static void tests_of(const char *name)
{
    char line[9000];
    if (!python) {
        orr_test_skip("the package is not built");
        return;
    }
    (void)snprintf(
        line, sizeof line,
        "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='%.2000s/tests/python/package.tmp' %s '%.2000s/tests/python/'%s 2>&1",
        build_folder(), python, orr_test_golden("../.."), name);
    int status = run(line);
    if (status == ABSENT)
        orr_test_skip("%s: a package is absent", name);
    else
        ORR_CHECK_MSG(status == 0, "%s: status %d", name, status);
}

static void standard_functions_agree_with_numpy(void)
{
    tests_of("standard.py");
}

static void indices_agree_with_numpy(void)
{
    tests_of("indexing.py");
}

static void random_small_cases_agree_with_numpy(void)
{
    tests_of("differential.py");
}

static void random_programs_agree_with_numpy(void)
{
    tests_of("programs.py");
}

static void usual_programs_agree_with_numpy(void)
{
    tests_of("usual.py");
}

static void numpys_names_agree_with_numpy(void)
{
    tests_of("numpy_names.py");
}

static void arrays_are_exchanged_both_ways(void)
{
    tests_of("exchange.py");
}

static void arrays_of_pytorch_and_jax_are_exchanged_both_ways(void)
{
    tests_of("peers.py");
}

static void wrong_calls_raise_and_nothing_leaks(void)
{
    tests_of("misuse.py");
}

/* The calls, with the bits of their results, are written for the other languages. */
static void golden_cases_have_the_same_results(void)
{
    char name[4096];
    (void)snprintf(name, sizeof name, "golden.py '%.2000s/tests/python/package.tmp/calls'", build_folder());
    (void)setenv("ORRERY_DETERMINISTIC", "1", 1);
    tests_of(name);
    (void)unsetenv("ORRERY_DETERMINISTIC");
}

/* Compiles the driver of a language with the calls that replay.py writes, and runs it. command: without the source's name. */
static void replayed(const char *language, const char *driver, const char *command)
{
    char line[9000];
    if (!python) {
        orr_test_skip("the package is not built");
        return;
    }
    (void)snprintf(
        line, sizeof line,
        "top='%.2000s'; cd '%.2000s/tests/python/package.tmp' && %s \"$top/tests/bindings/replay.py\" "
        "\"$top/include/orrery/api.json\" calls %s >calls.inc && libs=../../../.libs/liborrery.so && "
        "include=\"-I$top/include -I../../../include -I.\" && %s -o replay \"$top/tests/bindings/%s\" "
        "$objects $libs -Wl,-rpath,\"$PWD/../../../.libs\" 2>&1 && ORRERY_DETERMINISTIC=1 timeout 300 ./replay calls",
        orr_test_golden("../.."), build_folder(), python, language, command, driver);
    int status = run(line);
    ORR_CHECK_MSG(status == 0, "%s: status %d", language, status);
}

static void golden_cases_have_equal_bits_in_c(void)
{
    replayed("c", "replay.c", "cc -std=c11 $include -DCALLS='\"calls.inc\"'");
}

static void golden_cases_have_equal_bits_in_cxx(void)
{
    if (run("c++ --version >/dev/null 2>&1") != 0)
        orr_test_skip("no C++ compiler called c++");
    else
        replayed("cxx", "replay.cpp", "c++ -std=c++17 $include -DCALLS='\"calls.inc\"' -pthread");
}

static void golden_cases_have_equal_bits_in_fortran(void)
{
#if defined ORR_FC
    replayed("fortran", "replay.f90",
             "objects=../../../bindings/fortran/liborrery-fortran.a && " ORR_FC " -I. -I../../../bindings/fortran");
#else
    orr_test_skip("configure found no Fortran compiler");
#endif
}

static void gradients_modules_and_graphs_compute(void)
{
    tests_of("training.py");
}

static void functions_with_lists_callbacks_and_structs_have_a_form(void)
{
    tests_of("functions.py");
}

static void random_calls_raise_exceptions_only(void)
{
    tests_of("chaos.py");
}

static void a_loop_keeps_its_memory(void)
{
    tests_of("steady.py");
}

static void examples_and_the_notebook_end_well(void)
{
    tests_of("examples.py");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(package_builds_against_this_library),
                                      ORR_TEST(standard_functions_agree_with_numpy),
                                      ORR_TEST(indices_agree_with_numpy),
                                      ORR_TEST(random_small_cases_agree_with_numpy),
                                      ORR_TEST(random_programs_agree_with_numpy),
                                      ORR_TEST(usual_programs_agree_with_numpy),
                                      ORR_TEST(numpys_names_agree_with_numpy),
                                      ORR_TEST(arrays_are_exchanged_both_ways),
                                      ORR_TEST(arrays_of_pytorch_and_jax_are_exchanged_both_ways),
                                      ORR_TEST(wrong_calls_raise_and_nothing_leaks),
                                      ORR_TEST(golden_cases_have_the_same_results),
                                      ORR_TEST(golden_cases_have_equal_bits_in_c),
                                      ORR_TEST(golden_cases_have_equal_bits_in_cxx),
                                      ORR_TEST(golden_cases_have_equal_bits_in_fortran),
                                      ORR_TEST(gradients_modules_and_graphs_compute),
                                      ORR_TEST(functions_with_lists_callbacks_and_structs_have_a_form),
                                      ORR_TEST(random_calls_raise_exceptions_only),
                                      ORR_TEST(a_loop_keeps_its_memory),
                                      ORR_TEST(examples_and_the_notebook_end_well),
                                      { 0 } };
    return orr_test_main(argc, argv, "python.package", tests);
}
