/* Many processes that start at once where StarPU has measured nothing yet: none is ended by a file that another one is
 * writing. Homes, files and limits for which StarPU ends the process: Orrery starts nevertheless.
 * Must not know: what StarPU measures. */
#include "config.h"

#include <fcntl.h>
#include <orrery.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/harness/harness.h"

enum { PROCESSES = 12 };

/* Runs in the child. Returns 0, or another number for each failure. */
static int start_with(const char *engine)
{
    double sum = 0;
    if (orr_init(&(orr_config){ .engine = engine }) != ORR_OK)
        return orr_error_print(stderr) + 1;
    orr_tensor *x = orr_sum(orr_ones(ORR_F32, ORR_SHAPE(1000)), ORR_ALL_AXES, false);
    if (orr_item(x, &sum) != ORR_OK || sum != 1000)
        return 3;
    return orr_shutdown() == ORR_OK ? 0 : 4;
}

static int start(void)
{
    return start_with("starpu");
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
        all_at_once(path); /* everything is measured */
    }
}

/* Measurements as in a home shared with another machine of the same name, or with processes with other devices: StarPU
 * measures again. */
static void measurements_of_other_processors(void)
{
    char path[4300];
    (void)setenv("STARPU_HOSTNAME", "here", 1);
    const char *home = orr_test_tmp("others");
    ORR_REQUIRE(mkdir(home, 0700) == 0);
    (void)snprintf(path, sizeof path, "%s/.starpu/sampling/bus/here.config", home);
    for (int k = 0; k < (orr_test_full() ? 10 : 4); k++) {
        if (k > 0) {
            FILE *f = fopen(path, "r+e");
            char line[16] = "";
            ORR_REQUIRE(f && fgets(line, sizeof line, f) != NULL);
            /* the first number counts the processors */
            for (int c; (c = fgetc(f)) != EOF && (c < '0' || c > '9');)
                ;
            ORR_CHECK(fseek(f, -1, SEEK_CUR) == 0 && fputc('7', f) == '7' && fclose(f) == 0);
        }
        all_at_once(home);
    }
    (void)unsetenv("STARPU_HOSTNAME");
}

/* The holder of the lock was killed, which released the lock. */
static void a_lock_goes_with_its_process(void)
{
    char home[4096], path[4200];
    (void)setenv("STARPU_HOSTNAME", "here", 1);
    static const char *const parts[] = { "", "/.starpu", "/.starpu/sampling" };
    (void)snprintf(home, sizeof home, "%s", orr_test_tmp("killed"));
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s%s", home, parts[i]);
        ORR_REQUIRE(mkdir(path, 0700) == 0);
    }
    (void)snprintf(path, sizeof path, "%s/.starpu/sampling/here.orrery.lock", home);
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
    ORR_CHECK(waitpid(waits, &status, WNOHANG) == 0); /* the other waits */
    (void)kill(pid, SIGKILL);
    ORR_CHECK(waitpid(waits, &status, 0) == waits && status == 0);
    (void)waitpid(pid, &status, 0);
    close(told[0]);
    close(told[1]);
    (void)unsetenv("STARPU_HOSTNAME");
}

/* The XDG base directory specification requires it to be ignored; StarPU would create it in the current directory. */
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

/* docs/starpu.md: the folder by name, else .starpu/sampling of the first of these that is set. */
static void measurements_are_where_the_page_says(void)
{
    static const char *const name[] = { "STARPU_PERF_MODEL_DIR", "XDG_CACHE_HOME", "STARPU_HOME", "HOME" };
    enum { NAMES = sizeof name / sizeof *name };
    char home[NAMES][4096], path[4200];
    (void)setenv("STARPU_HOSTNAME", "here", 1);
    for (int i = 0; i < NAMES; i++) {
        (void)snprintf(home[i], sizeof home[i], "%s.%d", orr_test_tmp("place"), i);
        ORR_REQUIRE(mkdir(home[i], 0700) == 0 && setenv(name[i], home[i], 1) == 0);
    }
    for (int first = 0; first < NAMES; first++) {
        int status = -1;
        pid_t pid = fork();
        if (pid == 0)
            _exit(start());
        ORR_CHECK(waitpid(pid, &status, 0) == pid && status == 0);
        for (int i = first; i < NAMES; i++) {
            (void)snprintf(path, sizeof path, "%s%s/bus", home[i], i ? "/.starpu/sampling" : "");
            ORR_CHECK_MSG((access(path, F_OK) == 0) == (i == first), "%s, with %s as the first", name[i], name[first]);
        }
        (void)unsetenv(name[first]);
    }
    (void)setenv("HOME", home[NAMES - 1], 1);
    (void)unsetenv("STARPU_HOSTNAME");
}

/* -- homes for which StarPU would end the process ------------------------------------------------------------------------- */

/* Makes a fresh home, sets it in the environment; bus: StarPU's files in it. */
static void new_home(const char *name, char *bus, size_t size)
{
    const char *home = orr_test_tmp(name);
    ORR_CHECK(mkdir(home, 0700) == 0);
    (void)setenv("HOME", home, 1);
    (void)unsetenv("STARPU_HOME");
    (void)unsetenv("XDG_CACHE_HOME");
    (void)unsetenv("STARPU_PERF_MODEL_DIR");
    (void)setenv("STARPU_HOSTNAME", "here", 1);
    (void)snprintf(bus, size, "%s/.starpu/sampling/bus", home);
}

/* The exit status of a child that calls prepare, which returns 0 or 77, and starts the library; -1: ended by a signal. */
static int ended(int (*prepare)(const void *), const void *with, const char *engine)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        int rc = prepare ? prepare(with) : 0;
        _exit(rc ? rc : start_with(engine));
    }
    bool ok = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status);
    return ok ? WEXITSTATUS(status) : -1;
}

static const char *const bus_files[] = { "here.config",  "here.affinity",     "here.bandwidth",
                                         "here.latency", "here.platform.xml", "here.platform.v4.xml" };
enum { BUS_FILES = sizeof bus_files / sizeof *bus_files };

static void files_that_were_cut_are_measured_anew(void)
{
    char bus[4200], path[4300];
    new_home("cut", bus, sizeof bus);
    ORR_CHECK(ended(NULL, NULL, "starpu") == 0);
    for (int i = 0; i < 2 * BUS_FILES; i++) {
        struct stat st;
        (void)snprintf(path, sizeof path, "%s/%s", bus, bus_files[i % BUS_FILES]);
        if (stat(path, &st) != 0)
            continue; /* StarPU 1.4 has fewer */
        ORR_CHECK(truncate(path, i < BUS_FILES ? 0 : st.st_size / 2) == 0);
        int rc = ended(NULL, NULL, "starpu");
        ORR_CHECK_MSG(rc == 0, "%s cut: %d", bus_files[i % BUS_FILES], rc);
        off_t was = st.st_size;
        ORR_CHECK_MSG(stat(path, &st) == 0 && st.st_size > was / 2, "%s is as it was", path);
    }
}

/* Files can be created, but not written. */
static int nothing_is_written(const void *unused)
{
    (void)unused;
    (void)signal(SIGXFSZ, SIG_IGN);
    return setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 0, 0 }) == 0 ? 0 : 77;
}

static void the_serial_engine_runs_if_no_folder_can_be_written(void)
{
    char bus[4200], path[4300];
    struct stat st;
    new_home("full", bus, sizeof bus);
    int rc = ended(nothing_is_written, NULL, "auto");
    ORR_CHECK_MSG(rc == 0, "status %d", rc);
    for (int i = 0; i < BUS_FILES; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", bus, bus_files[i]);
        ORR_CHECK_MSG(stat(path, &st) != 0, "%s was left", path);
    }
    ORR_CHECK(ended(NULL, NULL, "starpu") == 0);
}

static bool put_line(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return ok;
}

/* A full disk, as the root of a user namespace may mount it. */
static int home_is_a_full_disk(const void *home)
{
    static const char zeros[4096];
    char path[4200], users[40], groups[40];
    (void)snprintf(users, sizeof users, "0 %lu 1", (unsigned long)getuid());
    (void)snprintf(groups, sizeof groups, "0 %lu 1", (unsigned long)getgid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !put_line("/proc/self/setgroups", "deny") ||
        !put_line("/proc/self/uid_map", users) || !put_line("/proc/self/gid_map", groups) ||
        mount("none", home, "tmpfs", 0, "size=16k") != 0)
        return 77;
    (void)snprintf(path, sizeof path, "%s/fill", (const char *)home);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    while (fd >= 0 && write(fd, zeros, sizeof zeros) > 0)
        ;
    return fd < 0 ? 77 : 0;
}

static void a_full_home_is_not_written_to(void)
{
    char bus[4200];
    new_home("disk", bus, sizeof bus);
    int rc = ended(home_is_a_full_disk, getenv("HOME"), "starpu");
    if (rc == 77)
        ORR_SKIP("this user may not mount anything");
    ORR_CHECK_MSG(rc == 0, "ended with %d", rc);
}

/* -- limits below StarPU's needs ------------------------------------------------------------------------------------------ */

static int few_files(const void *n)
{
    rlim_t most = *(const rlim_t *)n;
    return setrlimit(RLIMIT_NOFILE, &(struct rlimit){ most, most }) == 0 ? 0 : 77;
}

/* The limit is added to the address space of the program and its libraries: on Debian 12 that is 70 MiB, on Debian 13 340. */
static int few_addresses(const void *mib)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    bool known = f && fscanf(f, "%llu", &pages) == 1;
    if (f)
        (void)fclose(f);
    rlim_t most = (*(const rlim_t *)mib << 20) + (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
    return known && setrlimit(RLIMIT_AS, &(struct rlimit){ most, most }) == 0 ? 0 : 77;
}

static void with_few_files_the_serial_engine_runs(void)
{
    static const rlim_t most[] = { 4, 5, 6, 8, 12, 16, 32 };
    char bus[4200], name[20];
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        (void)snprintf(name, sizeof name, "files%d", (int)most[i]);
        new_home(name, bus, sizeof bus);
        int rc = ended(few_files, &most[i], "auto");
        ORR_CHECK_MSG(rc == 0, "with %d files: %d", (int)most[i], rc);
    }
}

static void with_few_addresses_the_serial_engine_runs(void)
{
#if ORR_TEST_SANITIZED
    ORR_SKIP("sanitizers need terabytes of addresses");
#endif
    static const rlim_t most[] = { 100, 150, 200, 250, 300, 350, 400, 450, 550, 750, 1150 };
    const char *preload = getenv("LD_PRELOAD");
    char bus[4200], name[20];
    if (preload && strstr(preload, "vgpreload"))
        ORR_SKIP("valgrind needs more addresses than it leaves");
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        (void)snprintf(name, sizeof name, "addresses%d", (int)most[i]);
        new_home(name, bus, sizeof bus);
        int rc = ended(few_addresses, &most[i], "auto");
        ORR_CHECK_MSG(rc == 0 || (most[i] < 150 && rc == 3), "with %d MiB: %d", (int)most[i], rc); /* 3: a refusal */
    }
}

int main(int argc, char **argv)
{
#ifdef HAVE_STARPU
    static const orr_test tests[] = { ORR_TEST(the_first_starts_of_many_processes),
                                      ORR_TEST(measurements_of_other_processors),
                                      ORR_TEST(a_lock_goes_with_its_process),
                                      ORR_TEST(a_relative_cache_home_is_ignored),
                                      ORR_TEST(measurements_are_where_the_page_says),
                                      ORR_TEST(files_that_were_cut_are_measured_anew),
                                      ORR_TEST(the_serial_engine_runs_if_no_folder_can_be_written),
                                      ORR_TEST(a_full_home_is_not_written_to),
                                      ORR_TEST(with_few_files_the_serial_engine_runs),
                                      ORR_TEST(with_few_addresses_the_serial_engine_runs),
                                      { 0 } };
    (void)setenv("ORRERY_BACKEND", "cpu", 1);
    return orr_test_main(argc, argv, "engine.home", tests);
#else
    (void)argc;
    (void)argv;
    return 77;
#endif
}
