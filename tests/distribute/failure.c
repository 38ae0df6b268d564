/* The end of one of four ranks: killed, stopped, or exited without orr_shutdown. The others end within the timeout with a line
 * that names it, whether the launcher ends them or not; no process stays.
 * Must not know: how the watch sees it. */
#include "config.h"

#include <orrery.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "runtime/ranks/ranks.h"
#include "tests/harness/ranks.h"

enum { RANKS = 4 };

static void nap(double seconds)
{
    struct timespec t = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };
    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        continue;
}

/* -- a rank: exchanges without end ------------------------------------------------------------------------- */

static void announce(const char *folder)
{
    char path[1024], at[1100];
    (void)snprintf(path, sizeof path, "%s/pid%d", folder, orr_test_rank());
    (void)snprintf(at, sizeof at, "%s.part", path);
    FILE *f = fopen(at, "we");
    if (f) {
        (void)fprintf(f, "%d\n", (int)getpid());
        (void)fclose(f);
        (void)rename(at, path);
    }
}

static int work(const char *folder, const char *how)
{
    orr_config c = { .engine = "serial" };
    bool wrong = strcmp(how, "settings") == 0;
    if (wrong) {
        announce(folder);
        c.workers = orr_test_rank() == 2 ? -1 : 0;
    }
    if (orr_init(&c) != ORR_OK)
        return orr_error_print(stderr);
    if (!wrong)
        announce(folder);
    static float data[50000];
    for (double until = orr__now() + 100; orr__now() < until;) {
        orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                            .dtype = ORR_F32,
                            .group = orr__group_all(),
                            .in = data,
                            .out = data,
                            .count = 50000 };
        if (orr__exchange_wait(ORR__SITE(NULL, 0, "test"), &x) != ORR_OK) {
            (void)orr_error_print(stderr);
            (void)orr_shutdown();
            return 1;
        }
        if (orr_rank() == 2 && strcmp(how, "exit") == 0)
            exit(0); /* like a program that forgets orr_shutdown */
        if (orr_rank() == 2 && strcmp(how, "leave") == 0)
            break; /* like a program that takes another branch */
        if (strcmp(how, "wait") == 0) {
            nap(orr_rank() == 2 ? 5 : 0);
            break;
        }
    }
    orr_status st = orr_shutdown();
    if (st == ORR_OK && strcmp(how, "leave") == 0 && orr_init(&c) != ORR_OK)
        return orr_error_print(stderr);
    return st == ORR_OK ? 0 : 1;
}

/* -- the test ---------------------------------------------------------------------------------------------- */

typedef struct job {
    int mpirun, pid[RANKS];
    bool recovery, well; /* well: the job must end without an error */
    char *output;
} job;

static int read_pid(int rank)
{
    char name[32];
    int pid = 0;
    (void)snprintf(name, sizeof name, "pid%d", rank);
    const char *path = orr_test_tmp(name);
    FILE *f = fopen(path, "re");
    if (f) {
        if (fscanf(f, "%d", &pid) != 1)
            pid = 0;
        (void)fclose(f);
        (void)unlink(path);
    }
    return pid;
}

/* Starts four ranks and waits until they are connected. */
static bool begin(job *j, char *how, bool recovery)
{
    char folder[1024];
    (void)snprintf(folder, sizeof folder, "%s", orr_test_tmp(""));
    char *options[] = { "--enable-recovery", NULL };
    char *args[] = { NULL, "--rank", folder, how, NULL };
    int fd = open(orr_test_tmp("output"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    *j = (job){ .recovery = recovery };
    j->mpirun = orr_test_ranks_spawn(RANKS, recovery ? options : NULL, args, fd);
    (void)close(fd);
    int known = 0;
    for (double until = orr__now() + 60; known < RANKS && orr__now() < until; nap(0.01)) {
        known = 0;
        for (int r = 0; r < RANKS; r++) {
            j->pid[r] = j->pid[r] ? j->pid[r] : read_pid(r);
            known += j->pid[r] != 0;
        }
    }
    ORR_CHECK_MSG(known == RANKS, "%d ranks came up", known);
    return known == RANKS;
}

/* Waits for the end of the launcher and of all ranks; returns the seconds until then. */
static double end(job *j)
{
    double began = orr__now();
    int status = 0, left = RANKS + 1;
    bool launcher = true;
    while (left && orr__now() - began < 60) {
        if (launcher && waitpid(j->mpirun, &status, WNOHANG) == j->mpirun)
            launcher = false;
        left = launcher;
        for (int r = 0; r < RANKS; r++)
            left += j->pid[r] && kill(j->pid[r], 0) == 0;
        nap(0.01);
    }
    ORR_CHECK_MSG(left == 0, "%d processes stay", left);
    /* With recovery the launcher reports success. */
    ORR_CHECK(j->recovery || launcher || !WIFEXITED(status) || (WEXITSTATUS(status) != 0) == !j->well);
    if (left) {
        for (int r = 0; r < RANKS; r++)
            (void)kill(j->pid[r], SIGKILL);
        (void)kill(j->mpirun, SIGKILL);
    }
    size_t size;
    j->output = (char *)orr_test_slurp(orr_test_tmp("output"), &size);
    return orr__now() - began;
}

static void check_message(const job *j, int victim, const char *words)
{
    char name[64];
    (void)snprintf(name, sizeof name, "rank %d of %d (process %d on ", victim, RANKS, j->pid[victim]);
    ORR_CHECK_MSG(j->output && strstr(j->output, name) && strstr(j->output, words),
                  "no line with '%s' and '%s' in:\n%s", name, words, j->output ? j->output : "");
}

static unsigned long long seed = 20;

static void kill_at_random_moments(bool recovery, int times)
{
    for (int i = 0; i < times; i++) {
        job j;
        if (!begin(&j, "kill", recovery)) {
            (void)end(&j);
            free(j.output);
            return;
        }
        int victim = (int)(orr_test_rand(&seed) % RANKS);
        nap((double)(orr_test_rand(&seed) % 1000) * 1e-3 * 0.5);
        (void)kill(j.pid[victim], SIGKILL);
        double seconds = end(&j);
        ORR_CHECK_MSG(seconds < 30, "%g s", seconds);
        check_message(&j, victim, "has ended without orr_shutdown");
        free(j.output);
    }
}

static int times(int usual)
{
    return getenv("ORR_TEST_FULL") ? 25 : usual;
}

#define NEED_RANKS()                                                                                                   \
    do {                                                                                                               \
        if (orr_test_ranks_lack())                                                                                     \
            ORR_SKIP("%s", orr_test_ranks_lack());                                                                     \
    } while (0)
#define NEED_OPEN_MPI()                                                                                                \
    do {                                                                                                               \
        if (system("mpirun --version 2>/dev/null | grep -q 'Open MPI'") != 0)                                          \
            ORR_SKIP("the launcher is not Open MPI's, whose option for recovery this is");                             \
    } while (0)

static void a_killed_rank_ends_the_others(void)
{
    NEED_RANKS();
    kill_at_random_moments(false, times(2));
}

static void a_killed_rank_ends_the_others_when_the_launcher_does_not(void)
{
    NEED_RANKS();
    NEED_OPEN_MPI();
    kill_at_random_moments(true, times(2));
}

static void an_exit_without_shutdown_ends_the_others(void)
{
    NEED_RANKS();
    NEED_OPEN_MPI();
    job j;
    (void)begin(&j, "exit", true);
    ORR_CHECK(end(&j) < 30);
    check_message(&j, 2, "has ended without orr_shutdown");
    free(j.output);
}

static void a_stopped_rank_ends_the_others(void)
{
    NEED_RANKS();
    (void)setenv("ORRERY_RANK_TIMEOUT", "2", 1);
    job j;
    if (begin(&j, "stop", false))
        (void)kill(j.pid[1], SIGSTOP);
    double seconds = end(&j);
    ORR_CHECK_MSG(seconds > 1 && seconds < 20, "%g s", seconds);
    check_message(&j, 1, "has been silent for 2 s");
    free(j.output);
    (void)unsetenv("ORRERY_RANK_TIMEOUT");
}

/* Ranks in orr_shutdown wait for one that still works, for longer than the timeout. */
static void a_rank_may_come_late_to_the_end(void)
{
    NEED_RANKS();
    (void)setenv("ORRERY_RANK_TIMEOUT", "2", 1);
    job j;
    (void)begin(&j, "wait", false);
    j.well = true;
    double seconds = end(&j);
    ORR_CHECK_MSG(seconds > 4 && seconds < 30, "%g s", seconds);
    ORR_CHECK_MSG(j.output && !strstr(j.output, "orrery:"), "%s", j.output);
    free(j.output);
    (void)unsetenv("ORRERY_RANK_TIMEOUT");
}

/* The others wait for a rank that is in orr_shutdown: an error, but the process does not end. That rank does not wait for them at its next
 * start. */
static void a_rank_that_leaves_early_is_named(void)
{
    NEED_RANKS();
    NEED_OPEN_MPI();
    job j;
    (void)begin(&j, "leave", true);
    double seconds = end(&j);
    ORR_CHECK_MSG(seconds < 20, "%g s", seconds);
    check_message(&j, 2, "is in orr_shutdown, and another rank waits for it");
    ORR_CHECK_MSG(j.output && !strstr(j.output, "ends too") && strstr(j.output, "start the program again"), "%s",
                  j.output);
    free(j.output);
}

/* A rank with invalid settings still connects to the others. */
static void wrong_settings_of_one_rank_are_told_to_all(void)
{
    NEED_RANKS();
    NEED_OPEN_MPI();
    job j;
    (void)begin(&j, "settings", true);
    double seconds = end(&j);
    ORR_CHECK_MSG(seconds < 20, "%g s", seconds);
    check_message(&j, 2, ") has failed: ");
    ORR_CHECK_MSG(j.output && strstr(j.output, "-1 workers make no sense"), "%s", j.output);
    free(j.output);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(a_killed_rank_ends_the_others),
        ORR_TEST(a_killed_rank_ends_the_others_when_the_launcher_does_not),
        ORR_TEST(an_exit_without_shutdown_ends_the_others),
        ORR_TEST(a_stopped_rank_ends_the_others),
        ORR_TEST(a_rank_may_come_late_to_the_end),
        ORR_TEST(a_rank_that_leaves_early_is_named),
        ORR_TEST(wrong_settings_of_one_rank_are_told_to_all),
        { 0 },
    };
    if (argc == 4 && strcmp(argv[1], "--rank") == 0)
        return work(argv[2], argv[3]);
    return orr_test_main(argc, argv, "failure", tests);
}
