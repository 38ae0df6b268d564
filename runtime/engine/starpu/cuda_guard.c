/* The loss of a CUDA context does not end the process: StarPU is configured not to check for errors after tasks and copies, and its
 * function that reports an error and ends the process is replaced here.
 * Must not know: tiles, tasks. */
#include "config.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/engine/starpu/starpu.h"

/* StarPU checks for errors after each task, unless there is one task at a time, and after each copy that it does not wait for
 * (tile_data.c does the other copies). The guard costs the overlap of tasks and copies, so the user has to request it. */
void orr__star_guard_cuda(struct starpu_conf *conf)
{
    const char *pipeline = getenv("STARPU_CUDA_PIPELINE");
    orr__star.guards_cuda = orr__env.device_copies && (!pipeline || strcmp(pipeline, "0") == 0);
    if (orr__star.guards_cuda)
        conf->disable_asynchronous_cuda_copy = 1;
}

#ifdef ORR__STAR_CUDA

/* StarPU calls this function by its name, so the dynamic linker finds ours first. If tasks and copies have ended before StarPU checks
 * for errors (orr__star.guards_cuda), only its allocations, releases and choices of a device call it, and they continue after it
 * returns. */
ORR_API void starpu_cuda_report_error(const char *func, const char *file, int line, cudaError_t status)
{
    int worker = starpu_worker_get_id();
    orr__launch here = { .queue = NULL };
    char why[48];
    (void)snprintf(why, sizeof why, "error %d of CUDA in StarPU", (int)status);
    if (orr__star.guards_cuda && worker >= 0 && starpu_worker_get_type(worker) == STARPU_CUDA_WORKER &&
        !orr__device_is_gone(worker) && orr__exec_cuda->gone(&here))
        orr__device_failed(worker, ORR__DEVICE_GONE, why);
    if (orr__star.guards_cuda && orr__devices_gone()) {
        orr__log(3, "%s: %s", func, why);
        return;
    }
    void (*report)(const char *, const char *, int, cudaError_t) = NULL;
    void *next = dlsym(RTLD_NEXT, "starpu_cuda_report_error");
    memcpy(&report, &next, sizeof report);
    if (report)
        report(func, file, line, status);
    abort();
}

#endif
