/* A Cholesky factorisation as tiles: which operations there are, in which order, on which tiles, and each as a call.
 * The order, and the cuts, depend on the matrix alone: every engine gets the same bits.
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
    int i, j, k; /* it changes tile (i, j); k: the column of the factor that it is about */
} orr__tileop;

/* A tile in memory, row-major. */
typedef struct {
    void *p;
    int64_t ld;
} orr__tileat;

int64_t orr__cholesky_block(int64_t n); /* rows and columns of a tile; the last ones have what is left */
int orr__cholesky_tiles(int64_t n);     /* along one side */
int64_t orr__cholesky_ops(int64_t n);   /* operations     */
/* The operation after *op ({ ORR__POTRF, 0, 0, 0 } is the first); false: that was the last of them. */
bool orr__cholesky_next(orr__tileop *op, int tiles);
/* The tiles that it reads, (i, j) itself apart, 0 … 2 of them. */
int orr__cholesky_reads(const orr__tileop *op, int tile[2][2]);
double orr__cholesky_flops(const orr__tileop *op, int64_t n);
/* at[0]: its tile, at[1 …]: those that it reads. *minor: 0, or the order of the matrix's leading minor that is not
 * positive. Sets the last error when there is no memory for BLAS. */
orr_status orr__cholesky_tile(const orr__tileop *op, orr_dtype t, int64_t n, const orr__tileat *at, int64_t *minor);
/* The same for tiles of any extents. rows: of the tiles in rows i, j and k; *minor counts within the tile. */
orr_status orr__cholesky_apply(orr__tilekind kind, orr_dtype t, const int64_t rows[3], const orr__tileat *at,
                               int64_t *minor);
/* An operation on a device: tiles in its memory, at[0] that of the operation. The result of a potrf is known `after` it. */
typedef struct orr__tilejob {
    orr__tileop op;
    orr_dtype dtype;
    int64_t n; /* order of the matrix */
    orr__tileat at[3];
    const orr__region *region;
    int64_t matrix; /* its number in the batch */
    void *queue;
    orr__after *after;
    bool begun; /* the device may have written the tile: a failed operation cannot be done again then */
} orr__tilejob;
/* Rows of the tiles in row i of a matrix of order n. */
int64_t orr__cholesky_rows(int64_t n, int i);

/* Rows [lo, hi) of a, n × n, to their places in l: the lower triangle; zeros above it. */
void orr__cholesky_load(orr_dtype t, int64_t n, int64_t lo, int64_t hi, const void *a, void *l);
/* The error for matrix number `matrix` of the region's batch. */
orr_status orr__cholesky_fail(const orr__region *r, int64_t matrix, int64_t minor);

#endif
