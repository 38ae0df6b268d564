/* Recording of element-wise rows on nodes.
 * Must not know: devices, handles. */
#ifndef ORR_OPS_EW_RECORD_H
#define ORR_OPS_EW_RECORD_H

#include "ops/ops.h"

/* orr__ew_record on live nodes, as many as the row has operands. Returns a new node, or NULL with the last error
 * set. */
orr__node *orr__ew_node(orr__site at, const orr__ewrow *row, orr__node *const *node);
/* Promotes n operands of float dtypes, casts them and broadcasts them to one shape, as a row does. in[] receives a new
 * reference for each. false: the last error is set and in[] has no references. Not all operands may be weak. */
bool orr__ew_floats(orr__site at, int n, orr__node *const *node, orr__node **in);
/* True if f is exactly a value of dtype t. For float dtypes always true: they round. */
bool orr__scalar_fits(double f, orr_dtype t);

#endif
