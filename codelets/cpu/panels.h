/* Factorisations of one large matrix by block columns: the panels, their updates of the columns beside them, the results.
 * Must not know: StarPU, plans, the order of the operations. */
#ifndef ORR_CPU_PANELS_H
#define ORR_CPU_PANELS_H

#include "codelets/codelet.h"
#include "runtime/base/threshold.h"

/* Columns that are transposed together. */
enum { ORR__PANELS_TURNED = ORR__VECTOR };

/* A block column in memory: its columns are stored as rows of `ld` elements, of which the first m belong to the matrix. */
typedef struct orr__block {
    const void *p;
    int64_t cols, ld;
} orr__block;

/* The source of a block, which may be its destination: columns [column, column + cols) of a row-major matrix of n columns, or another
 * block. If both are NULL: columns of the unit matrix. */
typedef struct orr__block_from {
    const void *matrix;
    const void *block;
    int64_t n, column, behind; /* behind: additional elements after each column of a block */
} orr__block_from;

/* m: rows of the matrix; at: the row of the panel's first diagonal element. */
typedef struct orr__panels {
    int64_t (*room)(int64_t cols, int64_t inner); /* elements of workspace                           */
    /* cols columns of m elements, each followed by a pivot row, from 0. Returns the number of the first pivot that is 0, from 1; 0:
     * none. */
    int64_t (*lu_panel)(const orr__block_from *from, void *out, int64_t m, int64_t cols, int64_t at, int *ints);
    void (*lu_apply)(const orr__block *panel, const orr__block_from *from, void *out, int64_t m, int64_t cols,
                     int64_t at, int *ints);
    /* Rows [lo, hi) of both triangles (m × n; n = 0: no triangles) in rows of n + 1 elements; the last is the number of the matrix row at
     * that position. The first `panels` blocks are panels. room: ORR__PANELS_TURNED · (hi − lo) elements; ints: 2 · m. */
    void (*lu_join)(const orr__block *block, int count, int panels, void *out, int64_t m, int64_t n, int64_t lo,
                    int64_t hi, void *room, int *ints);
    /* R above, Householder's vectors below the diagonal; each column is followed by `inner` elements of the factor T. */
    int64_t (*qr_panel)(const orr__block_from *from, void *out, int64_t m, int64_t cols, int64_t inner, int64_t at,
                        void *room);
    int64_t (*qr_apply)(const orr__block *panel, const orr__block_from *from, void *out, int64_t m, int64_t cols,
                        int64_t inner, int64_t at, bool back, void *room);
    /* Rows [lo, hi) of `out`, each of m elements: columns of X with A·X = B, where B is row-major with `more` columns. NULL: X =
     * U⁻¹·L⁻¹. */
    void (*solve)(const orr__block *panel, int n, const void *b, int64_t more, void *out, int64_t m, int64_t lo,
                  int64_t hi, int *ints);
    /* The determinant, its sign and its logarithm from n panels. */
    void (*det)(const orr__block *panel, int n, int64_t m, void *out);
} orr__panels;

#endif
