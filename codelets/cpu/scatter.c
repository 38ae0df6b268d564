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

/* Index number j as a place on the axis, or -1 and the last error. */
static int64_t place(const orr__launch *l, int64_t j, int64_t n)
{
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->in_dtype[1];
    orr__scalar v = orr__scalar_load((const char *)l->in[1] + j * (int64_t)orr_dtype_size(t), t);
    int64_t i = orr__is_signed(t) ? v.i : v.u > (uint64_t)INT64_MAX ? INT64_MAX : (int64_t)v.u;
    if (i >= -n && i < n)
        return i < 0 ? i + n : i;
    (void)orr__no_place(orr__cpu_site(l), i, j, r->call.attr.axis, n);
    return -1;
}

/* A launch's part: destinations [lo, hi) of the axis, in the lines [first, end) of the axes before it. */
typedef struct {
    int64_t lo, hi, first, end;
} part;

/* False: an index is wrong, and nothing was written. Else the part's elements are those of x, where they do not lie in its memory. */
static bool begin(const orr__launch *l, const axis_view *v, part *to)
{
    const orr__region *r = l->region;
    for (int64_t j = 0; j < v->m; j++)
        if (place(l, j, v->n) < 0)
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

orr_status orr__cpu_kernel_scatter_add(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    axis_view v = view_of(r);
    part p;
    if (!begin(l, &v, &p))
        return ORR_EINDEX;
    orr__addfn *add = kernel->vec->add[r->in_dtype[0]];
    int64_t z = (int64_t)v.size;
    for (int64_t j = 0; j < v.m; j++) {
        int64_t i = place(l, j, v.n);
        for (int64_t o = p.first; o < p.end && i >= p.lo && i < p.hi; o++)
            add((char *)l->out[0] + (o * v.n + i) * v.inner * z, (const char *)l->in[2] + (o * v.m + j) * v.inner * z,
                v.inner);
    }
    return ORR_OK;
}

/* In the order of orr_scatter_mode. */
enum { SET, MUL = 2, MIN };

/* n elements of y and more, as the mode says; the first NaN stays an extremum. */
#define UPDATE(name, T)                                                                                                \
    static void name(int mode, void *to, const void *from, int64_t n)                                                  \
    {                                                                                                                  \
        T *y = to;                                                                                                     \
        const T *u = from;                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                                                \
            y[i] = (T)(mode == MUL   ? (T)(y[i] * u[i])                                                                \
                       : mode == MIN ? (u[i] < y[i] || u[i] != u[i] ? u[i] : y[i])                                     \
                                     : (u[i] > y[i] || u[i] != u[i] ? u[i] : y[i]));                                   \
    }
UPDATE(update_i8, int8_t)
UPDATE(update_i16, int16_t)
UPDATE(update_i32, int32_t)
UPDATE(update_i64, int64_t)
UPDATE(update_u8, uint8_t)
UPDATE(update_u16, uint16_t)
UPDATE(update_u32, uint32_t)
UPDATE(update_u64, uint64_t)
UPDATE(update_f32, float)
UPDATE(update_f64, double)

static void (*const update[ORR_DTYPE_COUNT])(int mode, void *to, const void *from, int64_t n) = {
    [ORR_BOOL] = update_u8, [ORR_I8] = update_i8,   [ORR_I16] = update_i16, [ORR_I32] = update_i32,
    [ORR_I64] = update_i64, [ORR_U8] = update_u8,   [ORR_U16] = update_u16, [ORR_U32] = update_u32,
    [ORR_U64] = update_u64, [ORR_F32] = update_f32, [ORR_F64] = update_f64,
};

orr_status orr__cpu_kernel_scatter(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    axis_view v = view_of(r);
    part p;
    if (!begin(l, &v, &p))
        return ORR_EINDEX;
    int mode = r->call.attr.index;
    int64_t z = (int64_t)v.size;
    for (int64_t j = 0; j < v.m; j++) {
        int64_t i = place(l, j, v.n);
        for (int64_t o = p.first; o < p.end && i >= p.lo && i < p.hi; o++) {
            char *to = (char *)l->out[0] + (o * v.n + i) * v.inner * z;
            const char *from = (const char *)l->in[2] + (o * v.m + j) * v.inner * z;
            if (mode == SET)
                memcpy(to, from, (size_t)(v.inner * z));
            else
                update[r->in_dtype[0]](mode, to, from, v.inner);
        }
    }
    return ORR_OK;
}
