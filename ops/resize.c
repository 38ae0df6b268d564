/* orr_resize: weighted sums of neighbours, one axis after the other; the transposed sums are its derivative.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <stdlib.h>
#include "ops/back.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/resize.h"
#include "ops/rule.h"
#include "runtime/base/fpmode.h"

#define LONGEST ((int64_t)1 << 30)
enum { CORNERS = 8 };

orr__resize orr__resize_of(const orr__attr *a, const orr_shape *from, const orr_shape *to)
{
    orr__line x = orr__reference_line(from, a->axis);
    return (orr__resize){ .outer = x.outer,
                          .from = x.length,
                          .to = to->dim[a->axis],
                          .inner = x.inner,
                          .mode = (orr_resize_mode)(a->mask % CORNERS),
                          .corners = (a->mask & CORNERS) != 0 };
}

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    orr_shape s = in[0]->shape;
    (void)nin;
    if (n->attr.axis >= s.rank || n->dtype != in[0]->dtype || n->attr.start[n->attr.axis] != n->shape.dim[n->attr.axis])
        return "resize axis, dtype or length";
    s.dim[n->attr.axis] = n->shape.dim[n->attr.axis];
    return orr__shape_equal(&s, &n->shape) ? NULL : "resize of another shape";
}

/* back: the transposed sums, which add each element to its neighbours. */
static orr_status sum(const orr__reference *j, const orr__resize *v, bool back)
{
    long double *line = calloc((size_t)(back ? v->from : v->to) + 1, sizeof *line);
    if (!line)
        return ORR_ENOMEM;
    int64_t nin = back ? v->to : v->from, nout = back ? v->from : v->to;
    for (int64_t o = 0; o < v->outer; o++)
        for (int64_t c = 0; c < v->inner; c++) {
            for (int64_t i = 0; i < nout; i++)
                line[i] = 0;
            for (int64_t i = 0; i < v->to; i++) {
                orr__neighbours k = orr__resize_neighbours(v, i);
                for (int64_t t = 0; t < k.n; t++) {
                    int64_t at = orr__resize_place(v, &k, t), from = back ? i : at, to = back ? at : i;
                    line[to] += (long double)orr__resize_weight(&k, t) *
                                orr__reference_get(&j->in[0], (o * nin + from) * v->inner + c);
                }
            }
            for (int64_t i = 0; i < nout; i++)
                orr__reference_set(&j->out, (o * nout + i) * v->inner + c, line[i]);
        }
    free(line);
    return ORR_OK;
}

static orr_status reference_resize(const orr__reference *j)
{
    orr__resize v = orr__resize_of(&j->node->attr, &j->in[0].shape, &j->out.shape);
    return sum(j, &v, false);
}

static orr_status reference_resize_back(const orr__reference *j)
{
    orr__resize v = orr__resize_of(&j->node->attr, &j->out.shape, &j->in[0].shape);
    return sum(j, &v, true);
}

/* n resized along an axis; takes over the reference of n. */
static orr__node *along(orr__site at, const orr__op *op, orr__node *n, int axis, int64_t length, uint32_t mask)
{
    if (!n)
        return NULL;
    orr_shape s = n->shape;
    s.dim[axis] = length;
    orr__node *r = orr__rec_one(at, op, (orr_dtype)n->dtype, &s, n);
    if (r) {
        r->attr.axis = axis;
        r->attr.mask = mask;
        r->attr.start[axis] = length;
    }
    return r;
}

static orr_tensor *other(const orr__back *b, const orr__op *op)
{
    orr__node *g;
    orr_tensor *bad;
    int axis = b->node->attr.axis;
    if (!orr__operand(b->at, b->g, "g", &g, &bad))
        return bad;
    int64_t length = orr_tensor_shape(b->in[0]).dim[axis];
    return orr__handle_new(along(b->at, op, orr__node_ref(g), axis, length, b->node->attr.mask));
}
static orr_tensor *vjp_resize(const orr__back *b, int k)
{
    (void)k;
    return other(b, &orr__op_resize_back);
}
static orr_tensor *vjp_resize_back(const orr__back *b, int k)
{
    (void)k;
    return other(b, &orr__op_resize);
}

static orr__workload work(const orr__call *c)
{
    int64_t a = orr__shape_count(&c->in[0]), b = orr__shape_count(&c->out);
    return (orr__workload){ .flops = 8 * (double)(a > b ? a : b) };
}

/* Rows are the axes before the resized one. */
static int space(const orr__call *c, int64_t *dim)
{
    orr__line x = orr__reference_line(&c->out, c->attr.axis);
    dim[0] = x.outer;
    dim[1] = x.length * x.inner;
    return 2;
}

/* For tests: the modes, then linear and cubic with aligned corners; start[axis] is the new length. */
static orr_tensor *record(const char *file, int line, const orr__op *op, orr_tensor *x, const orr__attr *a)
{
    static const uint32_t modes[] = { ORR_RESIZE_NEAREST,         ORR_RESIZE_LINEAR,
                                      ORR_RESIZE_CUBIC,           ORR_RESIZE_AREA,
                                      ORR_RESIZE_NEAREST_CENTRE,  ORR_RESIZE_LINEAR | CORNERS,
                                      ORR_RESIZE_CUBIC | CORNERS, ORR_RESIZE_NEAREST };
    orr__site at = ORR__SITE(file, line, "resize");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_float(at, x, "x", &n, &bad))
        return bad;
    int axis = orr__axis(a->axis, n->shape.rank);
    if (axis < 0)
        return orr__axis_poison(at, a->axis, &n->shape);
    if (n->shape.dim[axis] == 0)
        return orr__poison(at, ORR_ESHAPE, "axis %d of %s has no elements", axis, orr__str(n->shape).s);
    orr_dtype t = (orr_dtype)n->dtype;
    orr__node *wide = orr__rec_cast(at, orr__node_ref(n), orr__wide(t));
    return orr__handle_new(orr__rec_cast(at, along(at, op, wide, axis, a->start[axis], modes[a->mask % 8]), t));
}
static orr_tensor *record_resize(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    return record(file, line, &orr__op_resize, in[0], a);
}
static orr_tensor *record_resize_back(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    return record(file, line, &orr__op_resize_back, in[0], a);
}

#define RESIZE(word)                                                                                                   \
    const orr__op orr__op_##word = { .id = ORR__OP_##word,                                                             \
                                     .name = #word,                                                                    \
                                     .arity = 1,                                                                       \
                                     .pattern = ORR__PATTERN_KERNEL,                                                   \
                                     .attrs = ORR__ATTR_AXIS | ORR__ATTR_MASK | ORR__ATTR_START,                       \
                                     .flags = ORR__OP_SUMS | ORR__OP_FLOATS,                                           \
                                     .options = 3,                                                                     \
                                     .record = record_##word,                                                          \
                                     .verify = verify,                                                                 \
                                     .reference = reference_##word,                                                    \
                                     .distribute = orr__rule_but_axis,                                                 \
                                     .vjp = vjp_##word,                                                                \
                                     .work = work,                                                                     \
                                     .space = space }
RESIZE(resize);
RESIZE(resize_back);

orr_tensor *orr_resize_at(const char *file, int line, orr_tensor *x, orr_shape size, orr_resize_mode mode,
                          bool align_corners)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "resize");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_float(at, x, "x", &n, &bad))
        return bad;
    orr_shape s = n->shape;
    if (s.rank < 3 || s.rank > 5 || size.rank != s.rank - 2)
        return orr__poison(
            at, ORR_ESHAPE,
            "%s to spatial axes of %s: a batch axis, a channel axis, one, two or three spatial axes and as "
            "many lengths are needed",
            orr__str(s).s, orr__str(size).s);
    if ((int)mode < ORR_RESIZE_NEAREST || mode > ORR_RESIZE_NEAREST_CENTRE)
        return orr__poison(at, ORR_EINVAL, "%d is no orr_resize_mode", (int)mode);
    if (align_corners && mode != ORR_RESIZE_LINEAR && mode != ORR_RESIZE_CUBIC)
        return orr__poison(at, ORR_EINVAL, "corners are aligned by ORR_RESIZE_LINEAR and ORR_RESIZE_CUBIC alone");
    for (int d = 0; d < size.rank; d++)
        if (size.dim[d] < 1 || s.dim[2 + d] < 1 || size.dim[d] > LONGEST || s.dim[2 + d] > LONGEST)
            return orr__poison(at, ORR_ESHAPE, "%s to spatial axes of %s: lengths are 1 or more, and at most 2^30",
                               orr__str(s).s, orr__str(size).s);
    orr_shape to = s;
    for (int d = 0; d < size.rank; d++)
        to.dim[2 + d] = size.dim[d];
    if (!orr__shape_ok(at, &to, &bad))
        return bad;
    orr_dtype t = (orr_dtype)n->dtype;
    uint32_t mask = (uint32_t)mode | (align_corners ? CORNERS : 0);
    orr__node *r = orr__rec_cast(at, orr__node_ref(n), orr__wide(t));
    for (int axis = s.rank - 1; axis >= 2;
         axis--) /* the last axis first: along it, neighbouring elements cannot share their weights */
        if (to.dim[axis] != s.dim[axis])
            r = along(at, &orr__op_resize, r, axis, to.dim[axis], mask);
    return orr__handle_new(orr__rec_cast(at, r, t));
}
