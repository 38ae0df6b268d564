/* A job whose control group has little memory: the library finds the limit, computes on four times as much data with
 * files, gets the same numbers as without a limit, refuses work that cannot fit, and is not killed. If no group can be
 * made, the test is skipped with the reason.
 * Must not know: how memory is planned. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"

/* The group's megabytes, and a matrix of four times as many bytes; and those of the job that goes across the rows of a matrix. */
enum { LIMIT_MB = 192, ROWS = 4 * LIMIT_MB, COLUMNS = 1 << 18, TURN_MB = 144, SHORT = 1 << 13, LONG = 6 << 10 };

static char spill_dir[] = "/var/tmp/orrery-test-XXXXXX";

/* -- the job ----------------------------------------------------------------------------------------------------- */

/* The numbers are exact, so that the order of sums does not matter. Prints its results; 1: an error, which is printed,
 * too. */
static int compute(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *row = orr_reshape(orr_arange(ORR_F32, 0, ROWS, 1), ORR_SHAPE(ROWS, 1));
    orr_tensor *column = orr_reshape(orr_arange(ORR_F32, 0, COLUMNS, 1), ORR_SHAPE(1, COLUMNS));
    orr_tensor *x = orr_add(orr_mul(row, orr_scalar(8)), orr_floor(orr_mul(column, orr_scalar(1.0 / 4096))));
    double all = 0, corner = 0, by_columns = 0;
    if (orr_eval(x) != ORR_OK)
        return orr_error_print(stdout);
    orr_tensor *sums = orr_sum(orr_cast(x, ORR_F64), ORR_AXES(0), false);
    orr_tensor *last = orr_slice(x, ORR_INDEX(ROWS - 1, COLUMNS - 1), ORR_INDEX(ROWS, COLUMNS), ORR_NO_INDEX);
    if (orr_item(orr_sum(orr_cast(x, ORR_F64), ORR_ALL_AXES, false), &all) != ORR_OK ||
        orr_item(orr_max(sums, ORR_ALL_AXES, false), &by_columns) != ORR_OK ||
        orr_item(orr_cast(last, ORR_F64), &corner) != ORR_OK)
        return orr_error_print(stdout);
    printf("sum %.17g, largest column %.17g, corner %.17g\n", all, by_columns, corner);
    (void)orr_scope_end(s);
    return 0;
}

/* Bytes that this process has read from disks; 0: not known. */
static size_t bytes_read(void)
{
    char line[128];
    size_t n = 0;
    FILE *f = fopen("/proc/self/io", "re");
    while (f && fgets(line, sizeof line, f))
        (void)sscanf(line, "read_bytes: %zu", &n);
    if (f)
        (void)fclose(f);
    return n;
}

/* A sixteenth of the rows of x in no order: 2053 and LONG have no common divisor. */
static int take_rows(orr_tensor *x)
{
    orr_tensor *n = orr_arange(ORR_I64, 0, LONG / 16, 1), *of = orr_full(ORR_I64, ORR_SHAPE(1), LONG);
    orr_tensor *index = orr_remainder(orr_mul(n, orr_full(ORR_I64, ORR_SHAPE(1), 2053)), of);
    orr_tensor *rows = orr_take(x, index, 0), *first = orr_slice_axis(rows, 1, 0, 1, 1);
    orr_tensor *wrong = orr_sub(orr_reshape(first, ORR_SHAPE(LONG / 16)), orr_cast(index, ORR_F32));
    double off = -1;
    if (orr_eval(index) != ORR_OK)
        return orr_error_print(stdout);
    size_t before = bytes_read();
    if (orr_eval(rows) != ORR_OK)
        return orr_error_print(stdout);
    size_t after = bytes_read();
    if (orr_item(orr_max(orr_abs(wrong), ORR_ALL_AXES, false), &off) != ORR_OK)
        return orr_error_print(stdout);
    printf("rows: %zu read, off by %g\n", after - before, off);
    return 0;
}

/* A transpose, and the places of the largest elements of columns: both walk across the rows. */
static int turn(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *row = orr_reshape(orr_arange(ORR_F32, 0, LONG, 1), ORR_SHAPE(LONG, 1));
    orr_tensor *x = orr_add(row, orr_mul(orr_arange(ORR_F32, 0, SHORT, 1), orr_scalar(-4.0))), *y = orr_transpose(x);
    double off = -1, most = -1;
    if (orr_eval(x) != ORR_OK || orr_eval(y) != ORR_OK)
        return orr_error_print(stdout);
    orr_tensor *want =
        orr_add(orr_reshape(orr_mul(orr_arange(ORR_F32, 0, SHORT, 1), orr_scalar(-4.0)), ORR_SHAPE(SHORT, 1)),
                orr_arange(ORR_F32, 0, LONG, 1));
    if (orr_item(orr_max(orr_abs(orr_sub(y, want)), ORR_ALL_AXES, false), &off) != ORR_OK ||
        orr_item(orr_min(orr_argmax(x, 0, false), ORR_ALL_AXES, false), &most) != ORR_OK)
        return orr_error_print(stdout);
    printf("off by %g, largest in row %g\n", off, most);
    int rc = take_rows(x);
    (void)orr_scope_end(s);
    return rc;
}

static int job(void)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stdout);
    int rc = strcmp(getenv("ORR_TEST_JOB"), "turn") != 0 ? compute() : turn();
    orr_memory m = orr_memory_stats();
    printf("limit %zu, peak %zu, spilled %zu, read %zu\n", m.limit, m.peak, m.spilled_peak, bytes_read());
    return orr_shutdown() == ORR_OK ? rc : 1;
}

/* -- its group --------------------------------------------------------------------------------------------------- */

static bool put(const char *folder, const char *name, const char *text)
{
    char path[1200];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        (void)close(fd);
    return done;
}

/* Makes a group below that of this process; version 1, else 2. False: *why. */
static bool make_group(int megabytes, char *folder, size_t size, char *why, size_t room)
{
    char line[512], one[560] = "", two[560] = "", limit[32];
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        const char *name = strstr(line, ":memory:");
        if (name)
            (void)snprintf(one, sizeof one, "/sys/fs/cgroup/memory%s", name + 8);
        if (strncmp(line, "0::", 3) == 0)
            (void)snprintf(two, sizeof two, "/sys/fs/cgroup%s", line + 3);
    }
    if (f)
        (void)fclose(f);
    const char *parent = one[0] ? one : two;
    (void)snprintf(folder, size, "%s/orrery-test-%ld", parent, (long)getpid());
    (void)snprintf(limit, sizeof limit, "%ld", (long)megabytes << 20);
    if (!parent[0] || mkdir(folder, 0755) != 0) {
        (void)snprintf(why, room, "no control group can be made in \"%s\": %s", parent, strerror(errno));
        return false;
    }
    if (put(folder, one[0] ? "memory.limit_in_bytes" : "memory.max", limit)) {
        (void)put(folder, "memory.swap.max", "0"); /* if there is any */
        return true;
    }
    (void)snprintf(why, room, "the control group %s has no memory limit: its controller is not delegated", folder);
    (void)rmdir(folder);
    return false;
}

/* Runs a job in that group (NULL: in the present one), with files or without; said: its output. Returns its status
 * as waitpid does. */
static int run(const char *which, const char *group, bool files, char *said, size_t size)
{
    int ends[2], how = -1;
    said[0] = '\0';
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        if (group && !put(group, "cgroup.procs", "0"))
            _exit(99);
        (void)dup2(ends[1], 1);
        (void)close(ends[0]);
        (void)setenv("ORR_TEST_JOB", which, 1);
        (void)setenv("ORRERY_JIT", files ? "wait" : "on", 1);
        if (files)
            (void)setenv("ORRERY_SPILL_DIR", spill_dir, 1);
        (void)execl("/proc/self/exe", "job", (char *)NULL);
        _exit(98);
    }
    (void)close(ends[1]);
    size_t n = 0;
    for (ssize_t got; child > 0 && n < size - 1 && (got = read(ends[0], said + n, size - 1 - n)) > 0;)
        n += (size_t)got;
    said[n] = '\0';
    (void)close(ends[0]);
    return child > 0 && waitpid(child, &how, 0) == child ? how : -1;
}

static void data_of_four_times_the_groups_memory(void)
{
    char group[1100], why[1400] = "", want[600], got[600], first[600];
    if (!make_group(LIMIT_MB, group, sizeof group, why, sizeof why))
        ORR_SKIP("%s", why);
    int how = run("compute", group, true, got, sizeof got);
    if (WIFEXITED(how) && WEXITSTATUS(how) == 99) {
        (void)rmdir(group);
        ORR_SKIP("a process cannot be put into %s", group);
    }
    int free_of_it = run("compute", NULL, false, want, sizeof want),
        refused = run("compute", group, false, first, sizeof first);
    ORR_CHECK_MSG(rmdir(group) == 0, "%s: %s", group, strerror(errno));
    ORR_REQUIRE(free_of_it == 0);
    ORR_CHECK_MSG(WIFEXITED(how) && WEXITSTATUS(how) == 0, "ended with %d (9: killed for memory): %s", how, got);
    size_t limit = 0, peak = 0, spilled = 0, disk = 0;
    const char *numbers = strstr(got, "limit ");
    ORR_REQUIRE(numbers &&
                sscanf(numbers, "limit %zu, peak %zu, spilled %zu, read %zu", &limit, &peak, &spilled, &disk) == 4);
    ORR_CHECK_MSG(limit < (size_t)LIMIT_MB << 20 && peak <= limit && spilled >= (size_t)4 * LIMIT_MB << 20, "%s", got);
    /* Some nine times the data here: three passes, and what is read ahead and evicted again. A fold along columns that reads a page of
     * each row reads above a hundred times the data. */
    ORR_CHECK_MSG(disk <= (size_t)25 * 4 * LIMIT_MB << 20, "%s", got);
    ORR_CHECK_MSG(strncmp(got, want, strcspn(want, "\n")) == 0, "%s, and without a limit %s", got, want);
    ORR_CHECK_MSG(WIFEXITED(refused) && WEXITSTATUS(refused) == 1 && strstr(first, "was not started"), "%d: %s",
                  refused, first);
}

/* A part of a page of each row at a time reads the file some ninety times. */
static void a_walk_across_the_rows_of_a_file_reads_it_a_few_times(void)
{
    char group[1100], why[1400] = "", got[600];
    if (ORR_TEST_SANITIZED)
        ORR_SKIP("the memory of a sanitizer does not fit into a group of %d MB", TURN_MB);
    if (!make_group(TURN_MB, group, sizeof group, why, sizeof why))
        ORR_SKIP("%s", why);
    int how = run("turn", group, true, got, sizeof got);
    (void)rmdir(group);
    if (WIFEXITED(how) && WEXITSTATUS(how) == 99)
        ORR_SKIP("a process cannot be put into %s", group);
    ORR_CHECK_MSG(WIFEXITED(how) && WEXITSTATUS(how) == 0, "ended with %d (9: killed for memory): %s", how, got);
    size_t limit = 0, peak = 0, spilled = 0, disk = 0, bytes = (size_t)SHORT * LONG * sizeof(float);
    const char *numbers = strstr(got, "limit ");
    ORR_REQUIRE(numbers &&
                sscanf(numbers, "limit %zu, peak %zu, spilled %zu, read %zu", &limit, &peak, &spilled, &disk) == 4);
    ORR_CHECK_MSG(limit < (size_t)TURN_MB << 20 && spilled >= 2 * bytes, "%s", got);
    ORR_CHECK_MSG(disk <= 13 * bytes, "%zu times: %s", disk / bytes, got);
    char right[64];
    (void)snprintf(right, sizeof right, "off by 0, largest in row %d\n", LONG - 1);
    ORR_CHECK_MSG(strncmp(got, right, strlen(right)) == 0, "%s", got);
    size_t for_rows = 0;
    double off = -1;
    numbers = strstr(got, "rows: ");
    ORR_REQUIRE(numbers && sscanf(numbers, "rows: %zu read, off by %lg", &for_rows, &off) == 2);
    /* A sixteenth here; with the pages around those of each row, some twelve times the file. */
    ORR_CHECK_MSG(off == 0 && for_rows <= bytes, "%zu times: %s", for_rows / bytes, got);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(data_of_four_times_the_groups_memory),
                                      ORR_TEST(a_walk_across_the_rows_of_a_file_reads_it_a_few_times),
                                      { 0 } };
    if (getenv("ORR_TEST_JOB"))
        return job();
    if (!mkdtemp(spill_dir))
        return 1;
    int rc = orr_test_main(argc, argv, "api.job", tests);
    (void)rmdir(spill_dir);
    return rc;
}
