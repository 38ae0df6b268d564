/* The driver's double: contexts, memory, modules that are shared objects, launches.
 * Must not know: Orrery. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/double/double.h"

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
    if (cuda_double_ptx()) {
        cuda_double.major = cuda_double_ptx() / 10;
        cuda_double.minor = cuda_double_ptx() % 10;
    }
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
    if (cuda_double.lost_code || cuda_double_forbidden("cuMemAlloc"))
        return cuda_double.lost_code ? cuda_double.lost_code : 900;
    void *q = cuda_double.alloc_code ? NULL : cuda_double_alloc(bytes);
    *p = (uint64_t)(uintptr_t)q;
    return q ? OK : cuda_double.alloc_code ? cuda_double.alloc_code : NO_MEMORY;
}

API int cuMemFree_v2(uint64_t p)
{
    if (cuda_double.lost_code || cuda_double_forbidden("cuMemFree"))
        return cuda_double.lost_code ? cuda_double.lost_code : 900;
    cuda_double_free((void *)(uintptr_t)p);
    return OK;
}

API int cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
    (void)flags;
    if (cuda_double_forbidden("cuMemHostAlloc"))
        return 900;
    *p = cuda_double.host_alloc_code ? NULL : malloc(bytes);
    cuda_double_pin(*p, bytes);
    return *p ? OK : cuda_double.host_alloc_code;
}

API int cuMemFreeHost(void *p)
{
    if (cuda_double_forbidden("cuMemFreeHost"))
        return 900;
    cuda_double_unpin(p);
    free(p);
    return OK;
}

API int cuMemHostGetDevicePointer_v2(uint64_t *d, void *p, unsigned flags)
{
    (void)flags;
    *d = (uint64_t)(uintptr_t)p;
    return cuda_double_pinned(p) ? OK : INVALID; /* it knows no addresses within */
}

static int copy(uint64_t to, uint64_t from, size_t n, void *stream)
{
    bool within = cuda_double_owns((const void *)(uintptr_t)to, n) && cuda_double_owns((const void *)(uintptr_t)from, n);
    if (!within && cuda_double_capturing(stream) && cuda_double_forbidden("a copy"))
        return 900;
    return cuda_double.lost_code
               ? cuda_double.lost_code
               : cuda_double_copy((void *)(uintptr_t)to, n, (const void *)(uintptr_t)from, n, n, 1, stream);
}

API int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *stream)
{
    __atomic_add_fetch(&cuda_double.copies, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&cuda_double.bytes_in, n, __ATOMIC_RELAXED);
    return copy(to, (uint64_t)(uintptr_t)from, n, stream);
}

API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *stream)
{
    return copy(to, from, n, stream);
}

API int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *stream)
{
    __atomic_add_fetch(&cuda_double.copies, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&cuda_double.bytes_home, n, __ATOMIC_RELAXED);
    return copy((uint64_t)(uintptr_t)to, from, n, stream);
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
    if (cuda_double_forbidden("cuCtxSynchronize"))
        return 900;
    cuda_double_drain(NULL);
    running[cuda_double_device()] = 0;
    return cuda_double.lost_code;
}

/* -- modules, launches ----------------------------------------------------------------------------------------------- */

typedef struct module {
    struct module *next; /* unloaded ones stay allocated: graphs may refer to them */
    void *handle;        /* NULL: unloaded */
    int (*launch)(unsigned grid, unsigned block, void **param, int from);
    int (*params)(size_t *size);
} module;

static module *unloaded;

bool cuda_double_loaded(const void *m)
{
    return ((const module *)m)->handle != NULL;
}

/* Like the driver's own, cuModuleLoadData gets no size: the image contains it. */
API int cuModuleLoadData(void **out, const void *image)
{
    const char *folder = cuda_double_races() ? getenv("CUDA_DOUBLE_KEEP") : NULL; /* for the lines in reports */
    char path[600]; /* the loader treats files of one name as one */
    Elf64_Ehdr e;
    if (cuda_double_forbidden("cuModuleLoadData"))
        return 900;
    memcpy(&e, image, SELFMAG);
    if (cuda_double.load_code || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0)
        return cuda_double.load_code ? cuda_double.load_code : BAD_IMAGE;
    memcpy(&e, image, sizeof e);
    size_t size = e.e_shoff + (size_t)e.e_shnum * e.e_shentsize;
    module *m = calloc(1, sizeof *m);
    (void)snprintf(path, sizeof path, "%.500s/orr-double-XXXXXX", folder ? folder : "/tmp");
    int fd = m ? mkostemp(path, O_CLOEXEC) : -1;
    if (fd >= 0 && write(fd, image, size) == (ssize_t)size)
        m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (fd >= 0) {
        close(fd);
        if (!folder)
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
    m->handle = NULL;
    do
        m->next = __atomic_load_n(&unloaded, __ATOMIC_SEQ_CST);
    while (!__sync_bool_compare_and_swap(&unloaded, m->next, m));
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

/* A launch in its stream: the parameters, each at a multiple of 8 bytes. */
typedef struct {
    module *m;
    unsigned grid, block;
    uint64_t param[];
} launch;

/* Strict: from the same memory in two orders of the threads and blocks, whose results must be the same. */
static int in_both_orders(const launch *l, void **param)
{
    cuda_double_keep(true);
    int code = l->m->launch(l->grid, l->block, param, 0);
    cuda_double_keep(false);
    cuda_double_exchange();
    code = code ? code : l->m->launch(l->grid, l->block, param, 1);
    cuda_double_compare(code == 0);
    return code;
}

static int compute(void *arg)
{
    DEVICE_WORK;
    launch *l = arg;
    size_t size[CUDA_DOUBLE_PARAMS];
    void *param[CUDA_DOUBLE_PARAMS];
    int n = l->m->params(size);
    for (int i = 0, at = 0; i < n && i < CUDA_DOUBLE_PARAMS; i++) {
        param[i] = &l->param[at];
        at += (int)((size[i] + 7) / 8);
    }
    return cuda_double_strict() ? in_both_orders(l, param) : l->m->launch(l->grid, l->block, param, -1);
}

/* Bytes of the launch's copy; 0: it has too many parameters. */
typedef uint64_t launch_room[(sizeof(launch) + CUDA_DOUBLE_PARAMS * 8 + 2 * CUDA_DOUBLE_BYTES) / 8];
static size_t pack(module *m, unsigned grid, unsigned block, void **param, launch_room room)
{
    launch *l = (launch *)(void *)room;
    size_t size[CUDA_DOUBLE_PARAMS], at = 0;
    int n = m->params(size);
    *l = (launch){ .m = m, .grid = grid, .block = block };
    for (int i = 0; i < n; i++) {
        if (i == CUDA_DOUBLE_PARAMS || (at + size[i] / 8 + 1) * 8 + sizeof *l > sizeof(launch_room))
            return 0;
        memcpy(&l->param[at], param[i], size[i]);
        at += (size[i] + 7) / 8;
    }
    return sizeof *l + at * 8;
}

static int enqueue(module *m, unsigned grid, unsigned block, void **param, void *stream)
{
    launch_room room = { 0 };
    size_t bytes = pack(m, grid, block, param, room);
    return bytes == 0                      ? INVALID
           : cuda_double_capturing(stream) ? cuda_double_add_node(stream, compute, m, room, bytes)
                                           : cuda_double_enqueue(stream, compute, room, bytes);
}

/* Counts n launches; the code of a fault that a test has asked for. */
static int begin(int n)
{
    __atomic_add_fetch(&cuda_double.launches, n, __ATOMIC_RELAXED);
    for (int i = 0; i < n && cuda_double.life >= 0; i++)
        if (cuda_double.life-- == 0)
            cuda_double.lost_code = 214;
    if (cuda_double.lost_code || cuda_double.launch_code)
        return cuda_double.lost_code ? cuda_double.lost_code : cuda_double.launch_code;
    __atomic_add_fetch(&running[cuda_double_device()], n, __ATOMIC_RELAXED);
    return OK;
}

API int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, void *stream, void **param, void **extra)
{
    module *m = f;
    (void)shared;
    if (extra || gy != 1 || gz != 1 || by != 1 || bz != 1 || gx == 0 || bx == 0 || bx > 1024)
        return INVALID;
    if (cuda_double_capturing(stream))
        return cuda_double.launch_code ? cuda_double.launch_code : enqueue(m, gx, bx, param, stream);
    int code = begin(1);
    if (code != OK)
        return code;
    remember(m, gx, bx, param);
    return cuda_double.no_execution ? OK : enqueue(m, gx, bx, param, stream);
}

API int cuGraphLaunch(void *exec, void *stream)
{
    int calls, n = cuda_double_kernels(exec, &calls), code = n < 0 ? INVALID : begin(n);
    cuda_double.matmuls += calls;
    __atomic_add_fetch(&cuda_double.graphs, 1, __ATOMIC_RELAXED);
    return code != OK || cuda_double.no_execution ? code : cuda_double_run_graph(exec, stream);
}

/* CUDA_KERNEL_NODE_PARAMS_v2 */
typedef struct {
    module *function;
    unsigned gx, gy, gz, bx, by, bz, shared;
    void **param, **extra;
    void *kernel, *context;
} node_params;

API int cuGraphExecKernelNodeSetParams_v2(void *exec, void *node, const node_params *p)
{
    launch_room room = { 0 };
    if (p->extra || p->gy != 1 || p->gz != 1 || p->by != 1 || p->bz != 1 || p->gx == 0 || p->bx == 0 || p->bx > 1024)
        return INVALID;
    size_t bytes = pack(p->function, p->gx, p->bx, p->param, room);
    return bytes ? cuda_double_set_node(exec, node, p->function, room, bytes) : INVALID;
}
