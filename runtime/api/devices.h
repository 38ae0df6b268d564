/* The devices' registry and its watcher, for start and end of the library.
 * Must not know: how a device is found. */
#ifndef ORR_API_DEVICES_H
#define ORR_API_DEVICES_H

#include <orrery/device.h>
#include "runtime/base/status.h"

/* All devices as they are now; *n of them. NULL: last error set. Free it. */
orr_device *orr__devices_now(int *n);
/* Writes them as a file. */
orr_status orr__devices_write(orr__site at, const char *path, const orr_device *d, int n);
/* With ORRERY_DEVICE_FILE: writes it, and begins to watch. */
orr_status orr__devices_start(orr__site at);
void orr__devices_stop(void); /* no callback runs afterwards */

#endif
