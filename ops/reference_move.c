/* Reference evaluation of the primitives that move elements: views, pad, concat, take, scatter_add.
 * Must not know: fusion, plans, speed. */
#include "config.h"

#include "ops/reference.h"

orr_status orr__ref_permute(const orr__refjob *j)
{
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t to[ORR_MAX_RANK], from[ORR_MAX_RANK] = { 0 };
        orr__array_unravel(&j->out.shape, i, to);
        for (int d = 0; d < j->out.shape.rank; d++)
            from[j->node->attr.perm[d]] = to[d];
        orr__array_set(&j->out, i, orr__array_get(&j->in[0], orr__array_ravel(&j->in[0].shape, from)));
    }
    return ORR_OK;
}

orr_status orr__ref_broadcast(const orr__refjob *j)
{
    const orr_shape *s = &j->in[0].shape;
    int lead = j->out.shape.rank - s->rank;
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t to[ORR_MAX_RANK], from[ORR_MAX_RANK];
        orr__array_unravel(&j->out.shape, i, to);
        for (int d = 0; d < s->rank; d++)
            from[d] = s->dim[d] == 1 ? 0 : to[lead + d];
        orr__array_set(&j->out, i, orr__array_get(&j->in[0], orr__array_ravel(s, from)));
    }
    return ORR_OK;
}

orr_status orr__ref_slice(const orr__refjob *j)
{
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t index[ORR_MAX_RANK];
        orr__array_unravel(&j->out.shape, i, index);
        for (int d = 0; d < j->out.shape.rank; d++)
            index[d] = j->node->attr.start[d] + index[d] * j->node->attr.step[d];
        orr__array_set(&j->out, i, orr__array_get(&j->in[0], orr__array_ravel(&j->in[0].shape, index)));
    }
    return ORR_OK;
}

orr_status orr__ref_pad(const orr__refjob *j)
{
    const orr_shape *s = &j->in[0].shape;
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t index[ORR_MAX_RANK];
        bool inside = true;
        orr__array_unravel(&j->out.shape, i, index);
        for (int d = 0; d < s->rank; d++) {
            index[d] -= j->node->attr.start[d];
            inside = inside && index[d] >= 0 && index[d] < s->dim[d];
        }
        orr__array_set(&j->out, i, inside ? orr__array_get(&j->in[0], orr__array_ravel(s, index)) : j->s[0]);
    }
    return ORR_OK;
}

orr_status orr__ref_concat(const orr__refjob *j)
{
    int axis = j->node->attr.axis;
    int64_t first = 0;
    for (int k = 0; k < j->nin; k++) {
        const orr__array *a = &j->all[j->arg[k]];
        for (int64_t i = 0; i < a->count; i++) {
            int64_t index[ORR_MAX_RANK];
            orr__array_unravel(&a->shape, i, index);
            index[axis] += first;
            orr__array_set(&j->out, orr__array_ravel(&j->out.shape, index), orr__array_get(a, i));
        }
        first += a->shape.dim[axis];
    }
    return ORR_OK;
}

/* Around the axis a tensor is outer × length × inner. */
typedef struct {
    int64_t outer, length, inner;
} parts;

static parts split(const orr_shape *s, int axis)
{
    parts p = { 1, s->dim[axis], 1 };
    for (int d = 0; d < s->rank; d++)
        if (d < axis)
            p.outer *= s->dim[d];
        else if (d > axis)
            p.inner *= s->dim[d];
    return p;
}

/* Index number m, from the end when negative; -1 when out of range, with the error set. */
static int64_t index_at(const orr__refjob *j, int64_t m, int64_t length)
{
    const orr__array *a = &j->in[1];
    orr__scalar v = orr__array_get(a, m);
    int64_t i = orr__is_unsigned(a->dtype) && v.u > INT64_MAX ? INT64_MAX : v.i;
    int64_t k = i < 0 ? i + length : i;
    if (k >= 0 && k < length)
        return k;
    (void)orr__fail(ORR__SITE(j->node->file, j->node->line, j->node->op->name), ORR_EINDEX,
                    "index %lld%s is out of range for an axis of length %lld", (long long)i,
                    i == INT64_MAX ? " or more" : "", (long long)length);
    return -1;
}

orr_status orr__ref_take(const orr__refjob *j)
{
    parts x = split(&j->in[0].shape, j->node->attr.axis);
    int64_t many = j->in[1].count;
    for (int64_t m = 0; m < many; m++) {
        int64_t k = index_at(j, m, x.length);
        if (k < 0)
            return ORR_EINDEX;
        for (int64_t o = 0; o < x.outer; o++)
            for (int64_t i = 0; i < x.inner; i++)
                orr__array_set(&j->out, (o * many + m) * x.inner + i,
                               orr__array_get(&j->in[0], (o * x.length + k) * x.inner + i));
    }
    return ORR_OK;
}

orr__scalar orr__ref_add(orr_dtype dtype, orr__scalar x, orr__scalar y)
{
    orr__scalar r;
    if (orr__is_float(dtype)) {
        r.f = x.f + y.f;
        return orr__scalar_cast(r, ORR_F64, dtype);
    }
    r.u = x.u + y.u;
    return orr__scalar_cast(r, orr__is_signed(dtype) ? ORR_I64 : ORR_U64, dtype);
}

orr_status orr__ref_scatter_add(const orr__refjob *j)
{
    parts x = split(&j->out.shape, j->node->attr.axis);
    int64_t many = j->in[1].count;
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i, orr__array_get(&j->in[0], i));
    for (int64_t m = 0; m < many; m++) {
        int64_t k = index_at(j, m, x.length);
        if (k < 0)
            return ORR_EINDEX;
        for (int64_t o = 0; o < x.outer; o++)
            for (int64_t i = 0; i < x.inner; i++) {
                int64_t to = (o * x.length + k) * x.inner + i;
                orr__scalar more = orr__array_get(&j->in[2], (o * many + m) * x.inner + i);
                orr__array_set(&j->out, to, orr__ref_add(j->out.dtype, orr__array_get(&j->out, to), more));
            }
    }
    return ORR_OK;
}
