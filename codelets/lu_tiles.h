/* The tile operations of an LU factorisation with row exchanges, and of a solve by its factors. Tiles are row-major, f32 or f64.
 * Must not know: StarPU, plans, where the tiles come from. */
#ifndef ORR_CODELETS_LU_TILES_H
#define ORR_CODELETS_LU_TILES_H

#include "codelets/cholesky.h"

/* The row exchanges of a panel of w columns, as three rows of w numbers of the dtype. Rows are counted from the panel's first one, and the
 * top is its first w rows. SOURCE: the row that comes to place c of the top. TARGET: a row below that takes a row of the top, −1: none;
 * TOP: the latter. */
enum { ORR__LU_SOURCE, ORR__LU_TARGET, ORR__LU_TOP, ORR__LU_MOVES };
int64_t orr__lu_move(orr_dtype t, const orr__tileat *moves, int which, int64_t c);

/* Factors a panel: `tiles` tiles one below the other, `from`, each of rows[i] rows and w columns; the factors go to `to`. The pivot of a column
 * is the element of the largest magnitude, as LAPACK has it. *bad: the number of the first pivot that is 0, from 1; 0: none. Sets the last
 * error if there is no memory. */
orr_status orr__lu_panel(orr_dtype t, int tiles, const int64_t *rows, int64_t w, const orr__tileat *from,
                         const orr__tileat *to, const orr__tileat *moves, int64_t *bad);
/* Copies row `at` of one tile to row `to` of another, of n columns. */
void orr__lu_copy_row(orr_dtype t, const orr__tileat *from, int64_t at, const orr__tileat *to, int64_t row, int64_t n);
/* Moves rows of the top, as they were before the panel, to a tile whose rows are first … first + rows − 1. */
void orr__lu_place(orr_dtype t, const orr__tileat *moves, int64_t w, int64_t first, int64_t rows, int64_t n,
                   const orr__tileat *top, const orr__tileat *tile);
/* x ← M⁻¹·x for x of k × n, with the triangle of the tile m: the lower one with a diagonal of ones, or the upper one. Sets the last error
 * if there is no memory for BLAS, as the next function does. */
orr_status orr__lu_solve(orr_dtype t, bool upper, int64_t k, int64_t n, const orr__tileat *m, const orr__tileat *x);
/* c ← c − a·b for c of m × n, a of m × k. */
orr_status orr__lu_update(orr_dtype t, int64_t m, int64_t n, int64_t k, const orr__tileat *c, const orr__tileat *a,
                          const orr__tileat *b);

#endif
