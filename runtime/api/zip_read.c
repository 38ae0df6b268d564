/* The directory of a zip archive. Its entries are checked against the file's real size before use.
 * Must not know: the content of members. */
#include "config.h"
#include "runtime/api/zip.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/buffer.h"
#include "runtime/base/decimal.h"

/* Lengths of the records' fixed parts. */
enum { END = 22, LOCATOR = 20, END64 = 56, CENTRAL = 46 }; /* limit of a format */
enum { END_SEARCH = 65535 + END + LOCATOR };

static orr_status corrupt(const orr__zip *z, const char *fmt, ...) ORR_PRINTF(2, 3);
static orr_status corrupt(const orr__zip *z, const char *fmt, ...)
{
    char what[160];
    va_list ap;
    va_start(ap, fmt);
    (void)orr__decimal_vprint(what, sizeof what, fmt, ap);
    va_end(ap);
    return orr__fail(z->at, ORR_EFORMAT, "%s: not a usable zip archive: %s", z->path, what);
}

static orr_status read_at(const orr__zip *z, void *to, size_t n, uint64_t offset)
{
    int64_t got = orr__file_read(z->fd, to, n, (int64_t)offset);
    if (got < 0)
        return orr__fail(z->at, ORR_EIO, "%s: %s", z->path, strerror(errno));
    return (size_t)got == n ? ORR_OK : corrupt(z, "truncated");
}

typedef struct {
    uint64_t count, bytes, offset; /* of the central directory */
} directory;

/* Reads the end record for archives beyond 32 bits, which the locator before the old end record names. */
static orr_status end64(const orr__zip *z, const unsigned char *locator, uint64_t before, directory *d)
{
    unsigned char e[END64];
    uint64_t at = orr__get(locator + 8, 8);
    if (at > before || before - at < END64)
        return corrupt(z, "its zip64 record, at byte %llu, does not end before its locator, at byte %llu",
                       (unsigned long long)at, (unsigned long long)before);
    orr_status st = read_at(z, e, END64, at);
    if (st != ORR_OK)
        return st;
    if (memcmp(e, "PK\6\6", 4) != 0)
        return corrupt(z, "its zip64 record is broken");
    *d = (directory){ orr__get(e + 32, 8), orr__get(e + 40, 8), orr__get(e + 48, 8) };
    return ORR_OK;
}

/* Searches the end record backwards: a comment of up to 65535 bytes may follow it. */
static orr_status find_end(const orr__zip *z, uint64_t size, directory *d)
{
    uint64_t n = size < END_SEARCH ? size : END_SEARCH, base = size - n;
    unsigned char *tail = orr__alloc((size_t)n + 1);
    if (!tail)
        return ORR_ENOMEM;
    orr_status st = read_at(z, tail, (size_t)n, base);
    bool found = false;
    if (st == ORR_OK) {
        for (uint64_t i = n < END ? 0 : n - END + 1; i-- > 0;) {
            const unsigned char *e = tail + i;
            if (memcmp(e, "PK\5\6", 4) != 0 || orr__get(e + 20, 2) != n - i - END)
                continue;
            *d = (directory){ orr__get(e + 10, 2), orr__get(e + 12, 4), orr__get(e + 16, 4) };
            found = true;
            if (i >= LOCATOR && memcmp(e - LOCATOR, "PK\6\7", 4) == 0)
                st = end64(z, e - LOCATOR, base + i - LOCATOR, d);
            break;
        }
    }
    free(tail);
    if (st == ORR_OK && !found)
        st = corrupt(z, "it has no end record (truncated, or no zip file at all)");
    if (st == ORR_OK && (d->offset > size || d->bytes > size - d->offset))
        st = corrupt(z, "its directory (%llu bytes at byte %llu) ends beyond the file of %llu bytes: truncated",
                     (unsigned long long)d->bytes, (unsigned long long)d->offset, (unsigned long long)size);
    if (st == ORR_OK && d->count > d->bytes / CENTRAL)
        st = corrupt(z, "its directory of %llu bytes is too short for %llu members", (unsigned long long)d->bytes,
                     (unsigned long long)d->count);
    return st;
}

/* Sizes and offset that exceed 32 bits are in the extra field 1, in this order; the others are absent. */
static bool wide_fields(const unsigned char *x, size_t n, orr__zip_entry *e)
{
    uint64_t *field[] = { &e->size, &e->packed, &e->header };
    for (size_t at = 0; n - at >= 4;) {
        size_t len = (size_t)orr__get(x + at + 2, 2), used = 0;
        if (len > n - at - 4)
            return false;
        for (int k = 0; k < 3 && orr__get(x + at, 2) == 1; k++) {
            if (*field[k] != UINT32_MAX)
                continue;
            if (len - used < 8)
                return false;
            *field[k] = orr__get(x + at + 4 + used, 8);
            used += 8;
        }
        at += 4 + len;
    }
    return true;
}

/* Reads one record of the directory at *p, and moves *p to the next. */
static orr_status read_entry(orr__zip *z, const unsigned char **p, const unsigned char *end, orr__zip_entry *e)
{
    const unsigned char *c = *p;
    if (end - c < CENTRAL || memcmp(c, "PK\1\2", 4) != 0)
        return corrupt(z, "its directory is broken");
    size_t name = (size_t)orr__get(c + 28, 2), extra = (size_t)orr__get(c + 30, 2), note = (size_t)orr__get(c + 32, 2);
    if ((size_t)(end - c) - CENTRAL < name + extra + note)
        return corrupt(z, "its directory is cut");
    e->flags = (uint16_t)orr__get(c + 8, 2);
    e->method = (uint16_t)orr__get(c + 10, 2);
    e->crc = (uint32_t)orr__get(c + 16, 4);
    e->packed = orr__get(c + 20, 4);
    e->size = orr__get(c + 24, 4);
    e->header = orr__get(c + 42, 4);
    if (!wide_fields(c + CENTRAL + name, extra, e) || memchr(c + CENTRAL, 0, name))
        return corrupt(z, "a member's record is broken");
    if (e->header > z->directory || e->packed > z->directory - e->header)
        return corrupt(z, "member %d (%llu bytes at byte %llu) reaches into the directory, at byte %llu", z->n,
                       (unsigned long long)e->packed, (unsigned long long)e->header, (unsigned long long)z->directory);
    e->name = orr__alloc(name + 1);
    if (!e->name)
        return ORR_ENOMEM;
    memcpy(e->name, c + CENTRAL, name);
    *p = c + CENTRAL + name + extra + note;
    return ORR_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Readers would disagree about which of two members with one name is meant. */
static orr_status check_names(const orr__zip *z)
{
    char **name = orr__alloc_n((size_t)z->n + 1, sizeof *name);
    orr_status st = name ? ORR_OK : ORR_ENOMEM;
    for (int i = 0; name && i < z->n; i++)
        name[i] = z->entry[i].name;
    if (name)
        qsort(name, (size_t)z->n, sizeof *name, by_name);
    for (int i = 1; st == ORR_OK && i < z->n; i++)
        if (strcmp(name[i - 1], name[i]) == 0)
            st = corrupt(z, "two members have the name %.100s", name[i]);
    free(name);
    return st;
}

static orr_status read_directory(orr__zip *z, const directory *d)
{
    unsigned char *bytes = orr__alloc((size_t)d->bytes + 1);
    orr_status st = bytes ? read_at(z, bytes, (size_t)d->bytes, d->offset) : ORR_ENOMEM;
    z->directory = d->offset;
    if (st == ORR_OK && d->count > INT32_MAX)
        st = corrupt(z, "it has too many members");
    if (st == ORR_OK && !(z->entry = orr__alloc_n((size_t)d->count + 1, sizeof *z->entry)))
        st = ORR_ENOMEM;
    const unsigned char *p = bytes;
    while (st == ORR_OK && z->n < (int)d->count) {
        st = read_entry(z, &p, bytes + d->bytes, &z->entry[z->n]);
        z->n += st == ORR_OK;
    }
    if (st == ORR_OK && p != bytes + d->bytes)
        st = corrupt(z, "its directory does not end where it says");
    if (st == ORR_OK)
        st = check_names(z);
    free(bytes);
    return st;
}

orr_status orr__zip_open(orr__site at, const char *path, orr__zip *z)
{
    int64_t size;
    directory d = { 0 };
    *z = (orr__zip){ .at = at, .path = path, .fd = -1 };
    if (!path)
        return orr__fail(at, ORR_EINVAL, "the path is NULL");
    orr_status st = orr__file_open(at, path, &z->fd, &size);
    if (st == ORR_OK)
        st = find_end(z, (uint64_t)size, &d);
    if (st == ORR_OK)
        st = read_directory(z, &d);
    if (st != ORR_OK)
        orr__zip_close(z);
    return st;
}

void orr__zip_close(orr__zip *z)
{
    if (z->fd >= 0)
        close(z->fd);
    for (int i = 0; i < z->n; i++)
        free(z->entry[i].name);
    free(z->entry);
    z->fd = -1;
    z->n = 0;
    z->entry = NULL;
}
