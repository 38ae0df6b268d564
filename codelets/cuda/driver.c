/* Opens CUDA's libraries at run time, and names the driver's errors.
 * Must not know: devices, kernels. */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "codelets/cuda/driver.h"

const char *orr__cu_path, *orr__cu_nvrtc_path, *orr__cu_lt_path, *orr__cu_blas_path, *orr__cu_solver_path,
    *orr__cu_dnn_path, *orr__cu_fft_path, *orr__cu_nccl_path;

typedef struct {
    const char *name; /* after "?": it may be missing */
    size_t at;
} symbol;

#define CU(field) offsetof(orr__cu_driver, field)
static const symbol cu_symbol[] = {
    { "cuInit", CU(init) },
    { "cuDriverGetVersion", CU(version) },
    { "cuGetErrorName", CU(error_name) },
    { "cuDeviceGetCount", CU(device_count) },
    { "cuDeviceGet", CU(device) },
    { "cuDeviceGetName", CU(device_name) },
    { "cuDeviceGetAttribute", CU(device_attribute) },
    { "cuDeviceTotalMem_v2", CU(device_memory) },
    { "cuDeviceGetPCIBusId", CU(device_address) },
    { "cuCtxGetCurrent", CU(context) },
    { "cuCtxGetDevice", CU(context_device) },
    { "cuCtxPushCurrent_v2", CU(push) },
    { "cuCtxPopCurrent_v2", CU(pop) },
    { "cuCtxSynchronize", CU(finish) },
    { "cuModuleLoadData", CU(load) },
    { "cuModuleUnload", CU(unload) },
    { "cuModuleGetFunction", CU(function) },
    { "cuFuncGetAttribute", CU(function_attribute) },
    { "cuOccupancyMaxActiveBlocksPerMultiprocessor", CU(occupancy) },
    { "cuLaunchKernel", CU(launch) },
    { "cuMemAlloc_v2", CU(alloc) },
    { "cuMemFree_v2", CU(free) },
    { "cuMemHostAlloc", CU(host_alloc) },
    { "cuMemFreeHost", CU(host_free) },
    { "cuMemHostGetDevicePointer_v2", CU(host_address) },
    { "cuMemcpyHtoDAsync_v2", CU(to_device) },
    { "cuMemcpyDtoHAsync_v2", CU(to_host) },
    { "cuMemcpyDtoDAsync_v2", CU(within) },
    { "cuStreamSynchronize", CU(wait) },
    { "cuDevicePrimaryCtxRetain", CU(retain) },
    { "cuDevicePrimaryCtxRelease_v2", CU(retire) },
    { "cuStreamCreate", CU(stream_create) },
    { "cuStreamDestroy_v2", CU(stream_destroy) },
    { "cuStreamQuery", CU(stream_query) },
    { "?cuStreamBeginCapture_v2", CU(capture_begin) },
    { "?cuStreamEndCapture", CU(capture_end) },
    { "?cuStreamGetCaptureInfo_v3", CU(capture_info) },
    { "?cuGraphInstantiateWithFlags", CU(graph_make) },
    { "?cuGraphExecUpdate_v2", CU(graph_update) },
    { "?cuGraphExecKernelNodeSetParams_v2", CU(graph_set) },
    { "?cuGraphLaunch", CU(graph_launch) },
    { "?cuGraphExecDestroy", CU(graph_end) },
    { "?cuGraphDestroy", CU(graph_forget) },
};

#define NVRTC(field) offsetof(orr__nvrtc, field)
static const symbol nvrtc_symbol[] = {
    { "nvrtcVersion", NVRTC(version) },
    { "nvrtcGetErrorString", NVRTC(error) },
    { "nvrtcCreateProgram", NVRTC(create) },
    { "nvrtcDestroyProgram", NVRTC(destroy) },
    { "nvrtcCompileProgram", NVRTC(compile) },
    { "nvrtcGetProgramLogSize", NVRTC(log_size) },
    { "nvrtcGetProgramLog", NVRTC(log) },
    { "nvrtcGetCUBINSize", NVRTC(cubin_size) },
    { "nvrtcGetCUBIN", NVRTC(cubin) },
    { "nvrtcGetPTXSize", NVRTC(ptx_size) },
    { "nvrtcGetPTX", NVRTC(ptx) },
    { "nvrtcGetNumSupportedArchs", NVRTC(arch_count) },
    { "nvrtcGetSupportedArchs", NVRTC(archs) },
};

#define LT(field) offsetof(orr__lt, field)
static const symbol lt_symbol[] = {
    { "cublasLtCreate", LT(create) },
    { "cublasLtDestroy", LT(destroy) },
    { "cublasLtMatmulDescCreate", LT(desc_create) },
    { "cublasLtMatmulDescSetAttribute", LT(desc_set) },
    { "cublasLtMatmulDescDestroy", LT(desc_destroy) },
    { "cublasLtMatrixLayoutCreate", LT(layout_create) },
    { "cublasLtMatrixLayoutSetAttribute", LT(layout_set) },
    { "cublasLtMatrixLayoutDestroy", LT(layout_destroy) },
    { "cublasLtMatmulPreferenceCreate", LT(pref_create) },
    { "cublasLtMatmulPreferenceSetAttribute", LT(pref_set) },
    { "cublasLtMatmulPreferenceDestroy", LT(pref_destroy) },
    { "cublasLtMatmulAlgoGetHeuristic", LT(heuristic) },
    { "cublasLtMatmul", LT(matmul) },
};

#define BLAS(field) offsetof(orr__blas, field)
static const symbol blas_symbol[] = {
    { "cublasCreate_v2", BLAS(create) },        { "cublasDestroy_v2", BLAS(destroy) },
    { "cublasSetStream_v2", BLAS(set_stream) }, { "cublasStrsm_v2", BLAS(trsm[0]) },
    { "cublasDtrsm_v2", BLAS(trsm[1]) },        { "cublasSsyrk_v2", BLAS(syrk[0]) },
    { "cublasDsyrk_v2", BLAS(syrk[1]) },        { "cublasSgemm_v2", BLAS(gemm[0]) },
    { "cublasDgemm_v2", BLAS(gemm[1]) },
};

#define SOLVER(field) offsetof(orr__solver, field)
static const symbol solver_symbol[] = {
    { "cusolverDnCreate", SOLVER(create) },
    { "cusolverDnDestroy", SOLVER(destroy) },
    { "cusolverDnSetStream", SOLVER(set_stream) },
    { "cusolverDnSpotrf_bufferSize", SOLVER(potrf_workspace[0]) },
    { "cusolverDnDpotrf_bufferSize", SOLVER(potrf_workspace[1]) },
    { "cusolverDnSpotrf", SOLVER(potrf[0]) },
    { "cusolverDnDpotrf", SOLVER(potrf[1]) },
};

#define DENSE(field) offsetof(orr__cu_dense, field)
#define FOUR(table, field, s, d, c, z)                                                                                 \
    { s, table(field[0]) }, { d, table(field[1]) }, { c, table(field[2]) },                                            \
    {                                                                                                                  \
        z, table(field[3])                                                                                             \
    }
#define REAL(field, real, unitary)                                                                                     \
    FOUR(DENSE, field, "cusolverDnS" real, "cusolverDnD" real, "cusolverDnC" unitary, "cusolverDnZ" unitary)
#define ALL(field, name) REAL(field, name, name)
static const symbol dense_symbol[] = {
    { "cusolverDnCreate", DENSE(create) },
    { "cusolverDnDestroy", DENSE(destroy) },
    { "cusolverDnSetStream", DENSE(set_stream) },
    ALL(getrf_workspace, "getrf_bufferSize"),
    ALL(getrf, "getrf"),
    ALL(getrs, "getrs"),
    ALL(geqrf_workspace, "geqrf_bufferSize"),
    ALL(geqrf, "geqrf"),
    REAL(orgqr_workspace, "orgqr_bufferSize", "ungqr_bufferSize"),
    REAL(orgqr, "orgqr", "ungqr"),
    ALL(gesvd_workspace, "gesvd_bufferSize"),
    ALL(gesvd, "gesvd"),
    REAL(syevd_workspace, "syevd_bufferSize", "heevd_bufferSize"),
    REAL(syevd, "syevd", "heevd"),
    ALL(potrf_batch, "potrfBatched"),
    { "cusolverDnCreateGesvdjInfo", DENSE(svd_options) },
    { "cusolverDnDestroyGesvdjInfo", DENSE(svd_options_end) },
    ALL(svd_batch_workspace, "gesvdjBatched_bufferSize"),
    ALL(svd_batch, "gesvdjBatched"),
    { "cusolverDnCreateSyevjInfo", DENSE(eigh_options) },
    { "cusolverDnDestroySyevjInfo", DENSE(eigh_options_end) },
    REAL(eigh_batch_workspace, "syevjBatched_bufferSize", "heevjBatched_bufferSize"),
    REAL(eigh_batch, "syevjBatched", "heevjBatched"),
};

#define BATCHES(field) offsetof(orr__cu_batches, field)
#define BLAS_ALL(field, name) FOUR(BATCHES, field, "cublasS" name, "cublasD" name, "cublasC" name, "cublasZ" name)
static const symbol batches_symbol[] = {
    { "cublasCreate_v2", BATCHES(create) },
    BLAS_ALL(getrf, "getrfBatched"),
    BLAS_ALL(getrs, "getrsBatched"),
    BLAS_ALL(geqrf, "geqrfBatched"),
};

#define FFT(field) offsetof(orr__cu_fft_library, field)
static const symbol fft_symbol[] = {
    { "cufftPlanMany", FFT(plan_many) },  { "cufftSetStream", FFT(set_stream) }, { "cufftDestroy", FFT(destroy) },
    { "cufftExecC2C", FFT(complex_[0]) }, { "cufftExecZ2Z", FFT(complex_[1]) },  { "cufftExecR2C", FFT(real[0]) },
    { "cufftExecD2Z", FFT(real[1]) },
};

#define DNN(field) offsetof(orr__dnn, field)
static const symbol dnn_symbol[] = {
    { "cudnnCreate", DNN(create) },
    { "cudnnDestroy", DNN(destroy) },
    { "cudnnSetStream", DNN(set_stream) },
    { "cudnnCreateTensorDescriptor", DNN(create_tensor) },
    { "cudnnDestroyTensorDescriptor", DNN(destroy_tensor) },
    { "cudnnSetTensorNdDescriptor", DNN(set_tensor) },
    { "cudnnCreateFilterDescriptor", DNN(create_filter) },
    { "cudnnDestroyFilterDescriptor", DNN(destroy_filter) },
    { "cudnnSetFilterNdDescriptor", DNN(set_filter) },
    { "cudnnCreateConvolutionDescriptor", DNN(create_conv) },
    { "cudnnDestroyConvolutionDescriptor", DNN(destroy_conv) },
    { "cudnnSetConvolutionNdDescriptor", DNN(set_conv) },
    { "cudnnSetConvolutionGroupCount", DNN(set_groups) },
    { "cudnnSetConvolutionMathType", DNN(set_math) },
    { "cudnnGetConvolutionForwardWorkspaceSize", DNN(forward_workspace) },
    { "cudnnGetConvolutionBackwardDataWorkspaceSize", DNN(data_workspace) },
    { "cudnnGetConvolutionBackwardFilterWorkspaceSize", DNN(filter_workspace) },
    { "cudnnConvolutionForward", DNN(forward) },
    { "cudnnConvolutionBackwardData", DNN(data) },
    { "cudnnConvolutionBackwardFilter", DNN(weights) },
};

#define NCCL(field) offsetof(orr__nccl, field)
static const symbol nccl_symbol[] = {
    { "ncclGetVersion", NCCL(version) },
    { "ncclGetErrorString", NCCL(error) },
    { "ncclGetUniqueId", NCCL(unique_id) },
    { "ncclCommInitRank", NCCL(init) },
    { "?ncclCommInitRankConfig", NCCL(init_config) },
    { "ncclCommDestroy", NCCL(destroy) },
    { "ncclCommAbort", NCCL(abort) },
    { "ncclCommGetAsyncError", NCCL(async_error) },
    { "ncclAllReduce", NCCL(all_reduce) },
    { "ncclReduceScatter", NCCL(reduce_scatter) },
    { "ncclAllGather", NCCL(all_gather) },
    { "ncclBroadcast", NCCL(broadcast) },
    { "ncclSend", NCCL(send) },
    { "ncclRecv", NCCL(receive) },
    { "ncclGroupStart", NCCL(group_start) },
    { "ncclGroupEnd", NCCL(group_end) },
};

/* By the loader's search path, then in the toolkit's folder. A library of a newer CUDA than the driver's does not work with that driver. */
typedef struct {
    const char *name;
    int cuda; /* the major version of its toolkit, 0: of any */
} file;
#define PLACES(newer, older)                                                                                           \
    {                                                                                                                  \
        { newer, 13 }, { older, 12 }, { "/usr/local/cuda/lib64/" newer, 13 }, { "/usr/local/cuda/lib64/" older, 12 },  \
        {                                                                                                              \
            NULL, 0                                                                                                    \
        }                                                                                                              \
    }
static const file cu_file[] = { { "libcuda.so.1", 0 }, { NULL, 0 } };
static const file nvrtc_file[] = PLACES("libnvrtc.so.13", "libnvrtc.so.12");
static const file lt_file[] = PLACES("libcublasLt.so.13", "libcublasLt.so.12");
static const file blas_file[] = PLACES("libcublas.so.13", "libcublas.so.12");
static const file solver_file[] = PLACES("libcusolver.so.12", "libcusolver.so.11");
static const file fft_file[] = PLACES("libcufft.so.12", "libcufft.so.11");
static const file dnn_file[] = { { "libcudnn.so.9", 0 },
                                 { "libcudnn.so.8", 0 },
                                 { "/usr/local/cuda/lib64/libcudnn.so.9", 0 },
                                 { "/usr/local/cuda/lib64/libcudnn.so.8", 0 },
                                 { NULL, 0 } };
static const file nccl_file[] = { { "libnccl.so.2", 0 }, { "/usr/local/cuda/lib64/libnccl.so.2", 0 }, { NULL, 0 } };

typedef struct {
    const file *file;
    const symbol *symbol;
    size_t symbols;
    void *table;
    int how; /* flags besides RTLD_NOW */
    bool there;
    atomic_bool tried; /* the rest is final */
    char why[160];
} library;

static orr__cu_driver cu;
static orr__nvrtc nvrtc;
static orr__lt lt;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static orr__blas blas;
static orr__solver solver;
static orr__dnn dnn;
static orr__cu_dense dense;
static orr__cu_batches batches;
static orr__cu_fft_library fft;
static orr__nccl nccl;

/* The program may already contain functions of these names (StarPU is linked with some version of cuBLAS, or with one
 * that does not work): cuBLAS and cuSOLVER must use their own. Sanitizers refuse that. */
#ifdef __SANITIZE_ADDRESS__
enum { OWN = 0 };
#else
enum { OWN = RTLD_DEEPBIND };
#endif

#define LIBRARY(name, how) LIBRARY_OF(name, name##_file, how)
#define LIBRARY_OF(name, file, how)                                                                                    \
    {                                                                                                                  \
        file, name##_symbol, sizeof name##_symbol / sizeof *name##_symbol, &name, how, false, false, ""                \
    }
static library cu_library = LIBRARY(cu, 0), nvrtc_library = LIBRARY(nvrtc, 0), lt_library = LIBRARY(lt, 0),
               blas_library = LIBRARY(blas, OWN), solver_library = LIBRARY(solver, OWN),
               dnn_library = LIBRARY(dnn, OWN), dense_library = LIBRARY_OF(dense, solver_file, OWN),
               batches_library = LIBRARY_OF(batches, blas_file, OWN), fft_library = LIBRARY(fft, OWN),
               nccl_library = LIBRARY(nccl, 0);

/* Opened for the life of the process: CUDA's libraries do not survive being unloaded. `driver`: its CUDA's major version, 0: not known. */
static void *open_file(library *l, const char *path, int driver)
{
    const file one[] = { { path, 0 }, { NULL, 0 } };
    void *handle = NULL;
    for (const file *f = path ? one : l->file; f->name && !handle; f++) {
        if (driver > 0 && f->cuda > driver)
            continue;
        handle = dlopen(f->name, RTLD_NOW | RTLD_LOCAL | (path ? 0 : l->how));
        if (!handle && !l->why[0]) {
            const char *why = dlerror();
            (void)snprintf(l->why, sizeof l->why, "%s", why ? why : f->name);
        }
    }
    return handle;
}

/* NVRTC opens a second library by its bare name, which the loader does not search for in NVRTC's own folder. If that
 * folder is outside the loader's path, we open the library for it. */
static void bring_builtins(void)
{
    Dl_info at;
    int major = 0, minor = 0;
    char path[4096];
    const char *slash;
    void *version;
    memcpy(&version, &nvrtc.version, sizeof version);
    if (nvrtc.version(&major, &minor) != 0 || dladdr(version, &at) == 0 || !at.dli_fname ||
        !(slash = strrchr(at.dli_fname, '/')))
        return;
    int n = snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - at.dli_fname), at.dli_fname,
                     major, minor);
    if (n > 0 && (size_t)n < sizeof path)
        (void)dlopen(path, RTLD_NOW | RTLD_LOCAL); /* on failure, the compilation reports the missing library */
}

static const void *opened(const library *l, const char **why)
{
    if (why)
        *why = l->there ? "" : l->why;
    return l->there ? l->table : NULL;
}

/* Each launch asks for the driver's table: without a lock, once it is there. */
static const void *open_library(library *l, const char *path, const char **why)
{
    if (atomic_load_explicit(&l->tried, memory_order_acquire))
        return opened(l, why);
    int driver = l == &cu_library ? 0 : orr__cu_version() / 1000;
    (void)pthread_mutex_lock(&lock);
    void *handle = l->tried ? NULL : open_file(l, path, driver);
    for (size_t i = 0; handle && i < l->symbols; i++) {
        bool optional = l->symbol[i].name[0] == '?';
        void *p = dlsym(handle, l->symbol[i].name + optional);
        memcpy((char *)l->table + l->symbol[i].at, &p, sizeof p);
        if (!p && !optional) {
            (void)snprintf(l->why, sizeof l->why, "%s has no %s", l->file[0].name, l->symbol[i].name);
            handle = NULL;
        }
    }
    if (handle && l == &nvrtc_library)
        bring_builtins();
    l->there = l->there || handle;
    atomic_store_explicit(&l->tried, true, memory_order_release);
    (void)pthread_mutex_unlock(&lock);
    return opened(l, why);
}

const orr__cu_driver *orr__cu(const char **why)
{
    return open_library(&cu_library, orr__cu_path, why);
}

int orr__cu_version(void)
{
    const orr__cu_driver *d = orr__cu(NULL);
    int v = 0;
    return d && d->version(&v) == ORR__CU_OK && v > 0 ? v : 0;
}

const orr__nvrtc *orr__cu_nvrtc(const char **why)
{
    return open_library(&nvrtc_library, orr__cu_nvrtc_path, why);
}

const orr__lt *orr__cu_lt(const char **why)
{
    return open_library(&lt_library, orr__cu_lt_path, why);
}

const orr__blas *orr__cu_blas(const char **why)
{
    return open_library(&blas_library, orr__cu_blas_path, why);
}

const orr__solver *orr__cu_solver(const char **why)
{
    return open_library(&solver_library, orr__cu_solver_path, why);
}

const orr__dnn *orr__cu_dnn(const char **why)
{
    return open_library(&dnn_library, orr__cu_dnn_path, why);
}

const orr__cu_dense *orr__cu_dense_library(const char **why)
{
    return open_library(&dense_library, orr__cu_solver_path, why);
}

const orr__cu_batches *orr__cu_batches_library(const char **why)
{
    return open_library(&batches_library, orr__cu_blas_path, why);
}

const orr__cu_fft_library *orr__cu_fft(const char **why)
{
    return open_library(&fft_library, orr__cu_fft_path, why);
}

const orr__nccl *orr__cu_nccl(const char **why)
{
    return open_library(&nccl_library, orr__cu_nccl_path, why);
}

void orr__cu_forget(void)
{
    library *all[] = { &cu_library,  &nvrtc_library, &lt_library,      &blas_library, &solver_library,
                       &dnn_library, &dense_library, &batches_library, &fft_library,  &nccl_library };
    (void)pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i]->there = false;
        atomic_store(&all[i]->tried, false);
        all[i]->why[0] = '\0';
    }
    (void)pthread_mutex_unlock(&lock);
}

bool orr__cu_sticky(int code)
{
    /* ECC, NVLink, contained, illegal address, time-out, assertion, hardware stack … launch failure, tensor memory,
     * a device outside of CUDA, context gone */
    static const int all[] = { 4, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 911 };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == code)
            return true;
    return false;
}

orr_status orr__cu_fail(orr__site at, const char *call, int code)
{
    const char *name = NULL;
    const orr__cu_driver *d = orr__cu(NULL);
    if (!d || d->error_name(code, &name) != ORR__CU_OK || !name)
        name = "unknown code";
    return orr__fail(at, code == ORR__CU_OUT_OF_MEMORY ? ORR_ENOMEM : ORR_EDEVICE, "CUDA: %s: %s (%d)%s", call, name,
                     code, orr__cu_sticky(code) ? "; the process has lost this device: start the program again" : "");
}
