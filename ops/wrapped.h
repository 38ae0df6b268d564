/* Integer elements that are not the true value of their operation, as bits made of other operations.
 * Must not know: the reader of the bits. */
#ifndef ORR_OPS_WRAPPED_H
#define ORR_OPS_WRAPPED_H

#include "ops/ops.h"

/* The operation of node i on the f64 values of its operands, but those of indices. NULL: no memory. */
orr__node *orr__wrapped_true(orr__site at, const orr__capture *p, int i);
/* orr__op.wrapped of operations whose value is a sum of products of the operands. */
orr__node *orr__wrapped_sums(orr__site at, const orr__capture *p, int i);
/* … of the element-wise rows, and of casts. */
orr__node *orr__wrapped_row(orr__site at, const orr__capture *p, int i);
orr__node *orr__wrapped_cast(orr__site at, const orr__capture *p, int i);
/* orr__op.outside of operations whose operand 1 has places along attr.axis of operand 0. */
orr__node *orr__outside_axis(orr__site at, const orr__capture *p, int i);

#endif
