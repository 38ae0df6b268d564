/* Runs another program: no shell, a time limit, its output captured, no child left running.
 * Must not know: the purpose of the program. */
#include "config.h"
#include "codelets/jit/internal.h"
#include "runtime/base/clock.h"
#include "runtime/base/threshold.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Our environment with another TMPDIR, messages in English, and without our preloaded libraries. The caller frees
 * it. */
static char **environment(char *tmpdir, char *language)
{
    size_t n = 0, k = 0;
    while (environ && environ[n])
        n++;
    char **e = calloc(n + 3, sizeof *e);
    if (!e)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0 && strncmp(environ[i], "LC_ALL=", 7) != 0 &&
            strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
            e[k++] = environ[i];
    e[k++] = tmpdir;
    e[k] = language;
    return e;
}

/* A separate process group, so that all its children can be killed; signals as in a fresh program. */
static int prepare(posix_spawnattr_t *attr, posix_spawn_file_actions_t *files, int out)
{
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    int rc = posix_spawnattr_setpgroup(attr, 0);
    rc = rc ? rc : posix_spawnattr_setsigmask(attr, &none);
    rc = rc ? rc : posix_spawnattr_setsigdefault(attr, &all);
    rc = rc ? rc
            : posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    rc = rc ? rc : posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(files, out, 1);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(files, out, 2);
    return rc;
}

static int start(pid_t *pid, const char *const *argv, char **env, int out)
{
    posix_spawnattr_t attr;
    posix_spawn_file_actions_t files;
    if (posix_spawnattr_init(&attr) != 0)
        return ENOMEM;
    if (posix_spawn_file_actions_init(&files) != 0) {
        (void)posix_spawnattr_destroy(&attr);
        return ENOMEM;
    }
    int rc = prepare(&attr, &files, out);
    if (!rc) {
        char *args[64];
        size_t n = 0;
        for (; argv[n] && n < 63; n++)
            memcpy(&args[n], &argv[n], sizeof *args); /* posix_spawn does not write to them */
        args[n] = NULL;
        rc = posix_spawn(pid, argv[0], &files, &attr, args, env);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    (void)posix_spawnattr_destroy(&attr);
    return rc;
}

/* Reads the available bytes. False if the other end is closed. */
static bool drain(int fd, char *said, size_t size, size_t *have)
{
    char buf[1024];
    ssize_t n = read(fd, buf, sizeof buf);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    for (ssize_t i = 0; i < n && *have + 1 < size; i++)
        said[(*have)++] = buf[i];
    if (size)
        said[*have < size ? *have : size - 1] = '\0';
    return n > 0;
}

/* The process number in the name of a directory of /proc, or 0. */
static pid_t pid_of(const char *name)
{
    long n = 0;
    for (; *name >= '0' && *name <= '9' && n < 1 << 28; name++)
        n = 10 * n + (*name - '0');
    return *name ? 0 : (pid_t)n;
}

/* Processor seconds of a process and its ended children, if the process is in this group. */
static double seconds_of(pid_t pid, pid_t group)
{
    char path[40], line[1024];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    if (fd >= 0)
        close(fd);
    line[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(line, ')'); /* the name may contain anything */
    int of = 0;
    unsigned long t[4] = { 0, 0, 0, 0 };
    if (!name_end ||
        sscanf(name_end + 1, " %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &of, &t[0], &t[1], &t[2],
               &t[3]) != 5 ||
        of != group)
        return 0;
    return (double)(t[0] + t[1] + t[2] + t[3]) / (double)sysconf(_SC_CLK_TCK);
}

/* Processor seconds of the group; negative: unknown. */
static double group_seconds(pid_t group)
{
    double sum = 0;
    DIR *d = opendir("/proc");
    const struct dirent *e;
    if (!d)
        return -1;
    while ((e = readdir(d)))
        if (pid_of(e->d_name))
            sum += seconds_of(pid_of(e->d_name), group);
    (void)closedir(d);
    return sum;
}

/* The processor time of a group, read only twice a second: there may be many processes. */
typedef struct {
    orr__patience patience;
    double started, looked, worked, since; /* worked: seconds; since: the time of their last increase */
} work;

enum { LOOKS_PER_SECOND = 2 };

/* RAN: it may continue. */
static orr__spawned look_at_work(work *w, pid_t group)
{
    double now = orr__now();
    if (now - w->looked < 1.0 / LOOKS_PER_SECOND)
        return ORR__RAN;
    double seconds = group_seconds(group);
    w->looked = now;
    if (seconds < 0)
        return now - w->started > w->patience.rest ? ORR__STALLED : ORR__RAN;
    if (seconds > w->worked)
        w->since = now;
    w->worked = seconds > w->worked ? seconds : w->worked;
    return w->worked > w->patience.work ? ORR__TOO_LONG : now - w->since > w->patience.rest ? ORR__STALLED : ORR__RAN;
}

/* Has the child ended? A program that waits for all children may have consumed the status: the child's output must then
 * be used instead. */
static bool ended(pid_t pid, orr__spawned *how)
{
    siginfo_t info = { 0 };
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
        *how = ORR__RAN;
        return errno != EINTR;
    }
    if (info.si_pid == 0)
        return false;
    bool left = info.si_code == CLD_EXITED, killed = !left && info.si_status == SIGKILL;
    *how = left && info.si_status == 0     ? ORR__RAN
           : left && info.si_status == 127 ? ORR__CANNOT_RUN
           : killed                        ? ORR__KILLED
                                           : ORR__RAN_BADLY;
    (void)kill(-pid, SIGKILL); /* its remaining children; the group's number is not reused before the next line */
    (void)waitpid(pid, NULL, 0);
    return true;
}

static orr__spawned watch(pid_t pid, int out, work *w, int stop_fd, char *said, size_t size)
{
    orr__spawned how = ORR__RAN;
    size_t have = 0;
    bool open = true;
    while (!ended(pid, &how)) {
        struct pollfd p[2] = { { .fd = open ? out : -1, .events = POLLIN }, { .fd = stop_fd, .events = POLLIN } };
        /* Its output closes when it ends, so this is a short wait. */
        bool stopped = poll(p, 2, open ? 100 : 2) > 0 && p[1].revents;
        how = stopped ? ORR__STOPPED : look_at_work(w, pid);
        if (how != ORR__RAN) {
            (void)kill(-pid, SIGKILL);
            (void)kill(pid, SIGKILL);
            while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
                ;
            return how;
        }
        if (open && p[0].revents)
            open = drain(out, said, size, &have);
    }
    struct pollfd rest = { .fd = out, .events = POLLIN };
    while (open && poll(&rest, 1, 0) > 0 && drain(out, said, size, &have))
        ;
    return how;
}

/* An idle core is still its own. A failure is no loss. The increment is that of nice(1). */
static void be_polite(pid_t pid)
{
    enum { NICE = 10 }; /* limit of the machine */
    if (getpriority(PRIO_PROCESS, (id_t)pid) < NICE)
        (void)setpriority(PRIO_PROCESS, (id_t)pid, NICE);
}

orr__spawned orr__spawn(const char *const *argv, const char *tmp, bool polite, orr__patience patience, int stop_fd,
                        char *said, size_t size)
{
    char tmpdir[1100], language[] = "LC_ALL=C";
    int ends[2];
    pid_t pid = -1;
    if (size)
        said[0] = '\0';
    (void)snprintf(tmpdir, sizeof tmpdir, "TMPDIR=%s", tmp);
    char **env = environment(tmpdir, language);
    if (!env || pipe2(ends, O_CLOEXEC) != 0) {
        (void)snprintf(said, size, "%s", strerror(errno));
        free(env);
        return ORR__CANNOT_RUN_NOW;
    }
    double now = orr__now();
    work w = { patience, now, now, 0, now };
    int rc = start(&pid, argv, env, ends[1]);
    close(ends[1]);
    free(env);
    bool later = rc == EAGAIN || rc == ENOMEM || rc == EMFILE || rc == ENFILE;
    orr__spawned how = later ? ORR__CANNOT_RUN_NOW : ORR__CANNOT_RUN;
    if (rc == 0 && polite)
        be_polite(pid);
    if (rc == 0)
        how = watch(pid, ends[0], &w, stop_fd, said, size);
    else
        (void)snprintf(said, size, "%s", strerror(rc));
    close(ends[0]);
    return how;
}
