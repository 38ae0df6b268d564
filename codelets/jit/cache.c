/* The directory of compiled kernels: lookup, storage, locks.
 * Must not know: compilers, how code is loaded. */
#include "config.h"
#include "codelets/jit/internal.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRY_MOST = 64 << 20, NAME = 80 }; /* limit of a format */

static void entry_name(const orr__key *k, const char *suffix, char name[NAME])
{
    char hex[65];
    orr__key_hex(k, hex);
    (void)snprintf(name, NAME, "%s%s", hex, suffix);
}

static bool is_key(const char *name, const char *ending)
{
    return strspn(name, "0123456789abcdef") == 64 && strcmp(name + 64, ending) == 0;
}

bool orr__is_entry(const char *name)
{
    return is_key(name, ".krn");
}

bool orr__is_lock(const char *name)
{
    return is_key(name, ".lock");
}

void orr__cache_open(orr__cache *c)
{
    char why[600];
    c->dir = c->site = -1;
    (void)snprintf(c->path, sizeof c->path, "%s", orr__env.cache_dir);
    if (c->path[0]) {
        c->dir = orr__safe_dir(c->path, ORR__OWN, why, sizeof why);
        if (c->dir < 0)
            orr__say(ORR__SAY_DIR, "the kernel cache is not used: %s; compiled kernels last as long as this process",
                     why);
    }
    if (orr__env.cache_site[0]) {
        c->site = orr__safe_dir(orr__env.cache_site, ORR__SITE_DIR, why, sizeof why);
        if (c->site < 0)
            orr__say(ORR__SAY_SITE, "ORRERY_CACHE_SITE is not used: %s", why);
    }
}

void orr__cache_close(orr__cache *c)
{
    if (c->dir >= 0)
        close(c->dir);
    if (c->site >= 0)
        close(c->site);
    c->dir = c->site = -1;
}

static bool get(int dir, bool site, const char *name, const orr__key *k, orr__bytes *out, orr__entry *e)
{
    struct timespec mtime;
    struct stat st;
    if (!orr__safe_read(dir, name, site, ENTRY_MOST, out, &mtime)) {
        /* A directory, a link or another user's file is not an entry, and blocks the name of one. */
        if (!site && errno != ENOENT && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            (void)unlinkat(dir, name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0);
        if (site && errno != ENOENT)
            orr__say(ORR__SAY_SITE, "a kernel of ORRERY_CACHE_SITE is not used: %s/%s %s", orr__env.cache_site, name,
                     errno ? strerror(errno) : "is no file that root or you alone could have written");
        return false;
    }
    if (!orr__entry_unpack(out, k, e, NULL)) {
        if (!site)
            (void)unlinkat(dir, name, 0);
        free(out->data);
        out->data = NULL;
        return false;
    }
    /* The time of use determines the order of eviction. Once a minute is precise enough, and avoids writes by 64
     * processes at once. */
    if (!site && time(NULL) - mtime.tv_sec > 60) /* limit of patience */
        (void)utimensat(dir, name, NULL, AT_SYMLINK_NOFOLLOW);
    return true;
}

bool orr__cache_get(orr__cache *c, const orr__key *k, orr__bytes *out, orr__entry *e)
{
    char name[NAME];
    entry_name(k, ".krn", name);
    out->data = NULL;
    return (c->dir >= 0 && get(c->dir, false, name, k, out, e)) ||
           (c->site >= 0 && get(c->site, true, name, k, out, e));
}

bool orr__cache_put(orr__cache *c, const orr__key *k, const orr__entry *e)
{
    char name[NAME];
    orr__bytes b;
    size_t most = orr__env.cache_size;
    if (c->dir < 0 || !orr__entry_pack(k, e, &b))
        return false;
    bool ok = b.size <= most && b.size <= ENTRY_MOST;
    if (ok) {
        orr__cache_sweep(c, most - b.size);
        entry_name(k, ".krn", name);
        ok = orr__safe_write(c->dir, name, &b);
        if (!ok)
            orr__say(ORR__SAY_STORE, "a kernel is not kept in %s: %s", c->path, strerror(errno));
    }
    free(b.data);
    return ok;
}

int orr__cache_lock(orr__cache *c, const orr__key *k, double seconds, const atomic_bool *stop)
{
    char name[NAME];
    if (c->dir < 0)
        return -1;
    entry_name(k, ".lock", name);
    int fd = openat(c->dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    double end = orr__now() + seconds;
    long wait = 1000000; /* ns; doubles up to 50 ms */
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || orr__now() > end || (stop && atomic_load(stop))) {
            close(fd); /* a file system without locks, or a holder that hangs: compiling twice is harmless */
            return -1;
        }
        nanosleep(&(struct timespec){ 0, wait }, NULL);
        wait = wait < 25000000 ? wait * 2 : 50000000; /* limit of patience */
    }
    return fd;
}

/* A process that waits for the removed file now gets its lock and finds the entry. A later process makes a new file,
 * and finds the entry too. */
void orr__cache_unlock(orr__cache *c, const orr__key *k, int lock)
{
    char name[NAME];
    if (lock < 0)
        return;
    entry_name(k, ".lock", name);
    (void)unlinkat(c->dir, name, 0);
    close(lock);
}
