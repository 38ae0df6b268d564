/* The contract that all element-wise rows share.
 * Must not know: any single row. */
#ifndef ORR_OPS_EW_OP_H
#define ORR_OPS_EW_OP_H

#include "ops/ops.h"

orr_status orr__ew_reference(const struct orr__reference *j);
orr_tensor *orr__ew_back(const struct orr__back *b, int k);
int orr__ew_lower(struct orr__lowering *c, int i, const struct orr__view *v);
bool orr__ew_distribute(orr__spread_rule *r);
int orr__ew_identity(const orr__capture *p, int i);
bool orr__ew_is_positive(int id); /* is its value of a real number +0, more, or NaN? */

#endif
