/* A place where StarPU may write: it aborts the process when its directory cannot be made.
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
#include "runtime/engine/starpu/starpu.h"

/* Where StarPU looks, in its order. */
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

static bool usable(const char *base)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/.starpu/sampling/codelets", base);

    return n > 0 && (size_t)n < sizeof path && make_path(path);
}

/* A directory of our own; not one that somebody else has put there. */
static bool own(char *path, size_t size)
{
    struct stat st;
    int n = snprintf(path, size, "/tmp/orrery-starpu-%lu", (unsigned long)getuid());

    if (n <= 0 || (size_t)n >= size || (mkdir(path, 0700) != 0 && errno != EEXIST))
        return false;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == getuid() && (st.st_mode & 022) == 0;
}

orr_status orr__star_home(orr__site at)
{
    const char *name, *base = place(&name);
    char path[64];

    if (strcmp(name, "XDG_CACHE_HOME") == 0 && base[0] != '/') { /* the specification has it ignored, StarPU has not */
        (void)unsetenv(name);
        base = place(&name);
    }
    if (usable(base))
        return ORR_OK;
    if (strcmp(name, "XDG_CACHE_HOME") != 0 && own(path, sizeof path) && usable(path) &&
        setenv("STARPU_HOME", path, 1) == 0)
        return ORR_OK;
    return orr__fail(at, ORR_EDEVICE, "StarPU cannot write its measurements under %s (%s)", base,
                     name[0] ? name : "no home directory is set");
}

/* StarPU 1.4 looks for models in its own installation, and warns in every run where that has no such folder; Debian's has
 * none, and STARPU_SILENT has no influence. It looks at the first need: here, for some microseconds, with a stderr that
 * drops the text. Whoever names folders in STARPU_PERF_MODEL_PATH reads StarPU's warnings of them. */
void orr__star_home_look(void)
{
#if defined(__GLIBC__) && (STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4)
    static FILE *nowhere; /* stays open: a thread that prints just now may hold it */
    FILE *out = stderr;

    if (getenv("STARPU_PERF_MODEL_PATH") || (!nowhere && !(nowhere = fopen("/dev/null", "we"))))
        return;
    stderr = nowhere;
    starpu_perfmodel_directory(nowhere);
    stderr = out;
#endif
}

/* StarPU's folder of measurements. */
static bool sampling(const char *name, char path[PATH_MAX])
{
    const char *dir = getenv("STARPU_PERF_MODEL_DIR"), *which;
    const char *base = dir ? dir : place(&which);
    int n = snprintf(path, PATH_MAX, "%s%s/%s", base, dir ? "" : "/.starpu/sampling", name);

    return n > 0 && n < PATH_MAX;
}

/* The last of StarPU's files of this host's memories. */
static bool measured(void)
{
    const char *host = getenv("STARPU_HOSTNAME"), *again = getenv("STARPU_BUS_CALIBRATE");
    char own_name[HOST_NAME_MAX + 1] = "", name[HOST_NAME_MAX + 32], path[PATH_MAX];

    if (again && atoi(again) > 0)
        return false;
    if (!host && gethostname(own_name, sizeof own_name - 1) == 0)
        host = strtok(own_name, ".");
    (void)snprintf(name, sizeof name, "bus/%.*s.config", HOST_NAME_MAX, host ? host : "");
    return sampling(name, path) && access(path, R_OK) == 0;
}

int orr__star_home_lock(void)
{
    enum { PATIENCE = 60 }; /* s; by then something hangs, and StarPU may try */
    char path[PATH_MAX];
    double end = orr__now() + PATIENCE;
    int fd =
        measured() || !sampling("orrery.lock", path) ? -1 : open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || orr__now() > end) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
    }
    return fd;
}

void orr__star_home_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
