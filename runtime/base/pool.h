/* The pool of memory blocks for buffers: size classes with free lists, the memory limit.
 * Must not know: buffers' owners. Included by runtime/base, where locks are guarded, and where a kernel keeps copies of operands. */
#ifndef ORR_BASE_POOL_H
#define ORR_BASE_POOL_H

#include "runtime/base/buffer.h"

/* For the address sanitizer, and for valgrind if its header is here at build time, free memory is out of bounds, and the content of a block
 * that is taken has no value. Requests to valgrind are a few instructions without it. */
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
#define ORR__HOLDS(p, n) ((void)0)
#elif defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#define ORR__VALGRIND 1
#endif
#endif
#ifdef ORR__VALGRIND
#include <valgrind/memcheck.h>
#define ORR__HIDE(p, n) ((void)VALGRIND_MAKE_MEM_NOACCESS((p), (n)))
#define ORR__SHOW(p, n) ((void)VALGRIND_MAKE_MEM_UNDEFINED((p), (n)))
#define ORR__HOLDS(p, n) ((void)VALGRIND_MAKE_MEM_DEFINED((p), (n))) /* the pool's own data in a free block */
#elif !defined(ORR__ASAN)
#define ORR__HIDE(p, n) ((void)0)
#define ORR__SHOW(p, n) ((void)0)
#define ORR__HOLDS(p, n) ((void)0)
#endif

/* A block of at least `bytes` (≥ 1), 64-byte aligned, content undefined; *cap becomes its size. NULL: last error. */
void *orr__pool_get(size_t bytes, size_t *cap);
bool orr__pool_has(size_t bytes); /* … without new memory from the system? */
/* The same for memory that holds no value: it does not count as live, and no limit refuses it. */
void *orr__pool_lend(size_t bytes, size_t *cap);
/* Returns a block of `cap` to the pool, with the same bytes as in orr__pool_get; bytes 0: a lent block. */
void orr__pool_put(void *block, size_t bytes, size_t cap);
/* The bytes by which all blocks would exceed their bound with `bytes` more; 0: within it. The bound is what was in use
 * lately, and as much again as moves: is made and freed. Of the latter at most half of what was in use, or a few megabytes. Values that stay,
 * such as weights, allow no more free memory. */
size_t orr__pool_excess(size_t bytes);
/* A block of that size is held for reuse by its owner; and is in use again (used), or about to be put back. */
void orr__pool_keep(size_t cap);
void orr__pool_unkeep(size_t cap, bool used);
size_t orr__pool_free(void);   /* bytes in the pool                                             */
size_t orr__pool_recent(void); /* the most in use lately                                        */
size_t orr__pool_mapped(void); /* bytes of blocks, free ones included, that malloc did not give */
/* To be called now and then: what was in use becomes less recent, and memory beyond the bound returns to the system; all of it if no block
 * was taken since the last call (true). */
bool orr__pool_tick(void);
/* Headers of buffers, zeroed. */
orr__buffer *orr__pool_header(void);
void orr__pool_header_put(orr__buffer *b);
void orr__pool_guard(void); /* guards the lock of the pool against forks */
/* The class of `bytes` and the size of its blocks; -1: such blocks have no class. */
int orr__pool_class(size_t bytes, size_t *cap);
/* Counts bytes as live; false: the limit forbids it. The second function subtracts them again. */
bool orr__pool_book(size_t bytes);
void orr__pool_unbook(size_t bytes);
bool orr__pool_limited(void);          /* is there a limit? */
bool orr__pool_has_room(size_t bytes); /* is there memory for so many more bytes within the limit? */
/* True if a test demands that this allocation fails; true if a test has an allocation yet to fail. */
bool orr__pool_must_fail(void);
bool orr__pool_may_fail(void);
/* Sets the last error: the bytes that are not available, and the numbers. */
void orr__pool_report(size_t bytes);

#endif
