/* Bytes from files, plain or gzip.
 * Must not know: the meaning of the bytes. */
#include "config.h"
#include "runtime/api/file_source.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#include "runtime/base/buffer.h"
#include "runtime/base/cgroup.h"
#include "runtime/base/decimal.h"
#include "runtime/base/threshold.h"

/* Deflate makes at most 1032 bytes of one, so a header that claims more is wrong. */
static const uint64_t deflate_most = 1032; /* limit of a format */

typedef struct {
    orr__source s;
    int fd;
#ifdef HAVE_ZLIB
    gzFile gz;
#endif
} file_source;

orr_status orr__source_fail(const orr__source *s, orr_status st, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    orr__decimal_vprint(text, sizeof text, fmt, ap);
    va_end(ap);
    if (s->member)
        return orr__fail(s->at, st, "%s[%s]: %s", s->path, s->member, text);
    return orr__fail(s->at, st, "%s: %s", s->path, text);
}

orr_status orr__source_exact(orr__source *s, void *to, size_t n, const char *what)
{
    size_t got = 0;
    orr_status st = s->read(s, to, n, &got);
    if (st == ORR_OK && got < n)
        st = orr__source_fail(s, ORR_EFORMAT, "truncated: %s is cut after %zu of %zu bytes", what, got, n);
    return st;
}

orr_status orr__source_end(orr__source *s)
{
    char more;
    size_t got = 0;
    orr_status st = s->read(s, &more, 1, &got);
    if (st == ORR_OK && got)
        st = orr__source_fail(s, ORR_EFORMAT, "bytes follow the array: the header does not tell its size");
    return st;
}

orr_status orr__source_all(orr__source *s, char **data, size_t *size)
{
    enum { FIRST = 1 << 16 }; /* limit of memory: bytes, if their number is not known */
    size_t capacity = s->most < SIZE_MAX / 4 ? (size_t)s->most + 2 : FIRST, got = 0;
    *data = NULL;
    *size = 0;
    for (;; capacity *= 2) {
        char *p = orr__realloc_n(*data, capacity, 1);
        if (!p)
            return ORR_ENOMEM;
        *data = p;
        orr_status st = s->read(s, p + *size, capacity - 1 - *size, &got);
        *size += got;
        if (st != ORR_OK)
            return st;
        if (*size < capacity - 1)
            break;
    }
    (*data)[*size] = 0;
    return ORR_OK;
}

int64_t orr__file_read(int fd, void *to, size_t n, int64_t at)
{
    size_t done = 0;
    while (done < n) {
        size_t part = n - done < (size_t)1 << 30 ? n - done : (size_t)1 << 30;
        char *p = (char *)to + done;
        ssize_t got = at < 0 ? read(fd, p, part) : pread(fd, p, part, (off_t)(at + (int64_t)done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (int64_t)done;
}

/* Threads that read a file together; bytes that a thread reads at a time; least size for several threads. */
enum { READERS = 4, PIECE = ORR__T_CORE_CACHES, MANY = ORR__T_LAST_CACHE };

/* The pieces of a file, claimed in their order, so that the disk is read from one end to the other. Small pieces match the system's
 * read-ahead: 1 GB came from a disk in 0.44 s by 1 MB, 0.43 to 0.95 by 8 MB, 1.2 to 1.7 by one thread. */
typedef struct {
    int fd;
    char *to;
    size_t n;
    int64_t at;
    atomic_size_t next;
    atomic_int error;   /* errno of a piece, or 0 */
    atomic_size_t done; /* bytes                  */
} pieces;

static void *read_pieces(void *user)
{
    pieces *p = user;
    for (size_t from; !atomic_load(&p->error) && (from = atomic_fetch_add(&p->next, PIECE)) < p->n;) {
        int64_t got =
            orr__file_read(p->fd, p->to + from, p->n - from < PIECE ? p->n - from : PIECE, p->at + (int64_t)from);
        if (got < 0)
            atomic_store(&p->error, errno);
        else
            atomic_fetch_add(&p->done, (size_t)got);
    }
    return NULL;
}

int64_t orr__file_read_large(int fd, void *to, size_t n, int64_t at)
{
    pthread_t thread[READERS - 1];
    int cores = n >= MANY ? orr__processors() : 1, started = 0;
    pieces p = { .fd = fd, .to = to, .n = n, .at = at };
    while (started < READERS - 1 && started + 1 < cores && pthread_create(&thread[started], NULL, read_pieces, &p) == 0)
        started++;
    (void)read_pieces(&p);
    for (int k = 0; k < started; k++)
        (void)pthread_join(thread[k], NULL);
    errno = atomic_load(&p.error);
    return errno ? -1 : (int64_t)atomic_load(&p.done);
}

/* The kind of a file that is not a regular one. */
static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)                    ? "a directory"
           : S_ISFIFO(mode)                 ? "a pipe"
           : S_ISSOCK(mode)                 ? "a socket"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "no regular file";
}

/* Without O_NONBLOCK the opening of a pipe would wait for a writer. */
orr_status orr__file_open(orr__site at, const char *path, int *fd, int64_t *size)
{
    struct stat sb;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd >= 0 && fstat(*fd, &sb) == 0 && S_ISREG(sb.st_mode)) {
        *size = (int64_t)sb.st_size;
        return ORR_OK;
    }
    int why = errno;
    bool other = *fd >= 0 ? fstat(*fd, &sb) == 0 : stat(path, &sb) == 0 && !S_ISREG(sb.st_mode);
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    if (other)
        return orr__fail(at, ORR_EIO, "%s is %s; arrays are read from regular files", path, kind_of(sb.st_mode));
    return orr__fail(at, ORR_EIO, "%s: %s", path, strerror(why));
}

static orr_status plain_read(orr__source *s, void *to, size_t n, size_t *got)
{
    int64_t r = orr__file_read(((file_source *)s)->fd, to, n, -1);
    if (r < 0)
        return orr__source_fail(s, ORR_EIO, "%s", strerror(errno));
    *got = (size_t)r;
    if (s->most != UINT64_MAX)
        s->most -= (uint64_t)r < s->most ? (uint64_t)r : s->most;
    return ORR_OK;
}

static void plain_close(orr__source *s)
{
    close(((file_source *)s)->fd);
    free(s);
}

#ifdef HAVE_ZLIB
static orr_status gz_read(orr__source *s, void *to, size_t n, size_t *got)
{
    gzFile gz = ((file_source *)s)->gz;
    for (*got = 0; *got < n;) {
        size_t part = n - *got < (size_t)1 << 30 ? n - *got : (size_t)1 << 30;
        int r = gzread(gz, (char *)to + *got, (unsigned)part);
        if (r > 0)
            *got += (size_t)r;
        if (r >= 0 && (size_t)r == part)
            continue;
        int code = Z_OK;
        const char *why = gzerror(gz, &code);
        if (code == Z_ERRNO)
            return orr__source_fail(s, ORR_EIO, "%s", strerror(errno));
        if (code == Z_MEM_ERROR)
            return orr__source_fail(s, ORR_ENOMEM, "no memory to unzip it");
        if (code != Z_OK && code != Z_STREAM_END)
            return orr__source_fail(s, ORR_EFORMAT, "gzip: %s",
                                    code == Z_BUF_ERROR ? "truncated"
                                    : why && *why       ? why
                                                        : "corrupt");
        break;
    }
    return ORR_OK;
}

static void gz_close(orr__source *s)
{
    gzclose_r(((file_source *)s)->gz);
    free(s);
}

static orr_status start_gzip(file_source *f)
{
    if (!(f->gz = gzdopen(f->fd, "rb")))
        return orr__source_fail(&f->s, ORR_ENOMEM, "no memory to unzip it");
    gzbuffer(f->gz, 1u << 17);
    f->s.read = gz_read;
    f->s.close = gz_close;
    if (f->s.most != UINT64_MAX)
        f->s.most = f->s.most > UINT64_MAX / deflate_most ? UINT64_MAX : f->s.most * deflate_most;
    return ORR_OK;
}
#else
static orr_status start_gzip(file_source *f)
{
    (void)deflate_most;
    return orr__source_fail(&f->s, ORR_EINVAL, "it is gzip, and this library was built without zlib: gunzip it first");
}
#endif

/* gzip is detected by its first bytes, which can be read without consuming them only from a regular file. */
static bool is_gzip(int fd, int64_t size)
{
    unsigned char head[2];
    return size >= 2 && orr__file_read(fd, head, 2, 0) == 2 && head[0] == 0x1f && head[1] == 0x8b;
}

orr_status orr__source_open(orr__site at, const char *path, bool gzip, orr__source **s)
{
    *s = NULL;
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    int fd;
    int64_t size;
    orr_status st = orr__file_open(at, path, &fd, &size);
    if (st != ORR_OK)
        return st;
    file_source *f = orr__alloc(sizeof *f);
    if (!f) {
        close(fd);
        return ORR_ENOMEM;
    }
    f->s = (orr__source){ plain_read, plain_close, (uint64_t)size, at, path, NULL };
    f->fd = fd;
    st = gzip && is_gzip(fd, size) ? start_gzip(f) : ORR_OK;
    if (st != ORR_OK) {
        plain_close(&f->s);
        return st;
    }
    *s = &f->s;
    return ORR_OK;
}
