/* orr_max_pool and its indices and inverse; average and Lp pooling. pool_pick reads another array at the place of each
 * maximum; pool_spread adds values up at these places. Each is the derivative of the other, as are pool_sum and pool_sum_back.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <orrery/array.h>
#include <orrery/conv.h>
#include "ops/back.h"
#include "ops/pool.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "runtime/base/fpmode.h"

#define LONGEST ((int64_t)1 << 30)

orr__pool orr__pool_of(const orr__attr *a, const orr_shape *x, const orr_shape *y)
{
    orr__pool v = {
        x->dim[0] * x->dim[1], { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 }
    };
    int axes = x->rank - 2;
    for (int d = 0; d < axes; d++) {
        int to = ORR__POOL_AXES - axes + d;
        v.x[to] = x->dim[2 + d];
        v.y[to] = y->dim[2 + d];
        v.stride[to] = a->step[d];
        v.dilation[to] = a->step[ORR__POOL_AXES + d];
        v.before[to] = a->start[d];
        v.window[to] = a->start[ORR__POOL_AXES + d];
    }
    return v;
}

/* -- checks of a node ---------------------------------------------------------------------------------------------- */

static const char *verify_windows(const orr__node *n, const orr_shape *x, const orr_shape *y)
{
    if (x->rank < 3 || x->rank > 2 + ORR__POOL_AXES || y->rank != x->rank || x->dim[0] != y->dim[0] ||
        x->dim[1] != y->dim[1])
        return "pooling changes the batch, the channels or the rank";
    for (int d = 0; d + 2 < x->rank; d++)
        if (n->attr.step[d] < 0 || n->attr.step[ORR__POOL_AXES + d] < 1 || n->attr.start[d] < 0)
            return "pooling stride, dilation or padding";
    return NULL;
}

static const char *verify_pool_max(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return n->dtype == in[0]->dtype ? verify_windows(n, &in[0]->shape, &n->shape) : "pool_max changes the dtype";
}

static const char *verify_pool_pick(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return n->dtype == in[1]->dtype && orr__shape_equal(&in[0]->shape, &in[1]->shape)
               ? verify_windows(n, &in[0]->shape, &n->shape)
               : "pool_pick of another shape or dtype";
}

static const char *verify_pool_spread(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return n->dtype == in[1]->dtype && orr__shape_equal(&in[0]->shape, &n->shape)
               ? verify_windows(n, &in[0]->shape, &in[1]->shape)
               : "pool_spread of another shape or dtype";
}

static const char *verify_sums(const orr__node *n, const orr__node *x, const orr_shape *of, const orr_shape *to)
{
    for (int d = 0; d < ORR__POOL_AXES; d++)
        if (n->attr.step[d] < 1)
            return "sums of windows without a stride";
    return n->dtype == x->dtype ? verify_windows(n, of, to) : "sums of windows change the dtype";
}

static const char *verify_pool_sum(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return verify_sums(n, in[0], &in[0]->shape, &n->shape);
}

static const char *verify_pool_sum_back(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return verify_sums(n, in[0], &n->shape, &in[0]->shape);
}

/* -- reference --------------------------------------------------------------------------------------------------------- */

/* The place in x of the maximum of window number e; -1: the window has no element. */
static int64_t place_of(const orr__array *x, const orr__pool *v, int64_t e)
{
    int64_t first[ORR__POOL_AXES], n[ORR__POOL_AXES], i = e, best = -1;
    for (int d = ORR__POOL_AXES - 1; d >= 0; d--, i /= v->y[d + 1])
        orr__pool_window(v, d, i % v->y[d], &first[d], &n[d]);
    for (int64_t t0 = 0; t0 < n[0]; t0++)
        for (int64_t t1 = 0; t1 < n[1]; t1++)
            for (int64_t t2 = 0; t2 < n[2]; t2++) {
                int64_t at =
                    ((i * v->x[0] + first[0] + t0 * v->dilation[0]) * v->x[1] + first[1] + t1 * v->dilation[1]) *
                        v->x[2] +
                    first[2] + t2 * v->dilation[2];
                long double here = orr__reference_get(x, at);
                if (best < 0 || here > orr__reference_get(x, best) || here != here)
                    best = at;
            }
    return best;
}

static orr_status reference_pool_max(const orr__reference *j)
{
    orr__pool v = orr__pool_of(&j->node->attr, &j->in[0].shape, &j->out.shape);
    for (int64_t e = 0; e < j->out.count; e++) {
        int64_t at = place_of(&j->in[0], &v, e);
        orr__reference_set(&j->out, e, at < 0 ? -INFINITY : orr__reference_get(&j->in[0], at));
    }
    return ORR_OK;
}

static orr_status reference_pool_pick(const orr__reference *j)
{
    orr__pool v = orr__pool_of(&j->node->attr, &j->in[0].shape, &j->out.shape);
    for (int64_t e = 0; e < j->out.count; e++) {
        int64_t at = place_of(&j->in[0], &v, e);
        orr__array_set(&j->out, e, at < 0 ? (orr__scalar){ .u = 0 } : orr__array_get(&j->in[1], at));
    }
    return ORR_OK;
}

static void clear(const orr__reference *j)
{
    for (int64_t i = 0; i < j->out.count; i++)
        orr__reference_set(&j->out, i, 0);
}

static orr_status reference_pool_spread(const orr__reference *j)
{
    orr__pool v = orr__pool_of(&j->node->attr, &j->in[0].shape, &j->in[1].shape);
    clear(j);
    for (int64_t e = 0; e < j->in[1].count; e++) {
        int64_t at = place_of(&j->in[0], &v, e);
        if (at >= 0)
            orr__reference_set(&j->out, at, orr__reference_get(&j->out, at) + orr__reference_get(&j->in[1], e));
    }
    return ORR_OK;
}

/* Calls `add` with the numbers of each window and of each of its elements. */
static void each_element(const orr__reference *j, const orr__pool *v,
                         void (*add)(const orr__reference *j, int64_t window, int64_t element))
{
    int64_t windows = v->planes * v->y[0] * v->y[1] * v->y[2], f[ORR__POOL_AXES], n[ORR__POOL_AXES];
    for (int64_t e = 0; e < windows; e++) {
        int64_t i = e;
        for (int d = ORR__POOL_AXES - 1; d >= 0; i /= v->y[d], d--)
            orr__pool_window(v, d, i % v->y[d], &f[d], &n[d]);
        for (int64_t t0 = 0; t0 < n[0]; t0++)
            for (int64_t t1 = 0; t1 < n[1]; t1++)
                for (int64_t t2 = 0; t2 < n[2]; t2++)
                    add(j, e,
                        ((i * v->x[0] + f[0] + t0 * v->dilation[0]) * v->x[1] + f[1] + t1 * v->dilation[1]) * v->x[2] +
                            f[2] + t2 * v->dilation[2]);
    }
}

static void add_element(const orr__reference *j, int64_t window, int64_t element)
{
    orr__reference_set(&j->out, window, orr__reference_get(&j->out, window) + orr__reference_get(&j->in[0], element));
}

static void add_window(const orr__reference *j, int64_t window, int64_t element)
{
    orr__reference_set(&j->out, element, orr__reference_get(&j->out, element) + orr__reference_get(&j->in[0], window));
}

static orr_status reference_pool_sum(const orr__reference *j)
{
    orr__pool v = orr__pool_of(&j->node->attr, &j->in[0].shape, &j->out.shape);
    clear(j);
    each_element(j, &v, add_element);
    return ORR_OK;
}

static orr_status reference_pool_sum_back(const orr__reference *j)
{
    orr__pool v = orr__pool_of(&j->node->attr, &j->out.shape, &j->in[0].shape);
    clear(j);
    each_element(j, &v, add_window);
    return ORR_OK;
}

/* -- derivatives -------------------------------------------------------------------------------------------------------- */

/* A node of x and `h` or g; both are borrowed. */
static orr_tensor *with(orr__site at, const orr__op *op, const orr_shape *shape, orr_tensor *x, orr_tensor *h,
                        const orr__attr *a)
{
    orr__node *in[2];
    orr_tensor *bad;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, h }, (const char *const[]){ "x", "h" }, in, &bad))
        return bad;
    orr__node *r = orr__node_new(at, op, (orr_dtype)in[1]->dtype, shape, 2, in);
    if (r)
        r->attr = *a;
    return orr__handle_new(r);
}

static orr_tensor *vjp_pool_max(const orr__back *b, int k)
{
    orr_shape s = orr_tensor_shape(b->in[k]);
    return with(b->at, &orr__op_pool_spread, &s, b->in[0], b->g, &b->node->attr);
}

static orr_tensor *vjp_pool_pick(const orr__back *b, int k)
{
    orr_shape s = orr_tensor_shape(b->in[k]);
    return k ? with(b->at, &orr__op_pool_spread, &s, b->in[0], b->g, &b->node->attr) : NULL;
}

static orr_tensor *vjp_pool_spread(const orr__back *b, int k)
{
    orr_shape s = orr_tensor_shape(b->in[k]);
    return k ? with(b->at, &orr__op_pool_pick, &s, b->in[0], b->g, &b->node->attr) : NULL;
}

/* A node of x alone. */
static orr_tensor *of_windows(orr__site at, const orr__op *op, const orr_shape *shape, orr_tensor *x,
                              const orr__attr *a)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_float(at, x, "x", &n, &bad))
        return bad;
    orr__node *r = orr__rec_one(at, op, (orr_dtype)n->dtype, shape, orr__node_ref(n));
    if (r)
        r->attr = *a;
    return orr__handle_new(r);
}

static orr_tensor *vjp_pool_sum(const orr__back *b, int k)
{
    orr_shape s = orr_tensor_shape(b->in[k]);
    return of_windows(b->at, &orr__op_pool_sum_back, &s, b->g, &b->node->attr);
}

static orr_tensor *vjp_pool_sum_back(const orr__back *b, int k)
{
    orr_shape s = orr_tensor_shape(b->in[k]);
    return of_windows(b->at, &orr__op_pool_sum, &s, b->g, &b->node->attr);
}

/* -- work and tiles ------------------------------------------------------------------------------------------------------ */

static orr__workload work_of(const orr__attr *a, const orr_shape *y)
{
    double n = 4 * (double)orr__shape_count(y);
    for (int d = 0; d + 2 < y->rank; d++)
        n *= a->step[d] ? (double)a->start[ORR__POOL_AXES + d] : 2;
    return (orr__workload){ .flops = n };
}
static orr__workload work_out(const orr__call *c)
{
    return work_of(&c->attr, &c->out);
}
static orr__workload work_in(const orr__call *c)
{
    return work_of(&c->attr, &c->in[1]);
}
/* Additions in vectors, as in a convolution with one channel. */
static orr__workload work_of_sums(const orr__attr *a, const orr_shape *y)
{
    return (orr__workload){ .flops = work_of(a, y).flops / 2, .product = true };
}
static orr__workload sum_out(const orr__call *c)
{
    return work_of_sums(&c->attr, &c->out);
}
static orr__workload sum_in(const orr__call *c)
{
    return work_of_sums(&c->attr, &c->in[0]);
}

/* Planes. */
static int space(const orr__call *c, int64_t *dim)
{
    dim[0] = c->out.dim[0] * c->out.dim[1];
    dim[1] = 1;
    for (int d = 2; d < c->out.rank; d++)
        dim[1] *= c->out.dim[d];
    return 2;
}

/* -- contracts -------------------------------------------------------------------------------------------------------------- */

/* For tests: windows of start[axis] elements, step[axis] apart, along one axis. */
static orr_tensor *line_of(const char *file, int line, orr_tensor *x, int axis)
{
    orr_shape s = orr_tensor_shape(x);
    int64_t rest = 1;
    for (int d = 0; d < s.rank; d++)
        rest *= d == axis ? 1 : s.dim[d];
    return orr_reshape_at(file, line, orr_moveaxis_at(file, line, x, ORR_AXES(axis), ORR_AXES(-1)),
                          ORR_SHAPE(rest, 1, axis < s.rank && axis >= 0 ? s.dim[axis] : 0));
}

static orr_tensor *record_with(const char *file, int line, const orr__op *op, orr_tensor *const *in, const orr__attr *a)
{
    orr__site at = ORR__SITE(file, line, "max_pool");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_float(at, in[0], "x", &n, &bad))
        return bad;
    int k = orr__axis(a->axis, n->shape.rank);
    if (k < 0)
        return orr__axis_poison(at, a->axis, &n->shape);
    orr_tensor *x = line_of(file, line, in[0], k);
    orr_pool_options o = { .window = { a->start[k] }, .stride = { a->step[k] } };
    orr_tensor *y = orr_max_pool_at(file, line, x, &o);
    if (op == &orr__op_pool_max || orr__is_half((orr_dtype)n->dtype))
        return y;
    orr__attr windows = { .start = { 0, 0, 0, a->start[k], 1, 1 }, .step = { a->step[k], 1, 1, 1, 1, 1 } };
    if (op == &orr__op_pool_sum || op == &orr__op_pool_sum_back) {
        orr_shape shape = orr_tensor_shape(op == &orr__op_pool_sum ? y : x);
        int64_t count = orr_tensor_shape(y).dim[2];
        return of_windows(at, op, &shape, op == &orr__op_pool_sum ? x : orr_slice_axis_at(file, line, x, 2, 0, count, 1),
                          &windows);
    }
    orr_tensor *h = line_of(file, line, in[1], k);
    orr_shape to = orr_tensor_shape(y);
    if (op == &orr__op_pool_pick)
        return with(at, op, &to, x, h, &windows);
    orr_shape from = orr_tensor_shape(x);
    return with(at, op, &from, x, orr_slice_axis_at(file, line, h, 2, 0, to.dim[2], 1), &windows);
}

#define POOL(word, operands, cost)                                                                                     \
    static orr_tensor *record_##word(const char *file, int line, orr_tensor *const *in, const orr__attr *a)            \
    {                                                                                                                  \
        return record_with(file, line, &orr__op_##word, in, a);                                                        \
    }                                                                                                                  \
    const orr__op orr__op_##word = { .id = ORR__OP_##word,                                                             \
                                     .name = #word,                                                                    \
                                     .arity = operands,                                                                \
                                     .pattern = ORR__PATTERN_KERNEL,                                                   \
                                     .attrs = ORR__ATTR_START | ORR__ATTR_STEP,                                        \
                                     .flags = ORR__OP_SUMS | ORR__OP_FLOATS,                                           \
                                     .record = record_##word,                                                          \
                                     .verify = verify_##word,                                                          \
                                     .reference = reference_##word,                                                    \
                                     .distribute = orr__rule_images,                                                   \
                                     .vjp = vjp_##word,                                                                \
                                     .work = cost,                                                                     \
                                     .space = space }
POOL(pool_max, 1, work_out);
POOL(pool_pick, 2, work_out);
POOL(pool_spread, 2, work_in);
POOL(pool_sum, 1, sum_out);
POOL(pool_sum_back, 1, sum_in);

/* -- options ------------------------------------------------------------------------------------------------------------------ */

/* The arguments of a call: the attributes of its windows, the shape of the result. */
typedef struct {
    orr__attr attr;
    orr_shape to;
    bool adaptive;
} windows;

static bool adaptive_windows(orr__site at, const orr_pool_options *o, const orr_shape *s, windows *w, orr_tensor **bad)
{
    for (int d = 0; d + 2 < s->rank && !*bad; d++) {
        if (o->size[d] < 1 || s->dim[2 + d] < 1 || s->dim[2 + d] > LONGEST || o->size[d] > LONGEST)
            *bad = orr__poison(
                at, ORR_ESHAPE,
                "size %lld of spatial axis %d of %s: both lengths are 1 or more, one size for each of the %d "
                "spatial axes",
                (long long)o->size[d], d, orr__str(*s).s, s->rank - 2);
        bool even = !*bad && s->dim[2 + d] % o->size[d] == 0;
        w->to.dim[2 + d] = o->size[d];
        w->attr.start[ORR__POOL_AXES + d] = even ? s->dim[2 + d] / o->size[d] : 0;
        w->attr.step[d] = w->attr.start[ORR__POOL_AXES + d];
    }
    return !*bad;
}

static bool fixed_windows(orr__site at, const orr_pool_options *o, const orr_shape *s, windows *w, orr_tensor **bad)
{
    for (int d = 0; d + 2 < s->rank && !*bad; d++) {
        int64_t n = o->window[d], stride = o->stride[d] ? o->stride[d] : n, e = o->dilation[d] ? o->dilation[d] : 1;
        int64_t pad = o->padding[d], x = s->dim[2 + d];
        if (n < 1 || stride < 1 || e < 1 || n > LONGEST / e || stride > LONGEST || x > LONGEST) {
            *bad = orr__poison(
                at, ORR_EINVAL,
                "window %lld, stride %lld and dilation %lld of spatial axis %d of %s: each is 1 or more, one "
                "number for each of the %d spatial axes",
                (long long)n, (long long)stride, (long long)e, d, orr__str(*s).s, s->rank - 2);
            break;
        }
        int64_t reach = e * (n - 1) + 1, length = x + 2 * pad;
        if (pad < 0 || pad > reach / 2)
            *bad = orr__poison(at, ORR_EINVAL,
                               "padding %lld of spatial axis %d: it is at most half of the window, which "
                               "reaches over %lld elements",
                               (long long)pad, d, (long long)reach);
        else if (reach > length)
            *bad =
                orr__poison(at, ORR_ESHAPE,
                            "%s: a window reaches over %lld elements of spatial axis %d, and the padded input has %lld",
                            orr__str(*s).s, (long long)reach, d, (long long)length);
        else {
            int64_t y = (length - reach + (o->round_up ? stride - 1 : 0)) / stride + 1;
            y -= o->round_up && (y - 1) * stride >= x + pad; /* a window of padding alone */
            w->to.dim[2 + d] = y;
            w->attr.start[d] = pad;
            w->attr.start[ORR__POOL_AXES + d] = n;
            w->attr.step[d] = stride;
            w->attr.step[ORR__POOL_AXES + d] = e;
        }
    }
    return !*bad;
}

/* Checks x, a float with spatial axes, and the options. */
static bool begin(orr__site at, orr_tensor *x, const orr_pool_options *o, orr__node **n, windows *w, orr_tensor **bad)
{
    if (!orr__operand_float(at, x, "x", n, bad))
        return false;
    const orr_shape *s = &(*n)->shape;
    *bad = NULL;
    *w = (windows){ .to = *s };
    for (int d = 0; d < 2 * ORR__POOL_AXES; d++)
        w->attr.step[d] = 1;
    if (!o)
        *bad = orr__poison(at, ORR_EINVAL, "the options are NULL: a window or a size is needed");
    else if (s->rank < 3 || s->rank > 2 + ORR__POOL_AXES)
        *bad = orr__poison(at, ORR_ESHAPE,
                           "%s: a batch axis, a channel axis and one, two or three spatial axes are needed%s",
                           orr__str(*s).s, s->rank == 2 ? ": orr_expand_dims(x, 0) adds a batch" : "");
    else
        w->adaptive = o->size[0] != 0;
    return !*bad && (w->adaptive ? adaptive_windows(at, o, s, w, bad) : fixed_windows(at, o, s, w, bad)) &&
           orr__shape_ok(at, &w->to, bad);
}

/* -- the public functions ------------------------------------------------------------------------------------------------------- */

orr_tensor *orr_max_pool_at(const char *file, int line, orr_tensor *x, const orr_pool_options *o)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "max_pool");
    orr__node *n;
    orr_tensor *bad;
    windows w;
    if (!begin(at, x, o, &n, &w, &bad))
        return bad;
    orr_dtype t = (orr_dtype)n->dtype, wide = orr__wide(t);
    orr__node *r = orr__rec_cast(at, orr__node_ref(n), wide);
    r = r ? orr__rec_one(at, &orr__op_pool_max, wide, &w.to, r) : NULL;
    if (r)
        r->attr = w.attr;
    return orr__handle_new(orr__rec_cast(at, r, t));
}

/* pool_pick of the numbers of the elements of each plane. */
orr_tensor *orr_max_pool_indices_at(const char *file, int line, orr_tensor *x, const orr_pool_options *o)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "max_pool_indices");
    orr__node *n;
    orr_tensor *bad;
    windows w;
    if (!begin(at, x, o, &n, &w, &bad))
        return bad;
    orr_shape s = n->shape, plane = s;
    int64_t count = 1;
    plane.dim[0] = plane.dim[1] = 1;
    for (int d = 2; d < s.rank; d++)
        count *= s.dim[d];
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *numbers = orr_reshape_at(file, line, orr_arange_at(file, line, ORR_I64, 0, (double)count, 1), plane);
    orr_tensor *wide = orr_cast_at(file, line, x, orr__wide((orr_dtype)n->dtype));
    orr_tensor *r = with(at, &orr__op_pool_pick, &w.to, wide, orr_broadcast_to_at(file, line, numbers, s), &w.attr);
    return orr__compose_end(at, scope, r);
}

orr_tensor *orr_max_unpool_at(const char *file, int line, orr_tensor *y, orr_tensor *indices, orr_shape size)
{
    orr__site at = ORR__SITE(file, line, "max_unpool");
    orr__node *in[2];
    orr_tensor *bad;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ y, indices }, (const char *const[]){ "y", "indices" }, in,
                       &bad))
        return bad;
    orr_shape s = in[0]->shape, to = s;
    if (!orr__is_float((orr_dtype)in[0]->dtype) || !orr__is_int((orr_dtype)in[1]->dtype))
        return orr__poison(at, ORR_EDTYPE, "%s at indices of %s: a float at integers is needed",
                           orr_dtype_name((orr_dtype)in[0]->dtype), orr_dtype_name((orr_dtype)in[1]->dtype));
    if (s.rank < 3 || s.rank > 2 + ORR__POOL_AXES || size.rank != s.rank - 2 || !orr__shape_equal(&s, &in[1]->shape))
        return orr__poison(
            at, ORR_ESHAPE,
            "%s at indices %s to spatial axes of %s: two equal shapes (N, C, …) and as many lengths as they "
            "have spatial axes are needed",
            orr__str(s).s, orr__str(in[1]->shape).s, orr__str(size).s);
    for (int d = 0; d < size.rank; d++)
        to.dim[2 + d] = size.dim[d];
    if (!orr__shape_ok(at, &to, &bad))
        return bad;
    /* A plane is a row. Indices are checked against the length of a plane, then offset by the start of their plane. */
    int64_t planes = s.dim[0] * s.dim[1], from = 1, count = 1;
    for (int d = 2; d < s.rank; d++) {
        from *= s.dim[d];
        count *= to.dim[d];
    }
    orr_scope *scope = orr__compose_begin(at);
    orr_shape row = ORR_SHAPE(planes, 1);
    orr_tensor *first =
        orr__handle_new(orr__rec_iota(at, ORR_I64, &row, 0, (orr__scalar){ .i = 0 }, (orr__scalar){ .i = count }));
    orr_tensor *number = orr_take_at(file, line, orr_arange_at(file, line, ORR_I64, 0, (double)count, 1), indices, 0);
    orr_tensor *place = orr_add_at(file, line, orr_reshape_at(file, line, number, ORR_SHAPE(planes, from)), first);
    orr_tensor *zero = orr_zeros_at(file, line, (orr_dtype)in[0]->dtype, ORR_SHAPE(planes * count));
    orr_tensor *r = orr_scatter_add_at(file, line, zero, orr_reshape_at(file, line, place, ORR_SHAPE(planes * from)),
                                       orr_reshape_at(file, line, y, ORR_SHAPE(planes * from)), 0);
    return orr__compose_end(at, scope, orr_reshape_at(file, line, r, to));
}

static orr_tensor *sums(orr__site at, orr_tensor *x, const windows *w)
{
    return of_windows(at, &orr__op_pool_sum, &w->to, x, &w->attr);
}

/* The number of elements of each window, for one plane: of the input, or of the padded input. */
static orr_tensor *counts(orr__site at, orr_dtype dtype, const orr_shape *s, const windows *w, bool padded)
{
    orr_shape one = *s;
    windows of = *w;
    one.dim[0] = one.dim[1] = of.to.dim[0] = of.to.dim[1] = 1;
    for (int d = 0; d + 2 < s->rank && padded; d++) {
        one.dim[2 + d] += 2 * w->attr.start[d];
        of.attr.start[d] = 0;
    }
    return sums(at, orr_ones_at(at.file, at.line, dtype, one), &of);
}

static orr_tensor *adaptive_mean(orr__site at, orr_tensor *x, const windows *w)
{
    orr_shape size = { w->to.rank - 2, { 0 } };
    orr_axes spatial = { size.rank, { 0 } };
    bool whole = true;
    for (int d = 0; d < size.rank; d++) {
        size.dim[d] = w->to.dim[2 + d];
        spatial.axis[d] = 2 + d;
        whole = whole && size.dim[d] == 1;
    }
    return whole ? orr_mean_at(at.file, at.line, x, spatial, true)
                 : orr_resize_at(at.file, at.line, x, size, ORR_RESIZE_AREA, false);
}

orr_tensor *orr_average_pool_at(const char *file, int line, orr_tensor *x, const orr_pool_options *o)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "average_pool");
    orr__node *n;
    orr_tensor *bad;
    windows w;
    if (!begin(at, x, o, &n, &w, &bad))
        return bad;
    orr_dtype t = (orr_dtype)n->dtype;
    orr_shape s = n->shape;
    if (w.adaptive)
        return adaptive_mean(at, x, &w);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *y = sums(at, orr_cast_at(file, line, x, orr__wide(t)), &w);
    double all = 1;
    bool pads = false;
    for (int d = 0; d + 2 < s.rank; d++) {
        all *= (double)w.attr.start[ORR__POOL_AXES + d];
        pads = pads || w.attr.start[d];
    }
    bool even = !o->round_up && (!o->exclude_padding || !pads);
    orr_tensor *by = even ? orr_scalar_at(file, line, all) : counts(at, orr__wide(t), &s, &w, !o->exclude_padding);
    return orr__compose_end(at, scope, orr_cast_at(file, line, orr_div_at(file, line, y, by), t));
}

orr_tensor *orr_lp_pool_at(const char *file, int line, orr_tensor *x, double p, const orr_pool_options *o)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "lp_pool");
    orr__node *n;
    orr_tensor *bad;
    windows w;
    if (!begin(at, x, o, &n, &w, &bad))
        return bad;
    if (w.adaptive)
        return orr__poison(at, ORR_EINVAL, "size %lld: lp_pool has no adaptive sizes, so give `window` and `stride`",
                           (long long)o->size[0]);
    if (!(p > 0) || p == (double)INFINITY)
        return orr__poison(at, ORR_EINVAL, "p is %g: a finite p above 0 is needed", p);
    orr_dtype t = (orr_dtype)n->dtype;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *wide = orr_cast_at(file, line, x, orr__wide(t));
    orr_tensor *y = sums(at, orr_pow_at(file, line, wide, orr_scalar_at(file, line, p)), &w);
    y = orr_pow_at(file, line, y, orr_scalar_at(file, line, 1 / p));
    return orr__compose_end(at, scope, orr_cast_at(file, line, y, t));
}
