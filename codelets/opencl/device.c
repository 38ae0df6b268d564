/* OpenCL's devices as properties: clGetDeviceInfo only, since OpenCL reads no sensors.
 * Must not know: kernels; other kinds of device. */
#include "config.h"

#include <stdio.h>
#include "codelets/devices.h"
#include "codelets/opencl/opencl.h"

enum { MOST = 64 };

static void text(cl_device_id id, cl_device_info what, char *to, size_t size)
{
    char all[512] = "";

    if (clGetDeviceInfo(id, what, sizeof all, all, NULL) != CL_SUCCESS)
        all[0] = 0;
    all[sizeof all - 1] = 0;
    (void)snprintf(to, size, "%s", all);
}

static void number(orr_reading *r, cl_int code, double value)
{
    if (code == CL_SUCCESS && value > 0)
        orr__reading_set(r, value);
    else
        orr__reading_lack(r, "clGetDeviceInfo: %s", code == CL_SUCCESS ? "0" : orr__cl_name(code));
}

static void fill(orr_device *d, cl_platform_id platform, cl_device_id id)
{
    cl_ulong bytes = 0;
    cl_uint units = 0, mhz = 0;
    cl_int code;

    d->kind = ORR_DEVICE_OPENCL;
    text(id, CL_DEVICE_NAME, d->name, sizeof d->name);
    text(id, CL_DEVICE_VERSION, d->capability, sizeof d->capability);
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof d->address, d->address, NULL) != CL_SUCCESS)
        d->address[0] = 0;
    code = clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    number(&d->reading[ORR_MEASURE_MEMORY_TOTAL], code, (double)bytes);
    code = clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    number(&d->reading[ORR_MEASURE_COMPUTE_UNITS], code, (double)units);
    code = clGetDeviceInfo(id, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz, NULL);
    number(&d->reading[ORR_MEASURE_CLOCK], code, 1e6 * (double)mhz);
    static const orr_measure unsaid[] = { ORR_MEASURE_MEMORY_FREE, ORR_MEASURE_TEMPERATURE, ORR_MEASURE_POWER,
                                          ORR_MEASURE_UTILISATION, ORR_MEASURE_MEMORY_CLOCK };
    for (size_t i = 0; i < sizeof unsaid / sizeof *unsaid; i++)
        orr__reading_lack(&d->reading[unsaid[i]], "OpenCL has no question for it");
}

int orr__opencl_devices(orr_device *d, void **handle, int max)
{
    cl_platform_id platform[MOST];
    cl_device_id device[MOST];
    cl_uint np = 0, nd;
    int n = 0;

    if (orr__cl_platforms(MOST, platform, &np) != CL_SUCCESS)
        return 0;
    for (cl_uint p = 0; p < np && p < MOST; p++) {
        nd = 0;
        if (clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, MOST, device, &nd) != CL_SUCCESS)
            continue;
        for (cl_uint i = 0; i < nd && i < MOST; i++, n++) {
            if (n >= max)
                continue;
            fill(&d[n], platform[p], device[i]);
            d[n].index = n;
            if (handle)
                handle[n] = device[i];
        }
    }
    return n;
}
