/* Direct calls of the BLAS, as a peer.
 * Must not know: Orrery. */
#include "config.h"
#include <cblas.h>
#include "bench/bench.h"

#ifdef HAVE_OPENBLAS
void openblas_set_num_threads(int n);
#endif

/* Fortran passes the length of a text last. Weak, since a BLAS need not have these functions. */
__attribute__((weak)) void spotrf_(const char *uplo, const int *n, float *a, const int *lda, int *info, size_t length);
__attribute__((weak)) void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t length);

void peer_blas_threads(int threads)
{
#ifdef HAVE_OPENBLAS
    openblas_set_num_threads(threads);
#else
    (void)threads; /* the user's environment decides */
#endif
}

void peer_blas_gemm(bool ta, bool tb, int m, int n, int k, const float *a, const float *b, float *c)
{
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, 1.0f, a,
                ta ? m : k, b, tb ? k : n, 0.0f, c, n);
}

bool peer_blas_has_potrf(void)
{
    return spotrf_ && dpotrf_;
}

/* The lower triangle in rows is the upper one in columns. */
int peer_blas_potrf(bool f64, int n, void *a)
{
    int info = 0;
    if (f64)
        dpotrf_("U", &n, a, &n, &info, 1);
    else
        spotrf_("U", &n, a, &n, &info, 1);
    return info;
}
