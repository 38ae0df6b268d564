/* All kinds of device, in order.
 * Must not know: how a kind finds its devices. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include "codelets/codelet.h"
#include "codelets/devices.h"
#include "runtime/base/decimal.h"
#include "runtime/base/fork.h"

orr__device_counts orr__device_did;

static const char *const kinds[] = { "cpu", "cuda", "opencl" };
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct {
    const char *name, *unit;
} measures[ORR_MEASURE_COUNT] = {
    [ORR_MEASURE_MEMORY_TOTAL] = { "memory_total", "B" },
    [ORR_MEASURE_MEMORY_FREE] = { "memory_free", "B" },
    [ORR_MEASURE_COMPUTE_UNITS] = { "compute_units", "" },
    [ORR_MEASURE_TEMPERATURE] = { "temperature", "°C" },
    [ORR_MEASURE_POWER] = { "power", "W" },
    [ORR_MEASURE_UTILISATION] = { "utilisation", "" },
    [ORR_MEASURE_CLOCK] = { "clock", "Hz" },
    [ORR_MEASURE_MEMORY_CLOCK] = { "memory_clock", "Hz" },
};

const char *orr_device_kind_name(orr_device_kind kind)
{
    return (unsigned)kind < KINDS ? kinds[kind] : "?";
}

const char *orr_measure_name(orr_measure m)
{
    return (unsigned)m < ORR_MEASURE_COUNT ? measures[m].name : "?";
}

const char *orr_measure_unit(orr_measure m)
{
    return (unsigned)m < ORR_MEASURE_COUNT ? measures[m].unit : "";
}

void orr__reading_set(orr_reading *r, double value)
{
    *r = (orr_reading){ .status = ORR_OK, .value = value };
}

void orr__reading_lack(orr_reading *r, const char *fmt, ...)
{
    va_list args;
    *r = (orr_reading){ .status = ORR_EDEVICE, .value = (double)NAN };
    va_start(args, fmt);
    (void)orr__decimal_vprint(r->why, sizeof r->why, fmt, args);
    va_end(args);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
ORR__GUARDED_IN_FORKS(lock)

int orr__devices_look(orr_device *d, void **handle, int max)
{
    static int (*const finder[])(orr_device *, void **, int) = { orr__cpu_devices, orr__cuda_devices,
                                                                 orr__opencl_devices };
    int n = 0;

    for (int i = 0; i < max; i++) {
        memset(&d[i], 0, sizeof d[i]);
        for (int m = 0; m < ORR_MEASURE_COUNT; m++)
            orr__reading_lack(&d[i].reading[m], "not known for this kind of device");
        if (handle)
            handle[i] = NULL;
    }
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < sizeof finder / sizeof *finder; k++) {
        int room = n < max ? max - n : 0;
        n += finder[k](room ? d + n : NULL, handle && room ? handle + n : NULL, room);
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n && i < max; i++)
        d[i].id = i;
    return n;
}
