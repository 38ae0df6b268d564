/* cuBLAS's and cuSOLVER's doubles: the column-major functions of a BLAS library on the processor, with the same
 * arguments.
 * Must not know: Orrery. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include "tests/double/double.h"

enum { OK = 0, NO_LIBRARY = 1, WRONG = 7 };

static void *reference(const char *name)
{
    static const char *const file[] = { "libopenblas.so.0", "libopenblas.so", "liblapack.so.3", NULL };
    void *lib = NULL, *p = NULL;
    for (int i = 0; file[i] && !p; i++)
        if ((lib = dlopen(file[i], RTLD_NOW | RTLD_LOCAL)) != NULL)
            p = dlsym(lib, name);
    return p;
}

static char handle; /* any value */

API int cublasCreate_v2(void **h)
{
    if (cuda_double.create_code)
        return cuda_double.create_code;
    *h = &handle;
    cuda_double.handles++;
    return OK;
}

API int cublasDestroy_v2(void *h)
{
    (void)h;
    cuda_double.handles--;
    return OK;
}

API int cublasSetStream_v2(void *h, void *stream)
{
    cuda_double_library(stream);
    return h ? OK : NO_LIBRARY;
}

static const char *const side_of[] = { "L", "R" }, *const uplo_of[] = { "L", "U" }, *const trans_of[] = { "N", "T" },
                         *const diag_of[] = { "N", "U" };

static int begin(bool sane)
{
    __atomic_add_fetch(&cuda_double.tiles, 1, __ATOMIC_RELAXED);
    return cuda_double.tile_code ? cuda_double.tile_code : sane ? OK : WRONG;
}

static bool two(int x)
{
    return x == 0 || x == 1;
}

static int trsm(const char *name, int side, int uplo, int trans, int diag, int m, int n, const void *alpha,
                const void *a, int lda, void *b, int ldb)
{
    void (*f)(const char *, const char *, const char *, const char *, const int *, const int *, const void *,
              const void *, const int *, void *, const int *);
    DEVICE_WORK;
    *(void **)&f = reference(name);
    int code = begin(two(side) && two(uplo) && two(trans) && two(diag) && lda >= (side ? n : m) && ldb >= m);
    if (code == OK && f)
        f(side_of[side], uplo_of[uplo], trans_of[trans], diag_of[diag], &m, &n, alpha, a, &lda, b, &ldb);
    return code ? code : !f;
}

static int syrk(const char *name, int uplo, int trans, int n, int k, const void *alpha, const void *a, int lda,
                const void *beta, void *c, int ldc)
{
    void (*f)(const char *, const char *, const int *, const int *, const void *, const void *, const int *,
              const void *, void *, const int *);
    DEVICE_WORK;
    *(void **)&f = reference(name);
    int code = begin(two(uplo) && two(trans) && lda >= (trans ? k : n) && ldc >= n);
    if (code == OK && f)
        f(uplo_of[uplo], trans_of[trans], &n, &k, alpha, a, &lda, beta, c, &ldc);
    return code ? code : !f;
}

static int gemm(const char *name, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda,
                const void *b, int ldb, const void *beta, void *c, int ldc)
{
    void (*f)(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
              const int *, const void *, const int *, const void *, void *, const int *);
    DEVICE_WORK;
    *(void **)&f = reference(name);
    int code = begin(two(ta) && two(tb) && lda >= (ta ? k : m) && ldb >= (tb ? n : k) && ldc >= m);
    if (code == OK && f)
        f(trans_of[ta], trans_of[tb], &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
    return code ? code : !f;
}

API int cublasStrsm_v2(void *h, int side, int uplo, int trans, int diag, int m, int n, const float *alpha,
                       const float *a, int lda, float *b, int ldb)
{
    return h ? trsm("strsm_", side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb) : NO_LIBRARY;
}

API int cublasDtrsm_v2(void *h, int side, int uplo, int trans, int diag, int m, int n, const double *alpha,
                       const double *a, int lda, double *b, int ldb)
{
    return h ? trsm("dtrsm_", side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb) : NO_LIBRARY;
}

API int cublasSsyrk_v2(void *h, int uplo, int trans, int n, int k, const float *alpha, const float *a, int lda,
                       const float *beta, float *c, int ldc)
{
    return h ? syrk("ssyrk_", uplo, trans, n, k, alpha, a, lda, beta, c, ldc) : NO_LIBRARY;
}

API int cublasDsyrk_v2(void *h, int uplo, int trans, int n, int k, const double *alpha, const double *a, int lda,
                       const double *beta, double *c, int ldc)
{
    return h ? syrk("dsyrk_", uplo, trans, n, k, alpha, a, lda, beta, c, ldc) : NO_LIBRARY;
}

API int cublasSgemm_v2(void *h, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda,
                       const float *b, int ldb, const float *beta, float *c, int ldc)
{
    return h ? gemm("sgemm_", ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) : NO_LIBRARY;
}

API int cublasDgemm_v2(void *h, int ta, int tb, int m, int n, int k, const double *alpha, const double *a, int lda,
                       const double *b, int ldb, const double *beta, double *c, int ldc)
{
    return h ? gemm("dgemm_", ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) : NO_LIBRARY;
}

/* -- cuSOLVER ------------------------------------------------------------------------------------------------------ */

API int cusolverDnCreate(void **h)
{
    return cublasCreate_v2(h);
}

API int cusolverDnDestroy(void *h)
{
    return cublasDestroy_v2(h);
}

API int cusolverDnSetStream(void *h, void *stream)
{
    return cublasSetStream_v2(h, stream);
}

static int room(int n, int *elements)
{
    *elements = n * 8 + 1;
    return n > 0 ? OK : WRONG;
}

API int cusolverDnSpotrf_bufferSize(void *h, int uplo, int n, float *a, int lda, int *elements)
{
    return h && two(uplo) && a && lda >= n ? room(n, elements) : WRONG;
}

API int cusolverDnDpotrf_bufferSize(void *h, int uplo, int n, double *a, int lda, int *elements)
{
    return h && two(uplo) && a && lda >= n ? room(n, elements) : WRONG;
}

/* The other triangle is overwritten, which is allowed; a NaN is not reported. */
#define POTRF(letter, type, name)                                                                                      \
    API int cusolverDn##letter##potrf(void *h, int uplo, int n, type *a, int lda, type *work, int elements, int *info) \
    {                                                                                                                  \
        void (*f)(const char *, const int *, type *, const int *, int *);                                              \
        DEVICE_WORK;                                                                                                   \
        *(void **)&f = reference(name);                                                                                \
        int code = begin(h && two(uplo) && work && elements >= n * 8 + 1 && info && lda >= n);                         \
        if (code || !f)                                                                                                \
            return code ? code : NO_LIBRARY;                                                                           \
        work[n * 8] = 1;                                                                                               \
        f(uplo_of[uplo], &n, a, &lda, info);                                                                           \
        for (int c = 0; c < n; c++)                                                                                    \
            for (int r = uplo ? c + 1 : 0; r < (uplo ? n : c); r++)                                                    \
                a[(size_t)c * (size_t)lda + (size_t)r] = (type)-77;                                                    \
        for (int c = 0; c < n; c++)                                                                                    \
            if (a[(size_t)c * (size_t)(lda + 1)] != a[(size_t)c * (size_t)(lda + 1)])                                  \
                *info = 0;                                                                                             \
        cuda_double.factors++;                                                                                         \
        return OK;                                                                                                     \
    }
POTRF(S, float, "spotrf_")
POTRF(D, double, "dpotrf_")
