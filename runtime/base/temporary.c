/* Temporary files beside the file that they become. A process that was killed leaves its file, which the next writer or reader of the same
 * target removes.
 * Must not know: their content. */
#include "config.h"
#include "runtime/base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/base/buffer.h"

/* True for ".PID-N.tmp". */
static bool is_suffix(const char *s)
{
    static const char digits[] = "0123456789";
    size_t pid = *s == '.' ? strspn(s + 1, digits) : 0, n = pid && s[pid + 1] == '-' ? strspn(s + pid + 2, digits) : 0;
    return n && strcmp(s + pid + 2 + n, ".tmp") == 0;
}

static void remove_if_dead(int dir, const char *name)
{
    int fd = openat(dir, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(dir, name, 0);
    (void)close(fd);
}

void orr__temporary_sweep(const char *target)
{
    const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
    size_t n = strlen(base);
    char *folder = slash ? strndup(target, slash == target ? 1 : (size_t)(slash - target)) : strdup(".");
    DIR *d = folder ? opendir(folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, base, n) == 0 && is_suffix(e->d_name + n))
            remove_if_dead(dirfd(d), e->d_name);
    if (d)
        (void)closedir(d);
    free(folder);
}

/* Locks a new file. False: a sweep took it for a dead one and removed it. A file system without locks keeps the files of the dead. */
static bool lock(int fd)
{
    struct stat st;
    return (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && fstat(fd, &st) == 0 && st.st_nlink > 0;
}

int orr__temporary_open(const char *target, char **name)
{
    static atomic_uint counter;
    size_t size = strlen(target) + 48;
    if (!(*name = orr__alloc(size))) {
        errno = ENOMEM;
        return -1;
    }
    orr__temporary_sweep(target);
    for (int tries = 0; tries < 100; tries++) {
        (void)snprintf(*name, size, "%s.%ld-%u.tmp", target, (long)getpid(), atomic_fetch_add(&counter, 1));
        int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 && lock(fd))
            return fd;
        if (fd >= 0)
            (void)close(fd);
        else if (errno != EEXIST)
            break;
    }
    int why = errno;
    free(*name);
    *name = NULL;
    errno = why;
    return -1;
}
