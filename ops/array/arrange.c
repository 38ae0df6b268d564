/* The elements of a tensor rearranged: moved axes, repeats, shifts, rotations.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/array/array.h"

/* n copies of x along a new axis before or after axis k; the two axes are then joined. */
static orr_tensor *copies(orr__site at, orr_tensor *x, const orr_shape *s, int k, int64_t n, bool behind)
{
    orr_shape wide = { s->rank + 1, { 0 } }, out = *s, one;
    for (int d = 0; d < s->rank; d++)
        wide.dim[d < k ? d : d + 1] = s->dim[d];
    wide.dim[k] = behind ? s->dim[k] : n;
    wide.dim[k + 1] = behind ? n : s->dim[k];
    one = wide;
    one.dim[behind ? k + 1 : k] = 1;
    out.dim[k] *= n;
    return orr_reshape_at(at.file, at.line,
                          orr_broadcast_to_at(at.file, at.line, orr_reshape_at(at.file, at.line, x, one), wide), out);
}

/* x repeated n times along axis k, as a whole or each element. With 8 axes no axis is left for the copies, so the
 * elements are read by index. */
static orr_tensor *repeated(orr__site at, orr_tensor *x, const orr_shape *s, int k, int64_t n, bool elements)
{
    if (n == 1)
        return x;
    if (s->rank < ORR_MAX_RANK)
        return copies(at, x, s, k, n, elements);
    orr_tensor *place = orr__places_along(at, s->dim[k], 0, 1, 1);
    return orr_take_at(at.file, at.line, x, copies(at, place, &ORR_SHAPE(s->dim[k]), 0, n, elements), k);
}

/* True if n times the length of axis k does not overflow a shape. */
static bool longer_ok(orr__site at, const orr_shape *s, int k, int64_t n, orr_tensor **bad)
{
    orr_shape out = *s;
    if (n < 0) {
        *bad = orr__poison(at, ORR_EINVAL, "%lld copies: a number from 0 on is needed", (long long)n);
        return false;
    }
    if (orr__mul64(s->dim[k], n, &out.dim[k]))
        return orr__shape_ok(at, &out, bad);
    *bad = orr__poison(at, ORR_ESHAPE, "%lld copies along axis %d of %s are too many elements", (long long)n, k,
                       orr__str(*s).s);
    return false;
}

orr_tensor *orr_repeat_at(const char *file, int line, orr_tensor *x, int64_t n, int axis)
{
    orr__site at = ORR__SITE(file, line, "repeat");
    orr__node *node;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &node, &bad))
        return bad;
    orr_shape s = axis == ORR_FLAT ? ORR_SHAPE(orr__shape_count(&node->shape)) : node->shape;
    int k = axis == ORR_FLAT ? 0 : orr__axis(axis, s.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &s);
    if (!longer_ok(at, &s, k, n, &bad))
        return bad;
    orr_scope *scope = orr__compose_begin(at);
    return orr__compose_end(at, scope, repeated(at, orr_reshape_at(file, line, x, s), &s, k, n, true));
}

orr_tensor *orr_tile_at(const char *file, int line, orr_tensor *x, orr_index n)
{
    orr__site at = ORR__SITE(file, line, "tile");
    orr__node *node;
    orr_tensor *bad = NULL;
    if (!orr__operand(at, x, "x", &node, &bad))
        return bad;
    if (n.n < 0 || n.n > ORR_MAX_RANK)
        return orr__poison(at, ORR_EINVAL, "%d numbers of copies: at most %d axes are possible", n.n, ORR_MAX_RANK);
    orr_shape from = node->shape, s = { from.rank > n.n ? from.rank : n.n, { 0 } };
    for (int d = 0; d < s.rank; d++)
        s.dim[d] = d < s.rank - from.rank ? 1 : from.dim[d - (s.rank - from.rank)];
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *y = orr_reshape_at(file, line, x, s);
    for (int d = s.rank - 1; d >= s.rank - n.n && !bad; d--) {
        int64_t times = n.v[d - (s.rank - n.n)];
        if (longer_ok(at, &s, d, times, &bad)) {
            y = repeated(at, y, &s, d, times, false);
            s.dim[d] *= times;
        }
    }
    return orr__compose_end(at, scope, bad ? bad : y);
}

orr_tensor *orr_repeat_each_at(const char *file, int line, orr_tensor *x, orr_tensor *counts, int axis)
{
    orr__site at = ORR__SITE(file, line, "repeat_each");
    orr__node *in[2];
    orr_tensor *bad;
    orr_shape from;
    int k;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, counts }, (const char *const[]){ "x", "counts" }, in,
                       &bad) ||
        !orr__index_axis(at, in, axis, &from, &k, &bad))
        return bad;
    int64_t length = from.dim[k], given = orr__shape_count(&in[1]->shape), sum = 0;
    if (in[1]->shape.rank != 1 || (given != length && given != 1))
        return orr__poison(at, ORR_ESHAPE, "counts of shape %s: (1) or (%lld) is needed", orr__str(in[1]->shape).s,
                           (long long)length);
    orr_scope *scope = orr__compose_begin(at);
    const int64_t *times = orr_data_at(file, line, orr_cast_at(file, line, counts, ORR_I64));
    orr_tensor *r = times ? NULL : orr__handle_new(NULL);
    for (int64_t i = 0; i < length && !r; i++) {
        int64_t t = times[given == 1 ? 0 : i];
        if (t < 0)
            r = orr__poison(at, ORR_EINVAL, "count %lld is %lld, and a number from 0 on is needed", (long long)i,
                            (long long)t);
        else if (t > INT64_MAX / 16 - sum)
            r = orr__poison(at, ORR_ESHAPE, "the counts make too many elements");
        else
            sum += t;
    }
    orr_shape out = from;
    out.dim[k] = sum;
    if (!r && orr__shape_ok(at, &out, &r)) {
        orr__buffer *b = orr__buffer_new((size_t)sum * sizeof(int64_t));
        int64_t *place = b ? b->host : NULL, at_place = 0;
        for (int64_t i = 0; place && i < length; i++)
            for (int64_t t = times[given == 1 ? 0 : i]; t > 0; t--)
                place[at_place++] = i;
        r = orr__results_leaf(at, ORR_I64, sum, b);
        r = orr_take_at(file, line, orr_reshape_at(file, line, x, from), r, k);
    }
    return orr__compose_end(at, scope, r);
}

orr_tensor *orr_moveaxis_at(const char *file, int line, orr_tensor *x, orr_axes from, orr_axes to)
{
    orr__site at = ORR__SITE(file, line, "moveaxis");
    orr__node *n;
    orr_tensor *bad;
    uint32_t source, place;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    if (from.n != to.n)
        return orr__poison(at, ORR_EINVAL, "%d axes move to %d places", from.n, to.n);
    if (from.n < 0)
        return x;
    int rank = n->shape.rank;
    if (!orr__axes_mask(from, rank, &source))
        return orr__axes_poison(at, from, &n->shape);
    if (!orr__axes_mask(to, rank, &place))
        return orr__axes_poison(at, to, &n->shape);
    orr_axes perm = { rank, { 0 } };
    for (int i = 0; i < from.n; i++)
        perm.axis[orr__axis(to.axis[i], rank)] = orr__axis(from.axis[i], rank);
    for (int d = 0, other = 0; d < rank; d++) {
        if (place >> d & 1)
            continue;
        while (source >> other & 1)
            other++;
        perm.axis[d] = other++;
    }
    return orr_permute_at(file, line, x, perm);
}

orr_tensor *orr_swapaxes_at(const char *file, int line, orr_tensor *x, int axis, int other)
{
    orr__site at = ORR__SITE(file, line, "swapaxes");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int a = orr__axis(axis, n->shape.rank), b = orr__axis(other, n->shape.rank);
    if (a < 0 || b < 0)
        return orr__axis_poison(at, a < 0 ? axis : other, &n->shape);
    orr_axes perm = { n->shape.rank, { 0 } };
    for (int d = 0; d < perm.n; d++)
        perm.axis[d] = d == a ? b : d == b ? a : d;
    return orr_permute_at(file, line, x, perm);
}

/* One axis shifted: its end is moved before its beginning. */
static orr_tensor *rolled(orr__site at, orr_tensor *x, int k, int64_t length, int64_t shift)
{
    shift = length ? shift % length : 0;
    shift += shift < 0 ? length : 0;
    if (!shift)
        return x;
    orr_tensor *piece[2] = { orr_slice_axis_at(at.file, at.line, x, k, length - shift, ORR_END, 1),
                             orr_slice_axis_at(at.file, at.line, x, k, 0, length - shift, 1) };
    return orr_concat_at(at.file, at.line, piece, 2, k);
}

orr_tensor *orr_roll_at(const char *file, int line, orr_tensor *x, orr_index shift, orr_axes axes)
{
    orr__site at = ORR__SITE(file, line, "roll");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    if (shift.n != axes.n || shift.n < 0 || shift.n > ORR_MAX_RANK)
        return orr__poison(at, ORR_EINVAL, "%d shifts for %d axes: one each is needed", shift.n, axes.n);
    bool flat = axes.n == 1 && axes.axis[0] == ORR_FLAT;
    orr_shape s = flat ? ORR_SHAPE(orr__shape_count(&n->shape)) : n->shape;
    for (int i = 0; i < axes.n && !flat; i++)
        if (orr__axis(axes.axis[i], s.rank) < 0)
            return orr__axis_poison(at, axes.axis[i], &s);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *y = orr_reshape_at(file, line, x, s);
    for (int i = 0; i < axes.n; i++) {
        int k = flat ? 0 : orr__axis(axes.axis[i], s.rank);
        y = rolled(at, y, k, s.dim[k], shift.v[i]);
    }
    return orr__compose_end(at, scope, orr_reshape_at(file, line, y, n->shape));
}

orr_tensor *orr_rot90_at(const char *file, int line, orr_tensor *x, int64_t k, int first, int second)
{
    orr__site at = ORR__SITE(file, line, "rot90");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int a = orr__axis(first, n->shape.rank), b = orr__axis(second, n->shape.rank), turns = (int)((k % 4 + 4) % 4);
    if (a < 0 || b < 0 || a == b)
        return orr__axes_poison(at, ORR_AXES(first, second), &n->shape);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *y = x;
    if (turns == 2)
        y = orr_flip_at(file, line, x, ORR_AXES(a, b));
    else if (turns == 1)
        y = orr_swapaxes_at(file, line, orr_flip_at(file, line, x, ORR_AXES(b)), a, b);
    else if (turns == 3)
        y = orr_flip_at(file, line, orr_swapaxes_at(file, line, x, a, b), ORR_AXES(b));
    return orr__compose_end(at, scope, y);
}

orr_tensor *orr_diagonal_at(const char *file, int line, orr_tensor *x, int64_t k)
{
    orr__site at = ORR__SITE(file, line, "diagonal");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    orr_shape s = n->shape, flat = s, out = s;
    if (s.rank < 2)
        return orr__poison(at, ORR_ESHAPE, "shape %s has no two axes", orr__str(s).s);
    int64_t rows = s.dim[s.rank - 2], cols = s.dim[s.rank - 1];
    int64_t length = k >= 0 ? (cols > k ? cols - k : 0) : (rows > -(k + 1) ? rows + k : 0);
    int64_t most = k >= 0 ? rows : cols;
    length = length < most ? length : most;
    int64_t first = length ? (k >= 0 ? k : -k * cols) : 0;
    flat.rank = out.rank = s.rank - 1;
    flat.dim[flat.rank - 1] = rows * cols;
    out.dim[out.rank - 1] = length;
    int64_t start[ORR_MAX_RANK] = { 0 }, step[ORR_MAX_RANK];
    for (int d = 0; d < ORR_MAX_RANK; d++)
        step[d] = 1;
    start[flat.rank - 1] = first;
    step[flat.rank - 1] = cols + 1;
    return orr__handle_new(orr__rec_slice(at, orr__rec_reshape(at, orr__node_ref(n), &flat), &out, start, step));
}
