/* A driver with two artificial devices, which tests/codelets/devices opens as libcuda.so.1.
 * Must not know: its callers. */
#include <stddef.h>
#include <stdio.h>

int cuInit(unsigned flags)
{
    return flags == 0 ? 0 : 1;
}

int cuDeviceGetCount(int *n)
{
    *n = 2;
    return 0;
}

int cuDeviceGet(int *d, int i)
{
    *d = 70 + i; /* a device is not its number */
    return 0;
}

int cuDeviceGetName(char *to, int size, int d)
{
    (void)snprintf(to, (size_t)size, "Paper %d", d - 70);
    return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int d)
{
    *bytes = (size_t)(d - 69) << 30;
    return d == 70 ? 0 : 999; /* CUDA_ERROR_UNKNOWN */
}

int cuDeviceGetAttribute(int *v, int what, int d)
{
    *v = what == 16 ? 132 : what == 75 ? 9 : what == 76 ? 0 : -1;
    return d >= 70 && *v >= 0 ? 0 : 1;
}

int cuDeviceGetPCIBusId(char *to, int size, int d)
{
    (void)snprintf(to, (size_t)size, "0000:4%d:00.0", d - 70);
    return 0;
}

/* The other functions that the library searches for: CUDA_ERROR_NOT_SUPPORTED. */
#define NOT_HERE(name)                                                                                                 \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return 801;                                                                                                    \
    }
NOT_HERE(cuDriverGetVersion)
NOT_HERE(cuGetErrorName)
NOT_HERE(cuCtxGetCurrent)
NOT_HERE(cuCtxSynchronize)
NOT_HERE(cuCtxGetDevice)
NOT_HERE(cuCtxPushCurrent_v2)
NOT_HERE(cuCtxPopCurrent_v2)
NOT_HERE(cuModuleLoadData)
NOT_HERE(cuModuleUnload)
NOT_HERE(cuModuleGetFunction)
NOT_HERE(cuFuncGetAttribute)
NOT_HERE(cuOccupancyMaxActiveBlocksPerMultiprocessor)
NOT_HERE(cuLaunchKernel)
NOT_HERE(cuMemAlloc_v2)
NOT_HERE(cuMemFree_v2)
NOT_HERE(cuMemHostAlloc)
NOT_HERE(cuMemFreeHost)
NOT_HERE(cuMemHostGetDevicePointer_v2)
NOT_HERE(cuMemcpyDtoDAsync_v2)
NOT_HERE(cuMemcpyHtoDAsync_v2)
NOT_HERE(cuMemcpyDtoHAsync_v2)
NOT_HERE(cuStreamSynchronize)
NOT_HERE(cuDevicePrimaryCtxRetain)
NOT_HERE(cuDevicePrimaryCtxRelease_v2)
NOT_HERE(cuStreamCreate)
NOT_HERE(cuStreamDestroy_v2)
NOT_HERE(cuStreamQuery)
