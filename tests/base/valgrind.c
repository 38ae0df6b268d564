/* Under valgrind, a freed block of the pool is out of bounds, and a block that is taken has no value. The program starts itself under valgrind.
 * Must not know: how the pool tells valgrind. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/pool.h"
#include "tests/harness/harness.h"

enum { SMALL = 1000, LARGE = (3 << 20) - 100 };

static volatile int sink;

/* A block that was in use before. */
static char *used_before(size_t bytes, size_t *cap)
{
    char *p = orr__pool_get(bytes, cap);
    if (!p)
        exit(3);
    memset(p, 1, bytes);
    orr__pool_put(p, bytes, *cap);
    p = orr__pool_get(bytes, cap);
    return p ? p : (exit(3), p);
}

/* Under valgrind: with mistakes, or without. */
static void use(size_t bytes, bool wrong)
{
    size_t cap = 0;
    char *p = used_before(bytes, &cap);
    if (wrong && p[bytes / 2]) /* has no value */
        sink = 1;
    memset(p, 2, bytes);
    sink = p[bytes - 1];
    if (wrong)
        sink = p[bytes]; /* beyond the block */
    orr__pool_put(p, bytes, cap);
    if (wrong)
        sink = p[bytes / 2]; /* freed */
}

static int child(bool wrong)
{
    use(SMALL, wrong);
    use(LARGE, wrong);
    orr__pool_trim();
    return 0;
}

static bool is_there(void)
{
#ifdef ORR__VALGRIND
    return !ORR_TEST_SANITIZED && system("valgrind --version >/dev/null 2>&1") == 0; /* NOLINT(cert-env33-c): a test */
#else
    return false;
#endif
}

static int count(const char *text, const char *words)
{
    int n = 0;
    for (; (text = strstr(text, words)); text += strlen(words))
        n++;
    return n;
}

static void run(const char *wrong, int status, int reads, int values)
{
    char self[1024] = "", command[4096], out[16384];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    (void)snprintf(command, sizeof command, "ORR_TEST_WRONG=%s valgrind -q --error-exitcode=9 '%s' 2>&1", wrong,
                   n > 0 ? self : "");
    FILE *f = popen(command, "r");
    size_t size = f ? fread(out, 1, sizeof out - 1, f) : 0;
    out[size] = '\0';
    int code = f ? pclose(f) : -1;
    ORR_CHECK_MSG(WIFEXITED(code) && WEXITSTATUS(code) == status && count(out, "Invalid read of size 1") == reads &&
                      count(out, "uninitialised value") == values,
                  "%s: %d\n%s", wrong, code, out);
}

static void freed_blocks_are_out_of_bounds_and_taken_ones_have_no_value(void)
{
    if (!is_there())
        ORR_SKIP("no valgrind, or a build without its header or with a sanitizer");
    run("no", 0, 0, 0);
    run("yes", 9, 4, 2);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(freed_blocks_are_out_of_bounds_and_taken_ones_have_no_value), { 0 } };
    const char *wrong = getenv("ORR_TEST_WRONG");
    if (wrong)
        return child(*wrong == 'y');
    return orr_test_main(argc, argv, "base.valgrind", tests);
}
