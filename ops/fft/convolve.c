/* Convolution and correlation along the last axes: axis by axis, by a sum over shifted operands, or by transforms.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <orrery/array.h>
#include <orrery/eval.h>
#include <orrery/fft.h>
#include "ops/back.h"
#include "ops/fft/fft.h"
#include "ops/record.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/threshold.h"
#include "runtime/graph/donation.h"

#define AT at.file, at.line

/* DIRECT: taps, of two full kernels, beyond which transforms cost less than a sum over shifted operands. The sum takes 0.03 to 0.07 ns per
 * tap and element on two cores; transforms take 2.6 ns per element of a long line, and 7 to 17 ns per element of an image. AXES: most axes of
 * a kernel. LINE: elements of a block along a line, whose transform is in the first cache; blocks of several axes took twice as long as one
 * transform. */
enum { DIRECT = 2 * ORR__T_REGION_OPS, AXES = 3, LINE = ORR__T_FIRST_CACHE / (2 * sizeof(float)) };

/* Along axis d of the kernel: y[o] = Σ_j x[o + start − j]·w[j], o < length. */
typedef struct {
    int64_t n, k, start, length, before, behind;
} extent;

typedef struct {
    orr__site at;
    orr_conv_mode mode;
    orr_conv_boundary boundary;
    int rank, axes; /* of x, of the kernel */
    extent d[AXES];
} plan;

static void extent_of(extent *e, int64_t n, int64_t k, orr_conv_mode mode)
{
    e->n = n;
    e->k = k;
    e->start = mode == ORR_CONV_FULL ? 0 : mode == ORR_CONV_SAME ? (k - 1) / 2 : k - 1;
    e->length = mode == ORR_CONV_FULL ? n + k - 1 : mode == ORR_CONV_SAME ? n : n - k + 1;
    e->before = k - 1 - e->start;
    e->behind = e->start + e->length - n;
    e->behind = e->behind > 0 ? e->behind : 0;
}

/* x extended by its border along axis `axis`. */
static orr_tensor *bordered(const plan *p, orr_tensor *x, int axis, const extent *e)
{
    orr__site at = p->at;
    if (!e->before && !e->behind)
        return x;
    if (p->boundary == ORR_CONV_ZERO) {
        orr_index lo = { p->rank, { 0 } }, hi = { p->rank, { 0 } };
        lo.v[axis] = e->before;
        hi.v[axis] = e->behind;
        return orr_pad_at(AT, x, lo, hi, 0);
    }
    int64_t count = e->before + e->n + e->behind, period = p->boundary == ORR_CONV_WRAP ? e->n : 2 * e->n;
    int64_t *place = orr__alloc_n((size_t)count + 1, sizeof *place);
    if (!place)
        return orr__handle_new(NULL);
    for (int64_t i = 0; i < count; i++) {
        int64_t m = (i - e->before) % period;
        m = m < 0 ? m + period : m;
        place[i] = m < e->n ? m : 2 * e->n - 1 - m;
    }
    orr_tensor *index = orr_from_at(AT, ORR_I64, ORR_SHAPE(count), place);
    free(place);
    return orr_take_at(AT, x, index, axis);
}

/* One sum over all taps, which is fused into one kernel. */
static orr_tensor *direct(const plan *p, orr_tensor *x, orr_tensor *w)
{
    orr__site at = p->at;
    int first = p->rank - p->axes;
    int64_t taps = 1, tap[AXES];
    for (int d = 0; d < p->axes; d++) {
        x = bordered(p, x, first + d, &p->d[d]);
        taps *= p->d[d].k;
    }
    orr_tensor *sum = NULL, *flat = orr_reshape_at(AT, w, ORR_SHAPE(taps));
    for (int64_t t = 0; t < taps; t++) {
        orr_tensor *some = x;
        for (int64_t d = p->axes - 1, rest = t; d >= 0; rest /= p->d[d].k, d--)
            tap[d] = rest % p->d[d].k;
        for (int d = 0; d < p->axes; d++) {
            int64_t from = p->d[d].k - 1 - tap[d];
            some = orr_slice_axis_at(AT, some, first + d, from, from + p->d[d].length, 1);
        }
        orr_tensor *factor = orr_reshape_at(AT, orr_slice_axis_at(AT, flat, 0, t, t + 1, 1), ORR_SHAPE_0D);
        orr_tensor *term = orr_mul_at(AT, some, factor);
        sum = sum ? orr_add_at(AT, sum, term) : term;
    }
    return sum;
}

/* Elements of a transform along axis d, and how many of its results are used. One transform has all elements, or, if the only
 * axis is several times as long as a block, there are blocks that overlap by the kernel (overlap-save: Stockham, "High-speed
 * convolution and correlation", 1966). */
typedef struct {
    int64_t size, step, blocks;
} cut;

static cut cut_of(const plan *p, int d)
{
    const extent *e = &p->d[d];
    int64_t all = e->length + e->k - 1, size = orr__fft_smooth(4 * e->k > LINE ? 4 * e->k : LINE);
    if (p->axes > 1 || all < 4 * size || p->rank == ORR_MAX_RANK)
        return (cut){ orr__fft_smooth(all), e->length, 1 };
    cut c = { size, size - (e->k - 1), 0 };
    c.blocks = (e->length + c.step - 1) / c.step;
    return c;
}

/* The blocks of the last axis as windows. */
static orr_tensor *blocks_of(const plan *p, orr_tensor *x, const cut *c)
{
    orr__site at = p->at;
    orr_index none = { p->rank, { 0 } }, more = none;
    more.v[p->rank - 1] = (c->blocks - 1) * c->step + c->size - (p->d[0].length + p->d[0].k - 1);
    return orr_sliding_window_at(AT, orr_pad_at(AT, x, none, more, 0), -1, c->size, c->step);
}

/* The results of all blocks, joined along the last axis. */
static orr_tensor *joined(const plan *p, orr_tensor *x, const cut *c)
{
    orr__site at = p->at;
    orr_shape s = orr_tensor_shape(x);
    if (s.rank < 2)
        return x;
    s.dim[--s.rank] = 0;
    s.dim[s.rank - 1] = c->blocks * c->step;
    return orr_slice_axis_at(AT, orr_reshape_at(AT, x, s), -1, 0, p->d[0].length, 1);
}

static orr_tensor *by_transforms(const plan *p, orr_tensor *x, orr_tensor *w)
{
    orr__site at = p->at;
    int first = p->rank - p->axes;
    orr_index n = { p->axes, { 0 } };
    orr_axes of_x = { p->axes, { 0 } }, of_w = { p->axes, { 0 } };
    bool real = orr__is_float(orr_tensor_dtype(x));
    cut c[AXES];
    for (int d = 0; d < p->axes; d++) {
        x = bordered(p, x, first + d, &p->d[d]);
        c[d] = cut_of(p, d);
        n.v[d] = c[d].size;
        of_x.axis[d] = d - p->axes;
        of_w.axis[d] = d;
    }
    if (c[0].blocks > 1)
        x = blocks_of(p, x, c);
    orr_tensor *a = real ? orr_rfftn_at(AT, x, n, of_x, 0) : orr_fftn_at(AT, x, n, of_x, 0);
    orr_tensor *b = real ? orr_rfftn_at(AT, w, n, of_w, 0) : orr_fftn_at(AT, w, n, of_w, 0);
    orr_tensor *y = orr_mul_at(AT, a, b);
    y = real ? orr_irfftn_at(AT, y, n, of_x, 0) : orr_ifftn_at(AT, y, n, of_x, 0);
    /* The transforms are periodic, so that the end wraps to the first k − 1 elements, which are not used. */
    for (int d = 0; d < p->axes; d++)
        y = orr_slice_axis_at(AT, y, d - p->axes, p->d[d].k - 1, p->d[d].k - 1 + c[d].step, 1);
    return c[0].blocks > 1 ? joined(p, y, c) : y;
}

static double value_at(const orr__node *n, const orr__buffer *b, int64_t i)
{
    const char *host = b->host;
    return orr__scalar_load(host + (size_t)i * orr__dtype_size((orr_dtype)n->dtype), (orr_dtype)n->dtype).f;
}

/* Factors u and v of a known kernel of two axes, w[i][j] = u[i]·v[j] up to the rounding of each element; false if it has
 * none. */
static bool split(const orr__node *n, const orr__buffer *b, double *u, double *v)
{
    int64_t rows = n->shape.dim[0], cols = n->shape.dim[1], best = 0;
    for (int64_t i = 0; i < rows * cols; i++)
        best = fabs(value_at(n, b, i)) > fabs(value_at(n, b, best)) ? i : best;
    double most = value_at(n, b, best), eps = n->dtype == ORR_F64 ? DBL_EPSILON : FLT_EPSILON;
    if (!isfinite(most) || most == 0)
        return false;
    for (int64_t i = 0; i < rows; i++)
        u[i] = value_at(n, b, i * cols + best % cols);
    for (int64_t j = 0; j < cols; j++)
        v[j] = value_at(n, b, best / cols * cols + j) / most;
    for (int64_t i = 0; i < rows * cols; i++)
        if (!(fabs(value_at(n, b, i) - u[i / cols] * v[i % cols]) <= 4 * eps * fabs(value_at(n, b, i))))
            return false;
    return true;
}

static bool factors(orr_tensor *w, double *u, double *v)
{
    const orr__node *n = orr__handle_node(w);
    orr__buffer *b;
    if (!n || n->op != &orr__op_leaf || !orr__node_value(n) || !orr__is_float((orr_dtype)n->dtype))
        return false;
    if (orr__node_value_ref(ORR__SITE(NULL, 0, "convolve"), n, &b) != ORR_OK)
        b = NULL;
    bool there = b && orr__buffer_sync(b) == ORR_OK, may = there && split(n, b, u, v);
    if (!there)
        orr_error_clear();
    orr__buffer_unref(b);
    return may;
}

static orr_tensor *any(const plan *p, orr_tensor *x, orr_tensor *w)
{
    int64_t taps = 1;
    for (int d = 0; d < p->axes; d++)
        taps *= p->d[d].k;
    return taps <= DIRECT ? direct(p, x, w) : by_transforms(p, x, w);
}

static bool plan_of(plan *p, orr__node *const *in, orr_tensor **bad)
{
    orr__site at = p->at;
    p->rank = in[0]->shape.rank;
    p->axes = in[1]->shape.rank;
    *bad = NULL;
    if (p->axes < 1 || p->axes > AXES || p->rank < p->axes)
        *bad = orr__poison(at, ORR_ESHAPE, "a kernel of shape %s on %s: 1 to 3 axes, no more than x has",
                           orr__str(in[1]->shape).s, orr__str(in[0]->shape).s);
    else if ((unsigned)p->mode > ORR_CONV_VALID)
        *bad = orr__poison(at, ORR_EINVAL, "%d is no orr_conv_mode", (int)p->mode);
    else if ((unsigned)p->boundary > ORR_CONV_WRAP)
        *bad = orr__poison(at, ORR_EINVAL, "%d is no orr_conv_boundary", (int)p->boundary);
    for (int d = 0; d < p->axes && !*bad; d++) {
        int axis = p->rank - p->axes + d;
        int64_t n = in[0]->shape.dim[axis], k = in[1]->shape.dim[d];
        if (n < 1 || k < 1)
            *bad = orr__poison(at, ORR_ESHAPE, "%s %s has no elements along axis %d", n < 1 ? "x" : "the kernel",
                               orr__str(in[n < 1 ? 0 : 1]->shape).s, n < 1 ? axis : d);
        else if (p->mode == ORR_CONV_VALID && n < k)
            *bad = orr__poison(at, ORR_ESHAPE,
                               "the kernel %s is longer than x %s along axis %d of x: ORR_CONV_VALID has no elements",
                               orr__str(in[1]->shape).s, orr__str(in[0]->shape).s, axis);
        extent_of(&p->d[d], n, k, p->mode);
    }
    return !*bad;
}

/* -- the derivative by a kernel that was factored -------------------------------------------------------------------------- */

/* Operands: the kernel, x, and the value. The factors are numbers that were read from the kernel, so the gradient by the kernel is that
 * of the convolution by all of its elements; the one by x flows through the value. */
static orr_tensor *vjp_separable(const orr__back *b, int k)
{
    if (k > 0)
        return k == 2 ? b->g : NULL;
    plan p = { .at = b->at,
               .mode = (orr_conv_mode)b->node->attr.start[0],
               .boundary = (orr_conv_boundary)b->node->attr.start[1] };
    orr__node *in[2] = { orr__handle_node(b->in[1]), orr__handle_node(b->in[0]) };
    orr_tensor *bad, *g = NULL;
    if (!plan_of(&p, in, &bad))
        return bad;
    orr_status st =
        orr_vjp_at(b->at.file, b->at.line, any(&p, b->in[1], b->in[0]), b->g, &(orr_tensor *){ b->in[0] }, 1, &g);
    return st == ORR_OK ? g : orr__handle_new(NULL);
}

const orr__op orr__op_separable = { .id = ORR__OP_separable,
                                    .name = "convolve",
                                    .arity = 3,
                                    .role = ORR__ROLE_THROUGH,
                                    .kinds = ORR__TAKES_COMPLEX,
                                    .attrs = ORR__ATTR_START,
                                    .vjp = vjp_separable };

static orr_tensor *with_derivative(const plan *p, orr_tensor *x, orr_tensor *w, orr_tensor *value)
{
    if (orr_tensor_status(value) != ORR_OK)
        return value;
    orr__node *v = orr__handle_node(value);
    orr__node *r = orr__node_new(p->at, &orr__op_separable, (orr_dtype)v->dtype, &v->shape, 3,
                                 (orr__node *[]){ orr__handle_node(w), orr__handle_node(x), v });
    if (r) {
        r->attr.start[0] = p->mode;
        r->attr.start[1] = p->boundary;
    }
    return orr__handle_new(r);
}

/* Axis by axis, if the kernel has factors; NULL if it has none. */
static orr_tensor *separable(const plan *p, orr_tensor *x, orr_tensor *w)
{
    orr__site at = p->at;
    orr_dtype t = orr_tensor_dtype(w);
    if (p->axes != 2 || p->d[0].k < 2 || p->d[1].k < 2)
        return NULL;
    double *u = orr__alloc_n((size_t)(p->d[0].k + p->d[1].k), sizeof *u), *v = u ? u + p->d[0].k : NULL;
    orr_tensor *r = NULL;
    if (u && factors(w, u, v)) {
        plan down = *p, across = *p;
        across.axes = 1;
        across.d[0] = p->d[1];
        extent_of(&down.d[1], p->d[1].length, 1, ORR_CONV_VALID);
        orr_tensor *whole = x;
        r = any(&across, x, orr_cast_at(AT, orr_from_at(AT, ORR_F64, ORR_SHAPE(p->d[1].k), v), t));
        r = any(&down, r, orr_cast_at(AT, orr_from_at(AT, ORR_F64, ORR_SHAPE(p->d[0].k, 1), u), t));
        r = with_derivative(p, whole, w, r);
    }
    free(u);
    return r;
}

static orr_tensor *convolve(orr__site at, orr_tensor *x, orr_tensor *w, orr_conv_mode mode, orr_conv_boundary boundary,
                            bool reversed)
{
    orr__node *in[2];
    orr_tensor *bad, *r;
    orr_dtype t;
    plan p = { .at = at, .mode = mode, .boundary = boundary };
    if (!orr__operand_inexact(at, x, "x", &in[0], &bad) || !orr__operand_inexact(at, w, "w", &in[1], &bad) ||
        !plan_of(&p, in, &bad))
        return bad;
    if (!orr__promote_nodes(at, 2, in, &t))
        return orr__handle_new(NULL);
    if (orr__is_half(t))
        return orr__poison(at, ORR_EDTYPE, "x is %s, and float32 or wider is needed: write orr_cast(x, ORR_F32)",
                           orr_dtype_name(t));
    orr_scope *s = orr__compose_begin(at);
    x = orr_cast_at(AT, x, t);
    if (!reversed && (r = separable(&p, x, orr_tensor_dtype(w) == t ? w : orr_cast_at(AT, w, t))))
        return orr__compose_end(at, s, r);
    w = orr_cast_at(AT, w, t);
    if (reversed)
        w = orr_flip_at(AT, orr__is_complex(t) ? orr_conj_at(AT, w) : w, ORR_ALL_AXES);
    return orr__compose_end(at, s, any(&p, x, w));
}

orr_tensor *orr_convolve_at(const char *file, int line, orr_tensor *x, orr_tensor *w, orr_conv_mode mode,
                            orr_conv_boundary boundary)
{
    ORR__IN_DEFAULT_FPMODE;
    return convolve(ORR__SITE(file, line, "convolve"), x, w, mode, boundary, false);
}

orr_tensor *orr_correlate_at(const char *file, int line, orr_tensor *x, orr_tensor *w, orr_conv_mode mode,
                             orr_conv_boundary boundary)
{
    ORR__IN_DEFAULT_FPMODE;
    return convolve(ORR__SITE(file, line, "correlate"), x, w, mode, boundary, true);
}
