/* A place where StarPU may write: it aborts the process when its directory cannot be made.
 * Must not know: what StarPU keeps there. */
#include "config.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/engine/star.h"

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

    if (usable(base))
        return ORR_OK;
    if (strcmp(name, "XDG_CACHE_HOME") != 0 && own(path, sizeof path) && usable(path) &&
        setenv("STARPU_HOME", path, 1) == 0)
        return ORR_OK;
    return orr__fail(at, ORR_EDEVICE, "StarPU cannot write its measurements under %s (%s)", base,
                     name[0] ? name : "no home directory is set");
}
