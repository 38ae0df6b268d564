/* Body of factor_c64.c and factor_c128.c: recursion that halves the matrix, with BLAS for the blocks off the diagonal.
 * The includer defines ELEM, REAL, HERK, TRSM and TABLE.
 * Must not know: other dtypes. */
#include <cblas.h>
#include <math.h>
#include "codelets/cpu/factor.h"
#include "runtime/base/complex.h"

static const ELEM one = 1;

static void solve(const orr__triangle *t, void *b, int64_t m, int64_t ld)
{
    bool turned = t->rs == 1 && t->cs != 1;
    TRSM(CblasRowMajor, CblasRight, t->upper == turned ? CblasLower : CblasUpper, turned ? CblasTrans : CblasNoTrans,
         t->unit ? CblasUnit : CblasNonUnit, (int)m, (int)t->n, &one, t->p, (int)(turned ? t->cs : t->rs), b, (int)ld);
}

static int64_t leaf(ELEM *a, int64_t n, int64_t ld)
{
    for (int64_t c = 0; c < n; c++) {
        REAL v = (REAL)creal((double complex)a[c * ld + c]);
        for (int64_t k = 0; k < c; k++) {
            double complex x = a[c * ld + k];
            v -= (REAL)(creal(x) * creal(x) + cimag(x) * cimag(x));
        }
        if (!(v > 0) || !isfinite(v))
            return c + 1;
        REAL root = (REAL)sqrt((double)v);
        a[c * ld + c] = root;
        for (int64_t r = c + 1; r < n; r++) {
            double complex x = a[r * ld + c];
            for (int64_t k = 0; k < c; k++)
                x -= (double complex)a[r * ld + k] * conj((double complex)a[c * ld + k]);
            a[r * ld + c] = (ELEM)(x / (double)root);
        }
    }
    return 0;
}

static int64_t potrf(void *p, int64_t n, int64_t ld)
{
    ELEM *a = p;
    if (n <= ORR__PLAIN)
        return leaf(a, n, ld);
    int64_t h = n / 2, bad = potrf(a, h, ld);
    if (bad)
        return bad;
    TRSM(CblasRowMajor, CblasRight, CblasLower, CblasConjTrans, CblasNonUnit, (int)(n - h), (int)h, &one, a, (int)ld,
         a + h * ld, (int)ld);
    HERK(CblasRowMajor, CblasLower, CblasNoTrans, (int)(n - h), (int)h, -1, a + h * ld, (int)ld, 1, a + h * ld + h,
         (int)ld);
    bad = potrf(a + h * ld + h, n - h, ld);
    return bad ? bad + h : 0;
}

const orr__factor TABLE = { .potrf = potrf, .solve = solve };
