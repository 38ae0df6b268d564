/* A double of CUDA's libraries over host memory, for tests without a GPU: the driver's functions that Orrery calls, NVRTC
 * (whose "CUBIN" is a shared object compiled by g++ from the same CUDA C), cuBLASLt (plain loops that follow the
 * descriptors), cuBLAS and cuSOLVER (a BLAS library on the processor), NCCL (among processes of one machine, through shared
 * memory) and, for StarPU, the runtime's. A test can make calls fail; calls are counted.
 * Must not know: Orrery. */
#ifndef ORR_TESTS_DOUBLE_H
#define ORR_TESTS_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

enum { CUDA_DOUBLE_PARAMS = 80, CUDA_DOUBLE_BYTES = 4096, CUDA_DOUBLE_STREAMS = 80 };

typedef struct cuda_double_state {
    /* settings */
    int devices, major, minor;
    int arch[16], archs; /* supported by NVRTC                      */
    size_t memory;       /* of a device; allocations beyond it fail */
    int no_execution;    /* kernels and products are not computed     */
    int driver_version;  /* of cuDriverGetVersion, 0: 13000         */
    /* faults: the returned codes, 0: none */
    int init_code, load_code, launch_code, alloc_code, host_alloc_code, compile_code, matmul_code, heuristic_code,
        tile_code, create_code; /* the last: of the libraries' handles */
    int capture_code, capture_end_code, graph_code, update_code; /* of captures and graphs */
    int life, lost_code;        /* launches until the context is lost, < 0: never; then the code of each call */
    int nccl_version;           /* 0: that of 2.28.9                                                          */
    int nccl_id_code, nccl_init_code, nccl_call_code, nccl_async_code; /* of NCCL                */
    int nccl_stuck;                                                    /* exchanges do not end until they are aborted */
    /* counters of calls */
    int compiles, loads, unloads, launches, copies, allocs, frees, waits, heuristics, matmuls, handles, tiles, factors,
        grouped;                   /* calls of linear algebra, and those of them for several matrices */
    size_t used;                   /* bytes allocated now                                               */
    uint64_t bytes_in, bytes_home; /* copied from the host to a device, and back                        */
    int nccl_calls, nccl_comms;    /* exchanges; open communicators                                     */
    int nccl_aborts, nccl_foreign; /* aborted communicators; exchanges of memory that is not a device's */
    int pins, unpins;              /* of host memory                                                    */
    int strays;                    /* calls of the runtime by threads that had no context: they make one on device 0 */
    int torn;                      /* modules unloaded while the context was not known to be idle        */
    int captures, execs, graphs, nodes_set,
        updates; /* captures that ended well, executable graphs that exist, launches of graphs, … */
    /* the last launch */
    unsigned grid, block;
    int params;
    size_t param_size[CUDA_DOUBLE_PARAMS], param_bytes;
    unsigned char param[CUDA_DOUBLE_BYTES]; /* in sequence */
    /* the last product */
    int compute, scale, epilogue, trans_a, trans_b, batches;
    size_t workspace;
    uint32_t alignment, reductions;
    char options[256]; /* of the last compilation */
} cuda_double_state;

extern cuda_double_state cuda_double;

/* Shared by the driver's double and the runtime's: the thread's context. */
void *cuda_double_context(int device);
void cuda_double_enter(void *context);
int cuda_double_device(void);
int cuda_double_has_context(void);
void *cuda_double_alloc(size_t bytes); /* NULL: too much */
void cuda_double_free(void *p);
int cuda_double_owns(const void *p, size_t bytes); /* true for memory of cuda_double_alloc */
/* Strict (CUDA_DOUBLE_STRICT=1): the host cannot touch memory of cuda_double_alloc, except inside a function of a device, which begins
 * with DEVICE_WORK; behind each allocation is a page that nobody can touch; memory that was freed stays closed; work waits in its stream,
 * and must come after other streams' work on the same memory; a launch is computed in two orders of its threads. The process ends with
 * a line "cuda double: …" that names the fault. */
int cuda_double_strict(void);
int cuda_double_begin(void);
void cuda_double_end(const int *work);
#define DEVICE_WORK __attribute__((cleanup(cuda_double_end), unused)) const int device_work = cuda_double_begin()
/* An address that a library does not accept: the device is lost, as by "misaligned address". */
int cuda_double_align(const void *p, size_t bytes);
/* Streams. Work gets a copy of its argument; its code is the device's from then on. Not strict: it is done at once. */
typedef int cuda_double_work(void *arg);
int cuda_double_enqueue(void *stream, cuda_double_work *work, const void *arg, size_t bytes);
void cuda_double_drain(void *stream); /* does the stream's work, NULL: that of all streams */
/* The stream of this thread's next calls of libraries, which compute at once, after the work before them. */
void cuda_double_library(void *stream);
void cuda_double_begin_library(void);
void cuda_double_end_library(void);
bool cuda_double_in_library(void);
/* Captures and graphs. Work in a stream under capture becomes a node; module: of a kernel, else NULL. */
bool cuda_double_capturing(const void *stream);
int cuda_double_add_node(void *stream, cuda_double_work *work, const void *module, const void *arg, size_t bytes);
int cuda_double_forbidden(const char *call);     /* in a capture of this thread: its code, and the end of the capture */
int cuda_double_kernels(void *exec, int *calls); /* its kernels, < 0: it has ended; its calls of libraries */
int cuda_double_run_graph(void *exec, void *stream);
int cuda_double_set_node(void *exec, void *node, const void *module, const void *arg, size_t bytes);
bool cuda_double_in_graph(void); /* this thread does the work of a node */
bool cuda_double_loaded(const void *module);
/* Work: its stream, its number there, and of each stream the number of the last work that is over when it begins. */
typedef struct cuda_double_place {
    int stream;
    long number;
    const long *seen;
} cuda_double_place;
extern _Thread_local const cuda_double_place *cuda_double_now; /* the work that this thread does, NULL: none */
void cuda_double_record(cuda_double_place *event, void *stream);
bool cuda_double_over(const cuda_double_place *event);
void cuda_double_wait(const cuda_double_place *event);
bool cuda_double_uses(const void *p, size_t bytes);
/* Marks the beginning or the end of work by a thread of its own. */
void cuda_double_busy(void *stream, int by);

int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamQuery(void *stream);

/* Memory of the host that a device can use. */
void cuda_double_pin(void *p, size_t bytes);
void cuda_double_unpin(void *p);
bool cuda_double_pinned(const void *p); /* the beginning of such memory */
/* A copy of `rows` rows of `width` bytes. Memory that is not pinned is read before the call returns, and written by then. */
int cuda_double_copy(void *to, size_t to_row, const void *from, size_t from_row, size_t width, size_t rows,
                     void *stream);
/* Results in two orders: keeps the content of memory that is written; exchanges it and the results; compares both results. */
void cuda_double_keep(bool on);
void cuda_double_exchange(void);
void cuda_double_compare(bool same);
/* The architecture whose PTX, made by the real NVRTC, is computed (CUDA_DOUBLE_PTX); 0: the text is compiled by g++. */
int cuda_double_ptx(void);
/* CUDA_DOUBLE_RACES=1, in a process with ThreadSanitizer's library: it sees the threads of a block as threads, and barriers as what orders
 * them. The folder CUDA_DOUBLE_KEEP keeps the objects, by which its reports name lines. */
bool cuda_double_races(void);
/* Ends the process with a line that names the fault. */
void cuda_double_quit(const char *what, const void *p, size_t bytes, long at);

#endif
