/* Direct calls of the BLAS, as a peer.
 * Must not know: Orrery. */
#include "config.h"
#include <cblas.h>
#include "bench/bench.h"

#ifdef HAVE_OPENBLAS
void openblas_set_num_threads(int n);
#endif

void peer_blas_threads(int threads)
{
#ifdef HAVE_OPENBLAS
    openblas_set_num_threads(threads);
#else
    (void)threads; /* as the user's environment has it */
#endif
}

void peer_blas_gemm(bool ta, bool tb, int m, int n, int k, const float *a, const float *b, float *c)
{
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, 1.0f, a,
                ta ? m : k, b, tb ? k : n, 0.0f, c, n);
}
