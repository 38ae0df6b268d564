/* Ranges: arange, linspace.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include "ops/lowering.h"
#include "ops/number.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "runtime/base/fpmode.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)in;
    (void)nin;
    return n->nscalar == 2 && n->attr.axis < n->shape.rank ? NULL : "iota attributes";
}

/* Floats are computed in f64 and rounded; integers wrap. */
static orr_status reference(const orr__reference *j)
{
    orr_dtype d = j->out.dtype;
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t index[ORR_MAX_RANK];
        orr__array_unravel(&j->out.shape, i, index);
        int64_t k = index[j->node->attr.axis];
        orr__scalar v;
        if (orr__is_float(d)) {
            v.f = j->s[0].f + j->s[1].f * (double)k;
            v = orr__scalar_cast(v, ORR_F64, d);
        } else {
            v.u = j->s[0].u + j->s[1].u * (uint64_t)k;
            v = orr__scalar_cast(v, orr__is_signed(d) ? ORR_I64 : ORR_U64, d);
        }
        orr__array_set(&j->out, i, v);
    }
    return ORR_OK;
}

static int lower(orr__lowering *c, int i, const orr__view *v)
{
    const orr__node *n = c->p->node[i];
    int axis = n->attr.axis;
    orr__access a = { .input = -1, .offset = v->off[axis] };
    if (v->ax[axis] >= 0)
        a.stride[v->ax[axis]] = v->mul[axis];
    return c->instr(c, (orr__rinstr){ ORR__RI_IOTA, n->dtype, 0, -1, -1, -1, c->access(c, a), c->p->scalar0[i] });
}

const orr__op orr__op_iota = {
    .id = ORR__OP_iota,
    .name = "iota",
    .pattern = ORR__PATTERN_ELEMENT,
    .attrs = ORR__ATTR_AXIS,
    .flags = ORR__OP_BY_PLACE,
    .flops = 1,
    .verify = verify,
    .reference = reference,
    .lower = lower,
};

orr__node *orr__rec_iota(orr__site at, orr_dtype dtype, const orr_shape *shape, int axis, orr__scalar start,
                         orr__scalar step)
{
    orr__node *r = orr__node_new(at, &orr__op_iota, dtype, shape, 0, NULL);
    if (r) {
        r->nscalar = 2;
        r->s[0] = start;
        r->s[1] = step;
        r->attr.axis = axis;
    }
    return r;
}

/* A start or step as a scalar of dtype; a step may be negative for unsigned dtypes too, where it wraps. */
static bool range_scalar(orr__site at, orr_dtype dtype, double value, bool step, orr__scalar *out)
{
    if (!step || !orr__is_unsigned(dtype) || !(value < 0))
        return orr__scalar_from(at, dtype, value, out);
    if (!orr__scalar_from(at, ORR_I64, value, out))
        return false;
    out->u = (uint64_t)out->i;
    return true;
}

orr_tensor *orr_arange_at(const char *file, int line, orr_dtype dtype, double start, double stop, double step)
{
    orr__site at = ORR__SITE(file, line, "arange");
    ORR__IN_DEFAULT_FPMODE;
    orr_tensor *bad;
    if (!orr__dtype_ok(at, dtype, &bad))
        return bad;
    if (orr__is_complex(dtype)) {
        orr_scope *scope = orr__compose_begin(at);
        orr_tensor *real = orr_arange_at(file, line, orr__part_dtype(dtype), start, stop, step);
        return orr__compose_end(at, scope, orr_cast_at(file, line, real, dtype));
    }
    if (dtype == ORR_BOOL)
        return orr__poison(at, ORR_EDTYPE, "a range has no dtype bool");
    double length = ceil((stop - start) / step);
    if (length == 0 && (step > 0 ? start < stop : start > stop)) /* the quotient underflows, or step is infinite */
        length = 1;
    if (step == 0 || isnan(length))
        return orr__poison(at, ORR_EINVAL, "no range from %g to %g by %g", start, stop, step);
    if (length < 0)
        length = 0;
    if (length > 0x1p59)
        return orr__poison(at, ORR_ESHAPE, "a range from %g to %g by %g has too many elements", start, stop, step);
    orr__scalar s0, s1;
    step = length == 1 && isinf(step) ? 1 : step; /* 0·inf is no place of the first element */
    if (!range_scalar(at, dtype, start, false, &s0) || !range_scalar(at, dtype, step, true, &s1))
        return orr__handle_new(NULL);
    orr__scalar last;
    if (!orr__is_float(dtype) && length > 0 && !orr__scalar_from(at, dtype, start + (length - 1) * step, &last))
        return orr__handle_new(NULL);
    if (orr__is_float(dtype)) { /* computed in f64 for every float dtype */
        s0.f = start;
        s1.f = step;
    }
    return orr__handle_new(orr__rec_iota(at, dtype, &ORR_SHAPE((int64_t)length), 0, s0, s1));
}

orr_tensor *orr_arange_number_at(const char *file, int line, orr_dtype dtype, orr_number start, orr_number stop,
                                 orr_number step)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "arange_number");
    orr_tensor *bad;
    orr__int128 first, end, by;
    if (!orr__dtype_ok(at, dtype, &bad))
        return bad;
    if (!orr__number_ok(at, start) || !orr__number_ok(at, stop) || !orr__number_ok(at, step))
        return orr__handle_new(NULL);
    bool whole = orr__number_integer(start, &first);
    whole = orr__number_integer(stop, &end) && whole;
    whole = orr__number_integer(step, &by) && whole;
    if (!whole || orr__is_inexact(dtype) || dtype == ORR_BOOL)
        return orr_arange_at(file, line, dtype, orr__number_real(start), orr__number_real(stop),
                             orr__number_real(step));
    if (by == 0)
        return orr__poison(at, ORR_EINVAL, "a range by 0 has no end");
    orr__int128 length = by > 0 ? (end - first + by - 1) / by : (first - end - by - 1) / -by;
    length = (by > 0 ? end > first : end < first) ? length : 0;
    if (length > (orr__int128)1 << 59)
        return orr__poison(at, ORR_ESHAPE, "a range of more than 2⁵⁹ elements");
    if (length > 0 && (!orr__number_fits(at, dtype, first) || !orr__number_fits(at, dtype, first + (length - 1) * by)))
        return orr__handle_new(NULL);
    orr__scalar s0 = { .u = (uint64_t)first }, s1 = { .u = (uint64_t)by };
    return orr__handle_new(orr__rec_iota(at, dtype, &ORR_SHAPE((int64_t)length), 0, s0, s1));
}

orr_tensor *orr_linspace_at(const char *file, int line, orr_dtype dtype, double start, double stop, int64_t n)
{
    orr__site at = ORR__SITE(file, line, "linspace");
    ORR__IN_DEFAULT_FPMODE;
    orr_tensor *bad;
    orr_shape shape = ORR_SHAPE(n);
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    if (orr__is_complex(dtype)) {
        orr_scope *scope = orr__compose_begin(at);
        orr_tensor *real = orr_linspace_at(file, line, orr__part_dtype(dtype), start, stop, n);
        return orr__compose_end(at, scope, orr_cast_at(file, line, real, dtype));
    }
    if (!orr__is_float(dtype))
        return orr__poison(at, ORR_EDTYPE, "%s is no float dtype", orr_dtype_name(dtype));
    /* If the length of the interval overflows, the computation is done at half the size. */
    bool halve = n > 1 && isfinite(start) && isfinite(stop) && isinf(stop - start);
    double size = halve ? 0.5 : 1;
    orr__scalar s0 = { .f = size * start }, s1 = { .f = n > 1 ? (size * stop - size * start) / (double)(n - 1) : 0 };
    if (n < 2)
        return orr__handle_new(orr__rec_iota(at, dtype, &shape, 0, s0, s1));
    /* The last point is `stop` exactly, which start + (n−1)·step need not be. */
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *points = orr__handle_new(orr__rec_iota(at, halve ? ORR_F64 : dtype, &shape, 0, s0, s1));
    if (halve)
        points = orr_cast_at(file, line, orr_mul_at(file, line, points, orr_scalar_at(file, line, 2)), dtype);
    orr_tensor *left =
        orr__handle_new(orr__rec_iota(at, ORR_I64, &shape, 0, (orr__scalar){ .i = n - 1 }, (orr__scalar){ .i = -1 }));
    orr_tensor *last = orr_equal_at(file, line, left, orr_zeros_at(file, line, ORR_I64, ORR_SHAPE_0D));
    orr_tensor *r = orr_where_at(file, line, last, orr_full_at(file, line, dtype, ORR_SHAPE_0D, stop), points);
    return orr__compose_end(at, scope, r);
}
