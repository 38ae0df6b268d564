/* The bytes that the library holds, by owner. Values and free blocks are counted by the pool; all other memory that outlives a call is
 * counted here, by those who allocate and free it.
 * Must not know: the owners' data. */
#ifndef ORR_BASE_HELD_H
#define ORR_BASE_HELD_H

#include <stddef.h>
#include <orrery/device.h>

void orr__held_add(orr_memory_owner owner, size_t bytes);
void orr__held_sub(orr_memory_owner owner, size_t bytes);
size_t orr__held(orr_memory_owner owner);
/* Bytes of a block of malloc, with what malloc itself needs for it; NULL: 0. */
size_t orr__held_size(const void *block);
/* Count a block of malloc, and subtract it before it is freed. Both return the block, which may be NULL. */
void *orr__hold(orr_memory_owner owner, void *block);
void *orr__unhold(orr_memory_owner owner, void *block);

#endif
