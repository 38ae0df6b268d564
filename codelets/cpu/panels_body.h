/* Body of dense_f32.c …: block columns of one matrix by LAPACK. Behind dense_body.h, whose words it uses; PANELS is the table's name.
 * Must not know: other dtypes. */
#include "codelets/cpu/panels.h"

void LAPACK(laswp)(const int *n, ELEM *a, const int *lda, const int *k1, const int *k2, const int *ipiv,
                   const int *incx);
void LAPACK(trsm)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
                  const ELEM *alpha, const ELEM *a, const int *lda, ELEM *b, const int *ldb, size_t, size_t, size_t,
                  size_t);
void LAPACK(geqrt)(const int *m, const int *n, const int *nb, ELEM *a, const int *lda, ELEM *t, const int *ldt,
                   ELEM *work, int *info);
void LAPACK(gemqrt)(const char *side, const char *trans, const int *m, const int *n, const int *k, const int *nb,
                    const ELEM *v, const int *ldv, const ELEM *t, const int *ldt, ELEM *c, const int *ldc, ELEM *work,
                    int *info, size_t, size_t);

/* cols columns of m elements, ld apart. */
static void fetch(const orr__block_from *from, ELEM *to, int64_t m, int64_t cols, int64_t ld)
{
    enum { SIDE = 16 };
    const ELEM *a = from->matrix;
    for (int64_t c = 0; c < cols && from->block; c++)
        copy(to + c * ld, (const ELEM *)from->block + c * m, m);
    for (int64_t r0 = 0; r0 < m && a; r0 += SIDE)
        for (int64_t c0 = 0; c0 < cols; c0 += SIDE)
            for (int64_t c = c0; c < c0 + SIDE && c < cols; c++)
                for (int64_t r = r0; r < r0 + SIDE && r < m; r++)
                    to[c * ld + r] = a[r * from->n + from->column + c];
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

static void lu_apply(const orr__block *panel, const orr__block_from *from, void *out, int64_t m, int64_t cols,
                     int64_t at, int *ints)
{
    const ELEM one = 1, minus = -1, *f = (const ELEM *)panel->p + at;
    ELEM *x = (ELEM *)out + at;
    int n = (int)cols, k = (int)panel->cols, ldf = (int)panel->ld, ld = (int)m, first = 1, below = (int)(m - at) - k;
    fetch(from, out, m, cols, m);
    for (int c = 0; c < k; c++)
        ints[c] = (int)(PART(f[c * panel->ld + m - at]) - (double)at) + 1;
    LAPACK(laswp)(&n, x, &ld, &first, &k, ints, &first);
    LAPACK(trsm)("L", "L", "N", "U", &k, &n, &one, f, &ldf, x, &ld, 1, 1, 1, 1);
    if (below > 0)
        LAPACK(gemm)("N", "N", &below, &n, &k, &minus, f + k, &ldf, x, &ld, &one, x + k, &ld, 1, 1);
}

static void exchange(const orr__block *panel, void *column, int64_t m, int64_t at)
{
    const ELEM *f = panel->p;
    ELEM *x = column;
    for (int64_t c = 0; c < panel->cols; c++) {
        int64_t p = (int64_t)PART(f[c * panel->ld + m]);
        ELEM was = x[at + c];
        x[at + c] = x[p];
        x[p] = was;
    }
}

static int64_t qr_panel(const orr__block_from *from, void *out, int64_t m, int64_t cols, int64_t inner, int64_t at,
                        void *room)
{
    ELEM *x = out;
    int rows = (int)(m - at), n = (int)cols, nb = (int)(inner < cols ? inner : cols), ld = (int)(m + inner), info = 0;
    fetch(from, x, m, cols, ld);
    for (int64_t c = 0; c < cols; c++)
        memset(x + c * ld + m, 0, (size_t)inner * sizeof *x);
    LAPACK(geqrt)(&rows, &n, &nb, x + at, &ld, x + m, &ld, room, &info);
    return info;
}

static int64_t qr_apply(const orr__block *panel, const orr__block_from *from, void *out, int64_t m, int64_t cols,
                        int64_t inner, int64_t at, bool back, void *room)
{
    const ELEM *f = panel->p;
    int rows = (int)(m - at), n = (int)cols, k = (int)panel->cols, nb = (int)inner < k ? (int)inner : k,
        ldf = (int)panel->ld, ld = (int)m, info = 0;
    fetch(from, out, m, cols, m);
    LAPACK(gemqrt)
    ("L", back ? "N" : ADJOINT, &rows, &n, &k, &nb, f + at, &ldf, f + m, &ldf, (ELEM *)out + at, &ld, room, &info, 1,
     1);
    return info;
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

const orr__panels PANELS = {
    .room = panel_room,
    .lu_panel = lu_panel,
    .lu_apply = lu_apply,
    .exchange = exchange,
    .qr_panel = qr_panel,
    .qr_apply = qr_apply,
    .det = panels_det,
};
