/* Reductions that are primitives, with the axes dropped by a reshape: sum, prod, min, max, any, all.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/back.h"
#include "ops/ew_id.h"
#include "ops/ew_op.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "ops/wrapped.h"

#define AT b->at.file, b->at.line

const char *orr__reduce_verify(const orr__node *n, const orr__node *x, uint32_t mask)
{
    if (x->shape.rank != n->shape.rank || (mask >> n->shape.rank) != 0)
        return "reduce mask or rank";
    for (int d = 0; d < n->shape.rank; d++)
        if (n->shape.dim[d] != ((mask >> d & 1u) ? 1 : x->shape.dim[d]))
            return "reduce shape";
    return NULL;
}

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__reduce_verify(n, in[0], n->attr.mask);
}

int16_t orr__fold_row(int rop)
{
    return rop == ORR__RSUM ? ORR__EW_add : ORR__EW_mul;
}

/* The accumulator of one element of the result: floats in f (long double), others in v. */
typedef struct {
    long double f;
    orr__scalar v;
    bool any; /* at least one element was folded in */
} fold;

static bool less(orr_dtype dtype, orr__scalar x, orr__scalar y)
{
    switch (orr__dtype_kind(dtype)) {
    case ORR__KFLOAT: return x.f < y.f;
    case ORR__KSIGNED: return x.i < y.i;
    default: return x.u < y.u;
    }
}

static bool is_nan(orr_dtype dtype, orr__scalar x)
{
    return orr__is_float(dtype) && isnan(x.f);
}

/* True if x replaces `best` as the extremum. The first NaN is the extremum. */
bool orr__reference_better(int rop, orr_dtype dtype, orr__scalar x, orr__scalar best)
{
    if (is_nan(dtype, best) || is_nan(dtype, x))
        return !is_nan(dtype, best);
    return rop == ORR__RMAX ? less(dtype, best, x) : less(dtype, x, best);
}

static void fold_in(fold *a, int rop, orr_dtype from, orr_dtype dtype, orr__scalar x)
{
    orr__scalar wide = orr__scalar_cast(x, from, dtype);
    switch (rop) {
    case ORR__RSUM:
        a->f += orr__is_float(dtype) ? (long double)wide.f : 0;
        a->v.u += orr__is_float(dtype) ? 0 : wide.u;
        break;
    case ORR__RPROD:
        a->f = (a->any ? a->f : 1) * (orr__is_float(dtype) ? (long double)wide.f : 0);
        a->v.u = (a->any ? a->v.u : 1) * (orr__is_float(dtype) ? 0 : wide.u);
        break;
    case ORR__RANY: a->v.u = a->v.u || orr__scalar_cast(x, from, ORR_BOOL).u; break;
    case ORR__RALL: a->v.u = (!a->any || a->v.u) && orr__scalar_cast(x, from, ORR_BOOL).u; break;
    default:
        if (!a->any || orr__reference_better(rop, from, x, a->v))
            a->v = x;
    }
    a->any = true;
}

static orr__scalar fold_out(const fold *a, int rop, orr_dtype dtype)
{
    orr__scalar r = a->v;
    bool one = !a->any && (rop == ORR__RPROD || rop == ORR__RALL);
    if (orr__is_float(dtype) && (rop == ORR__RSUM || rop == ORR__RPROD)) {
        r.f = one ? 1 : (double)a->f;
        return orr__scalar_cast(r, ORR_F64, dtype);
    }
    if (one)
        r.u = 1;
    return orr__is_float(dtype) || dtype == ORR_BOOL
               ? r
               : orr__scalar_cast(r, orr__is_signed(dtype) ? ORR_I64 : ORR_U64, dtype);
}

static orr_status reference(const orr__reference *j)
{
    int rop = j->node->attr.rop;
    fold *a = orr__alloc_n((size_t)j->out.count + 1, sizeof *a);
    if (!a)
        return ORR_ENOMEM;
    for (int64_t i = 0; i < j->in[0].count; i++) {
        int64_t index[ORR_MAX_RANK];
        orr__array_unravel(&j->in[0].shape, i, index);
        for (int d = 0; d < j->out.shape.rank; d++)
            if (j->node->attr.mask >> d & 1)
                index[d] = 0;
        fold_in(&a[orr__array_ravel(&j->out.shape, index)], rop, j->in[0].dtype, j->out.dtype,
                orr__array_get(&j->in[0], i));
    }
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i, fold_out(&a[i], rop, j->out.dtype));
    free(a);
    return ORR_OK;
}

orr_axes orr__axes_of(uint32_t mask)
{
    orr_axes a = { 0, { 0 } };
    for (int i = 0; i < ORR_MAX_RANK; i++)
        if (mask >> i & 1)
            a.axis[a.n++] = i;
    return a;
}

/* g in equal parts to all elements that equal the result. */
static orr_tensor *of_extremum(const orr__back *b, orr_tensor *x, orr_tensor *g)
{
    orr_tensor *hit = orr_equal_at(AT, x, b->out);
    orr_tensor *n = orr_sum_at(AT, orr_cast_at(AT, hit, orr_tensor_dtype(x)), orr__axes_of(b->node->attr.mask), true);
    return orr_where_at(AT, hit, orr_div_at(AT, g, n), orr_scalar_at(AT, 0));
}

/* g times the product of the other elements. With one zero in x only its own derivative is not 0; with several zeros
 * all are 0. */
static orr_tensor *of_product(const orr__back *b, orr_tensor *x, orr_tensor *g)
{
    orr_axes axes = orr__axes_of(b->node->attr.mask);
    orr_tensor *one = orr_scalar_at(AT, 1), *none = orr_scalar_at(AT, 0);
    orr_tensor *zero = orr_equal_at(AT, x, none);
    orr_tensor *zeros = orr_sum_at(AT, zero, axes, true);
    orr_tensor *rest = orr_where_at(AT, zero, one, x);
    orr_tensor *p = orr_mul_at(AT, g, orr_prod_at(AT, rest, axes, true));
    orr_tensor *alone = orr_logical_and_at(AT, zero, orr_equal_at(AT, zeros, one));
    orr_tensor *some = orr_where_at(AT, alone, p, none);
    return orr_where_at(AT, orr_equal_at(AT, zeros, none), orr_div_at(AT, p, rest), some);
}

/* The reduced axes have length 1, so g and the result broadcast. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_tensor *x = b->in[k];
    orr_dtype dtype = orr_tensor_dtype(x);
    orr_tensor *g = orr_cast_at(AT, b->g, dtype);
    switch (b->node->attr.rop) {
    case ORR__RSUM: return orr_broadcast_to_at(AT, g, orr_tensor_shape(x));
    case ORR__RPROD: return of_product(b, x, g);
    case ORR__RMAX:
    case ORR__RMIN: return of_extremum(b, x, g);
    default: return NULL;
    }
}

/* Each rank reduces its elements of the cut axis, if every rank has some, since an extremum of no elements does not exist. Sums of
 * elements of fields are not combined over ranks. */
static bool distribute(orr__spread_rule *r)
{
    static const uint8_t by[] = { [ORR__RSUM] = ORR__RSUM,
                                  [ORR__RMAX] = ORR__RMAX,
                                  [ORR__RMIN] = ORR__RMIN,
                                  [ORR__RANY] = ORR__RMAX,
                                  [ORR__RALL] = ORR__RMIN };
    int rop = r->node->attr.rop;
    bool through = r->from.kind == ORR__PARTIAL, field = orr__is_field((orr_dtype)r->node->dtype);
    r->out = r->from;
    if (!through && !(r->node->attr.mask >> r->from.axis & 1))
        return true;
    if (rop == ORR__RPROD || field || (through && by[rop] != r->from.rop) ||
        (r->empty && (rop == ORR__RMAX || rop == ORR__RMIN)))
        return false;
    r->out = (orr__spread){ .kind = ORR__PARTIAL, .rop = by[rop] };
    return true;
}

orr_dtype orr__fold_dtype(int rop, orr_dtype t)
{
    if ((rop != ORR__RSUM && rop != ORR__RPROD) || orr__is_field(t))
        return t;
    return orr__is_float(t) ? ORR_F64 : orr__is_signed(t) ? ORR_I64 : ORR_U64;
}

/* x + 0, with which a sum begins: -0 becomes +0, and any other number is itself. The 0 is the cast of x < x: this is false for every number
 * and for NaN. */
static int16_t from_zero(orr__lowering *c, int16_t x, orr_dtype t)
{
    int16_t no = (int16_t)c->instr(c, (orr__rinstr){ ORR__RI_EW, ORR_BOOL, ORR__EW_less, x, x, -1, -1, -1 });
    int16_t zero = (int16_t)c->instr(c, (orr__rinstr){ ORR__RI_CAST, (uint8_t)t, 0, no, -1, -1, -1, -1 });
    return (int16_t)c->instr(c, (orr__rinstr){ ORR__RI_EW, (uint8_t)t, ORR__EW_add, zero, x, -1, -1, -1 });
}

/* Are the values of a chain +0 or more? */
static bool is_positive(const orr__capture *p, int x)
{
    return p->leaf_of[x] < 0 && orr__ew_is_positive(p->node[x]->op->id) && orr__is_float((orr_dtype)p->node[x]->dtype);
}

/* The dtype in which a chain accumulates. f32 suffices for a sum of a few halves, and of a few f32 that cannot cancel each other. */
static orr_dtype chain_dtype(const orr__capture *p, int i)
{
    const orr__node *n = p->node[i];
    int x = orr__arg(p, i, 0);
    orr_dtype t = (orr_dtype)p->node[x]->dtype;
    bool f32 = n->attr.rop == ORR__RSUM && n->dtype == t && (orr__is_half(t) || (t == ORR_F32 && is_positive(p, x)));
    return f32 ? ORR_F32 : orr__fold_dtype(n->attr.rop, t);
}

/* The elements in row-major order, one operation for each. */
static int lower(orr__lowering *c, int i, const orr__view *v)
{
    static const int16_t op[] = { [ORR__RSUM] = ORR__EW_add,
                                  [ORR__RPROD] = ORR__EW_mul,
                                  [ORR__RMAX] = ORR__EW_maximum,
                                  [ORR__RMIN] = ORR__EW_minimum };
    const orr__node *n = c->p->node[i], *x = c->p->node[orr__arg(c->p, i, 0)];
    int rop = n->attr.rop;
    orr_dtype wide = chain_dtype(c->p, i);
    bool half = orr__is_half((orr_dtype)x->dtype),
         zero = rop == ORR__RSUM && orr__is_float(wide) && !is_positive(c->p, orr__arg(c->p, i, 0));
    int64_t index[ORR_MAX_RANK] = { 0 };
    int16_t sum = -1;
    for (int d = 0; d >= 0;) {
        orr__view w = *v;
        for (int k = 0; k < x->shape.rank; k++)
            if (n->attr.mask >> k & 1u) {
                w.ax[k] = -1;
                w.off[k] = index[k];
                w.mul[k] = w.more[k] = w.too[k] = 0;
                w.taken = w.taken == k ? -1 : w.taken;
            }
        int16_t next = orr__lower_operand(c, i, 0, &w);
        if (sum < 0 && zero && !half) /* a half may have excess precision */
            next = from_zero(c, next, (orr_dtype)x->dtype);
        if (wide != (orr_dtype)x->dtype)
            next = (int16_t)c->instr(c, (orr__rinstr){ ORR__RI_CAST, (uint8_t)wide, 0, next, -1, -1, -1, -1 });
        if (sum < 0 && zero && half)
            next = from_zero(c, next, wide);
        sum = sum < 0
                  ? next
                  : (int16_t)c->instr(c, (orr__rinstr){ ORR__RI_EW, (uint8_t)wide, op[rop], sum, next, -1, -1, -1 });
        for (d = x->shape.rank - 1; d >= 0; index[d--] = 0)
            if ((n->attr.mask >> d & 1u) && ++index[d] < x->shape.dim[d])
                break;
    }
    if (wide == (orr_dtype)n->dtype)
        return sum;
    return c->instr(c, (orr__rinstr){ ORR__RI_CAST, n->dtype, 0, sum, -1, -1, -1, -1 });
}

/* A fold of few elements, which the fuser expands into element-wise instructions. */
static const orr__op chain = {
    .id = ORR__OP_reduce,
    .name = "reduce",
    .arity = 1,
    .pattern = ORR__PATTERN_ELEMENT,
    .flags = ORR__OP_SEVERAL,
    .flops = 1,
    .attrs = ORR__ATTR_ROP | ORR__ATTR_MASK,
    .kinds = ORR__TAKES_FIELD,
    .verify = verify,
    .reference = reference,
    .vjp = vjp,
    .lower = lower,
};

static orr__node *wrapped(orr__site at, const orr__capture *p, int i)
{
    int rop = p->node[i]->attr.rop;
    return rop == ORR__RSUM || rop == ORR__RPROD ? orr__wrapped_sums(at, p, i) : NULL;
}

const orr__op orr__op_reduce = {
    .id = ORR__OP_reduce,
    .name = "reduce",
    .arity = 1,
    .pattern = ORR__PATTERN_FOLD,
    .attrs = ORR__ATTR_ROP | ORR__ATTR_MASK,
    .kinds = ORR__TAKES_FIELD,
    .verify = verify,
    .reference = reference,
    .wrapped = wrapped,
    .distribute = distribute,
    .vjp = vjp,
    .unrolled = &chain,
};

orr__node *orr__rec_reduce(orr__site at, orr__node *n, int rop, uint32_t mask, orr_dtype dtype)
{
    if (!n || !mask)
        return orr__rec_cast(at, n, dtype);
    if (orr__is_complex(dtype)) { /* a sum, part by part */
        orr_dtype part = orr__part_dtype(dtype);
        n = orr__rec_cast(at, n, dtype);
        orr__node *re = n ? orr__rec_reduce(at, orr__rec_part(at, orr__node_ref(n), false), rop, mask, part) : NULL;
        return orr__rec_complex(at, re, n ? orr__rec_reduce(at, orr__rec_part(at, n, true), rop, mask, part) : NULL);
    }
    orr_shape s = orr__shape_reduced(&n->shape, mask, true);
    orr__node *sum = rop == ORR__RSUM && n->op->summed && dtype == n->dtype ? n->op->summed(at, n, mask) : NULL;
    if (sum) {
        orr__node_unref(n);
        return orr__rec_reshape(at, sum, &s);
    }
    orr__node *r = orr__rec_one(at, &orr__op_reduce, dtype, &s, n);
    if (r) {
        r->attr.rop = (uint8_t)rop;
        r->attr.mask = mask;
    }
    return r;
}

orr_tensor *orr__reduce_nothing(orr__site at, const orr_shape *s)
{
    return orr__poison(at, ORR_ESHAPE, "shape %s: the reduced axes have no elements, so the result is undefined",
                       orr__str(*s).s);
}

/* The dtype in which elements of `t` are summed and multiplied. */
static orr_dtype sum_dtype(orr_dtype t)
{
    return orr__is_inexact(t) || orr__is_field(t) ? t : orr__is_unsigned(t) ? ORR_U64 : ORR_I64;
}

static orr__node *reduce(orr__site at, orr__node *x, int rop, uint32_t mask, orr_dtype dtype, bool keep)
{
    orr_shape shape = orr__shape_reduced(&x->shape, mask, keep);
    return orr__rec_reshape(at, orr__rec_reduce(at, orr__node_ref(x), rop, mask, dtype), &shape);
}

static bool checked(orr__site at, const orr_tensor *x, orr_axes axes, orr__node **n, uint32_t *mask, orr_tensor **bad)
{
    if (!orr__operand(at, x, "x", n, bad))
        return false;
    if (orr__axes_mask(axes, (*n)->shape.rank, mask))
        return true;
    *bad = orr__axes_poison(at, axes, &(*n)->shape);
    return false;
}

/* Products of complex numbers, for which there is no fold: multiplies the two halves of an axis until one element is
 * left. */
static orr_tensor *complex_product(orr__site at, orr_tensor *x, uint32_t mask, const orr_shape *to)
{
    const char *file = at.file;
    int line = at.line;
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *r = x;
    for (int d = 0; d < orr_tensor_shape(x).rank; d++)
        while ((mask >> d & 1u) && orr_tensor_shape(r).rank >= 0 && orr_tensor_shape(r).dim[d] != 1) {
            orr_shape shape = orr_tensor_shape(r);
            int64_t n = shape.dim[d], half = n / 2;
            if (n == 0) {
                shape.dim[d] = 1;
                r = orr_ones_at(file, line, orr_tensor_dtype(x), shape);
                continue;
            }
            orr_tensor *rest = n % 2 ? orr_slice_axis_at(file, line, r, d, 2 * half, n, 1) : NULL;
            orr_tensor *p = orr_mul_at(file, line, orr_slice_axis_at(file, line, r, d, 0, half, 1),
                                       orr_slice_axis_at(file, line, r, d, half, 2 * half, 1));
            r = !rest       ? p
                : half == 1 ? orr_mul_at(file, line, p, rest)
                            : orr_concat_at(file, line, (orr_tensor *const[]){ p, rest }, 2, d);
        }
    return orr__compose_end(at, s, orr_reshape_at(file, line, r, *to));
}

static orr_tensor *sum_or_prod(orr__site at, orr_tensor *x, orr_axes axes, bool keep, int rop)
{
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask;
    if (!checked(at, x, axes, &n, &mask, &bad))
        return bad;
    if (rop == ORR__RPROD && orr__is_complex((orr_dtype)n->dtype)) {
        orr_shape to = orr__shape_reduced(&n->shape, mask, keep);
        return complex_product(at, x, mask, &to);
    }
    return orr__handle_new(reduce(at, n, rop, mask, sum_dtype((orr_dtype)n->dtype), keep));
}

static orr_tensor *any_or_all(orr__site at, orr_tensor *x, orr_axes axes, bool keep, int rop)
{
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask;
    if (!checked(at, x, axes, &n, &mask, &bad))
        return bad;
    orr__node *b = orr__rec_cast(at, orr__node_ref(n), ORR_BOOL);
    orr__node *r = b ? reduce(at, b, rop, mask, ORR_BOOL, keep) : NULL;
    orr__node_unref(b);
    return orr__handle_new(r);
}

static orr_tensor *min_or_max(orr__site at, orr_tensor *x, orr_axes axes, bool keep, int rop)
{
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask;
    if (!orr__operand_ordered(at, x, "x", &n, &bad) || !checked(at, x, axes, &n, &mask, &bad))
        return bad;
    orr_shape out = orr__shape_reduced(&n->shape, mask, true);
    if (!orr__shape_count_of(&n->shape, mask) && orr__shape_count(&out))
        return orr__reduce_nothing(at, &n->shape);
    if (n->dtype == ORR_BOOL)
        rop = rop == ORR__RMAX ? ORR__RANY : ORR__RALL;
    return orr__handle_new(reduce(at, n, rop, mask, (orr_dtype)n->dtype, keep));
}

#define REDUCTION(name, via, rop)                                                                                      \
    orr_tensor *orr_##name##_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims)               \
    {                                                                                                                  \
        return via(ORR__SITE(file, line, #name), x, axes, keepdims, rop);                                              \
    }
REDUCTION(sum, sum_or_prod, ORR__RSUM)
REDUCTION(prod, sum_or_prod, ORR__RPROD)
REDUCTION(any, any_or_all, ORR__RANY)
REDUCTION(all, any_or_all, ORR__RALL)
REDUCTION(min, min_or_max, ORR__RMIN)
REDUCTION(max, min_or_max, ORR__RMAX)
