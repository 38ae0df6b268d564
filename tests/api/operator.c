/* The mistakes of a tired operator: no home, caches that cannot be written, no worker at all, one core of many, SIGTERM. Each
 * case has a process of its own, since StarPU reads its environment once.
 * Must not know: how it is found out. */
#include "config.h"
#include <orrery.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/harness.h"

enum { WRONG = 1, NOT_STARTED = 2 };

static char said[4096]; /* the last child's output on stdout and stderr */

/* Runs f in a child that is ended after five minutes; returns the exit status, or minus the signal. */
static int child(int (*f)(void))
{
    int up[2], status = -1;
    size_t n = 0;
    said[0] = '\0';
    fflush(stdout);
    if (pipe(up) != 0)
        return -1000;
    pid_t pid = fork();
    if (pid == 0) {
        (void)alarm(300);
        (void)dup2(up[1], 1);
        (void)dup2(up[1], 2);
        int rc = f();
        fflush(stdout);
        _exit(rc);
    }
    (void)close(up[1]);
    for (ssize_t got; n + 1 < sizeof said && (got = read(up[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)got;
    said[n] = '\0';
    (void)close(up[0]);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1000;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Starts the library, computes, shuts it down. */
static int compute(void)
{
    double sum = 0;
    if (orr_init(NULL) != ORR_OK) {
        (void)orr_error_print(stdout);
        return NOT_STARTED;
    }
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(1000, 1000));
    orr_status st = orr_item(orr_sum(orr_matmul(x, x), ORR_AXES(0, 1), false), &sum);
    if (st != ORR_OK)
        (void)orr_error_print(stdout);
    printf("engine: %s\n", orr_engine_name());
    return orr_shutdown() == ORR_OK && st == ORR_OK && sum == 1e9 ? 0 : WRONG;
}

static int without_a_home(void)
{
    static const char *const places[] = { "HOME", "XDG_CACHE_HOME", "STARPU_HOME", "TMPDIR" };
    for (int i = 0; i < 4; i++)
        (void)unsetenv(places[i]);
    return compute();
}

static void missing_home_directory_is_accepted(void)
{
    int rc = child(without_a_home);
    ORR_CHECK_MSG(rc == 0, "%d: %s", rc, said);
}

static int homes_that_cannot_be(void)
{
    static const char *const places[] = { "HOME", "XDG_CACHE_HOME", "STARPU_HOME" };
    for (int i = 0; i < 3; i++)
        (void)setenv(places[i], "/dev/null/home", 1);
    return compute();
}

static int home_that_cannot_be(void)
{
    (void)unsetenv("XDG_CACHE_HOME");
    (void)unsetenv("STARPU_HOME");
    (void)setenv("HOME", "/dev/null/home", 1);
    return compute();
}

static int caches_that_must_be(void)
{
    (void)setenv("ORRERY_ENGINE", "starpu", 1);
    return homes_that_cannot_be();
}

static bool have_starpu(void)
{
#ifdef HAVE_STARPU
    return true;
#else
    return false;
#endif
}

static void unwritable_cache_is_logged(void)
{
    int rc = child(home_that_cannot_be); /* another place is found */
    ORR_CHECK_MSG(rc == 0, "%d: %s", rc, said);
    rc = child(homes_that_cannot_be);
    ORR_CHECK_MSG(rc == 0, "%d: %s", rc, said);
    if (!have_starpu())
        ORR_SKIP("no StarPU in this build");
    ORR_CHECK_MSG(strstr(said, "/dev/null/home") && strstr(said, "/tmp/orrery-starpu-"), "%s", said);
    rc = child(caches_that_must_be);
    ORR_CHECK_MSG(rc == 0 && strstr(said, "/tmp/orrery-starpu-"), "%d: %s", rc, said);
}

static int no_worker(void)
{
    (void)setenv("STARPU_NCPU", "0", 1);
    (void)setenv("STARPU_NOPENCL", "0", 1);
    (void)setenv("STARPU_NCUDA", "0", 1);
    return compute();
}

static int no_worker_asked_for(void)
{
    (void)setenv("ORRERY_ENGINE", "starpu", 1);
    return no_worker();
}

static void run_without_workers_is_reported(void)
{
    int rc = child(no_worker);
    ORR_CHECK_MSG(rc == 0 && strstr(said, "engine: serial"), "%d: %s", rc, said);
    if (!have_starpu())
        ORR_SKIP("no StarPU in this build");
    ORR_CHECK_MSG(strstr(said, "no worker"), "%s", said);
    rc = child(no_worker_asked_for);
    ORR_CHECK_MSG(rc == NOT_STARTED && strstr(said, "worker"), "%d: %s", rc, said);
}

static int on_one_core(void)
{
    cpu_set_t all, one;
    int core = 0;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return WRONG;
    while (!CPU_ISSET((size_t)core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET((size_t)core, &one);
    (void)unsetenv("STARPU_NCPU");
    return sched_setaffinity(0, sizeof one, &one) == 0 ? compute() : WRONG;
}

static void workers_follow_the_cpuset(void)
{
    if (!have_starpu())
        ORR_SKIP("no StarPU in this build");
    int rc = child(on_one_core);
    ORR_CHECK_MSG(rc == 0 && strstr(said, "1 CPU worker,"), "%d: %s", rc, said);
}

static volatile sig_atomic_t terms;

static void on_term(int signal)
{
    (void)signal;
    terms++;
}

/* A program with a handler of its own that receives SIGTERM while it computes ends in its own way. */
static int until_term(void)
{
    struct sigaction own = { .sa_handler = on_term }, now;
    int steps = 0, began[2];
    char word = 0;
    if (sigaction(SIGTERM, &own, NULL) != 0 || orr_devices(NULL, 0) < 1 || pipe(began) != 0 || orr_init(NULL) != ORR_OK)
        return NOT_STARTED;
    if (sigaction(SIGTERM, NULL, &now) != 0 || now.sa_handler != on_term)
        return WRONG;
    pid_t self = getpid(), killer = fork();
    if (killer == 0) {
        _exit(read(began[0], &word, 1) == 1 && usleep(50000) == 0 && kill(self, SIGTERM) == 0 ? 0 : 1);
    }
    orr_status st = ORR_OK;
    for (; !terms && st == ORR_OK; steps++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(300, 300));
        st = orr_eval(orr_matmul(orr_exp(x), x));
        (void)orr_scope_end(s);
        if (steps == 0 && write(began[1], "x", 1) != 1)
            return WRONG;
    }
    (void)waitpid(killer, NULL, 0);
    printf("%d steps\n", steps);
    return st == ORR_OK && steps > 0 && orr_shutdown() == ORR_OK ? 0 : WRONG;
}

static void sigterm_reaches_the_programs_own_handler(void)
{
    int rc = child(until_term);
    ORR_CHECK_MSG(rc == 0, "%d: %s", rc, said);
}

static int until_killed(void)
{
    if (orr_init(NULL) != ORR_OK)
        return NOT_STARTED;
    (void)kill(getpid(), SIGTERM);
    (void)sleep(10);
    return WRONG;
}

static void sigterm_ends_a_program_without_one(void)
{
    int rc = child(until_killed);
    ORR_CHECK_MSG(rc == -SIGTERM, "%d: %s", rc, said);
}

static const char *wrong_name, *wrong_value;

static int wrong_variable(void)
{
    (void)setenv("ORRERY_ENGINE", "starpu", 1);
    (void)setenv(wrong_name, wrong_value, 1);
    return compute();
}

/* StarPU would end the process for such a value. */
static void invalid_starpu_variable_is_reported(void)
{
    static const char *const wrong[][2] = { { "STARPU_NTHREADS_PER_CORE", "0" }, { "STARPU_NTHREADS_PER_CORE", "x" },
                                            { "STARPU_WORKERS_GETBIND", "yes" }, { "STARPU_LIMIT_CPU_MEM", "2G" },
                                            { "STARPU_PREFETCH", "on" },         { "STARPU_HOSTNAME", "a/b" } };
    for (size_t i = 0; have_starpu() && i < sizeof wrong / sizeof *wrong; i++) {
        wrong_name = wrong[i][0];
        wrong_value = wrong[i][1];
        int rc = child(wrong_variable);
        ORR_CHECK_MSG(rc == NOT_STARTED && strstr(said, wrong_name) && strstr(said, "it takes: "), "%s=%s: %d: %s",
                      wrong_name, wrong_value, rc, said);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(missing_home_directory_is_accepted),
                                      ORR_TEST(unwritable_cache_is_logged),
                                      ORR_TEST(run_without_workers_is_reported),
                                      ORR_TEST(invalid_starpu_variable_is_reported),
                                      ORR_TEST(workers_follow_the_cpuset),
                                      ORR_TEST(sigterm_reaches_the_programs_own_handler),
                                      ORR_TEST(sigterm_ends_a_program_without_one),
                                      { 0 } };
    (void)setenv("STARPU_NOPENCL", "0", 0);
    (void)setenv("ORRERY_BACKEND", "cpu", 1);
    (void)setenv("ORRERY_LOG", "info", 1);
    return orr_test_main(argc, argv, "api.operator", tests);
}
