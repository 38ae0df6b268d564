/* Updates by index tensors: added, set, multiplied, or kept as extrema. Every index is checked before it is used.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "codelets/cpu/call.h"

/* The axis as (outer, n, inner), and m indices. */
typedef struct {
    int64_t outer, n, inner, m;
    size_t size;
} axis_view;

static axis_view view_of(const orr__region *r)
{
    const orr_shape *s = &r->call.in[0];
    axis_view v = { 1, s->dim[r->call.attr.axis], 1, orr__shape_count(&r->call.in[1]),
                    orr_dtype_size((orr_dtype)r->in_dtype[0]) };
    for (int d = 0; d < r->call.attr.axis; d++)
        v.outer *= s->dim[d];
    for (int d = r->call.attr.axis + 1; d < s->rank; d++)
        v.inner *= s->dim[d];
    return v;
}

/* Indices that are converted to places at a time. */
enum { BLOCK = 1024 };

static bool wrong_index(const orr__launch *l, const axis_view *v, int64_t i, int64_t j)
{
    (void)orr__no_place(orr__cpu_site(l), i, j, l->region->call.attr.axis, v->n);
    return false;
}

/* Converts indices [j, j + count) to places on the axis; false: last error. */
static bool places(const orr__vec *vec, const orr__launch *l, const axis_view *v, int64_t j, int64_t count, int64_t *to)
{
    orr_dtype t = (orr_dtype)l->region->in_dtype[1];
    const char *from = (const char *)l->in[1] + j * (int64_t)orr_dtype_size(t);
    if (t == ORR_I32 || t == ORR_I64) {
        int64_t bad = vec->place[t == ORR_I64](to, from, v->n, count);
        return bad < 0 || wrong_index(l, v,
                                      t == ORR_I64 ? ((const int64_t *)(const void *)from)[bad]
                                                   : ((const int32_t *)(const void *)from)[bad],
                                      j + bad);
    }
    for (int64_t k = 0; k < count; k++) {
        orr__scalar s = orr__scalar_load(from + k * (int64_t)orr_dtype_size(t), t);
        int64_t i = orr__is_signed(t) ? s.i : s.u > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)s.u;
        if (i < -v->n || i >= v->n)
            return wrong_index(l, v, i, j + k);
        to[k] = i < 0 ? i + v->n : i;
    }
    return true;
}

/* The destinations of a launch: places [lo, hi) of the axis, in the lines [first, end) of the axes before it. */
typedef struct {
    int64_t lo, hi, first, end;
} part;

/* False: an index is wrong, and nothing was written. Otherwise copies the elements of x to the part, unless they share
 * memory. */
static bool begin(const orr__vec *vec, const orr__launch *l, const axis_view *v, part *to)
{
    const orr__region *r = l->region;
    int64_t place[BLOCK];
    for (int64_t j = 0; j < v->m; j += BLOCK)
        if (!places(vec, l, v, j, v->m - j < BLOCK ? v->m - j : BLOCK, place))
            return false;
    int64_t rows = r->call.in[0].dim[0], per = rows ? r->out_count / rows : 0;
    part p = { l->lo, l->hi, 0, v->outer };
    if (r->call.attr.axis > 0)
        p = (part){ 0, v->n, rows ? l->lo * (v->outer / rows) : 0, rows ? l->hi * (v->outer / rows) : 0 };
    size_t from = (size_t)(l->lo * per) * v->size;
    if (per && l->hi > l->lo && l->out[0] != l->in[0])
        memcpy((char *)l->out[0] + from, (const char *)l->in[0] + from, (size_t)((l->hi - l->lo) * per) * v->size);
    *to = p;
    return true;
}

/* Updates the part's rows of `inner` elements of `size` bytes. */
static orr_status change(const orr__vec *vec, const orr__launch *l, orr__updatefn *f, int64_t inner, int64_t size)
{
    axis_view v = view_of(l->region);
    int64_t place[BLOCK], row = inner * size;
    part p;
    if (!begin(vec, l, &v, &p))
        return ORR_EINDEX;
    for (int64_t j = 0, count; j < v.m; j += count) {
        count = v.m - j < BLOCK ? v.m - j : BLOCK;
        if (!places(vec, l, &v, j, count, place))
            return ORR_EINDEX;
        for (int64_t k = 0; k < count && (p.lo > 0 || p.hi < v.n); k++)
            place[k] = place[k] < p.lo || place[k] >= p.hi ? -1 : place[k];
        for (int64_t o = p.first; o < p.end; o++)
            f((char *)l->out[0] + o * v.n * row, (const char *)l->in[2] + (o * v.m + j) * row, place, count, inner);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_scatter_add(const orr__kernel *kernel, const orr__launch *l)
{
    axis_view v = view_of(l->region);
    return change(kernel->vec, l, kernel->vec->update[ORR__UPDATE_ADD][l->region->in_dtype[0]], v.inner,
                  (int64_t)v.size);
}

/* In the order of orr_scatter_mode. */
static const int update_of[] = { -1, ORR__UPDATE_ADD, ORR__UPDATE_MUL, ORR__UPDATE_MIN, ORR__UPDATE_MAX };

orr_status orr__cpu_kernel_scatter(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__vec *vec = kernel->vec;
    axis_view v = view_of(l->region);
    int how = update_of[l->region->call.attr.index];
    if (how >= 0)
        return change(vec, l, vec->update[how][l->region->in_dtype[0]], v.inner, (int64_t)v.size);
    /* Larger elements are set in pieces. */
    int64_t size = v.size < sizeof(uint64_t) ? (int64_t)v.size : (int64_t)sizeof(uint64_t);
    int log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    return change(vec, l, vec->set[log], v.inner * ((int64_t)v.size / size), size);
}
