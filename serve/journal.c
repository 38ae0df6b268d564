/* Records on disk: a temporary file beside the record, then a rename.
 * Must not know: what the records are. */
#include "config.h"
#include "serve/journal.h"

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

struct serve_journal {
    int folder;
    atomic_uint count; /* of temporary files */
};

static const char record[] = ".job", temporary[] = ".tmp";
enum { NAME = 96, HEAD_MOST = 4096 };

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* -- the folder ------------------------------------------------------------------------------------------------------------ */

/* Calls `visit` for each file with this ending. */
static void each(serve_journal *j, const char *end, void (*visit)(serve_journal *j, const char *name, void *user),
                 void *user)
{
    int fd = openat(j->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (ends_with(e->d_name, end))
            visit(j, e->d_name, user);
    if (d)
        (void)closedir(d);
    else if (fd >= 0)
        (void)close(fd);
}

static void remove_one(serve_journal *j, const char *name, void *user)
{
    (void)user;
    (void)unlinkat(j->folder, name, 0);
}

/* NULL, or the reason why the folder is no place for results of clients. */
static const char *unfit(int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0)
        return strerror(errno);
    if (st.st_uid != geteuid() || (st.st_mode & 077) != 0)
        return "the folder belongs to the user of the service, with mode 0700 (chmod 700)";
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK ? NULL : "another service uses the folder";
}

serve_journal *serve_journal_open(const char *folder, char *why, size_t size)
{
    serve_journal *j = calloc(1, sizeof *j);
    if (!j) {
        (void)snprintf(why, size, "there is no memory");
        return NULL;
    }
    (void)mkdir(folder, 0700);
    j->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *wrong = unfit(j->folder);
    if (!wrong) {
        each(j, temporary, remove_one, NULL);
        return j;
    }
    (void)snprintf(why, size, "%s: %s", folder, wrong);
    serve_journal_close(j);
    return NULL;
}

void serve_journal_close(serve_journal *j)
{
    if (j && j->folder >= 0)
        (void)close(j->folder);
    free(j);
}

/* -- writing ----------------------------------------------------------------------------------------------------------------- */

static bool write_all(int fd, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t w = write(fd, data, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return false;
        data += w;
        n -= (size_t)w;
    }
    return true;
}

bool serve_journal_write(serve_journal *j, const char *id, json_t *head, const void *text, size_t n_text,
                         const void *tail, size_t n_tail, bool lasts)
{
    char name[NAME], half[NAME];
    if (head && json_object_set_new(head, "bytes", json_integer((json_int_t)(n_text + n_tail))) != 0) {
        json_decref(head);
        head = NULL;
    }
    char *line = head ? json_dumps(head, JSON_COMPACT) : NULL;
    json_decref(head);
    (void)snprintf(name, sizeof name, "%.64s%s", id, record);
    (void)snprintf(half, sizeof half, "%.64s.%u%s", id, atomic_fetch_add(&j->count, 1), temporary);
    errno = ENOMEM;
    int fd = line ? openat(j->folder, half, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    bool ok = fd >= 0 && write_all(fd, line, strlen(line)) && write_all(fd, "\n", 1) && write_all(fd, text, n_text) &&
              write_all(fd, tail, n_tail) && (!lasts || fdatasync(fd) == 0);
    free(line);
    ok = (fd < 0 || close(fd) == 0) && ok;
    ok = ok && renameat(j->folder, half, j->folder, name) == 0 && (!lasts || fsync(j->folder) == 0);
    int why = errno;
    if (!ok && fd >= 0)
        (void)unlinkat(j->folder, half, 0);
    errno = why;
    return ok;
}

void serve_journal_remove(serve_journal *j, const char *id)
{
    char name[NAME];
    (void)snprintf(name, sizeof name, "%.64s%s", id, record);
    (void)unlinkat(j->folder, name, 0);
}

/* -- reading ------------------------------------------------------------------------------------------------------------------ */

/* The whole file with a 0 behind it; NULL: it cannot be read. */
static char *slurp(int fd, size_t *n)
{
    struct stat st;
    char *text = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? malloc((size_t)st.st_size + 1) : NULL;
    size_t at = 0;
    while (text && at < (size_t)st.st_size) {
        ssize_t r = read(fd, text + at, (size_t)st.st_size - at);
        if (r < 0 && errno == EINTR)
            continue;
        if (r <= 0)
            break;
        at += (size_t)r;
    }
    if (text && at == (size_t)st.st_size) {
        text[at] = '\0';
        *n = at;
        return text;
    }
    free(text);
    return NULL;
}

typedef struct reader {
    bool (*take)(const char *id, const json_t *head, char *text, size_t n, void *user);
    void *user;
} reader;

static void read_one(serve_journal *j, const char *name, void *user)
{
    const reader *to = user;
    char id[NAME];
    size_t n = 0;
    int fd = openat(j->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = slurp(fd, &n), *end = text ? memchr(text, '\n', n < HEAD_MOST ? n : HEAD_MOST) : NULL;
    if (fd >= 0)
        (void)close(fd);
    json_t *head = end ? json_loadb(text, (size_t)(end - text), 0, NULL) : NULL;
    size_t rest = end ? n - (size_t)(end + 1 - text) : 0;
    bool whole = head && (size_t)json_integer_value(json_object_get(head, "bytes")) == rest;
    (void)snprintf(id, sizeof id, "%.*s", (int)(strlen(name) - strlen(record)), name);
    if (whole)
        memmove(text, end + 1, rest + 1);
    else
        free(text);
    if (!whole || !to->take(id, head, text, rest, to->user))
        remove_one(j, name, NULL);
    json_decref(head);
}

void serve_journal_read(serve_journal *j,
                        bool (*take)(const char *id, const json_t *head, char *text, size_t n, void *user), void *user)
{
    reader to = { take, user };
    each(j, record, read_one, &to);
}
