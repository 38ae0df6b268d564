/* Devices as properties and readings: one finder per kind of device.
 * Must not know: StarPU, the work of any device. */
#ifndef ORR_CODELETS_DEVICES_H
#define ORR_CODELETS_DEVICES_H

#include <orrery/device.h>

/* Finds up to `max` devices of all kinds and sets their ids; returns their number. handle[i], if handle is not NULL:
 * the cl_device_id of an OpenCL device, else NULL. Thread-safe. */
int orr__devices_look(orr_device *d, void **handle, int max);

/* The finders, one per kind, called under one lock. They fill in all fields except the id. A reading that is left
 * unchanged is unknown. */
int orr__cpu_devices(orr_device *d, void **handle, int max);
int orr__cuda_devices(orr_device *d, void **handle, int max);
int orr__opencl_devices(orr_device *d, void **handle, int max);

void orr__reading_set(orr_reading *r, double value);
void orr__reading_lack(orr_reading *r, const char *fmt, ...) ORR_PRINTF(2, 3);

/* For tests: the prefix of /proc and /sys; normally "". */
extern const char *orr__sysroot;

#endif
