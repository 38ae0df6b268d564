/* Dumps and orrery-replay: an evaluation is repeated without its program, with the same bits; a planted difference is named; damaged files
 * are refused.
 * Must not know: the form of the file. */
#include "config.h"
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/harness.h"

static char output[1 << 16];

/* The exit status of a command in the build folder; its output is in `output`. */
static int run(const char *command)
{
    char line[9000];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(line, sizeof line, "cd '%.3000s' && { %.5000s; } 2>&1", build ? build : ".", command);
    FILE *f = popen(line, "r");
    size_t n = f ? fread(output, 1, sizeof output - 1, f) : 0;
    output[n] = '\0';
    int status = f ? pclose(f) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int replay(const char *before, const char *arguments)
{
    char line[5000];
    (void)snprintf(line, sizeof line, "%s tools/orrery-replay %.4000s", before, arguments);
    return run(line);
}

static void start(void)
{
    (void)setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    (void)setenv("ORRERY_ENGINE", "serial", 1); /* starts at once */
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
}

static int product_line, tiny_line;

/* A graph with views, folds, a product, numbers, integers and random numbers. `changed`: another input. */
static void write_dump(const char *path, bool changed)
{
    float data[64 * 32];
    for (int i = 0; i < 64 * 32; i++)
        data[i] = (float)((i * 37) % 101) / 50.f - (changed && i == 77 ? 1.f : 0.f);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(64, 32), data), *noise = orr_randn(ORR_F32, ORR_SHAPE(64, 32), 0, 1);
    orr_tensor *y = orr_matmul(orr_add(x, noise), orr_transpose(orr_softmax(x, -1)));
    product_line = __LINE__ - 1;
    orr_tensor *tiny = orr_mul(orr_mul(x, orr_scalar(1e-30)), orr_scalar(1e-12));
    tiny_line = __LINE__ - 1;
    orr_tensor *all[3] = { orr_sum(y, ORR_AXES(0), false), orr_argmax(y, 1, false), orr_mul(tiny, orr_scalar(1e30)) };
    ORR_CHECK_MSG(orr_dump(path, all, 3) == ORR_OK, "%s", orr_error_message());
    (void)orr_scope_end(s);
}

static void a_replay_has_the_same_bits(void)
{
    char path[1000], line[3000];
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("whole"));
    start();
    write_dump(path, false);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    int rc = replay("", path);
    ORR_CHECK_MSG(rc == 0 && strstr(output, "result 0, replay.c:") && strstr(output, "the same bits") &&
                      !strstr(output, "other bits") && strstr(output, "\nresult   "),
                  "%d\n%s", rc, output);
    (void)snprintf(line, sizeof line, "--show %s", path);
    ORR_CHECK_MSG(replay("", line) == 0 && strstr(output, "orr_dump\n") &&
                      strstr(output, "settings:\nORRERY_BACKEND=") && strstr(output, "plan:\n"),
                  "%s", output);
    (void)snprintf(line, sizeof line, "--break replay.c:%d %s", product_line, path);
    ORR_CHECK_MSG(replay("", line) == 0 && strstr(output, "operand 0, of step ") && strstr(output, "value:"), "%s",
                  output);
    (void)snprintf(line, sizeof line, "--break replay.c:1 %s", path);
    ORR_CHECK_MSG(replay("", line) == 1 && strstr(output, "no step of "), "%s", output);
    ORR_CHECK(replay("", "--nonsense") == 2 && strstr(output, "SYNOPSIS"));
    ORR_CHECK(replay("", "/nowhere/dump") == 1 && strstr(output, "/nowhere/dump"));
}

static void a_planted_difference_is_named(void)
{
    char a[1000], b[1100], c[1100], line[4000], want[100];
    (void)snprintf(a, sizeof a, "%s", orr_test_tmp("a"));
    (void)snprintf(b, sizeof b, "%s.here", a);
    (void)snprintf(c, sizeof c, "%s.other", a);
    start();
    write_dump(a, false);
    write_dump(c, true);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)snprintf(line, sizeof line, "--record %s %s", b, a);
    ORR_CHECK_MSG(replay("", line) == 0, "%s", output);
    (void)snprintf(line, sizeof line, "--bisect %s %s", a, b);
    ORR_CHECK_MSG(replay("", line) == 0 && strstr(output, "steps are the same"), "%s", output);
    (void)snprintf(line, sizeof line, "--record %s %s", b, a);
    ORR_CHECK_MSG(replay("ORRERY_FLUSH_DENORMALS=on", line) == 0, "%s", output);
    (void)snprintf(line, sizeof line, "--bisect %s %s", b, a);
    (void)snprintf(want, sizeof want, "replay.c:%d: mul float32 (64, 32): another value from equal operands",
                   tiny_line);
    ORR_CHECK_MSG(replay("", line) == 1 && strstr(output, want), "%s", output);
    (void)snprintf(line, sizeof line, "--bisect %s %s", a, c);
    ORR_CHECK_MSG(replay("", line) == 1 && strstr(output, "leaf float32 (64, 32): another input"), "%s", output);
}

/* The file that ORRERY_DUMP has named; NULL: there is none. */
static char *dumped(const char *path)
{
    size_t size;
    return (char *)orr_test_slurp(path, &size);
}

static void failures_are_dumped(void)
{
    const char *path = orr_test_tmp("failed");
    char second[1100];
    (void)snprintf(second, sizeof second, "%s.1", path);
    (void)setenv("ORRERY_DUMP", path, 1);
    (void)setenv("ORRERY_CHECK", "nonfinite", 1);
    (void)setenv("ORRERY_LOG", "error", 1);
    start();
    orr_scope *s = orr_scope_begin();
    orr_tensor *good = orr_add(orr_full(ORR_F32, ORR_SHAPE(3), 1), orr_scalar(1));
    ORR_CHECK(orr_eval(good) == ORR_OK && access(path, F_OK) != 0);
    orr_tensor *bad = orr_cholesky(orr_neg(orr_eye(ORR_F64, 3, 3, 0)));
    ORR_CHECK(orr_eval(bad) == ORR_ENUMERIC && strstr(orr_error_message(), "cholesky"));
    char *text = dumped(path);
    ORR_CHECK(text && access(second, F_OK) != 0);
    free(text);
    ORR_CHECK(orr_eval(orr_div(good, orr_sub(good, good))) == ORR_OK);
    text = dumped(second);
    ORR_CHECK(text != NULL);
    free(text);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_DUMP");
    (void)unsetenv("ORRERY_CHECK");
    (void)unsetenv("ORRERY_LOG");
    ORR_CHECK_MSG(replay("", path) == 1 && strstr(output, "replay.c:") && strstr(output, "cholesky"), "%s", output);
}

/* The limit has passed before the first step, on a machine of any speed. */
static void an_evaluation_that_its_limit_ends_is_dumped(void)
{
    const char *path = orr_test_tmp("late");
    (void)setenv("ORRERY_DUMP", path, 1);
    (void)setenv("ORRERY_LOG", "error", 1);
    start();
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(300, 300), 0.01);
    for (int i = 0; i < 40; i++)
        x = orr_matmul(x, x);
    ORR_CHECK(orr_eval_for(x, 1e-9) == ORR_ECANCELLED);
    ORR_CHECK_MSG(strstr(orr_error_message(), "replay.c:"), "%s", orr_error_message());
    ORR_CHECK(access(path, F_OK) == 0);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_DUMP");
    (void)unsetenv("ORRERY_LOG");
    ORR_CHECK_MSG(replay("", path) == 0 && strstr(output, "computed; the dump has no value"), "%s", output);
}

static void new_structures_are_dumped_once(void)
{
    const char *path = orr_test_tmp("new");
    char other[1100];
    (void)setenv("ORRERY_DUMP", path, 1);
    (void)setenv("ORRERY_DUMP_WHEN", "new", 1);
    start();
    for (int i = 0; i < 5; i++) {
        orr_scope *s = orr_scope_begin();
        ORR_CHECK(orr_eval(orr_add(orr_full(ORR_F32, ORR_SHAPE(7), i), orr_scalar(1))) == ORR_OK);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_DUMP");
    (void)unsetenv("ORRERY_DUMP_WHEN");
    int files = 0;
    for (int i = 0; i < 9; i++) {
        (void)snprintf(other, sizeof other, i ? "%s.%d" : "%s", path, i);
        files += access(other, F_OK) == 0;
    }
    ORR_CHECK_MSG(files == 1, "%d files", files);
}

static void put_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    ORR_REQUIRE(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

static void damaged_files_are_refused(void)
{
    char path[1000], changed[1100];
    size_t size = 0;
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("sound"));
    (void)snprintf(changed, sizeof changed, "%s.changed", path);
    start();
    write_dump(path, false);
    FILE *nowhere = fopen("/dev/null", "w");
    unsigned char *all = orr_test_slurp(path, &size);
    ORR_REQUIRE(all && nowhere && orr_dump_print(nowhere, path) == ORR_OK);
    for (size_t i = 0; i < size; i += size / 97) {
        all[i] ^= 4;
        put_file(changed, all, size);
        ORR_CHECK_MSG(orr_dump_print(nowhere, changed) == ORR_EFORMAT, "byte %zu: %s", i, orr_error_message());
        all[i] ^= 4;
        put_file(changed, all, i);
        ORR_CHECK_MSG(orr_replay(nowhere, changed, NULL) == ORR_EFORMAT, "%zu bytes: %s", i, orr_error_message());
    }
    ORR_CHECK(orr_dump_print(nowhere, NULL) == ORR_EINVAL && orr_dump_print(NULL, path) == ORR_EINVAL);
    ORR_CHECK(orr_dump(path, NULL, 0) == ORR_EINVAL &&
              orr_dump("/nowhere/x", &(orr_tensor *){ orr_scalar(1) }, 1) == ORR_EIO);
    (void)fclose(nowhere);
    free(all);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(a_replay_has_the_same_bits),
        ORR_TEST(a_planted_difference_is_named),
        ORR_TEST(failures_are_dumped),
        ORR_TEST(an_evaluation_that_its_limit_ends_is_dumped),
        ORR_TEST(new_structures_are_dumped_once),
        ORR_TEST(damaged_files_are_refused),
        { 0 },
    };
    return orr_test_main(argc, argv, "replay", tests);
}
