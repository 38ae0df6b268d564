/* bench/gpu-check on programs that pass, fail, print nothing, hang and skip: each is named and counted correctly. A program of the
 * CUDA backend on the double of CUDA's libraries: a device that does nothing, or computes wrongly, does not pass.
 * Must not know: the library. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/harness.h"

static char base[512];

/* Makes an executable in the artificial build. */
static void script(const char *name, const char *body)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", base, name);
    FILE *f = fopen(path, "w");
    ORR_REQUIRE(f);
    ORR_CHECK(fprintf(f, "#!/bin/sh\n%s\n", body) > 0 && fclose(f) == 0 && chmod(path, 0700) == 0);
}

/* Runs bench/gpu-check; returns its exit status. *text: its table; the caller frees it. */
static int check(const char *options, char **text)
{
    char line[4096];
    size_t size;
    (void)snprintf(line, sizeof line,
                   "ORR_BUILDDIR='%s' python3 '%.1500s' %s --jobs 2 --out '%s/out' >'%s/printed' 2>&1", base,
                   orr_test_golden("../../bench/gpu-check"), options, base, base);
    int status = system(line); /* NOLINT(cert-env33-c): a test */
    (void)snprintf(line, sizeof line, "%s/out/gpu-check.txt", base);
    *text = (char *)orr_test_slurp(line, &size);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool begin(void)
{
    char path[1024];
    if (system("python3 --version >/dev/null 2>&1") != 0) /* NOLINT(cert-env33-c) */
        return false;
    (void)snprintf(base, sizeof base, "/tmp/orr-check-XXXXXX");
    ORR_CHECK(mkdtemp(base) != NULL);
    for (int i = 0; i < 3; i++) {
        static const char *const folder[] = { "tools", "tests", "tests/room" };
        (void)snprintf(path, sizeof path, "%s/%s", base, folder[i]);
        ORR_CHECK(mkdir(path, 0700) == 0);
    }
    script("tools/orrery-info", "case $1 in --devices) echo '{\"devices\": []}';; esac");
    script("tests/room/good", "echo '  ok   one_is_one'; echo 'orr-test: 1 0 0'");
    script("tests/room/skips", "echo '  skip far_away: there is no such hardware'; echo 'orr-test: 0 0 1'; exit 77");
    return true;
}

static void end(void)
{
    char line[1024];
    (void)snprintf(line, sizeof line, "rm -rf '%s'", base);
    ORR_CHECK(system(line) == 0); /* NOLINT(cert-env33-c) */
}

static void report_names_passed_and_skipped(void)
{
    char *text, path[1024];
    size_t size;
    if (!begin())
        ORR_SKIP("no python3 here");
    ORR_CHECK(check("--cpu --only facts,tests", &text) == 0);
    ORR_REQUIRE(text);
    ORR_CHECK_MSG(strstr(text, "ok    room_good") && strstr(text, "skip far_away: there is no such hardware"), "%s",
                  text);
    ORR_CHECK_MSG(strstr(text, "1 passed, 0 failed, 1 skipped"), "%s", text);
    free(text);
    (void)snprintf(path, sizeof path, "%s/out/gpu-check.json", base);
    text = (char *)orr_test_slurp(path, &size);
    ORR_CHECK(text && strstr(text, "\"one_is_one\"") && strstr(text, "\"far_away\""));
    free(text);
    end();
}

static void silent_or_hanging_program_is_failure(void)
{
    char *text;
    if (!begin())
        ORR_SKIP("no python3 here");
    script("tests/room/fails", "echo '  FAIL two_is_one'; echo 'orr-test: 0 1 0'; exit 1");
    script("tests/room/hangs", "sleep 1000");
    script("tests/room/silent", "exit 0");
    script("tests/room/dies", "echo '  ok   before'; echo 'orr-test: 1 0 0'; kill -SEGV $$");
    ORR_CHECK(check("--cpu --limit 6 --only tests", &text) == 1);
    ORR_REQUIRE(text);
    ORR_CHECK_MSG(strstr(text, "FAIL two_is_one") && strstr(text, "stopped after"), "%s", text);
    ORR_CHECK_MSG(strstr(text, "no result line, exit status 0") && strstr(text, "exit status -11"), "%s", text);
    ORR_CHECK_MSG(strstr(text, "2 passed, 4 failed, 1 skipped"), "%s", text);
    free(text);
    end();
}

static void report_lists_tests_beyond_budget(void)
{
    char *text;
    if (!begin())
        ORR_SKIP("no python3 here");
    ORR_CHECK(check("--cpu --budget 3 --only tests", &text) == 0);
    ORR_CHECK_MSG(text && strstr(text, "not reached: room_good"), "%s", text ? text : "no table");
    free(text);
    ORR_CHECK(check("--only facts,tests", &text) == 2); /* no CUDA device */
    free(text);
    end();
}

/* Checks a real program, whose GPU is the double. */
static int check_double(const char *fault, const char *more, char **text)
{
    char line[4096];
    size_t size;
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(
        line, sizeof line,
        "cd '%.900s' && CUDA_DOUBLE_FAULT=%s ORRERY_BACKEND= sh '%.900s' python3 '%.900s' --only versions,tests "
        "--jobs 1 %s --out '%s/out' >'%s/printed' 2>&1",
        build ? build : ".", fault, orr_test_golden("../double/run"), orr_test_golden("../../bench/gpu-check"), more,
        base, base);
    int status = system(line); /* NOLINT(cert-env33-c): a test */
    (void)snprintf(line, sizeof line, "%s/out/gpu-check.txt", base);
    *text = (char *)orr_test_slurp(line, &size);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void device_that_does_nothing_does_not_pass(void)
{
    static const struct {
        const char *fault;
        int status;
        const char *text;
    } each[] = {
        { "none", 0, "0 failed" },
        { "launch", 1, "FAIL" },
        { "wrong", 1, "FAIL" },
        { "driver", 1, "INCOMPATIBLE: NVRTC 13 makes code that the driver, of CUDA 12, does not load" },
    };
    char path[1024];
    const char *build = getenv("ORR_BUILDDIR");
    if (!begin() || system("g++ --version >/dev/null 2>&1") != 0) /* NOLINT(cert-env33-c) */
        ORR_SKIP("no python3 or no g++ here");
    (void)snprintf(path, sizeof path, "%s/tests/codelets/cuda_conv", build ? build : ".");
    if (access(path, X_OK) != 0)
        ORR_SKIP("no %s", path);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        char *text;
        int status = check_double(each[i].fault, "--tests codelets_cuda_conv", &text);
        ORR_CHECK_MSG(status == each[i].status && text && strstr(text, each[i].text), "%s: exit status %d\n%s",
                      each[i].fault, status, text ? text : "no table");
        free(text);
    }
    end();
}

/* All passes, and nothing was launched: the exit status says so. */
static void program_without_its_launches_is_failure(void)
{
    char *text, path[1024];
    if (!begin())
        ORR_SKIP("no python3 here");
    script("tools/orrery-info",
           "case $1 in --devices) echo '{\"devices\": [{\"id\": 0, \"kind\": \"cuda\", \"name\": \"d\", "
           "\"capability\": \"9.0\"}]}';; *) echo CUDA worker;; esac");
    (void)snprintf(path, sizeof path, "%s/tests/nn", base);
    ORR_REQUIRE(mkdir(path, 0700) == 0);
    script("tests/nn/attention",
           "echo '  ok   a'; echo 'orr-device: 3 launches, 0 done again by the host'; echo 'orr-test: 1 0 0'");
    ORR_CHECK(check("--only facts,tests", &text) == 1);
    ORR_CHECK_MSG(text && strstr(text, "3 launches, not ") && strstr(text, "it did not run on the device"), "%s",
                  text ? text : "no table");
    free(text);
    script("tests/nn/attention",
           "echo '  ok   a'; echo \"$ORRERY_INLINE_US $ORRERY_FALLBACK\" >&2; "
           "echo 'orr-device: 100000 launches, 2 done again by the host'; echo 'orr-test: 1 0 0'");
    ORR_CHECK(check("--only facts,tests", &text) == 0);
    ORR_CHECK_MSG(text && strstr(text, "100000 launches on devices, 2 done again by the host"), "%s",
                  text ? text : "no table");
    free(text);
    script("tests/nn/attention", "echo 'orr-test: 0 0 1'");
    ORR_CHECK(check("--only facts,tests", &text) == 1);
    ORR_CHECK_MSG(text && strstr(text, "no test launched anything on a device"), "%s", text ? text : "no table");
    free(text);
    end();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(report_names_passed_and_skipped),         ORR_TEST(silent_or_hanging_program_is_failure),
        ORR_TEST(report_lists_tests_beyond_budget),        ORR_TEST(device_that_does_nothing_does_not_pass),
        ORR_TEST(program_without_its_launches_is_failure), { 0 }
    };
    return orr_test_main(argc, argv, "gpu_check", tests);
}
