/* The common ground of sorting and the choice of the first k: the order of values, and long lines as chunks.
 * Must not know: devices, fusion, plans. */
#ifndef ORR_OPS_ORDER_H
#define ORR_OPS_ORDER_H

#include "ops/record.h"
#include "ops/reference.h"

/* Does y stand before x? A NaN stands last, whatever the direction. */
bool orr__order_before(orr_dtype t, orr__scalar y, orr__scalar x, bool descending);
/* n numbers in `order`: those of the elements from `first` on, in their order; equal elements keep theirs. */
void orr__order_places(const orr__array *x, int64_t first, int64_t n, bool descending, int64_t *order);

/* Chunks of a line of so many elements, of which there are so many: 1, not cut. It depends on the shape alone. */
int64_t orr__order_chunks(int64_t lines, int64_t length);
/* x, (lines, length), as (lines · chunks, m), with elements behind those of the last chunk that stand last in the order. */
orr_tensor *orr__order_cut(orr__site at, orr_tensor *x, int64_t chunks, bool descending);

#endif
