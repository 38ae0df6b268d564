/* A scan recorded step by step, on lists of tensors.
 * Must not know: cells. */
#ifndef ORR_OPS_NN_SCAN_H
#define ORR_OPS_NN_SCAN_H

#include <orrery/recurrent.h>
#include "runtime/base/status.h"

/* Step t reads x[t·n_x …] and sets y[t·n_y …]: lists->x and lists->y hold the tensors of each step here, and
 * lists->steps is their number of steps. */
orr_status orr__scan_steps(orr__site at, orr_scan_fn *fn, const orr_scan_lists *lists, bool reverse, void *user);

#endif
