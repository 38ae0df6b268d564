/* Inside the planner: costs, tiles, and the making of one plan.
 * Must not know: StarPU. */
#ifndef ORR_PLAN_MAKE_H
#define ORR_PLAN_MAKE_H

#include "runtime/plan/plan.h"

int orr__region_tiles(const orr__region *r, double us);  /* launches along axis 0, ≥ 1             */
orr_status orr__plan_make(orr__site at, const orr__prog *p, orr__plan **plan);
void orr__plan_destroy(orr__plan *p);
/* Splits a reduction whose axis 0 is reduced: `first` folds tiles into rows, `second` folds the rows. */
orr_status orr__split_reduction(orr__site at, const orr__region *whole, int ntiles, orr__region **first,
                                orr__region **second);

#endif
