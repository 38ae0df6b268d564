/* Operands of linear algebra, and results with several arrays in one row.
 * Must not know: any single operation. */
#include "config.h"

#include <limits.h>
#include <string.h>
#include "ops/linalg/linalg.h"

bool orr__matrix_operand(orr__site at, const orr_tensor *a, const char *name, orr__node **n, orr_tensor **bad)
{
    if (!orr__operand(at, a, name, n, bad))
        return false;
    orr_dtype t = (orr_dtype)(*n)->dtype;
    const orr_shape *s = &(*n)->shape;
    if (t != ORR_F32 && t != ORR_F64 && !orr__is_complex(t))
        *bad = orr__poison(at, ORR_EDTYPE, "%s is %s, and f32, f64, c64 or c128 is needed: write orr_cast(%s, ORR_%s)",
                           name, orr_dtype_name(t), name, orr_dtype_size(t) < 4 && orr__is_float(t) ? "F32" : "F64");
    else if (s->rank < 2)
        *bad = orr__poison(at, ORR_ESHAPE, "%s of shape %s is no matrix: two axes are needed", name, orr__str(*s).s);
    else if (s->dim[s->rank - 1] > INT_MAX || s->dim[s->rank - 2] > INT_MAX)
        *bad = orr__poison(at, ORR_ESHAPE, "%s of shape %s has an axis that LAPACK cannot count: at most %d", name,
                           orr__str(*s).s, INT_MAX);
    else
        return true;
    return false;
}

bool orr__square_operand(orr__site at, const orr_tensor *a, const char *name, orr__node **n, orr_tensor **bad)
{
    if (!orr__matrix_operand(at, a, name, n, bad))
        return false;
    const orr_shape *s = &(*n)->shape;
    if (s->dim[s->rank - 1] == s->dim[s->rank - 2])
        return true;
    *bad = orr__poison(at, ORR_ESHAPE, "%s of shape %s is not square in its last two axes", name, orr__str(*s).s);
    return false;
}

orr__extent orr__extent_of(const orr_shape *s)
{
    orr__extent e = { s->dim[s->rank - 2], s->dim[s->rank - 1], 0, 1 };
    e.k = e.m < e.n ? e.m : e.n;
    for (int d = 0; d < s->rank - 2; d++)
        e.batch *= s->dim[d];
    return e;
}

/* Numbers of rows are stored as numbers of the dtype, exactly. */
bool orr__blocks_over_ranks(const orr_shape *s, orr_dtype t, const orr__distribution *d, int *rows, int *cols)
{
    return s->rank == 2 && s->dim[0] == s->dim[1] && s->dim[0] > 0 && s->dim[0] < 1 << 24 && /* limit of arithmetic */
           (t == ORR_F32 || t == ORR_F64) && orr__distribution_of_blocks(d, rows, cols);
}

bool orr__stacks(orr__site at, orr_tensor **a, orr_tensor **b, orr_tensor **bad)
{
    orr_shape sa = orr_tensor_shape(*a), sb = orr_tensor_shape(*b), x = sa, y = sb, both;
    x.rank -= 2;
    y.rank -= 2;
    if (!orr__shape_broadcast(&x, &y, &both)) {
        *bad = orr__poison(at, ORR_ESHAPE, "batch dimensions do not broadcast: a %s, b %s", orr__str(sa).s,
                           orr__str(sb).s);
        return false;
    }
    x = y = both;
    for (int d = 0; d < 2; d++) {
        x.dim[x.rank++] = sa.dim[sa.rank - 2 + d];
        y.dim[y.rank++] = sb.dim[sb.rank - 2 + d];
    }
    if (!orr__shape_ok(at, &x, bad) || !orr__shape_ok(at, &y, bad))
        return false;
    *a = orr_broadcast_to_at(at.file, at.line, *a, x);
    *b = orr_broadcast_to_at(at.file, at.line, *b, y);
    return true;
}

static orr_tensor *packed(orr__site at, const orr__op *op, orr__node *in, orr_dtype t, int64_t length, unsigned mask)
{
    orr_shape s = in->shape;
    orr_tensor *bad;
    s.dim[s.rank - 2] = length;
    s.dim[--s.rank] = 0;
    if (!orr__shape_ok(at, &s, &bad))
        return bad;
    orr__node *r = orr__node_new(at, op, t, &s, 1, &in);
    if (r) {
        r->attr.mask = mask;
        r->as = strcmp(at.op, op->name) ? at.op : NULL; /* svdvals is reported as itself, not as svd */
    }
    return orr__handle_new(r);
}

orr_tensor *orr__packed(orr__site at, const orr__op *op, orr__node *in, int64_t length, unsigned mask)
{
    return packed(at, op, in, (orr_dtype)in->dtype, length, mask);
}

orr_tensor *orr__packed_complex(orr__site at, const orr__op *op, orr__node *in, int64_t length, unsigned mask)
{
    return packed(at, op, in, orr__complex_of(orr__part_dtype((orr_dtype)in->dtype)), length, mask);
}

orr_tensor *orr__real_piece(orr__site at, orr_tensor *row, int64_t from, int64_t rows)
{
    orr_tensor *x = orr__piece(at, row, from, rows, -1);
    return orr__is_complex(orr_tensor_dtype(x)) ? orr_real_at(at.file, at.line, x) : x;
}

orr_tensor *orr__piece(orr__site at, orr_tensor *packed, int64_t from, int64_t rows, int64_t cols)
{
    orr_shape s = orr_tensor_shape(packed);
    if (s.rank < 1)
        return packed;
    orr_tensor *x = orr_slice_axis_at(at.file, at.line, packed, -1, from, from + rows * (cols < 0 ? 1 : cols), 1);
    s.dim[s.rank - 1] = rows;
    if (cols >= 0)
        s.dim[s.rank++] = cols;
    return orr_reshape_at(at.file, at.line, x, s);
}

const char *orr__packed_verify(const orr__node *n, const orr__node *a, int64_t length)
{
    int r = n->shape.rank;
    if (a->shape.rank != r + 1 || orr__part_dtype((orr_dtype)a->dtype) != orr__part_dtype((orr_dtype)n->dtype) ||
        !(n->dtype == ORR_F32 || n->dtype == ORR_F64 || orr__is_complex((orr_dtype)n->dtype)))
        return "matrices and their rows differ in rank or dtype";
    for (int d = 0; d < r - 1; d++)
        if (a->shape.dim[d] != n->shape.dim[d])
            return "matrices and their rows differ in the batch";
    return n->shape.dim[r - 1] == length ? NULL : "length of a row";
}

int orr__packed_space(const orr__call *c, int64_t *dim)
{
    dim[0] = orr__extent_of(&c->in[0]).batch;
    dim[1] = dim[0] ? orr__shape_count(&c->out) / dim[0] : 0;
    return 2;
}
