/* A directory in which StarPU can write: StarPU aborts the process if its directory cannot be made, or if its files are truncated.
 * Must not know: what StarPU keeps there. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/private_file.h"
#include "runtime/base/signals.h"
#include "runtime/engine/starpu/starpu.h"

/* The directories that StarPU tries, in its order. */
static const char *place(const char **name)
{
    static const char *const names[] = { "XDG_CACHE_HOME", "STARPU_HOME", "HOME", "TMPDIR", "TEMP", "TMP" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((*name = names[i], getenv(names[i])))
            return getenv(names[i]);
    *name = "";
    return "/tmp";
}

static bool make_path(char *path)
{
    struct stat st;

    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        (void)mkdir(path, 0700);
        *p = '/';
    }
    (void)mkdir(path, 0700);
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && access(path, W_OK | X_OK) == 0;
}

/* -- StarPU's measurements of this host's memories ---------------------------------------------------------------------- */

static void host_name(char name[HOST_NAME_MAX + 1])
{
    const char *host = getenv("STARPU_HOSTNAME");
    name[0] = '\0';
    if (host)
        (void)snprintf(name, HOST_NAME_MAX + 1, "%s", host);
    else if (gethostname(name, HOST_NAME_MAX) == 0)
        name[strcspn(name, ".")] = '\0';
}

/* For each file: its name after the host's, and the end of a complete one. StarPU ends the process when it reads an incomplete file. */
static const struct {
    const char *name, *end;
    bool needed;
} files[] = { { "config", "\n", true },
              { "affinity", "\n", true },
              { "bandwidth", "\n", true },
              { "latency", "\n", true },
              { "platform.xml", "</platform>\n", false },
              { "platform.v4.xml", "</platform>\n", false } };
enum { FILES = sizeof files / sizeof *files };

static bool file_path(const char *dir, int i, char path[PATH_MAX])
{
    char host[HOST_NAME_MAX + 1];
    host_name(host);
    int n = snprintf(path, PATH_MAX, "%s/bus/%s.%s", dir, host, files[i].name);
    return n > 0 && n < PATH_MAX;
}

typedef enum { ABSENT, CUT, WHOLE } condition;

/* CUT: a file truncated by a full disk or a killed process. */
static condition look_at(const char *dir, int i)
{
    char path[PATH_MAX], end[16];
    size_t n = strlen(files[i].end);
    int fd = file_path(dir, i, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return ABSENT;
    off_t size = lseek(fd, 0, SEEK_END);
    bool whole = size >= (off_t)n && pread(fd, end, n, size - (off_t)n) == (ssize_t)n && !memcmp(end, files[i].end, n);
    close(fd);
    return whole ? WHOLE : CUT;
}

/* True if all files exist and are complete. */
static bool measured(const char *dir)
{
    bool all = true;
    for (int i = 0; i < FILES && all; i++) {
        condition c = look_at(dir, i);
        all = c == WHOLE || (c == ABSENT && !files[i].needed);
    }
    return all;
}

/* If one file is truncated, removes all, so that StarPU measures again. */
static void remove_cut(const char *dir)
{
    char path[PATH_MAX];
    bool any = false;
    for (int i = 0; i < FILES; i++)
        any = any || look_at(dir, i) == CUT;
    for (int i = 0; i < FILES && any; i++)
        if (file_path(dir, i, path))
            (void)unlink(path);
}

/* -- the directory ------------------------------------------------------------------------------------------------------- */

/* The folder of StarPU's measurements. */
static bool sampling(char path[PATH_MAX])
{
    const char *dir = getenv("STARPU_PERF_MODEL_DIR"), *which;
    const char *base = dir ? dir : place(&which);
    int n = snprintf(path, PATH_MAX, "%s%s", base, dir ? "" : "/.starpu/sampling");
    return n > 0 && n < PATH_MAX;
}

/* True if a file as large as the measurements can be written. */
static bool has_room(const char *dir)
{
    enum { LARGEST = 64 << 10 }; /* limit of memory */
    static const char page[4096] = "measurements";
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/orrery.room.XXXXXX", dir);
    int fd = n > 0 && (size_t)n < sizeof path ? mkostemp(path, O_CLOEXEC) : -1;
    bool ok = fd >= 0;
    if (!ok)
        return false;
    (void)unlink(path);
    ORR__GUARD_WRITES;
    for (size_t at = 0; at < LARGEST && ok; at += sizeof page)
        ok = write(fd, page, sizeof page) == (ssize_t)sizeof page;
    return close(fd) == 0 && ok;
}

static bool usable(const char *dir)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/codelets", dir);
    return n > 0 && (size_t)n < sizeof path && make_path(path) && (measured(dir) || has_room(dir));
}

orr_status orr__star_home(orr__site at)
{
    const char *name, *base = place(&name);
    char path[64], dir[PATH_MAX];

    if (strcmp(name, "XDG_CACHE_HOME") == 0 && base[0] != '/') { /* the specification ignores it, StarPU does not */
        (void)unsetenv(name);
        base = place(&name);
    }
    bool there = getenv("STARPU_PERF_MODEL_DIR") || strcmp(name, "STARPU_HOME") == 0 || orr__base_is_there(name, base);
    if (there && sampling(dir) && usable(dir))
        return ORR_OK;
    if (!getenv("STARPU_PERF_MODEL_DIR") && orr__own_tmp("starpu", path, sizeof path) && usable(path) &&
        setenv("STARPU_PERF_MODEL_DIR", path, 1) == 0) {
        orr__log(2, "StarPU cannot write its measurements under %s%s, and writes them to %s", base,
                 there ? "" : ", which is not there", path);
        return ORR_OK;
    }
    return orr__fail(at, ORR_EDEVICE, "StarPU cannot write its measurements under %s (%s)", base,
                     name[0] ? name : "no home directory is set");
}

/* StarPU 1.4 searches its own installation for models, and warns in every run if it has no such folder. Debian's package has none, and
 * STARPU_SILENT has no influence. The search happens at the first need: here, for some microseconds, with a stderr that drops the text.
 * A user who names folders in STARPU_PERF_MODEL_PATH sees StarPU's warnings about them. */
void orr__star_home_look(void)
{
#if defined(__GLIBC__) && (STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4)
    static FILE *nowhere; /* stays open: another thread that prints at this moment may hold it */
    FILE *out = stderr;

    if (getenv("STARPU_PERF_MODEL_PATH") || (!nowhere && !(nowhere = fopen("/dev/null", "we"))))
        return;
    stderr = nowhere;
    starpu_perfmodel_directory(nowhere);
    stderr = out;
#endif
}

/* Locks even if everything is measured: StarPU measures again, and overwrites the files, if they are of other processors or devices than
 * those of this process, which only StarPU can tell. Other processes would read the files meanwhile. The files belong to one host, and
 * so does the lock. */
int orr__star_home_lock(void)
{
    enum { PATIENCE = 60 }; /* limit of patience: s; a longer wait means that a process hangs, so StarPU may try */
    char dir[PATH_MAX], path[PATH_MAX + HOST_NAME_MAX + 16], host[HOST_NAME_MAX + 1];
    double end = orr__now() + PATIENCE;
    if (!sampling(dir))
        return -1;
    host_name(host);
    (void)snprintf(path, sizeof path, "%s/%s.orrery.lock", dir, host);
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || orr__now() > end) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){ 0, 500000 }, NULL);
    }
    if (!measured(dir))
        remove_cut(dir); /* no process is writing them */
    return fd;
}

void orr__star_home_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
