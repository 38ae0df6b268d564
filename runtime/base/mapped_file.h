/* Files whose pages are the memory of values.
 * Must not know: formats. */
#ifndef ORR_BASE_MAPPED_FILE_H
#define ORR_BASE_MAPPED_FILE_H

#include <stdatomic.h>
#include "runtime/base/buffer.h"

/* Bytes of a file as private memory of this process: writes do not reach the file. */
typedef struct orr__mapping orr__mapping;
/* Maps fd, the file of that path, from byte `from`, a multiple of the page size. NULL: no memory, or a system without mmap. */
orr__mapping *orr__map(int fd, const char *path, int64_t from, size_t bytes);
void *orr__mapping_base(const orr__mapping *m);
/* As orr_wrap's `release`: user is the mapping. */
void orr__unmap(void *elements, void *user);

/* The number of mappings that live. */
extern atomic_int orr__mappings;
orr_status orr__mapped_check(orr__site at, orr__buffer *const *b, int n);
/* ORR_OK, or ORR_EIO: a file is shorter than the part of it that is the memory of a buffer. An access to the missing pages would end the
 * process. A file of another name, or of none, keeps its pages. */
static inline orr_status orr__mapped_whole(orr__site at, orr__buffer *const *b, int n)
{
    return atomic_load_explicit(&orr__mappings, memory_order_relaxed) ? orr__mapped_check(at, b, n) : ORR_OK;
}

#endif
