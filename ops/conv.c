/* orr_conv, orr_conv_transpose, orr_conv_weights: the three derivatives of one trilinear form Σ x·w·y. The derivatives of
 * each are the other two.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <limits.h>
#include <orrery/conv.h>
#include <stdlib.h>
#include "ops/back.h"
#include "ops/conv.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/threshold.h"

/* The longest axis: sums of two products of lengths do not overflow. */
#define LONGEST ((int64_t)1 << 30)

orr__conv orr__conv_of(const orr__attr *a, const orr_shape *x, const orr_shape *w, const orr_shape *y)
{
    orr__conv v = { x->dim[0],   a->index,    w->dim[1],   w->dim[0] / a->index, { 1, 1, 1 },
                    { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 },          { 0, 0, 0 } };
    int axes = x->rank - 2;
    for (int d = 0; d < axes; d++) {
        int to = ORR__CONV_AXES - axes + d;
        v.x[to] = x->dim[2 + d];
        v.w[to] = w->dim[2 + d];
        v.y[to] = y->dim[2 + d];
        v.stride[to] = a->step[d];
        v.dilation[to] = a->step[ORR__CONV_AXES + d];
        v.before[to] = a->start[d];
    }
    return v;
}

/* -- checks of a node ------------------------------------------------------------------------------------------ */

static const char *verify_form(const orr__node *n, const orr_shape *x, const orr_shape *w, const orr_shape *y)
{
    int axes = x->rank - 2;
    int64_t groups = n->attr.index;
    if (axes < 1 || axes > ORR__CONV_AXES || w->rank != x->rank || y->rank != x->rank)
        return "convolution of ranks that differ, or have no kernel";
    if (groups < 1 || w->dim[0] % groups || x->dim[1] != w->dim[1] * groups || y->dim[1] != w->dim[0] ||
        y->dim[0] != x->dim[0])
        return "convolution of other channels or batches";
    for (int d = 0; d < axes; d++)
        if (n->attr.step[d] < 1 || n->attr.step[ORR__CONV_AXES + d] < 1)
            return "convolution stride or dilation";
    return NULL;
}

static const char *verify_types(const orr__node *n, const orr__node *const *in)
{
    return in[0]->dtype == n->dtype && in[1]->dtype == n->dtype && (n->dtype == ORR_F32 || n->dtype == ORR_F64)
               ? NULL
               : "convolution of other dtypes";
}

#define VERIFY(name, x, w, y)                                                                                          \
    static const char *verify_##name(const orr__node *n, const orr__node *const *in, int nin)                          \
    {                                                                                                                  \
        const char *wrong = verify_types(n, in);                                                                       \
        (void)nin;                                                                                                     \
        return wrong ? wrong : verify_form(n, (x), (w), (y));                                                          \
    }
VERIFY(conv, &in[0]->shape, &in[1]->shape, &n->shape)
VERIFY(conv_data, &n->shape, &in[1]->shape, &in[0]->shape)
VERIFY(conv_weights, &in[0]->shape, &n->shape, &in[1]->shape)

/* -- reference: every term once ---------------------------------------------------------------------------------- */

/* The elements of the three arrays that are factors of one term; `x` is -1 outside of the array. */
typedef struct {
    int64_t x, w, y;
} term;

/* Term number t, in the order n, group, o, c, k, i. */
static term term_of(const orr__conv *v, int64_t t)
{
    int64_t k[ORR__CONV_AXES], i[ORR__CONV_AXES], x = 0, w = 0, y = 0;
    bool inside = true;
    for (int d = ORR__CONV_AXES - 1; d >= 0; d--, t /= v->y[d + 1])
        i[d] = t % v->y[d];
    for (int d = ORR__CONV_AXES - 1; d >= 0; d--, t /= v->w[d + 1])
        k[d] = t % v->w[d];
    int64_t c = t % v->c, o = t / v->c % v->o, g = t / v->c / v->o % v->groups, n = t / v->c / v->o / v->groups;
    for (int d = 0; d < ORR__CONV_AXES; d++) {
        int64_t j = i[d] * v->stride[d] - v->before[d] + k[d] * v->dilation[d];
        inside = inside && j >= 0 && j < v->x[d];
        x = x * v->x[d] + j;
        w = w * v->w[d] + k[d];
        y = y * v->y[d] + i[d];
    }
    x += ((n * v->groups + g) * v->c + c) * orr__conv_count(v->x);
    w += ((g * v->o + o) * v->c + c) * orr__conv_count(v->w);
    y += ((n * v->groups + g) * v->o + o) * orr__conv_count(v->y);
    return (term){ inside ? x : -1, w, y };
}

/* `of`: the array that is the result: 'x', 'w' or 'y'. */
static orr_status sum_terms(const orr__reference *j, const orr__conv *v, char of)
{
    long double *sum = calloc((size_t)j->out.count + 1, sizeof *sum);
    int64_t terms = v->n * v->groups * v->o * v->c * orr__conv_count(v->w) * orr__conv_count(v->y);
    if (!sum)
        return ORR_ENOMEM;
    for (int64_t t = 0; t < terms; t++) {
        term m = term_of(v, t);
        if (m.x < 0)
            continue;
        int64_t to = of == 'y' ? m.y : of == 'x' ? m.x : m.w, a = of == 'x' ? m.y : m.x, b = of == 'w' ? m.y : m.w;
        sum[to] += orr__reference_get(&j->in[0], a) * orr__reference_get(&j->in[1], b);
    }
    for (int64_t i = 0; i < j->out.count; i++)
        orr__reference_set(&j->out, i, sum[i]);
    free(sum);
    return ORR_OK;
}

#define REFERENCE(name, of, x, w, y)                                                                                   \
    static orr_status reference_##name(const orr__reference *j)                                                        \
    {                                                                                                                  \
        orr__conv v = orr__conv_of(&j->node->attr, (x), (w), (y));                                                     \
        return sum_terms(j, &v, (of));                                                                                 \
    }
REFERENCE(conv, 'y', &j->in[0].shape, &j->in[1].shape, &j->out.shape)
REFERENCE(conv_data, 'x', &j->out.shape, &j->in[1].shape, &j->in[0].shape)
REFERENCE(conv_weights, 'w', &j->in[0].shape, &j->out.shape, &j->in[1].shape)

/* -- derivatives --------------------------------------------------------------------------------------------------- */

/* A node of one of the three; a and b are borrowed. */
static orr__node *make_node(orr__site at, const orr__op *op, orr_dtype dtype, const orr_shape *shape, orr__node *a,
                            orr__node *b, const orr__attr *attr)
{
    orr__node *r = a && b ? orr__node_new(at, op, dtype, shape, 2, (orr__node *const[]){ a, b }) : NULL;
    if (r)
        r->attr = *attr;
    return r;
}

static orr_tensor *other(const orr__back *b, const orr__op *op, orr_tensor *first, orr_tensor *second, int like)
{
    orr__node *in[2];
    orr_tensor *bad;
    if (!orr__operands(b->at, 2, (const orr_tensor *const[]){ first, second }, (const char *const[]){ "a", "b" }, in,
                       &bad))
        return bad;
    orr_shape shape = orr_tensor_shape(b->in[like]);
    return orr__handle_new(make_node(b->at, op, (orr_dtype)b->node->dtype, &shape, in[0], in[1], &b->node->attr));
}

static orr_tensor *vjp_conv(const orr__back *b, int k)
{
    return k ? other(b, &orr__op_conv_weights, b->in[0], b->g, 1) : other(b, &orr__op_conv_data, b->g, b->in[1], 0);
}
static orr_tensor *vjp_conv_data(const orr__back *b, int k)
{
    return k ? other(b, &orr__op_conv_weights, b->g, b->in[0], 1) : other(b, &orr__op_conv, b->g, b->in[1], 0);
}
static orr_tensor *vjp_conv_weights(const orr__back *b, int k)
{
    return k ? other(b, &orr__op_conv, b->in[0], b->g, 1) : other(b, &orr__op_conv_data, b->in[1], b->g, 0);
}

/* -- work and tiles ------------------------------------------------------------------------------------------------ */

static orr__workload work_of(const orr_shape *w, const orr_shape *y)
{
    double terms = w->dim[0] ? (double)orr__shape_count(w) / (double)w->dim[0] : 0;
    return (orr__workload){ .flops = 2 * (double)orr__shape_count(y) * terms, .product = true };
}
static orr__workload work_conv(const orr__call *c)
{
    return work_of(&c->in[1], &c->out);
}
static orr__workload work_conv_data(const orr__call *c)
{
    return work_of(&c->in[1], &c->in[0]);
}
static orr__workload work_conv_weights(const orr__call *c)
{
    return work_of(&c->out, &c->in[1]);
}

/* Rows are images of a batch, or planes if the images are few: tasks of planes of one image repeat the work that
 * these share. */
static int space_images(const orr__call *c, int64_t *dim)
{
    bool few = c->out.dim[0] < ORR__T_FEW_LINES && !(c->blocked && c->attr.index > 1);
    int64_t unit = c->blocked & ORR__CALL_RESULT ? c->block : 1;
    dim[0] = c->out.dim[0] * (few ? c->out.dim[1] / unit : 1);
    dim[1] = few ? unit : c->out.dim[1];
    dim[2] = 1;
    for (int d = 2; d < c->out.rank; d++)
        dim[2] *= c->out.dim[d];
    return 3;
}

/* Each task of conv_weights reads all of x, so there are no more tasks than workers. */
enum { ALL_CHANNELS = INT_MAX };
/* Rows are channels of the result, each with all terms of its sums, or parts of the images. The channels of y, the second operand, may
 * be in blocks. */
static int space_channels(const orr__call *c, int64_t *dim)
{
    int64_t unit = c->blocked & 2 ? c->block : 1;
    dim[0] = c->parts ? c->parts : c->out.dim[0] / unit;
    dim[1] = c->parts ? c->out.dim[0] * c->out.dim[1] : c->out.dim[1] * unit;
    dim[2] = 1;
    for (int d = 2; d < c->out.rank; d++)
        dim[2] *= c->out.dim[d];
    return 3;
}

static int64_t terms_images(const orr__call *c)
{
    return c->in[0].dim[0];
}

/* Groups whose channels are in blocks are computed together, for an image or for all weights. */
static bool cuts_weights(const orr__call *c)
{
    return !c->blocked || c->attr.index == 1;
}
static bool cuts_images(const orr__call *c)
{
    (void)c;
    return true;
}

/* -- contracts ------------------------------------------------------------------------------------------------------ */

/* For tests: along one axis, lines of the operands. */

/* The lines of x along `axis` as (outer, middle, line). The other axes become `outer` if that is true, else
 * `middle`. */
static orr_tensor *lines(const char *file, int line, orr_tensor *x, int axis, bool outer, int64_t most)
{
    orr_shape s = orr_tensor_shape(x);
    orr_axes perm = { s.rank, { 0 } };
    for (int d = 0; d < s.rank; d++)
        perm.axis[d] = d < axis ? d : d + 1 < s.rank ? d + 1 : axis;
    int64_t length = s.dim[axis], rest = 1;
    for (int d = 0; d < s.rank; d++)
        rest *= d == axis ? 1 : s.dim[d];
    orr_tensor *y = orr_reshape_at(file, line, orr_permute_at(file, line, x, perm),
                                   outer ? ORR_SHAPE(rest, 1, length) : ORR_SHAPE(1, rest, length));
    return most < length ? orr_slice_axis_at(file, line, y, 2, 0, most, 1) : y;
}

/* Returns the options and the axis that a node's attributes encode. false: return *bad. */
static bool line_options(orr__site at, orr_tensor *const *in, const orr__attr *a, orr_conv_options *o, int *k,
                         orr_tensor **bad)
{
    orr__node *n[2];
    if (!orr__operands(at, 2, (const orr_tensor *const *)in, (const char *[]){ "x", "w" }, n, bad))
        return false;
    *k = orr__axis(a->axis, n[0]->shape.rank);
    if (*k < 0)
        *bad = orr__axis_poison(at, a->axis, &n[0]->shape);
    int d = *k < 0 ? 0 : *k;
    int64_t dilation = 1 + (a->mask & 1); /* a dilated kernel needs the padding */
    *o = (orr_conv_options){ .stride = { a->step[d] },
                             .dilation = { dilation },
                             .padding = { a->mask ? dilation * (a->start[d] - 1) : 0 } };
    return !*bad;
}

/* Each line of x with the first start[axis] elements of each line of w. */
static orr_tensor *record_conv(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    orr_conv_options o;
    orr_tensor *bad = NULL;
    int k;
    if (!line_options(ORR__SITE(file, line, "conv"), in, a, &o, &k, &bad))
        return bad;
    return orr_conv_at(file, line, lines(file, line, in[0], k, true, INT64_MAX),
                       lines(file, line, in[1], k, true, a->start[k]), NULL, &o);
}

static orr_tensor *record_conv_data(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    orr_conv_options o;
    orr_tensor *bad = NULL;
    int k;
    if (!line_options(ORR__SITE(file, line, "conv_transpose"), in, a, &o, &k, &bad))
        return bad;
    o.padding[0] = 0;
    return orr_conv_transpose_at(file, line, lines(file, line, in[0], k, false, INT64_MAX),
                                 lines(file, line, in[1], k, true, a->start[k]), NULL, &o);
}

static orr_tensor *record_conv_weights(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    orr_conv_options o;
    orr_tensor *bad = NULL;
    int k;
    if (!line_options(ORR__SITE(file, line, "conv_weights"), in, a, &o, &k, &bad))
        return bad;
    orr_tensor *x = lines(file, line, in[0], k, true, INT64_MAX), *y = lines(file, line, in[1], k, true, a->start[k]);
    int64_t length = orr_tensor_shape(x).dim[2] - orr_tensor_shape(y).dim[2];
    o = (orr_conv_options){ .dilation = { o.dilation[0] } };
    return orr_conv_weights_at(file, line, x, y, ORR_SHAPE(length / o.dilation[0] + 1), &o);
}

/* Letters: n images, o channels of the result, i channels of the operand. With groups only the images can be cut. */
#define DISTRIBUTE(word, a, b, out)                                                                                    \
    static bool distribute_##word(orr__spread_rule *r)                                                                 \
    {                                                                                                                  \
        bool image = r->from.kind == ORR__SHARDED && r->from.axis < 2 && (r->k ? (b) : (a))[r->from.axis] == 'n';      \
        return (r->node->attr.index == 1 || image || r->from.kind == ORR__PARTIAL) &&                                  \
               orr__rule_product(r, 0, a, b, out);                                                                     \
    }
DISTRIBUTE(conv, "ni", "oi", "no")
DISTRIBUTE(conv_data, "no", "oi", "ni")
DISTRIBUTE(conv_weights, "ni", "no", "oi")

#define CONV(word, places, cut, apart, choices, least)                                                                 \
    const orr__op orr__op_##word = { .id = ORR__OP_##word,                                                             \
                                     .name = #word,                                                                    \
                                     .arity = 2,                                                                       \
                                     .pattern = ORR__PATTERN_KERNEL,                                                   \
                                     .attrs = ORR__ATTR_START | ORR__ATTR_STEP | ORR__ATTR_INDEX,                      \
                                     .flags = ORR__OP_SUMS | ORR__OP_BLAS | ORR__OP_FLOATS,                            \
                                     .options = choices,                                                               \
                                     .record = record_##word,                                                          \
                                     .verify = verify_##word,                                                          \
                                     .reference = reference_##word,                                                    \
                                     .distribute = distribute_##word,                                                  \
                                     .vjp = vjp_##word,                                                                \
                                     .work = work_##word,                                                              \
                                     .space = places,                                                                  \
                                     .cuts = cut,                                                                      \
                                     .terms = apart,                                                                   \
                                     .panel = least }
CONV(conv, space_images, cuts_images, NULL, 2, 0);
CONV(conv_data, space_images, cuts_images, NULL, 2, 0);
CONV(conv_weights, space_channels, cuts_weights, terms_images, 2, ALL_CHANNELS);

char orr__conv_result(const orr__op *op)
{
    return op == &orr__op_conv ? 'y' : op == &orr__op_conv_data ? 'x' : op == &orr__op_conv_weights ? 'w' : 0;
}

/* -- the public functions --------------------------------------------------------------------------------------------- */

/* The zeros on one side of an axis; −1 if a number is out of range. */
static int64_t padding(int64_t both, int64_t more)
{
    bool fits = both >= 0 && both <= LONGEST && more >= -both && more <= LONGEST - both;
    return fits ? both + more : -1;
}

/* Checks the options and replaces zeros by their defaults. *bad names the first axis that is wrong. */
static bool options(orr__site at, const orr_conv_options *o, const orr_shape *x, const orr_shape *w, orr__attr *a,
                    int64_t pad[ORR__CONV_AXES], orr_tensor **bad)
{
    static const orr_conv_options none = { .groups = 1 };
    o = o ? o : &none;
    int axes = x->rank - 2;
    *bad = NULL;
    if (axes < 1 || axes > ORR__CONV_AXES || w->rank != x->rank)
        *bad = orr__poison(at, ORR_ESHAPE,
                           "%s by %s: both need a batch or output axis, a channel axis and the same one, two or three "
                           "spatial axes%s",
                           orr__str(*x).s, orr__str(*w).s,
                           x->rank == w->rank - 1 ? ": orr_expand_dims(x, 0) adds a batch to one example" : "");
    int64_t groups = o->groups ? o->groups : 1;
    if (!*bad && (groups < 1 || groups > INT32_MAX))
        *bad = orr__poison(at, ORR_EINVAL, "%lld groups: at least 1 is needed", (long long)groups);
    a->index = (int32_t)groups;
    for (int d = 0; d < axes && !*bad; d++) {
        int64_t s = o->stride[d] ? o->stride[d] : 1, e = o->dilation[d] ? o->dilation[d] : 1;
        int64_t before = padding(o->padding[d], o->before[d]), after = padding(o->padding[d], o->after[d]);
        if (s < 0 || e < 0 || s > LONGEST || e > LONGEST)
            *bad = orr__poison(at, ORR_EINVAL,
                               "stride %lld and dilation %lld of spatial axis %d: both are 1 to 2^30, or 0 for 1",
                               (long long)s, (long long)e, d);
        else if (before < 0 || after < 0)
            *bad = orr__poison(at, ORR_EINVAL,
                               "padding %lld, before %lld and after %lld of spatial axis %d: padding, padding + before "
                               "and padding + after must be 0 to 2^30",
                               (long long)o->padding[d], (long long)o->before[d], (long long)o->after[d], d);
        else if (o->same && s > 1)
            *bad = orr__poison(at, ORR_EINVAL,
                               "stride %lld of spatial axis %d: `same` keeps a length with a stride of 1 only",
                               (long long)s, d);
        else if (o->same && (before || after))
            *bad = orr__poison(at, ORR_EINVAL,
                               "padding %lld in front and %lld behind spatial axis %d: `same` decides it, so give none",
                               (long long)before, (long long)after, d);
        else if (w->dim[2 + d] < 1 || w->dim[2 + d] > LONGEST / e || x->dim[2 + d] > LONGEST)
            *bad = orr__poison(at, ORR_ESHAPE,
                               "spatial axis %d of %s by %s: the kernel needs 1 element, and lengths are "
                               "at most 2^30",
                               d, orr__str(*x).s, orr__str(*w).s);
        int64_t all = e * (*bad ? 0 : w->dim[2 + d] - 1);
        a->step[d] = s;
        a->step[ORR__CONV_AXES + d] = e;
        a->start[d] = o->same ? all / 2 : before;
        pad[d] = o->same ? all : before + after;
    }
    return !*bad;
}

/* The two given arrays of the form, in the dtype of their product. */
typedef struct {
    orr__node *a, *b;
    orr_dtype dtype, wide;
    orr_tensor *bad;
} pair;

static bool begin(orr__site at, orr_tensor *x, orr_tensor *y, const char *names[2], orr__node *in[2], pair *p)
{
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, y }, names, in, &p->bad))
        return false;
    if (!orr__promote_nodes(at, 2, in, &p->dtype))
        p->bad = orr__handle_new(NULL);
    else if (!orr__is_float(p->dtype))
        p->bad =
            orr__poison(at, ORR_EDTYPE, "%s and %s are no floats: write orr_cast(%s, ORR_F32)",
                        orr_dtype_name((orr_dtype)in[0]->dtype), orr_dtype_name((orr_dtype)in[1]->dtype), names[0]);
    else
        p->wide = orr__wide(p->dtype);
    return !p->bad;
}

/* The result of the form plus a bias per channel, rounded. */
static orr_tensor *end(orr__site at, const orr__op *op, const pair *p, orr__node *const in[2], const orr_shape *shape,
                       const orr__attr *attr, orr_tensor *bias)
{
    orr_scope *scope = orr__compose_begin(at);
    orr__node *a = orr__rec_cast(at, orr__node_ref(in[0]), p->wide),
              *b = a ? orr__rec_cast(at, orr__node_ref(in[1]), p->wide) : NULL;
    orr_tensor *r = orr__handle_new(make_node(at, op, p->wide, shape, a, b, attr));
    orr__node_unref(a);
    orr__node_unref(b);
    if (bias) {
        orr_shape to = { shape->rank - 1, { shape->dim[1], 1, 1, 1 } };
        r = orr_add_at(at.file, at.line, r, orr_reshape_at(at.file, at.line, bias, to));
    }
    return orr__compose_end(at, scope, orr_cast_at(at.file, at.line, r, p->dtype));
}

/* True if the bias has shape (channels) and a float dtype. It is cast to the dtype of the result. */
static bool bias_fits(orr__site at, orr_tensor *bias, int64_t channels, orr_tensor **bad)
{
    orr__node *n;
    if (!bias)
        return true;
    if (!orr__operand_float(at, bias, "bias", &n, bad))
        return false;
    if (n->shape.rank == 1 && n->shape.dim[0] == channels)
        return true;
    *bad = orr__poison(at, ORR_ESHAPE, "the bias %s is not (%lld): one number per channel of the result",
                       orr__str(n->shape).s, (long long)channels);
    return false;
}

orr_tensor *orr_conv_at(const char *file, int line, orr_tensor *x, orr_tensor *w, orr_tensor *bias,
                        const orr_conv_options *o)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "conv");
    orr__node *in[2];
    pair p = { 0 };
    orr__attr a = { 0 };
    int64_t pad[ORR__CONV_AXES];
    if (!begin(at, x, w, (const char *[]){ "x", "w" }, in, &p) ||
        !options(at, o, &in[0]->shape, &in[1]->shape, &a, pad, &p.bad) ||
        !bias_fits(at, bias, in[1]->shape.dim[0], &p.bad))
        return p.bad;
    orr_shape s = in[0]->shape, k = in[1]->shape, to = s;
    if (k.dim[0] % a.index || s.dim[1] % a.index)
        return orr__poison(
            at, ORR_ESHAPE,
            "%s by %s in %d group%s: the groups must divide the %lld channels of x, axis 1, and the %lld of "
            "the kernel, axis 0",
            orr__str(s).s, orr__str(k).s, a.index, a.index > 1 ? "s" : "", (long long)s.dim[1], (long long)k.dim[0]);
    if (s.dim[1] / a.index != k.dim[1])
        return orr__poison(
            at, ORR_ESHAPE,
            "%s by %s in %d group%s: axis 1 of the kernel must be %lld, the channels of x, axis 1, by the "
            "groups",
            orr__str(s).s, orr__str(k).s, a.index, a.index > 1 ? "s" : "", (long long)(s.dim[1] / a.index));
    to.dim[1] = k.dim[0];
    for (int d = 0; d + 2 < s.rank; d++) {
        if (o && o->output_padding[d])
            return orr__poison(at, ORR_EINVAL,
                               "output padding %lld of spatial axis %d: it is an option of a transposed convolution",
                               (long long)o->output_padding[d], d);
        int64_t reach = a.step[ORR__CONV_AXES + d] * (k.dim[2 + d] - 1) + 1, length = s.dim[2 + d] + pad[d];
        if (reach > length)
            return orr__poison(
                at, ORR_ESHAPE,
                "%s by %s: the kernel reaches over %lld elements of spatial axis %d, and the padded input "
                "has %lld",
                orr__str(s).s, orr__str(k).s, (long long)reach, d, (long long)length);
        to.dim[2 + d] = (length - reach) / a.step[d] + 1;
    }
    return orr__shape_ok(at, &to, &p.bad) ? end(at, &orr__op_conv, &p, in, &to, &a, bias) : p.bad;
}

orr_tensor *orr_conv_transpose_at(const char *file, int line, orr_tensor *y, orr_tensor *w, orr_tensor *bias,
                                  const orr_conv_options *o)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "conv_transpose");
    orr__node *in[2];
    pair p = { 0 };
    orr__attr a = { 0 };
    int64_t pad[ORR__CONV_AXES];
    if (!begin(at, y, w, (const char *[]){ "y", "w" }, in, &p) ||
        !options(at, o, &in[0]->shape, &in[1]->shape, &a, pad, &p.bad) ||
        !bias_fits(at, bias, in[1]->shape.dim[1] * a.index, &p.bad))
        return p.bad;
    orr_shape s = in[0]->shape, k = in[1]->shape, to = s;
    if (o && o->same)
        return orr__poison(at, ORR_EINVAL, "`same` is no option of a transposed convolution: give the padding");
    if (k.dim[0] % a.index || s.dim[1] != k.dim[0])
        return orr__poison(
            at, ORR_ESHAPE,
            "%s by %s in %d group%s: the kernel's first axis is the channels of y, axis 1, and the groups "
            "divide it",
            orr__str(s).s, orr__str(k).s, a.index, a.index > 1 ? "s" : "");
    if (!orr__mul64(k.dim[1], a.index, &to.dim[1]))
        return orr__poison(at, ORR_ESHAPE, "%s in %d groups: too many channels", orr__str(k).s, a.index);
    for (int d = 0; d + 2 < s.rank; d++) {
        int64_t more = o ? o->output_padding[d] : 0, stride = a.step[d], dilation = a.step[ORR__CONV_AXES + d];
        if (more < 0 || (more >= stride && more >= dilation))
            return orr__poison(
                at, ORR_EINVAL,
                "output padding %lld of spatial axis %d: it is below the stride %lld or the dilation %lld",
                (long long)more, d, (long long)stride, (long long)dilation);
        if (s.dim[2 + d] < 1)
            return orr__poison(at, ORR_ESHAPE, "spatial axis %d of %s has no elements", d, orr__str(s).s);
        to.dim[2 + d] = (s.dim[2 + d] - 1) * stride - pad[d] + dilation * (k.dim[2 + d] - 1) + more + 1;
        if (to.dim[2 + d] < 1)
            return orr__poison(at, ORR_ESHAPE,
                               "%s by %s: the padding %lld leaves nothing of spatial axis %d of the result",
                               orr__str(s).s, orr__str(k).s, (long long)pad[d], d);
    }
    return orr__shape_ok(at, &to, &p.bad) ? end(at, &orr__op_conv_data, &p, in, &to, &a, bias) : p.bad;
}

orr_tensor *orr_conv_weights_at(const char *file, int line, orr_tensor *x, orr_tensor *y, orr_shape kernel,
                                const orr_conv_options *o)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "conv_weights");
    orr__node *in[2];
    pair p = { 0 };
    orr__attr a = { 0 };
    int64_t pad[ORR__CONV_AXES];
    if (!begin(at, x, y, (const char *[]){ "x", "y" }, in, &p))
        return p.bad;
    orr_shape s = in[0]->shape, t = in[1]->shape, to = { kernel.rank + 2, { 0 } };
    if (kernel.rank < 1 || kernel.rank > ORR__CONV_AXES)
        return orr__poison(at, ORR_ESHAPE, "a kernel %s: one, two or three lengths are needed", orr__str(kernel).s);
    memcpy(to.dim + 2, kernel.dim, (size_t)kernel.rank * sizeof *kernel.dim);
    if (!options(at, o, &s, &to, &a, pad, &p.bad))
        return p.bad;
    if (t.rank != s.rank || t.dim[0] != s.dim[0] || s.dim[1] % a.index || t.dim[1] % a.index)
        return orr__poison(at, ORR_ESHAPE,
                           "%s by %s in %d group%s: ranks and batches, axis 0, are equal, and the groups divide the "
                           "channels, axis 1",
                           orr__str(s).s, orr__str(t).s, a.index, a.index > 1 ? "s" : "");
    to.dim[0] = t.dim[1];
    to.dim[1] = s.dim[1] / a.index;
    for (int d = 0; d + 2 < s.rank; d++) {
        int64_t reach = a.step[ORR__CONV_AXES + d] * (kernel.dim[d] - 1) + 1, length = s.dim[2 + d] + pad[d];
        if (t.dim[2 + d] && (t.dim[2 + d] - 1) * a.step[d] + reach > length)
            return orr__poison(
                at, ORR_ESHAPE,
                "%s by %s: a kernel of %lld reaches beyond spatial axis %d of the padded input, %lld long",
                orr__str(s).s, orr__str(t).s, (long long)kernel.dim[d], d, (long long)length);
    }
    return orr__shape_ok(at, &to, &p.bad) ? end(at, &orr__op_conv_weights, &p, in, &to, &a, NULL) : p.bad;
}
