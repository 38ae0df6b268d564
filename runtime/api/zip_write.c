/* Writes zip archives; every member has zip64 sizes, as NumPy writes them, so that no member is too large.
 * Must not know: the content of members. */
#include "config.h"
#include "runtime/api/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#include "runtime/base/buffer.h"

enum { LOCAL = 30, WIDE = 20, CENTRAL = 46, CENTRAL_WIDE = 28 }; /* limit of a format */
enum { LOCAL_CRC = 14 };                            /* limit of a format: the offset of the CRC in the local header */
enum { NEEDS = 45, UTF8 = 0x800, DOS_1980 = 0x21 }; /* limit of a format */

/* Space for n more bytes of the directory; NULL: ORR_ENOMEM. */
static unsigned char *grow(orr__zip_writer *w, size_t n)
{
    if (w->capacity - w->used < n) {
        size_t capacity = 2 * w->capacity + n + 1024;
        unsigned char *p = realloc(w->directory, capacity);
        if (!p) {
            (void)orr__fail(w->sink->at, ORR_ENOMEM, "%s: no memory for the archive's directory", w->sink->path);
            return NULL;
        }
        w->directory = p;
        w->capacity = capacity;
    }
    return w->directory + w->used;
}

#ifdef HAVE_ZLIB
static orr_status deflate_part(orr__zip_writer *w, z_stream *z, const void *data, size_t n, bool last)
{
    unsigned char out[1 << 14];
    const unsigned char *p = data;
    do {
        size_t part = n < (size_t)1 << 30 ? n : (size_t)1 << 30;
        union {
            const unsigned char *in;
            unsigned char *out;
        } cast = { .in = p }; /* in some versions zlib's next_in is not const */
        z->next_in = cast.out;
        z->avail_in = (unsigned)part;
        p += part;
        n -= part;
        do {
            z->next_out = out;
            z->avail_out = sizeof out;
            (void)deflate(z, last && n == 0 ? Z_FINISH : Z_NO_FLUSH);
            orr_status st = orr__sink_write(w->sink, out, sizeof out - z->avail_out);
            if (st != ORR_OK)
                return st;
        } while (z->avail_out == 0);
    } while (n);
    return ORR_OK;
}

static orr_status open_stream(orr__zip_writer *w)
{
    z_stream *z = orr__alloc(sizeof *z);
    if (z && deflateInit2(z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK) {
        w->member.stream = z;
        return ORR_OK;
    }
    free(z);
    return orr__fail(w->sink->at, ORR_ENOMEM, "%s: no memory to compress", w->sink->path);
}

static orr_status close_stream(orr__zip_writer *w, orr_status st)
{
    z_stream *z = w->member.stream;
    if (st == ORR_OK)
        st = deflate_part(w, z, NULL, 0, true);
    deflateEnd(z);
    free(z);
    w->member.stream = NULL;
    return st;
}
#else
static orr_status deflate_part(orr__zip_writer *w, void *z, const void *data, size_t n, bool last)
{
    (void)w, (void)z, (void)data, (void)n, (void)last;
    return ORR_OK;
}

static orr_status open_stream(orr__zip_writer *w)
{
    return orr__fail(w->sink->at, ORR_EINVAL, "%s: this library was built without zlib: save without compression",
                     w->sink->path);
}

static orr_status close_stream(orr__zip_writer *w, orr_status st)
{
    (void)w;
    return st;
}
#endif

/* Writes the fields that local and central header share: version … length of the name. */
static unsigned char *common(unsigned char *p, const orr__zip_writer *w, const char *name, uint32_t crc)
{
    bool ascii = true;
    for (const char *c = name; *c; c++)
        ascii = ascii && (unsigned char)*c < 128; /* limit of arithmetic */
    p = orr__put(p, NEEDS, 2);
    p = orr__put(p, ascii ? 0 : UTF8, 2);
    p = orr__put(p, w->deflate ? 8 : 0, 2);
    p = orr__put(p, 0, 2); /* no time, and the format's first day: equal content makes equal files */
    p = orr__put(p, DOS_1980, 2);
    p = orr__put(p, crc, 4);
    p = orr__put(p, UINT32_MAX, 4);
    p = orr__put(p, UINT32_MAX, 4);
    return orr__put(p, strlen(name), 2);
}

static orr_status write_local(orr__zip_writer *w, const char *name, uint32_t crc, uint64_t size)
{
    unsigned char h[LOCAL], x[WIDE], *p = h;
    p = orr__put(p, 0x04034b50, 4);
    p = common(p, w, name, crc);
    orr__put(p, WIDE, 2);
    p = orr__put(x, 1, 2);
    p = orr__put(p, 16, 2);
    p = orr__put(p, size, 8);
    orr__put(p, size, 8); /* packed size: patched when it is known */
    orr_status st = orr__sink_write(w->sink, h, LOCAL);
    if (st == ORR_OK)
        st = orr__sink_write(w->sink, name, strlen(name));
    return st == ORR_OK ? orr__sink_write(w->sink, x, WIDE) : st;
}

orr_status orr__zip_begin(orr__zip_writer *w, const char *name, uint64_t size, const uint32_t *crc)
{
    (void)snprintf(w->member.name, sizeof w->member.name, "%s", name);
    w->member.header = w->sink->size;
    w->member.size = size;
    w->member.known = crc != NULL;
    w->member.told = crc ? *crc : 0;
    w->member.crc = 0;
    w->member.stream = NULL;
    orr_status st = write_local(w, name, w->member.told, size);
    w->member.start = w->sink->size;
    return st == ORR_OK && w->deflate ? open_stream(w) : st;
}

orr_status orr__zip_part(orr__zip_writer *w, const void *data, size_t n)
{
    if (!w->member.known)
        w->member.crc = orr__crc32(w->member.crc, data, n);
    return w->member.stream ? deflate_part(w, w->member.stream, data, n, false) : orr__sink_write(w->sink, data, n);
}

/* Patches the fields that were unknown when the local header was written: checksum, packed size. */
static orr_status patch(orr__zip_writer *w, uint32_t crc, uint64_t packed)
{
    unsigned char bytes[8];
    orr_status st = ORR_OK;
    if (crc != w->member.told) {
        orr__put(bytes, crc, 4);
        st = orr__sink_patch(w->sink, w->member.header + LOCAL_CRC, bytes, 4);
    }
    if (st == ORR_OK && packed != w->member.size) {
        orr__put(bytes, packed, 8);
        st = orr__sink_patch(w->sink, w->member.start - 8, bytes, 8);
    }
    return st;
}

orr_status orr__zip_end(orr__zip_writer *w, orr_status st)
{
    const char *name = w->member.name;
    size_t nname = strlen(name);
    if (w->member.stream)
        st = close_stream(w, st);
    uint32_t crc = w->member.known ? w->member.told : w->member.crc;
    uint64_t packed = w->sink->size - w->member.start;
    if (st == ORR_OK)
        st = patch(w, crc, packed);
    unsigned char *p = st == ORR_OK ? grow(w, CENTRAL + nname + CENTRAL_WIDE) : NULL;
    if (!p)
        return st == ORR_OK ? ORR_ENOMEM : st;
    p = orr__put(p, 0x02014b50, 4);
    p = orr__put(p, 3 << 8 | NEEDS, 2); /* made on Unix */
    p = common(p, w, name, crc);
    p = orr__put(p, CENTRAL_WIDE, 2);
    p = orr__put(p, 0, 2); /* comment */
    p = orr__put(p, 0, 2); /* disk */
    p = orr__put(p, 0, 2);
    p = orr__put(p, (uint64_t)0100600 << 16, 4);
    p = orr__put(p, UINT32_MAX, 4);
    memcpy(p, name, nname);
    p = orr__put(p + nname, 1, 2);
    p = orr__put(p, 24, 2);
    p = orr__put(p, w->member.size, 8);
    p = orr__put(p, packed, 8);
    p = orr__put(p, w->member.header, 8);
    w->used = (size_t)(p - w->directory);
    w->members++;
    return ORR_OK;
}

orr_status orr__zip_finish(orr__zip_writer *w, orr_status st)
{
    unsigned char e[56 + 20 + 22], *p = e;
    uint64_t at = w->sink->size, end64 = at + w->used;
    p = orr__put(p, 0x06064b50, 4);
    p = orr__put(p, 44, 8);
    p = orr__put(p, 3 << 8 | NEEDS, 2);
    p = orr__put(p, NEEDS, 2);
    p = orr__put(p, 0, 8); /* disks */
    p = orr__put(p, w->members, 8);
    p = orr__put(p, w->members, 8);
    p = orr__put(p, w->used, 8);
    p = orr__put(p, at, 8);
    p = orr__put(p, 0x07064b50, 4);
    p = orr__put(p, 0, 4);
    p = orr__put(p, end64, 8);
    p = orr__put(p, 1, 4);
    uint64_t count = w->members < UINT16_MAX ? w->members : UINT16_MAX;
    p = orr__put(p, 0x06054b50, 4);
    p = orr__put(p, 0, 4);
    p = orr__put(p, count, 2);
    p = orr__put(p, count, 2);
    p = orr__put(p, w->used < UINT32_MAX ? w->used : UINT32_MAX, 4);
    p = orr__put(p, at < UINT32_MAX ? at : UINT32_MAX, 4);
    p = orr__put(p, 0, 2);
    if (st == ORR_OK && w->used)
        st = orr__sink_write(w->sink, w->directory, w->used);
    if (st == ORR_OK)
        st = orr__sink_write(w->sink, e, (size_t)(p - e));
    free(w->directory);
    w->directory = NULL;
    return st;
}
