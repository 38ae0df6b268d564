/* Small buffers that a thread keeps to itself: header and memory together, kept and taken again without a lock.
 * Must not know: the users of buffers. */
#ifndef ORR_BASE_STASH_H
#define ORR_BASE_STASH_H

#include "runtime/base/buffer.h"

/* Blocks of up to 64 KiB; so much of them a thread. Memory that a stash holds is neither live nor pooled. */
enum { ORR__STASH_CLASSES = 36, ORR__STASH_BYTES = 256 << 10 };
typedef struct orr__stash {
    orr__buffer *free[ORR__STASH_CLASSES];
    size_t held;
} orr__stash;

/* `s`, zeroed, is the calling thread's from now on. A thread without one shares the pool. */
void orr__stash_begin(orr__stash *s);
void orr__stash_end(void);                  /* it has none from now on: everything goes to the pool  */
void orr__stash_trim(void);                 /* everything in the calling thread's goes to the pool   */
orr__buffer *orr__stash_take(size_t bytes); /* as orr__buffer_new; NULL: there is none, ask the pool    */
bool orr__stash_keep(orr__buffer *b);       /* as orr__buffer_recycle; false: too large, or too much    */

#endif
