/* The execution of regions: one struct of callbacks per backend. Pointers and extents in, values out.
 * Must not know: StarPU, plans, tensors. */
#ifndef ORR_CODELETS_CODELET_H
#define ORR_CODELETS_CODELET_H

#include <stdatomic.h>
#include "runtime/base/form.h"
#include "runtime/fuse/region.h"

/* A region prepared by one backend, immutable and shared by all threads. */
typedef struct orr__kernel orr__kernel;

/* Facts of a launch that are known only after the device has finished. The launch fills it in. The waiter for the device then calls `check`
 * once, on any thread. */
typedef struct orr__after {
    orr_status (*check)(struct orr__after *a); /* NULL: there is nothing to check. Sets the last error */
    void *arg;
    const orr__region *region;
} orr__after;

/* The completion of posted work: a launch with one that returns ORR_OK calls `done` once, on any thread, perhaps before it returns. */
typedef struct orr__ending {
    void (*done)(void *argument, orr_status st, const char *text); /* text: the error message */
    void *argument;
} orr__ending;

/* Known properties of an operand. */
typedef struct {
    uint64_t content;            /* equal numbers mean equal values; 0: unknown                */
    const orr__value_form *form; /* the order of its elements; NULL: row-major                 */
} orr__known;

/* The facts that a kernel has seen of its outputs while it computed them. Its caller sets the region, the launches of which count, and zeros. */
typedef struct orr__seen {
    const orr__region *region;
    int64_t elements; /* of each output of floats                                 */
    unsigned odd;     /* bit k: output k has an element that is not finite there  */
} orr__seen;

/* One launch over iteration range [lo, hi) of axis 0 (matmul: of the first batch axis, or of m if there is none). in[i] and out[k] are the
 * address of element 0 of the WHOLE array. For a device: a memory object with in_off/out_off, the element number at which the object
 * starts. A map or matmul writes the part of out that belongs to [lo, hi), and so does a reduction that keeps axis 0. A reduction over axis
 * 0 folds rows [lo, hi) into the present contents of each output. If a map without folds has one output, that output may share the memory
 * of an input with the same element size, which it reads in the element that it writes (on the CPU). */
typedef struct orr__launch {
    const orr__region *region;
    int64_t lo, hi;
    void *const *in;
    void *const *out;
    const int64_t *in_off, *out_off; /* device only, else NULL */
    const orr__scalar *scalar;       /* the scalars, by the capture's slots */
    const orr__known *known;         /* of each input; NULL: nothing is known */
    void *queue;
    void *device;
    void *context;             /* the backend's own context, device only */
    orr__after *after;         /* device only; NULL: the launch waits for its results */
    const orr__ending *ending; /* ORR__OP_POSTS only; NULL: the launch waits for the end */
    orr__seen *seen;           /* processors only; NULL: nobody asks */
} orr__launch;

/* Launches that a caller will repeat, one after another in one queue: `each` makes them all. They depend on nothing but the key, which has
 * the places of operands, then other values. An error of `each` may come after some of its launches. */
typedef struct orr__sequence {
    orr__site at;
    void *queue;
    orr_status (*each)(void *arg);
    void *arg;
    const void *key;
    size_t places, values; /* bytes of the key */
} orr__sequence;

struct orr__tilejob;
typedef struct orr__backend {
    const char *name;
    /* Is there a device to run on? If not, the reason goes to `why`, which may be NULL. */
    bool (*probe)(char *why, size_t size);
    bool (*can)(const orr__region *r); /* NULL: all regions                             */
    /* The least rows of a launch of a product whose bits are those of these rows in any launch; 0: they depend on the launch. NULL: 0. */
    int64_t (*least_rows)(const orr__region *r);
    /* The operands, and the result, of a call that its kernel also accepts in blocks of `block` channels (orr__call). NULL: none. */
    uint32_t (*blocks)(const orr__region *r, int block);
    /* form_input: the input of a call that its kernel may read in a form, -1: none. form: the form that is best for launches of `rows`
     * rows, as a reference for the caller; NULL: row-major. */
    int (*form_input)(const orr__region *r);
    orr__value_form *(*form)(orr__kernel *k, const orr__region *r, int64_t rows);
    orr_status (*prepare)(const orr__region *r, orr__kernel **k);
    void (*compile)(orr__kernel *k, const orr__region *r);      /* before a launch needs it; NULL: launches do */
    orr_status (*launch)(orr__kernel *k, const orr__launch *l); /* device: enqueues on l->queue. Sets the last error */
    /* Makes the launches of a sequence that begins with this kernel, as fast as the device can repeat them. NULL: `each` makes them. */
    orr_status (*repeat)(orr__kernel *k, const orr__sequence *s);
    void (*release)(orr__kernel *k);
    /* Devices only: copies between a memory object, from `byte` on, and the host, in order with the queue. Both wait for the end. */
    orr_status (*read)(const orr__launch *l, void *from, size_t byte, void *host, size_t bytes);
    orr_status (*write)(const orr__launch *l, void *to, size_t byte, const void *host, size_t bytes);
    orr_status (*finish)(const orr__launch *l); /* waits for the queue; NULL: the engine waits */
    /* True if the queue's device no longer works in this process. NULL: never known. */
    bool (*gone)(const orr__launch *l);
    /* Operations of a factorisation on tiles in device memory (codelets/cholesky.h). tiles: are they available? tile: enqueues one, and
     * sets the last error. NULL: not available. */
    bool (*tiles)(void);
    orr_status (*tile)(struct orr__tilejob *j);
    /* Devices only: memory for values that launches on this queue alone write and read, one after another; what was there is lost. NULL:
     * none, with the last error set. */
    void *(*room)(const orr__launch *l, size_t bytes);
    void (*stop)(void); /* contexts end: frees the backend's data in them. May be NULL. No work is under way */
} orr__backend;

extern const orr__backend orr__cpu;
/* The message of every backend for an index out of range. An index of u64 above the largest int64 is shown as the largest. */
static inline orr_status orr__no_place(orr__site at, int64_t index, int64_t number, int axis, int64_t length)
{
    if (index <= ORR__NO_PLACE / 2 && index >= ORR__NO_PLACE * 16)
        return orr__fail(at, ORR_EINDEX, "index number %lld is out of range", (long long)number);
    return orr__fail(at, ORR_EINDEX, "index %lld%s (number %lld) is out of range for axis %d of length %lld",
                     (long long)index, index == INT64_MAX ? " or more" : "", (long long)number, axis,
                     (long long)length);
}
/* True if the region is a call of a user's kernel. */
bool orr__region_is_users(const orr__region *r);
/* True if a user's kernel has no C function: launches on the CPU fail. */
bool orr__region_needs_device(const orr__region *r);
extern const orr__backend orr__opencl; /* probe returns false in a build without OpenCL */
extern const orr__backend orr__cuda;   /* found at run time; launches in the calling thread's context, queue = stream */

/* Since the process began: launches that CUDA's backend enqueued, and launches on devices that the host did again. A check counts them: a
 * device that does nothing is otherwise not seen in the results. Then CUDA graphs: their launches, nodes that got new arguments, captures
 * and their time. */
typedef struct orr__device_counts {
    _Atomic uint64_t launches, redone, graphs, renewed, captures, capture_ns;
} orr__device_counts;
extern orr__device_counts orr__device_did;

/* Several ranks: selects the CUDA devices of its machine that this rank uses. wanted: the rank uses any. Collective; call it before the
 * engine starts. */
orr_status orr__cu_binding_start(orr__site at, bool wanted);
/* Their number, and CUDA's numbers of up to `most` of them; -1: all devices. */
int orr__cu_binding(int *device, int most);
/* True if the driver has devices and none of them can be used. */
bool orr__cu_left_out(void);
/* Makes the context of a device of this process the thread's, until orr__cu_leave. CUDA otherwise makes one on device 0 for the calls of a
 * thread that has none. False: there is no such context, and orr__cu_leave must not be called. */
bool orr__cu_enter(int device);
void orr__cu_leave(int device);
/* Several ranks: decides whether they exchange values by a CUDA library, without the host's memory. `device` is CUDA's number of this
 * rank's device, -1: none. Collective. If that is not possible, exchanges go by MPI, and the text gives the reason. */
orr_status orr__cu_exchanges_start(orr__site at, int device);
const char *orr__cu_exchanges_text(void);
void orr__cu_exchanges_library(char *text, size_t size); /* its version, or the reason why it is missing */

/* Has a kernel of orr__cpu compiled, if ORRERY_JIT allows it. The second call waits until the compilation has ended or failed. */
void orr__cpu_compile(orr__kernel *k, const orr__region *r);
void orr__cpu_compiled(orr__kernel *k);
/* True if the tier of the kernel is final: compiled, or never to be compiled. */
bool orr__cpu_settled(const orr__kernel *k);
/* True if n elements of a float dtype are finite. */
bool orr__cpu_finite(orr_dtype t, const void *x, int64_t n);
/* The name of the library that computes the call of a region on CPUs. */
const char *orr__cpu_library(const orr__region *r);
/* The present tier of a kernel of orr__cpu, as text. */
const char *orr__cpu_tier(const orr__kernel *k);
/* The nest by which its last compiled launch computed rows: n + 1 is one that measurements preferred, of orr__cloop_offers; 0: the one that
 * costs least. */
int orr__cpu_nest(const orr__kernel *k);
/* Between these two calls kernels may be compiled in the background. The settings are those of orr__env. */
void orr__cpu_start(void);
void orr__cpu_stop(void);
void orr__cpu_pause(bool begins); /* of the compilation of kernels that no caller waits for */

/* Releases this thread's memory for copies and blocks of kernels. */
void orr__scratch_trim(void);
/* Sets the number of the BLAS library's own threads for the calls of this library, under way or later; 1 in tasks, whose parallelism is
 * ours; 0: as the program has set it. Between these calls the number is the program's. */
void orr__cpu_blas_threads(int n);
int orr__cpu_blas_get_threads(void);
/* True if that number may change while other threads are in the library. */
bool orr__cpu_blas_threads_change(void);
/* Rates of one core, per µs: additions of f32 in a compiled loop, flops of products. 0: not measured, because of *stop or for lack of
 * memory. Takes 20 ms. */
typedef struct {
    double math, gemm32, gemm64;
} orr__cpu_rates;
orr__cpu_rates orr__cpu_measure(const atomic_bool *stop);
const char *orr__cpu_describe(void); /* "openblas 0.3.21 (SkylakeX), kernels avx512" */

#endif
