/* Copies between memories by CUDA's driver and by OpenCL. Names and numbers are those of their documentation.
 * Must not know: Orrery. */
#include "config.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "bench/peer_memory.h"

enum { MOST = 64 };

struct peer_memory {
    bool cuda;
    void *pageable, *pinned;
    /* CUDA */
    void *context, *other_context;
    uint64_t device[2], other;
    /* OpenCL */
    void *queue, *buffer[2], *host;
};

typedef struct {
    const char *name;
    void *place;
} wanted;

static bool open_all(const char *file, const wanted *w)
{
    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (; lib && w->name; w++) {
        void *p = dlsym(lib, w->name);
        if (!p)
            return false;
        memcpy(w->place, &p, sizeof p);
    }
    return lib != NULL;
}

/* -- CUDA ---------------------------------------------------------------------------------------------------- */

static struct {
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*retain)(void **, int);
    int (*release)(int);
    int (*set)(void *);
    int (*alloc)(uint64_t *, size_t);
    int (*free)(uint64_t);
    int (*host_alloc)(void **, size_t, unsigned);
    int (*host_free)(void *);
    int (*to_device)(uint64_t, const void *, size_t);
    int (*to_host)(void *, uint64_t, size_t);
    int (*on_device)(uint64_t, uint64_t, size_t);
    int (*to_other)(uint64_t, void *, uint64_t, void *, size_t);
    int (*wait)(void);
} cu;

static bool open_cuda(void)
{
    const wanted w[] = { { "cuInit", &cu.init },
                         { "cuDeviceGet", &cu.device },
                         { "cuDevicePrimaryCtxRetain", &cu.retain },
                         { "cuDevicePrimaryCtxRelease_v2", &cu.release },
                         { "cuCtxSetCurrent", &cu.set },
                         { "cuMemAlloc_v2", &cu.alloc },
                         { "cuMemFree_v2", &cu.free },
                         { "cuMemHostAlloc", &cu.host_alloc },
                         { "cuMemFreeHost", &cu.host_free },
                         { "cuMemcpyHtoD_v2", &cu.to_device },
                         { "cuMemcpyDtoH_v2", &cu.to_host },
                         { "cuMemcpyDtoD_v2", &cu.on_device },
                         { "cuMemcpyPeer", &cu.to_other },
                         { "cuCtxSynchronize", &cu.wait },
                         { NULL, NULL } };
    return open_all("libcuda.so.1", w) && cu.init(0) == 0;
}

static bool start_cuda(peer_memory *m, int index, int other, size_t bytes)
{
    int d;
    if (!open_cuda())
        return false;
    if (other >= 0 && (cu.device(&d, other) || cu.retain(&m->other_context, d) || cu.set(m->other_context) ||
                       cu.alloc(&m->other, bytes)))
        return false;
    return !cu.device(&d, index) && !cu.retain(&m->context, d) && !cu.set(m->context) &&
           !cu.alloc(&m->device[0], bytes) && !cu.alloc(&m->device[1], bytes) && !cu.host_alloc(&m->pinned, bytes, 0);
}

static int copy_cuda(peer_memory *m, peer_way way, void *host, size_t bytes)
{
    int rc = cu.set(m->context);
    if (rc == 0 && way == PEER_TO_DEVICE)
        rc = cu.to_device(m->device[0], host, bytes);
    else if (rc == 0 && way == PEER_TO_HOST)
        rc = cu.to_host(host, m->device[0], bytes);
    else if (rc == 0 && way == PEER_ON_DEVICE)
        rc = cu.on_device(m->device[1], m->device[0], bytes);
    else if (rc == 0)
        rc = m->other ? cu.to_other(m->other, m->other_context, m->device[0], m->context, bytes) : 1;
    return rc ? rc : cu.wait();
}

/* Frees the buffers. The contexts are shared with StarPU and stay. */
static void stop_cuda(peer_memory *m)
{
    if (m->other_context && !cu.set(m->other_context) && m->other)
        (void)cu.free(m->other);
    if (!m->context || cu.set(m->context))
        return;
    for (int i = 0; i < 2; i++)
        if (m->device[i])
            (void)cu.free(m->device[i]);
    if (m->pinned)
        (void)cu.host_free(m->pinned);
}

/* -- OpenCL -------------------------------------------------------------------------------------------------- */

enum { READ_WRITE = 1, HOST_PTR = 1 << 4, MAP_BOTH = 3 };
static struct {
    int (*platforms)(unsigned, void **, unsigned *);
    int (*devices)(void *, uint64_t, unsigned, void **, unsigned *);
    void *(*context)(const void *, unsigned, void *const *, void *, void *, int *);
    void *(*queue)(void *, void *, uint64_t, int *);
    void *(*buffer)(void *, uint64_t, size_t, void *, int *);
    int (*write)(void *, void *, unsigned, size_t, size_t, const void *, unsigned, void *, void *);
    int (*read)(void *, void *, unsigned, size_t, size_t, void *, unsigned, void *, void *);
    int (*copy)(void *, void *, void *, size_t, size_t, size_t, unsigned, void *, void *);
    void *(*map)(void *, void *, unsigned, uint64_t, size_t, size_t, unsigned, void *, void *, int *);
    int (*finish)(void *);
    int (*release)(void *);
    int (*release_queue)(void *);
} cl;

static bool open_cl(void)
{
    const wanted w[] = { { "clGetPlatformIDs", &cl.platforms },
                         { "clGetDeviceIDs", &cl.devices },
                         { "clCreateContext", &cl.context },
                         { "clCreateCommandQueue", &cl.queue },
                         { "clCreateBuffer", &cl.buffer },
                         { "clEnqueueWriteBuffer", &cl.write },
                         { "clEnqueueReadBuffer", &cl.read },
                         { "clEnqueueCopyBuffer", &cl.copy },
                         { "clEnqueueMapBuffer", &cl.map },
                         { "clFinish", &cl.finish },
                         { "clReleaseMemObject", &cl.release },
                         { "clReleaseCommandQueue", &cl.release_queue },
                         { NULL, NULL } };
    return open_all("libOpenCL.so.1", w);
}

/* The device with this number, counted over all platforms. */
static void *find_cl(int index)
{
    void *platform[MOST], *device[MOST];
    unsigned np = 0, nd;
    if (cl.platforms(MOST, platform, &np) != 0)
        return NULL;
    for (unsigned p = 0; p < np && p < MOST; p++) {
        nd = 0;
        if (cl.devices(platform[p], 0xFFFFFFFFu, MOST, device, &nd) != 0)
            continue;
        if (index < (int)nd)
            return device[index];
        index -= (int)nd;
    }
    return NULL;
}

static bool start_cl(peer_memory *m, int index, size_t bytes)
{
    int err = 0;
    void *device = open_cl() ? find_cl(index) : NULL;
    if (!device || !(m->context = cl.context(NULL, 1, &device, NULL, NULL, &err)) ||
        !(m->queue = cl.queue(m->context, device, 0, &err)))
        return false;
    for (int i = 0; i < 2; i++)
        if (!(m->buffer[i] = cl.buffer(m->context, READ_WRITE, bytes, NULL, &err)))
            return false;
    m->host = cl.buffer(m->context, READ_WRITE | HOST_PTR, bytes, NULL, &err);
    m->pinned = m->host ? cl.map(m->queue, m->host, 1, MAP_BOTH, 0, bytes, 0, NULL, NULL, &err) : NULL;
    return m->pinned != NULL;
}

static int copy_cl(peer_memory *m, peer_way way, void *host, size_t bytes)
{
    int rc = 1;
    if (way == PEER_TO_DEVICE)
        rc = cl.write(m->queue, m->buffer[0], 1, 0, bytes, host, 0, NULL, NULL);
    else if (way == PEER_TO_HOST)
        rc = cl.read(m->queue, m->buffer[0], 1, 0, bytes, host, 0, NULL, NULL);
    else if (way == PEER_ON_DEVICE)
        rc = cl.copy(m->queue, m->buffer[0], m->buffer[1], 0, 0, bytes, 0, NULL, NULL);
    return rc ? rc : cl.finish(m->queue);
}

static void stop_cl(peer_memory *m)
{
    void *all[] = { m->buffer[0], m->buffer[1], m->host };
    for (int i = 0; i < 3; i++)
        if (all[i])
            (void)cl.release(all[i]);
    if (m->queue)
        (void)cl.release_queue(m->queue);
}

/* -- both ---------------------------------------------------------------------------------------------------- */

peer_memory *peer_memory_open(bool cuda, int index, int other, size_t bytes)
{
    peer_memory *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->cuda = cuda;
    m->pageable = malloc(bytes);
    if (m->pageable && (cuda ? start_cuda(m, index, other, bytes) : start_cl(m, index, bytes))) {
        memset(m->pageable, 1, bytes);
        memset(m->pinned, 1, bytes);
        if (peer_memory_copy(m, PEER_TO_DEVICE, true, bytes) == 0)
            return m;
    }
    peer_memory_close(m);
    return NULL;
}

int peer_memory_copy(peer_memory *m, peer_way way, bool pinned, size_t bytes)
{
    void *host = pinned ? m->pinned : m->pageable;
    return m->cuda ? copy_cuda(m, way, host, bytes) : copy_cl(m, way, host, bytes);
}

void peer_memory_close(peer_memory *m)
{
    if (!m)
        return;
    if (m->cuda)
        stop_cuda(m);
    else
        stop_cl(m);
    free(m->pageable);
    free(m);
}
