/* The doubles of cuSOLVER's whole factorisations and of cuBLAS's batches: LAPACK on the processor, with the same arguments and the
 * libraries' own limits.
 * Must not know: Orrery. */
#include <complex.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
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

typedef void routine(const void *, ...);

static int begin(bool sane, const char *name, routine **f)
{
    __atomic_add_fetch(&cuda_double.factors, 1, __ATOMIC_RELAXED);
    *(void **)f = reference(name);
    return cuda_double.tile_code ? cuda_double.tile_code : !sane ? WRONG : *f ? OK : NO_LIBRARY;
}

static bool op(int x)
{
    return x >= 0 && x <= 2;
}

static int most(int x, int y)
{
    return x > y ? x : y;
}

static const char *const trans_of[] = { "N", "T", "C" }, *const uplo_of[] = { "L", "U" };

/* Sets the size of a workspace. The double writes to every workspace, also where LAPACK needs none. */
static int room(int m, int n, int *elements)
{
    *elements = 6 * most(m, n) + 5;
    return m > 0 && n > 0 ? OK : WRONG;
}

#define SOLVER(letter, low, T, R, orth, herm, PARTS)                                                                   \
    API int cusolverDn##letter##getrf_bufferSize(void *h, int m, int n, T *a, int lda, int *elements)                  \
    {                                                                                                                  \
        return h && a && lda >= m ? room(m, n, elements) : WRONG;                                                      \
    }                                                                                                                  \
    API int cusolverDn##letter##getrf(void *h, int m, int n, T *a, int lda, T *work, int *pivot, int *info)            \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        int code = begin(h && a && lda >= m && work && pivot && info, #low "getrf_", &f);                              \
        if (code)                                                                                                      \
            return code;                                                                                               \
        work[6 * most(m, n) + 4] = 1;                                                                                  \
        f(&m, &n, a, &lda, pivot, info);                                                                               \
        return OK;                                                                                                     \
    }                                                                                                                  \
    API int cusolverDn##letter##getrs(void *h, int trans, int n, int k, const T *a, int lda, const int *pivot, T *b,   \
                                      int ldb, int *info)                                                              \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        int code = begin(h && op(trans) && a && b && lda >= n && ldb >= n, #low "getrs_", &f);                         \
        if (!code)                                                                                                     \
            f(trans_of[trans], &n, &k, a, &lda, pivot, b, &ldb, info);                                                 \
        return code;                                                                                                   \
    }                                                                                                                  \
    API int cusolverDn##letter##geqrf_bufferSize(void *h, int m, int n, T *a, int lda, int *elements)                  \
    {                                                                                                                  \
        return h && a && lda >= m ? room(m, n, elements) : WRONG;                                                      \
    }                                                                                                                  \
    API int cusolverDn##letter##geqrf(void *h, int m, int n, T *a, int lda, T *tau, T *work, int elements, int *info)  \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        int code = begin(h && a && lda >= m && tau && elements >= 6 * most(m, n) + 5, #low "geqrf_", &f);              \
        if (!code)                                                                                                     \
            f(&m, &n, a, &lda, tau, work, &elements, info);                                                            \
        return code;                                                                                                   \
    }                                                                                                                  \
    API int cusolverDn##letter##orth##_bufferSize(void *h, int m, int n, int k, const T *a, int lda, const T *tau,     \
                                                  int *elements)                                                       \
    {                                                                                                                  \
        return h && a && tau && lda >= m && m >= n && n >= k ? room(m, n, elements) : WRONG;                           \
    }                                                                                                                  \
    API int cusolverDn##letter##orth(void *h, int m, int n, int k, T *a, int lda, const T *tau, T *work, int elements, \
                                     int *info)                                                                        \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        int code = begin(h && a && m >= n && n >= k && elements >= 6 * most(m, n) + 5, #low #orth "_", &f);            \
        if (!code)                                                                                                     \
            f(&m, &n, &k, a, &lda, tau, work, &elements, info);                                                        \
        return code;                                                                                                   \
    }                                                                                                                  \
    API int cusolverDn##letter##gesvd_bufferSize(void *h, int m, int n, int *elements)                                 \
    {                                                                                                                  \
        return h && m >= n ? room(m, n, elements) : WRONG;                                                             \
    }                                                                                                                  \
    API int cusolverDn##letter##gesvd(void *h, signed char left, signed char right, int m, int n, T *a, int lda, R *s, \
                                      T *u, int ldu, T *vt, int ldvt, T *work, int elements, R *parts, int *info)      \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        char jobs[2] = { (char)left, (char)right };                                                                    \
        int code = begin(h && m >= n && a && s && elements >= 6 * most(m, n) + 5 && ldu >= m && ldvt >= n,             \
                         #low "gesvd_", &f);                                                                           \
        R *more = malloc((size_t)(5 * n + 1) * sizeof *more);                                                          \
        (void)parts;                                                                                                   \
        if (!code)                                                                                                     \
            f(&jobs[0], &jobs[1], &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &elements, PARTS(more) info);          \
        free(more);                                                                                                    \
        return code;                                                                                                   \
    }                                                                                                                  \
    API int cusolverDn##letter##herm##_bufferSize(void *h, int vectors, int uplo, int n, const T *a, int lda,          \
                                                  const R *w, int *elements)                                           \
    {                                                                                                                  \
        return h && vectors <= 1 && uplo <= 1 && a && w && lda >= n ? room(n, n, elements) : WRONG;                    \
    }                                                                                                                  \
    API int cusolverDn##letter##herm(void *h, int vectors, int uplo, int n, T *a, int lda, R *w, T *work,              \
                                     int elements, int *info)                                                          \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        int code = begin(h && a && w && work && elements >= 6 * n + 5 && lda >= n, #low #herm "_", &f);                \
        int size = 1 + 6 * n + 2 * n * n, psize = 1 + 5 * n + 2 * n * n, isize = 3 + 5 * n;                            \
        T *own = malloc((size_t)size * sizeof *own);                                                                   \
        R *more = malloc((size_t)psize * sizeof *more);                                                                \
        int *ints = malloc((size_t)isize * sizeof *ints);                                                              \
        if (!code)                                                                                                     \
            f(vectors ? "V" : "N", uplo_of[uplo], &n, a, &lda, w, own, &size, PARTS(more) PARTS(&psize) ints, &isize,  \
              info);                                                                                                   \
        free(own);                                                                                                     \
        free(more);                                                                                                    \
        free(ints);                                                                                                    \
        return code;                                                                                                   \
    }
static char options_; /* of Jacobi's methods: any value */
static int begin_batch(bool sane, const char *name, routine **f)
{
    cuda_double.grouped++;
    return begin(sane, name, f);
}
#define OPTIONS(name)                                                                                                  \
    API int cusolverDnCreate##name##Info(void **options)                                                               \
    {                                                                                                                  \
        *options = &options_;                                                                                          \
        cuda_double.handles++;                                                                                         \
        return OK;                                                                                                     \
    }                                                                                                                  \
    API int cusolverDnDestroy##name##Info(void *options)                                                               \
    {                                                                                                                  \
        cuda_double.handles--;                                                                                         \
        return options == &options_ ? OK : WRONG;                                                                      \
    }
OPTIONS(Gesvdj)
OPTIONS(Syevj)
/* Batches of addresses, which are on the device themselves, and of matrices one after the other. `info` is on the device for getrf and
 * potrf and on the host for getrs and geqrf. */
#define BATCH(letter, low, T, R, herm, jacobi, PARTS, CONJ)                                                            \
    API int cublas##letter##getrfBatched(void *h, int n, T *const *a, int lda, int *pivot, int *info, int batch)       \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        int code = begin_batch(h && a && lda >= n && pivot && info && batch > 0, #low "getrf_", &f);                   \
        for (int i = 0; i < batch && !code; i++)                                                                       \
            f(&n, &n, a[i], &lda, pivot + (size_t)i * (size_t)n, &info[i]);                                            \
        return code;                                                                                                   \
    }                                                                                                                  \
    API int cublas##letter##getrsBatched(void *h, int trans, int n, int k, const T *const *a, int lda,                 \
                                         const int *pivot, T *const *b, int ldb, int *info, int batch)                 \
    {                                                                                                                  \
        *info = 0;                                                                                                     \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        int each = 0, code = begin_batch(h && op(trans) && a && b && lda >= n && ldb >= n, #low "getrs_", &f);         \
        for (int i = 0; i < batch && !code; i++)                                                                       \
            f(trans_of[trans], &n, &k, a[i], &lda, pivot + (size_t)i * (size_t)n, b[i], &ldb, &each);                  \
        return code;                                                                                                   \
    }                                                                                                                  \
    API int cublas##letter##geqrfBatched(void *h, int m, int n, T *const *a, int lda, T *const *tau, int *info,        \
                                         int batch)                                                                    \
    {                                                                                                                  \
        *info = 0;                                                                                                     \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        int each = 0, size = 64 * most(m, n), code = begin_batch(h && a && tau && lda >= m, #low "geqrf_", &f);        \
        T *work = malloc((size_t)size * sizeof *work);                                                                 \
        for (int i = 0; i < batch && !code; i++)                                                                       \
            f(&m, &n, a[i], &lda, tau[i], work, &size, &each);                                                         \
        free(work);                                                                                                    \
        return code;                                                                                                   \
    }                                                                                                                  \
    API int cusolverDn##letter##potrfBatched(void *h, int uplo, int n, T *const *a, int lda, int *info, int batch)     \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        int code = begin_batch(h && uplo >= 0 && uplo <= 1 && a && lda >= n && info, #low "potrf_", &f);               \
        for (int i = 0; i < batch && !code; i++)                                                                       \
            f(uplo_of[uplo], &n, a[i], &lda, &info[i]);                                                                \
        return code;                                                                                                   \
    }                                                                                                                  \
    API int cusolverDn##letter##gesvdjBatched_bufferSize(void *h, int vectors, int m, int n, const T *a, int lda,      \
                                                         const R *s, const T *u, int ldu, const T *v, int ldv,         \
                                                         int *elements, void *options, int batch)                      \
    {                                                                                                                  \
        return h && vectors <= 1 && a && s && u && v && lda >= m && ldu >= m && ldv >= n && options && batch > 0 &&    \
                       m <= 32 && n <= 32                                                                              \
                   ? room(m, n, elements)                                                                              \
                   : WRONG;                                                                                            \
    }                                                                                                                  \
    API int cusolverDn##letter##gesvdjBatched(void *h, int vectors, int m, int n, T *a, int lda, R *s, T *u, int ldu,  \
                                              T *v, int ldv, T *work, int elements, int *info, void *options,          \
                                              int batch)                                                               \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        routine *f;                                                                                                    \
        int least = m < n ? m : n, size = 64 * 64;                                                                     \
        int code = begin_batch(h && options == &options_ && lda == m && ldu == m && ldv == n && work &&                \
                                   elements >= 6 * most(m, n) + 5 && m <= 32 && n <= 32,                               \
                               #low "gesvd_", &f);                                                                     \
        T *own = malloc((size_t)size * sizeof *own), vh[32 * 32], *left = u;                                           \
        R *more = malloc((size_t)size * sizeof *more);                                                                 \
        for (int i = 0; i < batch && !code; i++, a += m * n, s += least, left += m * m) {                              \
            f(vectors ? "A" : "N", vectors ? "A" : "N", &m, &n, a, &lda, s, left, &ldu, vh, &ldv, own, &size,          \
              PARTS(more) & info[i]);                                                                                  \
            for (int k = 0; k < n * n && vectors; k++) /* not transposed, unlike gesvd's */                            \
                v[(size_t)i * (size_t)(n * n) + (size_t)k] = CONJ(vh[k % n * n + k / n]);                              \
        }                                                                                                              \
        free(own);                                                                                                     \
        free(more);                                                                                                    \
        return code;                                                                                                   \
    }                                                                                                                  \
    API int cusolverDn##letter##jacobi##_bufferSize(void *h, int vectors, int uplo, int n, const T *a, int lda,        \
                                                    const R *w, int *elements, void *options, int batch)               \
    {                                                                                                                  \
        return h && vectors <= 1 && uplo <= 1 && a && w && lda >= n && options && batch > 0 ? room(n, n, elements)     \
                                                                                            : WRONG;                   \
    }                                                                                                                  \
    API int cusolverDn##letter##jacobi(void *h, int vectors, int uplo, int n, T *a, int lda, R *w, T *work,            \
                                       int elements, int *info, void *options, int batch)                              \
    {                                                                                                                  \
        int code = h && options == &options_ && lda == n ? OK : WRONG;                                                 \
        cuda_double.grouped++;                                                                                         \
        for (int i = 0; i < batch && !code; i++)                                                                       \
            code = cusolverDn##letter##herm(h, vectors, uplo, n, a + (size_t)i * (size_t)(n * n), lda,                 \
                                            w + (size_t)i * (size_t)n, work, elements, &info[i]);                      \
        return code;                                                                                                   \
    }
#define NOTHING(x)
#define BESIDE(x) x,
SOLVER(S, s, float, float, orgqr, syevd, NOTHING)
SOLVER(D, d, double, double, orgqr, syevd, NOTHING)
SOLVER(C, c, float _Complex, float, ungqr, heevd, BESIDE)
SOLVER(Z, z, double _Complex, double, ungqr, heevd, BESIDE)
#define SELF(x) (x)
BATCH(S, s, float, float, syevd, syevjBatched, NOTHING, SELF)
BATCH(D, d, double, double, syevd, syevjBatched, NOTHING, SELF)
BATCH(C, c, float _Complex, float, heevd, heevjBatched, BESIDE, conjf)
BATCH(Z, z, double _Complex, double, heevd, heevjBatched, BESIDE, conj)
