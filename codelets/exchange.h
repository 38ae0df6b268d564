/* A region as an exchange, for the backends that support exchanges.
 * Must not know: how messages travel, which memory a backend has. */
#ifndef ORR_CODELETS_EXCHANGE_H
#define ORR_CODELETS_EXCHANGE_H

#include "codelets/codelet.h"
#include "runtime/ranks/ranks.h"

/* Posts the exchange; without l->ending it waits for the end. on_device: the launch's arrays are in the memory of the
 * device that performs exchanges. */
orr_status orr__exchange_launch(const orr__launch *l, bool on_device);
/* Do devices perform the exchange? The answer is the same on all ranks. */
bool orr__exchange_region_on_devices(const orr__region *r);

#endif
