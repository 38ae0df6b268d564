/* The OpenCL backend of a build without OpenCL: its probe fails with a reason.
 * Must not know: OpenCL. */
#include "config.h"

#include <stdio.h>
#include "codelets/codelet.h"
#include "codelets/devices.h"

#ifndef HAVE_OPENCL

static bool probe(char *why, size_t size)
{
    if (why && size > 0)
        (void)snprintf(why, size, "built without OpenCL");
    return false;
}

static bool can(const orr__region *r)
{
    (void)r;
    return false;
}

int orr__opencl_devices(orr_device *d, void **handle, int max)
{
    (void)d;
    (void)handle;
    (void)max;
    return 0;
}

const orr__backend orr__opencl = { .name = "opencl", .probe = probe, .can = can };

#endif
