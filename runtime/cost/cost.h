/* The predicted cost of a region on one CPU core, before any measurement of it.
 * Must not know: tiles, plans, StarPU. */
#ifndef ORR_COST_COST_H
#define ORR_COST_COST_H

#include "runtime/fuse/region.h"

/* µs by the profile of this machine. */
double orr__cost_predict(const orr__region *r);
/* µs by round numbers: a measure of size that is the same on every machine. */
double orr__cost_size(const orr__region *r);

#endif
