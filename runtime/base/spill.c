/* Blocks mapped from files: the kernel writes them to disk when it needs their memory. A file is unlinked when it is made, so nothing is
 * left of it when the process ends in any way. Must not know: plans. */
#include "config.h"
#include "runtime/base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "runtime/base/env.h"
#include "runtime/base/fork.h"
#include "runtime/base/signals.h"

static atomic_int dir_fd = -1;
static char dir_name[1024];
static atomic_size_t now, most;

/* The blocks. */
typedef struct place {
    struct place *next;
    char *block;
    size_t bytes;
    int scattered; /* readers in places far from each other */
} place;
static place *places;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t guard_once = PTHREAD_ONCE_INIT;

static void guard(void)
{
    orr__fork_guard(&lock);
}

static orr__site site(void)
{
    return ORR__SITE(NULL, 0, "memory");
}

/* Reserves disk space for the whole file. A write to a hole on a full disk would end the process. */
static int reserve(int fd, off_t bytes)
{
    ORR__GUARD_WRITES;
    int err;

    do
        err = posix_fallocate(fd, 0, bytes);
    while (err == EINTR);
    return err;
}

/* A file without a name, with `bytes` bytes reserved on disk; -1: errno. */
static int make_file(int dir, off_t bytes)
{
    static atomic_uint number;
    int fd = -1, err = 0;
#ifdef O_TMPFILE
    fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
    if (fd < 0) { /* some file systems lack O_TMPFILE */
        char name[48];
        (void)snprintf(name, sizeof name, "orrery-%ld-%u", (long)getpid(), atomic_fetch_add(&number, 1));
        fd = openat(dir, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
        if (fd >= 0)
            (void)unlinkat(dir, name, 0);
    }
    if (fd >= 0 && bytes > 0 && (err = reserve(fd, bytes)) != 0) {
        (void)close(fd);
        errno = err;
        return -1;
    }
    return fd;
}

static orr_status refuse(orr__site at, const char *dir, const char *why)
{
    return orr__fail(at, ORR_EENV, "ORRERY_SPILL_DIR=%s %s; it takes: a directory of your own, on a disk", dir, why);
}

static orr_status check(orr__site at, const char *dir, int fd)
{
    struct stat st;
    struct statfs fs;
    int file;

    if (fstat(fd, &st) != 0)
        return refuse(at, dir, strerror(errno));
    if (st.st_uid != geteuid())
        return refuse(at, dir, "belongs to another user");
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return refuse(at, dir, "can be written by others");
    if ((file = make_file(fd, 0)) < 0)
        return refuse(at, dir, strerror(errno));
    (void)close(file);
    enum { TMPFS = 0x01021994 };
    if (fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS)
        orr__log(1, "ORRERY_SPILL_DIR=%s lies in memory itself", dir);
    return ORR_OK;
}

orr_status orr__spill_start(orr__site at, const char *dir)
{
    orr_status st;
    int fd;

    if (!*dir)
        return ORR_OK;
    if ((fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return refuse(at, dir, strerror(errno));
    if ((st = check(at, dir, fd)) != ORR_OK) {
        (void)close(fd);
        return st;
    }
    (void)pthread_once(&guard_once, guard);
    (void)snprintf(dir_name, sizeof dir_name, "%s", dir);
    atomic_store(&dir_fd, fd);
    return ORR_OK;
}

void orr__spill_stop(void)
{
    int fd = atomic_exchange(&dir_fd, -1);

    if (fd >= 0)
        (void)close(fd);
}

bool orr__spill_on(void)
{
    return atomic_load_explicit(&dir_fd, memory_order_relaxed) >= 0;
}

static void *no_room(size_t bytes, const char *why)
{
    (void)orr__fail(
        site(), ORR_ENOMEM,
        "%zu bytes do not fit under the memory limit, and ORRERY_SPILL_DIR=%s has no space for them: %s (%zu "
        "bytes are there already)",
        bytes, dir_name, why, atomic_load(&now));
    return NULL;
}

void *orr__spill_get(size_t bytes, size_t *cap)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (bytes + page - 1) / page * page;
    int dir = atomic_load(&dir_fd), fd;

    if (dir < 0 || all < bytes || all > (size_t)1 << 50)
        return no_room(bytes, strerror(EFBIG));
    if ((fd = make_file(dir, (off_t)all)) < 0)
        return no_room(bytes, strerror(errno));
    place *new = malloc(sizeof *new);
    void *p = new ? mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    int err = errno;
    (void)close(fd); /* the mapping keeps the file */
    if (p == MAP_FAILED) {
        free(new);
        return no_room(bytes, strerror(err));
    }
    /* Kernels walk through values. Without this, pages around them are read that are evicted before their use. */
    (void)madvise(p, all, MADV_SEQUENTIAL);
    (void)pthread_mutex_lock(&lock);
    *new = (place){ places, p, all, 0 };
    places = new;
    (void)pthread_mutex_unlock(&lock);
    size_t live = atomic_fetch_add(&now, all) + all, peak = atomic_load(&most);
    while (live > peak && !atomic_compare_exchange_weak(&most, &peak, live))
        ;
    *cap = all;
    return p;
}

void orr__spill_put(void *block, size_t cap)
{
    (void)pthread_mutex_lock(&lock);
    place **at = &places, *gone;
    while ((*at)->block != block)
        at = &(*at)->next;
    gone = *at;
    *at = gone->next;
    (void)pthread_mutex_unlock(&lock);
    free(gone);
    (void)munmap(block, cap);
    atomic_fetch_sub(&now, cap);
}

/* The block around p; NULL: p is elsewhere. Under the lock. */
static place *around(const void *p)
{
    place *at = places;
    while (at && !((const char *)p >= at->block && (const char *)p < at->block + at->bytes))
        at = at->next;
    return at;
}

bool orr__spill_holds(const void *p)
{
    if (atomic_load_explicit(&now, memory_order_relaxed) == 0)
        return false;
    (void)pthread_mutex_lock(&lock);
    bool holds = around(p) != NULL;
    (void)pthread_mutex_unlock(&lock);
    return holds;
}

void orr__spill_scatter(const void *p, bool on)
{
    (void)pthread_mutex_lock(&lock);
    place *at = around(p);
    int before = at ? at->scattered : 0;
    if (at)
        at->scattered += on ? 1 : -1;
    if (at && (before == 0 || at->scattered == 0))
        (void)madvise(at->block, at->bytes, on ? MADV_RANDOM : MADV_SEQUENTIAL);
    (void)pthread_mutex_unlock(&lock);
}

void orr__spill_soon(const void *p, size_t bytes, int64_t n, int64_t step)
{
    int64_t page = sysconf(_SC_PAGESIZE);
    (void)pthread_mutex_lock(&lock);
    const place *at = around(p);
    char *block = at ? at->block : NULL;
    int64_t from = at ? (const char *)p - block : 0;
    int64_t end = at ? (int64_t)at->bytes : 0;
    (void)pthread_mutex_unlock(&lock);
    for (int64_t i = 0; i < n; i++, from += step)
        if (from >= 0 && from + (int64_t)bytes <= end)
            (void)madvise(block + from / page * page, bytes + (size_t)(from % page), MADV_WILLNEED);
}

void orr__spill_rest(const orr__buffer *b, size_t from, size_t end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (!b || !b->spilled)
        return;
    from = (from + page - 1) / page * page;
    end = end == b->bytes ? b->cap : end / page * page;
    if (from < end)
        (void)madvise((char *)b->host + from, end - from, MADV_DONTNEED);
}

void orr__spill_stats(orr__pool_stats *s)
{
    s->spills = orr__spill_on();
    s->spilled = atomic_load(&now);
    s->spilled_peak = atomic_load(&most);
}

void orr__spill_peak_reset(void)
{
    atomic_store(&most, atomic_load(&now));
}
