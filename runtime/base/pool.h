/* The pool of memory blocks behind buffers: size classes with free lists, the memory limit.
 * Must not know: buffers' owners. Included by runtime/base, and where locks are guarded. */
#ifndef ORR_BASE_POOL_H
#define ORR_BASE_POOL_H

#include "runtime/base/buf.h"

/* A block of at least `bytes` (≥ 1), 64-byte aligned, content undefined; *cap becomes its size. NULL: last error. */
void *orr__pool_get(size_t bytes, size_t *cap);
/* Takes back a block from orr__pool_get with the same bytes and cap. */
void orr__pool_put(void *block, size_t bytes, size_t cap);
/* Headers of buffers, zeroed. */
orr__buf *orr__pool_header(void);
void orr__pool_header_put(orr__buf *b);
void orr__pool_guard(void); /* its lock, against forks */
/* Whether a test wants this allocation to fail. */
bool orr__pool_must_fail(void);
/* Sets the last error: bytes that cannot be had, and the numbers. */
void orr__pool_report(size_t bytes);

#endif
