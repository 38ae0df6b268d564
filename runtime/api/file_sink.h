/* Files that appear complete or not at all.
 * Must not know: the content. */
#ifndef ORR_API_SINK_H
#define ORR_API_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "runtime/base/status.h"

typedef struct {
    orr__site at;
    const char *path; /* borrowed: for messages                                   */
    char *target;     /* the file of `path`, links followed                        */
    char *tmp;        /* the temporary beside it; NULL: the target is a device, a pipe */
    int fd;           /* -1: another rank writes the file                           */
    uint64_t size;    /* bytes written                                             */
    bool shared;
} orr__sink;

/* shared: all ranks open, write and close the same, rank 0 writes the file, and its errors are those of all, when they open and close. */
orr_status orr__sink_open(orr__site at, const char *path, bool shared, orr__sink *s);
orr_status orr__sink_write(orr__sink *s, const void *data, size_t n);
/* Writes over bytes that were written before. */
orr_status orr__sink_patch(orr__sink *s, uint64_t offset, const void *data, size_t n);
/* st ORR_OK: makes it the file; else removes it. Returns st, or the error of that. Called once after a successful open. */
orr_status orr__sink_close(orr__sink *s, orr_status st);

/* Flushes the caller's file and returns its status, since an error at the caller's fclose would come too late. */
orr_status orr__printed(orr__site at, FILE *to);

#endif
