/* Shared by the functions of this folder: the end of functions with several results, and helpers for indices.
 * Must not know: devices, fusion, plans. */
#ifndef ORR_OPS_ARRAY_H
#define ORR_OPS_ARRAY_H

#include <orrery/array.h>
#include "ops/record.h"

/* Makes the error of a poison the last error and returns its status. */
orr_status orr__poison_status(orr_tensor *bad);
/* Fills results with poison of the last error and returns the status. */
orr_status orr__results_poison(orr_status st, orr_tensor **results, int n);
/* Moves the results out of scope s, which ends, and returns the first error among them. */
orr_status orr__results_end(orr__site at, orr_scope *s, orr_tensor **results, int n);

/* A 0-d i64, exact also where no double holds it. */
orr_tensor *orr__integer(orr__site at, int64_t v);
/* (0, 1, … n−1) · step along axis `axis` of a shape with `rank` axes, the others of length 1; i64. */
orr_tensor *orr__places_along(orr__site at, int64_t n, int axis, int rank, int64_t step);
/* Indices along an axis of length n as places times a stride, i64: negative ones count from the end, and those out of range become
 * ORR__NO_PLACE. */
orr_tensor *orr__places_of(orr__site at, orr_tensor *indices, int64_t n, int64_t stride);

/* A tensor of one axis with the n elements of the buffer; takes over its reference. Poison if b is NULL. */
orr_tensor *orr__results_leaf(orr__site at, orr_dtype dtype, int64_t n, orr__buffer *b);
/* For each row of m indices, the flat number of the place along the first m axes of shape s; beyond the last number if
 * an index is out of range. */
orr_tensor *orr__rows_nd(orr__site at, orr_tensor *indices, const orr_shape *s, int m);

/* orr_searchsorted from the right; evaluation refuses a line that does not ascend. */
orr_tensor *orr__interval_after(orr__site at, orr_tensor *line, orr_tensor *values);

/* The flat places at which a bool tensor is true, i64; the mask is evaluated. */
orr_tensor *orr__true_places(orr__site at, orr_tensor *mask);

#endif
