/* Files whose pages are the memory of values.
 * Must not know: formats. */
#include "config.h"
#include "runtime/base/mapped_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct orr__mapping {
    void *base;
    size_t bytes;
    int64_t end; /* in the file */
    dev_t device;
    ino_t file;
    char path[];
};

atomic_int orr__mappings;

orr__mapping *orr__map(int fd, const char *path, int64_t from, size_t bytes)
{
    struct stat sb;
    size_t length = strlen(path) + 1;
    orr__mapping *m = fstat(fd, &sb) == 0 ? orr__alloc(sizeof *m + length) : NULL;
    if (!m)
        return NULL;
    *m = (orr__mapping){ .bytes = bytes, .end = from + (int64_t)bytes, .device = sb.st_dev, .file = sb.st_ino };
    memcpy(m->path, path, length);
    m->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, (off_t)from);
    if (m->base != MAP_FAILED) {
        atomic_fetch_add(&orr__mappings, 1);
        return m;
    }
    free(m);
    return NULL;
}

void *orr__mapping_base(const orr__mapping *m)
{
    return m->base;
}

void orr__unmap(void *elements, void *user)
{
    orr__mapping *m = user;
    (void)elements;
    atomic_fetch_sub(&orr__mappings, 1);
    (void)munmap(m->base, m->bytes);
    free(m);
}

/* A file of many buffers, one after the other, is looked at once. */
orr_status orr__mapped_check(orr__site at, orr__buffer *const *b, int n)
{
    struct stat sb = { .st_size = 0 };
    const orr__mapping *last = NULL;
    bool there = false;
    for (int i = 0; i < n; i++) {
        const orr__mapping *m = b[i] && b[i]->release == orr__unmap ? b[i]->release_user : NULL;
        if (!m)
            continue;
        if (!last || last->file != m->file || last->device != m->device || strcmp(last->path, m->path) != 0)
            there = stat(m->path, &sb) == 0 && sb.st_dev == m->device && sb.st_ino == m->file;
        last = m;
        if (there && sb.st_size < m->end)
            return orr__fail(at, ORR_EIO,
                             "%s has been truncated since it was mapped: it has %lld bytes, and the tensor needs "
                             "%lld. Files that are mapped must not change; a new file under the same name is no change",
                             m->path, (long long)sb.st_size, (long long)m->end);
    }
    return ORR_OK;
}
