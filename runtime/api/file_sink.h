/* Files that appear complete or not at all.
 * Must not know: the content. */
#ifndef ORR_API_FILE_SINK_H
#define ORR_API_FILE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "runtime/base/status.h"

typedef struct {
    orr__site at;
    const char *path; /* borrowed: for messages                                   */
    char *target;     /* the file of `path`, with links followed                   */
    char *tmp;        /* the temporary file beside it; NULL: the target is a device or a pipe */
    int fd;           /* -1: another rank writes the file                           */
    uint64_t size;    /* bytes written                                             */
    bool shared;
} orr__sink;

/* shared: all ranks open, write and close the same file. Rank 0 writes it, and its errors at open and close are those of all. */
orr_status orr__sink_open(orr__site at, const char *path, bool shared, orr__sink *s);
orr_status orr__sink_write(orr__sink *s, const void *data, size_t n);
/* Overwrites bytes that were written before. */
orr_status orr__sink_patch(orr__sink *s, uint64_t offset, const void *data, size_t n);
/* st ORR_OK: the temporary file becomes the target; otherwise it is removed. Returns st, or the error of the renaming. Called once after
 * a successful open. */
orr_status orr__sink_close(orr__sink *s, orr_status st);

/* Flushes the caller's file and returns the status, since an error at the caller's fclose would come too late. */
orr_status orr__printed(orr__site at, FILE *to);

#endif
