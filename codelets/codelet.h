/* How a region computes: one struct of callbacks per backend. Pointers and extents in, values out.
 * Must not know: StarPU, plans, tensors. */
#ifndef ORR_CODELETS_CODELET_H
#define ORR_CODELETS_CODELET_H

#include <stdatomic.h>
#include "runtime/base/form.h"
#include "runtime/fuse/region.h"

/* A region prepared by one backend, immutable and shared by all threads. */
typedef struct orr__kernel orr__kernel;

/* Facts of a launch that are known only when the device is done with it. The launch fills it in; then the waiter for the
 * device calls `check`, once, on any thread. */
typedef struct orr__after {
    orr_status (*check)(struct orr__after *a); /* NULL: nothing is left to be known; sets last error */
    void *arg;
    const orr__region *region;
} orr__after;

/* The end of posted work: a launch that has one and returns ORR_OK calls `done` once, on any thread, perhaps before it returns. */
typedef struct orr__ending {
    void (*done)(void *argument, orr_status st, const char *text); /* text: of an error */
    void *argument;
} orr__ending;

/* Facts of an operand. */
typedef struct {
    uint64_t content;            /* equal numbers, equal values; 0: unknown                    */
    const orr__value_form *form; /* in which its elements lie; NULL: row-major                 */
} orr__known;

/* One launch over iteration range [lo, hi) of axis 0 (matmul: of the first batch axis, or of m when there is none).
 * in[i], out[k]: address of element 0 of the WHOLE array (for a device: memory object plus in_off/out_off, the element
 * number at which the object starts). A map or matmul writes the part of out that belongs to [lo, hi). A reduction whose
 * axis 0 is kept likewise; one whose axis 0 is reduced folds rows [lo, hi) into the whole of each output as given. A map without folds that has one output
 * may have it over an input of the same element size, which it reads in the element that it writes (on the CPU). */
typedef struct orr__launch {
    const orr__region *region;
    int64_t lo, hi;
    void *const *in;
    void *const *out;
    const int64_t *in_off, *out_off; /* device only, else NULL */
    const orr__scalar *scalar;       /* the capture's slots    */
    const orr__known *known;         /* of each input; NULL: nothing */
    void *queue;
    void *device;
    void *context;             /* the backend's own, device only */
    orr__after *after;         /* device only; NULL: launch waits for its answers */
    const orr__ending *ending; /* ORR__OP_POSTS only; NULL: launch waits for the end */
} orr__launch;

struct orr__tilejob;
typedef struct orr__backend {
    const char *name;
    /* Is there anything to run on? NULL message buffer is fine; why not goes there. */
    bool (*probe)(char *why, size_t size);
    bool (*can)(const orr__region *r); /* NULL: everything                              */
    /* Operands, and the result, of a call that its kernel takes in blocks of so many channels as well (orr__call). NULL: none. */
    uint32_t (*blocks)(const orr__region *r, int block);
    /* The input of a call that its kernel may take in a form, -1: none; and the form in which launches of so many rows take it best, a
     * reference for the caller, NULL: row-major. */
    int (*form_input)(const orr__region *r);
    orr__value_form *(*form)(orr__kernel *k, const orr__region *r, int64_t rows);
    orr_status (*prepare)(const orr__region *r, orr__kernel **k);
    void (*compile)(orr__kernel *k, const orr__region *r);      /* before a launch wants it; NULL: launches do */
    orr_status (*launch)(orr__kernel *k, const orr__launch *l); /* device: enqueues on l->queue; sets last error */
    void (*release)(orr__kernel *k);
    /* Devices only: between a memory object, from `byte` on, and the host, in order with the queue; they wait. */
    orr_status (*read)(const orr__launch *l, void *from, size_t byte, void *host, size_t bytes);
    orr_status (*write)(const orr__launch *l, void *to, size_t byte, const void *host, size_t bytes);
    orr_status (*finish)(const orr__launch *l); /* waits for the queue; NULL: the engine does */
    /* Does nothing work on the queue's device any more in this process? NULL: it is never known. */
    bool (*gone)(const orr__launch *l);
    /* Operations of a factorisation on tiles in its memory (codelets/cholesky.h): is there what does them; one, enqueued,
     * which sets last error. NULL: cannot. */
    bool (*tiles)(void);
    orr_status (*tile)(struct orr__tilejob *j);
    void (*stop)(void); /* contexts end: gives up what it has in them. May be NULL. Nothing is under way */
} orr__backend;

extern const orr__backend orr__cpu;
/* The message of every backend for an index that names no place. The largest index stands for all of u64 from there on. */
static inline orr_status orr__no_place(orr__site at, int64_t index, int64_t number, int axis, int64_t length)
{
    return orr__fail(at, ORR_EINDEX, "index %lld%s (number %lld) is out of range for axis %d of length %lld",
                     (long long)index, index == INT64_MAX ? " or more" : "", (long long)number, axis,
                     (long long)length);
}
/* Is it a call of a user's kernel? */
bool orr__region_is_users(const orr__region *r);
/* A user's kernel without a C function: launches on the CPU fail. */
bool orr__region_needs_device(const orr__region *r);
extern const orr__backend orr__opencl; /* probe says no when built without OpenCL */
extern const orr__backend orr__cuda;   /* asks at run time; launches on the calling thread's context, queue = stream */

/* Several ranks: which CUDA devices of its machine this one takes. wanted: it takes any. Collective, before the engine starts. */
orr_status orr__cu_binding_start(orr__site at, bool wanted);
/* Their number and CUDA's numbers of up to `most` of them; -1: all that there are. */
int orr__cu_binding(int *device, int most);
/* Several ranks: whether they exchange values by a library of CUDA's, without the host's memory; `device` is CUDA's number of this
 * rank's, -1: it has none. Collective. Where that cannot be, exchanges go by MPI, and the text says why. */
orr_status orr__cu_exchanges_start(orr__site at, int device);
const char *orr__cu_exchanges_text(void);
void orr__cu_exchanges_library(char *text, size_t size); /* its version, or why it is not there */

/* Has a kernel of orr__cpu compiled, as far as ORRERY_JIT allows; the second waits until that is done, or given up. */
void orr__cpu_compile(orr__kernel *k, const orr__region *r);
void orr__cpu_compiled(orr__kernel *k);
/* Whether it computes as it always will from now on: compiled, or never to be. */
bool orr__cpu_settled(const orr__kernel *k);
/* The library by which processors compute the call of a region, in words. */
const char *orr__cpu_library(const orr__region *r);
/* How a kernel of orr__cpu computes now, in words. */
const char *orr__cpu_tier(const orr__kernel *k);
/* Between these two kernels may be compiled in the background. Settings are those of orr__env. */
void orr__cpu_start(void);
void orr__cpu_stop(void);

/* Gives back what this thread has for copies and blocks of kernels. */
void orr__scratch_trim(void);
/* Folds the BLAS library's own threads to 1 and back (in tasks, parallelism is ours). */
void orr__cpu_blas_threads(int n);
int orr__cpu_blas_get_threads(void);
/* Whether their number may change while other threads are in the library. */
bool orr__cpu_blas_threads_change(void);
/* Per µs on one core: additions of f32 that a compiled loop does, flops of products. 0: not measured, for *stop or want
 * of memory. 20 ms. */
typedef struct {
    double math, gemm32, gemm64;
} orr__cpu_rates;
orr__cpu_rates orr__cpu_measure(const atomic_bool *stop);
const char *orr__cpu_describe(void); /* "openblas 0.3.21 (SkylakeX), kernels avx512" */

#endif
