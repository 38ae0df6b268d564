/* Arrays that grow, and arrays that begin on the stack.
 * Must not know: their elements. */
#ifndef ORR_BASE_ARRAY_H
#define ORR_BASE_ARRAY_H

#include <stdlib.h>
#include "runtime/base/buffer.h"

/* Returns `array` with a capacity of at least `need` elements of `size` bytes; the capacity at least doubles when it grows. NULL: no
 * memory (last error set), and array and capacity are unchanged. New elements are not initialised. */
static inline void *orr__array_reserve(void *array, int *capacity, int need, size_t size)
{
    if (array && need <= *capacity)
        return array;
    int cap = *capacity < 16 ? 16 : *capacity <= INT32_MAX / 2 ? 2 * *capacity : INT32_MAX; /* limit of the machine */
    cap = cap < need ? need : cap;
    void *more = orr__realloc_n(array, (size_t)cap, size);
    if (more)
        *capacity = cap;
    return more;
}

/* Returns `stack`, of stack_bytes bytes, if n elements of `size` bytes fit into it, else zeroed heap memory. NULL: no memory (last error
 * set). */
static inline void *orr__array_begin(void *stack, size_t stack_bytes, size_t n, size_t size)
{
    return n <= stack_bytes / size ? stack : orr__alloc_n(n, size);
}
/* Frees an array of orr__array_begin. NULL is fine. */
static inline void orr__array_end(void *array, const void *stack)
{
    if (array != stack)
        free(array);
}

#endif
