/* Keys in order by Highway's vqsort, where configure found it.
 * Must not know: elements, rows, this library's instruction sets. */
#ifndef ORR_CPU_VQSORT_H
#define ORR_CPU_VQSORT_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes behind the keys that may be read, and written with what they were: vectors are stored whole. */
enum { ORR__VQSORT_BEHIND = 64 };

/* n numbers without sign of 1 << log bytes, log 2 or 3. It allocates nothing. False: Highway is not here. */
#ifdef HAVE_HIGHWAY
bool orr__vqsort(int log, void *keys, int64_t n);
#else
static inline bool orr__vqsort(int log, void *keys, int64_t n)
{
    (void)log, (void)keys, (void)n;
    return false;
}
#endif

#endif
