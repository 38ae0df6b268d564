/* The doubles of cuSOLVER's whole factorisations and of cuBLAS's copies: LAPACK on the processor, with the same arguments and
 * cuSOLVER's own limits.
 * Must not know: Orrery. */
#include <complex.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include "tests/double/double.h"

#define API __attribute__((visibility("default")))

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

#define GEAM(letter, T, CONJ)                                                                                          \
    API int cublas##letter##geam(void *h, int ta, int tb, int m, int n, const T *alpha, const T *a, int lda,           \
                                 const T *beta, const T *b, int ldb, T *c, int ldc)                                    \
    {                                                                                                                  \
        DEVICE_WORK;                                                                                                   \
        if (!h || !op(ta) || !op(tb) || m < 0 || n < 0 || lda < most(1, ta ? n : m) || ldb < most(1, tb ? n : m) ||    \
            ldc < most(1, m))                                                                                          \
            return WRONG;                                                                                              \
        for (int j = 0; j < n; j++)                                                                                    \
            for (int i = 0; i < m; i++) {                                                                              \
                T x = 0, y = 0;                                                                                        \
                if (*alpha != 0)                                                                                       \
                    x = ta ? a[(size_t)i * (size_t)lda + (size_t)j] : a[(size_t)j * (size_t)lda + (size_t)i];          \
                if (*beta != 0)                                                                                        \
                    y = tb ? b[(size_t)i * (size_t)ldb + (size_t)j] : b[(size_t)j * (size_t)ldb + (size_t)i];          \
                c[(size_t)j * (size_t)ldc + (size_t)i] =                                                               \
                    (T)(*alpha * (ta == 2 ? CONJ(x) : x) + *beta * (tb == 2 ? CONJ(y) : y));                           \
            }                                                                                                          \
        return OK;                                                                                                     \
    }
#define SELF(x) (x)
GEAM(S, float, SELF)
GEAM(D, double, SELF)
GEAM(C, float _Complex, conjf)
GEAM(Z, double _Complex, conj)

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
#define NOTHING(x)
#define BESIDE(x) x,
SOLVER(S, s, float, float, orgqr, syevd, NOTHING)
SOLVER(D, d, double, double, orgqr, syevd, NOTHING)
SOLVER(C, c, float _Complex, float, ungqr, heevd, BESIDE)
SOLVER(Z, z, double _Complex, double, ungqr, heevd, BESIDE)
