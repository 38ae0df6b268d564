/* Internals of the CUDA backend: devices, compiled kernels, data of a stream.
 * Must not know: StarPU. */
#ifndef ORR_CUDA_CUDA_H
#define ORR_CUDA_CUDA_H

#include <pthread.h>
#include "codelets/cholesky.h"
#include "codelets/codelet.h"
#include "codelets/cuda/driver.h"
#include "codelets/emit/emit.h"

/* -- discovery.c ---------------------------------------------------------------------------------------------------- */

/* The devices, probed once per process. */
typedef struct orr__cu_machine {
    int seen, devices; /* of the driver; those that are used */
    int arch;          /* of the first one: 90 for compute capability 9.0 */
    char name[96];     /* of the first one  */
    char why[320];     /* the reason if there is none */
} orr__cu_machine;
const orr__cu_machine *orr__cu_look(void);
void orr__cu_look_again(void); /* for tests: probe again after orr__cu_forget */

/* -- compile.c ------------------------------------------------------------------------------------------------- */

typedef struct orr__cu_image {
    unsigned char *data; /* CUBIN or PTX, which the driver distinguishes; PTX ends with a NUL */
    size_t size;
    double seconds;
    char compiler[96]; /* "nvrtc 13.0 sm_90" */
    char facts[128];   /* the compiler's report on the code; "" for PTX  */
    bool cached;       /* it was read from the disk */
} orr__cu_image;

/* Is there an NVRTC that compiles for `arch`, and does the driver load its code? If not, the last error has the reason. */
orr_status orr__cu_compiles_for(orr__site at, int arch);
/* The image of a text for an architecture, from the kernel cache or from NVRTC. An error's message contains the
 * compiler's log. */
orr_status orr__cu_image_get(orr__site at, const char *text, int arch, bool wide, orr__cu_image *out);
/* Stores the result of orr__cu_image_get, with its facts, under the kernel's label. */
void orr__cu_image_keep(const char *label, const char *text, int arch, bool wide, const orr__cu_image *image);
/* For tests: compiles as image_get, without the cache. */
orr_status orr__cu_compile(orr__site at, const char *text, int arch, bool wide, orr__cu_image *out);

/* -- module.c ---------------------------------------------------------------------------------------------------- */

/* A text with one index width, shared by all kernels with the same text and width. */
typedef struct orr__cu_unit orr__cu_unit;
orr__cu_unit *orr__cu_unit_get(orr__site at, const char *text, bool wide); /* one more reference; NULL on ENOMEM */
void orr__cu_unit_put(orr__cu_unit *u); /* never unloads a kernel that is under way */
/* The unit's function in the calling thread's context; compiled and loaded on first use. */
orr_status orr__cu_unit_function(orr__site at, orr__cu_unit *u, void **function);
/* Compiles the unit for an architecture without loading it. Its launches report an error. */
void orr__cu_unit_compile(orr__site at, orr__cu_unit *u, int arch);
/* Unloads all units, before contexts end. */
void orr__cu_units_stop(void);

/* -- stream_memory.c ---------------------------------------------------------------------------------------------------- */

enum { ORR__CU_WORKSPACE = 32 << 20 }; /* limit of memory */

/* Data that launches through one stream share. The stream orders the launches, so that each may write the memory after
 * the previous one has ended. Each worker has one stream, and is the only user of its memory. */
typedef struct orr__cu_stream_memory {
    struct orr__cu_stream_memory *next;
    void *stream, *context;
    orr__cu_address scratch, words, workspace, factor, room;
    size_t scratch_bytes, words_bytes, factor_bytes, info_bytes, room_bytes;
    void *lt, *blas, *solver, *dnn; /* the libraries' handles, NULL: not yet requested */
    bool dnn_refused;               /* cuDNN does not start */
    orr__cu_address convolution;    /* workspace of cuDNN */
    size_t convolution_bytes;
    orr__cu_address info;        /* of the last factor, on the device */
    struct orr__cu_shape *shape; /* blas.c: results of the heuristic    */
    orr__cu_address dense;       /* dense.c: arrays of a matrix         */
    size_t dense_bytes;
    struct orr__cu_transform *transforms; /* fft.c: plans             */
    uint64_t transforms_ended;            /* plans that have ended: graphs with any are void */
} orr__cu_stream_memory;
orr_status orr__cu_stream_memory_of(orr__site at, void *stream, orr__cu_stream_memory **memory);
/* Ensures at least `bytes` bytes at *p, whose size is *have. */
orr_status orr__cu_stream_memory_grow(orr__site at, orr__cu_address *p, size_t *have, size_t bytes);
void orr__cu_streams_stop(void);

/* ORR__CU_FLAG ints in host memory that kernels can write, contents undefined; NULL: none is free. */
enum { ORR__CU_FLAG = 64 }; /* limit of memory */
int32_t *orr__cu_flag_take(orr__cu_address *device);
void orr__cu_flag_put(int32_t *flag);

/* -- graph.c: sequences that repeat ------------------------------------------------------------------------------------ */

/* The records of a kernel that begins sequences. */
typedef struct orr__cu_records orr__cu_records;
typedef struct orr__cu_record orr__cu_record;
void orr__cu_records_free(orr__cu_records *s); /* any thread; none of its sequences is under way */
void orr__cu_records_stop(void);               /* before units and streams end */
orr_status orr__cu_repeat(orr__cu_records **list, const orr__sequence *s);
/* The record of the sequence that this thread is in; NULL: launches are enqueued. With a record nothing is enqueued: a launch becomes a node
 * of its graph, or changes the arguments of its node. */
extern _Thread_local orr__cu_record *orr__cu_recorded __attribute__((tls_model("initial-exec")));
typedef struct orr__cu_kernel {
    void *function, *stream;
    unsigned groups, block;
    void **param;
    int params;   /* addresses, then the words */
    size_t words; /* bytes */
} orr__cu_kernel;
orr_status orr__cu_record_kernel(orr__site at, const orr__cu_kernel *k);
/* True if a library is to be called, whose call depends on these bytes. */
bool orr__cu_record_call(const void *arguments, size_t bytes);
/* An error if there is a record: `why` cannot be in one. */
orr_status orr__cu_record_refuse(orr__site at, const char *why);
void orr__cu_record_launch(void); /* counts a launch of the backend */
/* Between these calls no thread is in a capture, which a wait for the whole context would break. */
void orr__cu_captures_pause(void);
void orr__cu_captures_go_on(void);

/* -- launches -------------------------------------------------------------------------------------------------- */

orr__site orr__cu_site(const orr__region *r);
/* user.c */
orr_status orr__cu_user(orr__cu_unit *u, const orr__launch *l);
/* launch.c. Parameters: the arrays, up to two further addresses, then `bytes` bytes of words (by value: `words` is their
 * address; else the address of theirs). At least `items` items in groups of `group` (0: of any size). */
orr_status orr__cu_enqueue(orr__site at, void *function, const orr__launch *l, const orr__cu_address *extra, int nextra,
                           const void *words, size_t bytes, int64_t items, int group);
orr_status orr__cu_read(const orr__launch *l, void *from, size_t byte, void *host, size_t bytes);
orr_status orr__cu_write(const orr__launch *l, void *to, size_t byte, const void *host, size_t bytes);
orr_status orr__cu_finish(const orr__launch *l);
void *orr__cu_room(const orr__launch *l, size_t bytes);
bool orr__cu_gone(const orr__launch *l); /* a sticky error: the context no longer works */
void orr__cu_stop(void);

/* The vectors that NVIDIA's libraries read: addresses that are no multiple of this may be refused by the device, which is lost then. */
enum { ORR__CU_VECTOR = 16 }; /* limit of the machine */
static inline bool orr__cu_aligned(const void *p)
{
    return (uintptr_t)p % ORR__CU_VECTOR == 0;
}

/* -- blas.c, product_map.c: products by cuBLASLt ---------------------------------------------------------------------- */

/* The library's part of a region: the product of its first two accesses, and an epilogue. */
typedef struct orr__cu_product {
    int epilogue; /* ORR__LT_…                            */
    int bias;     /* access with the bias along n, -1: none */
} orr__cu_product;
/* True if the region is a product with one of the library's epilogues. */
bool orr__cu_product_is(const orr__region *r, orr__cu_product *p);
/* Computes the product into `out`, which begins at element out_off of the whole array. *done stays false if the library
 * is missing or does not support these operands; nothing is enqueued then. */
orr_status orr__cu_product_launch(const orr__cu_product *p, const orr__launch *l, void *out, int64_t out_off,
                                  bool *done);
void orr__cu_shapes_free(struct orr__cu_shape *s);
/* True if relu and gelu are left to the library. Off: its results for NaN are not documented, and ours keep NaN. */
extern bool orr__cu_lt_activations;

/* -- conv.c: convolutions by cuDNN. *done stays false where it is missing or refuses them; nothing is enqueued then ------------ */
orr_status orr__cu_conv_launch(const orr__launch *l, bool *done);

/* -- dense.c, fft.c: operations without a kernel of our own, by a library; `can`: it is available and supports them ------------ */

typedef struct orr__cu_library {
    bool (*can)(const orr__region *r);
    orr_status (*launch)(const orr__launch *l);
    bool captured; /* its launches can be part of a graph */
} orr__cu_library;
#define OP_NONE(name)
#define OP_KERNEL(name)
#define OP_LIBRARY(name) extern const orr__cu_library orr__cu_library_##name;
#define OP(name, cpu, emit, doc) OP_##emit(name)
#include "ops/structural.def"
#undef OP_LIBRARY
#undef OP_KERNEL
#undef OP_NONE
void orr__cu_transforms_free(struct orr__cu_transform *t);

/* -- solver.c: tiles of a factorisation by cuSOLVER and cuBLAS ------------------------------------------------- */

/* cuSOLVER and cuBLAS are there, and no worker has failed to start them. */
bool orr__cu_factors(void);
orr_status orr__cu_factors_begin(orr__site at, orr__cu_stream_memory *memory);
bool orr__cu_tiles(void);
orr_status orr__cu_tile(orr__tilejob *j);
void orr__cu_tiles_stop(void); /* call before orr__cu_units_stop */

typedef struct orr__cu_tail orr__cu_tail;
orr_status orr__cu_tail_make(const orr__region *r, orr__cu_tail **out); /* *out NULL: no map */
void orr__cu_tail_free(orr__cu_tail *tail);
void orr__cu_tail_compile(const orr__cu_tail *tail);
orr_status orr__cu_tail_launch(const orr__cu_tail *tail, const orr__launch *l, bool *done);

#endif
