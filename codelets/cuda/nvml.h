/* Readings of NVIDIA's GPUs from the driver's management library, opened at run time.
 * Must not know: CUDA. */
#ifndef ORR_CUDA_NVML_H
#define ORR_CUDA_NVML_H

#include <stdbool.h>
#include <orrery/device.h>

/* The joules that all GPUs of the machine have used since the driver was loaded; false: no NVML, or no device that counts them. */
bool orr__nvml_energy(double *joules);
/* Fills the readings of the device at this PCI address ("0000:41:00.0"); a reading that NVML does not have gets the
 * reason. */
void orr__nvml_read(const char *address, orr_reading reading[ORR_MEASURE_COUNT]);

#endif
