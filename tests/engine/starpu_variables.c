/* StarPU's environment variables with values that make no sense: no start ends the process or hangs; the message has the name, the value
 * and the right ones. Variables without influence are reported.
 * Must not know: the meaning of each. */
#include "config.h"
#include <orrery.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/starpu_variables.h"
#include "tests/harness/harness.h"

enum { REFUSED = 7, OTHER = 9, PATIENCE = 120 /* s */ };

/* In the child: starts and computes. REFUSED: ORR_EENV with the name. */
static int start(const char *name)
{
    double sum = 0;
    (void)alarm(PATIENCE);
    orr_status st = orr_init(NULL);
    if (st == ORR_EENV && strstr(orr_error_message(), name) && strstr(orr_error_message(), "takes: "))
        return REFUSED;
    if (st != ORR_OK || orr_item(orr_sum(orr_ones(ORR_F32, ORR_SHAPE(1000)), ORR_ALL_AXES, false), &sum) != ORR_OK ||
        sum != 1000)
        return OTHER;
    return orr_shutdown() == ORR_OK ? 0 : OTHER;
}

/* The exit status of a process with a variable; -1: ended by a signal. Its messages go to `log` if that is a file. */
static int start_with(const char *name, const char *value, FILE *log)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        (void)setenv(name, value, 1);
        if (log)
            (void)dup2(fileno(log), STDERR_FILENO);
        _exit(start(name));
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void values_for_which_starpu_ends_the_process_are_refused(void)
{
    static const struct {
        const char *name, *value;
    } cases[] = { { "STARPU_WORKERS_CPUID", "-1" },
                  { "STARPU_WORKERS_CPUID", "x" },
                  { "STARPU_WORKERS_CPUID", "0-99999" },
                  { "STARPU_WORKERS_CPUID", "0,," },
                  { "STARPU_WORKERS_COREID", "-3" },
                  { "STARPU_MAIN_THREAD_CPUID", "99999" },
                  { "STARPU_MAIN_THREAD_COREID", "x" },
                  { "STARPU_HISTORY_MAX_ERROR", "abc" },
                  { "STARPU_NTHREADS_PER_CORE", "999" },
                  { "STARPU_HWLOC_INPUT", "/etc/passwd" },
                  { "STARPU_DISABLE_KERNELS", "1" },
                  { "STARPU_SIMGRID", "1" },
                  { "STARPU_BACKOFF_MIN", "2147483647" },
                  { "STARPU_SCHED_ALPHA", "nan" },
                  { "STARPU_LIMIT_CUDA_3_MEM", "1G" },
                  { "STARPU_NCPU", "-1" },
                  { "STARPU_NCPU", " 2" },
                  { "STARPU_WORKERS_CUDAID", "0,1" },
                  { "STARPU_DISK_SWAP_BACKEND", "st" },
                  { "STARPU_SILENT", "yes" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int rc = start_with(cases[i].name, cases[i].value, NULL);
        ORR_CHECK_MSG(rc == REFUSED, "%s=%s: %d", cases[i].name, cases[i].value, rc);
    }
    ORR_CHECK(start_with("STARPU_MIN_PRIO", "1", NULL) == REFUSED);
    (void)setenv("STARPU_MAX_PRIO", "2", 1);
    ORR_CHECK(start_with("STARPU_MIN_PRIO", "5", NULL) == REFUSED);
    (void)unsetenv("STARPU_MAX_PRIO");
}

/* The table's values, without a start of StarPU. */
static bool refuses(const char *name, const char *value)
{
    const orr__starpu_machine two = { 2, 2, 16 };
    (void)setenv(name, value, 1);
    orr_status st = orr__starpu_variables_check((orr__site){ NULL, 0, "test" }, &two);
    bool ok = st == ORR_OK || (st == ORR_EENV && strstr(orr_error_message(), name));
    ORR_CHECK_MSG(ok, "%s=%s: %s", name, value, orr_error_message());
    (void)unsetenv(name);
    orr_error_clear();
    return st != ORR_OK;
}

static const char *plain_name(const char *pattern, char *buf, size_t size)
{
    (void)snprintf(buf, size, "%s", pattern);
    for (char *p = buf; *p; p++)
        *p = *p == '#' ? '1' : *p;
    return buf;
}

/* A start takes a quarter of a second. The long form starts with each value that the check lets through. */
static void a_value_that_passes_the_check_ends_no_process(void)
{
    static const char *const values[] = { "abc", "-1", "99999999999999999999", "2147483647", "0", "1", "" };
    const bool full = getenv("ORR_TEST_FULL") != NULL;
    char name[100], text[256];
    const orr__starpu_row *row;
    int starts = 0;
    for (size_t i = 0; (row = orr__starpu_variable(i, text, sizeof text)); i++) {
        (void)plain_name(row->name, name, sizeof name);
        ORR_CHECK_MSG(orr__starpu_variable_known(name) && *text, "%s", name);
        if (strncmp(name, "STARPU_TASK_BREAK_ON_", 21) == 0)
            continue; /* stops a debugger at a task */
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            if (refuses(name, values[v]) || (!full && (i + v) % 97 != 0))
                continue;
            int rc = start_with(name, values[v], NULL);
            ORR_CHECK_MSG(rc == 0 || rc == REFUSED, "%s=%s: %d", name, values[v], rc);
            starts++;
        }
    }
    ORR_CHECK(starts > 5);
}

static void lists_take_what_starpu_takes(void)
{
    static const char *const right[] = { "0", "0,1", "1 0", "0-1", "1-", "0-1,0" };
    static const char *const wrong[] = { "2", "0-2", "1-0", "0;1", "a", "0,1x", "-", ",", " ", "0,-1" };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        ORR_CHECK_MSG(!refuses("STARPU_WORKERS_CPUID", right[i]), "%s", right[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ORR_CHECK_MSG(refuses("STARPU_WORKERS_CPUID", wrong[i]), "%s", wrong[i]);
}

/* True if the process logs `says`. */
static bool logs(const char *name, const char *value, const char *says)
{
    char text[4096] = "";
    FILE *f = tmpfile();
    if (!f)
        return false;
    int rc = start_with(name, value, f);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
    ORR_CHECK_MSG(rc == 0, "%s=%s: %d", name, value, rc);
    return strstr(text, says) != NULL;
}

static void wishes_that_are_not_met_are_reported(void)
{
    ORR_CHECK(logs("STARPU_NCPU", "9999", "STARPU_NCPU is 9999, and StarPU starts"));
    ORR_CHECK(logs("STARPU_NCPUU", "1", "did you mean STARPU_NCPU?"));
    ORR_CHECK(!logs("STARPU_ROOT_OF_SITE", "/opt", "did you mean"));
    ORR_CHECK(!logs("STARPU_NCPU", "1", "StarPU starts"));
}

int main(int argc, char **argv)
{
#ifdef HAVE_STARPU
    static const orr_test tests[] = { ORR_TEST(values_for_which_starpu_ends_the_process_are_refused),
                                      ORR_TEST(a_value_that_passes_the_check_ends_no_process),
                                      ORR_TEST(lists_take_what_starpu_takes),
                                      ORR_TEST(wishes_that_are_not_met_are_reported),
                                      { 0 } };
    (void)setenv("ORRERY_BACKEND", "cpu", 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    return orr_test_main(argc, argv, "engine.starpu_variables", tests);
#else
    (void)argc;
    (void)argv;
    return 77;
#endif
}
