/* Many processes that start at once where StarPU has measured nothing yet: none is ended by a file that another one is writing.
 * Must not know: what StarPU measures. */
#include "config.h"

#include <fcntl.h>
#include <orrery.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/harness/harness.h"

enum { PROCESSES = 12 };

/* In the child: 0, or what is wrong. */
static int start(void)
{
    double sum = 0;
    if (orr_init(&(orr_config){ .engine = "starpu" }) != ORR_OK)
        return orr_error_print(stderr) + 1;
    orr_tensor *x = orr_sum(orr_ones(ORR_F32, ORR_SHAPE(1000)), ORR_ALL_AXES, false);
    if (orr_item(x, &sum) != ORR_OK || sum != 1000)
        return 3;
    return orr_shutdown() == ORR_OK ? 0 : 4;
}

static void all_at_once(const char *home)
{
    int go[2], failed = 0;
    pid_t pid[PROCESSES];
    char word;
    ORR_REQUIRE(pipe2(go, O_CLOEXEC) == 0);
    (void)setenv("STARPU_HOME", home, 1);
    (void)setenv("XDG_CACHE_HOME", home, 1);
    for (int i = 0; i < PROCESSES; i++)
        if ((pid[i] = fork()) == 0) {
            close(go[1]);
            (void)!read(go[0], &word, 1); /* until the pipe is closed */
            _exit(start());
        }
    close(go[0]);
    close(go[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        failed += pid[i] < 0 || waitpid(pid[i], &status, 0) != pid[i] || status != 0;
    }
    ORR_CHECK_MSG(failed == 0, "%d of %d processes failed", failed, PROCESSES);
}

static void the_first_starts_of_many_processes(void)
{
    for (int k = 0; k < 3; k++) {
        char home[32];
        (void)snprintf(home, sizeof home, "home%d", k);
        const char *path = orr_test_tmp(home);
        ORR_REQUIRE(mkdir(path, 0700) == 0);
        all_at_once(path);
        all_at_once(path); /* all is measured */
    }
}

/* Who had the lock was killed: its lock went with it. */
static void a_lock_goes_with_its_process(void)
{
    char home[4096], path[4200];
    static const char *const parts[] = { "", "/.starpu", "/.starpu/sampling" };
    (void)snprintf(home, sizeof home, "%s", orr_test_tmp("killed"));
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s%s", home, parts[i]);
        ORR_REQUIRE(mkdir(path, 0700) == 0);
    }
    (void)snprintf(path, sizeof path, "%s/.starpu/sampling/orrery.lock", home);
    int told[2];
    char word;
    ORR_REQUIRE(pipe2(told, O_CLOEXEC) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open(path, O_RDWR | O_CREAT, 0600);
        if (fd >= 0 && flock(fd, LOCK_EX) == 0)
            (void)!write(told[1], "x", 1);
        for (;;)
            pause();
    }
    ORR_REQUIRE(read(told[0], &word, 1) == 1);
    (void)setenv("STARPU_HOME", home, 1);
    (void)setenv("XDG_CACHE_HOME", home, 1);
    pid_t waits = fork();
    if (waits == 0)
        _exit(start());
    (void)usleep(300000);
    int status = -1;
    ORR_CHECK(waitpid(waits, &status, WNOHANG) == 0); /* it waits */
    (void)kill(pid, SIGKILL);
    ORR_CHECK(waitpid(waits, &status, 0) == waits && status == 0);
    (void)waitpid(pid, &status, 0);
    close(told[0]);
    close(told[1]);
}

/* The XDG base directory specification has it ignored; StarPU would make it beneath wherever the program stands. */
static void a_relative_cache_home_is_ignored(void)
{
    char home[4096], path[4200];
    (void)snprintf(home, sizeof home, "%s", orr_test_tmp("relative"));
    ORR_REQUIRE(mkdir(home, 0700) == 0);
    (void)setenv("STARPU_HOME", home, 1);
    (void)setenv("XDG_CACHE_HOME", "beneath", 1);
    pid_t pid = fork();
    if (pid == 0)
        _exit(chdir(home) != 0 ? 9 : start());
    int status = -1;
    ORR_CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    (void)snprintf(path, sizeof path, "%s/beneath", home);
    ORR_CHECK(access(path, F_OK) != 0);
    (void)snprintf(path, sizeof path, "%s/.starpu", home);
    ORR_CHECK(access(path, F_OK) == 0);
}

int main(int argc, char **argv)
{
#ifdef HAVE_STARPU
    static const orr_test tests[] = { ORR_TEST(the_first_starts_of_many_processes),
                                      ORR_TEST(a_lock_goes_with_its_process),
                                      ORR_TEST(a_relative_cache_home_is_ignored),
                                      { 0 } };
    (void)setenv("ORRERY_BACKEND", "cpu", 1);
    return orr_test_main(argc, argv, "engine.home", tests);
#else
    (void)argc;
    (void)argv;
    return 77;
#endif
}
