/* Writes zip archives; every member has zip64 sizes, as NumPy writes them, so that none is too large.
 * Must not know: the content of members. */
#include "config.h"
#include "runtime/api/zip.h"

#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#include "runtime/base/buffer.h"

enum { LOCAL = 30, WIDE = 20, CENTRAL = 46, CENTRAL_WIDE = 28 };
enum { NEEDS = 45, UTF8 = 0x800, DOS_1980 = 0x21 };

/* Room for n more bytes of the directory; NULL: ORR_ENOMEM. */
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
        } cast = { .in = p }; /* zlib's next_in is not const in all versions */
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

static orr_status write_deflated(orr__zip_writer *w, const void *head, size_t nhead, const void *data, size_t n)
{
    z_stream z = { 0 };
    if (deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return orr__fail(w->sink->at, ORR_ENOMEM, "%s: no memory to compress", w->sink->path);
    orr_status st = deflate_part(w, &z, head, nhead, false);
    if (st == ORR_OK)
        st = deflate_part(w, &z, data, n, true);
    deflateEnd(&z);
    return st;
}
#else
static orr_status write_deflated(orr__zip_writer *w, const void *head, size_t nhead, const void *data, size_t n)
{
    (void)head, (void)nhead, (void)data, (void)n;
    return orr__fail(w->sink->at, ORR_EINVAL, "%s: this library was built without zlib: save without compression",
                     w->sink->path);
}
#endif

/* The fields that local and central header share: version … length of the name. */
static unsigned char *common(unsigned char *p, const orr__zip_writer *w, const char *name, uint32_t crc)
{
    bool ascii = true;
    for (const char *c = name; *c; c++)
        ascii = ascii && (unsigned char)*c < 128;
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
    orr__put(p, size, 8); /* packed: patched when it is known */
    orr_status st = orr__sink_write(w->sink, h, LOCAL);
    if (st == ORR_OK)
        st = orr__sink_write(w->sink, name, strlen(name));
    return st == ORR_OK ? orr__sink_write(w->sink, x, WIDE) : st;
}

orr_status orr__zip_add(orr__zip_writer *w, const char *name, const void *head, size_t nhead, const void *data,
                        size_t n)
{
    uint64_t header = w->sink->size, size = (uint64_t)nhead + n;
    size_t nname = strlen(name);
    uint32_t crc = orr__crc32(orr__crc32(0, head, nhead), data, n);
    unsigned char *p = grow(w, CENTRAL + nname + CENTRAL_WIDE);
    orr_status st = p ? write_local(w, name, crc, size) : ORR_ENOMEM;
    uint64_t start = w->sink->size;
    if (st == ORR_OK && w->deflate)
        st = write_deflated(w, head, nhead, data, n);
    else if (st == ORR_OK && (st = orr__sink_write(w->sink, head, nhead)) == ORR_OK)
        st = orr__sink_write(w->sink, data, n);
    uint64_t packed = w->sink->size - start;
    if (st == ORR_OK && packed != size) {
        unsigned char bytes[8];
        orr__put(bytes, packed, 8);
        st = orr__sink_patch(w->sink, start - 8, bytes, 8);
    }
    if (st != ORR_OK)
        return st;
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
    p = orr__put(p, size, 8);
    p = orr__put(p, packed, 8);
    p = orr__put(p, header, 8);
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
