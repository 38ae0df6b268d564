/* Checks and iteration spaces shared by operations on matrices in the last two axes.
 * Must not know: any single operation. */
#ifndef ORR_OPS_MATRIX_H
#define ORR_OPS_MATRIX_H

#include "runtime/graph/node.h"

enum {
    ORR__TRI_LOWER = 1,
    ORR__TRI_TRANSPOSE = 2,
    ORR__TRI_UNIT = 4
}; /* as stored; then transposed; ones on the diagonal */

/* a: (b…, n, n), f32, f64, c64 or c128; b and n: (b…, m, n), of the same dtype. */
const char *orr__matrix_verify(const orr__node *n, const orr__node *a, const orr__node *b);
/* An iteration over matrices of shape s: (batch,) m, n, with all batch axes as one. Returns the rank. */
int orr__matrix_space(const orr_shape *s, int64_t *dim);

#endif
