/* CUDA's devices as properties and readings: the driver names and counts them, NVML reads their sensors.
 * Must not know: kernels; other kinds of device. */
#include "config.h"

#include <stdio.h>
#include "codelets/cuda/driver.h"
#include "codelets/cuda/nvml.h"
#include "codelets/devices.h"

static void number(orr_reading *r, int code, double value)
{
    if (code == ORR__CU_OK)
        orr__reading_set(r, value);
    else
        orr__reading_lack(r, "CUDA error %d", code);
}

static void fill(const orr__cu_driver *cu, orr_device *d, int id)
{
    int units = 0, major = 0, minor = 0;
    size_t bytes = 0;
    orr_reading total;

    if (cu->device_name(d->name, (int)sizeof d->name, id) != ORR__CU_OK)
        (void)snprintf(d->name, sizeof d->name, "CUDA device");
    if (cu->device_address(d->address, (int)sizeof d->address, id) != ORR__CU_OK)
        d->address[0] = 0;
    if (cu->device_attribute(&major, ORR__CU_MAJOR, id) == ORR__CU_OK &&
        cu->device_attribute(&minor, ORR__CU_MINOR, id) == ORR__CU_OK)
        (void)snprintf(d->capability, sizeof d->capability, "%d.%d", major, minor);
    orr__nvml_read(d->address, d->reading);
    int code = cu->device_attribute(&units, ORR__CU_MULTIPROCESSORS, id);
    number(&d->reading[ORR_MEASURE_COMPUTE_UNITS], code, units);
    code = cu->device_memory(&bytes, id);
    number(&total, code, (double)bytes);
    if (total.status == ORR_OK) /* the programs' memory, without the driver's own */
        d->reading[ORR_MEASURE_MEMORY_TOTAL] = total;
}

int orr__cuda_devices(orr_device *d, void **handle, int max)
{
    const orr__cu_driver *cu = orr__cu(NULL);
    int n = 0, id;

    (void)handle;
    if (!cu || cu->init(0) != ORR__CU_OK || cu->device_count(&n) != ORR__CU_OK || n < 0)
        return 0;
    for (int i = 0; i < n && i < max; i++) {
        d[i].kind = ORR_DEVICE_CUDA;
        d[i].index = i;
        if (cu->device(&id, i) == ORR__CU_OK)
            fill(cu, &d[i], id);
    }
    return n;
}
