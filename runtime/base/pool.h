/* The pool of memory blocks behind buffers: size classes with free lists, the memory limit.
 * Must not know: buffers' owners. Included by runtime/base, where locks are guarded, and where a kernel keeps copies of operands. */
#ifndef ORR_BASE_POOL_H
#define ORR_BASE_POOL_H

#include "runtime/base/buffer.h"

/* Free memory is out of bounds for the address sanitizer. */
#if defined(__SANITIZE_ADDRESS__)
#define ORR__ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORR__ASAN 1
#endif
#endif
#ifdef ORR__ASAN
#include <sanitizer/asan_interface.h>
#define ORR__HIDE(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define ORR__SHOW(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define ORR__HIDE(p, n) ((void)0)
#define ORR__SHOW(p, n) ((void)0)
#endif

/* A block of at least `bytes` (≥ 1), 64-byte aligned, content undefined; *cap becomes its size. NULL: last error. */
void *orr__pool_get(size_t bytes, size_t *cap);
bool orr__pool_has(size_t bytes); /* … without memory of the system's */
/* The same for what is no value: it does not count as live, and no limit refuses it. */
void *orr__pool_lend(size_t bytes, size_t *cap);
/* Takes back a block of `cap` with the same bytes; 0: a lent one. */
void orr__pool_put(void *block, size_t bytes, size_t cap);
/* Headers of buffers, zeroed. */
orr__buffer *orr__pool_header(void);
void orr__pool_header_put(orr__buffer *b);
void orr__pool_guard(void); /* its lock, against forks */
/* Class of `bytes` and the size of its blocks; -1 when no block can be so large. */
int orr__pool_class(size_t bytes, size_t *cap);
/* Counts bytes as live, unless the limit says no: false. And takes them off again. */
bool orr__pool_book(size_t bytes);
void orr__pool_unbook(size_t bytes);
bool orr__pool_limited(void);          /* is there a limit? */
bool orr__pool_has_room(size_t bytes); /* would so many more be within it? */
/* Whether a test wants this allocation to fail; whether it wants one of those to come. */
bool orr__pool_must_fail(void);
bool orr__pool_may_fail(void);
/* Sets the last error: bytes that cannot be had, and the numbers. */
void orr__pool_report(size_t bytes);

#endif
