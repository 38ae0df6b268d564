/* Zip archives as .npz needs them: stored and deflated members, zip64.
 * Must not know: the content of members. */
#ifndef ORR_API_ZIP_H
#define ORR_API_ZIP_H

#include "runtime/api/file_sink.h"
#include "runtime/api/file_source.h"

typedef struct {
    char *name; /* ends with 0; a name that contains a 0 is refused */
    uint16_t flags, method;
    uint32_t crc;
    uint64_t packed, size, header; /* bytes in the file, unpacked, offset of the local header */
} orr__zip_entry;

typedef struct {
    orr__site at;
    const char *path; /* borrowed */
    int fd;
    uint64_t directory; /* offset of the central directory: members end before it */
    int n;
    orr__zip_entry *entry;
} orr__zip;

orr_status orr__zip_open(orr__site at, const char *path, orr__zip *z);
void orr__zip_close(orr__zip *z);
/* Reads member i; its checksum is verified after its last byte. The archive must stay open until then. */
orr_status orr__zip_source(orr__zip *z, int i, orr__source **s);

uint32_t orr__crc32(uint32_t crc, const void *data, size_t n);

typedef struct {
    orr__sink *sink;
    bool deflate;
    unsigned char *directory; /* grows */
    size_t used, capacity;
    uint64_t members;
    struct {
        char name[4096 + 8];
        uint64_t header, start, size; /* offsets of header and content; bytes of content */
        uint32_t told, crc;           /* in the header; of the content so far           */
        bool known;                   /* told is correct                                */
        void *stream;                 /* of zlib; NULL: stored                          */
    } member;                         /* the member being written                       */
} orr__zip_writer;

/* Begins a member of `size` bytes, adds its content by parts, ends it (also after an error). crc: of the content; NULL: not known yet,
 * which requires a file whose bytes can be overwritten. */
orr_status orr__zip_begin(orr__zip_writer *w, const char *name, uint64_t size, const uint32_t *crc);
orr_status orr__zip_part(orr__zip_writer *w, const void *data, size_t n);
orr_status orr__zip_end(orr__zip_writer *w, orr_status st);
/* Writes the central directory and frees the writer's memory, also if st is an error already, which is then returned. */
orr_status orr__zip_finish(orr__zip_writer *w, orr_status st);

static inline unsigned char *orr__put(unsigned char *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *p++ = (unsigned char)(v >> 8 * i);
    return p;
}

static inline uint64_t orr__get(const unsigned char *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

#endif
