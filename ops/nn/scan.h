/* Steps of a scan that are recorded one after another, as lists of tensors.
 * Must not know: cells. */
#ifndef ORR_OPS_NN_SCAN_H
#define ORR_OPS_NN_SCAN_H

#include <orrery/recurrent.h>
#include "runtime/base/status.h"

/* Step t reads x[t·n_x …] and sets y[t·n_y …]; lists->x and lists->y are such lists here, lists->steps counts. */
orr_status orr__scan_steps(orr__site at, orr_scan_fn *fn, const orr_scan_lists *lists, bool reverse, void *user);

#endif
