/* The parts that sort and topk share: the order of values, and long lines as chunks.
 * Must not know: devices, fusion, plans. */
#ifndef ORR_OPS_ORDER_H
#define ORR_OPS_ORDER_H

#include "ops/record.h"
#include "ops/reference.h"

/* True if y comes before x. NaN comes last in both directions. */
bool orr__order_before(orr_dtype t, orr__scalar y, orr__scalar x, bool descending);
/* Writes to `order` the numbers 0 … n − 1 of the elements from `first` on, sorted; equal elements keep their order. */
void orr__order_places(const orr__array *x, int64_t first, int64_t n, bool descending, int64_t *order);

/* Number of chunks of each of `lines` lines of `length` elements; 1: not cut. It depends on the shape alone. */
int64_t orr__order_chunks(int64_t lines, int64_t length);
/* x, (lines, length), as (lines · chunks, m). The last chunk is padded with values that sort last. */
orr_tensor *orr__order_cut(orr__site at, orr_tensor *x, int64_t chunks, bool descending);

/* searchsorted: bits of attr.mask. */
enum { ORR__SEARCH_RIGHT = 1, ORR__SEARCH_RISES = 2 /* a line that falls somewhere is an error */ };
/* The error of a line whose element k is below the one before it. */
orr_status orr__line_falls(orr__site at, int64_t k);

#endif
