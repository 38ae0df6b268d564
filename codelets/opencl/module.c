/* Compiled kernels, one per text, device and index width, kept while there are references.
 * Must not know: regions. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/emit/emit.h"
#include "codelets/opencl/opencl.h"
#include "runtime/base/buffer.h"
#include "runtime/base/env.h"
#include "runtime/base/exit.h"
#include "runtime/base/minmax.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static orr__cl_unit *list;

orr__cl_unit *orr__cl_unit_get(orr__site at, const char *text, cl_context context, cl_device_id device, bool wide)
{
    (void)pthread_mutex_lock(&list_lock);
    orr__cl_unit *u = list;
    while (u && !(u->context == context && u->device == device && u->wide == wide && strcmp(u->text, text) == 0))
        u = u->next;
    if (!u && (u = orr__alloc(sizeof *u)) != NULL) {
        u->text = strdup(text);
        u->context = context;
        u->device = device;
        u->wide = wide;
        if (!u->text || pthread_mutex_init(&u->lock, NULL) != 0) {
            free(u->text);
            free(u);
            u = NULL;
        } else {
            u->next = list;
            list = u;
        }
    }
    if (u)
        u->refs++;
    (void)pthread_mutex_unlock(&list_lock);
    if (!u)
        (void)orr__fail(at, ORR_ENOMEM, "no memory for an OpenCL kernel");
    return u;
}

void orr__cl_unit_put(orr__cl_unit *u)
{
    if (!u)
        return;
    (void)pthread_mutex_lock(&list_lock);
    bool last = --u->refs == 0;
    for (orr__cl_unit **p = &list; last && *p; p = &(*p)->next)
        if (*p == u) {
            *p = u->next;
            break;
        }
    (void)pthread_mutex_unlock(&list_lock);
    if (!last)
        return;
    if (u->kernel)
        (void)clReleaseKernel(u->kernel);
    if (u->program)
        (void)clReleaseProgram(u->program);
    (void)pthread_mutex_destroy(&u->lock);
    free(u->broken);
    free(u->text);
    free(u);
}

/* Division and square root are correctly rounded if the device supports it: the table of operations promises that. */
static void options(const orr__cl_unit *u, char *text, size_t size)
{
    cl_device_fp_config c = 0;
    bool exact = clGetDeviceInfo(u->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof c, &c, NULL) == CL_SUCCESS &&
                 (c & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    (void)snprintf(text, size, "-cl-std=CL1.2%s%s%s", exact ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
                   orr__env.flush_denormals == ORR__DENORMALS_FLUSHED ? " -cl-denorms-are-zero" : "",
                   u->wide ? " -DORR_WIDE" : "");
}

/* The beginning of the compiler's log goes into the error message, all of it to the debug log. */
static orr_status build_failed(orr__site at, orr__cl_unit *u, cl_int code)
{
    char device[96] = "?";
    size_t size = 0;
    (void)clGetDeviceInfo(u->device, CL_DEVICE_NAME, sizeof device, device, NULL);
    device[sizeof device - 1] = '\0';
    char *log = NULL;
    if (clGetProgramBuildInfo(u->program, u->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS && size > 0 &&
        (log = calloc(size + 1, 1)) != NULL &&
        clGetProgramBuildInfo(u->program, u->device, CL_PROGRAM_BUILD_LOG, size, log, NULL) != CL_SUCCESS)
        log[0] = '\0';
    orr__log(3, "OpenCL build on %s:\n%s\nof:\n%s", device, log ? log : "", u->text);
    orr_status st = orr__fail(at, ORR_EDEVICE, "OpenCL: clBuildProgram: %s (%d) on %s: %.300s", orr__cl_name(code),
                              (int)code, device, log && log[0] ? log : "no build log");
    free(log);
    u->broken = strdup(orr_error_message());
    return st;
}

orr_status orr__cl_unit_build(orr__site at, orr__cl_unit *u)
{
    if (u->kernel)
        return ORR_OK;
    if (u->broken)
        return orr__fail_text(ORR_EDEVICE, u->broken);
    cl_int code = CL_SUCCESS;
    if (!u->program) {
        const char *text = u->text;
        u->program = clCreateProgramWithSource(u->context, 1, &text, NULL, &code);
        if (!u->program)
            return orr__cl_fail(at, "clCreateProgramWithSource", code);
    }
    char option[160];
    options(u, option, sizeof option);
    code = clBuildProgram(u->program, 1, &u->device, option, NULL, NULL);
    orr__exit_watch_beyond(ORR__LIBRARY_OPENCL);
    if (code != CL_SUCCESS)
        return build_failed(at, u, code);
    cl_kernel kernel = clCreateKernel(u->program, "orr_kernel", &code);
    if (!kernel)
        return orr__cl_fail(at, "clCreateKernel", code);
    size_t most = 0;
    code = clGetKernelWorkGroupInfo(kernel, u->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    if (code != CL_SUCCESS) {
        (void)clReleaseKernel(kernel);
        return orr__cl_fail(at, "clGetKernelWorkGroupInfo", code);
    }
    /* One size for all launches: some implementations recompile for each new size. */
    u->group = ORR__MIN(ORR__MAX(most, 1), (size_t)ORR__EMIT_USER);
    u->kernel = kernel;
    return ORR_OK;
}
