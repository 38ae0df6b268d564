/* The exchange that a region is, for the backends that have it.
 * Must not know: how messages travel, which memory a backend has. */
#ifndef ORR_CODELETS_EXCHANGE_H
#define ORR_CODELETS_EXCHANGE_H

#include "codelets/codelet.h"
#include "runtime/ranks/ranks.h"

/* Posts it; without l->ending it waits for the end. on_device: the launch's arrays lie in the memory of the device that carries
 * exchanges. */
orr_status orr__exchange_launch(const orr__launch *l, bool on_device);
/* Whether devices carry it: the same answer on all ranks. */
bool orr__exchange_region_on_devices(const orr__region *r);

#endif
