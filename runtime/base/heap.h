/* A binary heap of numbers in the caller's array; the caller's order decides which number comes first.
 * Must not know: what the numbers stand for. */
#ifndef ORR_BASE_HEAP_H
#define ORR_BASE_HEAP_H

#include <stdbool.h>

/* True if a comes before b. */
typedef bool orr__heap_order(const void *user, int a, int b);

/* Adds x to the n numbers at `heap`, which has space for one more. */
static inline void orr__heap_push(int *heap, int n, int x, orr__heap_order *before, const void *user)
{
    for (; n > 0 && before(user, x, heap[(n - 1) / 2]); n = (n - 1) / 2)
        heap[n] = heap[(n - 1) / 2];
    heap[n] = x;
}

/* Removes and returns the first of n ≥ 1 numbers; n − 1 stay. */
static inline int orr__heap_pop(int *heap, int n, orr__heap_order *before, const void *user)
{
    int first = heap[0], last = heap[--n], at = 0;
    for (int child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(user, heap[child + 1], heap[child]))
            child++;
        if (!before(user, heap[child], last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

#endif
