/* Within the CUDA room: devices, compiled kernels, data of a stream.
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
    int devices;
    int arch;      /* of the first one: 90 for compute capability 9.0 */
    char name[96]; /* of the first one  */
    char why[320]; /* when there is none */
} orr__cu_machine;
const orr__cu_machine *orr__cu_look(void);
void orr__cu_look_again(void); /* for tests: after orr__cu_forget */

/* -- compile.c ------------------------------------------------------------------------------------------------- */

typedef struct orr__cu_image {
    unsigned char *data; /* CUBIN or PTX, which the driver tells apart; PTX has a NUL at its end */
    size_t size;
    double seconds;
    char compiler[96]; /* "nvrtc 13.0 sm_90" */
    char facts[128];   /* the compiler's report on the code; "" for PTX  */
    bool cached;       /* it came from the disk */
} orr__cu_image;

/* Whether there is an NVRTC that compiles for it; else the last error says why not. */
orr_status orr__cu_compiles_for(orr__site at, int arch);
/* The image of a text for an architecture, from the kernel cache or from NVRTC. On error the compiler's log is in the
 * message. */
orr_status orr__cu_image_get(orr__site at, const char *text, int arch, bool wide, orr__cu_image *out);
/* Stores the result of orr__cu_image_get, with its facts, under the kernel's label. */
void orr__cu_image_keep(const char *label, const char *text, int arch, bool wide, const orr__cu_image *image);
/* For tests: the compilation of image_get, without the cache. */
orr_status orr__cu_compile(orr__site at, const char *text, int arch, bool wide, orr__cu_image *out);

/* -- module.c ---------------------------------------------------------------------------------------------------- */

/* A text of one index width: shared by all kernels that have the same. */
typedef struct orr__cu_unit orr__cu_unit;
orr__cu_unit *orr__cu_unit_get(orr__site at, const char *text, bool wide); /* one more reference; NULL on ENOMEM */
void orr__cu_unit_put(orr__cu_unit *u);
/* Its function in the calling thread's context: compiled and loaded on first use. */
orr_status orr__cu_unit_function(orr__site at, orr__cu_unit *u, void **function);
/* Compiled for an architecture, not loaded. An error is reported by its launches. */
void orr__cu_unit_compile(orr__site at, orr__cu_unit *u, int arch);
/* Unloads everything: contexts are about to end. */
void orr__cu_units_stop(void);

/* -- stream_memory.c ---------------------------------------------------------------------------------------------------- */

enum { ORR__CU_WORKSPACE = 32 << 20 };

/* Data that launches through one stream share: memory that the next launch may write after the last one has ended,
 * which the stream sees to. One worker has one stream, and is the only user of its memory. */
typedef struct orr__cu_stream_memory {
    struct orr__cu_stream_memory *next;
    void *stream, *context;
    orr__cu_address scratch, words, workspace, factor;
    size_t scratch_bytes, words_bytes, factor_bytes, info_bytes;
    void *lt, *blas, *solver, *dnn; /* the libraries' handles, NULL: not asked for yet */
    orr__cu_address convolution;    /* workspace of cuDNN */
    size_t convolution_bytes;
    orr__cu_address info;        /* of the last factor, on the device */
    struct orr__cu_shape *shape; /* blas.c: answers of its heuristic    */
    orr__cu_address dense;       /* dense.c: arrays of a matrix         */
    size_t dense_bytes;
    struct orr__cu_transform *transforms; /* fft.c: plans             */
} orr__cu_stream_memory;
orr_status orr__cu_stream_memory_of(orr__site at, void *stream, orr__cu_stream_memory **memory);
/* At least so many bytes at *p, whose size is *have. */
orr_status orr__cu_stream_memory_grow(orr__site at, orr__cu_address *p, size_t *have, size_t bytes);
void orr__cu_streams_stop(void);

/* So many ints in host memory that kernels can write, of any content; NULL: none are free. */
enum { ORR__CU_FLAG = 64 };
int32_t *orr__cu_flag_take(orr__cu_address *device);
void orr__cu_flag_put(int32_t *flag);

/* -- launches -------------------------------------------------------------------------------------------------- */

orr__site orr__cu_site(const orr__region *r);
/* user.c */
orr_status orr__cu_user(orr__cu_unit *u, const orr__launch *l);
/* launch.c: the arrays, up to two addresses more, then the words (by value: where they are; else where their address
 * is); at least `items` items in groups of `group` (0: of any size). */
orr_status orr__cu_enqueue(orr__site at, void *function, const orr__launch *l, const orr__cu_address *extra, int nextra,
                           const void *words, int64_t items, int group);
orr_status orr__cu_read(const orr__launch *l, void *from, size_t byte, void *host, size_t bytes);
orr_status orr__cu_write(const orr__launch *l, void *to, size_t byte, const void *host, size_t bytes);
orr_status orr__cu_finish(const orr__launch *l);
bool orr__cu_gone(const orr__launch *l); /* an error that lasts: the context works no more */
void orr__cu_stop(void);

/* -- blas.c, product_map.c: products by cuBLASLt ---------------------------------------------------------------------- */

/* The library's part of a region: the product of its first two accesses, and an epilogue. */
typedef struct orr__cu_product {
    int epilogue; /* ORR__LT_…                            */
    int bias;     /* access that is added along n, -1: none */
} orr__cu_product;
/* Is all that the region makes of its product one of the library's epilogues? */
bool orr__cu_product_is(const orr__region *r, orr__cu_product *p);
/* The product into `out`, which begins at element out_off of the whole. *done stays false where the library is not there
 * or does not take these operands; nothing has happened then. */
orr_status orr__cu_product_launch(const orr__cu_product *p, const orr__launch *l, void *out, int64_t out_off,
                                  bool *done);
void orr__cu_shapes_free(struct orr__cu_shape *s);
/* Whether relu and gelu are left to the library. Off: its results for NaN are not documented, and ours keep NaN. */
extern bool orr__cu_lt_activations;

/* -- conv.c: convolutions by cuDNN. *done stays false where it is not there or does not take them, and nothing has happened ---- */
orr_status orr__cu_conv_launch(const orr__launch *l, bool *done);

/* -- dense.c, fft.c: operations for which there is no kernel of our own, by a library; `can`: it is there and takes them ------- */

typedef struct orr__cu_library {
    bool (*can)(const orr__region *r);
    orr_status (*launch)(const orr__launch *l);
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

bool orr__cu_tiles(void);
orr_status orr__cu_tile(orr__tilejob *j);
void orr__cu_tiles_stop(void); /* before the units' end */

typedef struct orr__cu_tail orr__cu_tail;
orr_status orr__cu_tail_make(const orr__region *r, orr__cu_tail **out); /* *out NULL: there is none */
void orr__cu_tail_free(orr__cu_tail *tail);
void orr__cu_tail_compile(const orr__cu_tail *tail);
orr_status orr__cu_tail_launch(const orr__cu_tail *tail, const orr__launch *l, bool *done);

#endif
