/* Tests that run as 1, 2, 3 and 4 ranks: the program starts itself under mpirun.
 * Must not know: what is tested. */
#include "config.h"
#include "tests/harness/ranks.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST = 64, OUTCOMES = 256 };

/* Reads Open MPI's variables, then those of MPICH and its derivatives. */
static int number_of(const char *open_mpi, const char *pmi, int fallback)
{
    const char *value = getenv(open_mpi) ? getenv(open_mpi) : getenv(pmi);
    return value ? atoi(value) : fallback;
}

int orr_test_rank(void)
{
    return number_of("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0);
}

int orr_test_ranks(void)
{
    return number_of("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);
}

const char *orr_test_ranks_lack(void)
{
    char path[1024];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(path, sizeof path, "%s/.libs/orrery-mpi.so", build ? build : ".");
    if (access(path, R_OK) != 0)
        return "the library is built without MPI";
    if (system("mpirun --version >/dev/null 2>&1") != 0) /* NOLINT(cert-env33-c): a test */
        return "there is no mpirun";
    return NULL;
}

/* Configures MPI by the environment, so that one command suits every MPI: root may run it, ranks share cores and yield
 * them while they wait, messages stay on this machine. */
void orr_test_ranks_environment(void)
{
    static const char *const setting[][2] = {
        { "OMPI_ALLOW_RUN_AS_ROOT", "1" },
        { "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1" },
        { "OMPI_MCA_rmaps_base_oversubscribe", "1" },
        { "OMPI_MCA_hwloc_base_binding_policy", "none" },
        { "OMPI_MCA_mpi_yield_when_idle", "1" },
        { "OMPI_MCA_btl", "self,vader" },
        { "OMPI_MCA_btl_base_warn_component_unused", "0" },
        { "OMPI_MCA_oob_tcp_if_include", "lo" },
        { "PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe" },
        { "PRTE_MCA_hwloc_default_binding_policy", "none" },
    };
    for (size_t i = 0; i < sizeof setting / sizeof *setting; i++)
        (void)setenv(setting[i][0], setting[i][1], 1);
    char path[4096];
    const char *build = getenv("ORR_BUILDDIR"), *was = getenv("LD_LIBRARY_PATH");
    (void)snprintf(path, sizeof path, "%s/.libs%s%s", build ? build : ".", was ? ":" : "", was ? was : "");
    (void)setenv("LD_LIBRARY_PATH", path, 1);
}

static const char *self(void)
{
    static char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return path;
}

int orr_test_ranks_spawn(int n, char *const *options, char *const *argv, int fd)
{
    char count[16];
    char *all[MOST] = { "mpirun", "-n", count };
    int at = 3;
    (void)snprintf(count, sizeof count, "%d", n);
    for (; options && *options && at < MOST - 2; options++)
        all[at++] = *options;
    all[at++] = argv[0] ? argv[0] : (char *)self();
    for (argv++; *argv && at < MOST - 1; argv++)
        all[at++] = *argv;
    orr_test_ranks_environment();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fd, 1);
    posix_spawn_file_actions_adddup2(&actions, fd, 2);
    pid_t pid = -1;
    if (posix_spawnp(&pid, "mpirun", &actions, NULL, all, environ) != 0)
        pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    return (int)pid;
}

static int run_as_rank(int argc, char **argv, const char *topic, const orr_test *tests)
{
    char path[1024];
    (void)alarm(getenv("ORR_TEST_FULL") ? 7200 : 300); /* seconds; the long forms do many times the work */
    int rc = orr_test_main(argc, argv, topic, tests);
    (void)snprintf(path, sizeof path, "%s/rank%d", getenv("ORR_TEST_RANKS"), orr_test_rank());
    FILE *f = fopen(path, "we");
    if (f) {
        (void)fprintf(f, "%s\n", orr_test_outcomes());
        (void)fclose(f);
    }
    return rc;
}

/* The results of a rank's tests, a letter each; empty: it did not finish them. */
static void outcomes_of(int rank, char to[OUTCOMES])
{
    char name[32];
    (void)snprintf(name, sizeof name, "rank%d", rank);
    const char *path = orr_test_tmp(name);
    FILE *f = fopen(path, "re");
    to[0] = '\0';
    if (f) {
        if (!fgets(to, OUTCOMES, f))
            to[0] = '\0';
        to[strcspn(to, "\n")] = '\0';
        (void)fclose(f);
        (void)unlink(path);
    }
}

static int count(const orr_test *tests, int argc, char **argv)
{
    int n = 0;
    for (; tests->name; tests++) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted = wanted || strstr(tests->name, argv[i]);
        n += wanted;
    }
    return n;
}

/* A test has failed if it failed on any rank, and is skipped if any rank skipped it. */
static char worse(char a, char b)
{
    return a == 'f' || b == 'f' ? 'f' : a == 's' || b == 's' ? 's' : 'p';
}

/* all: the combined result of each test on n ranks. */
static void run_size(int n, char **argv, int tests, char all[OUTCOMES])
{
    char *const args[] = { NULL, argv[1], argv[1] ? argv[2] : NULL, NULL };
    int status = 0;
    pid_t pid = orr_test_ranks_spawn(n, NULL, args, 1);
    bool ok = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
              (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
    memset(all, 'p', OUTCOMES);
    for (int r = 0; r < n; r++) {
        char one[OUTCOMES];
        outcomes_of(r, one);
        bool ended = strlen(one) == (size_t)tests;
        if (!ended || strchr(one, 'f'))
            printf("    rank %d of %d: %s\n", r, n, ended ? "tests failed" : "did not come to the end of its tests");
        for (int i = 0; i < tests; i++)
            all[i] = worse(all[i], ended ? one[i] : 'f');
    }
    if (!ok && tests > 0 && !memchr(all, 'f', (size_t)tests)) {
        printf("    mpirun failed after the tests of all ranks\n");
        all[tests - 1] = 'f';
    }
}

static int summary(int passed, int failed, int skipped)
{
    printf("orr-test: %d %d %d\n", passed, failed, skipped);
    return failed ? 1 : passed == 0 && skipped > 0 ? 77 : 0;
}

int orr_test_ranks_main(int argc, char **argv, const char *topic, const orr_test *tests, const int *sizes)
{
    if (getenv("ORR_TEST_RANKS"))
        return run_as_rank(argc, argv, topic, tests);
    setvbuf(stdout, NULL, _IOLBF, 0);
    (void)setenv("ORR_TEST_RANKS", orr_test_tmp("."), 1);
    const char *lack = orr_test_ranks_lack();
    int each = count(tests, argc, argv), passed = 0, failed = 0, skipped = 0;
    for (; *sizes; sizes++) {
        if (lack) {
            printf("  skip %s with %d ranks: %s\n", topic, *sizes, lack);
            skipped += each;
            continue;
        }
        printf("%s with %d ranks:\n", topic, *sizes);
        char all[OUTCOMES];
        run_size(*sizes, argv, each, all);
        for (int i = 0; i < each; i++) {
            passed += all[i] == 'p';
            failed += all[i] == 'f';
            skipped += all[i] == 's';
        }
    }
    orr_test_tmp_remove();
    return summary(passed, failed, skipped);
}
