/* Bytes from a file or from a member of an archive, with a bound on how many there can be.
 * Must not know: the meaning of the bytes. */
#ifndef ORR_API_SOURCE_H
#define ORR_API_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include "runtime/base/status.h"

typedef struct orr__source orr__source;
struct orr__source {
    /* Reads n bytes; fewer (*got) only where the source ends, which is when it has checked itself (checksums). */
    orr_status (*read)(orr__source *s, void *to, size_t n, size_t *got);
    void (*close)(orr__source *s);
    uint64_t most; /* no more bytes than these can still come; UINT64_MAX: unknown */
    orr__site at;
    const char *path;   /* borrowed: for messages */
    const char *member; /* in an archive, else NULL */
};

/* "site: path[member]: message" */
orr_status orr__source_fail(const orr__source *s, orr_status st, const char *fmt, ...) ORR_PRINTF(3, 4);
/* n bytes or ORR_EFORMAT (truncated; `what` names the missing data). */
orr_status orr__source_exact(orr__source *s, void *to, size_t n, const char *what);
/* ORR_EFORMAT when anything is left. */
orr_status orr__source_end(orr__source *s);
/* All bytes and a 0 behind them; free *data, on error too. Memory grows with what is there. */
orr_status orr__source_all(orr__source *s, char **data, size_t *size);
/* A file, read as it is, or unzipped on the way when it is gzip and `gzip` is set. On success s->close(s) later. */
orr_status orr__source_open(orr__site at, const char *path, bool gzip, orr__source **s);
/* Opens a file for reading; *size is -1 when it is no regular file. */
orr_status orr__file_open(orr__site at, const char *path, int *fd, int64_t *size);
/* Reads until n or the end; -1 on error (errno). at < 0: from where the file stands. */
int64_t orr__file_read(int fd, void *to, size_t n, int64_t at);
/* The same from place `at`, by several threads where n is large. */
int64_t orr__file_read_large(int fd, void *to, size_t n, int64_t at);

/* Bytes of a file as memory of this process's own: writes do not reach the file. */
typedef struct orr__mapping {
    void *base;
    size_t bytes;
} orr__mapping;
/* From byte `from` of fd, a multiple of the page. NULL: no memory, or a system that does not map. */
orr__mapping *orr__map(int fd, int64_t from, size_t bytes);
/* As orr_wrap's `release`: user is the mapping. */
void orr__unmap(void *elements, void *user);

#endif
