/* orr_top_places and orr_topk: the first k elements of an axis in sorted order. For a long line the first k of each
 * chunk come first.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <stdlib.h>
#include <orrery/array.h>
#include "ops/order.h"
#include "ops/rule.h"
#include "runtime/base/threshold.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    orr_shape s = in[0]->shape;
    int last = s.rank - 1;
    if (last < 0 || n->shape.rank != s.rank || n->shape.dim[last] > s.dim[last])
        return "top_places has more places than its operand";
    s.dim[last] = n->shape.dim[last];
    return orr__shape_equal(&s, &n->shape) ? NULL : "top_places changes the shape";
}

static orr_status reference(const orr__reference *j)
{
    const orr_shape *s = &j->in[0].shape;
    int64_t n = s->dim[s->rank - 1], k = j->out.shape.dim[s->rank - 1];
    int64_t *order = orr__alloc_n((size_t)n + 1, sizeof *order);
    if (!order)
        return ORR_ENOMEM;
    for (int64_t row = 0; k && row < j->out.count / k; row++) {
        orr__order_places(&j->in[0], row * n, n, j->node->attr.mask != 0, order);
        for (int64_t i = 0; i < k; i++)
            orr__array_set(&j->out, row * k + i, (orr__scalar){ .i = order[i] });
    }
    free(order);
    return ORR_OK;
}

static orr__workload work(const orr__call *c)
{
    return (orr__workload){ .flops = 3 * (double)orr__shape_count(&c->in[0]) + 40 * (double)orr__shape_count(&c->out) };
}

static int space(const orr__call *c, int64_t *dim)
{
    dim[1] = c->out.dim[c->out.rank - 1];
    dim[0] = 1;
    for (int d = 0; d < c->out.rank - 1; d++)
        dim[0] *= c->out.dim[d];
    return 2;
}

/* k is start[axis], or the length of the axis if that is less. */
static orr_tensor *record(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    orr_shape s = orr_tensor_shape(in[0]);
    int axis = orr__axis(a->axis, s.rank);
    int64_t k = axis < 0 ? 0 : a->start[axis] < s.dim[axis] ? a->start[axis] : s.dim[axis];
    return orr_top_places_at(file, line, in[0], k, a->axis, a->mask != 0);
}

/* The axis is the last one; the public functions permute. start[0] is k. */
const orr__op orr__op_top_places = {
    .id = ORR__OP_top_places,
    .name = "top_places",
    .arity = 1,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK | ORR__ATTR_START,
    .options = 1,
    .record = record,
    .verify = verify,
    .reference = reference,
    .distribute = orr__rule_rows,
    .work = work,
    .space = space,
};

/* The places of the first k elements of each line of x, (lines, length). */
static orr_tensor *top(orr__site at, orr_tensor *x, int64_t k, bool largest)
{
    orr__node *n = orr__handle_node(x);
    orr_shape to = n->shape;
    to.dim[1] = k;
    orr__node *r = orr__rec_one(at, &orr__op_top_places, ORR_I64, &to, orr__node_ref(n));
    if (r) {
        r->attr.mask = largest;
        r->attr.start[0] = k;
    }
    return orr__handle_new(r);
}

/* The first k of each chunk, joined in the order of the chunks, and the first k of these. */
static orr_tensor *in_phases(orr__site at, orr_tensor *x, int64_t k, bool largest, int64_t chunks)
{
    const char *file = at.file;
    int line = at.line;
    int64_t lines = orr_tensor_shape(x).dim[0];
    x = orr__order_cut(at, x, chunks, largest);
    if (orr_tensor_status(x) != ORR_OK)
        return x;
    int64_t m = orr_tensor_shape(x).dim[1];
    orr_tensor *place = top(at, x, k, largest);
    orr_tensor *value = orr_take_along_axis_at(file, line, x, place, 1);
    orr_tensor *begin = orr__handle_new(
        orr__rec_iota(at, ORR_I64, &ORR_SHAPE(1, chunks, 1), 1, (orr__scalar){ .i = 0 }, (orr__scalar){ .i = m }));
    place = orr_add_at(file, line, orr_reshape_at(file, line, place, ORR_SHAPE(lines, chunks, k)), begin);
    place = orr_reshape_at(file, line, place, ORR_SHAPE(lines, chunks * k));
    value = orr_reshape_at(file, line, value, ORR_SHAPE(lines, chunks * k));
    if (orr_tensor_status(value) != ORR_OK)
        return value;
    return orr_take_along_axis_at(file, line, place, top(at, value, k, largest), 1);
}

static orr_tensor *places(orr__site at, orr_tensor *x, int64_t k, int axis, bool largest)
{
    const char *file = at.file;
    int line = at.line;
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_ordered(at, x, "x", &n, &bad))
        return bad;
    orr_shape s = n->shape;
    int a = orr__axis(axis, s.rank), last = s.rank - 1;
    if (a < 0)
        return orr__axis_poison(at, axis, &s);
    if (k < 0 || k > s.dim[a])
        return orr__poison(at, ORR_EINVAL, "k is %lld: it must be 0 to %lld, the length of axis %d of %s", (long long)k,
                           (long long)s.dim[a], a, orr__str(s).s);
    orr_scope *scope = orr__compose_begin(at);
    int64_t length = s.dim[a], lines = length ? orr__shape_count(&s) / length : 0;
    orr_tensor *y = orr_swapaxes_at(file, line, x, a, last);
    orr_shape to = orr_tensor_shape(y);
    to.dim[last] = k;
    if (k * 2 > length && k > ORR__VECTOR) { /* sorting costs no more */
        y = orr_slice_axis_at(file, line, orr_argsort_at(file, line, y, -1, largest), -1, 0, k, 1);
    } else {
        int64_t chunks = orr__order_chunks(lines, length);
        y = orr_reshape_at(file, line, y, ORR_SHAPE(lines, length));
        if (orr_tensor_status(y) == ORR_OK)
            y = chunks > 1 && k <= length / chunks / 8 ? in_phases(at, y, k, largest, chunks) : top(at, y, k, largest);
        y = orr_reshape_at(file, line, y, to);
    }
    return orr__compose_end(at, scope, orr_swapaxes_at(file, line, y, a, last));
}

orr_tensor *orr_top_places_at(const char *file, int line, orr_tensor *x, int64_t k, int axis, bool largest)
{
    return places(ORR__SITE(file, line, "top_places"), x, k, axis, largest);
}

orr_status orr_topk_at(const char *file, int line, orr_tensor *x, int64_t k, int axis, bool largest,
                       orr_tensor **values, orr_tensor **places_of)
{
    orr__site at = ORR__SITE(file, line, "topk");
    if (!values || !places_of)
        return orr__fail(at, ORR_EINVAL, "values or places is NULL");
    *places_of = places(at, x, k, axis, largest);
    *values = orr_take_along_axis_at(file, line, x, *places_of, axis);
    return orr_tensor_status(*values);
}
