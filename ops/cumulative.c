/* orr_cumulative_sum and orr_cumulative_prod: sums and products of the elements up to each one, along an axis.
 * A long line is computed in two phases, each shared by all workers: the sum of each chunk; then the elements of each chunk, starting from
 * the sum of the chunks before it. The cut into chunks depends on the shape alone.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <string.h>
#include "ops/back.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "runtime/base/element.h"

#define AT b->at.file, b->at.line

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__shape_equal(&n->shape, &in[0]->shape) && n->dtype == in[0]->dtype && n->attr.axis < n->shape.rank
               ? NULL
               : "a cumulative operation changes the shape or dtype";
}

static void reference_of_field(const orr__reference *j, orr__line x, bool from, bool sum)
{
    const orr__mod *m = orr__modulus(j->out.dtype);
    for (int64_t o = 0; o < x.outer; o++)
        for (int64_t i = 0; i < x.inner; i++) {
            orr__fe f = sum ? (orr__fe){ { 0 } } : m->one, v;
            if (from)
                memcpy(&f, orr__array_at(&j->in[1], o * x.inner + i), sizeof f);
            for (int64_t k = 0; k < x.length; k++) {
                int64_t at = (o * x.length + k) * x.inner + i;
                memcpy(&v, orr__array_at(&j->in[0], at), sizeof v);
                f = sum ? fe_add(f, v, m) : fe_mul(f, v, m);
                memcpy(orr__array_at(&j->out, at), &f, sizeof f);
            }
        }
}

static orr_status reference(const orr__reference *j)
{
    orr__line x = orr__reference_line(&j->out.shape, j->node->attr.axis);
    orr_dtype t = j->out.dtype;
    bool from = j->node->op == &orr__op_cumulative_from;
    bool sum = from ? j->node->attr.rop == ORR__RSUM : j->node->op == &orr__op_cumulative_sum;
    if (orr__is_field(t)) {
        reference_of_field(j, x, from, sum);
        return ORR_OK;
    }
    for (int64_t o = 0; o < x.outer; o++)
        for (int64_t i = 0; i < x.inner; i++) {
            long double f = sum ? 0 : 1;
            uint64_t u = sum ? 0 : 1;
            if (from && orr__is_float(t))
                f = orr__reference_get(&j->in[1], o * x.inner + i);
            else if (from)
                u = orr__array_get(&j->in[1], o * x.inner + i).u;
            for (int64_t k = 0; k < x.length; k++) {
                int64_t at = (o * x.length + k) * x.inner + i;
                orr__scalar v = orr__array_get(&j->in[0], at);
                if (orr__is_float(t)) {
                    f = sum ? f + (long double)v.f : f * (long double)v.f;
                    orr__reference_set(&j->out, at, f);
                } else {
                    u = sum ? u + v.u : u * v.u;
                    orr__array_set(&j->out, at, (orr__scalar){ .u = u });
                }
            }
        }
    return ORR_OK;
}

/* Σ of g from each element to the end. */
static orr_tensor *sums_behind(const orr__back *b, orr_tensor *g)
{
    orr_axes axis = { 1, { b->node->attr.axis } };
    return orr_flip_at(AT, orr_cumulative_sum_at(AT, orr_flip_at(AT, g, axis), axis.axis[0], false), axis);
}

/* An element is a term of its own sum and of all later ones. */
static orr_tensor *vjp_sum(const orr__back *b, int k)
{
    return k == 0 ? sums_behind(b, b->g) : orr_sum_at(AT, b->g, (orr_axes){ 1, { b->node->attr.axis } }, true);
}

/* dx[i] = Σ g[j]·y[j] over j ≥ i, divided by x[i]. After the first zero of a line all products are 0, and so are the
 * derivatives. For the first zero itself the derivative is that sum with a 1 in place of the zero. */
static orr_tensor *vjp_prod(const orr__back *b, int k)
{
    (void)k;
    orr_tensor *x = b->in[0], *zero = orr_equal_at(AT, x, orr_scalar_at(AT, 0));
    orr_tensor *seen = orr_cumulative_sum_at(AT, orr_cast_at(AT, zero, ORR_I64), b->node->attr.axis, false);
    orr_tensor *none = orr_zeros_at(AT, orr_tensor_dtype(x), ORR_SHAPE_0D);
    orr_tensor *first = orr_logical_and_at(AT, zero, orr_equal_at(AT, seen, orr_scalar_at(AT, 1)));
    orr_tensor *one = orr_where_at(AT, first, orr_ones_at(AT, orr_tensor_dtype(x), ORR_SHAPE_0D), x);
    orr_tensor *rest = orr_cumulative_prod_at(AT, one, b->node->attr.axis, false);
    orr_tensor *before = sums_behind(b, orr_mul_at(AT, b->g, b->out));
    orr_tensor *at = sums_behind(b, orr_mul_at(AT, b->g, rest));
    orr_tensor *nonzero = orr_where_at(AT, zero, orr_ones_at(AT, orr_tensor_dtype(x), ORR_SHAPE_0D), x);
    orr_tensor *usual =
        orr_where_at(AT, orr_equal_at(AT, seen, orr_scalar_at(AT, 0)), orr_div_at(AT, before, nonzero), none);
    return orr_where_at(AT, first, at, usual);
}

/* With a start the products are start · cumulative_prod(x), rounded to the dtype of x. */
static orr_tensor *vjp_from(const orr__back *b, int k)
{
    orr_dtype t = orr_tensor_dtype(b->in[k]);
    if (b->node->attr.rop == ORR__RSUM)
        return orr_cast_at(AT, vjp_sum(b, k), t);
    orr_tensor *plain = orr_cumulative_prod_at(AT, b->in[0], b->node->attr.axis, false);
    if (k == 1)
        return orr_cast_at(
            AT, orr_sum_at(AT, orr_mul_at(AT, b->g, plain), (orr_axes){ 1, { b->node->attr.axis } }, true), t);
    orr_tensor *start = orr_cast_at(AT, b->in[1], t);
    orr__back of = *b;
    of.out = plain;
    of.g = orr_mul_at(AT, b->g, start);
    return vjp_prod(&of, 0);
}

/* Tiles are rows of axis 0. */
static bool cuts(const orr__call *c)
{
    return c->attr.axis > 0;
}

static orr_tensor *record_sum(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    return orr_cumulative_sum_at(file, line, in[0], a->axis, (a->mask & 1) != 0);
}

static orr_tensor *record_prod(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    return orr_cumulative_prod_at(file, line, in[0], a->axis, (a->mask & 1) != 0);
}

#define CUMULATIVE(word)                                                                                               \
    const orr__op orr__op_cumulative_##word = { .id = ORR__OP_cumulative_##word,                                       \
                                                .name = "cumulative_" #word,                                           \
                                                .arity = 1,                                                            \
                                                .kinds = ORR__TAKES_FIELD,                                             \
                                                .pattern = ORR__PATTERN_KERNEL,                                        \
                                                .attrs = ORR__ATTR_AXIS,                                               \
                                                .flags = ORR__OP_SUMS,                                                 \
                                                .options = 1,                                                          \
                                                .flops = 1,                                                            \
                                                .record = record_##word,                                               \
                                                .verify = verify,                                                      \
                                                .reference = reference,                                                \
                                                .distribute = orr__rule_but_axis,                                      \
                                                .vjp = vjp_##word,                                                     \
                                                .cuts = cuts }
CUMULATIVE(sum);
CUMULATIVE(prod);

static const char *verify_from(const orr__node *n, const orr__node *const *in, int nin)
{
    orr_shape one = n->shape;
    one.dim[n->attr.axis] = 1;
    return nin == 2 && orr__shape_equal(&one, &in[1]->shape) ? verify(n, in, 1) : "a start is missing for a line";
}

const orr__op orr__op_cumulative_from = {
    .id = ORR__OP_cumulative_from,
    .name = "cumulative_from",
    .arity = 2,
    .kinds = ORR__TAKES_FIELD,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_AXIS | ORR__ATTR_ROP,
    .flags = ORR__OP_SUMS,
    .flops = 1,
    .verify = verify_from,
    .reference = reference,
    .distribute = orr__rule_but_axis,
    .vjp = vjp_from,
    .cuts = cuts,
};

/* -- phases -------------------------------------------------------------------------------------------------------- */

enum { FEW_LINES = 16, LONG = 1 << 18, CHUNKS = 64 };

/* Number of chunks of a line; 1: it is not cut. A number that divides the length needs no padding. */
static int64_t chunks_of(int64_t outer, int64_t length, int64_t inner)
{
    if (outer >= FEW_LINES || length < 16 * CHUNKS || outer * length * inner < LONG)
        return 1;
    for (int64_t c = CHUNKS; c >= CHUNKS / 2; c--)
        if (length % c == 0)
            return c;
    return CHUNKS;
}

/* x is (outer, length, inner); the values in which sums are kept are of dtype `wide`. */
static orr_tensor *in_phases(orr__site at, int rop, orr_tensor *x, orr__line p, int64_t chunks, orr_dtype wide)
{
    const char *file = at.file;
    int line = at.line;
    bool sum = rop == ORR__RSUM;
    double identity = sum ? 0 : 1;
    int64_t m = (p.length + chunks - 1) / chunks;
    orr_index behind = { 3, { 0, chunks * m - p.length, 0 } };
    x = orr_pad_at(file, line, x, ORR_INDEX(0, 0, 0), behind, identity);
    x = orr_reshape_at(file, line, x, ORR_SHAPE(p.outer * chunks, m, p.inner));
    orr_tensor *w = orr_cast_at(file, line, x, wide);
    orr_tensor *all =
        sum ? orr_sum_at(file, line, w, ORR_AXES(1), true) : orr_prod_at(file, line, w, ORR_AXES(1), true);
    all = orr_reshape_at(file, line, all, ORR_SHAPE(p.outer, chunks, p.inner));
    all = sum ? orr_cumulative_sum_at(file, line, all, 1, true) : orr_cumulative_prod_at(file, line, all, 1, true);
    all = orr_slice_axis_at(file, line, all, 1, 0, chunks, 1);
    all = orr_reshape_at(file, line, all, ORR_SHAPE(p.outer * chunks, 1, p.inner));
    orr__node *in[2] = { orr__handle_node(x), orr__handle_node(all) };
    if (orr_tensor_status(x) != ORR_OK || orr_tensor_status(all) != ORR_OK)
        return orr_tensor_status(x) != ORR_OK ? x : all;
    orr__node *arg[2] = { orr__node_ref(in[0]), orr__node_ref(in[1]) };
    orr__node *r = orr__node_of(at, &orr__op_cumulative_from, (orr_dtype)in[0]->dtype, &in[0]->shape, 2, arg);
    if (r) {
        r->attr.axis = 1;
        r->attr.rop = (uint8_t)rop;
    }
    orr_tensor *y = orr_reshape_at(file, line, orr__handle_new(r), ORR_SHAPE(p.outer, chunks * m, p.inner));
    return orr_slice_axis_at(file, line, y, 1, 0, p.length, 1);
}

typedef struct {
    int axis;
    bool include_initial;
} along;

static orr_tensor *sum_of_part(orr__site at, orr_tensor *part, const void *with)
{
    const along *w = with;
    return orr_cumulative_sum_at(at.file, at.line, part, w->axis, w->include_initial);
}

/* Products of complex numbers, by doubling, since no kernel computes them: after the step by d, element i is the
 * product of the last 2·d elements. */
static orr_tensor *complex_products(orr__site at, orr_tensor *x, int k, bool include_initial)
{
    const char *file = at.file;
    int line = at.line;
    orr_scope *scope = orr_scope_begin();
    orr_shape s = orr_tensor_shape(x);
    int64_t n = s.dim[k];
    for (int64_t d = 1; d < n; d *= 2) {
        orr_tensor *more = orr_mul_at(file, line, orr_slice_axis_at(file, line, x, k, d, n, 1),
                                      orr_slice_axis_at(file, line, x, k, 0, n - d, 1));
        x = orr_concat_at(file, line, (orr_tensor *const[]){ orr_slice_axis_at(file, line, x, k, 0, d, 1), more }, 2,
                          k);
    }
    orr_index lo = { s.rank, { 0 } };
    lo.v[k] = 1;
    return orr__compose_end(at, scope, orr_pad_at(file, line, x, include_initial ? lo : ORR_NO_INDEX, ORR_NO_INDEX, 1));
}

static orr_tensor *cumulative(orr__site at, const orr__op *op, orr_tensor *x, int axis, bool include_initial)
{
    orr__node *n;
    orr_tensor *bad, *y;
    bool sum = op == &orr__op_cumulative_sum;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int k = orr__axis(axis, n->shape.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &n->shape);
    if (orr__is_complex((orr_dtype)n->dtype))
        return sum ? orr__by_parts(at, x, sum_of_part, &(along){ axis, include_initial })
                   : complex_products(at, x, k, include_initial);
    orr_dtype t = (orr_dtype)n->dtype, to = orr__is_float(t) || orr__is_field(t) ? t
                                            : orr__is_unsigned(t)                ? ORR_U64
                                                                                 : ORR_I64;
    orr__line p = orr__reference_line(&n->shape, k);
    int64_t chunks = chunks_of(p.outer, p.length, p.inner);
    orr_scope *scope = orr_scope_begin();
    if (chunks > 1) {
        orr_tensor *lines = orr_reshape_at(at.file, at.line, orr_cast_at(at.file, at.line, x, to),
                                           ORR_SHAPE(p.outer, p.length, p.inner));
        y = in_phases(at, sum ? ORR__RSUM : ORR__RPROD, lines, p, chunks,
                      orr__is_half(to) ? ORR_F32
                      : to == ORR_F32  ? ORR_F64
                                       : to);
        y = orr_reshape_at(at.file, at.line, y, n->shape);
    } else {
        orr__node *r = orr__rec_cast(at, orr__node_ref(n), to);
        r = r ? orr__rec_one(at, op, to, &n->shape, r) : NULL;
        if (r)
            r->attr.axis = k;
        y = orr__handle_new(r);
    }
    orr_index lo = { n->shape.rank, { 0 } };
    lo.v[k] = 1;
    return orr__compose_end(at, scope,
                            include_initial ? orr_pad_at(at.file, at.line, y, lo, ORR_NO_INDEX, sum ? 0 : 1) : y);
}

orr_tensor *orr_cumulative_sum_at(const char *file, int line, orr_tensor *x, int axis, bool include_initial)
{
    return cumulative(ORR__SITE(file, line, "cumulative_sum"), &orr__op_cumulative_sum, x, axis, include_initial);
}

orr_tensor *orr_cumulative_prod_at(const char *file, int line, orr_tensor *x, int axis, bool include_initial)
{
    return cumulative(ORR__SITE(file, line, "cumulative_prod"), &orr__op_cumulative_prod, x, axis, include_initial);
}
