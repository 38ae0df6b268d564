/* The printer of tensors for gdb, in a program that stops at a breakpoint.
 * Must not know: how a tensor is kept. */
#include "config.h"
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/harness.h"

static char output[1 << 16];

static const int product_line = __LINE__ + 8;

/* The program under gdb: this one. */
static void stops(void)
{
    static const float data[3] = { 1, 2, 3 };
    (void)setenv("ORRERY_ENGINE", "serial", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *volatile x = orr_from(ORR_F32, ORR_SHAPE(3), data), *volatile y = orr_mul(x, x);
    ORR_CHECK(orr_eval(y) == ORR_OK && *orr_version());
    (void)orr_free(y);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void gdb_shows_dtype_shape_line_and_elements(void)
{
    char command[5000], want[80];
    const char *build = getenv("ORR_BUILDDIR");
    if (getenv("ORR_TEST_UNDER_GDB")) {
        stops();
        return;
    }
#if ORR_TEST_SANITIZED
    ORR_SKIP("a sanitizer does not run under gdb");
#endif
    (void)snprintf(
        command, sizeof command,
        "cd '%.1000s' && ORR_TEST_UNDER_GDB=1 ./libtool --mode=execute timeout 60 gdb -batch -nx -ex 'set "
        "breakpoint pending on' -ex 'source %.1500s/../../tools/orrery-gdb.py' -ex 'break orr_version' -ex run "
        "-ex up -ex 'print y' tests/tools/gdb 2>&1",
        build ? build : ".", orr_test_golden("."));
    FILE *f = popen("command -v gdb", "r");
    if (!f || fread(output, 1, 1, f) != 1) {
        if (f)
            (void)pclose(f);
        ORR_SKIP("gdb is not installed");
    }
    (void)pclose(f);
    f = popen(command, "r");
    size_t n = f ? fread(output, 1, sizeof output - 1, f) : 0;
    output[n] = '\0';
    if (f)
        (void)pclose(f);
    if (!strstr(output, "hit Breakpoint") || strstr(output, "No symbol"))
        ORR_SKIP("gdb may not trace here, or the library has no debugging symbols");
    (void)snprintf(want, sizeof want, "gdb.c:%d = [1, 4, 9]", product_line);
    ORR_CHECK_MSG(strstr(output, "ORR_F32 (3) of mul, ") && strstr(output, want), "%s", output);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(gdb_shows_dtype_shape_line_and_elements), { 0 } };
    return orr_test_main(argc, argv, "gdb", tests);
}
