/* The part of dense_body.h for block columns of one matrix.
 * Must not know: other dtypes. */
#include "codelets/cpu/panels.h"

void LAPACK(laswp)(const int *n, ELEM *a, const int *lda, const int *k1, const int *k2, const int *ipiv,
                   const int *incx);
void LAPACK(trsm)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
                  const ELEM *alpha, const ELEM *a, const int *lda, ELEM *b, const int *ldb, size_t, size_t, size_t,
                  size_t);
void LAPACK(trsv)(const char *uplo, const char *trans, const char *diag, const int *n, const ELEM *a, const int *lda,
                  ELEM *x, const int *incx, size_t, size_t, size_t);
void LAPACK(gemv)(const char *trans, const int *m, const int *n, const ELEM *alpha, const ELEM *a, const int *lda,
                  const ELEM *x, const int *incx, const ELEM *beta, ELEM *y, const int *incy, size_t);
void LAPACK(geqrt)(const int *m, const int *n, const int *nb, ELEM *a, const int *lda, ELEM *t, const int *ldt,
                   ELEM *work, int *info);
void LAPACK(gemqrt)(const char *side, const char *trans, const int *m, const int *n, const int *k, const int *nb,
                    const ELEM *v, const int *ldv, const ELEM *t, const int *ldt, ELEM *c, const int *ldc, ELEM *work,
                    int *info, size_t, size_t);

/* Copies cols columns of m elements to columns of ld, and fills with zeros; a block that is changed in place has these
 * already. */
static void fetch(const orr__block_from *from, ELEM *to, int64_t m, int64_t cols, int64_t ld)
{
    const ELEM *a = from->matrix;
    if (from->block == to)
        return;
    for (int64_t c = 0; c < cols; c++)
        memset(to + c * ld + m, 0, (size_t)(ld - m) * sizeof *to);
    for (int64_t c = 0; c < cols && from->block; c++)
        copy(to + c * ld, (const ELEM *)from->block + c * (m + from->behind), m);
    if (a)
        turn_to(to, ld, a + from->column, from->n, m, cols);
    for (int64_t c = 0; c < cols && !a && !from->block; c++) {
        memset(to + c * ld, 0, (size_t)m * sizeof *to);
        to[c * ld + from->column + c] = 1;
    }
}

static int64_t panel_room(int64_t cols, int64_t inner)
{
    return (cols + 1) * (inner + 1);
}

static int64_t lu_panel(const orr__block_from *from, void *out, int64_t m, int64_t cols, int64_t at, int *ints)
{
    ELEM *x = out;
    int rows = (int)(m - at), n = (int)cols, ld = (int)(m + 1), info = 0;
    fetch(from, x, m, cols, ld);
    LAPACK(getrf)(&rows, &n, x + at, &ld, ints, &info);
    for (int64_t c = 0; c < cols; c++)
        x[c * ld + m] = (REAL)(ints[c] - 1 + at);
    return info > 0 ? info + at : info;
}

/* A panel's pivots in LAPACK's numbering, from row `at`. */
static void pivots_of(const orr__block *panel, int64_t m, int64_t at, int *ints)
{
    const ELEM *f = panel->p;
    for (int64_t c = 0; c < panel->cols; c++)
        ints[c] = (int)(PART(f[c * panel->ld + m]) - (double)at) + 1;
}

static void lu_apply(const orr__block *panel, const orr__block_from *from, void *out, int64_t m, int64_t cols,
                     int64_t at, int *ints)
{
    const ELEM one = 1, minus = -1, *f = (const ELEM *)panel->p + at;
    ELEM *x = (ELEM *)out + at;
    int n = (int)cols, k = (int)panel->cols, ldf = (int)panel->ld, ld = (int)m + 1, first = 1,
        below = (int)(m - at) - k;
    fetch(from, out, m, cols, ld);
    pivots_of(panel, m, at, ints);
    LAPACK(laswp)(&n, x, &ld, &first, &k, ints, &first);
    LAPACK(trsm)("L", "L", "N", "U", &k, &n, &one, f, &ldf, x, &ld, 1, 1, 1, 1);
    if (below > 0)
        LAPACK(gemm)("N", "N", &below, &n, &k, &minus, f + k, &ldf, x, &ld, &one, x + k, &ld, 1, 1);
}

/* Composes `order` with the exchanges of a panel before those of `order`: element r of the result is element order[r]
 * of the panel's columns. */
static void exchange(const orr__block *panel, int64_t m, int64_t at, int *order, int *was)
{
    const ELEM *f = panel->p;
    for (int64_t r = 0; r < m; r++)
        was[r] = (int)r;
    for (int64_t c = 0; c < panel->cols; c++) {
        int64_t p = (int64_t)PART(f[c * panel->ld + m]);
        int here = was[at + c];
        was[at + c] = was[p];
        was[p] = here;
    }
    for (int64_t r = 0; r < m; r++)
        order[r] = was[order[r]];
}

static void lu_join(const orr__block *block, int count, int panels, void *out, int64_t m, int64_t n, int64_t lo,
                    int64_t hi, void *room, int *ints)
{
    enum { SIDE = ORR__PANELS_TURNED };
    ELEM *to = out, *column = room;
    int *order = ints, *was = ints + m;
    int64_t at = 0, rows = hi - lo, ld = n + 1;
    for (int64_t r = 0; r < m; r++)
        order[r] = (int)r;
    for (int k = 0; k < count; k++)
        at += block[k].cols;
    for (int k = count - 1; k >= 0; k--) {
        at -= block[k].cols;
        for (int64_t c0 = 0; c0 < block[k].cols && n > 0; c0 += SIDE) {
            int64_t some = block[k].cols - c0 < SIDE ? block[k].cols - c0 : SIDE;
            for (int64_t c = 0; c < some; c++) {
                const ELEM *from = (const ELEM *)block[k].p + (c0 + c) * block[k].ld;
                for (int64_t r = 0; r < rows; r++)
                    column[c * rows + r] = from[order[lo + r]];
            }
            turn_to(to + lo * ld + at + c0, ld, column, rows, some, rows);
        }
        if (k < panels)
            exchange(&block[k], m, at, order, was);
    }
    for (int64_t r = lo; r < hi; r++)
        to[r * ld + n] = (REAL)order[r];
}

static int64_t qr_panel(const orr__block_from *from, void *out, int64_t m, int64_t cols, int64_t inner, int64_t at,
                        void *room)
{
    ELEM *x = out;
    int rows = (int)(m - at), n = (int)cols, nb = (int)(inner < cols ? inner : cols), ld = (int)(m + inner), info = 0;
    fetch(from, x, m, cols, ld);
    LAPACK(geqrt)(&rows, &n, &nb, x + at, &ld, x + m, &ld, room, &info);
    return info;
}

static int64_t qr_apply(const orr__block *panel, const orr__block_from *from, void *out, int64_t m, int64_t cols,
                        int64_t inner, int64_t at, bool back, void *room)
{
    const ELEM *f = panel->p;
    int rows = (int)(m - at), n = (int)cols, k = (int)panel->cols, nb = (int)inner < k ? (int)inner : k,
        ldf = (int)panel->ld, ld = (int)(m + inner), info = 0;
    fetch(from, out, m, cols, ld);
    LAPACK(gemqrt)
    ("L", back ? "N" : ADJOINT, &rows, &n, &k, &nb, f + at, &ldf, f + m, &ldf, (ELEM *)out + at, &ld, room, &info, 1,
     1);
    return info;
}

/* x ← T⁻¹·x for a triangle of order k in the panel, then y ← y − F·x for `rows` rows of the panel. */
static void eliminate(const char *uplo, const char *diag, int k, const ELEM *t, int rows, const ELEM *f, int ldf,
                      ELEM *x, ELEM *y, int cols, int ld)
{
    const ELEM one = 1, minus = -1;
    int step = 1;
    if (cols == 1) {
        LAPACK(trsv)(uplo, "N", diag, &k, t, &ldf, x, &step, 1, 1, 1);
        if (rows > 0)
            LAPACK(gemv)("N", &rows, &k, &minus, f, &ldf, x, &step, &one, y, &step, 1);
    } else {
        LAPACK(trsm)("L", uplo, "N", diag, &k, &cols, &one, t, &ldf, x, &ld, 1, 1, 1, 1);
        if (rows > 0)
            LAPACK(gemm)("N", "N", &rows, &cols, &k, &minus, f, &ldf, x, &ld, &one, y, &ld, 1, 1);
    }
}

static void panels_solve(const orr__block *panel, int n, const void *b, int64_t more, void *out, int64_t m, int64_t lo,
                         int64_t hi, int *ints)
{
    ELEM *x = (ELEM *)out + lo * m;
    int cols = (int)(hi - lo), ld = (int)m, first = 1;
    int64_t at = 0;
    fetch(&(orr__block_from){ .matrix = b, .n = more, .column = lo }, x, m, hi - lo, m);
    for (int k = 0; k < n; at += panel[k++].cols) {
        const ELEM *f = (const ELEM *)panel[k].p + at;
        int width = (int)panel[k].cols;
        if (!b && at + width <= lo) /* all zeros so far */
            continue;
        int begun = b || at >= hi ? cols : at > lo ? (int)(at - lo) : 0; /* the others are 0, on the diagonal 1 */
        if (begun > 0) {
            pivots_of(&panel[k], m, at, ints);
            LAPACK(laswp)(&begun, x + at, &ld, &first, &width, ints, &first);
        }
        eliminate("L", "U", width, f, (int)(m - at) - width, f + width, (int)panel[k].ld, x + at, x + at + width, cols,
                  ld);
    }
    for (int k = n - 1; k >= 0; k--) {
        const ELEM *f = panel[k].p;
        at -= panel[k].cols;
        eliminate("U", "N", (int)panel[k].cols, f + at, (int)at, f, (int)panel[k].ld, x + at, x, cols, ld);
    }
}

static void panels_det(const orr__block *panel, int n, int64_t m, void *out)
{
    determinant d = { .product = 1, .sign = 1 };
    for (int64_t k = 0, at = 0; k < n; at += panel[k++].cols)
        for (int64_t c = 0; c < panel[k].cols; c++) {
            const ELEM *x = (const ELEM *)panel[k].p + c * panel[k].ld;
            factor_of(&d, x[at + c], (int64_t)PART(x[m]) != at + c);
        }
    determinant_is(&d, out);
}

static const orr__panels panels = {
    .room = panel_room,
    .lu_panel = lu_panel,
    .lu_apply = lu_apply,
    .lu_join = lu_join,
    .solve = panels_solve,
    .qr_panel = qr_panel,
    .qr_apply = qr_apply,
    .det = panels_det,
};
