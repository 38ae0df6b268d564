/* Limits and odd surroundings of a process: file sizes, closed pipes, closed standard files, missing homes, signals before the start. Each
 * is an error of the call that meets it, or has no effect; none ends the process, and its signal handlers stay.
 * Must not know: how the library writes. */
#include "config.h"
#include <fcntl.h>
#include <orrery.h>
#include <orrery/checkpoint.h>
#include <orrery/linalg.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/harness.h"

/* The exit status of a child that calls f; 1000 and the number if a signal ended it. */
static int in_child(int (*f)(const char *), const char *with)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        (void)alarm(120);
        _exit(f(with));
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static orr_tensor *matrix(void)
{
    return orr_matmul(orr_ones(ORR_F32, ORR_SHAPE(200, 200)), orr_ones(ORR_F32, ORR_SHAPE(200, 200)));
}

static bool signal_is_untouched(int s)
{
    struct sigaction a;
    sigset_t mask, pending;
    return sigaction(s, NULL, &a) == 0 && a.sa_handler == SIG_DFL && pthread_sigmask(0, NULL, &mask) == 0 &&
           !sigismember(&mask, s) && sigpending(&pending) == 0 && !sigismember(&pending, s);
}

/* -- files beyond the limit of file sizes ------------------------------------------------------------------------------ */

static int write_beyond(const char *bytes)
{
    rlim_t most = (rlim_t)strtol(bytes, NULL, 10);
    double sum;
    char path[4200];
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){ most, most }) != 0)
        return 1;
    if (orr_init(NULL) != ORR_OK)
        return 2;
    orr_tensor *x = matrix();
    if (orr_item(orr_sum(x, ORR_ALL_AXES, false), &sum) != ORR_OK || sum != 200.0 * 200 * 200)
        return 3;
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("large.npy"));
    if (orr_save(path, x) != ORR_EIO || access(path, F_OK) == 0)
        return 4;
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("printed.txt"));
    FILE *f = fopen(path, "we");
    if (!f || orr_print(f, x) != (most < 100 ? ORR_EIO : ORR_OK))
        return 5;
    (void)fclose(f);
    if (orr_shutdown() != ORR_OK)
        return 6;
    return signal_is_untouched(SIGXFSZ) ? 0 : 7;
}

static void a_file_beyond_the_limit_of_sizes_is_an_error(void)
{
    static const char *const most[] = { "0", "2000", "100000" };
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        int rc = in_child(write_beyond, most[i]);
        ORR_CHECK_MSG(rc == 0, "%s bytes: %d", most[i], rc);
    }
    (void)setenv("ORRERY_TRACE", orr_test_tmp("trace.json"), 1);
    (void)setenv("ORRERY_PRINT", "graph,fuse,passes,plan", 1);
    (void)setenv("ORRERY_LOG", "debug", 1);
    (void)setenv("ORRERY_DEVICE_FILE", orr_test_tmp("devices.json"), 1);
    (void)fflush(stderr);
    int keep = dup(STDERR_FILENO), fd = open(orr_test_tmp("log.txt"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ORR_REQUIRE(keep >= 0 && fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    int rc = in_child(write_beyond, "2000");
    (void)dup2(keep, STDERR_FILENO);
    (void)close(keep);
    (void)close(fd);
    ORR_CHECK_MSG(rc == 0 || rc == 2, "with a log, a trace and a registry: %d", rc);
    (void)unsetenv("ORRERY_TRACE");
    (void)unsetenv("ORRERY_PRINT");
    (void)unsetenv("ORRERY_LOG");
    (void)unsetenv("ORRERY_DEVICE_FILE");
}

/* -- pipes without a reader ---------------------------------------------------------------------------------------------- */

static int write_to_a_closed_pipe(const char *unused)
{
    (void)unused;
    int ends[2];
    char path[64];
    (void)signal(SIGPIPE, SIG_DFL);
    if (orr_init(NULL) != ORR_OK || pipe2(ends, O_CLOEXEC) != 0)
        return 1;
    orr_tensor *x = matrix();
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    int writer = open(path, O_WRONLY | O_CLOEXEC);
    FILE *f = writer >= 0 ? fdopen(ends[1], "w") : NULL;
    (void)close(ends[0]);
    if (!f || orr_print(f, x) != ORR_EIO)
        return 2;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", writer);
    if (orr_save(path, x) == ORR_OK)
        return 3;
    if (orr_shutdown() != ORR_OK || !signal_is_untouched(SIGPIPE))
        return 4;
    return 0;
}

static void a_pipe_without_a_reader_is_an_error(void)
{
    int rc = in_child(write_to_a_closed_pipe, NULL);
    ORR_CHECK_MSG(rc == 0, "%d", rc);
}

/* -- closed standard files ------------------------------------------------------------------------------------------------- */

static int without_standard_files(const char *path)
{
    double sum;
    struct stat st;
    for (int i = 0; i < 3; i++)
        (void)close(i);
    if (orr_init(NULL) != ORR_OK)
        return 1;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 3)
        return 2;
    if (orr_item(orr_sum(matrix(), ORR_ALL_AXES, false), &sum) != ORR_OK || orr_error_print(stderr) != 1)
        return 3;
    if (fstat(fd, &st) != 0 || st.st_size != 0)
        return 4; /* text of the library or of StarPU is in the program's file */
    if (orr_shutdown() != ORR_OK)
        return 5;
    return fcntl(STDERR_FILENO, F_GETFD) < 0 && fcntl(STDIN_FILENO, F_GETFD) < 0 ? 0 : 6; /* as it was */
}

static void files_do_not_take_the_place_of_closed_standard_files(void)
{
    (void)setenv("ORRERY_LOG", "debug", 1);
    int rc = in_child(without_standard_files, orr_test_tmp("plain"));
    (void)unsetenv("ORRERY_LOG");
    ORR_CHECK_MSG(rc == 0, "%d", rc);
}

/* -- homes that are not there ------------------------------------------------------------------------------------------------ */

static int start(const char *unused)
{
    (void)unused;
    double sum;
    return orr_init(NULL) != ORR_OK || orr_item(orr_sum(matrix(), ORR_ALL_AXES, false), &sum) != ORR_OK ||
           orr_shutdown() != ORR_OK;
}

static void a_home_that_is_not_there_is_not_made(void)
{
    char home[4200], above[4300], cache[4400];
    (void)snprintf(home, sizeof home, "%s", orr_test_tmp("nobody"));
    const char *was[3] = { getenv("HOME"), getenv("XDG_CACHE_HOME"), getenv("STARPU_HOME") };
    (void)snprintf(above, sizeof above, "%s/a", home);
    (void)snprintf(cache, sizeof cache, "%s/b", above);
    (void)unsetenv("STARPU_HOME");
    (void)unsetenv("XDG_CACHE_HOME");
    (void)setenv("HOME", home, 1);
    ORR_CHECK(in_child(start, NULL) == 0);
    ORR_CHECK_MSG(access(home, F_OK) != 0, "%s was made", home);
    (void)setenv("XDG_CACHE_HOME", cache, 1);
    ORR_CHECK(in_child(start, NULL) == 0);
    ORR_CHECK_MSG(access(above, F_OK) != 0, "%s was made", above);
    (void)(was[0] ? setenv("HOME", was[0], 1) : unsetenv("HOME"));
    (void)(was[1] ? setenv("XDG_CACHE_HOME", was[1], 1) : unsetenv("XDG_CACHE_HOME"));
    (void)(was[2] ? setenv("STARPU_HOME", was[2], 1) : unsetenv("STARPU_HOME"));
}

/* -- signals ----------------------------------------------------------------------------------------------------------------- */

static int catch_before_start(const char *unused)
{
    (void)unused;
    if (orr_checkpoint_catch(SIGTERM) != ORR_OK || orr_checkpoint_stopping())
        return 1;
    (void)raise(SIGTERM);
    if (!orr_checkpoint_stopping() || orr_init(NULL) != ORR_OK || !orr_checkpoint_stopping())
        return 2;
    (void)raise(SIGTERM);
    return orr_shutdown() == ORR_OK ? 0 : 3;
}

static void a_signal_before_the_start_is_caught(void)
{
    int rc = in_child(catch_before_start, NULL);
    ORR_CHECK_MSG(rc == 0, "%d", rc);
}

/* -- disks and devices ---------------------------------------------------------------------------------------------------------- */

static void a_folder_to_spill_to_needs_no_limit(void)
{
    const char *dir = orr_test_tmp("spill");
    ORR_REQUIRE(mkdir(dir, 0700) == 0);
    (void)setenv("ORRERY_SPILL_DIR", dir, 1);
    ORR_CHECK(in_child(start, NULL) == 0);
    (void)unsetenv("ORRERY_SPILL_DIR");
}

/* 77: no OpenCL device is there. */
static int on_a_device_alone(const char *unused)
{
    (void)unused;
    if (orr_init(NULL) != ORR_OK)
        return 77;
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(16, 16), 0, 1);
    orr_tensor *a = orr_add(orr_matmul(x, orr_transpose(x)), orr_eye(ORR_F32, 16, 16, 0));
    if (orr_eval(orr_softmax(orr_matmul(x, x), 1)) != ORR_OK)
        return 1;
    int line = __LINE__ + 1;
    orr_tensor *lacking[] = { orr_sort(x, 0, false), orr_cholesky(a), orr_eigh(a).w, orr_cumulative_sum(x, 0, false) };
    static const char *const name[] = { "sort", "cholesky", "eigh", "cumulative_sum" };
    for (int i = 0; i < 4; i++) {
        char at[64];
        (void)snprintf(at, sizeof at, "limits.c:%d: %s: ", line, name[i]);
        if (orr_eval(lacking[i]) != ORR_EDEVICE || !strstr(orr_error_message(), at) ||
            !strstr(orr_error_message(), "ORRERY_FALLBACK=off"))
            return 2 + i;
    }
    return orr_shutdown() == ORR_OK ? 0 : 6;
}

static void work_that_a_named_backend_lacks_is_an_error_without_fallback(void)
{
    (void)setenv("ORRERY_BACKEND", "opencl", 1);
    (void)setenv("ORRERY_FALLBACK", "off", 1);
    (void)setenv("STARPU_NCPU", "0", 1);
    int rc = in_child(on_a_device_alone, NULL);
    (void)unsetenv("ORRERY_BACKEND");
    (void)unsetenv("ORRERY_FALLBACK");
    (void)unsetenv("STARPU_NCPU");
    if (rc == 77)
        ORR_SKIP("no OpenCL device is there");
    ORR_CHECK_MSG(rc == 0, "%d", rc);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_file_beyond_the_limit_of_sizes_is_an_error),
                                      ORR_TEST(a_pipe_without_a_reader_is_an_error),
                                      ORR_TEST(files_do_not_take_the_place_of_closed_standard_files),
                                      ORR_TEST(a_home_that_is_not_there_is_not_made),
                                      ORR_TEST(a_signal_before_the_start_is_caught),
                                      ORR_TEST(a_folder_to_spill_to_needs_no_limit),
                                      ORR_TEST(work_that_a_named_backend_lacks_is_an_error_without_fallback),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.limits", tests);
}
