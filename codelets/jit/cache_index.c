/* The index of the directory: the entry of a kernel by its content, so that a later process finds it without the kernel's text.
 * Must not know: the content, the format of entries. */
#include "config.h"
#include "codelets/jit/internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of records. The newest one of a content counts; a record that a crash has cut, or whose entry is gone, is a miss. */
static const char name[] = "index";
enum { MOST = 4096, KEPT = MOST / 2 }; /* limit of memory */

typedef struct {
    orr__key content, entry;
    uint32_t abi;
    unsigned char check[12]; /* the first bytes of the digest of all before it */
} record;

static void seal(record *r)
{
    unsigned char digest[32];
    orr__sha256 s;
    r->abi = ORR__CACHE_ABI;
    orr__sha256_begin(&s);
    orr__sha256_add(&s, r, offsetof(record, check));
    orr__sha256_end(&s, digest);
    memcpy(r->check, digest, sizeof r->check);
}

static bool is_sound(const record *r)
{
    record as_written = *r;
    seal(&as_written);
    return memcmp(&as_written, r, sizeof *r) == 0;
}

void orr__index_read(int dir, bool site, orr__bytes *out)
{
    *out = (orr__bytes){ NULL, 0 };
    if (dir >= 0)
        (void)orr__safe_read(dir, name, site, 2 * MOST * sizeof(record), out, NULL);
}

bool orr__index_find(const orr__bytes *index, const orr__key *content, orr__key *entry)
{
    for (size_t n = index->size / sizeof(record); n-- > 0;) {
        record r;
        memcpy(&r, index->data + n * sizeof r, sizeof r);
        if (memcmp(&r.content, content, sizeof *content) == 0 && is_sound(&r)) {
            *entry = r.entry;
            return true;
        }
    }
    return false;
}

/* A long file is written anew without its older half. */
static void shorten(int dir)
{
    orr__bytes all;
    orr__index_read(dir, false, &all);
    size_t n = all.size / sizeof(record);
    if (n >= MOST) {
        orr__bytes newest = { all.data + (n - KEPT) * sizeof(record), KEPT * sizeof(record) };
        (void)orr__safe_write(dir, name, &newest);
    }
    free(all.data);
}

/* Records of several processes do not mix, since each is one write at the end of the file. Opening a pipe would wait for a reader. */
void orr__index_add(int dir, const orr__key *content, const orr__key *entry)
{
    record r = { .content = *content, .entry = *entry };
    const int how = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = dir < 0 ? -1 : openat(dir, name, how, 0600);
    if (fd < 0)
        return;
    seal(&r);
    off_t end = lseek(fd, 0, SEEK_END), odd = end > 0 ? end % (off_t)sizeof r : 0;
    bool whole = odd == 0 || ftruncate(fd, end - odd) == 0;
    (void)(whole && orr__write_all(fd, &r, sizeof r));
    (void)close(fd);
    if (end >= (off_t)(MOST * sizeof r))
        shorten(dir);
}

void orr__index_remove(int dir)
{
    (void)unlinkat(dir, name, 0);
}
