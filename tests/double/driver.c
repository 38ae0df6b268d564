/* The driver's double: contexts, memory, modules that are shared objects, launches.
 * Must not know: Orrery. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/double/double.h"

#define API __attribute__((visibility("default")))

enum { OK = 0, INVALID = 1, NO_MEMORY = 2, NO_DEVICE = 100, BAD_DEVICE = 101, BAD_IMAGE = 200, BAD_CONTEXT = 201 };
enum { DEVICES = 8, DEPTH = 8 };

API cuda_double_state cuda_double = {
    .devices = 1, .major = 9, .minor = 0, .arch = { 75, 80, 90, 100 }, .archs = 4, .memory = (size_t)1 << 30, .life = -1
};

/* For programs that do not know of the double: CUDA_DOUBLE_FAULT is launch (each fails), wrong (kernels do not run) or driver (of CUDA 12). */
__attribute__((constructor)) static void fault(void)
{
    const char *what = getenv("CUDA_DOUBLE_FAULT");
    if (what && strcmp(what, "launch") == 0)
        cuda_double.launch_code = 701;
    if (what && strcmp(what, "wrong") == 0)
        cuda_double.no_execution = 1;
    if (what && strcmp(what, "driver") == 0)
        cuda_double.driver_version = 12040;
}

static char context[DEVICES];
static int running[DEVICES]; /* launches since the host last waited for the whole device */
static _Thread_local void *stack[DEPTH];
static _Thread_local int depth;

void *cuda_double_context(int device)
{
    return &context[device];
}

void cuda_double_enter(void *c)
{
    stack[0] = c;
    depth = 1;
}

int cuda_double_has_context(void)
{
    return depth > 0 && stack[depth - 1] != NULL;
}

int cuda_double_device(void)
{
    return depth > 0 && stack[depth - 1] ? (int)((char *)stack[depth - 1] - context) : 0;
}

/* -- memory -------------------------------------------------------------------------------------------------------- */

int cuda_double_align(const void *p, size_t bytes)
{
    if ((uintptr_t)p % bytes == 0)
        return OK;
    return cuda_double.lost_code = 716;
}

API int cuMemAlloc_v2(uint64_t *p, size_t bytes)
{
    if (cuda_double.lost_code)
        return cuda_double.lost_code;
    void *q = cuda_double.alloc_code ? NULL : cuda_double_alloc(bytes);
    *p = (uint64_t)(uintptr_t)q;
    return q ? OK : cuda_double.alloc_code ? cuda_double.alloc_code : NO_MEMORY;
}

API int cuMemFree_v2(uint64_t p)
{
    if (cuda_double.lost_code)
        return cuda_double.lost_code;
    cuda_double_free((void *)(uintptr_t)p);
    return OK;
}

enum { PINNED = 16 };
static void *host[PINNED]; /* of cuMemHostAlloc */

static bool pinned(const void *p)
{
    for (int i = 0; i < PINNED; i++)
        if (p && host[i] == p)
            return true;
    return false;
}

API int cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
    (void)flags;
    *p = cuda_double.host_alloc_code ? NULL : malloc(bytes);
    for (int i = 0; i < PINNED && *p; i++)
        if (!host[i]) {
            host[i] = *p;
            return OK;
        }
    return *p ? NO_MEMORY : cuda_double.host_alloc_code;
}

API int cuMemFreeHost(void *p)
{
    if (!pinned(p) && cuda_double_strict()) {
        (void)fprintf(stderr, "cuda double: host memory is freed that was not allocated, or twice\n");
        _exit(99);
    }
    for (int i = 0; i < PINNED; i++)
        if (host[i] == p)
            host[i] = NULL;
    free(p);
    return OK;
}

API int cuMemHostGetDevicePointer_v2(uint64_t *d, void *p, unsigned flags)
{
    (void)flags;
    *d = (uint64_t)(uintptr_t)p;
    return pinned(p) ? OK : INVALID; /* it knows no addresses within */
}

API int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *stream)
{
    DEVICE_WORK;
    (void)stream;
    if (cuda_double.lost_code)
        return cuda_double.lost_code;
    memcpy((void *)(uintptr_t)to, from, n);
    __atomic_add_fetch(&cuda_double.copies, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&cuda_double.bytes_in, n, __ATOMIC_RELAXED);
    return OK;
}

API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *stream)
{
    DEVICE_WORK;
    (void)stream;
    if (cuda_double.lost_code)
        return cuda_double.lost_code;
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, n);
    return OK;
}

API int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *stream)
{
    DEVICE_WORK;
    (void)stream;
    if (cuda_double.lost_code)
        return cuda_double.lost_code;
    memcpy(to, (const void *)(uintptr_t)from, n);
    __atomic_add_fetch(&cuda_double.copies, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&cuda_double.bytes_home, n, __ATOMIC_RELAXED);
    return OK;
}

enum { STREAMS = 64, NOT_READY = 600 };
static int busy[STREAMS];
static unsigned char made[STREAMS];

/* The stream's number; -1: not made by cuStreamCreate. */
static int number_of(const void *stream)
{
    const unsigned char *s = stream;
    return s >= made && s < made + STREAMS ? (int)(s - made) : -1;
}

void cuda_double_busy(void *stream, int by)
{
    int i = number_of(stream);
    if (i >= 0)
        __atomic_add_fetch(&busy[i], by, __ATOMIC_SEQ_CST);
}

API int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    for (int i = 0; i < STREAMS; i++)
        if (!__atomic_exchange_n(&made[i], 1, __ATOMIC_SEQ_CST)) {
            *stream = &made[i];
            return OK;
        }
    return NO_MEMORY;
}

API int cuStreamDestroy_v2(void *stream)
{
    int i = number_of(stream);
    if (i < 0)
        return INVALID;
    __atomic_store_n(&made[i], 0, __ATOMIC_SEQ_CST);
    return OK;
}

API int cuStreamQuery(void *stream)
{
    int i = number_of(stream);
    return i >= 0 && __atomic_load_n(&busy[i], __ATOMIC_SEQ_CST) > 0 ? NOT_READY : OK;
}

API int cuStreamSynchronize(void *stream)
{
    if (cuda_double.lost_code)
        return cuda_double.lost_code;
    while (cuStreamQuery(stream) == NOT_READY)
        (void)sched_yield();
    __atomic_add_fetch(&cuda_double.waits, 1, __ATOMIC_RELAXED);
    return OK;
}

/* -- devices, contexts ----------------------------------------------------------------------------------------------- */

API int cuInit(unsigned flags)
{
    return flags ? INVALID : cuda_double.init_code;
}

API int cuDriverGetVersion(int *v)
{
    *v = cuda_double.driver_version ? cuda_double.driver_version : 13000;
    return OK;
}

API int cuGetErrorName(int code, const char **name)
{
    *name = code == NO_MEMORY   ? "CUDA_ERROR_OUT_OF_MEMORY"
            : code == NO_DEVICE ? "CUDA_ERROR_NO_DEVICE"
            : code == BAD_IMAGE ? "CUDA_ERROR_INVALID_IMAGE"
            : code == 214       ? "CUDA_ERROR_ECC_UNCORRECTABLE"
            : code == 700       ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : code == 701       ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
                                : "CUDA_ERROR_OF_THE_DOUBLE";
    return OK;
}

API int cuDeviceGetCount(int *n)
{
    *n = cuda_double.devices;
    return OK;
}

API int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return ordinal < cuda_double.devices ? OK : BAD_DEVICE;
}

API int cuDeviceGetName(char *name, int size, int device)
{
    (void)snprintf(name, (size_t)size, "double %d", device);
    return OK;
}

API int cuDeviceGetAttribute(int *v, int what, int device)
{
    (void)device;
    *v = what == 75 ? cuda_double.major : what == 76 ? cuda_double.minor : what == 16 ? 4 : what == 39 ? 2048 : 0;
    return OK;
}

API int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = cuda_double.memory;
    return OK;
}

API int cuDeviceGetPCIBusId(char *to, int size, int device)
{
    (void)snprintf(to, (size_t)size, "0000:d%d:00.0", device);
    return OK;
}

API int cuCtxGetCurrent(void **c)
{
    *c = depth > 0 ? stack[depth - 1] : NULL;
    return OK;
}

API int cuCtxGetDevice(int *device)
{
    *device = cuda_double_device();
    return depth > 0 ? OK : BAD_CONTEXT;
}

API int cuDevicePrimaryCtxRetain(void **c, int device)
{
    *c = cuda_double_context(device);
    return device >= 0 && device < cuda_double.devices ? OK : BAD_DEVICE;
}

API int cuDevicePrimaryCtxRelease_v2(int device)
{
    return device >= 0 && device < DEVICES ? OK : BAD_DEVICE;
}

API int cuCtxPushCurrent_v2(void *c)
{
    if (depth == DEPTH)
        return INVALID;
    stack[depth++] = c ? c : context;
    return OK;
}

API int cuCtxPopCurrent_v2(void **c)
{
    if (depth == 0)
        return BAD_CONTEXT;
    *c = stack[--depth];
    return OK;
}

API int cuCtxSynchronize(void)
{
    if (depth == 0)
        return BAD_CONTEXT;
    running[cuda_double_device()] = 0;
    return cuda_double.lost_code;
}

/* -- modules, launches ----------------------------------------------------------------------------------------------- */

typedef struct {
    void *handle;
    int (*launch)(unsigned grid, unsigned block, void **param);
    int (*params)(size_t *size);
} module;

/* Like the driver's own, cuModuleLoadData gets no size: the image contains it. */
API int cuModuleLoadData(void **out, const void *image)
{
    char path[] = "/tmp/orr-double-XXXXXX"; /* the loader treats files of one name as one */
    Elf64_Ehdr e;
    memcpy(&e, image, SELFMAG);
    if (cuda_double.load_code || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0)
        return cuda_double.load_code ? cuda_double.load_code : BAD_IMAGE;
    memcpy(&e, image, sizeof e);
    size_t size = e.e_shoff + (size_t)e.e_shnum * e.e_shentsize;
    module *m = calloc(1, sizeof *m);
    int fd = m ? mkostemp(path, O_CLOEXEC) : -1;
    if (fd >= 0 && write(fd, image, size) == (ssize_t)size)
        m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (fd >= 0) {
        close(fd);
        (void)unlink(path);
    }
    if (!m || !m->handle) {
        free(m);
        return BAD_IMAGE;
    }
    void *launch = dlsym(m->handle, "emu_launch"), *params = dlsym(m->handle, "emu_params");
    memcpy(&m->launch, &launch, sizeof launch);
    memcpy(&m->params, &params, sizeof params);
    __atomic_add_fetch(&cuda_double.loads, 1, __ATOMIC_RELAXED);
    *out = m;
    return launch && params ? OK : BAD_IMAGE;
}

API int cuModuleUnload(void *p)
{
    module *m = p;
    if (running[cuda_double_device()] > 0)
        __atomic_add_fetch(&cuda_double.torn, 1, __ATOMIC_RELAXED);
    if (running[cuda_double_device()] > 0 && cuda_double_strict()) {
        (void)fprintf(stderr, "cuda double: a module is unloaded with its launches under way\n");
        _exit(99);
    }
    (void)dlclose(m->handle);
    free(m);
    __atomic_add_fetch(&cuda_double.unloads, 1, __ATOMIC_RELAXED);
    return OK;
}

API int cuModuleGetFunction(void **f, void *m, const char *name)
{
    *f = m;
    return strcmp(name, "orr_kernel") == 0 ? OK : 500;
}

API int cuFuncGetAttribute(int *v, int what, void *f)
{
    (void)f;
    *v = what == 4 ? 40 : what == 1 ? 8192 : 0;
    return OK;
}

API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *f, int threads, size_t shared)
{
    (void)f;
    (void)shared;
    *blocks = 1536 / threads;
    return OK;
}

static void remember(module *m, unsigned grid, unsigned block, void **param)
{
    cuda_double.grid = grid;
    cuda_double.block = block;
    cuda_double.params = m->params(cuda_double.param_size);
    cuda_double.param_bytes = 0;
    for (int i = 0; i < cuda_double.params && i < CUDA_DOUBLE_PARAMS; i++) {
        size_t n = cuda_double.param_size[i];
        if (cuda_double.param_bytes + n > CUDA_DOUBLE_BYTES)
            break;
        memcpy(cuda_double.param + cuda_double.param_bytes, param[i], n);
        cuda_double.param_bytes += n;
    }
}

API int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, void *stream, void **param, void **extra)
{
    DEVICE_WORK;
    module *m = f;
    (void)shared;
    (void)stream;
    if (extra || gy != 1 || gz != 1 || by != 1 || bz != 1 || gx == 0 || bx == 0 || bx > 1024)
        return INVALID;
    __atomic_add_fetch(&cuda_double.launches, 1, __ATOMIC_RELAXED);
    if (cuda_double.life >= 0 && cuda_double.life-- == 0)
        cuda_double.lost_code = 214;
    if (cuda_double.lost_code || cuda_double.launch_code)
        return cuda_double.lost_code ? cuda_double.lost_code : cuda_double.launch_code;
    __atomic_add_fetch(&running[cuda_double_device()], 1, __ATOMIC_RELAXED);
    remember(m, gx, bx, param);
    return cuda_double.no_execution ? OK : m->launch(gx, bx, param);
}
