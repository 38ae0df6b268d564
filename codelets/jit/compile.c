/* From text to the bytes of a shared object, in a private directory that is removed afterwards.
 * Must not know: the cache's files, threads. */
#include "config.h"
#include "codelets/jit/internal.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

orr__patience orr__compile_limit = { .work = 20.0, .rest = 120.0 };

typedef struct {
    char path[1200];
    int fd;
} folder;

#define FOLDER "tmp.cc."

/* Removes folders of processes that a signal ended: those of this user that are an hour old, when no compiler is at work in them any more. */
static void remove_old(int fd)
{
    enum { OLD = 3600 }; /* limit of patience */
    struct stat st;
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = again >= 0 ? fdopendir(again) : NULL;
    if (!d && again >= 0)
        close(again);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (!strncmp(e->d_name, FOLDER, sizeof FOLDER - 1) && !fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
            S_ISDIR(st.st_mode) && st.st_uid == geteuid() && time(NULL) - st.st_mtime >= OLD)
            orr__remove_folder(fd, e->d_name);
    if (d)
        (void)closedir(d);
}

/* mkdtemp creates a private directory, and no other user can replace it inside a trusted one. */
static bool make_in(folder *f, const char *parent, char *why, size_t size)
{
    static atomic_bool looked;
    int fd = orr__safe_dir(parent, ORR__TMP, why, size);
    if (fd < 0)
        return false;
    if (!atomic_exchange(&looked, true)) /* once in a process */
        remove_old(fd);
    close(fd);
    if ((size_t)snprintf(f->path, sizeof f->path, "%s/" FOLDER "XXXXXX", parent) >= sizeof f->path ||
        !mkdtemp(f->path)) {
        (void)snprintf(why, size, "%s: %s", parent, strerror(errno));
        return false;
    }
    f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->fd < 0) {
        (void)snprintf(why, size, "%.400s: %s", f->path, strerror(errno));
        (void)rmdir(f->path);
    }
    return f->fd >= 0;
}

/* The machine's own /tmp is faster than a home directory on a server. If TMPDIR is unusable, the cache's directory is
 * used. */
static bool make_folder(folder *f, const orr__cache *cache)
{
    char why[600] = "", first[600] = "";
    const char *tmp = getenv("TMPDIR");
    f->fd = -1;
    if (tmp && tmp[0] == '/' && make_in(f, tmp, first, sizeof first))
        return true;
    if (make_in(f, "/tmp", why, sizeof why))
        return true;
    if (cache && cache->dir >= 0 && cache->path[0] == '/' && make_in(f, cache->path, why, sizeof why))
        return true;
    orr__say(ORR__SAY_TMP, "no kernels are compiled for now: no place for temporary files: %s", first[0] ? first : why);
    return false;
}

static void remove_folder(folder *f)
{
    close(f->fd);
    orr__remove_folder(AT_FDCWD, f->path); /* in a trusted directory: no other user can reach the path */
}

static bool write_text(const folder *f, const char *text)
{
    int fd = openat(f->fd, "kernel.c", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool ok = orr__write_all(fd, text, strlen(text));
    int bad = errno;
    ok = close(fd) == 0 && ok;
    errno = bad;
    return ok;
}

static orr__spawned run(const orr__compiler *c, const folder *f, bool plainly, int stop_fd, char *said, size_t size)
{
    char source[1300], object[1300];
    const char *argv[32];
    int n = 0;
    (void)snprintf(source, sizeof source, "%s/kernel.c", f->path);
    (void)snprintf(object, sizeof object, "%s/kernel.so", f->path);
    argv[n++] = c->path;
    argv[n++] = c->arch;
    if (c->width)
        argv[n++] = c->width;
    for (int i = 0; orr__cflags[i]; i++)
        argv[n++] = orr__cflags[i];
    if (plainly)
        argv[n++] = "-O1";
    argv[n++] = "-o";
    argv[n++] = object;
    argv[n++] = source;
    argv[n++] = "-lm";
    argv[n] = NULL;
    return orr__spawn(argv, f->path, orr__env.jit != ORR__JIT_WAIT, orr__compile_limit, stop_fd, said, size);
}

/* The position in the message that reports a full disk, or refused memory; NULL: none. */
static const char *about_space(const char *said)
{
    static const char *const word[] = { "No space left",
                                        "quota",
                                        "File too large",
                                        "Read-only file system",
                                        "Cannot allocate memory",
                                        "memory exhausted",
                                        "ut of memory",
                                        "Killed",
                                        "Resource temporarily unavailable",
                                        "Too many open files" };
    const char *at = NULL;
    for (size_t i = 0; i < sizeof word / sizeof *word && !at; i++)
        at = strstr(said, word[i]);
    return at;
}

/* The compiler's message as one line: the line of `at`, or else from the first error on. */
static void one_line(char *said, const char *at)
{
    while (at && at > said && at[-1] != '\n')
        at--;
    at = at ? at : strstr(said, "error");
    if (at)
        memmove(said, at, strlen(at) + 1);
    said[strcspn(said, "\n")] = '\0';
}

static orr__compiled judge(orr__spawned how, const orr__compiler *c, char *said)
{
    switch (how) {
    case ORR__RAN: return ORR__COMPILED;
    case ORR__STOPPED: return ORR__INTERRUPTED;
    case ORR__TOO_LONG:
        orr__say(ORR__SAY_CC_HANGS, "a kernel is not compiled: %s took more than %g s of a processor", c->path,
                 orr__compile_limit.work);
        return ORR__TOO_MUCH;
    case ORR__STALLED:
        orr__say(ORR__SAY_CC_HANGS, "a kernel is not compiled for now: %s did nothing for %g s", c->path,
                 orr__compile_limit.rest);
        return ORR__NOT_NOW;
    case ORR__KILLED:
        orr__say(ORR__SAY_CC_FAILS, "a kernel is not compiled for now: %s was killed; is there memory enough?",
                 c->path);
        return ORR__NOT_NOW;
    case ORR__CANNOT_RUN:
    case ORR__CANNOT_RUN_NOW:
        one_line(said, NULL);
        orr__say(ORR__SAY_CC_GONE, "no kernels are compiled for now: %s cannot be run%s%.200s", c->path,
                 said[0] ? ": " : "", said);
        return how == ORR__CANNOT_RUN ? ORR__NO_COMPILER : ORR__NOT_NOW;
    case ORR__RAN_BADLY: break;
    }
    const char *full = about_space(said);
    if (full) {
        one_line(said, full);
        orr__say(ORR__SAY_TMP, "a kernel is not compiled for now: %.200s", said);
        return ORR__NOT_NOW;
    }
    one_line(said, NULL);
    orr__say(ORR__SAY_CC_FAILS, "a kernel is not compiled: %s failed%s%.300s", c->path, said[0] ? ": " : "", said);
    return ORR__BAD_TEXT;
}

/* If the program's umask is 0, as in many daemons, the linker's result is writable for everyone. Other users cannot
 * enter the folder. */
static bool read_result(const folder *f, orr__bytes *out)
{
    struct stat st;
    int fd = openat(f->fd, "kernel.so", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && fchmod(fd, 0600) == 0;
    close(fd);
    return ok && orr__safe_read(f->fd, "kernel.so", false, 64u << 20, out, NULL);
}

orr__compiled orr__compile(const orr__compiler *c, const orr__cache *cache, const char *text, bool plainly, int stop_fd,
                           orr__bytes *out, double *seconds)
{
    folder f;
    char said[2048];
    double t0 = orr__now();
    *out = (orr__bytes){ NULL, 0 };
    if (!make_folder(&f, cache))
        return ORR__NOT_NOW;
    orr__compiled got = ORR__NOT_NOW;
    if (write_text(&f, text)) {
        got = judge(run(c, &f, plainly, stop_fd, said, sizeof said), c, said);
        if (got == ORR__COMPILED && !read_result(&f, out)) {
            orr__say(ORR__SAY_CC_FAILS, "a kernel is not compiled: %s left no result", c->path);
            got = ORR__BAD_TEXT;
        }
    } else {
        orr__say(ORR__SAY_TMP, "a kernel is not compiled for now: %s: %s", f.path, strerror(errno));
    }
    remove_folder(&f);
    *seconds = orr__now() - t0;
    return got;
}
