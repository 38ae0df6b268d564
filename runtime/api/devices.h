/* The devices' registry and its watcher, for start and end of the library.
 * Must not know: how a device is found. */
#ifndef ORR_API_DEVICES_H
#define ORR_API_DEVICES_H

#include <orrery/device.h>
#include "runtime/base/status.h"

/* All devices in their current state; *n of them. NULL: last error set. The caller frees the array. */
orr_device *orr__devices_now(int *n);
/* Writes the devices to a file. */
orr_status orr__devices_write(orr__site at, const char *path, const orr_device *d, int n);
/* With ORRERY_DEVICE_FILE: writes the file, and starts the watcher. */
orr_status orr__devices_start(orr__site at);
void orr__devices_stop(void); /* no callback runs after it has returned */

#endif
