/* Files that appear complete or not at all.
 * Must not know: what is written. */
#ifndef ORR_API_SINK_H
#define ORR_API_SINK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "runtime/base/status.h"

typedef struct {
    orr__site at;
    const char *path; /* borrowed: for messages                                   */
    char *target;     /* what `path` names, links followed                         */
    char *tmp;        /* the temporary beside it; NULL: the target is a device, a pipe */
    int fd;
    uint64_t size; /* bytes written                                             */
} orr__sink;

orr_status orr__sink_open(orr__site at, const char *path, orr__sink *s);
orr_status orr__sink_write(orr__sink *s, const void *data, size_t n);
/* Writes over bytes that were written before. */
orr_status orr__sink_patch(orr__sink *s, uint64_t offset, const void *data, size_t n);
/* st ORR_OK: makes it the file; else throws it away. Returns st, or what went wrong. Once after a successful open. */
orr_status orr__sink_close(orr__sink *s, orr_status st);

/* Whether what was printed to the caller's file is there: what its buffer holds is written now, since an error that shows when
 * he closes it would come too late. */
orr_status orr__printed(orr__site at, FILE *to);

#endif
