/* Maxima of windows: a row of windows at a time, one element of all these windows after another.
 * Must not know: plans, StarPU. */
#include "config.h"

#include <math.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "ops/pool.h"

enum { ROW = 256, TERMS = 64 }; /* windows side by side, in the first cache; elements of a window for vector code */

/* True if windows are disjoint and inside of the array: stride = window, no dilation, no padding. */
static bool are_apart(const orr__pool *v)
{
    bool all = true;
    for (int d = 0; d < ORR__POOL_AXES; d++)
        all = all && v->stride[d] > 0 && v->stride[d] == v->window[d] && v->dilation[d] == 1 && v->before[d] == 0 &&
              v->y[d] * v->stride[d] <= v->x[d];
    return all;
}

/* Running maxima of a run of windows, and their places in the plane; −1: none. Places are as wide as elements, so that
 * one comparison selects both. */
#define ROWS(T, PLACE, OF)                                                                                             \
    typedef struct {                                                                                                   \
        T best[ROW];                                                                                                   \
        PLACE at[ROW];                                                                                                 \
    } row_##T;                                                                                                         \
    static void element_##T(T *restrict best, PLACE *restrict at, const T *restrict x, PLACE first, PLACE step,        \
                            int64_t n)                                                                                 \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            T v = x[i * step];                                                                                         \
            bool more = (v > best[i]) | (v != v) | (at[i] < 0);                                                        \
            best[i] = more ? v : best[i];                                                                              \
            at[i] = more ? first + (PLACE)i * step : at[i];                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    /* Windows [a, a + n) of row (i0, i1) of a plane. */                                                               \
    static void windows_##T(const orr__pool *v, const T *x, int64_t i0, int64_t i1, int64_t a, int64_t n, row_##T *r)  \
    {                                                                                                                  \
        int64_t f0, n0, f1, n1, s = v->stride[2];                                                                      \
        orr__pool_window(v, 0, i0, &f0, &n0);                                                                          \
        orr__pool_window(v, 1, i1, &f1, &n1);                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            r->best[i] = (T)-INFINITY;                                                                                 \
            r->at[i] = -1;                                                                                             \
        }                                                                                                              \
        for (int64_t t0 = 0; t0 < n0; t0++)                                                                            \
            for (int64_t t1 = 0; t1 < n1; t1++) {                                                                      \
                int64_t line = ((f0 + t0 * v->dilation[0]) * v->x[1] + f1 + t1 * v->dilation[1]) * v->x[2];            \
                for (int64_t i = 0; s == 0 && i < n; i++) {                                                            \
                    int64_t f2, n2;                                                                                    \
                    orr__pool_window(v, 2, a + i, &f2, &n2);                                                           \
                    for (int64_t t = 0; t < n2; t++)                                                                   \
                        element_##T(&r->best[i], &r->at[i], x + line + f2 + t, (PLACE)(line + f2 + t), 0, 1);          \
                }                                                                                                      \
                for (int64_t t = 0; s > 0 && t < v->window[2]; t++) {                                                  \
                    int64_t off = t * v->dilation[2] - v->before[2];                                                   \
                    int64_t lo = off < 0 ? (-off + s - 1) / s : 0,                                                     \
                            hi = off < v->x[2] ? (v->x[2] - off + s - 1) / s : 0;                                      \
                    lo = lo > a ? lo : a;                                                                              \
                    hi = hi < a + n ? hi : a + n;                                                                      \
                    int64_t first = line + lo * s + off;                                                               \
                    if (lo < hi)                                                                                       \
                        element_##T(r->best + lo - a, r->at + lo - a, x + first, (PLACE)first, (PLACE)s, hi - lo);     \
                }                                                                                                      \
            }                                                                                                          \
    }                                                                                                                  \
    /* Windows that no border cuts, by vectors; the others element by element. */                                      \
    static void row_of_##T(const orr__pool *v, const T *x, int64_t i0, int64_t i1, int64_t a, int64_t n, row_##T *r)   \
    {                                                                                                                  \
        int64_t f0, n0, f1, n1, s = v->stride[2], off[TERMS], terms = 0, reach = v->dilation[2] * (v->window[2] - 1);  \
        orr__pool_window(v, 0, i0, &f0, &n0);                                                                          \
        orr__pool_window(v, 1, i1, &f1, &n1);                                                                          \
        bool whole = s > 0 && n0 * n1 > 0 && n0 * n1 <= TERMS && n0 * n1 * v->window[2] <= TERMS;                      \
        int64_t lo = whole ? (v->before[2] + s - 1) / s : 0, fit = v->x[2] - reach + v->before[2];                     \
        int64_t hi = whole && fit > 0 ? (fit + s - 1) / s : 0;                                                         \
        lo = lo > a ? lo : a;                                                                                          \
        hi = hi < a + n ? hi : a + n;                                                                                  \
        if (lo >= hi) {                                                                                                \
            windows_##T(v, x, i0, i1, a, n, r);                                                                        \
            return;                                                                                                    \
        }                                                                                                              \
        for (int64_t t0 = 0; t0 < n0; t0++)                                                                            \
            for (int64_t t1 = 0; t1 < n1; t1++)                                                                        \
                for (int64_t t = 0; t < v->window[2]; t++)                                                             \
                    off[terms++] = ((f0 + t0 * v->dilation[0]) * v->x[1] + f1 + t1 * v->dilation[1]) * v->x[2] +       \
                                   lo * s - v->before[2] + t * v->dilation[2];                                         \
        orr__cpu_vec()->windows[OF](r->best + lo - a, r->at + lo - a, x, off, terms, s, hi - lo);                      \
        row_##T edge;                                                                                                  \
        if (lo > a) {                                                                                                  \
            windows_##T(v, x, i0, i1, a, lo - a, &edge);                                                               \
            memcpy(r->best, edge.best, (size_t)(lo - a) * sizeof(T));                                                  \
            memcpy(r->at, edge.at, (size_t)(lo - a) * sizeof(PLACE));                                                  \
        }                                                                                                              \
        if (hi < a + n) {                                                                                              \
            windows_##T(v, x, i0, i1, hi, a + n - hi, &edge);                                                          \
            memcpy(r->best + hi - a, edge.best, (size_t)(a + n - hi) * sizeof(T));                                     \
            memcpy(r->at + hi - a, edge.at, (size_t)(a + n - hi) * sizeof(PLACE));                                     \
        }                                                                                                              \
    }                                                                                                                  \
    /* From disjoint windows to all of their elements. */                                                              \
    static void back_##T(const orr__pool *v, const row_##T *r, int64_t i0, int64_t i1, int64_t a, int64_t n,           \
                         const T *h, T *y)                                                                             \
    {                                                                                                                  \
        int64_t f0, n0, f1, n1, s = v->stride[2];                                                                      \
        orr__pool_window(v, 0, i0, &f0, &n0);                                                                          \
        orr__pool_window(v, 1, i1, &f1, &n1);                                                                          \
        for (int64_t t0 = 0; t0 < n0; t0++)                                                                            \
            for (int64_t t1 = 0; t1 < n1; t1++) {                                                                      \
                int64_t first = ((f0 + t0) * v->x[1] + f1 + t1) * v->x[2] + a * s;                                     \
                orr__cpu_vec()->spread[OF](y + first, r->at, h, first, s, n);                                          \
            }                                                                                                          \
    }                                                                                                                  \
    static void plane_##T(const orr__pool *v, char kind, size_t z, const T *x, const char *h, char *y)                 \
    {                                                                                                                  \
        row_##T r;                                                                                                     \
        bool apart = kind == 's' && are_apart(v);                                                                      \
        for (int64_t i0 = 0, e = 0; i0 < v->y[0]; i0++)                                                                \
            for (int64_t i1 = 0; i1 < v->y[1]; i1++)                                                                   \
                for (int64_t a = 0, n; a < v->y[2]; a += n, e += n) {                                                  \
                    n = v->y[2] - a < ROW ? v->y[2] - a : ROW;                                                         \
                    row_of_##T(v, x, i0, i1, a, n, &r);                                                                \
                    if (kind == 'm')                                                                                   \
                        memcpy((T *)(void *)y + e, r.best, (size_t)n * sizeof(T));                                     \
                    else if (kind == 's' && apart)                                                                     \
                        back_##T(v, &r, i0, i1, a, n, (const T *)(const void *)h + e, (T *)(void *)y);                 \
                    else if (kind == 's')                                                                              \
                        for (int64_t i = 0; i < n; i++)                                                                \
                            ((T *)(void *)y)[r.at[i] < 0 ? 0 : r.at[i]] +=                                             \
                                r.at[i] < 0 ? 0 : ((const T *)(const void *)h)[e + i];                                 \
                    else if (z == 4)                                                                                   \
                        for (int64_t i = 0; i < n; i++)                                                                \
                            ((uint32_t *)(void *)y)[e + i] =                                                           \
                                r.at[i] < 0 ? 0 : ((const uint32_t *)(const void *)h)[r.at[i]];                        \
                    else                                                                                               \
                        for (int64_t i = 0; i < n; i++)                                                                \
                            ((uint64_t *)(void *)y)[e + i] =                                                           \
                                r.at[i] < 0 ? 0 : ((const uint64_t *)(const void *)h)[r.at[i]];                        \
                }                                                                                                      \
    }
ROWS(float, int32_t, 0)
ROWS(double, int64_t, 1)

/* Planes [lo, hi): 'm' computes maxima, 'p' reads h at their places, 's' adds h at their places. */
static orr_status planes(const orr__launch *l, const orr__pool *v, char kind)
{
    const orr__region *r = l->region;
    int64_t nx = v->x[0] * v->x[1] * v->x[2], ny = v->y[0] * v->y[1] * v->y[2], out = kind == 's' ? nx : ny,
            other = kind == 's' ? ny : nx;
    bool wide = r->in_dtype[0] == ORR_F64, all = are_apart(v);
    for (int d = 0; d < ORR__POOL_AXES; d++)
        all = all && v->y[d] * v->stride[d] == v->x[d];
    size_t zx = orr_dtype_size((orr_dtype)r->in_dtype[0]), z = orr_dtype_size((orr_dtype)r->out_dtype[0]);
    if (!wide && nx > INT32_MAX)
        return orr__fail(orr__cpu_site(l), ORR_ESHAPE, "a plane of %lld elements is too large", (long long)nx);
    for (int64_t p = l->lo; p < l->hi && (nx || kind != 's'); p++) {
        const char *x = (const char *)l->in[0] + (size_t)(p * nx) * zx;
        const char *h = kind == 'm' ? NULL : (const char *)l->in[1] + (size_t)(p * other) * z;
        char *y = (char *)l->out[0] + (size_t)(p * out) * z;
        if (kind == 's' && !all)
            memset(y, 0, (size_t)out * z);
        if (wide)
            plane_double(v, kind, z, (const void *)x, h, y);
        else
            plane_float(v, kind, z, (const void *)x, h, y);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_pool_max(const orr__kernel *kernel, const orr__launch *l)
{
    orr__pool v = orr__pool_of(&l->region->call.attr, &l->region->call.in[0], &l->region->call.out);
    (void)kernel;
    return planes(l, &v, 'm');
}

orr_status orr__cpu_kernel_pool_pick(const orr__kernel *kernel, const orr__launch *l)
{
    orr__pool v = orr__pool_of(&l->region->call.attr, &l->region->call.in[0], &l->region->call.out);
    (void)kernel;
    return planes(l, &v, 'p');
}

orr_status orr__cpu_kernel_pool_spread(const orr__kernel *kernel, const orr__launch *l)
{
    orr__pool v = orr__pool_of(&l->region->call.attr, &l->region->call.in[0], &l->region->call.in[1]);
    (void)kernel;
    return planes(l, &v, 's');
}
