/* The reductions that all losses share.
 * Must not know: any single loss. */
#ifndef ORR_OPS_NN_LOSS_H
#define ORR_OPS_NN_LOSS_H

#include <orrery/loss.h>
#include "runtime/base/status.h"

/* True if `how` is a reduction. false: return *bad. */
bool orr__reduction_fits(orr__site at, orr_reduction how, orr_tensor **bad);
orr_tensor *orr__loss_reduce(orr__site at, orr_tensor *each, orr_reduction how);

#endif
