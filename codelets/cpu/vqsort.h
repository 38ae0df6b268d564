/* Sorting of keys by Highway's vqsort, if configure found it.
 * Must not know: elements, rows, this library's instruction sets. */
#ifndef ORR_CPU_VQSORT_H
#define ORR_CPU_VQSORT_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes after the keys that may be read, and rewritten with the same contents: vectors are stored as a whole. */
enum { ORR__VQSORT_BEHIND = 64 };

/* Sorts n unsigned numbers of 1 << log bytes, log 2 or 3. Allocates nothing. False: Highway is not available. */
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
