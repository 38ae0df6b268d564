/* orr_cumulative_sum and orr_cumulative_prod: sums and products of the elements up to each one, along an axis.
 * A long line is computed in two phases, each shared by all workers: the sum of each chunk; then the elements of each chunk, starting from
 * the sum of the chunks before it. The cut into chunks depends on the shape alone.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <string.h>
#include "ops/back.h"
#include "ops/linalg/linalg.h"
#include "ops/linalg/panels.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "ops/wrapped.h"
#include "runtime/base/element.h"
#include "runtime/base/threshold.h"

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

static void reference_of_complex(const orr__reference *j, orr__line x)
{
    for (int64_t o = 0; o < x.outer; o++)
        for (int64_t i = 0; i < x.inner; i++) {
            orr__number f = 0;
            for (int64_t k = 0; k < x.length; k++) {
                int64_t at = (o * x.length + k) * x.inner + i;
                orr__number v = orr__plain_get(&j->in[0], at);
                f = k ? CMPLXL(creall(f) * creall(v) - cimagl(f) * cimagl(v),
                               creall(f) * cimagl(v) + cimagl(f) * creall(v))
                      : v;
                orr__plain_set(&j->out, at, f);
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
    if (orr__is_complex(t)) {
        reference_of_complex(j, x);
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
    (void)k;
    return sums_behind(b, b->g);
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

#define CUMULATIVE(word, takes)                                                                                        \
    const orr__op orr__op_cumulative_##word = { .id = ORR__OP_cumulative_##word,                                       \
                                                .name = "cumulative_" #word,                                           \
                                                .arity = 1,                                                            \
                                                .kinds = takes,                                                        \
                                                .pattern = ORR__PATTERN_KERNEL,                                        \
                                                .attrs = ORR__ATTR_AXIS,                                               \
                                                .flags = ORR__OP_SUMS,                                                 \
                                                .options = 1,                                                          \
                                                .flops = 1,                                                            \
                                                .record = record_##word,                                               \
                                                .verify = verify,                                                      \
                                                .reference = reference,                                                \
                                                .wrapped = orr__wrapped_sums,                                          \
                                                .distribute = orr__rule_but_axis,                                      \
                                                .vjp = vjp_##word,                                                     \
                                                .cuts = cuts }
CUMULATIVE(sum, ORR__TAKES_FIELD);
CUMULATIVE(prod, ORR__TAKES_ANY);

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
    .wrapped = orr__wrapped_sums,
    .distribute = orr__rule_but_axis,
    .cuts = cuts,
};

/* Operands: the chunks of lines (outer, chunks, length, inner), their sums or products, and the bounds of these. */
static const char *verify_starts(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr_shape *s = &n->shape, *x = &in[0]->shape;
    return nin == 3 && s->rank == 3 && orr__is_float((orr_dtype)n->dtype) && x->rank == 4 && x->dim[0] == s->dim[0] &&
                   x->dim[1] == s->dim[1] && x->dim[3] == s->dim[2] && orr__shape_equal(&in[1]->shape, s) &&
                   orr__shape_equal(&in[2]->shape, s) && in[1]->dtype == n->dtype && in[2]->dtype == n->dtype
               ? NULL
               : "a start is missing for a chunk";
}

static orr_status reference_starts(const orr__reference *j)
{
    int64_t outer = j->out.shape.dim[0], chunks = j->out.shape.dim[1], inner = j->out.shape.dim[2],
            length = j->in[0].shape.dim[2];
    bool sum = j->node->attr.rop == ORR__RSUM;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            long double f = sum ? 0 : 1;
            for (int64_t c = o * chunks; c < (o + 1) * chunks; c++) {
                orr__reference_set(&j->out, c * inner + i, f);
                for (int64_t k = 0; k < length; k++) {
                    long double v = orr__reference_get(&j->in[0], (c * length + k) * inner + i);
                    f = sum ? f + v : f * v;
                }
            }
        }
    return ORR_OK;
}

const orr__op orr__op_cumulative_starts = {
    .id = ORR__OP_cumulative_starts,
    .name = "cumulative_starts",
    .arity = 3,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_ROP,
    .flags = ORR__OP_SUMS,
    .flops = 10,
    .verify = verify_starts,
    .reference = reference_starts,
    .distribute = orr__rule_first,
};

/* -- phases -------------------------------------------------------------------------------------------------------- */

enum { CHUNKS = ORR__LINE_CHUNKS };

/* Number of chunks of a line; 1: it is not cut. A number that divides the length needs no padding. */
static int64_t chunks_of(int64_t outer, int64_t length, int64_t inner)
{
    if (outer >= ORR__T_FEW_LINES || length < ORR__VECTOR * CHUNKS || outer * length * inner < ORR__LONG_LINE)
        return 1;
    for (int64_t c = CHUNKS; c >= CHUNKS / 2; c--)
        if (length % c == 0)
            return c;
    return CHUNKS;
}

/* The values from which the chunks x, (outer · chunks, length, inner), start: the sums or products of the chunks before
 * them. Floats may overflow or underflow on the way to the end of a chunk, though the chunk by itself does not, or
 * the reverse; the bound of a chunk is the greatest change that its elements can make. */
static orr_tensor *starts_of(orr__site at, int rop, orr_tensor *x, orr__line p, int64_t chunks, orr_dtype wide)
{
    const char *file = at.file;
    int line = at.line;
    bool sum = rop == ORR__RSUM;
    orr_shape s = ORR_SHAPE(p.outer, chunks, p.inner);
    orr_tensor *w = orr_cast_at(file, line, x, wide);
    orr_tensor *ends =
        sum ? orr_sum_at(file, line, w, ORR_AXES(1), true) : orr_prod_at(file, line, w, ORR_AXES(1), true);
    ends = orr_reshape_at(file, line, ends, s);
    if (!orr__is_float(wide)) {
        ends =
            sum ? orr_cumulative_sum_at(file, line, ends, 1, true) : orr_cumulative_prod_at(file, line, ends, 1, true);
        return orr_slice_axis_at(file, line, ends, 1, 0, chunks, 1);
    }
    orr_tensor *bounds = orr_abs_at(file, line, w);
    bounds = sum ? bounds : orr_abs_at(file, line, orr_log2_at(file, line, bounds));
    bounds = orr_reshape_at(file, line, orr_sum_at(file, line, bounds, ORR_AXES(1), true), s);
    int64_t length = orr_tensor_shape(x).dim[1];
    x = orr_reshape_at(file, line, x, ORR_SHAPE(p.outer, chunks, length, p.inner));
    orr__node *in[3];
    orr_tensor *bad;
    if (!orr__operands(at, 3, (const orr_tensor *const[]){ x, ends, bounds },
                       (const char *const[]){ "x", "ends", "bounds" }, in, &bad))
        return bad;
    orr__node *arg[3] = { orr__node_ref(in[0]), orr__node_ref(in[1]), orr__node_ref(in[2]) };
    orr__node *r = orr__node_of(at, &orr__op_cumulative_starts, wide, &s, 3, arg);
    if (r)
        r->attr.rop = (uint8_t)rop;
    return orr__handle_new(r);
}

/* x is (outer, length, inner); the values in which sums are kept are of dtype `wide`. */
static orr_tensor *in_phases(orr__site at, int rop, orr_tensor *lines, orr__line p, int64_t chunks, orr_dtype wide)
{
    const char *file = at.file;
    int line = at.line;
    int64_t m = (p.length + chunks - 1) / chunks;
    orr_index behind = { 3, { 0, chunks * m - p.length, 0 } };
    orr_tensor *x = orr_pad_at(file, line, lines, ORR_INDEX(0, 0, 0), behind, rop == ORR__RSUM ? 0 : 1);
    x = orr_reshape_at(file, line, x, ORR_SHAPE(p.outer * chunks, m, p.inner));
    orr_tensor *starts =
        orr_reshape_at(file, line, starts_of(at, rop, x, p, chunks, wide), ORR_SHAPE(p.outer * chunks, 1, p.inner));
    orr__node *in[2], *whole;
    orr_tensor *bad;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, starts }, (const char *const[]){ "x", "starts" }, in,
                       &bad) ||
        !orr__operand(at, lines, "x", &whole, &bad))
        return bad;
    orr__node *arg[2] = { orr__node_ref(in[0]), orr__node_ref(in[1]) };
    orr__node *r = orr__node_of(at, &orr__op_cumulative_from, (orr_dtype)in[0]->dtype, &in[0]->shape, 2, arg);
    if (r) {
        r->attr.axis = 1;
        r->attr.rop = (uint8_t)rop;
    }
    orr_tensor *y = orr_reshape_at(file, line, orr__handle_new(r), ORR_SHAPE(p.outer, chunks * m, p.inner));
    y = orr_slice_axis_at(file, line, y, 1, 0, p.length, 1);
    y = orr__stands_for(at, rop == ORR__RSUM ? &orr__op_cumulative_sum : &orr__op_cumulative_prod, 1, &whole, y, 0,
                        (orr__scalar){ 0 });
    if ((r = orr__handle_node(y)))
        r->attr.axis = 1;
    return y;
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
    orr_dtype t = (orr_dtype)n->dtype;
    if (sum && orr__is_complex(t))
        return orr__by_parts(at, x, sum_of_part, &(along){ axis, include_initial });
    orr_dtype to = orr__is_float(t) || orr__is_compound(t) ? t : orr__is_unsigned(t) ? ORR_U64 : ORR_I64;
    orr__line p = orr__reference_line(&n->shape, k);
    int64_t chunks = orr__is_complex(t) ? 1 : chunks_of(p.outer, p.length, p.inner);
    orr_scope *scope = orr__compose_begin(at);
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
