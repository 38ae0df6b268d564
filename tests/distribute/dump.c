/* Dumps of evaluations over ranks: rank 0 writes one file with the whole inputs, which one process replays.
 * Must not know: the form of the file. */
#include "config.h"

#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/ranks.h"

enum { ROWS = 24, COLUMNS = 5 };

static char output[1 << 15];

/* orrery-replay as one process, without the ranks. */
static int replay(const char *arguments)
{
    char line[5000];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(
        line, sizeof line,
        "env -u ORRERY_DUMP ORRERY_RANKS=off ORRERY_ENGINE=serial '%.1000s/tools/orrery-replay' %.3000s 2>&1",
        build ? build : ".", arguments);
    FILE *f = popen(line, "r");
    size_t n = f ? fread(output, 1, sizeof output - 1, f) : 0;
    output[n] = '\0';
    int status = f ? pclose(f) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static orr_tensor *numbers(void)
{
    return orr_reshape(orr_arange(ORR_F64, 0, ROWS * COLUMNS, 1), ORR_SHAPE(ROWS, COLUMNS));
}

/* The file that each rank names is that of rank 0, since the others write none. */
static void file_of(const char *name, char *path, size_t size)
{
    (void)snprintf(path, size, "%s", orr_test_tmp(name));
}

static void one_process_replays_what_the_ranks_computed(void)
{
    char path[1500], arguments[3000];
    double total = 0;
    file_of("asked", path, sizeof path);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = orr_shard(numbers(), g, ORR_AXES(0)), *w = orr_ones(ORR_F64, ORR_SHAPE(COLUMNS, 2));
    ORR_CHECK(orr_eval(x) == ORR_OK); /* each rank has its rows */
    orr_tensor *product = orr_matmul(orr_mul(x, orr_scalar(2)), w);
    orr_tensor *sum = orr_sum(product, ORR_ALL_AXES, false);
    int line = __LINE__ - 1;
    ORR_CHECK_MSG(orr_dump(path, &sum, 1) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_item(sum, &total) == ORR_OK && total == 2.0 * 2 * (ROWS * COLUMNS - 1) * (ROWS * COLUMNS) / 2);
    if (orr_rank() == 0) {
        (void)snprintf(arguments, sizeof arguments, "--break dump.c:%d '%s'", line, path);
        ORR_CHECK_MSG(replay(arguments) == 0 && strstr(output, "28560"), "%s", output);
        (void)snprintf(arguments, sizeof arguments, "--steps '%s'", path);
        ORR_CHECK_MSG(replay(arguments) == 0 && strstr(output, "matmul"), "%s", output);
    }
    orr_grid_free(g);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* ORRERY_DUMP and a NaN: the evaluation in the file has it, too. */
static void a_nan_over_ranks_is_in_the_file_of_rank_0(void)
{
    char path[1500], arguments[3000];
    file_of("nan", path, sizeof path);
    (void)setenv("ORRERY_DUMP", path, 1);
    (void)setenv("ORRERY_CHECK", "nonfinite", 1);
    (void)setenv("ORRERY_LOG", "error", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = orr_shard(orr_sub(numbers(), orr_scalar(7)), g, ORR_AXES(0));
    orr_tensor *quotient = orr_div(x, x);
    int line = __LINE__ - 1;
    ORR_CHECK_MSG(orr_eval(orr_sum(quotient, ORR_ALL_AXES, false)) == ORR_OK, "%s", orr_error_message());
    orr_grid_free(g);
    (void)orr_scope_end(s);
    bool first = orr_rank() == 0;
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_DUMP");
    (void)unsetenv("ORRERY_CHECK");
    (void)unsetenv("ORRERY_LOG");
    if (first) {
        (void)snprintf(arguments, sizeof arguments, "--break dump.c:%d '%s'", line, path);
        ORR_CHECK_MSG(replay(arguments) == 0 && strstr(output, "div float64 (24, 5)") && strstr(output, "nan"), "%s",
                      output);
        (void)snprintf(arguments, sizeof arguments, "--show '%s'", path);
        ORR_CHECK_MSG(replay(arguments) == 0 && strstr(output, "a check has found"), "%s", output);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(one_process_replays_what_the_ranks_computed),
                                      ORR_TEST(a_nan_over_ranks_is_in_the_file_of_rank_0),
                                      { 0 } };
    static const int sizes[] = { 1, 2, 3, 0 };
    return orr_test_ranks_main(argc, argv, "distribute.dump", tests, sizes);
}
