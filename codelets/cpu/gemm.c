/* One multiplication by CBLAS, in pieces where it cannot count so far, or where pieces are faster.
 * Must not know: where the factors come from, what is done with the product. */
#include "config.h"

#include <cblas.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product.h"
#include "runtime/base/env.h"

typedef struct {
    int64_t m, n, k;
} extent;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* OpenBLAS packs the factors before it multiplies, but for products of at most 10^6 terms, whose kernels read them as they
 * lie. Packing is repaid when the product is large: by measurement, with AVX-512, pieces are faster up to some 13 · 10^6
 * terms (by a fourth for 50 · 256 · 256), slower from 15 · 10^6 on. The right factor transposed is better packed. Sums longer
 * than LONGEST would have to be cut, and be rounded otherwise; so a kernel may round too, hence never with
 * ORRERY_DETERMINISTIC. */
enum { COLUMNS = 64, LONGEST = 256, ROWS = 16 };

static double terms(const extent *all)
{
    return (double)all->m * (double)all->n * (double)all->k;
}

/* Are there kernels for what is small? One row or column goes another way, which wants a buffer. */
static bool small_kernels(orr_dtype blas, bool tb, const extent *all)
{
    return blas == ORR_F32 && !tb && all->m > 1 && all->n > 1 && orr__cpu_blas_small();
}

static bool in_pieces(orr_dtype blas, bool tb, const extent *all)
{
    return all->k <= LONGEST && terms(all) > 1e6 && terms(all) < 13e6 && !orr__env.deterministic &&
           small_kernels(blas, tb, all);
}

/* As many rows as there may be. */
static extent piece_of(const extent *all)
{
    extent p = { 0, least(all->n, COLUMNS), all->k };
    p.m = 1000000 / (p.n * p.k);
    p.m = p.m < all->m && p.m > ROWS ? p.m / ROWS * ROWS : p.m;
    return p;
}

bool orr__gemm_unpacked(orr_dtype blas, const orr__mat *a, const orr__mat *b, bool tb)
{
    extent all = { a->rows, b->cols, a->cols };
    return in_pieces(blas, tb, &all) || (terms(&all) <= 1e6 && small_kernels(blas, tb, &all));
}

void orr__gemm(orr_dtype blas, const orr__mat *a, bool ta, int64_t lda, const orr__mat *b, bool tb, int64_t ldb,
               char *c)
{
    size_t z = orr__dtype_size(blas);
    extent all = { a->rows, b->cols, a->cols }, p = { ORR__GEMM_MOST, ORR__GEMM_MOST, ORR__GEMM_MOST };
    CBLAS_TRANSPOSE at = ta ? CblasTrans : CblasNoTrans, bt = tb ? CblasTrans : CblasNoTrans;
    int64_t ldc = b->cols;
    if (in_pieces(blas, tb, &all))
        p = piece_of(&all);
    for (int64_t j = 0; j < all.n; j += p.n)
        for (int64_t i = 0; i < all.m; i += p.m)
            for (int64_t k = 0; k < all.k; k += p.k) {
                const char *pa = a->p + (ta ? k * lda + i : i * lda + k) * (int64_t)z;
                const char *pb = b->p + (tb ? j * ldb + k : k * ldb + j) * (int64_t)z;
                char *pc = c + (i * ldc + j) * (int64_t)z;
                int m = (int)least(p.m, all.m - i), n = (int)least(p.n, all.n - j), q = (int)least(p.k, all.k - k);
                if (blas == ORR_F32)
                    cblas_sgemm(CblasRowMajor, at, bt, m, n, q, 1.0f, (const void *)pa, (int)lda, (const void *)pb,
                                (int)ldb, k ? 1.0f : 0.0f, (void *)pc, (int)ldc);
                else
                    cblas_dgemm(CblasRowMajor, at, bt, m, n, q, 1.0, (const void *)pa, (int)lda, (const void *)pb,
                                (int)ldb, k ? 1.0 : 0.0, (void *)pc, (int)ldc);
            }
}
