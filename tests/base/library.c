/* Libraries that are opened at their first use: their functions, and the reasons for a refusal.
 * Must not know: what the library opens them for. */
#include "config.h"

#include <string.h>
#include "runtime/base/library.h"
#include "tests/harness/harness.h"

static double (*cosine)(double), (*absent)(double);

static void functions_of_a_library_are_called(void)
{
    static const orr__symbol symbol[] = { { "cos", &cosine } };
    static orr__library l = ORR__LIBRARY("libm.so.6", symbol);
    const char *why = orr__library_open(&l);
    if (why)
        ORR_SKIP("%s", why);
    ORR_CHECK(cosine(0) == 1);
    ORR_CHECK(orr__library_open(&l) == NULL);
    ORR_CHECK(orr__library_find(&l, "cos") != NULL && orr__library_find(&l, "no_such_function") == NULL);
}

static void refusals_name_the_file_or_the_function(void)
{
    static const orr__symbol symbol[] = { { "no_such_function", &absent } };
    static orr__library none = ORR__LIBRARY("libnosuchlibrary.so.0", symbol),
                        without = ORR__LIBRARY("libc.so.6", symbol);
    const char *why = orr__library_open(&none);
    ORR_CHECK_MSG(why && strstr(why, "libnosuchlibrary"), "%s", why ? why : "opened");
    why = orr__library_open(&without);
    ORR_CHECK_MSG(why && strstr(why, "lib"), "%s", why ? why : "opened");
    ORR_CHECK(absent == NULL);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(functions_of_a_library_are_called),
                                      ORR_TEST(refusals_name_the_file_or_the_function),
                                      { 0 } };
    return orr_test_main(argc, argv, "base.library", tests);
}
