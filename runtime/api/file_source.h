/* Bytes from a file or from a member of an archive, with an upper bound on their number.
 * Must not know: the meaning of the bytes. */
#ifndef ORR_API_FILE_SOURCE_H
#define ORR_API_FILE_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include "runtime/base/status.h"

typedef struct orr__source orr__source;
struct orr__source {
    /* Reads n bytes; fewer (*got) only at the end of the source, which has then verified itself (checksums). */
    orr_status (*read)(orr__source *s, void *to, size_t n, size_t *got);
    void (*close)(orr__source *s);
    uint64_t most; /* upper bound of the bytes left; UINT64_MAX: unknown */
    orr__site at;
    const char *path;   /* borrowed: for messages */
    const char *member; /* in an archive; otherwise NULL */
};

/* "site: path[member]: message" */
orr_status orr__source_fail(const orr__source *s, orr_status st, const char *fmt, ...) ORR_PRINTF(3, 4);
/* Reads n bytes, or returns ORR_EFORMAT (truncated; `what` names the missing data). */
orr_status orr__source_exact(orr__source *s, void *to, size_t n, const char *what);
/* ORR_EFORMAT if any bytes are left. */
orr_status orr__source_end(orr__source *s);
/* Reads all bytes and appends a 0; the caller frees *data, also after an error. Memory grows with the bytes that exist. */
orr_status orr__source_all(orr__source *s, char **data, size_t *size);
/* Opens a file; if it is gzip and `gzip` is set, it is decompressed while it is read. The caller ends with s->close(s). */
orr_status orr__source_open(orr__site at, const char *path, bool gzip, orr__source **s);
/* Opens a regular file for reading; others are refused by their kind. */
orr_status orr__file_open(orr__site at, const char *path, int *fd, int64_t *size);
/* Reads n bytes, or to the end; -1 on error (errno). at < 0: from the current position of the file. */
int64_t orr__file_read(int fd, void *to, size_t n, int64_t at);
/* The same from offset `at`, by several threads if n is large. */
int64_t orr__file_read_large(int fd, void *to, size_t n, int64_t at);

#endif
