/* Files that appear complete or not at all: a temporary file in the same folder, synced, then renamed.
 * Must not know: the content. */
#include "config.h"
#include "runtime/api/file_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/base/signals.h"
#include "runtime/base/temporary.h"
#include "runtime/ranks/ranks.h"

/* Bytes written at a time. */
#define SYNCED ((size_t)32 << 20)

static orr_status system_error(const orr__sink *s)
{
    return orr__fail(s->at, errno == ENOMEM ? ORR_ENOMEM : ORR_EIO, "%s: %s", s->path, strerror(errno));
}

/* Its permissions are those of the file that it will replace, or those that the user's umask gives any new file. */
static int open_temporary(orr__sink *s, const struct stat *old)
{
    int fd = orr__temporary_open(s->target, &s->tmp);
    if (fd >= 0 && old && fchmod(fd, old->st_mode & 07777) != 0)
        errno = 0; /* the default permissions must do */
    return fd;
}

static void forget(orr__sink *s)
{
    free(s->tmp);
    free(s->target);
    s->tmp = s->target = NULL;
}

/* On all ranks, the status of rank 0. */
static orr_status agree(const orr__sink *s, orr_status st)
{
    return s->shared ? orr__ranks_first(s->at, st) : st;
}

/* A device, or a pipe that has a reader: without O_NONBLOCK the opening would wait for one. */
static int open_other(const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK), flags = fd >= 0 ? fcntl(fd, F_GETFL) : -1;
    if (fd >= 0 && (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0)) {
        int why = errno;
        (void)close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

static orr_status open_here(orr__sink *s)
{
    const char *path = s->path;
    orr__site at = s->at;
    if (!path || !*path)
        return orr__fail(at, ORR_EINVAL, "the path is %s", path ? "empty" : "NULL");
    struct stat sb;
    bool exists = stat(path, &sb) == 0;
    s->target = exists ? realpath(path, NULL) : strdup(path);
    if (!s->target)
        return system_error(s);
    if (exists && !S_ISREG(sb.st_mode))
        s->fd = open_other(s->target);
    else
        s->fd = open_temporary(s, exists ? &sb : NULL);
    if (s->fd >= 0)
        return ORR_OK;
    orr_status st = system_error(s);
    forget(s);
    return st;
}

orr_status orr__sink_open(orr__site at, const char *path, bool shared, orr__sink *s)
{
    *s = (orr__sink){ .at = at, .path = path, .fd = -1, .shared = shared };
    orr_status mine = shared && orr__rank() > 0 ? ORR_OK : open_here(s), st = agree(s, mine);
    if (st == ORR_OK || s->fd < 0)
        return st;
    (void)close(s->fd); /* the other ranks are not here */
    if (s->tmp)
        (void)unlink(s->tmp);
    forget(s);
    return st;
}

/* Starts writing the last n bytes to disk while the next ones are copied. An error has no effect, since the file is synced at its end. */
static void begin_sync(const orr__sink *s, uint64_t from, size_t n)
{
#ifdef SYNC_FILE_RANGE_WRITE
    if (s->tmp && n >= SYNCED)
        (void)sync_file_range(s->fd, (off_t)from, (off_t)n, SYNC_FILE_RANGE_WRITE);
#else
    (void)s, (void)from, (void)n;
#endif
}

orr_status orr__sink_write(orr__sink *s, const void *data, size_t n)
{
    ORR__GUARD_WRITES;
    for (size_t done = 0; s->fd >= 0 && done < n;) {
        size_t part = n - done < SYNCED ? n - done : SYNCED;
        ssize_t w = write(s->fd, (const char *)data + done, part);
        if (w < 0 && errno != EINTR)
            return system_error(s);
        if (w > 0) {
            begin_sync(s, s->size + done, (size_t)w);
            done += (size_t)w;
        }
    }
    s->size += n;
    return ORR_OK;
}

orr_status orr__sink_patch(orr__sink *s, uint64_t offset, const void *data, size_t n)
{
    ORR__GUARD_WRITES;
    ssize_t w;
    if (s->fd < 0)
        return ORR_OK;
    do
        w = pwrite(s->fd, data, n, (off_t)offset);
    while (w < 0 && errno == EINTR);
    if (w < 0)
        return system_error(s);
    return (size_t)w == n ? ORR_OK : orr__fail(s->at, ORR_EIO, "%s: short write", s->path);
}

/* The rename is on disk only after a sync of the folder. A file system that cannot sync folders is no error. */
static void sync_folder(const char *target)
{
    char *folder = strdup(target);
    if (!folder)
        return;
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(folder);
}

static orr_status close_here(orr__sink *s, orr_status st)
{
    if (st == ORR_OK && s->tmp && fsync(s->fd) != 0)
        st = system_error(s);
    if (close(s->fd) != 0 && st == ORR_OK)
        st = system_error(s);
    if (st == ORR_OK && s->tmp && rename(s->tmp, s->target) != 0)
        st = system_error(s);
    if (s->tmp && st != ORR_OK)
        unlink(s->tmp);
    else if (s->tmp)
        sync_folder(s->target);
    forget(s);
    return st;
}

orr_status orr__sink_close(orr__sink *s, orr_status st)
{
    return agree(s, s->fd < 0 ? st : close_here(s, st));
}

orr_status orr__printed(orr__site at, FILE *to)
{
    if (fflush(to) != 0)
        return orr__fail(at, ORR_EIO, "the file cannot be written: %s", strerror(errno));
    return ferror(to) ? orr__fail(at, ORR_EIO, "the file cannot be written") : ORR_OK;
}
