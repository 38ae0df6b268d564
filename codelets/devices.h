/* Devices as facts and readings: one finder per kind of device.
 * Must not know: StarPU, which device computes what. */
#ifndef ORR_CODELETS_DEVICES_H
#define ORR_CODELETS_DEVICES_H

#include <orrery/device.h>

/* Up to `max` devices of all kinds with their ids; how many there are. handle[i], where wanted: the cl_device_id of an OpenCL
 * device, else NULL. Thread-safe. */
int orr__devices_look(orr_device *d, void **handle, int max);

/* The finders, one per kind, called under one lock. They fill all but the id; a reading that stays as it is means: not
 * known. */
int orr__cpu_devices(orr_device *d, void **handle, int max);
int orr__cuda_devices(orr_device *d, void **handle, int max);
int orr__opencl_devices(orr_device *d, void **handle, int max);

void orr__reading_set(orr_reading *r, double value);
void orr__reading_lack(orr_reading *r, const char *fmt, ...) ORR_PRINTF(2, 3);

/* For tests: the prefix of /proc and /sys; "" as it is. */
extern const char *orr__sysroot;

#endif
