/* The runtime's double, for StarPU's CUDA workers: it is loaded before the real one (LD_PRELOAD).
 * Must not know: Orrery. */
#include "config.h"

#if __has_include(<cuda_runtime_api.h>) /* found only by StarPU's flags */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/double/double.h"

static cudaError_t now(void)
{
    return (cudaError_t)cuda_double.lost_code;
}

/* The runtime makes the context of device 0 for a thread that has none. */
static void stray(void)
{
    if (!cuda_double_has_context())
        __atomic_add_fetch(&cuda_double.strays, 1, __ATOMIC_RELAXED);
}

API cudaError_t cudaGetDeviceCount(int *n)
{
    *n = cuda_double.devices;
    return *n > 0 ? cudaSuccess : cudaErrorNoDevice;
}

API cudaError_t cudaSetDevice(int device)
{
    cuda_double_enter(cuda_double_context(device));
    return now();
}

#undef cudaGetDeviceProperties
API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    memset(p, 0, sizeof *p);
    (void)snprintf(p->name, sizeof p->name, "double %d", device);
    p->totalGlobalMem = cuda_double.memory;
    p->major = cuda_double.major;
    p->minor = cuda_double.minor;
    p->multiProcessorCount = 4;
    p->pciBusID = device;
    p->concurrentKernels = 1;
    return cudaSuccess;
}

API cudaError_t cudaDeviceGetAttribute(int *v, enum cudaDeviceAttr what, int device)
{
    (void)what;
    (void)device;
    *v = 0;
    return cudaSuccess;
}

API cudaError_t cudaDeviceCanAccessPeer(int *can, int a, int b)
{
    (void)a;
    (void)b;
    *can = 0;
    return cudaSuccess;
}

API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer;
    (void)flags;
    return cudaSuccess;
}

API cudaError_t cudaDeviceReset(void)
{
    return cudaSuccess;
}

API cudaError_t cudaDeviceSynchronize(void)
{
    cuda_double_drain(NULL);
    return now();
}

API cudaError_t cudaMalloc(void **p, size_t bytes)
{
    *p = now() ? NULL : cuda_double_alloc(bytes);
    if (now())
        return now();
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}

API cudaError_t cudaFree(void *p)
{
    if (now() == cudaSuccess)
        cuda_double_free(p);
    return now();
}

API cudaError_t cudaMemGetInfo(size_t *there, size_t *all)
{
    *all = cuda_double.memory;
    *there = cuda_double.memory - cuda_double.used;
    return now();
}

API cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
    (void)flags;
    *p = malloc(bytes);
    cuda_double_pin(*p, bytes);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}

API cudaError_t cudaFreeHost(void *p)
{
    cuda_double_unpin(p);
    free(p);
    return cudaSuccess;
}

API cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    (void)flags;
    stray();
    cuda_double.pins++;
    cuda_double_pin(p, bytes);
    return p && bytes ? cudaSuccess : cudaErrorInvalidValue;
}

API cudaError_t cudaHostUnregister(void *p)
{
    stray();
    cuda_double.unpins++;
    cuda_double_unpin(p);
    return p ? cudaSuccess : cudaErrorInvalidValue;
}

API cudaError_t cudaHostGetDevicePointer(void **d, void *p, unsigned flags)
{
    (void)flags;
    *d = p;
    return cudaSuccess;
}

API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
    memset(a, 0, sizeof *a);
    a->hostPointer = (void *)(uintptr_t)p;
    return cudaSuccess;
}

API cudaError_t cudaMemset(void *p, int v, size_t n)
{
    DEVICE_WORK;
    memset(p, v, n);
    return cudaSuccess;
}

API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s)
{
    if (now())
        return now();
    __atomic_add_fetch(&cuda_double.copies, 1, __ATOMIC_RELAXED);
    if (kind == cudaMemcpyHostToDevice)
        __atomic_add_fetch(&cuda_double.bytes_in, n, __ATOMIC_RELAXED);
    if (kind == cudaMemcpyDeviceToHost)
        __atomic_add_fetch(&cuda_double.bytes_home, n, __ATOMIC_RELAXED);
    (void)cuda_double_copy(to, n, from, n, n, 1, s);
    return now();
}

API cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, n, kind, NULL);
}

API cudaError_t cudaMemcpyPeer(void *to, int a, const void *from, int b, size_t n)
{
    (void)a;
    (void)b;
    return cudaMemcpy(to, from, n, cudaMemcpyDeviceToDevice);
}

API cudaError_t cudaMemcpyPeerAsync(void *to, int a, const void *from, int b, size_t n, cudaStream_t s)
{
    (void)a;
    (void)b;
    return cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, s);
}

API cudaError_t cudaMemcpy2DAsync(void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h,
                                  enum cudaMemcpyKind kind, cudaStream_t s)
{
    (void)kind;
    (void)cuda_double_copy(to, tp, from, fp, w, h, s);
    return now();
}

API cudaError_t cudaMemcpy2D(void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h,
                             enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, tp, from, fp, w, h, kind, NULL);
}

API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    void *made = NULL;
    int code = cuStreamCreate(&made, flags);
    *s = made;
    return (cudaError_t)code;
}

API cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    (void)cuStreamDestroy_v2(s);
    return now();
}

API cudaError_t cudaStreamQuery(cudaStream_t s)
{
    return (cudaError_t)cuStreamQuery(s);
}

API cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    cuda_double_drain(s);
    return now();
}

API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
    (void)flags;
    *e = calloc(1, sizeof(cuda_double_place));
    return *e ? now() : cudaErrorMemoryAllocation;
}

API cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    free(e);
    return now();
}

API cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    cuda_double_record((void *)e, s);
    return now();
}

API cudaError_t cudaEventQuery(cudaEvent_t e)
{
    return cuda_double_over((void *)e) || now() ? now() : cudaErrorNotReady;
}

API cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    cuda_double_wait((void *)e);
    return now();
}

API cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

API const char *cudaGetErrorString(cudaError_t code)
{
    return code == cudaErrorMemoryAllocation ? "out of memory" : code ? "an error of the double" : "no error";
}

#else
typedef int no_runtime; /* StarPU without CUDA needs none */
#endif
