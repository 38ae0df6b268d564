/* The directory as a whole: its size limit, its leftovers, its listing.
 * Must not know: compilers, how code is loaded. */
#include "config.h"
#include "codelets/jit/internal.h"
#include "runtime/base/env.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char name[72];
    struct timespec used;
    uint64_t bytes;
} found;

/* A separate stream: the position of the directory's fd is not changed. */
static DIR *open_stream(int dir)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0)
        close(fd);
    return d;
}

/* Leftovers of a dead process: exactly our names, since the directory may contain files of the user. */
static bool is_leftover(const char *name)
{
    return orr__is_temporary(name) || orr__is_lock(name);
}

static void drop_leftover(int dir, const char *name, const struct stat *st)
{
    enum { OLD = 3600 }; /* limit of patience */
    if (S_ISREG(st->st_mode) && time(NULL) - st->st_mtime >= OLD)
        (void)unlinkat(dir, name, 0);
}

static int older_first(const void *a, const void *b)
{
    const found *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* All entries; with `tidy`, leftovers of dead processes are removed. NULL: none, or no memory. */
static found *entries(int dir, bool tidy, size_t *count)
{
    found *list = NULL;
    size_t n = 0, capacity = 0;
    struct stat st;
    DIR *d = open_stream(dir);
    *count = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        bool entry = orr__is_entry(e->d_name), leftover = !entry && tidy && is_leftover(e->d_name);
        if ((!entry && !leftover) || fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (leftover) {
            drop_leftover(dir, e->d_name, &st);
            continue;
        }
        if (n == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            found *more = realloc(list, capacity * sizeof *list);
            if (!more)
                break;
            list = more;
        }
        (void)snprintf(list[n].name, sizeof list[n].name, "%.71s", e->d_name);
        list[n].used = st.st_mtim;
        list[n++].bytes = (uint64_t)st.st_size;
    }
    if (d)
        (void)closedir(d);
    *count = n;
    return list;
}

void orr__cache_sweep(orr__cache *c, size_t most)
{
    size_t n;
    uint64_t sum = 0;
    found *list = entries(c->dir, true, &n);
    for (size_t i = 0; i < n; i++)
        sum += list[i].bytes;
    if (sum > most) {
        /* Frees a tenth more than necessary, so that a full cache is not swept for each kernel. */
        most -= most / 10;
        qsort(list, n, sizeof *list, older_first);
        for (size_t i = 0; i < n && sum > most; i++) {
            (void)unlinkat(c->dir, list[i].name, 0);
            sum -= list[i].bytes;
        }
    }
    free(list);
}

static void tell(int dir, bool site, void (*f)(const orr__cache_info *e, void *arg), void *arg)
{
    size_t n;
    found *list = entries(dir, false, &n);
    for (size_t i = 0; i < n; i++) {
        orr__bytes b;
        orr__entry e;
        orr__key key;
        orr__cache_info info = { .site = site, .used = list[i].used.tv_sec };
        if (!orr__safe_read(dir, list[i].name, site, 64u << 20, &b, NULL))
            continue;
        if (orr__entry_unpack(&b, NULL, &e, &key)) {
            orr__key_hex(&key, info.key);
            memcpy(info.label, e.label, sizeof info.label);
            memcpy(info.compiler, e.compiler, sizeof info.compiler);
            memcpy(info.facts, e.facts, sizeof info.facts);
            info.bytes = b.size;
            info.source_bytes = e.source_size;
            info.seconds = e.seconds;
            f(&info, arg);
        }
        free(b.data);
    }
    free(list);
}

/* Reading does not create a directory: a missing directory counts as empty. */
static orr_status open_to_look(orr__cache *c)
{
    char why[600] = "there is no directory for it: set ORRERY_CACHE_DIR or HOME";
    *c = (orr__cache){ -1, -1, "" };
    struct stat st;
    const char *path = orr__env.cache_dir;
    bool missing = path[0] && lstat(path, &st) != 0 && errno == ENOENT;
    if (!missing && (!path[0] || (c->dir = orr__safe_dir(path, ORR__OWN, why, sizeof why)) < 0))
        return orr__fail(ORR__SITE(NULL, 0, "kernel cache"), ORR_EIO, "%s", why);
    if (orr__env.cache_site[0])
        c->site = orr__safe_dir(orr__env.cache_site, ORR__SITE_DIR, why, sizeof why);
    return ORR_OK;
}

orr_status orr__cache_each(void (*f)(const orr__cache_info *e, void *arg), void *arg)
{
    orr__cache c;
    orr_status st = open_to_look(&c);
    if (st == ORR_OK && c.dir >= 0)
        tell(c.dir, false, f, arg);
    if (st == ORR_OK && c.site >= 0)
        tell(c.site, true, f, arg);
    orr__cache_close(&c);
    return st;
}

int orr__cache_clear(void)
{
    orr__cache c;
    size_t n = 0, stay = 0;
    int why = 0;
    if (open_to_look(&c) != ORR_OK)
        return -1;
    if (c.dir >= 0) {
        found *list = entries(c.dir, true, &n);
        for (size_t i = 0; i < n; i++)
            if (unlinkat(c.dir, list[i].name, 0) != 0 && errno != ENOENT) { /* ENOENT: another process removed it */
                stay++;
                why = errno;
            }
        free(list);
        orr__index_remove(c.dir);
    }
    orr__cache_close(&c);
    if (!stay)
        return (int)n;
    (void)orr__fail(ORR__SITE(NULL, 0, "kernel cache"), ORR_EIO, "%zu of %zu files in %s cannot be removed: %s", stay,
                    n, orr__env.cache_dir, strerror(why));
    return -1;
}
