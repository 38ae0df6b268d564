/* Sums of windows, and the same backwards: the rows of a window are added first, then neighbours in that sum. That is rows + taps terms
 * instead of their product.
 * Must not know: plans, StarPU. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "ops/pool.h"
#include "runtime/base/minmax.h"

/* SPAN: elements of a row of sums, in the first cache. PART: elements of one beside the border. TOGETHER: rows that are added at once. FAR:
 * bytes ahead of the rows. */
enum { SPAN = ORR__T_FIRST_CACHE / 2 / sizeof(double), PART = ORR__VECTOR, TOGETHER = 4 * PART, FAR = ORR__T_AHEAD };

/* Prefetches `bytes` some rows ahead: a row is too short for the hardware prefetcher. */
static inline void ahead(const void *x, int64_t bytes)
{
    for (int64_t k = 0; k < bytes; k += ORR__CACHE_LINE)
        __builtin_prefetch((const void *)((uintptr_t)x + (uintptr_t)(FAR + k)));
}

/* The windows of axis d that have element j: every element of [*first, *end) whose distance from j the dilation divides. */
static void windows_with(const orr__pool *v, int d, int64_t j, int64_t *first, int64_t *end)
{
    int64_t s = v->stride[d], from = j + v->before[d], reach = v->dilation[d] * (v->window[d] - 1);
    *first = from > reach ? (from - reach + s - 1) / s : 0;
    *end = ORR__MIN(from / s + 1, v->y[d]);
}

static bool has(const orr__pool *v, int d, int64_t j, int64_t i)
{
    return (j + v->before[d] - i * v->stride[d]) % v->dilation[d] == 0;
}

#define REAL float
#define WIDE 0
#define F(name) name##_f32
#include "codelets/cpu/pool_sum_real.h"
#undef REAL
#undef WIDE
#undef F

#define REAL double
#define WIDE 1
#define F(name) name##_f64
#include "codelets/cpu/pool_sum_real.h"
#include "runtime/base/threshold.h"

static int64_t elements(const int64_t n[ORR__POOL_AXES])
{
    return n[0] * n[1] * n[2];
}

/* The geometry of the sums backwards, as sums of windows of y; false: windows have strides. */
static bool turn(orr__pool *v)
{
    orr__pool to = *v;
    for (int d = 0; d < ORR__POOL_AXES; d++) {
        if (v->stride[d] != 1)
            return false;
        to.x[d] = v->y[d];
        to.y[d] = v->x[d];
        to.before[d] = v->dilation[d] * (v->window[d] - 1) - v->before[d];
    }
    *v = to;
    return true;
}

static orr_status planes(const orr__launch *l, const orr__pool *v, bool back)
{
    bool wide = l->region->in_dtype[0] == ORR_F64;
    size_t z = wide ? sizeof(double) : sizeof(float);
    int64_t from = elements(back ? v->y : v->x), to = elements(back ? v->x : v->y);
    for (int64_t p = l->lo; p < l->hi; p++) {
        const void *x = (const char *)l->in[0] + (size_t)(p * from) * z;
        void *y = (char *)l->out[0] + (size_t)(p * to) * z;
        if (wide)
            (back ? spread_plane_f64 : plane_f64)(v, x, y);
        else
            (back ? spread_plane_f32 : plane_f32)(v, x, y);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_pool_sum(const orr__kernel *kernel, const orr__launch *l)
{
    orr__pool v = orr__pool_of(&l->region->call.attr, &l->region->call.in[0], &l->region->call.out);
    (void)kernel;
    return planes(l, &v, false);
}

orr_status orr__cpu_kernel_pool_sum_back(const orr__kernel *kernel, const orr__launch *l)
{
    orr__pool v = orr__pool_of(&l->region->call.attr, &l->region->call.out, &l->region->call.in[0]);
    (void)kernel;
    bool turned = turn(&v);
    return planes(l, &v, !turned);
}
