/* Recording of element-wise rows on nodes.
 * Must not know: devices, handles. */
#ifndef ORR_OPS_EW_RECORD_H
#define ORR_OPS_EW_RECORD_H

#include "ops/ops.h"

/* orr__ew_record on live nodes (as many as the row has operands): a new node, or NULL with the last error set. */
orr__node *orr__ew_node(orr__site at, const orr__ewrow *row, orr__node *const *node);
/* n operands of float dtypes as in[]: promoted, cast, broadcast to one shape, as a row would have them; a reference each.
 * false: the last error is set and there are none. Not all of them are weak. */
bool orr__ew_floats(orr__site at, int n, orr__node *const *node, orr__node **in);
/* Is f, exactly, a value of dtype t? Floats take every number (rounded). */
bool orr__scalar_fits(double f, orr_dtype t);

#endif
