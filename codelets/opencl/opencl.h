/* Internals of the OpenCL backend: the devices, one compiled kernel per text and device, names of error codes.
 * Must not know: regions, StarPU. */
#ifndef ORR_OPENCL_OPENCL_H
#define ORR_OPENCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120 /* limit of a library */
#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
#include "runtime/base/status.h"

/* "CL_OUT_OF_RESOURCES"; "unknown code" for any other number. */
const char *orr__cl_name(cl_int code);
/* clGetPlatformIDs, with a place for PoCL's files where there is no home directory. */
cl_int orr__cl_platforms(cl_uint most, cl_platform_id *platform, cl_uint *n);
/* Records "OpenCL: <call>: <name of code>" and returns ORR_ENOMEM or ORR_EDEVICE. */
orr_status orr__cl_fail(orr__site at, const char *call, cl_int code);

/* The common properties of all usable devices of all platforms, probed once per process. */
typedef struct {
    int devices; /* usable: available, with a compiler, OpenCL 1.2, little-endian */
    bool fp64;
    bool processors; /* all are CPUs: the items of a group run as a loop, not side by side */
    size_t group;    /* largest group size that every device supports */
    char why[128];   /* the reason if there is none */
} orr__cl_machine;
const orr__cl_machine *orr__cl_look(void);
/* For tests: CPUs fold in groups, as other devices do. */
extern bool orr__cl_fold_together;

/* A kernel compiled for one device of one context, shared by all kernels of the same text. */
typedef struct orr__cl_unit {
    struct orr__cl_unit *next;
    int refs; /* guarded by the lock of the list */
    char *text;
    cl_context context;
    cl_device_id device;
    bool wide;            /* 64-bit indices */
    pthread_mutex_t lock; /* guards all below, and the span from setting arguments to enqueueing */
    cl_program program;
    cl_kernel kernel; /* NULL: not built yet */
    size_t group;     /* work items per group */
    char *broken;     /* the error's text of a failed compilation, for later launches    */
} orr__cl_unit;

/* The unit with one more reference, possibly not yet built; NULL on ENOMEM. */
orr__cl_unit *orr__cl_unit_get(orr__site at, const char *text, cl_context context, cl_device_id device, bool wide);
/* Builds the unit unless it is built already. The caller holds its lock. An error's message contains the compiler's
 * log. */
orr_status orr__cl_unit_build(orr__site at, orr__cl_unit *u);
void orr__cl_unit_put(orr__cl_unit *u);

struct orr__launch;
/* user.c: a launch of a user's kernel. */
orr_status orr__cl_user(orr__cl_unit *u, const struct orr__launch *l);

#endif
