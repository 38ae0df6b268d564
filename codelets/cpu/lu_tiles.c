/* The tile operations of an LU factorisation by LAPACK and BLAS.
 * Must not know: StarPU, plans, where the tiles come from. */
#include "config.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cpu/call.h"
#include "codelets/lu_tiles.h"
#include "runtime/base/pool.h"

void sgetrf_(const int *m, const int *n, float *a, const int *lda, int *pivot, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);

static char *row_of(orr_dtype t, const orr__tileat *tile, int64_t r)
{
    return (char *)tile->p + (size_t)(r * tile->ld) * orr_dtype_size(t);
}

int64_t orr__lu_move(orr_dtype t, const orr__tileat *moves, int which, int64_t c)
{
    const char *row = row_of(t, moves, which);
    return (int64_t)(t == ORR_F64 ? ((const double *)row)[c] : (double)((const float *)row)[c]);
}

static void set_move(orr_dtype t, const orr__tileat *moves, int which, int64_t c, int64_t value)
{
    char *row = row_of(t, moves, which);
    if (t == ORR_F64)
        ((double *)row)[c] = (double)value;
    else
        ((float *)row)[c] = (float)value;
}

/* From LAPACK's exchanges, one after the other, to the rows that move. A row that goes down is always one of the top: the pivots above have
 * taken the others. row: m numbers. */
static void moves_of(orr_dtype t, const int *pivot, int64_t m, int64_t w, int64_t *row, const orr__tileat *moves)
{
    for (int64_t r = 0; r < m; r++)
        row[r] = r;
    for (int64_t c = 0; c < w && c < m; c++) {
        int64_t p = pivot[c] - 1, was = row[c];
        row[c] = row[p];
        row[p] = was;
    }
    for (int64_t c = 0; c < w; c++) {
        set_move(t, moves, ORR__LU_SOURCE, c, c < m ? row[c] : c);
        set_move(t, moves, ORR__LU_TARGET, c, -1);
        set_move(t, moves, ORR__LU_TOP, c, -1);
    }
    for (int64_t r = w, n = 0; r < m; r++)
        if (row[r] != r) {
            set_move(t, moves, ORR__LU_TARGET, n, r);
            set_move(t, moves, ORR__LU_TOP, n++, row[r]);
        }
}

#define TURN(T)                                                                                                        \
    for (int64_t c = 0; c < w; c++) {                                                                                  \
        T *column = (T *)x + c * m + first, *p = (T *)tile->p + c;                                                     \
        for (int64_t r = 0; r < rows; r++)                                                                             \
            if (back)                                                                                                  \
                p[r * tile->ld] = column[r];                                                                           \
            else                                                                                                       \
                column[r] = p[r * tile->ld];                                                                           \
    }
/* Copies a tile to rows `first` … of the columns x, of m elements each; or back. */
static void turn(orr_dtype t, bool back, const orr__tileat *tile, int64_t rows, int64_t w, int64_t first, int64_t m,
                 void *x)
{
    if (t == ORR_F64)
        TURN(double)
    else
        TURN(float)
}

orr_status orr__lu_panel(orr_dtype t, int tiles, const int64_t *rows, int64_t w, const orr__tileat *from,
                         const orr__tileat *to, const orr__tileat *moves, int64_t *bad)
{
    int64_t m = 0, first = 0;
    for (int i = 0; i < tiles; i++)
        m += rows[i];
    char *room = orr__alloc_n((size_t)m, 2 * sizeof(int64_t) + (size_t)w * orr_dtype_size(t));
    int place = room ? orr__cpu_blas_enter() : 0;
    if (!place) {
        free(room);
        return orr__fail(ORR__SITE(NULL, 0, "lu"), ORR_ENOMEM, "no memory for a panel of %lld rows", (long long)m);
    }
    int64_t *row = (int64_t *)room;
    int *pivot = (int *)(row + m), order = (int)m, n = (int)w, info = 0;
    void *x = row + 2 * m;
    for (int i = 0; i < tiles; first += rows[i++])
        turn(t, false, &from[i], rows[i], w, first, m, x);
    if (t == ORR_F64)
        dgetrf_(&order, &n, x, &order, pivot, &info);
    else
        sgetrf_(&order, &n, x, &order, pivot, &info);
    first = 0;
    for (int i = 0; i < tiles; first += rows[i++])
        turn(t, true, &to[i], rows[i], w, first, m, x);
    moves_of(t, pivot, m, w, row, moves);
    orr__cpu_blas_leave(place, true);
    free(room);
    *bad = info > 0 ? info : 0;
    return ORR_OK;
}

void orr__lu_copy_row(orr_dtype t, const orr__tileat *from, int64_t at, const orr__tileat *to, int64_t row, int64_t n)
{
    memcpy(row_of(t, to, row), row_of(t, from, at), (size_t)n * orr_dtype_size(t));
}

void orr__lu_place(orr_dtype t, const orr__tileat *moves, int64_t w, int64_t first, int64_t rows, int64_t n,
                   const orr__tileat *top, const orr__tileat *tile)
{
    for (int64_t c = 0; c < w; c++) {
        int64_t to = orr__lu_move(t, moves, ORR__LU_TARGET, c) - first;
        if (to >= 0 && to < rows)
            orr__lu_copy_row(t, top, orr__lu_move(t, moves, ORR__LU_TOP, c), tile, to, n);
    }
}

static orr_status no_blas(void)
{
    return orr__fail(ORR__SITE(NULL, 0, "lu"), ORR_ENOMEM, "no memory for the buffers of BLAS");
}

orr_status orr__lu_solve(orr_dtype t, bool upper, int64_t k, int64_t n, const orr__tileat *m, const orr__tileat *x)
{
    int place = orr__cpu_blas_enter();
    if (!place)
        return no_blas();
    const CBLAS_UPLO half = upper ? CblasUpper : CblasLower;
    const CBLAS_DIAG diagonal = upper ? CblasNonUnit : CblasUnit;
    if (t == ORR_F64)
        cblas_dtrsm(CblasRowMajor, CblasLeft, half, CblasNoTrans, diagonal, (int)k, (int)n, 1, m->p, (int)m->ld, x->p,
                    (int)x->ld);
    else
        cblas_strsm(CblasRowMajor, CblasLeft, half, CblasNoTrans, diagonal, (int)k, (int)n, 1, m->p, (int)m->ld, x->p,
                    (int)x->ld);
    orr__cpu_blas_leave(place, true);
    return ORR_OK;
}

orr_status orr__lu_update(orr_dtype t, int64_t m, int64_t n, int64_t k, const orr__tileat *c, const orr__tileat *a,
                          const orr__tileat *b)
{
    int place = orr__cpu_blas_enter();
    if (!place)
        return no_blas();
    if (t == ORR_F64)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, -1, a->p, (int)a->ld, b->p,
                    (int)b->ld, 1, c->p, (int)c->ld);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, -1, a->p, (int)a->ld, b->p,
                    (int)b->ld, 1, c->p, (int)c->ld);
    orr__cpu_blas_leave(place, true);
    return ORR_OK;
}
