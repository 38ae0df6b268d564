/* Body of factor_f32.c and factor_f64.c: recursion that halves the matrix, with products for the blocks off the diagonal and plain loops
 * for small triangles; or the library's routine, if this machine computes it faster. The includer defines REAL, DTYPE, SYRK, TRSV, TRSM,
 * LAPACK(name) and TABLE.
 * Must not know: dtypes other than REAL. */
#include <cblas.h>
#include <string.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/factor.h"
#include "codelets/cpu/product.h"
#include "codelets/variants.h"
#include "runtime/base/env.h"
#include "runtime/base/hash.h"
#include "runtime/base/threshold.h"

enum { WIDE = sizeof(REAL) == 8, LEAF = ORR__LEAF, EDGE = ORR__PLAIN };

/* -- two variants ------------------------------------------------------------------------------------------------ */

/* From some order on, the library's routines may repay their call. Their last bits differ: they are not used with
 * ORRERY_DETERMINISTIC. */
enum { BY_HALVES, BY_LIBRARY, WAYS };

static orr__pick choose(const char *what, int64_t n, double work)
{
    if (n < 2 * LEAF || orr__env.deterministic || orr__cpu_blas_get_threads() != 1)
        return (orr__pick){ .way = BY_HALVES };
    uint64_t isa = orr__hash(orr__cpu_vec()->isa, strlen(orr__cpu_vec()->isa), DTYPE);
    return orr__variants_begin(orr__variants_of(orr__hash(what, strlen(what), isa), orr__octave(n), WAYS), work);
}

/* -- solves ------------------------------------------------------------------------------------------------------- */

/* About half of n, a multiple of `grain`. */
static int64_t half(int64_t n, int64_t grain)
{
    return (n / 2 + grain - 1) / grain * grain;
}

/* Element (r, c) of M. */
static REAL element(const orr__triangle *t, int64_t r, int64_t c)
{
    return ((const REAL *)t->p)[r * t->rs + c * t->cs];
}

static void solve_leaf(const orr__triangle *t, REAL *b, int64_t m, int64_t ld)
{
    REAL near[EDGE][EDGE];
    for (int64_t r = 0; r < t->n; r++)
        for (int64_t c = 0; c < t->n; c++)
            near[r][c] = (t->upper ? c >= r : r >= c) ? element(t, r, c) : 0;
    orr__cpu_vec()->solve[WIDE](near, t->upper, t->unit, t->n, b, m, ld);
}

/* Solves for one row: yᵀ = M⁻ᵀ·bᵀ. */
static void solve_row(const orr__triangle *t, REAL *b)
{
    bool turned = t->rs == 1 && t->cs != 1;
    TRSV(CblasRowMajor, t->upper == turned ? CblasLower : CblasUpper, turned ? CblasNoTrans : CblasTrans,
         t->unit ? CblasUnit : CblasNonUnit, (int)t->n, t->p, (int)(turned ? t->cs : t->rs), b, 1);
}

/* to ← to − x·M', where M' is the rows × cols block of M at (r, c). */
static void eliminate(const orr__triangle *t, int64_t r, int64_t c, int64_t rows, int64_t cols, const REAL *x, REAL *to,
                      int64_t m, int64_t ld)
{
    bool turned = t->rs == 1 && t->cs != 1;
    orr__mat a = { .p = (const void *)x, .rows = m, .cols = rows };
    orr__mat b = { .p = (const void *)((const REAL *)t->p + r * t->rs + c * t->cs), .rows = rows, .cols = cols };
    orr__gemm_scaled(DTYPE, -1, &a, false, ld, &b, turned, turned ? t->cs : t->rs, true, to, ld);
}

static void solve(const orr__triangle *t, void *to, int64_t m, int64_t ld);

static void solve_halves(const orr__triangle *t, REAL *b, int64_t m, int64_t ld)
{
    int64_t h = half(t->n, EDGE);
    orr__triangle first = *t, second = *t;
    first.n = h;
    second.n = t->n - h;
    second.p = (const REAL *)t->p + h * (t->rs + t->cs);
    if (t->upper) {
        solve(&first, b, m, ld);
        eliminate(t, 0, h, h, t->n - h, b, b + h, m, ld);
        solve(&second, b + h, m, ld);
    } else {
        solve(&second, b + h, m, ld);
        eliminate(t, h, 0, t->n - h, h, b + h, b, m, ld);
        solve(&first, b, m, ld);
    }
}

static void solve(const orr__triangle *t, void *to, int64_t m, int64_t ld)
{
    REAL *b = to;
    if (t->n <= EDGE) {
        solve_leaf(t, b, m, ld);
        return;
    }
    if (m == 1) {
        solve_row(t, b);
        return;
    }
    double work = (double)m * (double)t->n * (double)t->n;
    orr__pick c = choose("solve", m < t->n ? m : t->n, work);
    bool turned = t->rs == 1 && t->cs != 1;
    if (c.way == BY_LIBRARY)
        TRSM(CblasRowMajor, CblasRight, t->upper == turned ? CblasLower : CblasUpper,
             turned ? CblasTrans : CblasNoTrans, t->unit ? CblasUnit : CblasNonUnit, (int)m, (int)t->n, 1, t->p,
             (int)(turned ? t->cs : t->rs), b, (int)ld);
    else
        solve_halves(t, b, m, ld);
    orr__variants_end(&c, work);
}

/* -- factors ------------------------------------------------------------------------------------------------------ */

static void update(void *c, int64_t ldc, const void *x, int64_t ldx, const void *y, int64_t ldy, int64_t m, int64_t n,
                   int64_t k)
{
    orr__mat a = { .p = x, .rows = m, .cols = k }, b = { .p = y, .rows = k, .cols = n };
    orr__gemm_scaled(DTYPE, -1, &a, false, ldx, &b, true, ldy, true, c, ldc);
}

static void update_self(void *c, int64_t ldc, const void *x, int64_t ldx, int64_t n, int64_t k)
{
    SYRK(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)k, -1, x, (int)ldx, 1, c, (int)ldc);
}

static int64_t potrf(void *p, int64_t n, int64_t ld);

static int64_t potrf_halves(REAL *a, int64_t n, int64_t ld)
{
    int64_t h = half(n, LEAF), bad = potrf(a, h, ld);
    if (bad)
        return bad;
    orr__triangle t = { .p = a, .n = h, .rs = 1, .cs = ld, .upper = true }; /* the factor's transpose */
    solve(&t, a + h * ld, n - h, ld);
    update_self(a + h * ld + h, ld, a + h * ld, ld, n - h, h);
    bad = potrf(a + h * ld + h, n - h, ld);
    return bad ? bad + h : 0;
}

#ifdef HAVE_LAPACK
void LAPACK(potrf)(const char *uplo, const int *n, REAL *a, const int *lda, int *info, size_t);

/* LAPACK is column-major: it sees the lower triangle as the upper one. Some implementations let infinities and NaN pass; the diagonal
 * reveals them. */
static int64_t potrf_library(REAL *a, int64_t n, int64_t ld)
{
    int order = (int)n, lda = (int)ld, info = 0;
    LAPACK(potrf)("U", &order, a, &lda, &info, 1);
    for (int64_t i = 0; info == 0 && i < n; i++)
        if (!(a[i * ld + i] > 0 && a[i * ld + i] <= MOST))
            info = (int)(i + 1);
    return info;
}
#endif

static int64_t potrf(void *p, int64_t n, int64_t ld)
{
    if (n <= LEAF)
        return orr__cpu_vec()->potrf[WIDE](p, n, ld);
#ifdef HAVE_LAPACK
    double work = (double)n * (double)n * (double)n / 3;
    orr__pick c = choose("potrf", n, work);
    int64_t bad = c.way == BY_LIBRARY ? potrf_library(p, n, ld) : potrf_halves(p, n, ld);
    orr__variants_end(&c, bad ? 0 : work);
    return bad;
#else
    return potrf_halves(p, n, ld);
#endif
}

const orr__factor TABLE = { potrf, solve, update, update_self };
