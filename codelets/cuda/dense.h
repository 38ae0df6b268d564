/* Internals of linear algebra on CUDA: a launch, and its work by our own kernels on groups of matrices.
 * Must not know: StarPU, plans. */
#ifndef ORR_CUDA_DENSE_H
#define ORR_CUDA_DENSE_H

#include "codelets/cuda/cuda.h"

enum { ORR__PLAIN = 0, ORR__TURNED = 1, ORR__ADJOINT = 2 }; /* cublasOperation_t too */

/* Matrices of a group, one after the other in device memory; `info` and `bad` have one number for each matrix of the launch. */
typedef struct orr__cu_job {
    orr__site at;
    const orr__launch *l;
    const orr__cu_driver *cu;
    const orr__cu_dense *s;
    const orr__cu_batches *b;
    orr__cu_stream_memory *memory;
    int type;              /* f32, f64, c64, c128                            */
    int parts;             /* numbers of an element: 1, or 2 if it is complex */
    size_t z, part;        /* bytes of an element, of its real part          */
    int64_t m, n, k;       /* rows, columns; right-hand sides                */
    int64_t ea, eb, eo;    /* elements of an operand, of the other, of the result, for each matrix */
    int64_t q, c, room;    /* the group: its first matrix, their number; the largest number */
    int64_t ef, ex, least; /* elements of f and x for each matrix; the smaller of m and n  */
    unsigned mask;
    orr__cu_address f, x, tau, w, pivot, info, bad, pf, px, ptau; /* p…: the addresses of the arrays of each matrix */
    uint64_t *addresses;                                          /* those, on the host                             */
    int *pivots; /* on the host: of all matrices of the launch, NULL: not needed */
    char *diagonals;
    void *svd, *eigh; /* options of Jacobi's methods, NULL: not yet requested */
    orr_status st;
} orr__cu_job;

void orr__cu_dense_driver_ok(orr__cu_job *j, const char *call, int code);

/* A matrix of each of a group's members, column-major: columns are `ld` elements apart, members `each`. parts 0: those of the job's type. */
typedef struct orr__cu_block {
    orr__cu_address p;
    int64_t ld, each;
    int parts;
} orr__cu_block;
/* to (rows × cols) = op(from). Real numbers become complex ones. */
void orr__cu_arrange(orr__cu_job *j, int op, int64_t rows, int64_t cols, orr__cu_block from, orr__cu_block to);
/* Copies a triangle with its diagonal, and zeros in place of the other. Element (i, c) of row-major `to`, `row` elements for each i, is from
 * f[c·fc + i·fi]; lower: c ≤ i. */
void orr__cu_triangle(orr__cu_job *j, bool lower, int64_t rows, int64_t cols, int64_t fc, int64_t fi, int64_t row,
                      orr__cu_address to);
/* Reports in `bad` which matrices at a are not finite. half: only the lower triangle of square ones counts. */
void orr__cu_check_finite(orr__cu_job *j, orr__cu_address a, bool half);
/* The first w columns of the product of the reflections in f and tau, a column in each row of `to`. */
void orr__cu_reflections(orr__cu_job *j, int64_t w, int64_t row, orr__cu_address to);
/* Reports in `info` the first element of the diagonals in f that is not positive and finite. */
void orr__cu_check_positive(orr__cu_job *j);

#endif
