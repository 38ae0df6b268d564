/* Small buffers in a cache of each thread: header and memory together, stored and reused without a lock.
 * Must not know: the users of buffers. */
#ifndef ORR_BASE_THREAD_CACHE_H
#define ORR_BASE_THREAD_CACHE_H

#include "runtime/base/buffer.h"

/* Blocks of up to 64 KiB; bytes per thread. Memory in a stash is neither live nor pooled. */
enum { ORR__STASH_CLASSES = 36, ORR__STASH_BYTES = 256 << 10 }; /* limit of memory */
typedef struct orr__stash {
    orr__buffer *free[ORR__STASH_CLASSES];
    size_t held;
} orr__stash;

/* Makes `s`, zeroed, the calling thread's stash from now on. A thread without a stash uses the pool. */
void orr__stash_begin(orr__stash *s);
void orr__stash_end(void);                  /* ends the stash: all its blocks go to the pool         */
void orr__stash_trim(void);                 /* all blocks of the calling thread's go to the pool     */
orr__buffer *orr__stash_take(size_t bytes); /* as orr__buffer_new; NULL: none, use the pool             */
bool orr__stash_keep(orr__buffer *b);       /* as orr__buffer_recycle; false: too large, or too many    */

#endif
