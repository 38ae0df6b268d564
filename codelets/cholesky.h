/* The tile operations of a Cholesky factorisation: their list, their order, their tiles, and a call for each. The order
 * and the tile sizes depend on the matrix alone: every engine gets the same bits.
 * Must not know: StarPU, plans. */
#ifndef ORR_CODELETS_CHOLESKY_H
#define ORR_CODELETS_CHOLESKY_H

#include "codelets/codelet.h"

typedef enum {
    ORR__POTRF, /* tile (k, k) becomes its factor                    */
    ORR__TRSM,  /* tile (i, k) ← (i, k) · (k, k)⁻ᵀ                    */
    ORR__SYRK,  /* tile (i, i) ← (i, i) − (i, k) · (i, k)ᵀ            */
    ORR__GEMM,  /* tile (i, j) ← (i, j) − (i, k) · (j, k)ᵀ            */
    ORR__TILE_KINDS
} orr__tilekind;

typedef struct {
    orr__tilekind kind;
    int i, j, k; /* the operation changes tile (i, j); k: the column of the factor that it reads */
} orr__tileop;

/* A tile in memory, row-major. */
typedef struct {
    void *p;
    int64_t ld;
} orr__tileat;

int64_t orr__cholesky_block(int64_t n); /* rows and columns of a tile; the last tile may be smaller */
int orr__cholesky_tiles(int64_t n);     /* tiles along one side */
int64_t orr__cholesky_ops(int64_t n);
/* The operation after *op ({ ORR__POTRF, 0, 0, 0 } is the first); false: *op was the last. */
bool orr__cholesky_next(orr__tileop *op, int tiles);
/* The tiles that the operation reads besides (i, j): 0, 1 or 2. */
int orr__cholesky_reads(const orr__tileop *op, int tile[2][2]);
double orr__cholesky_flops(const orr__tileop *op, int64_t n);
/* at[0] is the operation's tile; at[1], … are the tiles that it reads. *minor: 0, or the order of the leading minor of
 * the matrix that is not positive. Sets the last error if there is no memory for BLAS. */
orr_status orr__cholesky_tile(const orr__tileop *op, orr_dtype t, int64_t n, const orr__tileat *at, int64_t *minor);
/* The same for tiles of any extents. rows: of the tiles in rows i, j and k. *minor counts within the tile. */
orr_status orr__cholesky_apply(orr__tilekind kind, orr_dtype t, const int64_t rows[3], const orr__tileat *at,
                               int64_t *minor);
/* An operation on tiles in a device's memory; at[0] is the tile that it changes. The result of a potrf is known through
 * `after`. */
typedef struct orr__tilejob {
    orr__tileop op;
    orr_dtype dtype;
    int64_t n; /* order of the matrix */
    orr__tileat at[3];
    const orr__region *region;
    int64_t matrix; /* its number in the batch */
    void *queue;
    orr__after *after;
    bool begun; /* the device may have written the tile: a failed operation must not be repeated */
} orr__tilejob;
/* Rows of the tiles in row i of a matrix of order n. */
int64_t orr__cholesky_rows(int64_t n, int i);

/* Copies the lower triangle of rows [lo, hi) of a, n × n, to l, and writes zeros above it. */
void orr__cholesky_load(orr_dtype t, int64_t n, int64_t lo, int64_t hi, const void *a, void *l);
/* The error for matrix number `matrix` of the region's batch. */
orr_status orr__cholesky_fail(const orr__region *r, int64_t matrix, int64_t minor);

#endif
