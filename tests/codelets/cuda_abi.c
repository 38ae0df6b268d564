/* The declarations of CUDA's libraries in codelets/cuda/driver.h against NVIDIA's headers and libraries, where they are installed:
 * prototypes, numbers, structs, names. tests/double/abi writes the program that compares them.
 * Must not know: what the functions do. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/harness.h"

static bool can(void)
{
    return access("/usr/local/cuda/include/cuda.h", R_OK) == 0 &&
           system("python3 --version >/dev/null 2>&1 && g++ --version >/dev/null 2>&1") == 0; /* NOLINT(cert-env33-c) */
}

/* Compares a copy of driver.h that sed has changed; returns the program's exit status and output. */
static int compare(const char *change, char **text)
{
    char line[16384], top[1000], base[400];
    size_t size;
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(top, sizeof top, "%s", orr_test_golden("../.."));
    (void)snprintf(base, sizeof base, "%.300s", orr_test_tmp("abi"));
    (void)snprintf(
        line, sizeof line,
        "sed -e '%s' '%s/codelets/cuda/driver.h' >'%s.h' && python3 '%s/tests/double/abi' '%s' '%s.h' >'%s.cc' && g++ "
        "-w "
        "-std=c++14 -I'%s' -I'%s/include' -I'%s/include' -I/usr/local/cuda/include '%s.cc' -o '%s' -ldl >'%s.log' 2>&1 "
        "&& '%s' >'%s.log' 2>&1",
        change, top, base, top, top, base, base, top, top, build ? build : ".", base, base, base, base, base);
    int status = system(line); /* NOLINT(cert-env33-c): a test */
    (void)snprintf(line, sizeof line, "%s.log", base);
    *text = (char *)orr_test_slurp(line, &size);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void declarations_are_nvidias(void)
{
    char *text;
    if (!can())
        ORR_SKIP("no headers of CUDA, no python3 or no g++ here");
    int status = compare("", &text);
    ORR_CHECK_MSG(status == 0 && text && strstr(text, " 0 faults"), "%s", text ? text : "no output");
    free(text);
}

static void a_wrong_declaration_is_named(void)
{
    static const char wrong[] =
        "s/(\\*alloc)(orr__cu_address \\*p, size_t bytes)/(*alloc)(orr__cu_address *p, unsigned bytes)/;"
        "s/(\\*wait)(void \\*stream)/(*wait)(void *stream, int how)/;"
        "s/ORR__CU_MAJOR = 75/ORR__CU_MAJOR = 57/;"
        "s/    int reserved\\[4\\];//";
    static const char *const said[] = {
        "PROTOTYPE orr__cu_driver.alloc: argument 2 of cuMemAlloc_v2 is another type",
        "PROTOTYPE orr__cu_driver.wait: cuStreamSynchronize has another number of arguments",
        "NUMBER ORR__CU_MAJOR is 57, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR is 75",
        "NUMBER sizeof(orr__lt_choice) is 80",
    };
    char *text;
    if (!can())
        ORR_SKIP("no headers of CUDA, no python3 or no g++ here");
    ORR_CHECK(compare(wrong, &text) == 1);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        ORR_CHECK_MSG(text && strstr(text, said[i]), "no \"%s\" in:\n%s", said[i], text ? text : "");
    free(text);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(declarations_are_nvidias),
                                      ORR_TEST(a_wrong_declaration_is_named),
                                      { 0 } };
    return orr_test_main(argc, argv, "codelets.cuda_abi", tests);
}
