/* Readings of NVIDIA's GPUs: libnvidia-ml.so.1, opened once; the functions in use are declared here.
 * Must not know: CUDA. */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include "codelets/cuda/nvml.h"
#include "codelets/devices.h"

/* Names and layouts of NVML's interface, version 2, which is stable across drivers. */
typedef void *device_t;
typedef struct {
    unsigned long long total, free, used;
} memory_t;
typedef struct {
    unsigned gpu, memory;
} rates_t;
enum { CLOCK_SM = 1, CLOCK_MEM = 2, SENSOR_GPU = 0 };

static struct {
    int (*init)(void);
    const char *(*error_string)(int);
    int (*by_address)(const char *, device_t *);
    int (*memory)(device_t, memory_t *);
    int (*temperature)(device_t, int, unsigned *);
    int (*power)(device_t, unsigned *);
    int (*rates)(device_t, rates_t *);
    int (*clock)(device_t, int, unsigned *);
    /* of drivers that have them; else NULL */
    int (*count)(unsigned *);
    int (*by_index)(unsigned, device_t *);
    int (*energy)(device_t, unsigned long long *); /* millijoules since the driver was loaded */
    char why[80];                                  /* not empty: NVML is missing */
} nvml;

static void open_library(void)
{
    static const struct {
        const char *name;
        void **place;
    } wanted[] = {
        { "nvmlInit_v2", (void **)&nvml.init },
        { "nvmlErrorString", (void **)&nvml.error_string },
        { "nvmlDeviceGetHandleByPciBusId_v2", (void **)&nvml.by_address },
        { "nvmlDeviceGetMemoryInfo", (void **)&nvml.memory },
        { "nvmlDeviceGetTemperature", (void **)&nvml.temperature },
        { "nvmlDeviceGetPowerUsage", (void **)&nvml.power },
        { "nvmlDeviceGetUtilizationRates", (void **)&nvml.rates },
        { "nvmlDeviceGetClockInfo", (void **)&nvml.clock },
    };
    static const struct {
        const char *name;
        void **place;
    } more[] = {
        { "nvmlDeviceGetCount_v2", (void **)&nvml.count },
        { "nvmlDeviceGetHandleByIndex_v2", (void **)&nvml.by_index },
        { "nvmlDeviceGetTotalEnergyConsumption", (void **)&nvml.energy },
    };
    void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!lib) {
        (void)snprintf(nvml.why, sizeof nvml.why, "NVML: libnvidia-ml.so.1 cannot be opened");
        return;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!(*wanted[i].place = dlsym(lib, wanted[i].name))) {
            (void)snprintf(nvml.why, sizeof nvml.why, "NVML: no function %s", wanted[i].name);
            return;
        }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        *more[i].place = dlsym(lib, more[i].name);
    int code = nvml.init();
    if (code != 0)
        (void)snprintf(nvml.why, sizeof nvml.why, "NVML: %s", nvml.error_string(code));
}

/* The result of a call, scaled to our unit; or its error. */
static void answer(orr_reading *r, int code, double value)
{
    if (code == 0)
        orr__reading_set(r, value);
    else
        orr__reading_lack(r, "NVML: %s", nvml.error_string(code));
}

static void fill(device_t d, orr_reading reading[ORR_MEASURE_COUNT])
{
    memory_t m = { 0, 0, 0 };
    rates_t u = { 0, 0 };
    unsigned n = 0;
    int code = nvml.memory(d, &m);

    answer(&reading[ORR_MEASURE_MEMORY_TOTAL], code, (double)m.total);
    answer(&reading[ORR_MEASURE_MEMORY_FREE], code, (double)m.free);
    code = nvml.temperature(d, SENSOR_GPU, &n);
    answer(&reading[ORR_MEASURE_TEMPERATURE], code, n);
    code = nvml.power(d, &n);
    answer(&reading[ORR_MEASURE_POWER], code, 1e-3 * n); /* milliwatts */
    code = nvml.rates(d, &u);
    answer(&reading[ORR_MEASURE_UTILISATION], code, 1e-2 * u.gpu); /* per cent */
    code = nvml.clock(d, CLOCK_SM, &n);
    answer(&reading[ORR_MEASURE_CLOCK], code, 1e6 * n); /* MHz */
    code = nvml.clock(d, CLOCK_MEM, &n);
    answer(&reading[ORR_MEASURE_MEMORY_CLOCK], code, 1e6 * n);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

bool orr__nvml_energy(double *joules)
{
    unsigned n = 0;
    bool any = false;
    *joules = 0;
    (void)pthread_once(&once, open_library);
    if (nvml.why[0] || !nvml.count || !nvml.by_index || !nvml.energy || nvml.count(&n) != 0)
        return false;
    for (unsigned i = 0; i < n; i++) {
        device_t d = NULL;
        unsigned long long used = 0;
        if (nvml.by_index(i, &d) != 0 || nvml.energy(d, &used) != 0)
            continue;
        *joules += 1e-3 * (double)used;
        any = true;
    }
    return any;
}

void orr__nvml_read(const char *address, orr_reading reading[ORR_MEASURE_COUNT])
{
    static const orr_measure ours[] = { ORR_MEASURE_MEMORY_TOTAL, ORR_MEASURE_MEMORY_FREE, ORR_MEASURE_TEMPERATURE,
                                        ORR_MEASURE_POWER,        ORR_MEASURE_UTILISATION, ORR_MEASURE_CLOCK,
                                        ORR_MEASURE_MEMORY_CLOCK };
    device_t d = NULL;
    char why[96];

    (void)pthread_once(&once, open_library);
    (void)snprintf(why, sizeof why, "%s", nvml.why);
    if (!why[0]) {
        int code = nvml.by_address(address, &d);
        if (code == 0) {
            fill(d, reading);
            return;
        }
        (void)snprintf(why, sizeof why, "NVML: %.60s", nvml.error_string(code));
    }
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        orr__reading_lack(&reading[ours[i]], "%s", why);
}
