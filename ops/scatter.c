/* orr_scatter_add and orr_scatter: a tensor with updates along an axis, by index: set, added, multiplied, or combined as
 * extrema.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <orrery/array.h>
#include "ops/back.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "ops/wrapped.h"

static orr__scalar add(orr_dtype dtype, orr__scalar x, orr__scalar y)
{
    orr__scalar r;
    if (orr__is_float(dtype)) {
        r.f = x.f + y.f;
        return orr__scalar_cast(r, ORR_F64, dtype);
    }
    r.u = x.u + y.u;
    return orr__scalar_cast(r, orr__is_signed(dtype) ? ORR_I64 : ORR_U64, dtype);
}

/* The element y after an update by u; as an extremum the first NaN stays. */
static orr__scalar updated(int mode, orr_dtype t, orr__scalar y, orr__scalar u)
{
    bool real = orr__is_float(t), less = real ? u.f < y.f : orr__is_signed(t) ? u.i < y.i : u.u < y.u;
    bool more = real ? u.f > y.f : orr__is_signed(t) ? u.i > y.i : u.u > y.u;
    orr__scalar r = { .u = y.u * u.u };
    if (real)
        r.f = y.f * u.f;
    switch (mode) {
    case ORR_SCATTER_SET: return u;
    case ORR_SCATTER_ADD: return add(t, y, u);
    case ORR_SCATTER_MUL: return orr__scalar_cast(r, real ? ORR_F64 : orr__is_signed(t) ? ORR_I64 : ORR_U64, t);
    case ORR_SCATTER_MIN: return less || (real && isnan(u.f)) ? u : y;
    default: return more || (real && isnan(u.f)) ? u : y;
    }
}

static orr_status reference(const orr__reference *j)
{
    int mode = j->node->op == &orr__op_scatter ? j->node->attr.index : ORR_SCATTER_ADD;
    orr__line x = orr__reference_line(&j->out.shape, j->node->attr.axis);
    int64_t many = j->in[1].count;
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i, orr__array_get(&j->in[0], i));
    for (int64_t m = 0; m < many; m++) {
        int64_t k = orr__reference_index(j, m, x.length);
        if (k < 0)
            return ORR_EINDEX;
        for (int64_t o = 0; o < x.outer; o++)
            for (int64_t i = 0; i < x.inner; i++) {
                int64_t to = (o * x.length + k) * x.inner + i;
                orr__scalar more = orr__array_get(&j->in[2], (o * many + m) * x.inner + i);
                orr__array_set(&j->out, to, updated(mode, j->out.dtype, orr__array_get(&j->out, to), more));
            }
    }
    return ORR_OK;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    return k == 0 ? b->g : k == 2 ? orr_take_at(b->at.file, b->at.line, b->g, b->in[1], b->node->attr.axis) : NULL;
}

/* x with updates, at the indices and along the axis of the node of b. */
static orr_tensor *again(const orr__back *b, orr_tensor *x, orr_tensor *updates, orr_scatter_mode mode)
{
    return orr_scatter_at(b->at.file, b->at.line, x, b->in[1], updates, b->node->attr.axis, mode);
}

#define AT b->at.file, b->at.line

/* bool, broadcast to the updates' shape: true for the last update of each place. It is found by a scatter of the
 * numbers of the updates. */
static orr_tensor *came_last(const orr__back *b)
{
    int axis = b->node->attr.axis;
    orr_shape index = orr_tensor_shape(b->in[1]), along = orr_tensor_shape(b->in[2]);
    int64_t length = orr_tensor_shape(b->in[0]).dim[axis], many = orr__shape_count(&index);
    orr_tensor *number = orr__handle_new(
        orr__rec_iota(b->at, ORR_I64, &ORR_SHAPE(many), 0, (orr__scalar){ .i = 0 }, (orr__scalar){ .i = 1 }));
    number = orr_reshape_at(AT, number, index);
    orr_tensor *last =
        orr_scatter_at(AT, orr_zeros_at(AT, ORR_I64, ORR_SHAPE(length)), b->in[1], number, 0, ORR_SCATTER_SET);
    orr_tensor *is = orr_equal_at(AT, orr_take_at(AT, last, b->in[1], 0), number);
    for (int d = 0; d < along.rank; d++)
        along.dim[d] = d < axis || d >= axis + index.rank ? 1 : along.dim[d];
    return orr_reshape_at(AT, is, along);
}

static orr_tensor *vjp_set(const orr__back *b, int k)
{
    orr_tensor *zero = orr_zeros_at(AT, orr_tensor_dtype(b->g), ORR_SHAPE_0D);
    if (k == 0)
        return again(b, b->g, zero, ORR_SCATTER_SET);
    return orr_where_at(AT, came_last(b), orr_take_at(AT, b->g, b->in[1], b->node->attr.axis), zero);
}

/* g times the product of the other factors. For an update of 0 that is the product of all factors that are not 0, if
 * no other update of the place is 0. */
static orr_tensor *vjp_mul(const orr__back *b, int k)
{
    orr_dtype t = orr_tensor_dtype(b->g);
    int axis = b->node->attr.axis;
    orr_tensor *u = b->in[2], *zero = orr_zeros_at(AT, t, ORR_SHAPE_0D), *one = orr_ones_at(AT, t, ORR_SHAPE_0D);
    orr_tensor *ones = orr_ones_at(AT, t, orr_tensor_shape(b->in[0]));
    if (k == 0)
        return orr_mul_at(AT, b->g, again(b, ones, u, ORR_SCATTER_MUL));
    orr_tensor *is_zero = orr_equal_at(AT, u, zero), *rest = orr_where_at(AT, is_zero, one, u);
    orr_tensor *zeros = again(b, orr_mul_at(AT, ones, zero), orr_cast_at(AT, is_zero, t), ORR_SCATTER_ADD);
    orr_tensor *others =
        orr_take_at(AT, orr_mul_at(AT, b->g, again(b, b->in[0], rest, ORR_SCATTER_MUL)), b->in[1], axis);
    zeros = orr_sub_at(AT, orr_take_at(AT, zeros, b->in[1], axis), orr_cast_at(AT, is_zero, t));
    return orr_where_at(AT, orr_equal_at(AT, zeros, zero), orr_div_at(AT, others, rest), zero);
}

/* g in equal parts to all values that equal the extremum. */
static orr_tensor *vjp_extremum(const orr__back *b, int k)
{
    orr_dtype t = orr_tensor_dtype(b->g);
    int axis = b->node->attr.axis;
    orr_tensor *zero = orr_zeros_at(AT, t, ORR_SHAPE_0D), *mine = orr_equal_at(AT, b->in[0], b->out);
    orr_tensor *theirs = orr_equal_at(AT, b->in[2], orr_take_at(AT, b->out, b->in[1], axis));
    orr_tensor *many = again(b, orr_cast_at(AT, mine, t), orr_cast_at(AT, theirs, t), ORR_SCATTER_ADD);
    orr_tensor *share = orr_div_at(AT, b->g, many);
    if (k == 0)
        return orr_where_at(AT, mine, share, zero);
    return orr_where_at(AT, theirs, orr_take_at(AT, share, b->in[1], axis), zero);
}

static orr_tensor *vjp_scatter(const orr__back *b, int k)
{
    if (k == 1)
        return NULL;
    return b->node->attr.index == ORR_SCATTER_SET   ? vjp_set(b, k)
           : b->node->attr.index == ORR_SCATTER_MUL ? vjp_mul(b, k)
                                                    : vjp_extremum(b, k);
}

/* A tile is a range of destinations and reads all indices, so that updates of one element keep their order. */
static orr__workload work(const orr__call *c)
{
    return (orr__workload){ .flops = (double)orr__shape_count(&c->out) + 4 * (double)orr__shape_count(&c->in[2]) };
}

/* x and the updates may be cut along axes other than that of the index, which is whole on every rank. If both are partial
 * sums, so is the result. */
static bool distribute(orr__spread_rule *r)
{
    int k = r->node->attr.axis, a = r->from.axis, more = r->in[1]->shape.rank - 1;
    r->out = r->from;
    if (r->k == 1)
        return false;
    if (r->from.kind == ORR__PARTIAL) {
        r->need[0] = r->need[2] = r->from;
        return r->from.rop == ORR__RSUM && r->node->op == &orr__op_scatter_add;
    }
    if (r->k == 2) {
        if (a >= k && a <= k + more)
            return false;
        a = a < k ? a : a - more;
    }
    if (a == k)
        return false;
    r->need[0] = r->need[2] = r->out;
    r->need[0].axis = r->out.axis = (int8_t)a;
    r->need[2].axis = (int8_t)(a < k ? a : a + more);
    return true;
}

const orr__op orr__op_scatter_add = {
    .id = ORR__OP_scatter_add,
    .name = "scatter_add",
    .arity = 3,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_AXIS,
    .flags = ORR__OP_MAY_FAIL,
    .flops = 1,
    .reference = reference,
    .wrapped = orr__wrapped_sums,
    .outside = orr__outside_axis,
    .distribute = distribute,
    .vjp = vjp,
    .work = work,
    .donor = 1,
    .indices = 2,
};

/* New references to the three operands of the primitive, in `dtype`; the last is NULL if one could not be made. */
static void scatter_operands(orr__site at, orr__node *const *in, orr_dtype dtype, const orr_shape *from,
                             const orr_shape *shape, orr__node **arg)
{
    arg[0] = orr__rec_reshape(at, orr__rec_cast(at, orr__node_ref(in[0]), dtype), from);
    arg[1] = orr__index_operand(at, in[1]);
    arg[2] = NULL;
    if (!arg[0] || !arg[1])
        return;
    arg[2] = orr__rec_broadcast(at, orr__rec_cast(at, orr__node_ref(in[2]), dtype), shape);
}

const orr__op orr__op_scatter = {
    .id = ORR__OP_scatter,
    .name = "scatter",
    .arity = 3,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_AXIS | ORR__ATTR_INDEX,
    .flags = ORR__OP_MAY_FAIL,
    .flops = 1,
    .reference = reference,
    .wrapped = orr__wrapped_sums,
    .outside = orr__outside_axis,
    .distribute = distribute,
    .vjp = vjp_scatter,
    .work = work,
    .donor = 1,
    .indices = 2,
};

static orr_tensor *scatter(orr__site at, orr_tensor *x, orr_tensor *indices, orr_tensor *updates, int axis,
                           orr_scatter_mode mode)
{
    orr__node *in[3], *arg[3];
    orr_tensor *bad;
    orr_shape from, shape, both;
    orr_dtype dtype;
    int k;
    if (!orr__operands(at, 3, (const orr_tensor *const[]){ x, indices, updates },
                       (const char *const[]){ "x", "indices", "updates" }, in, &bad) ||
        !orr__index_axis(at, in, axis, &from, &k, &bad) || !orr__index_shape(at, &from, k, &in[1]->shape, &shape, &bad))
        return bad;
    if (!orr__shape_broadcast(&in[2]->shape, &shape, &both) || !orr__shape_equal(&both, &shape))
        return orr__poison(at, ORR_ESHAPE, "updates of shape %s do not broadcast to %s", orr__str(in[2]->shape).s,
                           orr__str(shape).s);
    if (!orr__promote_nodes(at, 2, (orr__node *const[]){ in[0], in[2] }, &dtype))
        return orr__handle_new(NULL);
    if (dtype == ORR_BOOL && mode == ORR_SCATTER_ADD)
        return orr__poison(at, ORR_EDTYPE, "bool does not add: write orr_cast(x, ORR_I32)");
    if (orr__is_complex(dtype) && mode != ORR_SCATTER_ADD && mode != ORR_SCATTER_SET)
        return orr__poison(at, ORR_EDTYPE, "%s elements can only be set or added: ORR_SCATTER_SET or ORR_SCATTER_ADD",
                           orr_dtype_name(dtype));
    orr_scope *scope = orr__compose_begin(at);
    if (orr__is_complex(dtype) && (mode == ORR_SCATTER_ADD || mode == ORR_SCATTER_SET)) {
        const char *file = at.file;
        int line = at.line;
        orr_tensor *to = orr_cast_at(file, line, x, dtype), *given = orr_cast_at(file, line, updates, dtype);
        orr_tensor *re = scatter(at, orr_real_at(file, line, to), indices, orr_real_at(file, line, given), axis, mode);
        orr_tensor *im = scatter(at, orr_imag_at(file, line, to), indices, orr_imag_at(file, line, given), axis, mode);
        return orr__compose_end(at, scope, orr_complex_at(file, line, re, im));
    }
    orr_dtype wide = orr__is_half(dtype) ? ORR_F32 : dtype; /* the 257th 1 would be lost in bf16 */
    scatter_operands(at, in, wide, &from, &shape, arg);
    const orr__op *op = mode == ORR_SCATTER_ADD ? &orr__op_scatter_add : &orr__op_scatter;
    orr__node *r = orr__node_of(at, op, wide, &from, 3, arg);
    if (r) {
        r->attr.axis = k;
        r->attr.index = mode == ORR_SCATTER_ADD ? 0 : (int32_t)mode;
    }
    r = orr__rec_cast(at, orr__rec_reshape(at, r, &in[0]->shape), dtype);
    return orr__compose_end(at, scope, orr__handle_new(r));
}

orr_tensor *orr_scatter_add_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, orr_tensor *updates,
                               int axis)
{
    return scatter(ORR__SITE(file, line, "scatter_add"), x, indices, updates, axis, ORR_SCATTER_ADD);
}

orr_tensor *orr_scatter_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, orr_tensor *updates,
                           int axis, orr_scatter_mode mode)
{
    orr__site at = ORR__SITE(file, line, "scatter");
    if ((int)mode < ORR_SCATTER_SET || mode > ORR_SCATTER_MAX)
        return orr__poison(at, ORR_EINVAL, "%d is no mode: ORR_SCATTER_SET, ADD, MUL, MIN or MAX is needed", (int)mode);
    return scatter(at, x, indices, updates, axis, mode);
}
