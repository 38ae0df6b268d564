/* Ledgers as text with a checksum, and as files: locked while they change, replaced as a whole.
 * Must not know: accountants; whether a use fits a limit. */
#include "config.h"
#include "ops/privacy/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "runtime/base/buffer.h"
#include "runtime/base/checked_file.h"
#include "runtime/base/decimal.h"
#include "runtime/base/private_file.h"
#include "runtime/base/signals.h"
#include "runtime/base/temporary.h"

/* limits of a format: bytes of a text, of a line; longest wait for a lock */
enum { MOST = 16 << 20, LINE = 128, WAIT_MS = 60000 };
static const char head[] = "orrery privacy ledger 1";
static const char *const kind_words[] = { "gaussian", "laplace", "pure" };
static const char *const how_words[] = { "rdp", "pld" };

/* -- lists of uses ------------------------------------------------------------------------------------------ */

void orr__ledger_clear(orr__ledger *l)
{
    free(l->use);
    l->use = NULL;
    l->n = 0;
}

int orr__ledger_find(const orr__ledger *l, orr_dp_mechanism m)
{
    int i = 0;
    while (i < l->n && !(l->use[i].m.kind == m.kind && l->use[i].m.noise == m.noise && l->use[i].m.q == m.q))
        i++;
    return i;
}

int64_t orr__ledger_times(const orr__ledger *l, orr_dp_mechanism m)
{
    int i = orr__ledger_find(l, m);
    return i < l->n ? l->use[i].times : 0;
}

bool orr__ledger_older(const orr__ledger *a, const orr__ledger *b)
{
    for (int i = 0; i < b->n; i++)
        if (orr__ledger_times(a, b->use[i].m) < b->use[i].times)
            return true;
    return false;
}

orr_status orr__ledger_set(orr__site at, orr__ledger *l, orr_dp_mechanism m, int64_t times)
{
    int i = orr__ledger_find(l, m);
    if (i == l->n) {
        orr__dp_use *more = orr__realloc_n(l->use, (size_t)l->n + 1, sizeof *more);
        if (!more)
            return orr__fail_place(at, ORR_ENOMEM);
        l->use = more;
        l->n++;
    }
    l->use[i] = (orr__dp_use){ m, times };
    return ORR_OK;
}

orr_status orr__ledger_raise(orr__site at, orr__ledger *to, const orr__ledger *from)
{
    orr_status st = ORR_OK;
    for (int i = 0; st == ORR_OK && i < from->n; i++)
        if (orr__ledger_times(to, from->use[i].m) < from->use[i].times)
            st = orr__ledger_set(at, to, from->use[i].m, from->use[i].times);
    return st;
}

/* -- text ---------------------------------------------------------------------------------------------------- */

char *orr__ledger_text(orr__site at, const orr__ledger *l, orr__ledger_place place)
{
    ORR__WITH_POINT;
    size_t size = ((size_t)l->n + 4) * LINE, used;
    char *body = orr__alloc(size), *text = NULL;
    if (body) {
        used = (size_t)snprintf(body, size, "id %s\nplace %" PRIu64 " %" PRId64 "\nlimit %s %.17g %.17g\n",
                                l->id[0] ? l->id : "-", place.inode, place.seconds, how_words[l->how], l->epsilon,
                                l->delta);
        for (int i = 0; i < l->n; i++)
            used += (size_t)snprintf(body + used, size - used, "use %s %.17g %.17g %" PRId64 "\n",
                                     kind_words[l->use[i].m.kind], l->use[i].m.noise, l->use[i].m.q, l->use[i].times);
        text = orr__sealed_pack(head, body);
        free(body);
    }
    if (!text)
        (void)orr__fail(at, ORR_ENOMEM, "no memory for the text of %d uses", l->n);
    return text;
}

/* A position in a text. Once bad, all further reads are bad. */
typedef struct {
    char *at;
    bool bad;
} cursor;

static void want(cursor *c, const char *word)
{
    size_t n = strlen(word);
    c->bad = c->bad || strncmp(c->at, word, n) != 0;
    c->at += c->bad ? 0 : n;
}

static int one_of(cursor *c, const char *const *word, int n)
{
    for (int i = 0; !c->bad && i < n; i++)
        if (strncmp(c->at, word[i], strlen(word[i])) == 0) {
            want(c, word[i]);
            return i;
        }
    c->bad = true;
    return 0;
}

static double real(cursor *c)
{
    char *end = c->at;
    double v = c->bad || !strchr("0123456789", *c->at) ? 0.0 : orr__decimal(c->at, &end);
    c->bad = c->bad || end == c->at;
    c->at = end;
    return v;
}

static uint64_t whole(cursor *c, uint64_t most)
{
    char *end = c->at;
    errno = 0;
    uint64_t v = c->bad || !strchr("0123456789", *c->at) ? 0 : strtoull(c->at, &end, 10);
    c->bad = c->bad || end == c->at || errno || v > most;
    c->at = end;
    return v;
}

static void read_id(cursor *c, orr__ledger *l)
{
    size_t n = c->bad ? 0 : strspn(c->at, "0123456789abcdef");
    if (n == 0) {
        want(c, "-");
    } else if (n == ORR__LEDGER_ID - 1) {
        memcpy(l->id, c->at, n);
        c->at += n;
    } else {
        c->bad = true;
    }
}

static orr_status read_uses(orr__site at, cursor *c, orr__ledger *l)
{
    orr_status st = ORR_OK;
    while (st == ORR_OK && !c->bad && *c->at) {
        orr_dp_mechanism m;
        want(c, "use ");
        m.kind = (orr_dp_kind)one_of(c, kind_words, 3);
        want(c, " ");
        m.noise = real(c);
        want(c, " ");
        m.q = real(c);
        want(c, " ");
        int64_t times = (int64_t)whole(c, ORR__DP_MOST_TIMES);
        want(c, "\n");
        c->bad = c->bad || orr__dp_check(at, m) != ORR_OK || orr__ledger_find(l, m) < l->n;
        st = c->bad ? ORR_OK : orr__ledger_set(at, l, m, times);
    }
    return st;
}

static orr_status read_body(orr__site at, cursor *c, orr__ledger *l, orr__ledger_place *place)
{
    want(c, "id ");
    read_id(c, l);
    want(c, "\nplace ");
    place->inode = whole(c, UINT64_MAX);
    want(c, " ");
    place->seconds = (int64_t)whole(c, INT64_MAX);
    want(c, "\nlimit ");
    l->how = (orr_dp_accountant)one_of(c, how_words, 2);
    want(c, " ");
    l->epsilon = real(c);
    want(c, " ");
    l->delta = real(c);
    want(c, "\n");
    c->bad = c->bad || !(l->epsilon > 0.0) || orr__dp_check_delta(at, l->how, l->delta) != ORR_OK;
    return read_uses(at, c, l);
}

orr_status orr__ledger_parse(orr__site at, const char *where, const void *text, size_t size, orr__ledger *l,
                             orr__ledger_place *place)
{
    char *copy = size <= MOST ? orr__alloc(size + 1) : NULL;
    *l = (orr__ledger){ .n = 0 };
    if (size > MOST)
        return orr__fail(at, ORR_EFORMAT, "%s: a ledger has at most %d bytes, not %zu", where, MOST, size);
    if (!copy)
        return orr__fail_place(at, ORR_ENOMEM);
    memcpy(copy, text, size);
    cursor c = { orr__sealed_unpack(copy, size, head), false };
    orr_status st = ORR_OK;
    c.bad = !c.at;
    if (!c.bad)
        st = read_body(at, &c, l, place);
    if (st == ORR_OK && c.bad)
        st = orr__fail(at, ORR_EFORMAT, "%s: it is no ledger of this version, or it is damaged", where);
    if (st != ORR_OK)
        orr__ledger_clear(l);
    free(copy);
    return st;
}

/* -- files --------------------------------------------------------------------------------------------------- */

static orr_status system_error(orr__site at, const char *path, const char *what)
{
    return orr__fail(at, errno == ENOMEM ? ORR_ENOMEM : ORR_EIO, "the ledger %s %s: %s", path, what, strerror(errno));
}

/* False: errno; EWOULDBLOCK after the longest wait. */
static bool lock(int fd)
{
    for (int ms = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; ms++) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || ms >= WAIT_MS)
            return false;
        (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    return true;
}

/* A lock holds for a file, and a writer replaces the file: a lock on one that was replaced meanwhile is worth nothing. */
static bool is_current(int fd, const char *path)
{
    struct stat mine, its;
    return fstat(fd, &mine) == 0 && stat(path, &its) == 0 && mine.st_ino == its.st_ino && mine.st_dev == its.st_dev;
}

/* An open file with its lock; -1: errno. */
static int open_locked(const char *path)
{
    for (;;) {
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
        bool locked = fd >= 0 && lock(fd);
        if (fd < 0 || (locked && is_current(fd, path)))
            return fd;
        int why = errno;
        if (locked)
            (void)flock(fd, LOCK_UN);
        (void)close(fd);
        errno = why;
        if (!locked)
            return -1;
    }
}

static orr_status read_all(orr__ledger_file *f, char **text, size_t *size)
{
    struct stat st;
    *text = NULL;
    if (fstat(f->fd, &st) != 0)
        return system_error(f->at, f->path, "cannot be read");
    if (!S_ISREG(st.st_mode) || st.st_size > MOST)
        return orr__fail(f->at, ORR_EFORMAT, "%s is no ledger: it is %s", f->path,
                         S_ISREG(st.st_mode) ? "larger than 16 MB" : "no regular file");
    *text = orr__alloc((size_t)st.st_size + 1);
    if (!*text)
        return orr__fail_place(f->at, ORR_ENOMEM);
    for (*size = 0; *size < (size_t)st.st_size;) {
        ssize_t n = pread(f->fd, *text + *size, (size_t)st.st_size - *size, (off_t)*size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return system_error(f->at, f->path, "cannot be read");
        if (n == 0)
            break;
        *size += (size_t)n;
    }
    return ORR_OK;
}

/* A copy has another inode or another time of change than the file that the text was written for. */
static orr_status check_place(const orr__ledger_file *f, orr__ledger_place place)
{
    struct stat st;
    if (fstat(f->fd, &st) != 0)
        return system_error(f->at, f->path, "cannot be read");
    if ((uint64_t)st.st_ino == place.inode && (int64_t)st.st_mtime == place.seconds)
        return ORR_OK;
    return orr__fail(f->at, ORR_ESTATE,
                     "%s is a copy of a ledger: uses that are booked in the other one are not in it. If this is the "
                     "only one from now on, call orr_dp_budget_allow(b, ORR_DP_MOVED) before",
                     f->path);
}

orr_status orr__ledger_open(orr__site at, const char *path, bool moved, orr__ledger_file *f, orr__ledger *l,
                            bool *missing)
{
    char *text = NULL;
    size_t size = 0;
    orr__ledger_place place = { 0 };
    *f = (orr__ledger_file){ at, path, open_locked(path) };
    *l = (orr__ledger){ .n = 0 };
    *missing = f->fd < 0 && errno == ENOENT;
    if (*missing)
        return ORR_OK;
    if (f->fd < 0)
        return errno == EWOULDBLOCK
                   ? orr__fail(at, ORR_EIO, "the ledger %s is locked by another process for more than %d s", path,
                               WAIT_MS / 1000)
                   : system_error(at, path, "cannot be opened and locked");
    orr_status st = read_all(f, &text, &size);
    if (st == ORR_OK)
        st = orr__ledger_parse(at, path, text, size, l, &place);
    if (st == ORR_OK && !moved)
        st = check_place(f, place);
    free(text);
    if (st != ORR_OK) {
        orr__ledger_clear(l);
        orr__ledger_close(f);
    }
    return st;
}

void orr__ledger_close(orr__ledger_file *f)
{
    if (f->fd < 0)
        return;
    (void)flock(f->fd, LOCK_UN); /* a child that another thread forked has the descriptor as well */
    (void)close(f->fd);
    f->fd = -1;
}

/* The rename is on disk only after a sync of the folder. A file system that cannot sync folders is no error. */
static void sync_folder(const char *path)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[slash == folder] = '\0';
    int fd = folder ? open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

/* Writes the text for the file `fd`. The time has whole even seconds, which every file system keeps. */
static bool fill(orr__site at, int fd, const orr__ledger *l)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    orr__ledger_place place = { (uint64_t)st.st_ino, (int64_t)st.st_mtime & ~(int64_t)1 };
    char *text = orr__ledger_text(at, l, place);
    bool ok = text && strlen(text) <= MOST && orr__write_all(fd, text, strlen(text));
    if (!text)
        errno = ENOMEM;
    else if (strlen(text) > MOST)
        errno = EFBIG;
    free(text);
    const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = (time_t)place.seconds } };
    return ok && futimens(fd, times) == 0 && fsync(fd) == 0;
}

/* Puts a new file in the place of the old one, or, without one, where there must be none. */
static orr_status replace(orr__site at, const char *path, const orr__ledger *l, int old)
{
    ORR__GUARD_WRITES;
    struct stat st;
    char *name = NULL;
    int fd = orr__temporary_open(path, &name);
    if (fd >= 0 && old >= 0 && fstat(old, &st) == 0 && fchmod(fd, st.st_mode & 07777) != 0)
        errno = 0; /* the default permissions must do */
    bool ok = fd >= 0 && fill(at, fd, l) && (old >= 0 ? rename(name, path) : link(name, path)) == 0;
    int why = errno;
    if (name && (!ok || old < 0))
        (void)unlink(name);
    if (fd >= 0)
        (void)close(fd);
    free(name);
    if (ok) {
        sync_folder(path);
        return ORR_OK;
    }
    errno = why;
    orr_status failed = system_error(at, path, "cannot be written");
    errno = why;
    return failed;
}

orr_status orr__ledger_write(orr__ledger_file *f, const orr__ledger *l)
{
    return replace(f->at, f->path, l, f->fd);
}

orr_status orr__ledger_create(orr__site at, const char *path, const orr__ledger *l)
{
    return replace(at, path, l, -1);
}
