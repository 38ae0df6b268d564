/* Creation by example: tensors like another, grids, diagonal matrices.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/array/array.h"

static orr_tensor *like(orr__site at, orr_tensor *x, double value)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    return orr_full_at(at.file, at.line, (orr_dtype)n->dtype, n->shape, value);
}

orr_tensor *orr_zeros_like_at(const char *file, int line, orr_tensor *x)
{
    return like(ORR__SITE(file, line, "zeros_like"), x, 0);
}

orr_tensor *orr_ones_like_at(const char *file, int line, orr_tensor *x)
{
    return like(ORR__SITE(file, line, "ones_like"), x, 1);
}

orr_tensor *orr_full_like_at(const char *file, int line, orr_tensor *x, double value)
{
    return like(ORR__SITE(file, line, "full_like"), x, value);
}

orr_tensor *orr_clip_between_at(const char *file, int line, orr_tensor *x, double low, double high)
{
    orr__site at = ORR__SITE(file, line, "clip_between");
    if (!(low <= high))
        return orr__poison(at, ORR_EINVAL, "no number is between %g and %g", low, high);
    orr_scope *s = orr__compose_begin(at);
    return orr__compose_end(
        at, s, orr_clip_at(file, line, x, orr_scalar_at(file, line, low), orr_scalar_at(file, line, high)));
}

/* The shape of the grid, (n₀, n₁, …), and the lines' nodes. */
static orr_status grid_of(orr__site at, orr_tensor *const *x, int n, orr__node **line, orr_shape *grid)
{
    orr_tensor *bad;
    if (!x)
        return orr__fail(at, ORR_EINVAL, "the list of lines is NULL");
    if (n < 1)
        return orr__fail(at, ORR_EINVAL, "%d lines: one at least is needed", n);
    if (n > ORR_MAX_RANK)
        return orr__fail(at, ORR_ESHAPE, "%d lines: a grid has at most %d axes", n, ORR_MAX_RANK);
    if (!orr__operands(at, n, (const orr_tensor *const *)x, NULL, line, &bad))
        return orr__poison_status(bad);
    grid->rank = n;
    for (int k = 0; k < n; k++) {
        if (line[k]->shape.rank != 1)
            return orr__fail(at, ORR_ESHAPE, "line %d has shape %s, and one axis is needed", k,
                             orr__str(line[k]->shape).s);
        grid->dim[k] = line[k]->shape.dim[0];
    }
    return orr__shape_ok(at, grid, &bad) ? ORR_OK : ORR_ESHAPE;
}

orr_status orr_meshgrid_at(const char *file, int line, orr_tensor *const *x, int n, bool matrix, orr_tensor **grids)
{
    orr__site at = ORR__SITE(file, line, "meshgrid");
    orr__node *lines[ORR_MAX_RANK];
    orr_shape grid;
    orr_status st = grids ? grid_of(at, x, n, lines, &grid) : orr__fail(at, ORR_EINVAL, "grids is NULL");
    if (st != ORR_OK)
        return orr__results_poison(st, grids, n);
    orr_scope *s = orr_scope_begin();
    for (int k = 0; k < n; k++) {
        orr_shape along = { n, { 0 } };
        for (int d = 0; d < n; d++)
            along.dim[d] = d == k ? grid.dim[k] : 1;
        grids[k] = orr_broadcast_to_at(file, line, orr_reshape_at(file, line, x[k], along), grid);
        if (!matrix && n > 1)
            grids[k] = orr_swapaxes_at(file, line, grids[k], 0, 1);
    }
    return orr__results_end(at, s, grids, n);
}

orr_tensor *orr_diag_at(const char *file, int line, orr_tensor *v, int64_t k)
{
    orr__site at = ORR__SITE(file, line, "diag");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, v, "v", &n, &bad))
        return bad;
    orr_shape s = n->shape;
    if (s.rank < 1 || s.rank == ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "shape %s: from one to %d axes are needed", orr__str(s).s, ORR_MAX_RANK - 1);
    int64_t length = s.dim[s.rank - 1], off = k < 0 ? -(k + 1) : k;
    if (off >= INT64_MAX - length - 1)
        return orr__poison(at, ORR_ESHAPE, "diagonal %lld makes matrices of too many elements", (long long)k);
    off = k < 0 ? off + 1 : off;
    orr_shape whole = s;
    whole.dim[s.rank - 1] = length + off;
    whole.dim[whole.rank++] = length + off;
    if (!orr__shape_ok(at, &whole, &bad))
        return bad;
    orr_scope *scope = orr__compose_begin(at);
    /* v, padded by |k| zeros, as a column that is broadcast to all columns; all elements off the diagonal are then
     * set to 0. */
    orr_index lo = { s.rank, { 0 } }, hi = lo;
    lo.v[s.rank - 1] = k < 0 ? off : 0;
    hi.v[s.rank - 1] = k < 0 ? 0 : off;
    orr_tensor *column = orr_expand_dims_at(file, line, orr_pad_at(file, line, v, lo, hi, 0), -1);
    orr_tensor *here = orr_equal_at(file, line, orr__diagonals(at, length + off, length + off), orr__integer(at, k));
    orr_tensor *zero = orr_zeros_at(file, line, (orr_dtype)n->dtype, ORR_SHAPE_0D);
    return orr__compose_end(at, scope, orr_where_at(file, line, here, column, zero));
}
