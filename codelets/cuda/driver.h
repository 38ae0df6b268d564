/* The functions that we call of CUDA's driver, NVRTC, cuBLASLt, cuBLAS, cuSOLVER, cuFFT, cuDNN and NCCL, found at run time: the library is
 * built without CUDA's toolkit, and one build runs with and without a driver. Declarations follow NVIDIA's documentation; handles are void
 * *.
 * Must not know: regions, StarPU. */
#ifndef ORR_CUDA_DRIVER_H
#define ORR_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/base/status.h"

typedef uint64_t orr__cu_address;

enum { ORR__CU_OK = 0, ORR__CU_OUT_OF_MEMORY = 2, ORR__CU_NOT_READY = 600 }; /* CUresult */
enum {                                                                       /* CUdevice_attribute */
       ORR__CU_MULTIPROCESSORS = 16,
       ORR__CU_COMPUTE_MODE = 20,
       ORR__CU_THREADS_PER_MULTIPROCESSOR = 39,
       ORR__CU_MAJOR = 75,
       ORR__CU_MINOR = 76
};
enum { ORR__CU_SHARED = 1, ORR__CU_LOCAL = 3, ORR__CU_REGISTERS = 4 }; /* CUfunction_attribute */
enum { ORR__CU_MODE_PROHIBITED = 2 };                                  /* CUcomputemode */
enum { ORR__CU_STREAM_APART = 1 };                                     /* CU_STREAM_NON_BLOCKING */
enum { ORR__CU_HOST_PORTABLE = 1, ORR__CU_HOST_MAPPED = 2 };           /* CU_MEMHOSTALLOC_… */
enum { ORR__CU_CAPTURE_OF_THREAD = 1 };                                /* CU_STREAM_CAPTURE_MODE_THREAD_LOCAL */
enum { ORR__CU_CAPTURES = 1 };                                         /* CU_STREAM_CAPTURE_STATUS_ACTIVE */

typedef struct orr__cu_kernel_node { /* CUDA_KERNEL_NODE_PARAMS_v2 */
    void *function;
    unsigned gx, gy, gz, bx, by, bz, shared;
    void **param, **extra;
    void *kernel, *context;
} orr__cu_kernel_node;

typedef struct orr__cu_graph_update { /* CUgraphExecUpdateResultInfo */
    int result;
    void *node, *from;
} orr__cu_graph_update;

typedef struct orr__cu_driver {
    int (*init)(unsigned flags);
    int (*version)(int *v);
    int (*error_name)(int code, const char **name);
    int (*device_count)(int *n);
    int (*device)(int *device, int ordinal);
    int (*device_name)(char *name, int size, int device);
    int (*device_attribute)(int *value, int what, int device);
    int (*device_memory)(size_t *bytes, int device);
    int (*device_address)(char *address, int size, int device); /* on the PCI bus */
    int (*context)(void **context);                             /* the calling thread's, NULL: none */
    int (*context_device)(int *device);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*finish)(void); /* waits for all work of the calling thread's context */
    int (*load)(void **module, const void *image);
    int (*unload)(void *module);
    int (*function)(void **function, void *module, const char *name);
    int (*function_attribute)(int *value, int what, void *function);
    int (*occupancy)(int *blocks, void *function, int threads, size_t shared);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                  unsigned shared, void *stream, void **param, void **extra);
    int (*alloc)(orr__cu_address *p, size_t bytes);
    int (*free)(orr__cu_address p);
    int (*host_alloc)(void **p, size_t bytes, unsigned flags);
    int (*host_free)(void *p);
    int (*host_address)(orr__cu_address *device, void *p, unsigned flags);
    int (*to_device)(orr__cu_address to, const void *from, size_t bytes, void *stream);
    int (*to_host)(void *to, orr__cu_address from, size_t bytes, void *stream);
    int (*within)(orr__cu_address to, orr__cu_address from, size_t bytes, void *stream);
    int (*wait)(void *stream);
    int (*retain)(void **context, int device); /* the primary context, which CUDA's runtime shares */
    int (*retire)(int device);
    int (*stream_create)(void **stream, unsigned flags);
    int (*stream_destroy)(void *stream);
    int (*stream_query)(void *stream);
    /* Graphs: all of these are NULL with drivers before CUDA 12.3. */
    int (*capture_begin)(void *stream, int mode);
    int (*capture_end)(void *stream, void **graph);
    int (*capture_info)(void *stream, int *status, uint64_t *id, void **graph, void *const **last, void **edges,
                        size_t *n);
    int (*graph_make)(void **exec, void *graph, unsigned long long flags);
    int (*graph_update)(void *exec, void *graph, orr__cu_graph_update *result);
    int (*graph_set)(void *exec, void *node, const orr__cu_kernel_node *to);
    int (*graph_launch)(void *exec, void *stream);
    int (*graph_end)(void *exec);
    int (*graph_forget)(void *graph);
} orr__cu_driver;

typedef struct orr__nvrtc {
    int (*version)(int *major, int *minor);
    const char *(*error)(int code);
    int (*create)(void **program, const char *text, const char *name, int n, const char *const *headers,
                  const char *const *names);
    int (*destroy)(void **program);
    int (*compile)(void *program, int n, const char *const *option);
    int (*log_size)(void *program, size_t *size);
    int (*log)(void *program, char *log);
    int (*cubin_size)(void *program, size_t *size);
    int (*cubin)(void *program, char *to);
    int (*ptx_size)(void *program, size_t *size);
    int (*ptx)(void *program, char *to);
    int (*arch_count)(int *n);
    int (*archs)(int *arch);
} orr__nvrtc;

enum { ORR__LT_R32 = 0, ORR__LT_R64 = 1, ORR__LT_R16 = 2, ORR__LT_BF16 = 14 };           /* cudaDataType_t */
enum { ORR__LT_COMPUTE_32F = 68, ORR__LT_COMPUTE_64F = 70, ORR__LT_COMPUTE_TF32 = 77 };  /* cublasComputeType_t */
enum { ORR__LT_TRANSA = 3, ORR__LT_TRANSB = 4, ORR__LT_EPILOGUE = 7, ORR__LT_BIAS = 8 }; /* …MatmulDescAttributes_t */
enum { ORR__LT_BATCHES = 5, ORR__LT_BATCH_STRIDE = 6 };                                 /* …MatrixLayoutAttribute_t */
enum { ORR__LT_WORKSPACE = 1, ORR__LT_REDUCTIONS = 3, ORR__LT_ALIGN_A = 5 };            /* …PreferenceAttributes_t */
enum { ORR__LT_IN_COMPUTE_TYPE = 2, ORR__LT_ANY_REDUCTION = 7 };                        /* …ReductionScheme_t */
enum { ORR__LT_PLAIN = 1, ORR__LT_RELU = 2, ORR__LT_WITH_BIAS = 4, ORR__LT_GELU = 32 }; /* cublasLtEpilogue_t */

typedef struct orr__lt_choice { /* cublasLtMatmulHeuristicResult_t */
    uint64_t algo[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} orr__lt_choice;

typedef struct orr__lt {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*desc_create)(void **desc, int compute, int scale);
    int (*desc_set)(void *desc, int what, const void *value, size_t size);
    int (*desc_destroy)(void *desc);
    int (*layout_create)(void **layout, int type, uint64_t rows, uint64_t cols, int64_t ld);
    int (*layout_set)(void *layout, int what, const void *value, size_t size);
    int (*layout_destroy)(void *layout);
    int (*pref_create)(void **pref);
    int (*pref_set)(void *pref, int what, const void *value, size_t size);
    int (*pref_destroy)(void *pref);
    int (*heuristic)(void *handle, void *desc, void *a, void *b, void *c, void *d, void *pref, int want,
                     orr__lt_choice *choice, int *got);
    int (*matmul)(void *handle, void *desc, const void *alpha, const void *a, void *la, const void *b, void *lb,
                  const void *beta, const void *c, void *lc, void *d, void *ld, const void *algo, void *workspace,
                  size_t workspace_size, void *stream);
} orr__lt;

/* cuBLAS and cuSOLVER, column-major: [0] for f32, [1] for f64. */
enum { ORR__BLAS_LEFT = 0, ORR__BLAS_UPPER = 1, ORR__BLAS_PLAIN = 0, ORR__BLAS_TURNED = 1, ORR__BLAS_ANY_DIAGONAL = 0 };

typedef struct orr__blas {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*trsm[2])(void *handle, int side, int uplo, int trans, int diag, int m, int n, const void *alpha,
                   const void *a, int lda, void *b, int ldb);
    int (*syrk[2])(void *handle, int uplo, int trans, int n, int k, const void *alpha, const void *a, int lda,
                   const void *beta, void *c, int ldc);
    int (*gemm[2])(void *handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha, const void *a,
                   int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
} orr__blas;

typedef struct orr__solver {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*potrf_workspace[2])(void *handle, int uplo, int n, void *a, int lda, int *elements);
    int (*potrf[2])(void *handle, int uplo, int n, void *a, int lda, void *workspace, int elements, int *info);
} orr__solver;

/* cuSOLVER's factorisations of whole matrices, for f32, f64, c64, c128. Operations: 0 plain, 1 transposed, 2 conjugate transposed. The last
 * functions compute a batch: of addresses on the device (potrf), or of matrices one after the other. */
typedef struct orr__cu_dense {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*getrf_workspace[4])(void *handle, int m, int n, void *a, int lda, int *elements);
    int (*getrf[4])(void *handle, int m, int n, void *a, int lda, void *workspace, int *pivot, int *info);
    int (*getrs[4])(void *handle, int trans, int n, int k, const void *a, int lda, const int *pivot, void *b, int ldb,
                    int *info);
    int (*geqrf_workspace[4])(void *handle, int m, int n, void *a, int lda, int *elements);
    int (*geqrf[4])(void *handle, int m, int n, void *a, int lda, void *tau, void *workspace, int elements, int *info);
    int (*orgqr_workspace[4])(void *handle, int m, int n, int k, const void *a, int lda, const void *tau,
                              int *elements);
    int (*orgqr[4])(void *handle, int m, int n, int k, void *a, int lda, const void *tau, void *workspace, int elements,
                    int *info);
    int (*gesvd_workspace[4])(void *handle, int m, int n, int *elements);
    int (*gesvd[4])(void *handle, signed char left, signed char right, int m, int n, void *a, int lda, void *s, void *u,
                    int ldu, void *vt, int ldvt, void *workspace, int elements, void *parts, int *info);
    int (*syevd_workspace[4])(void *handle, int vectors, int uplo, int n, const void *a, int lda, const void *w,
                              int *elements);
    int (*syevd[4])(void *handle, int vectors, int uplo, int n, void *a, int lda, void *w, void *workspace,
                    int elements, int *info);
    int (*potrf_batch[4])(void *handle, int uplo, int n, void *a, int lda, int *info, int batch);
    int (*svd_options)(void **options); /* of Jacobi's methods: its tolerances by default, values in order */
    int (*svd_options_end)(void *options);
    int (*svd_batch_workspace[4])(void *handle, int vectors, int m, int n, const void *a, int lda, const void *s,
                                  const void *u, int ldu, const void *v, int ldv, int *elements, void *options,
                                  int batch);
    int (*svd_batch[4])(void *handle, int vectors, int m, int n, void *a, int lda, void *s, void *u, int ldu, void *v,
                        int ldv, void *workspace, int elements, int *info, void *options, int batch);
    int (*eigh_options)(void **options);
    int (*eigh_options_end)(void *options);
    int (*eigh_batch_workspace[4])(void *handle, int vectors, int uplo, int n, const void *a, int lda, const void *w,
                                   int *elements, void *options, int batch);
    int (*eigh_batch[4])(void *handle, int vectors, int uplo, int n, void *a, int lda, void *w, void *workspace,
                         int elements, int *info, void *options, int batch);
} orr__cu_dense;

/* cuBLAS's factorisations of batches, for f32, f64, c64, c128: of addresses on the device. `info` of getrf is on the device, of a number for
 * each matrix; that of the others is one number on the host. */
typedef struct orr__cu_batches {
    int (*create)(void **handle);
    int (*getrf[4])(void *handle, int n, void *a, int lda, int *pivot, int *info, int batch);
    int (*getrs[4])(void *handle, int trans, int n, int k, const void *a, int lda, const int *pivot, void *b, int ldb,
                    int *info, int batch);
    int (*geqrf[4])(void *handle, int m, int n, void *a, int lda, void *tau, int *info, int batch);
} orr__cu_batches;

/* cuFFT: cufftType, directions; [0] for f32, [1] for f64. */
enum { ORR__FFT_C2C = 0x29, ORR__FFT_R2C = 0x2a, ORR__FFT_Z2Z = 0x69, ORR__FFT_D2Z = 0x6a };
enum { ORR__FFT_FORWARD = -1, ORR__FFT_INVERSE = 1 };

typedef struct orr__cu_fft_library {
    int (*plan_many)(int *plan, int rank, int *n, int *in, int in_step, int in_row, int *out, int out_step, int out_row,
                     int type, int rows);
    int (*set_stream)(int plan, void *stream);
    int (*destroy)(int plan);
    int (*complex_[2])(int plan, void *in, void *out, int direction);
    int (*real[2])(int plan, void *in, void *out);
} orr__cu_fft_library;

/* cuDNN 8 and 9: its functions on descriptors. Types: 0 f32, 1 f64. */
enum { ORR__DNN_NCHW = 0, ORR__DNN_CROSS_CORRELATION = 1, ORR__DNN_ANY_MATH = 0, ORR__DNN_FMA_MATH = 3,
       ORR__DNN_ALGORITHM = 1 };

typedef struct orr__dnn {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*create_tensor)(void **desc);
    int (*destroy_tensor)(void *desc);
    int (*set_tensor)(void *desc, int type, int n, const int *dim, const int *stride);
    int (*create_filter)(void **desc);
    int (*destroy_filter)(void *desc);
    int (*set_filter)(void *desc, int type, int format, int n, const int *dim);
    int (*create_conv)(void **desc);
    int (*destroy_conv)(void *desc);
    int (*set_conv)(void *desc, int n, const int *pad, const int *stride, const int *dilation, int mode, int type);
    int (*set_groups)(void *desc, int groups);
    int (*set_math)(void *desc, int math);
    int (*forward_workspace)(void *handle, void *x, void *w, void *conv, void *y, int algorithm, size_t *bytes);
    int (*data_workspace)(void *handle, void *w, void *dy, void *conv, void *dx, int algorithm, size_t *bytes);
    int (*filter_workspace)(void *handle, void *x, void *dy, void *conv, void *dw, int algorithm, size_t *bytes);
    int (*forward)(void *handle, const void *alpha, void *dx, const void *x, void *dw, const void *w, void *conv,
                   int algorithm, void *space, size_t bytes, const void *beta, void *dy, void *y);
    int (*data)(void *handle, const void *alpha, void *dw, const void *w, void *dy, const void *y, void *conv,
                int algorithm, void *space, size_t bytes, const void *beta, void *dx, void *x);
    int (*weights)(void *handle, const void *alpha, void *dx, const void *x, void *dy, const void *y, void *conv,
                   int algorithm, void *space, size_t bytes, const void *beta, void *dw, void *w);
} orr__dnn;

/* NCCL 2.7 and newer; bf16 from 2.10 on. ncclResult_t, ncclDataType_t, ncclRedOp_t. */
enum { ORR__NCCL_IN_PROGRESS = 7, ORR__NCCL_BF16_SINCE = 21000, ORR__NCCL_CONFIG_SINCE = 21400 };
enum {
    ORR__NCCL_I8,
    ORR__NCCL_U8,
    ORR__NCCL_I32,
    ORR__NCCL_U32,
    ORR__NCCL_I64,
    ORR__NCCL_U64,
    ORR__NCCL_F16,
    ORR__NCCL_F32,
    ORR__NCCL_F64,
    ORR__NCCL_BF16
};
enum { ORR__NCCL_SUM = 0, ORR__NCCL_MAX = 2, ORR__NCCL_MIN = 3 };

typedef struct orr__nccl_id { /* ncclUniqueId, by value */
    char bytes[128];
} orr__nccl_id;

typedef struct
    orr__nccl_config { /* ncclConfig_t of 2.14: newer versions recognise by `version` that the struct ends here */
    size_t size;
    unsigned magic, version;
    int blocking;
} orr__nccl_config;
#define ORR__NCCL_MAGIC 0xcafebeefu

typedef struct orr__nccl {
    int (*version)(int *v);
    const char *(*error)(int code);
    int (*unique_id)(orr__nccl_id *id);
    int (*init)(void **comm, int ranks, orr__nccl_id id, int rank);
    int (*init_config)(void **comm, int ranks, orr__nccl_id id, int rank, orr__nccl_config *config); /* may be NULL */
    int (*destroy)(void *comm);
    int (*abort)(void *comm);
    int (*async_error)(void *comm, int *code);
    int (*all_reduce)(const void *in, void *out, size_t count, int type, int op, void *comm, void *stream);
    int (*reduce_scatter)(const void *in, void *out, size_t part, int type, int op, void *comm, void *stream);
    int (*all_gather)(const void *in, void *out, size_t part, int type, void *comm, void *stream);
    int (*broadcast)(const void *in, void *out, size_t count, int type, int root, void *comm, void *stream);
    int (*send)(const void *in, size_t count, int type, int to, void *comm, void *stream);
    int (*receive)(void *out, size_t count, int type, int from, void *comm, void *stream);
    int (*group_start)(void);
    int (*group_end)(void);
} orr__nccl;

/* The tables. NULL: the library is missing, and *why (may be NULL) is the reason. Opened once. */
const orr__cu_driver *orr__cu(const char **why);
/* The newest CUDA that the driver supports, as 1000 · major + 10 · minor; 0: there is no driver. */
int orr__cu_version(void);
const orr__nvrtc *orr__cu_nvrtc(const char **why);
const orr__lt *orr__cu_lt(const char **why);
const orr__blas *orr__cu_blas(const char **why);
const orr__solver *orr__cu_solver(const char **why);
const orr__dnn *orr__cu_dnn(const char **why);
const orr__cu_dense *orr__cu_dense_library(const char **why);
const orr__cu_batches *orr__cu_batches_library(const char **why);
const orr__cu_fft_library *orr__cu_fft(const char **why);
const orr__nccl *orr__cu_nccl(const char **why);
/* Their paths. Tests set the path of a test double before the first call; NULL: NVIDIA's own names. */
extern const char *orr__cu_path, *orr__cu_nvrtc_path, *orr__cu_lt_path, *orr__cu_blas_path, *orr__cu_solver_path,
    *orr__cu_dnn_path, *orr__cu_fft_path, *orr__cu_nccl_path;
/* For tests: searches for the libraries again. No table may be in use. */
void orr__cu_forget(void);

/* Records "CUDA: <call>: <name of code>" and returns ORR_ENOMEM or ORR_EDEVICE. The message notes an error after which the process has lost
 * the device. */
orr_status orr__cu_fail(orr__site at, const char *call, int code);
/* True for sticky errors: every later call of this process on the device fails. */
bool orr__cu_sticky(int code);

#endif
