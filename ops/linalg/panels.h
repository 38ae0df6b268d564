/* Factorisations of one large matrix as a graph of block columns, and of a tall matrix as a tree of its pieces.
 * Must not know: LAPACK, plans, the number of workers. */
#ifndef ORR_OPS_LINALG_PANELS_H
#define ORR_OPS_LINALG_PANELS_H

#include "ops/ops.h"

/* Bits of attr.mask. attr.index: elements after each column of a block; for a join the number of operands that are panels. attr.start[0]
 * is the row of a panel's first diagonal element, start[1] the first column of a fresh block. */
enum {
    ORR__PANEL_FRESH = 1,  /* the last operand is the matrix itself                                */
    ORR__PANEL_STRICT = 2, /* a pivot of 0 is an error                                             */
    ORR__PANEL_BACK = 4,   /* Q is applied, not its adjoint                                        */
    ORR__PANEL_UNIT = 8    /* no block operand: the unit matrix                                    */
};

struct orr__extent;

/* True if a graph is faster for matrices of this extent. a: the matrix, which ranks may factorise together; NULL: they do not. */
bool orr__panels_pay(const struct orr__extent *e, orr__node *a);
/* The same packed rows as the operation of that name on one matrix, in the operands' dtype. */
orr_tensor *orr__panels_lu(orr__site at, orr__node *a);
orr_tensor *orr__panels_det(orr__site at, orr__node *a);
/* X with A·X = B; A⁻¹. A singular matrix is an error. */
orr_tensor *orr__panels_solve(orr__site at, orr_tensor *a, orr_tensor *b);
orr_tensor *orr__panels_inv(orr__site at, orr_tensor *a);
orr_tensor *orr__panels_qr(orr__site at, orr__node *a, bool complete);
/* The triangle R of [A B], reduced by A's columns: n rows with R of A and Qᴴ·B. */
orr_tensor *orr__panels_triangle(orr__site at, orr_tensor *a, orr_tensor *b);

/* As orr__panels_triangle, or by a tree of pieces for a matrix many times as high as wide; NULL if neither is faster
 * (qr.c). */
orr_tensor *orr__triangle_of(orr__site at, orr_tensor *a, orr_tensor *b);

/* `value` as a node with the derivative of op by these operands. */
orr_tensor *orr__stands_for(orr__site at, const orr__op *op, int nin, orr__node *const *in, orr_tensor *value,
                            unsigned mask, orr__scalar s);

#endif
