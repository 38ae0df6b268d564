/* The OpenCL backend with a device that fails on request.
 * Must not know: what is computed, how the engine reacts. */
#include "config.h"
#include <unistd.h>

#include "runtime/engine/execution.h"
#include "tests/harness/failing_device.h"

failing_device orr_test_device;
static orr__backend failing;

static orr_status fail(void)
{
    atomic_fetch_add(&orr_test_device.failures, 1);
    return orr__fail(ORR__SITE(NULL, 0, "device"), ORR_EDEVICE, "uncorrectable ECC error");
}

static orr_status launch(orr__kernel *k, const orr__launch *l)
{
    atomic_fetch_add(&orr_test_device.launches, 1);
    if (atomic_load(&orr_test_device.life) >= 0 && atomic_fetch_sub(&orr_test_device.life, 1) == 0)
        atomic_store(&orr_test_device.dead, true);
    if (atomic_load(&orr_test_device.dead) || atomic_load(&orr_test_device.kernels))
        return fail();
    return orr__opencl.launch(k, l);
}

static orr_status read_back(const orr__launch *l, void *from, size_t byte, void *host, size_t bytes)
{
    if (atomic_load(&orr_test_device.slow) > 0)
        usleep((useconds_t)atomic_load(&orr_test_device.slow));
    return atomic_load(&orr_test_device.dead) ? fail() : orr__opencl.read(l, from, byte, host, bytes);
}

static orr_status write_to(const orr__launch *l, void *to, size_t byte, const void *host, size_t bytes)
{
    return atomic_load(&orr_test_device.dead) ? fail() : orr__opencl.write(l, to, byte, host, bytes);
}

static orr_status finish(const orr__launch *l)
{
    return atomic_load(&orr_test_device.dead) ? fail() : orr__opencl.finish(l);
}

void orr_test_device_use(void)
{
    atomic_store(&orr_test_device.dead, false);
    atomic_store(&orr_test_device.kernels, false);
    atomic_store(&orr_test_device.life, -1);
    atomic_store(&orr_test_device.slow, 0);
    atomic_store(&orr_test_device.launches, 0);
    atomic_store(&orr_test_device.failures, 0);
    failing = orr__opencl;
    failing.launch = launch;
    failing.read = read_back;
    failing.write = write_to;
    failing.finish = finish;
    orr__exec_opencl = &failing;
}
