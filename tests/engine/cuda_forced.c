/* Programs of other rooms with all work on the device, on a GPU or on the double of CUDA's libraries: each passes, and launches as
 * often as tests/golden/device_launches.txt says. By default those of its short form that are due (orr_test_due); with
 * ORR_TEST_FORCED=all every program of the table.
 * Must not know: what is computed. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "tests/harness/cuda_engine.h"

enum { PROGRAM_SECONDS = 600, PARTS = 3 };

typedef struct {
    char name[64], form[16];
    long least;
} row;

static bool all_of_them(void)
{
    const char *v = getenv("ORR_TEST_FORCED");
    return v && strcmp(v, "all") == 0;
}

/* Runs a program; *launches is -1 where it has not said them. */
static int run(const char *path, char **text, long *launches, long *redone)
{
    char line[4096], log[512];
    size_t size;
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(log, sizeof log, "%.500s", orr_test_tmp("forced.log"));
    (void)snprintf(
        line, sizeof line,
        "cd '%.900s' && unset LD_PRELOAD ORR_TEST_DOUBLE; ORR_TEST_COUNTS=1 ORRERY_BACKEND=cuda ORRERY_INLINE_US=0 "
        "ORRERY_FALLBACK=off timeout -k 5 %d %s%.900s%s %.900s >'%s' 2>&1",
        build ? build : ".", PROGRAM_SECONDS, cu.real ? "" : "sh '", cu.real ? "" : orr_test_golden("../double/run"),
        cu.real ? "" : "'", path, log);
    int status = system(line); /* NOLINT(cert-env33-c): a test */
    *text = (char *)orr_test_slurp(log, &size);
    const char *said = *text ? strstr(*text, "orr-device: ") : NULL;
    *launches = *redone = -1;
    if (said)
        (void)sscanf(said, "orr-device: %ld launches, %ld done again", launches, redone); /* NOLINT(cert-err34-c) */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check(const row *r)
{
    char path[128], full[1200], *text;
    const char *build = getenv("ORR_BUILDDIR"), *room = strchr(r->name, '_');
    long launches, redone;
    ORR_REQUIRE(room != NULL);
    (void)snprintf(path, sizeof path, "tests/%.*s/%s", (int)(room - r->name), r->name, room + 1);
    (void)snprintf(full, sizeof full, "%.900s/%s", build ? build : ".", path);
    if (access(full, X_OK) != 0) {
        printf("    %s is not built\n", r->name);
        return;
    }
    double began = orr__now();
    int status = run(path, &text, &launches, &redone);
    size_t length = text ? strlen(text) : 0;
    printf("    %s: %ld launches, %.1f s\n", r->name, launches, orr__now() - began);
    ORR_CHECK_MSG(status == 0, "%s: exit status %d:\n%s", r->name, status,
                  text ? text + (length > 2000 ? length - 2000 : 0) : "no output");
    ORR_CHECK_MSG(launches >= r->least, "%s: %ld launches, not %ld: it did not run on the device", r->name, launches,
                  r->least);
    free(text);
}

static void programs_pass_with_all_work_on_the_device(void)
{
    if (!cu.ok)
        ORR_SKIP("%s", cu.why);
    FILE *f = fopen(orr_test_golden("device_launches.txt"), "r");
    char line[512];
    int checked = 0;
    unsigned number = 0;
    ORR_REQUIRE(f != NULL);
    while (fgets(line, sizeof line, f)) {
        row r = { .least = -1 };
        line[strcspn(line, "#\n")] = '\0';
        int words = sscanf(line, "%63s %ld %15s", r.name, &r.least, r.form); /* NOLINT(cert-err34-c) */
        bool wanted = words == 3 && (strcmp(r.form, "short") == 0 || (all_of_them() && strcmp(r.form, "long") == 0));
        if (!wanted || (!all_of_them() && !orr_test_due(number++, PARTS)))
            continue;
        check(&r);
        checked++;
    }
    (void)fclose(f);
    ORR_CHECK(checked > 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(programs_pass_with_all_work_on_the_device), { 0 } };
    (void)orr__env_load();
    cuda_engine_start(argv);
    return orr_test_main(argc, argv, "engine.cuda_forced", tests);
}
