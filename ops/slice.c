/* Views that pick: slice, select, flip.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/record.h"

/* One bound of a slice as Python reads it, within low … high. */
static int64_t bound(int64_t v, int64_t left_out, int64_t low, int64_t high, int64_t n)
{
    if (v == ORR_END)
        return left_out;
    if (v < 0)
        v += n;
    return v < low ? low : v > high ? high : v;
}

/* First index, step and number of elements of start:stop:step along an axis of length n. step ≠ 0. */
static int64_t resolve(int64_t n, int64_t start, int64_t stop, int64_t step, int64_t *first)
{
    if (step > 0) {
        int64_t a = bound(start, 0, 0, n, n), z = bound(stop, n, 0, n, n);
        *first = a;
        return z > a ? (z - a - 1) / step + 1 : 0;
    }
    int64_t a = bound(start, n - 1, -1, n - 1, n), z = bound(stop, -1, -1, n - 1, n);
    *first = a;
    return a > z ? (a - z - 1) / -step + 1 : 0;
}

static orr_tensor *record(orr__site at, orr__node *n, const int64_t *start, const int64_t *stop, const int64_t *step)
{
    orr_shape shape = n->shape;
    int64_t first[ORR_MAX_RANK], by[ORR_MAX_RANK];
    for (int i = 0; i < shape.rank; i++) {
        if (step[i] == 0)
            return orr__poison(at, ORR_EINVAL, "the step of axis %d is 0", i);
        by[i] = step[i] < -INT64_MAX ? -INT64_MAX : step[i];
        shape.dim[i] = resolve(n->shape.dim[i], start[i], stop[i], by[i], &first[i]);
    }
    return orr__handle_new(orr__rec_slice(at, orr__node_ref(n), &shape, first, by));
}

static void whole(int64_t *start, int64_t *stop, int64_t *step)
{
    for (int i = 0; i < ORR_MAX_RANK; i++) {
        start[i] = stop[i] = ORR_END;
        step[i] = 1;
    }
}

orr_tensor *orr_slice_at(const char *file, int line, orr_tensor *x, orr_index start, orr_index stop, orr_index step)
{
    orr__site at = ORR__SITE(file, line, "slice");
    orr__node *n;
    orr_tensor *bad;
    int64_t a[ORR_MAX_RANK], z[ORR_MAX_RANK], by[ORR_MAX_RANK];
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    if (start.n != stop.n || (step.n && step.n != start.n))
        return orr__poison(at, ORR_EINVAL, "%d starts, %d stops, %d steps: one of each per axis is needed", start.n,
                           stop.n, step.n);
    if (start.n < 0 || start.n > n->shape.rank)
        return orr__poison(at, ORR_EAXIS, "%d starts for shape %s", start.n, orr__str(n->shape).s);
    whole(a, z, by);
    for (int i = 0; i < start.n; i++) {
        a[i] = start.v[i];
        z[i] = stop.v[i];
        by[i] = step.n ? step.v[i] : 1;
    }
    return record(at, n, a, z, by);
}

orr_tensor *orr_slice_axis_at(const char *file, int line, orr_tensor *x, int axis, int64_t start, int64_t stop,
                              int64_t step)
{
    orr__site at = ORR__SITE(file, line, "slice_axis");
    orr__node *n;
    orr_tensor *bad;
    int64_t a[ORR_MAX_RANK], z[ORR_MAX_RANK], by[ORR_MAX_RANK];
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int k = orr__axis(axis, n->shape.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &n->shape);
    whole(a, z, by);
    a[k] = start;
    z[k] = stop;
    by[k] = step;
    return record(at, n, a, z, by);
}

orr_tensor *orr_select_at(const char *file, int line, orr_tensor *x, int axis, int64_t index)
{
    orr__site at = ORR__SITE(file, line, "select");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int k = orr__axis(axis, n->shape.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &n->shape);
    int64_t len = n->shape.dim[k], place = index < 0 ? index + len : index;
    if (place < 0 || place >= len)
        return orr__poison(at, ORR_EINDEX, "index %lld is out of range for axis %d of %s", (long long)index, k,
                           orr__str(n->shape).s);
    orr_shape one = n->shape, to = orr__shape_reduced(&n->shape, 1u << k, false);
    int64_t first[ORR_MAX_RANK] = { 0 }, by[ORR_MAX_RANK];
    for (int i = 0; i < ORR_MAX_RANK; i++)
        by[i] = 1;
    one.dim[k] = 1;
    first[k] = place;
    orr__node *part = orr__rec_slice(at, orr__node_ref(n), &one, first, by);
    return orr__handle_new(orr__rec_reshape(at, part, &to));
}

orr_tensor *orr_flip_at(const char *file, int line, orr_tensor *x, orr_axes axes)
{
    orr__site at = ORR__SITE(file, line, "flip");
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    if (!orr__axes_mask(axes, n->shape.rank, &mask))
        return orr__axes_poison(at, &n->shape);
    int64_t first[ORR_MAX_RANK] = { 0 }, by[ORR_MAX_RANK];
    for (int i = 0; i < n->shape.rank; i++) {
        by[i] = mask >> i & 1 ? -1 : 1;
        first[i] = mask >> i & 1 ? n->shape.dim[i] - 1 : 0;
    }
    return orr__handle_new(orr__rec_slice(at, orr__node_ref(n), &n->shape, first, by));
}
