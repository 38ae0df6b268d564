/* Body of factor_f32.c and factor_f64.c: recursion that halves the matrix, with BLAS for what is off the diagonal and
 * plain loops for small triangles. REAL, GEMM, SYRK, TRSV and TABLE are defined by who includes it.
 * Must not know: dtypes other than REAL. */
#include <cblas.h>
#include <math.h>
#include <string.h>
#include "codelets/cpu/factor.h"

/* Orders at which the plain loops take over. PANEL rows at a time stand side by side, as vectors. */
enum { LEAF = 32, EDGE = ORR__PLAIN, PANEL = 32 };

/* Half of n, a multiple of `grain`. */
static int64_t half(int64_t n, int64_t grain)
{
    return (n / 2 + grain - 1) / grain * grain;
}

static int64_t potrf_leaf(REAL *a, int64_t n, int64_t ld)
{
    REAL column[LEAF];
    for (int64_t i = 0; i < n; i++) {
        REAL d = a[i * ld + i];
        if (!(d > 0 && d <= MOST)) /* NaN and infinity too */
            return i + 1;
        d = ROOT(d);
        a[i * ld + i] = d;
        for (int64_t r = i + 1; r < n; r++)
            column[r] = a[r * ld + i] /= d;
        for (int64_t r = i + 1; r < n; r++) {
            REAL f = column[r], *row = a + r * ld;
            for (int64_t c = i + 1; c <= r; c++)
                row[c] -= f * column[c];
        }
    }
    return 0;
}

/* M's element (r, c). */
static REAL element(const orr__triangle *t, int64_t r, int64_t c)
{
    return ((const REAL *)t->p)[r * t->rs + c * t->cs];
}

/* Row by row of x, column j follows from those before it (upper) or behind it (lower). */
static void solve_panel(const orr__triangle *t, const REAL (*m)[EDGE], REAL (*x)[PANEL])
{
    for (int64_t s = 0; s < t->n; s++) {
        int64_t j = t->upper ? s : t->n - 1 - s, from = t->upper ? 0 : j + 1, end = t->upper ? j : t->n;
        REAL acc[PANEL];
        memcpy(acc, x[j], sizeof acc);
        for (int64_t k = from; k < end; k++)
            for (int i = 0; i < PANEL; i++)
                acc[i] -= m[k][j] * x[k][i];
        for (int i = 0; i < PANEL && !t->unit; i++)
            acc[i] /= m[j][j];
        memcpy(x[j], acc, sizeof acc);
    }
}

static void solve_leaf(const orr__triangle *t, REAL *b, int64_t m, int64_t ld)
{
    REAL near[EDGE][EDGE], x[EDGE][PANEL] = { { 0 } };
    for (int64_t r = 0; r < t->n; r++)
        for (int64_t c = 0; c < t->n; c++)
            near[r][c] = (t->upper ? c >= r : r >= c) ? element(t, r, c) : 0;
    for (int64_t at = 0; at < m; at += PANEL) {
        int64_t rows = m - at < PANEL ? m - at : PANEL;
        REAL *here = b + at * ld;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < t->n; j++)
                x[j][i] = here[i * ld + j];
        solve_panel(t, (const REAL(*)[EDGE])near, x);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < t->n; j++)
                here[i * ld + j] = x[j][i];
    }
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
    const REAL *part = (const REAL *)t->p + r * t->rs + c * t->cs;
    GEMM(CblasRowMajor, CblasNoTrans, turned ? CblasTrans : CblasNoTrans, (int)m, (int)cols, (int)rows, -1, x, (int)ld,
         part, (int)(turned ? t->cs : t->rs), 1, to, (int)ld);
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
    GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, -1, x, (int)ldx, y, (int)ldy, 1, c, (int)ldc);
}

static void update_self(void *c, int64_t ldc, const void *x, int64_t ldx, int64_t n, int64_t k)
{
    SYRK(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)k, -1, x, (int)ldx, 1, c, (int)ldc);
}

static int64_t potrf(void *p, int64_t n, int64_t ld)
{
    REAL *a = p;
    if (n <= LEAF)
        return potrf_leaf(a, n, ld);
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
