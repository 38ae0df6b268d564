/* Gathers and scatters by index tensors, every index checked before it is used.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "codelets/cpu/buffers.h"

/* The axis as (outer, n, inner), and m indices. */
typedef struct {
    int64_t outer, n, inner, m;
    size_t size;
} axis_view;

static axis_view view_of(const orr__region *r, int indices)
{
    const orr_shape *s = &r->in_shape[0];
    axis_view v = { 1, s->dim[r->attr.axis], 1, orr__shape_count(&r->in_shape[indices]),
                    orr_dtype_size((orr_dtype)r->in_dtype[0]) };
    for (int d = 0; d < r->attr.axis; d++)
        v.outer *= s->dim[d];
    for (int d = r->attr.axis + 1; d < s->rank; d++)
        v.inner *= s->dim[d];
    return v;
}

/* Index number j as a place on the axis, or -1 and the last error. */
static int64_t place(const orr__launch *l, int64_t j, int64_t n)
{
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->in_dtype[1];
    orr__scalar v = orr__scalar_load((const char *)l->in[1] + j * (int64_t)orr_dtype_size(t), t);
    int64_t i = orr__is_signed(t) ? v.i : v.u > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)v.u;
    if (i >= -n && i < n)
        return i < 0 ? i + n : i;
    (void)orr__no_place(orr__cpu_site(l), i, j, r->attr.axis, n);
    return -1;
}

orr_status orr__cpu_take(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    (void)kernel;
    axis_view v = view_of(r, 1);
    int64_t per = r->dim[0] ? r->out_count / r->dim[0] : 0, e = l->lo * per, end = l->hi * per, z = (int64_t)v.size;
    while (e < end) {
        int64_t o = e / (v.m * v.inner), j = e / v.inner % v.m, at = e % v.inner, len = v.inner - at;
        int64_t i = place(l, j, v.n);
        if (i < 0)
            return ORR_EINDEX;
        len = len < end - e ? len : end - e;
        memcpy((char *)l->out[0] + e * z, (const char *)l->in[0] + ((o * v.n + i) * v.inner + at) * z,
               (size_t)(len * z));
        e += len;
    }
    return ORR_OK;
}

orr_status orr__cpu_scatter_add(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    axis_view v = view_of(r, 1);
    orr__addfn *add = kernel->vec->add[r->in_dtype[0]];
    int64_t z = (int64_t)v.size;
    if (r->out_count)
        memcpy(l->out[0], l->in[0], (size_t)(r->out_count * z));
    for (int64_t j = 0; j < v.m; j++) {
        int64_t i = place(l, j, v.n);
        if (i < 0)
            return ORR_EINDEX;
        for (int64_t o = 0; o < v.outer; o++)
            add((char *)l->out[0] + (o * v.n + i) * v.inner * z, (const char *)l->in[2] + (o * v.m + j) * v.inner * z,
                v.inner);
    }
    return ORR_OK;
}
