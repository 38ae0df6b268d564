/* Finds the CUDA devices that our kernels run on, once per process.
 * Must not know: which of them will be used. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include "codelets/cuda/cuda.h"

enum { OLDEST = 50 }; /* limit of a library: compute capability: the oldest of NVRTC 12      */

static orr__cu_machine machine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool looked;

static int attribute(const orr__cu_driver *d, int device, int what)
{
    int v = 0;
    return d->device_attribute(&v, what, device) == ORR__CU_OK ? v : 0;
}

static void name_code(const orr__cu_driver *d, const char *call, int code)
{
    const char *name = NULL;
    if (d->error_name(code, &name) != ORR__CU_OK || !name)
        name = "unknown code";
    (void)snprintf(machine.why, sizeof machine.why, "%s: %s (%d)", call, name, code);
}

static void look_at(const orr__cu_driver *d, int ordinal)
{
    int device;
    if (d->device(&device, ordinal) != ORR__CU_OK)
        return;
    int arch = attribute(d, device, ORR__CU_MAJOR) * 10 + attribute(d, device, ORR__CU_MINOR);
    if (arch < OLDEST || attribute(d, device, ORR__CU_COMPUTE_MODE) == ORR__CU_MODE_PROHIBITED) {
        (void)snprintf(machine.why, sizeof machine.why, "device %d %s", ordinal,
                       arch < OLDEST ? "is too old" : "is in compute mode \"prohibited\"");
        return;
    }
    if (machine.devices++ == 0) {
        machine.arch = arch;
        if (d->device_name(machine.name, (int)sizeof machine.name, device) != ORR__CU_OK)
            (void)snprintf(machine.name, sizeof machine.name, "?");
    }
}

static void look(void)
{
    const char *why;
    int n = 0, code;
    memset(&machine, 0, sizeof machine);
    const orr__cu_driver *d = orr__cu(&why);
    if (!d) {
        (void)snprintf(machine.why, sizeof machine.why, "no CUDA driver (%s)", why);
        return;
    }
    if ((code = d->init(0)) != ORR__CU_OK) {
        name_code(d, "cuInit", code);
        return;
    }
    if ((code = d->device_count(&n)) != ORR__CU_OK) {
        name_code(d, "cuDeviceGetCount", code);
        return;
    }
    machine.seen = n;
    for (int i = 0; i < n; i++)
        look_at(d, i);
    if (n == 0)
        (void)snprintf(machine.why, sizeof machine.why, "the CUDA driver has no device");
    if (machine.devices > 0 && orr__cu_compiles_for(ORR__SITE(NULL, 0, machine.name), machine.arch) != ORR_OK) {
        machine.devices = 0;
        (void)snprintf(machine.why, sizeof machine.why, "%.319s", orr_error_message());
        orr_error_clear();
    }
}

const orr__cu_machine *orr__cu_look(void)
{
    (void)pthread_mutex_lock(&lock);
    if (!looked)
        look();
    looked = true;
    (void)pthread_mutex_unlock(&lock);
    return &machine;
}

bool orr__cu_left_out(void)
{
    const orr__cu_machine *m = orr__cu_look();
    return m->seen > 0 && m->devices == 0;
}

void orr__cu_look_again(void)
{
    (void)pthread_mutex_lock(&lock);
    looked = false;
    (void)pthread_mutex_unlock(&lock);
}
