/* Directories and files that no other user can have written or exchanged.
 * Must not know: their content. */
#include "config.h"
#include "runtime/base/private_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/base/signals.h"

typedef struct {
    orr__dirkind kind;
    int fd, links;
    char rest[2 * PATH_MAX], seen[2 * PATH_MAX]; /* the path yet to walk; the path walked (for messages) */
    char *why;
    size_t size;
} walk;

static bool refuse(walk *w, const char *name, const char *what)
{
    (void)snprintf(w->why, w->size, "%s/%s %s", w->seen, name, what);
    return false;
}

static bool failed(walk *w, const char *name)
{
    (void)snprintf(w->why, w->size, "%s/%s: %s", w->seen, name, strerror(errno));
    return false;
}

static bool root_or_us(uid_t u)
{
    return u == 0 || u == geteuid();
}

/* True if others cannot exchange the files of this directory. In a sticky one (/tmp) only a file's owner can. */
static bool fine_on_the_way(walk *w, const char *name, const struct stat *st)
{
    if (!root_or_us(st->st_uid))
        return refuse(w, name, "is owned by another user");
    if ((st->st_mode & 022) && !(st->st_mode & S_ISVTX))
        return refuse(w, name, "can be written by other users");
    return true;
}

static bool fine_at_the_end(walk *w, const char *name, const struct stat *st)
{
    if (w->kind == ORR__TMP)
        return fine_on_the_way(w, name, st);
    if (w->kind == ORR__OWN ? st->st_uid != geteuid() : !root_or_us(st->st_uid))
        return refuse(w, name, "is owned by another user");
    if (st->st_mode & 022)
        return refuse(w, name, "can be written by other users");
    return true;
}

/* A link on the way that belongs to root or to us: its target is walked by the same rules. */
static bool follow(walk *w, const char *name, const struct stat *st, bool last)
{
    char target[PATH_MAX], joined[sizeof w->rest];
    if (last && w->kind != ORR__TMP)
        return refuse(w, name, "is a symbolic link");
    if (!root_or_us(st->st_uid))
        return refuse(w, name, "is a symbolic link of another user");
    ssize_t n = readlinkat(w->fd, name, target, sizeof target - 1);
    if (n <= 0 || ++w->links > 16) /* limit of search */
        return refuse(w, name, "is a symbolic link that leads nowhere");
    target[n] = '\0';
    if ((size_t)snprintf(joined, sizeof joined, "%s/%s", target, w->rest) >= sizeof joined)
        return refuse(w, name, "has too long a name");
    memcpy(w->rest, joined, sizeof joined);
    if (target[0] == '/') {
        int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (root < 0)
            return failed(w, name);
        close(w->fd);
        w->fd = root;
        w->seen[0] = '\0';
    }
    return true;
}

static bool enter(walk *w, const char *name, bool last)
{
    struct stat st;
    if (fstatat(w->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT || w->kind != ORR__OWN)
            return failed(w, name);
        if ((mkdirat(w->fd, name, 0700) != 0 && errno != EEXIST) || fstatat(w->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            return failed(w, name);
    }
    if (S_ISLNK(st.st_mode))
        return follow(w, name, &st, last);
    int fd = openat(w->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    /* A directory on the way need not be readable. */
    if (fd < 0 && errno == EACCES && !last)
        fd = openat(w->fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOTDIR ? refuse(w, name, "is no directory") : failed(w, name);
    if (fstat(fd, &st) != 0 || !(last ? fine_at_the_end(w, name, &st) : fine_on_the_way(w, name, &st))) {
        close(fd);
        return false;
    }
    close(w->fd);
    w->fd = fd;
    size_t n = strlen(w->seen);
    (void)snprintf(w->seen + n, sizeof w->seen - n, "/%s", name);
    return true;
}

/* The next name of w->rest; false at the end. `last`: only slashes and dots follow. */
static bool next_name(walk *w, char name[NAME_MAX + 1], bool *last)
{
    char *p = w->rest;
    for (;;) {
        p += strspn(p, "/");
        if (p[0] == '.' && (p[1] == '/' || !p[1]))
            p++;
        else
            break;
    }
    size_t n = strcspn(p, "/");
    if (!n || n > NAME_MAX)
        return false;
    memcpy(name, p, n);
    name[n] = '\0';
    memmove(w->rest, p + n, strlen(p + n) + 1);
    *last = w->rest[strspn(w->rest, "/.")] == '\0';
    return true;
}

static bool walk_all(walk *w, const char *path)
{
    char name[NAME_MAX + 1], here[PATH_MAX] = "";
    bool last = false;
    struct stat st;
    if (path[0] != '/' && !getcwd(here, sizeof here))
        return failed(w, path);
    if ((size_t)snprintf(w->rest, sizeof w->rest, "%s/%s", here, path) >= sizeof w->rest)
        return refuse(w, path, "has too long a name");
    w->fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (w->fd < 0 || fstat(w->fd, &st) != 0)
        return failed(w, "");
    if (!fine_on_the_way(w, "", &st))
        return false;
    while (next_name(w, name, &last))
        if (!enter(w, name, last))
            return false;
    if (w->rest[strspn(w->rest, "/.")])
        return refuse(w, w->rest, "has too long a name");
    return last || refuse(w, "", "is no place for files of ours");
}

int orr__safe_dir(const char *path, orr__dirkind kind, char *why, size_t size)
{
    walk *w = calloc(1, sizeof *w);
    if (!w) {
        (void)snprintf(why, size, "no memory");
        return -1;
    }
    w->kind = kind;
    w->fd = -1;
    w->why = why;
    w->size = size;
    bool ok = walk_all(w, path);
    int fd = w->fd;
    if (!ok && fd >= 0)
        close(fd);
    free(w);
    return ok ? fd : -1;
}

bool orr__own_tmp(const char *what, char *path, size_t size)
{
    struct stat st;
    int n = snprintf(path, size, "/tmp/orrery-%s-%lu", what, (unsigned long)geteuid());

    if (n <= 0 || (size_t)n >= size || (mkdir(path, 0700) != 0 && errno != EEXIST))
        return false;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 022) == 0;
}

bool orr__safe_read(int dir, const char *name, bool site, size_t most, orr__bytes *out, struct timespec *mtime)
{
    struct stat st;
    *out = (orr__bytes){ NULL, 0 };
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    errno = 0;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !(st.st_mode & 022) &&
              (st.st_uid == geteuid() || (site && st.st_uid == 0)) && st.st_size > 0 && (uint64_t)st.st_size <= most;
    if (ok) {
        out->data = malloc((size_t)st.st_size);
        ok = out->data != NULL;
    }
    while (ok && out->size < (size_t)st.st_size) {
        ssize_t n = read(fd, out->data + out->size, (size_t)st.st_size - out->size);
        if (n > 0)
            out->size += (size_t)n;
        else if (n == 0 || errno != EINTR)
            ok = false;
    }
    if (mtime)
        *mtime = st.st_mtim;
    close(fd);
    if (!ok) {
        free(out->data);
        *out = (orr__bytes){ NULL, 0 };
    }
    return ok;
}

bool orr__write_all(int fd, const void *data, size_t size)
{
    ORR__GUARD_WRITES;
    const char *p = data;
    while (size) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* No fsync, which takes seconds on a busy disk: a reader checks the digest, and a file that a failure of power has cut is a miss. */
bool orr__safe_write(int dir, const char *name, const orr__bytes *b)
{
    static atomic_uint number;
    char temporary[80];
    (void)snprintf(temporary, sizeof temporary, "tmp.%ld.%lld.%u", (long)getpid(), (long long)time(NULL),
                   atomic_fetch_add(&number, 1));
    int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool ok = orr__write_all(fd, b->data, b->size);
    int bad = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        bad = errno;
    }
    if (ok && renameat(dir, temporary, dir, name) != 0) {
        ok = false;
        bad = errno;
    }
    if (!ok) {
        (void)unlinkat(dir, temporary, 0);
        errno = bad;
    }
    return ok;
}

bool orr__is_temporary(const char *name)
{
    const char *digits = "0123456789", *s = strncmp(name, "tmp", 3) == 0 ? name + 3 : "";
    for (int parts = 0; parts < 3; parts++) {
        size_t n = *s == '.' ? strspn(s + 1, digits) : 0;
        if (!n)
            return false;
        s += n + 1;
    }
    return !*s;
}

void orr__remove_folder(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlinkat(fd, e->d_name, 0) != 0 &&
            errno == EISDIR)
            orr__remove_folder(fd, e->d_name);
    if (d)
        (void)closedir(d);
    else if (fd >= 0)
        close(fd);
    (void)unlinkat(dir, name, AT_REMOVEDIR);
}
