/* The bytes that the library holds, by owner: one counter for each.
 * Must not know: the owners' data. */
#include "config.h"
#include "runtime/base/held.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_size_t held[ORR_MEMORY_OWNERS];

void orr__held_add(orr_memory_owner owner, size_t bytes)
{
    atomic_fetch_add_explicit(&held[owner], bytes, memory_order_relaxed);
}

void orr__held_sub(orr_memory_owner owner, size_t bytes)
{
    atomic_fetch_sub_explicit(&held[owner], bytes, memory_order_relaxed);
}

size_t orr__held(orr_memory_owner owner)
{
    return atomic_load_explicit(&held[owner], memory_order_relaxed);
}

size_t orr__held_size(const void *block)
{
    return block ? malloc_usable_size((void *)(uintptr_t)block) + sizeof(size_t) : 0;
}

void *orr__hold(orr_memory_owner owner, void *block)
{
    orr__held_add(owner, orr__held_size(block));
    return block;
}

void *orr__unhold(orr_memory_owner owner, void *block)
{
    orr__held_sub(owner, orr__held_size(block));
    return block;
}
