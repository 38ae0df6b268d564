/* Reference evaluation of the primitives that fold many elements into one: reduce, argreduce, matmul.
 * Must not know: fusion, plans, speed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/reference.h"

/* What one element of the result has come to: floats in f (long double), others in v. */
typedef struct {
    long double f;
    orr__scalar v;
    bool any; /* something has been folded in */
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

/* Does x come before `best` as the extremum? The first NaN is it. */
static bool better(int rop, orr_dtype dtype, orr__scalar x, orr__scalar best)
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
        if (!a->any || better(rop, from, x, a->v))
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

orr_status orr__ref_reduce(const orr__refjob *j)
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

orr_status orr__ref_argreduce(const orr__refjob *j)
{
    int axis = j->node->attr.axis;
    const orr__array *x = &j->in[0];
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t index[ORR_MAX_RANK], where = 0;
        orr__scalar best = { .u = 0 };
        orr__array_unravel(&j->out.shape, i, index);
        for (int64_t k = 0; k < x->shape.dim[axis]; k++) {
            index[axis] = k;
            orr__scalar v = orr__array_get(x, orr__array_ravel(&x->shape, index));
            if (k && !better(j->node->attr.rop, x->dtype, v, best))
                continue;
            best = v;
            where = k;
        }
        orr__array_set(&j->out, i, (orr__scalar){ .i = where });
    }
    return ORR_OK;
}

orr_status orr__ref_matmul(const orr__refjob *j)
{
    const orr_shape *s = &j->out.shape;
    int64_t m = s->dim[s->rank - 2], n = s->dim[s->rank - 1], k = j->in[0].shape.dim[s->rank - 1];
    for (int64_t at = 0; at < j->out.count; at++) {
        int64_t batch = at / (m * n), r = at / n % m, c = at % n;
        long double sum = 0;
        for (int64_t i = 0; i < k; i++)
            sum += (long double)orr__array_get(&j->in[0], (batch * m + r) * k + i).f *
                   (long double)orr__array_get(&j->in[1], (batch * k + i) * n + c).f;
        orr__array_set(&j->out, at, orr__scalar_cast((orr__scalar){ .f = (double)sum }, ORR_F64, j->out.dtype));
    }
    return ORR_OK;
}
