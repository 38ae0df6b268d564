/* Integer elements that are not the true value of their operation, as bits made of other operations.
 * A sum, difference or product that wraps is the true value plus a multiple of 2^width. In f64 the same operation is off by its rounding
 * alone, which is small against half of 2^width: products are precise in relation to their size, and sums of n terms below 2^64 are off by
 * n·log2(n)·2^12 at most. Thus the distance of both values decides exactly.
 * Must not know: the reader of the bits. */
#include "config.h"

#include <math.h>
#include "ops/ew_id.h"
#include "ops/record.h"
#include "ops/wrapped.h"

static orr__node *operand(const orr__capture *p, int i, int k)
{
    return orr__node_ref(p->node[p->arg[p->arg0[i] + k]]);
}

static orr__node *constant(orr__site at, orr_dtype t, const orr__node *like, orr__scalar v)
{
    return orr__rec_const(at, t, &like->shape, v);
}

static orr__node *one(orr__site at, int row, orr__node *n)
{
    return n ? orr__rec_one(at, &orr__ew(row)->op, (orr_dtype)n->dtype, &n->shape, n) : NULL;
}

static bool is_int(const orr__capture *p, int i)
{
    return orr__is_int((orr_dtype)p->node[i]->dtype);
}

static double width(const orr__node *n)
{
    return 8.0 * (double)orr_dtype_size((orr_dtype)n->dtype);
}

orr__node *orr__wrapped_true(orr__site at, const orr__capture *p, int i)
{
    const orr__node *n = p->node[i];
    orr__node *in[3] = { NULL };
    int nin = orr__capture_nin(p, i);
    if (nin > 3)
        return NULL;
    for (int k = 0; k < nin; k++) {
        in[k] = operand(p, i, k);
        in[k] = k + 1 == n->op->indices ? in[k] : orr__rec_cast(at, in[k], ORR_F64);
    }
    return orr__rec_like(at, n, ORR_F64, &n->shape, nin, in);
}

/* Is the node's value far from `truth`, an f64 node, which it takes over? `odd`: the answer for NaN. */
static orr__node *is_far(orr__site at, orr__node *n, orr__node *truth, bool odd)
{
    orr__node *own = orr__rec_cast(at, orr__node_ref(n), ORR_F64);
    orr__node *off = one(at, ORR__EW_abs, orr__rec_two(at, ORR__EW_sub, ORR_F64, own, truth));
    orr__node *far = constant(at, ORR_F64, n, (orr__scalar){ .f = ldexp(1, (int)width(n) - 1) });
    return odd ? one(at, ORR__EW_logical_not, orr__rec_two(at, ORR__EW_less, ORR_BOOL, off, far))
               : orr__rec_two(at, ORR__EW_greater_equal, ORR_BOOL, off, far);
}

/* A product with a factor 0 may be NaN in f64, and is right. */
orr__node *orr__wrapped_sums(orr__site at, const orr__capture *p, int i)
{
    return is_int(p, i) ? is_far(at, p->node[i], orr__wrapped_true(at, p, i), false) : NULL;
}

/* x << y, from which y places back do not lead to x. */
static orr__node *lost_left(orr__site at, const orr__capture *p, int i)
{
    orr__node *n = p->node[i], *x = operand(p, i, 0);
    orr_dtype t = (orr_dtype)n->dtype;
    orr__node *back = orr__rec_two(at, ORR__EW_bitwise_right_shift, t, orr__node_ref(n), operand(p, i, 1));
    return orr__rec_two(at, ORR__EW_not_equal, ORR_BOOL, back, x);
}

/* x >> y with a negative y, which is 0 or −1 instead of a multiple of x. */
static orr__node *lost_right(orr__site at, const orr__capture *p, int i)
{
    orr__node *n = p->node[i];
    orr__scalar zero = { .u = 0 };
    orr__node *negative =
        orr__rec_two(at, ORR__EW_less, ORR_BOOL, operand(p, i, 1), constant(at, (orr_dtype)n->dtype, n, zero));
    orr__node *some =
        orr__rec_two(at, ORR__EW_not_equal, ORR_BOOL, operand(p, i, 0), constant(at, (orr_dtype)n->dtype, n, zero));
    return orr__rec_two(at, ORR__EW_logical_and, ORR_BOOL, negative, some);
}

orr__node *orr__wrapped_row(orr__site at, const orr__capture *p, int i)
{
    orr__node *n = p->node[i];
    if (!is_int(p, i))
        return NULL;
    switch (n->op->id) {
    case ORR__EW_add:
    case ORR__EW_sub:
    case ORR__EW_mul:
    case ORR__EW_neg:
    case ORR__EW_abs:
    case ORR__EW_square:
    case ORR__EW_pow:
    case ORR__EW_floor_divide: return is_far(at, n, orr__wrapped_true(at, p, i), true);
    case ORR__EW_remainder:
        return orr__rec_two(at, ORR__EW_equal, ORR_BOOL, operand(p, i, 1),
                            constant(at, (orr_dtype)n->dtype, n, (orr__scalar){ .u = 0 }));
    case ORR__EW_bitwise_left_shift: return lost_left(at, p, i);
    case ORR__EW_bitwise_right_shift: return lost_right(at, p, i);
    default: return NULL;
    }
}

/* A float whose integral part is no value of the dtype, NaN included; an integer that changes. */
orr__node *orr__wrapped_cast(orr__site at, const orr__capture *p, int i)
{
    orr__node *n = p->node[i], *x = p->node[p->arg[p->arg0[i]]];
    if (!is_int(p, i) || !(orr__is_int((orr_dtype)x->dtype) || orr__is_float((orr_dtype)x->dtype)))
        return NULL;
    orr__node *wide = orr__rec_cast(at, orr__node_ref(x), ORR_F64);
    if (orr__is_int((orr_dtype)x->dtype))
        return is_far(at, n, wide, true);
    bool sign = orr__is_signed((orr_dtype)n->dtype);
    double end = ldexp(1, (int)width(n) - sign), least = sign ? -end : 0;
    orr__node *whole = one(at, ORR__EW_trunc, wide), *again = whole ? orr__node_ref(whole) : NULL;
    orr__node *low =
        orr__rec_two(at, ORR__EW_greater_equal, ORR_BOOL, whole, constant(at, ORR_F64, n, (orr__scalar){ .f = least }));
    orr__node *high =
        orr__rec_two(at, ORR__EW_less, ORR_BOOL, again, constant(at, ORR_F64, n, (orr__scalar){ .f = end }));
    return one(at, ORR__EW_logical_not, orr__rec_two(at, ORR__EW_logical_and, ORR_BOOL, low, high));
}

orr__node *orr__outside_axis(orr__site at, const orr__capture *p, int i)
{
    const orr__node *n = p->node[i], *index = p->node[p->arg[p->arg0[i] + 1]];
    int64_t length = p->node[p->arg[p->arg0[i]]]->shape.dim[n->attr.axis];
    orr_dtype t = (orr_dtype)index->dtype;
    orr__scalar least = { .i = -length }, end = { .i = length };
    if (t == ORR_I32 && length > INT32_MAX) /* every i32 is in range */
        return NULL;
    orr__node *low = orr__rec_two(at, ORR__EW_less, ORR_BOOL, operand(p, i, 1), constant(at, t, index, least));
    orr__node *high = orr__rec_two(at, ORR__EW_greater_equal, ORR_BOOL, operand(p, i, 1), constant(at, t, index, end));
    return orr__rec_or(at, low, high);
}
