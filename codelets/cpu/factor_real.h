/* Body of factor_f32.c and factor_f64.c: recursion that halves the matrix, with BLAS for what is off the diagonal and
 * plain loops for small triangles. REAL, DTYPE, SYRK, TRSV and TABLE are defined by who includes it.
 * Must not know: dtypes other than REAL. */
#include <cblas.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/factor.h"
#include "codelets/cpu/product.h"

enum { WIDE = sizeof(REAL) == 8, LEAF = ORR__LEAF, EDGE = ORR__PLAIN };

/* Half of n, a multiple of `grain`. */
static int64_t half(int64_t n, int64_t grain)
{
    return (n / 2 + grain - 1) / grain * grain;
}

/* M's element (r, c). */
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

/* One row: yᵀ = M⁻ᵀ·bᵀ. */
static void solve_row(const orr__triangle *t, REAL *b)
{
    bool turned = t->rs == 1 && t->cs != 1;
    TRSV(CblasRowMajor, t->upper == turned ? CblasLower : CblasUpper, turned ? CblasNoTrans : CblasTrans,
         t->unit ? CblasUnit : CblasNonUnit, (int)t->n, t->p, (int)(turned ? t->cs : t->rs), b, 1);
}

/* to ← to − x·M', where M' is the part of M (rows × cols) at (r, c). */
static void eliminate(const orr__triangle *t, int64_t r, int64_t c, int64_t rows, int64_t cols, const REAL *x, REAL *to,
                      int64_t m, int64_t ld)
{
    bool turned = t->rs == 1 && t->cs != 1;
    orr__mat a = { .p = (const void *)x, .rows = m, .cols = rows };
    orr__mat b = { .p = (const void *)((const REAL *)t->p + r * t->rs + c * t->cs), .rows = rows, .cols = cols };
    orr__gemm_scaled(DTYPE, -1, &a, false, ld, &b, turned, turned ? t->cs : t->rs, true, to, ld);
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

static int64_t potrf(void *p, int64_t n, int64_t ld)
{
    REAL *a = p;
    if (n <= LEAF)
        return orr__cpu_vec()->potrf[WIDE](a, n, ld);
    int64_t h = half(n, LEAF), bad = potrf(a, h, ld);
    if (bad)
        return bad;
    orr__triangle t = { .p = a, .n = h, .rs = 1, .cs = ld, .upper = true }; /* the factor's transpose */
    solve(&t, a + h * ld, n - h, ld);
    update_self(a + h * ld + h, ld, a + h * ld, ld, n - h, h);
    bad = potrf(a + h * ld + h, n - h, ld);
    return bad ? bad + h : 0;
}

const orr__factor TABLE = { potrf, solve, update, update_self };
