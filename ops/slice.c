/* orr_slice, orr_select and orr_flip: every step-th element from start on, per axis.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"

#define AT b->at.file, b->at.line

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr__node *x = in[0];
    (void)nin;
    if (x->shape.rank != n->shape.rank)
        return "slice changes the rank";
    for (int d = 0; d < n->shape.rank; d++) {
        int64_t len = n->shape.dim[d], first = n->attr.start[d];
        if (n->attr.step[d] == 0)
            return "slice step is 0";
        if (len > 0 && (first < 0 || first >= x->shape.dim[d] || first + (len - 1) * n->attr.step[d] < 0 ||
                        first + (len - 1) * n->attr.step[d] >= x->shape.dim[d]))
            return "slice leaves its input";
    }
    return NULL;
}

static orr_status reference(const orr__reference *j)
{
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t index[ORR_MAX_RANK];
        orr__array_unravel(&j->out.shape, i, index);
        for (int d = 0; d < j->out.shape.rank; d++)
            index[d] = j->node->attr.start[d] + index[d] * j->node->attr.step[d];
        orr__array_copy(&j->out, i, &j->in[0], orr__array_ravel(&j->in[0].shape, index));
    }
    return ORR_OK;
}

/* g with step−1 zeros between its elements along one axis; its length becomes (n−1)·step + 1. */
static orr_tensor *spread(const orr__back *b, orr_tensor *g, int axis, int64_t step)
{
    orr_shape s = orr_tensor_shape(g), to = s, split = { 4, { 1, s.dim[axis], 1, 1 } };
    for (int i = 0; i < s.rank; i++)
        split.dim[i < axis ? 0 : 3] *= i == axis ? 1 : s.dim[i];
    g = orr_reshape_at(AT, g, split);
    g = orr_pad_at(AT, g, ORR_NO_INDEX, ORR_INDEX(0, 0, step - 1), 0);
    to.dim[axis] = s.dim[axis] * step;
    g = orr_reshape_at(AT, g, to);
    return orr_slice_axis_at(AT, g, axis, 0, to.dim[axis] - (step - 1), 1);
}

/* Zeros, with g in the selected places. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    const orr_shape *from = &b->node->shape;
    orr_shape to = orr_tensor_shape(b->in[k]);
    orr_index lo = { to.rank, { 0 } }, hi = { to.rank, { 0 } };
    orr_tensor *g = b->g;
    if (!orr__shape_count(from))
        return orr_zeros_at(AT, orr_tensor_dtype(b->in[k]), to);
    for (int i = 0; i < to.rank; i++) {
        int64_t step = b->node->attr.step[i], n = from->dim[i];
        int64_t first = b->node->attr.start[i], last = first + (n - 1) * step;
        if (step < 0) {
            g = orr_flip_at(AT, g, ORR_AXES(i));
            step = -step;
            lo.v[i] = last;
            hi.v[i] = to.dim[i] - 1 - first;
        } else {
            lo.v[i] = first;
            hi.v[i] = to.dim[i] - 1 - last;
        }
        if (step > 1 && n > 1)
            g = spread(b, g, i, step);
    }
    return orr_pad_at(AT, g, lo, hi, 0);
}

static bool see(const orr__node *n, const orr_shape *in, const orr__view *v, orr__view *w)
{
    *w = orr__view_still(v);
    for (int a = 0; a < in->rank; a++) {
        orr__view_carry(w, a, v, a);
        w->off[a] = n->attr.start[a] + n->attr.step[a] * v->off[a];
        w->mul[a] = n->attr.step[a] * v->mul[a];
        w->more[a] = n->attr.step[a] * v->more[a];
    }
    return true;
}

/* The first places of an axis are the first ones of each rank. */
static bool distribute(orr__spread_rule *r)
{
    const orr__node *n = r->node;
    int a = r->from.axis;
    bool first = r->from.kind == ORR__SHARDED && n->attr.start[a] == 0 && n->attr.step[a] == 1;
    return orr__rule_view(r, first ? a : -1);
}

const orr__op orr__op_slice = {
    .id = ORR__OP_slice,
    .name = "slice",
    .arity = 1,
    .kinds = ORR__TAKES_ANY,
    .pattern = ORR__PATTERN_VIEW,
    .attrs = ORR__ATTR_START | ORR__ATTR_STEP,
    .flags = ORR__OP_SLICES,
    .verify = verify,
    .reference = reference,
    .distribute = distribute,
    .vjp = vjp,
    .see = see,
};

orr__node *orr__rec_slice(orr__site at, orr__node *n, const orr_shape *shape, const int64_t *start, const int64_t *step)
{
    if (!n)
        return NULL;
    bool same = orr__shape_equal(&n->shape, shape);
    int64_t from[ORR_MAX_RANK], by[ORR_MAX_RANK];
    for (int i = 0; i < shape->rank; i++) { /* one spelling for each meaning, so that equal graphs have equal keys */
        from[i] = shape->dim[i] ? start[i] : 0;
        by[i] = shape->dim[i] > 1 ? step[i] : 1;
        same = same && by[i] == 1;
    }
    if (same)
        return n;
    orr__node *r = orr__rec_one(at, &orr__op_slice, (orr_dtype)n->dtype, shape, n);
    for (int i = 0; r && i < shape->rank; i++) {
        r->attr.start[i] = from[i];
        r->attr.step[i] = by[i];
    }
    return r;
}

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
        return orr__axes_poison(at, axes, &n->shape);
    int64_t first[ORR_MAX_RANK] = { 0 }, by[ORR_MAX_RANK];
    for (int i = 0; i < n->shape.rank; i++) {
        by[i] = mask >> i & 1 ? -1 : 1;
        first[i] = mask >> i & 1 ? n->shape.dim[i] - 1 : 0;
    }
    return orr__handle_new(orr__rec_slice(at, orr__node_ref(n), &n->shape, first, by));
}
