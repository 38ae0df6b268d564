/* Products, Cholesky and LU factorisations of matrices whose blocks are distributed over a grid of ranks.
 * Must not know: tensors, how ranks exchange data. */
#ifndef ORR_ENGINE_BLOCK_CYCLIC_H
#define ORR_ENGINE_BLOCK_CYCLIC_H

#include "runtime/base/dtype.h"
#include "runtime/base/status.h"

/* One rank's part of a matrix. Block (i, j) is on rank first + (i mod grid_rows) · row_step + (j mod grid_cols) · col_step. A rank's
 * blocks are stored together, row-major, in their order: local has orr__block_cyclic_extent rows and columns. An axis of one part is not
 * cut, whatever its block. */
typedef struct {
    int64_t rows, cols, block_rows, block_cols;
    int grid_rows, grid_cols, first, row_step, col_step;
    void *local;
    int64_t ld; /* elements from one local row to the next */
} orr__block_cyclic;

/* The number of elements in part number `part` of `parts`, of an axis of n elements. */
int64_t orr__block_cyclic_extent(int64_t n, int64_t block, int parts, int part);

/* True if the running engine has the operations below: the same on all ranks of one build. */
bool orr__block_cyclic_can(void);
/* Collective, once the engine runs, where there are several ranks: from now on it can if the engines of all ranks can. */
orr_status orr__block_cyclic_agree(orr__site at);
/* The number of naps of full length that this rank's worker has made while it waited for tiles. */
long long orr__block_cyclic_long_naps(void);

/* All are collective: all ranks call them in the same order with the same arguments, except for `local`, `ld` and, if replicas compute
 * side by side, `first`. They wait, so tasks must not call them. Their status is the same on all ranks. */

/* C ← op(A) · op(B), where op transposes if ta or tb is set; f32 and f64. Distributions are free: blocks need not match, grids may
 * differ. */
orr_status orr__block_cyclic_product(orr__site at, orr_dtype t, const orr__block_cyclic *c, const orr__block_cyclic *a,
                                     bool ta, const orr__block_cyclic *b, bool tb);
/* The lower factor, with zeros above, of the matrix at `from`, which is stored as the factor is (`ld` too) and may be in its memory. The
 * upper triangle of the matrix is not read. ORR_ENUMERIC, on every rank: A is not positive definite, and the factor's content is
 * undefined. */
orr_status orr__block_cyclic_cholesky(orr__site at, orr_dtype t, const orr__block_cyclic *a, const void *from);

/* The triangular factors of a square matrix with row exchanges, and their use. */
typedef struct orr__block_cyclic_lu {
    /* Of n rows, and n columns, or n + 1: then `local` receives both triangles in n columns, and in the last one the number of the
     * matrix row at each position. */
    const orr__block_cyclic *a;
    const void *from; /* the matrix, cut as `a` is, in rows of from_ld elements */
    int64_t from_ld;
    /* NULL, or X with A·X = B: cut as `a` along its rows, on its grid. A pivot that is 0 is ORR_ENUMERIC then. b: B, stored as X is. */
    const orr__block_cyclic *x;
    const void *b;
    double *det; /* NULL, or the determinant, its sign and the logarithm of its magnitude, on every rank */
} orr__block_cyclic_lu;
/* Pivots are those of LAPACK's getrf. Collective as above. */
orr_status orr__block_cyclic_lu_of(orr__site at, orr_dtype t, const orr__block_cyclic_lu *lu);

/* The implementation of an engine: arguments are checked before. */
typedef struct orr__block_cyclic_impl {
    bool (*can)(void);
    orr_status (*product)(orr__site at, orr_dtype t, const orr__block_cyclic *c, const orr__block_cyclic *a, bool ta,
                          const orr__block_cyclic *b, bool tb);
    orr_status (*cholesky)(orr__site at, orr_dtype t, const orr__block_cyclic *a, const void *from);
    orr_status (*lu)(orr__site at, orr_dtype t, const orr__block_cyclic_lu *lu);
    long long (*long_naps)(void);
} orr__block_cyclic_impl;

#endif
