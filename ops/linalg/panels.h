/* Factorisations of one large matrix as a graph of block columns, and of a tall one as a tree of its pieces.
 * Must not know: LAPACK, plans, how many workers there are. */
#ifndef ORR_OPS_LINALG_PANELS_H
#define ORR_OPS_LINALG_PANELS_H

#include "ops/ops.h"

/* Bits of attr.mask. attr.index: elements behind each column of a block; of a join: how many operands are panels. attr.start[0] is the row of a panel's first diagonal element, start[1] the first column of a fresh block. */
enum {
    ORR__PANEL_FRESH = 1,  /* the last operand is the matrix itself                                */
    ORR__PANEL_STRICT = 2, /* a pivot of 0 is an error                                             */
    ORR__PANEL_BACK = 4,   /* Q is applied, not its adjoint                                        */
    ORR__PANEL_UNIT = 8    /* there is no block: it is of the unit matrix                          */
};

struct orr__extent;

/* Is a graph worth it for matrices of this extent? */
bool orr__panels_pay(const struct orr__extent *e);
/* The same rows as the operation of that name on one matrix gives, of the operands' dtype. */
orr_tensor *orr__panels_lu(orr__site at, orr__node *a);
orr_tensor *orr__panels_det(orr__site at, orr__node *a);
/* X with A·X = B, A⁻¹; a singular matrix is an error. */
orr_tensor *orr__panels_solve(orr__site at, orr_tensor *a, orr_tensor *b);
orr_tensor *orr__panels_inv(orr__site at, orr_tensor *a);
orr_tensor *orr__panels_qr(orr__site at, orr__node *a, bool complete);
/* The triangle R of [A B] by A's columns: n rows, R of A beside Qᴴ·B. */
orr_tensor *orr__panels_triangle(orr__site at, orr_tensor *a, orr_tensor *b);

/* The same, or by a tree of pieces for a matrix that is many times as high as wide; NULL where neither pays (qr.c). */
orr_tensor *orr__triangle_of(orr__site at, orr_tensor *a, orr_tensor *b);

/* `value`, with the derivative of op by the operands that it stands for. */
orr_tensor *orr__stands_for(orr__site at, const orr__op *op, int nin, orr__node *const *in, orr_tensor *value,
                            unsigned mask, orr__scalar s);

#endif
