/* orr_sliding_window: an overlapping view of an axis, one window after another.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"

#define AT b->at.file, b->at.line

/* The result's axis `axis` counts windows, and its last axis the elements of one: start[axis] of them, step[axis] apart. */
static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr_shape *s = &in[0]->shape;
    int axis = n->attr.axis;
    (void)nin;
    if (n->shape.rank != s->rank + 1 || axis >= s->rank || n->attr.step[axis] < 1)
        return "sliding_window rank, axis or step";
    int64_t windows = n->shape.dim[axis], length = n->shape.dim[s->rank];
    return length == n->attr.start[axis] && (!windows || (windows - 1) * n->attr.step[axis] + length <= s->dim[axis])
               ? NULL
               : "sliding_window leaves its operand";
}

static orr_status reference(const orr__reference *j)
{
    int axis = j->node->attr.axis, last = j->out.shape.rank - 1;
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t index[ORR_MAX_RANK];
        orr__array_unravel(&j->out.shape, i, index);
        index[axis] = index[axis] * j->node->attr.step[axis] + index[last];
        orr__array_copy(&j->out, i, &j->in[0], orr__array_ravel(&j->in[0].shape, index));
    }
    return ORR_OK;
}

/* Each element gets the sum of g over its windows, added by index along the axis. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_shape to = orr_tensor_shape(b->in[k]), from = b->node->shape;
    int axis = b->node->attr.axis, last = from.rank - 1;
    int64_t windows = from.dim[axis], length = from.dim[last], step = b->node->attr.step[axis];
    orr__scalar zero = { .i = 0 };
    orr_tensor *first =
        orr__handle_new(orr__rec_iota(b->at, ORR_I64, &ORR_SHAPE(windows, 1), 0, zero, (orr__scalar){ .i = step }));
    orr_tensor *within =
        orr__handle_new(orr__rec_iota(b->at, ORR_I64, &ORR_SHAPE(1, length), 1, zero, (orr__scalar){ .i = 1 }));
    orr_axes perm = { from.rank, { 0 } };
    for (int d = 0; d <= last; d++)
        perm.axis[d] = d <= axis ? d : d == axis + 1 ? last : d - 1;
    orr_tensor *none = orr_zeros_at(AT, orr_tensor_dtype(b->in[k]), to);
    return orr_scatter_add_at(AT, none, orr_add_at(AT, first, within), orr_permute_at(AT, b->g, perm), axis);
}

/* The iteration axes along which one axis of the operand moves. */
typedef struct {
    int n, ax[4];
    int64_t mul[4];
} moves;

static void move(moves *m, int ax, int64_t mul)
{
    int i = 0;
    if (ax < 0 || mul == 0)
        return;
    while (i < m->n && m->ax[i] != ax)
        i++;
    m->mul[i] = mul + (i < m->n ? m->mul[i] : 0);
    m->ax[i] = ax;
    m->n += i == m->n;
}

/* The windowed axis moves along two iteration axes: the window and the element in it. A view has at most two for each axis, one
 * of which may be a place, so windows of an axis that already moves along two are no view. */
static bool see(const orr__node *n, const orr_shape *in, const orr__view *v, orr__view *w)
{
    const int axis = n->attr.axis, last = n->shape.rank - 1;
    const int64_t step = n->attr.step[axis];
    moves m = { 0 };
    *w = orr__view_still(v);
    for (int a = 0; a < in->rank; a++)
        if (a != axis)
            orr__view_carry(w, a, v, a);
    w->off[axis] = v->off[axis] * step + v->off[last];
    if (v->taken != axis)
        move(&m, v->ax[axis], v->mul[axis] * step);
    if (v->taken != last)
        move(&m, v->ax[last], v->mul[last]);
    move(&m, v->too[axis], v->more[axis] * step);
    move(&m, v->too[last], v->more[last]);
    int k = 0;
    if (v->taken == axis || v->taken == last) {
        w->taken = (int8_t)axis;
        w->mul[axis] = v->mul[v->taken] * (v->taken == axis ? step : 1);
    } else if (k < m.n) {
        w->ax[axis] = (int8_t)m.ax[k];
        w->mul[axis] = m.mul[k++];
    }
    if (k < m.n) {
        w->too[axis] = (int8_t)m.ax[k];
        w->more[axis] = m.mul[k++];
    }
    return k == m.n;
}

static orr_tensor *record(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    int k = orr__axis(a->axis, orr_tensor_shape(in[0]).rank);
    return orr_sliding_window_at(file, line, in[0], a->axis, a->start[k < 0 ? 0 : k], a->step[k < 0 ? 0 : k]);
}

const orr__op orr__op_sliding_window = {
    .id = ORR__OP_sliding_window,
    .name = "sliding_window",
    .arity = 1,
    .kinds = ORR__TAKES_ANY,
    .pattern = ORR__PATTERN_VIEW,
    .attrs = ORR__ATTR_AXIS | ORR__ATTR_START | ORR__ATTR_STEP,
    .flags = ORR__OP_OVERLAPS,
    .record = record,
    .verify = verify,
    .reference = reference,
    .distribute = orr__rule_but_axis,
    .vjp = vjp,
    .see = see,
};

orr_tensor *orr_sliding_window_at(const char *file, int line, orr_tensor *x, int axis, int64_t length, int64_t step)
{
    orr__site at = ORR__SITE(file, line, "sliding_window");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    orr_shape to = n->shape;
    int k = orr__axis(axis, to.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &n->shape);
    if (to.rank == ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "%s has %d axes already", orr__str(to).s, to.rank);
    if (step < 1)
        return orr__poison(at, ORR_EINVAL, "the step is %lld, and at least 1 is needed", (long long)step);
    if (length < 1 || length > to.dim[k])
        return orr__poison(at, ORR_ESHAPE, "a window of %lld elements does not fit into axis %d of %s",
                           (long long)length, k, orr__str(to).s);
    to.dim[k] = (to.dim[k] - length) / step + 1;
    to.dim[to.rank++] = length;
    if (!orr__shape_ok(at, &to, &bad))
        return bad;
    orr__node *r = orr__rec_one(at, &orr__op_sliding_window, (orr_dtype)n->dtype, &to, orr__node_ref(n));
    if (r) {
        r->attr.axis = k;
        r->attr.start[k] = length;
        r->attr.step[k] = step;
    }
    return orr__handle_new(r);
}
