/* NVML with two artificial devices, one with all readings and one with few, which tests/codelets/devices opens as
 * libnvidia-ml.so.1. Units are those of the real one: bytes, °C, mW, %, MHz.
 * Must not know: its callers. */
#include <string.h>

enum { NOT_SUPPORTED = 3, NO_PERMISSION = 4, NOT_FOUND = 6, GPU_IS_LOST = 15 };
static int talker, mute;

int nvmlInit_v2(void)
{
    return 0;
}

const char *nvmlErrorString(int code)
{
    return code == NOT_SUPPORTED   ? "Not Supported"
           : code == NO_PERMISSION ? "Insufficient Permissions"
           : code == NOT_FOUND     ? "Not Found"
           : code == GPU_IS_LOST   ? "GPU is lost"
                                   : "Unknown Error";
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **d)
{
    *d = strcmp(address, "0000:40:00.0") == 0 ? &talker : strcmp(address, "0000:41:00.0") == 0 ? &mute : (void *)0;
    return *d ? 0 : NOT_FOUND;
}

int nvmlDeviceGetMemoryInfo(void *d, unsigned long long m[3])
{
    m[0] = 85520809984ull;
    m[1] = 85000000000ull;
    m[2] = m[0] - m[1];
    return d == &talker ? 0 : GPU_IS_LOST;
}

int nvmlDeviceGetTemperature(void *d, int sensor, unsigned *celsius)
{
    *celsius = sensor == 0 ? 41 : 0;
    return d == &talker ? 0 : NOT_SUPPORTED;
}

int nvmlDeviceGetPowerUsage(void *d, unsigned *milliwatts)
{
    *milliwatts = 123456;
    return d == &talker ? 0 : NO_PERMISSION;
}

int nvmlDeviceGetUtilizationRates(void *d, unsigned rates[2])
{
    rates[0] = 37;
    rates[1] = 12;
    return d == &talker ? 0 : NOT_SUPPORTED;
}

int nvmlDeviceGetClockInfo(void *d, int which, unsigned *mhz)
{
    *mhz = which == 1 ? 1980 : which == 2 ? 2619 : 0;
    return d == &talker ? 0 : NOT_SUPPORTED;
}
