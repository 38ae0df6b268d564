/* Finds the OpenCL devices that can run our kernels, once per process.
 * Must not know: which of them will be used. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "codelets/opencl/opencl.h"
#include "runtime/base/buffer.h"
#include "runtime/base/env.h"
#include "runtime/base/private_file.h"

enum { MOST = 64 }; /* platforms, and devices per platform; further ones are ignored */

static orr__cl_machine machine;
bool orr__cl_fold_together;

static bool flag(cl_device_id d, cl_device_info what)
{
    cl_bool b = CL_FALSE;
    return clGetDeviceInfo(d, what, sizeof b, &b, NULL) == CL_SUCCESS && b;
}

static bool usable(cl_device_id d)
{
    char version[128] = "";
    int major = 0, minor = 0;
    if (clGetDeviceInfo(d, CL_DEVICE_VERSION, sizeof version, version, NULL) != CL_SUCCESS)
        return false;
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2) /* NOLINT(cert-err34-c): small by the standard */
        return false;
    return (major > 1 || minor >= 2) && flag(d, CL_DEVICE_AVAILABLE) && flag(d, CL_DEVICE_COMPILER_AVAILABLE) &&
           flag(d, CL_DEVICE_ENDIAN_LITTLE);
}

static bool has_fp64(cl_device_id d)
{
    cl_device_fp_config c = 0;
    return clGetDeviceInfo(d, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof c, &c, NULL) == CL_SUCCESS && c != 0;
}

static bool is_processor(cl_device_id d)
{
    cl_device_type t = 0;
    return clGetDeviceInfo(d, CL_DEVICE_TYPE, sizeof t, &t, NULL) == CL_SUCCESS && (t & CL_DEVICE_TYPE_CPU);
}

static size_t largest_group(cl_device_id d)
{
    size_t most = 0;
    return clGetDeviceInfo(d, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL) == CL_SUCCESS ? most : 0;
}

/* PoCL keeps its kernels below the home directory, and makes that if it does not exist. */
cl_int orr__cl_platforms(cl_uint most, cl_platform_id *platform, cl_uint *n)
{
    char path[64];
    if (!getenv("POCL_CACHE_DIR") && !orr__has_cache_base() && orr__own_tmp("pocl", path, sizeof path))
        (void)setenv("POCL_CACHE_DIR", path, 0);
    return clGetPlatformIDs(most, platform, n);
}

static void look(void)
{
    cl_platform_id platform[MOST];
    cl_device_id device[MOST];
    cl_uint np = 0, nd;
    cl_int code = orr__cl_platforms(MOST, platform, &np);
    machine.fp64 = true;
    machine.group = SIZE_MAX;
    machine.processors = true;
    if (code != CL_SUCCESS || np == 0) {
        (void)snprintf(machine.why, sizeof machine.why, "no OpenCL platform (%s)",
                       code != CL_SUCCESS ? orr__cl_name(code) : "none installed");
        return;
    }
    for (cl_uint p = 0; p < np && p < MOST; p++) {
        nd = 0;
        if (clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, MOST, device, &nd) != CL_SUCCESS)
            continue;
        for (cl_uint i = 0; i < nd && i < MOST; i++) {
            if (!usable(device[i]))
                continue;
            machine.devices++;
            machine.fp64 = machine.fp64 && has_fp64(device[i]);
            machine.processors = machine.processors && is_processor(device[i]);
            size_t group = largest_group(device[i]);
            machine.group = group < machine.group ? group : machine.group;
        }
    }
    if (!machine.devices)
        (void)snprintf(machine.why, sizeof machine.why, "no OpenCL 1.2 device with a compiler on %u platform%s",
                       (unsigned)np, np == 1 ? "" : "s");
}

const orr__cl_machine *orr__cl_look(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, look);
    return &machine;
}
