/* One member of a zip archive as a source of bytes: unpacked, with its size and checksum verified.
 * Must not know: the content of members. */
#include "config.h"
#include "runtime/api/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#include "runtime/base/buffer.h"

enum { LOCAL = 30, STORED = 0, DEFLATED = 8, INPUT = 1 << 16 };
static const uint64_t deflate_most = 1032; /* limit of a format: bytes that deflate makes of one, at most */

typedef struct {
    orr__source s;
    int fd;
    uint64_t at, packed; /* offset of the next packed bytes, and their number */
    uint32_t crc, want;
#ifdef HAVE_ZLIB
    z_stream z;
    bool inflating;
    unsigned char input[INPUT];
#endif
} member;

#ifdef HAVE_ZLIB
uint32_t orr__crc32(uint32_t crc, const void *data, size_t n)
{
    const unsigned char *p = data;
    for (; n > (size_t)1 << 30; p += (size_t)1 << 30, n -= (size_t)1 << 30)
        crc = (uint32_t)crc32(crc, p, 1u << 30);
    return (uint32_t)crc32(crc, p, (unsigned)n);
}
#else
uint32_t orr__crc32(uint32_t crc, const void *data, size_t n)
{
    const unsigned char *p = data;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}
#endif

static orr_status read_packed(member *m, void *to, size_t n)
{
    int64_t got = orr__file_read(m->fd, to, n, (int64_t)m->at);
    if (got < 0)
        return orr__source_fail(&m->s, ORR_EIO, "%s", strerror(errno));
    if ((size_t)got < n)
        return orr__source_fail(&m->s, ORR_EFORMAT, "truncated");
    m->at += n;
    m->packed -= n;
    return ORR_OK;
}

#ifdef HAVE_ZLIB
/* Unpacks exactly n bytes; n = 0: expects the stream's end. */
static orr_status unpack(member *m, unsigned char *to, size_t n)
{
    unsigned char beyond;
    size_t done = 0;
    for (int code = Z_OK; code != Z_STREAM_END;) {
        size_t part = n - done < (size_t)1 << 30 ? n - done : (size_t)1 << 30;
        if (n && !part)
            return ORR_OK;
        if (m->z.avail_in == 0 && m->packed) {
            size_t take = m->packed < INPUT ? (size_t)m->packed : INPUT;
            orr_status st = read_packed(m, m->input, take);
            if (st != ORR_OK)
                return st;
            m->z.next_in = m->input;
            m->z.avail_in = (unsigned)take;
        }
        m->z.next_out = n ? to + done : &beyond;
        m->z.avail_out = n ? (unsigned)part : 1;
        unsigned before = m->z.avail_out;
        code = inflate(&m->z, Z_NO_FLUSH);
        unsigned made = before - m->z.avail_out;
        if (code == Z_MEM_ERROR)
            return orr__source_fail(&m->s, ORR_ENOMEM, "no memory to unpack it");
        if ((code != Z_OK && code != Z_STREAM_END) || (!n && made))
            return orr__source_fail(&m->s, ORR_EFORMAT, "its packed data is corrupt or cut");
        done += n ? made : 0;
    }
    if (done < n || m->packed || m->z.avail_in)
        return orr__source_fail(&m->s, ORR_EFORMAT, "its packed data does not end where the archive says");
    m->inflating = false;
    inflateEnd(&m->z);
    return ORR_OK;
}
#endif

static orr_status member_read(orr__source *s, void *to, size_t n, size_t *got)
{
    member *m = (member *)s;
    orr_status st = ORR_OK;
    size_t take = n < s->most ? n : (size_t)s->most;
    *got = 0;
#ifdef HAVE_ZLIB
    if (m->inflating && take)
        st = unpack(m, to, take);
    else
#endif
        if (take)
        st = read_packed(m, to, take);
    if (st != ORR_OK)
        return st;
    m->crc = orr__crc32(m->crc, to, take);
    s->most -= take;
#ifdef HAVE_ZLIB
    if (s->most == 0 && m->inflating)
        st = unpack(m, NULL, 0);
#endif
    if (st == ORR_OK && s->most == 0 && m->crc != m->want)
        st = orr__source_fail(s, ORR_EFORMAT, "its checksum is %08x and should be %08x: corrupt", m->crc, m->want);
    *got = take;
    return st;
}

static void member_close(orr__source *s)
{
    member *m = (member *)s;
#ifdef HAVE_ZLIB
    if (m->inflating)
        inflateEnd(&m->z);
#endif
    free(m);
}

/* Checks the member's method, and whether its sizes are possible. */
static orr_status start(member *m, const orr__zip_entry *e)
{
    if (e->flags & 1u)
        return orr__source_fail(&m->s, ORR_EFORMAT, "it is encrypted");
    if (e->method == STORED && e->packed == e->size)
        return ORR_OK;
    if (e->method != STORED && e->method != DEFLATED)
        return orr__source_fail(&m->s, ORR_EFORMAT, "it is packed by method %u; stored and deflated are known",
                                e->method);
    if (e->method == STORED || e->size / deflate_most > e->packed)
        return orr__source_fail(&m->s, ORR_EFORMAT, "its sizes contradict each other: %llu packed, %llu unpacked",
                                (unsigned long long)e->packed, (unsigned long long)e->size);
#ifdef HAVE_ZLIB
    if (inflateInit2(&m->z, -15) != Z_OK)
        return orr__source_fail(&m->s, ORR_ENOMEM, "no memory to unpack it");
    m->inflating = true;
    return ORR_OK;
#else
    return orr__source_fail(&m->s, ORR_EINVAL, "it is compressed, and this library was built without zlib");
#endif
}

/* Finds the data after the local header, whose copies of name and sizes are only compared or skipped. */
static orr_status locate(member *m, const orr__zip *z, const orr__zip_entry *e)
{
    unsigned char h[LOCAL];
    size_t n = strlen(e->name);
    m->at = e->header;
    m->packed = LOCAL;
    orr_status st = read_packed(m, h, LOCAL);
    if (st != ORR_OK)
        return st;
    uint64_t skip = orr__get(h + 26, 2) + orr__get(h + 28, 2);
    if (memcmp(h, "PK\3\4", 4) != 0 || orr__get(h + 26, 2) != n)
        return orr__source_fail(&m->s, ORR_EFORMAT, "its local header is broken");
    m->at += skip;
    m->packed = e->packed;
    if (m->at > z->directory || e->packed > z->directory - m->at)
        return orr__source_fail(
            &m->s, ORR_EFORMAT, "its %llu bytes at byte %llu reach into the directory, at byte %llu",
            (unsigned long long)e->packed, (unsigned long long)m->at, (unsigned long long)z->directory);
    return ORR_OK;
}

orr_status orr__zip_source(orr__zip *z, int i, orr__source **s)
{
    const orr__zip_entry *e = &z->entry[i];
    member *m = orr__alloc(sizeof *m);
    *s = NULL;
    if (!m)
        return ORR_ENOMEM;
    m->s = (orr__source){ member_read, member_close, e->size, z->at, z->path, e->name };
    m->fd = z->fd;
    m->want = e->crc;
    orr_status st = locate(m, z, e);
    if (st == ORR_OK)
        st = start(m, e);
    if (st != ORR_OK) {
        member_close(&m->s);
        return st;
    }
    *s = &m->s;
    return ORR_OK;
}
