/* Shared by the operations of linear algebra: operands, results with several arrays in one row, plain algorithms.
 * Must not know: any single operation, LAPACK. */
#ifndef ORR_OPS_LINALG_H
#define ORR_OPS_LINALG_H

#include <orrery/linalg.h>
#include "ops/back.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "runtime/base/complex.h"
#include "runtime/graph/distribution.h"

/* Checks an operand of rank 2 or more, f32, f64, c64 or c128, whose last two dimensions fit LAPACK's int; false:
 * return *bad. */
bool orr__matrix_operand(orr__site at, const orr_tensor *a, const char *name, orr__node **n, orr_tensor **bad);
/* As orr__matrix_operand, for square matrices. */
bool orr__square_operand(orr__site at, const orr_tensor *a, const char *name, orr__node **n, orr_tensor **bad);

/* Broadcasts two stacks of matrices to one batch; false: return *bad. */
bool orr__stacks(orr__site at, orr_tensor **a, orr_tensor **b, orr_tensor **bad);

/* The matrices of a shape: rows, columns, the smaller of both, and the number of matrices. */
typedef struct orr__extent {
    int64_t m, n, k, batch;
} orr__extent;
orr__extent orr__extent_of(const orr_shape *s);

/* True if the ranks of a grid factorise a matrix together: one square matrix in blocks over a grid. *rows, *cols: the axes of the grid
 * that cut it; −1: none. */
bool orr__blocks_over_ranks(const orr_shape *s, orr_dtype t, const orr__distribution *d, int *rows, int *cols);

/* -- packed results: one row for each matrix of the batch, with several arrays one after another -------------------- */

/* A node of `op` on the operand, with its batch and dtype and rows of `length` elements. */
orr_tensor *orr__packed(orr__site at, const orr__op *op, orr__node *in, int64_t length, unsigned mask);
/* As orr__packed, with complex elements for any operand. */
orr_tensor *orr__packed_complex(orr__site at, const orr__op *op, orr__node *in, int64_t length, unsigned mask);
/* Elements [from, from + rows·cols) of each row as a matrix; cols < 0: as a vector of `rows`. */
orr_tensor *orr__piece(orr__site at, orr_tensor *packed, int64_t from, int64_t rows, int64_t cols);
/* A vector of real results: the real part of the piece, or, for a real row, the piece. */
orr_tensor *orr__real_piece(orr__site at, orr_tensor *packed, int64_t from, int64_t rows);
/* Checks a packed node; NULL if it is correct. */
const char *orr__packed_verify(const orr__node *n, const orr__node *a, int64_t length);
/* The contract of a factorisation, except for its callbacks. The kernel processes one matrix after another. */
#define ORR__FACTORISATION(word, operands)                                                                             \
    .id = ORR__OP_##word, .name = #word, .arity = operands, .kinds = ORR__TAKES_COMPLEX,                               \
    .pattern = ORR__PATTERN_KERNEL, .attrs = ORR__ATTR_MASK, .flags = ORR__OP_MAY_FAIL | ORR__OP_BORROWS,              \
    .verify = verify, .reference = reference, .vjp = vjp, .distribute = orr__rule_matrices, .work = work,              \
    .space = orr__packed_space
/* The iteration space: matrices × the rest. */
int orr__packed_space(const orr__call *c, int64_t *dim);

/* -- building blocks of derivatives, composed of public operations ---------------------------------------------------- */

orr_tensor *orr__mm(const orr__back *b, orr_tensor *x, orr_tensor *y);
orr_tensor *orr__tr(const orr__back *b, orr_tensor *x);
orr_tensor *orr__plus(const orr__back *b, orr_tensor *x, orr_tensor *y);
orr_tensor *orr__minus(const orr__back *b, orr_tensor *x, orr_tensor *y);
orr_tensor *orr__times(const orr__back *b, orr_tensor *x, orr_tensor *y);
/* x · diag(s), diag(s) · x. */
orr_tensor *orr__columns(const orr__back *b, orr_tensor *x, orr_tensor *s);
orr_tensor *orr__rows(const orr__back *b, orr_tensor *s, orr_tensor *x);
/* diag(s). */
orr_tensor *orr__diagonal_matrix(const orr__back *b, orr_tensor *s);
/* Quotients in which equal values make 0/0. Functions that do not depend on the choice of vectors have a limit there, the
 * quotient of the derivatives along a change of the values that separates them: value number k grows by k, from 1 on, and
 * the vectors stay.
 * orr__apart: the derivative of the cotangent g along it, for the values [from, from + n) of the packed result; NaN where g has none,
 * or has many nodes. orr__numbers: 1, 2, …, the derivative of s itself. */
orr_tensor *orr__apart(const orr__back *b, orr_tensor *g, int64_t from, int64_t n);
orr_tensor *orr__numbers(const orr__back *b, orr_tensor *s);
/* y / by; where both are rounding beside most_y and most_by, y_slope / by_slope. A y that is not small there depends on the
 * choice of vectors, and has no limit. */
orr_tensor *orr__quotient(const orr__back *b, orr_tensor *y, orr_tensor *most_y, orr_tensor *by, orr_tensor *most_by,
                          orr_tensor *y_slope, orr_tensor *by_slope);
/* s_j − s_i, or with `sum` s_j + s_i. */
orr_tensor *orr__pairs(const orr__back *b, orr_tensor *s, bool sum);
/* max |x| over the last one or two axes, which stay. */
orr_tensor *orr__greatest(const orr__back *b, orr_tensor *x, int axes);
/* x with zeros on the diagonal. */
orr_tensor *orr__off_diagonal(const orr__back *b, orr_tensor *x);
/* The conjugate, for real tensors x; the adjoint, for real tensors the transpose. */
orr_tensor *orr__conj(const orr__back *b, orr_tensor *x);
orr_tensor *orr__adjoint(const orr__back *b, orr_tensor *x);
/* The real part as a tensor of x's dtype. */
orr_tensor *orr__real_part(const orr__back *b, orr_tensor *x);
/* op(A)⁻¹·B of operands that fit; op(A) is Aᵀ if `transposed`. */
orr_tensor *orr__solve(orr__site at, orr_tensor *a, orr_tensor *b, bool transposed);
/* x · op(t)⁻¹ for a triangle t. */
orr_tensor *orr__right(const orr__back *b, orr_tensor *t, orr_tensor *x, bool lower, bool transposed);

/* -- plain algorithms on row-major matrices, for references ------------------------------------------------------------ */

typedef long double complex orr__number; /* real matrices have imaginary parts 0 */
/* n zeros; NULL: no memory. */
orr__number *orr__plain(int64_t n);
/* Reads or sets element i; a real array stores the real part. */
orr__number orr__plain_get(const orr__array *a, int64_t i);
void orr__plain_set(const orr__array *a, int64_t i, orr__number v);
bool orr__plain_finite(orr__number v);
/* Matrix q of operand k. */
void orr__plain_load(const orr__reference *j, int k, int64_t q, int64_t count, orr__number *to);
/* Replaces a (m × n) by L below and U above the diagonal; row i of L·U is row p[i] of a. Returns the sign of p. *singular: the
 * first pivot that is 0; min(m, n) if none. */
int orr__plain_lu(orr__number *a, int64_t m, int64_t n, int64_t *p, int64_t *singular);
/* One-sided Jacobi: a (m × n, m ≥ n) becomes U·S, v (n × n) V of A = U·S·Vᴴ, s descending. */
void orr__plain_svd(orr__number *a, int64_t m, int64_t n, orr__number *s, orr__number *v);
/* Jacobi: eigenvalues w, ascending, and eigenvectors, the columns of v. Reads the lower triangle of a and overwrites
 * a. */
void orr__plain_eigh(orr__number *a, int64_t n, orr__number *w, orr__number *v);
/* c = x·y (m × k, k × n). */
void orr__plain_product(const orr__number *x, const orr__number *y, orr__number *c, int64_t m, int64_t k, int64_t n);
/* Sets the error for matrix q of the batch of operand 0; `so` describes the matrix. */
orr_status orr__plain_fail(const orr__reference *j, int64_t q, const char *so);

#endif
