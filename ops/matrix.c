/* Checks and iteration spaces shared by operations on matrices in the last two axes.
 * Must not know: any single operation. */
#include "config.h"

#include "ops/matrix.h"

/* The last two axes of a are square; b has as many columns, or is a. */
const char *orr__matrix_verify(const orr__node *n, const orr__node *a, const orr__node *b)
{
    int r = n->shape.rank;
    if (r < 2 || a->shape.rank != r || a->dtype != n->dtype || b->dtype != n->dtype ||
        !(n->dtype == ORR_F32 || n->dtype == ORR_F64 || orr__is_complex((orr_dtype)n->dtype)))
        return "square operands differ in rank or dtype";
    if (!orr__shape_equal(&n->shape, &b->shape) || a->shape.dim[r - 1] != n->shape.dim[r - 1] ||
        a->shape.dim[r - 2] != n->shape.dim[r - 1])
        return "square shapes";
    for (int d = 0; d < r - 2; d++)
        if (a->shape.dim[d] != n->shape.dim[d])
            return "batch dimensions of squares differ";
    return NULL;
}

/* An iteration over matrices: (batch,) m, n, with all batch axes as one. */
int orr__matrix_space(const orr_shape *s, int64_t *dim)
{
    int rank = 2;
    int64_t batch = 1;
    for (int d = 0; d < s->rank - 2; d++)
        batch *= s->dim[d];
    if (s->rank > 2 && batch != 1) {
        dim[0] = batch;
        rank = 3;
    }
    dim[rank - 2] = s->dim[s->rank - 2];
    dim[rank - 1] = s->dim[s->rank - 1];
    return rank;
}
