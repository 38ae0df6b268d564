/* The common ground of this pack: the end of functions with several results, and a frame around compositions.
 * Must not know: devices, fusion, plans. */
#ifndef ORR_OPS_ARRAY_H
#define ORR_OPS_ARRAY_H

#include <orrery/array.h>
#include "ops/record.h"

/* The error of a poison becomes the last one; its status. */
orr_status orr__poison_status(orr_tensor *bad);
/* Fills results with poison of the last error and returns its status. */
orr_status orr__results_poison(orr_status st, orr_tensor **results, int n);
/* Moves the results out of scope s, which ends, and returns the first error among them. */
orr_status orr__results_end(orr__site at, orr_scope *s, orr_tensor **results, int n);

/* A scalar of an integer dtype that no double needs to hold; i64. */
orr_tensor *orr__integer(orr__site at, int64_t v);
/* 0, 1, … n−1 along axis `axis` of a shape of `rank` axes whose others are 1, times `step`; i64. */
orr_tensor *orr__places_along(orr__site at, int64_t n, int axis, int rank, int64_t step);
/* Indices of an axis of length n, as places: negative ones count from the end, those out of range become `none`. i64. */
orr_tensor *orr__places_of(orr__site at, orr_tensor *indices, int64_t n, int64_t none);

/* n elements of the buffer, whose reference is taken over, as a tensor of one axis; poison where it is NULL. */
orr_tensor *orr__results_leaf(orr__site at, orr_dtype dtype, int64_t n, orr__buffer *b);
/* The row, of those that the first m axes of shape s make, that each row of m indices names; no row where an index is out
 * of range. */
orr_tensor *orr__rows_nd(orr__site at, orr_tensor *indices, const orr_shape *s, int m);

/* The flat places at which a bool tensor is true, i64; the mask is evaluated. */
orr_tensor *orr__true_places(orr__site at, orr_tensor *mask);

#endif
