/* Shared by the operations of linear algebra: operands, results that are several arrays in one row, plain algorithms.
 * Must not know: any single operation, LAPACK. */
#ifndef ORR_OPS_LINALG_H
#define ORR_OPS_LINALG_H

#include <orrery/linalg.h>
#include "ops/back.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "runtime/base/complex.h"

/* An operand of rank 2 or more, f32, f64, c64 or c128, whose last two dimensions LAPACK's int holds; false: *bad. */
bool orr__matrix_operand(orr__site at, const orr_tensor *a, const char *name, orr__node **n, orr_tensor **bad);
/* The same, and square. */
bool orr__square_operand(orr__site at, const orr_tensor *a, const char *name, orr__node **n, orr_tensor **bad);

/* Two stacks of matrices broadcast to one batch; false: *bad. */
bool orr__stacks(orr__site at, orr_tensor **a, orr_tensor **b, orr_tensor **bad);

/* The matrices of a shape: rows, columns, the smaller of both, and how many matrices. */
typedef struct orr__extent {
    int64_t m, n, k, batch;
} orr__extent;
orr__extent orr__extent_of(const orr_shape *s);

/* -- packed results: for each matrix of the batch one row, with several arrays one behind the other ----------------- */

/* A node of `op` on the given operand: its batch and dtype, and rows of so many elements. */
orr_tensor *orr__packed(orr__site at, const orr__op *op, orr__node *in, int64_t length, unsigned mask);
/* The same with complex elements, whatever the operand has. */
orr_tensor *orr__packed_complex(orr__site at, const orr__op *op, orr__node *in, int64_t length, unsigned mask);
/* Elements [from, from + rows·cols) of each row as a matrix; cols < 0: as a vector of `rows`. */
orr_tensor *orr__piece(orr__site at, orr_tensor *packed, int64_t from, int64_t rows, int64_t cols);
/* The real part of a piece, of a real row the piece itself: of results that are real. */
orr_tensor *orr__real_piece(orr__site at, orr_tensor *packed, int64_t from, int64_t rows);
/* The rule of such a node; NULL: it obeys. */
const char *orr__packed_verify(const orr__node *n, const orr__node *a, int64_t length);
/* The contract of a factorisation, whose kernel takes matrix after matrix, but for its callbacks. */
#define ORR__FACTORISATION(word, operands)                                                                             \
    .id = ORR__OP_##word, .name = #word, .arity = operands, .kinds = ORR__TAKES_COMPLEX,                               \
    .pattern = ORR__PATTERN_KERNEL, .attrs = ORR__ATTR_MASK, .flags = ORR__OP_MAY_FAIL | ORR__OP_BORROWS,              \
    .verify = verify, .reference = reference, .vjp = vjp, .distribute = orr__rule_matrices, .work = work,              \
    .space = orr__packed_space
/* The iteration: matrices × all else. */
int orr__packed_space(const orr__call *c, int64_t *dim);

/* -- what derivatives are made of; public operations ------------------------------------------------------------------ */

orr_tensor *orr__mm(const orr__back *b, orr_tensor *x, orr_tensor *y);
orr_tensor *orr__tr(const orr__back *b, orr_tensor *x);
orr_tensor *orr__plus(const orr__back *b, orr_tensor *x, orr_tensor *y);
orr_tensor *orr__minus(const orr__back *b, orr_tensor *x, orr_tensor *y);
orr_tensor *orr__times(const orr__back *b, orr_tensor *x, orr_tensor *y);
/* 1/x, and 0 where x is 0. */
orr_tensor *orr__reciprocal(const orr__back *b, orr_tensor *x);
/* x · diag(s), diag(s) · x. */
orr_tensor *orr__columns(const orr__back *b, orr_tensor *x, orr_tensor *s);
orr_tensor *orr__rows(const orr__back *b, orr_tensor *s, orr_tensor *x);
/* diag(s). */
orr_tensor *orr__diagonal_matrix(const orr__back *b, orr_tensor *s);
/* 1/(s_j − s_i), and 0 where they are equal. */
orr_tensor *orr__gaps(const orr__back *b, orr_tensor *s);
/* Conjugates, of which real tensors are their own; the adjoint, for real tensors the transpose. */
orr_tensor *orr__conj(const orr__back *b, orr_tensor *x);
orr_tensor *orr__adjoint(const orr__back *b, orr_tensor *x);
/* The real part as a tensor of x's dtype. */
orr_tensor *orr__real_part(const orr__back *b, orr_tensor *x);
/* op(A)⁻¹·B of operands that fit, A transposed if so. */
orr_tensor *orr__solve(orr__site at, orr_tensor *a, orr_tensor *b, bool transposed);
/* x · op(t)⁻¹ for a triangle t. */
orr_tensor *orr__right(const orr__back *b, orr_tensor *t, orr_tensor *x, bool lower, bool transposed);

/* -- plain algorithms on row-major matrices, for references ------------------------------------------------------------ */

typedef long double complex orr__number; /* of real matrices the imaginary parts are 0 */
/* So many numbers, zeros; NULL: no memory. */
orr__number *orr__plain(int64_t n);
/* Element i; a real array takes the real part. */
orr__number orr__plain_get(const orr__array *a, int64_t i);
void orr__plain_set(const orr__array *a, int64_t i, orr__number v);
bool orr__plain_finite(orr__number v);
/* Operand k, matrix q of it. */
void orr__plain_load(const orr__reference *j, int k, int64_t q, int64_t count, orr__number *to);
/* a (m × n) becomes L below and U above the diagonal; row i of L·U is row p[i] of a. Returns the sign of p; *singular: the first pivot
 * that is 0, min(m, n): none. */
int orr__plain_lu(orr__number *a, int64_t m, int64_t n, int64_t *p, int64_t *singular);
/* One-sided Jacobi: a (m × n, m ≥ n) becomes U·S, v (n × n) V of A = U·S·Vᴴ, s descending. */
void orr__plain_svd(orr__number *a, int64_t m, int64_t n, orr__number *s, orr__number *v);
/* Jacobi: w ascending, v's columns. The lower triangle of a is read, and a is lost. */
void orr__plain_eigh(orr__number *a, int64_t n, orr__number *w, orr__number *v);
/* c = x·y (m × k, k × n). */
void orr__plain_product(const orr__number *x, const orr__number *y, orr__number *c, int64_t m, int64_t k, int64_t n);
/* The error that matrix q of the batch of operand 0 is so. */
orr_status orr__plain_fail(const orr__reference *j, int64_t q, const char *so);

#endif
