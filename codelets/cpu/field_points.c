/* Kernels on points of BN254's curves: functions of points, the steps of sums of multiples, the pairing check.
 * Must not know: plans, StarPU, instruction sets. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/field.h"
#include "codelets/field/msm.h"

enum { BLOCK = 512 }; /* limit of memory */

static const orr__curvekit *curve_of(const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    return l->region->call.attr.axis == ORR_G1 ? k->g1 : k->g2;
}

/* Refuses an operand if any of its n points from number `first` on is not on its curve. */
static orr_status check(const orr__launch *l, const orr__curvekit *g, int operand, int64_t first, int64_t n)
{
    int64_t off = g->check((const char *)l->in[operand] + (size_t)first * g->point, n);
    return off < 0 ? ORR_OK
                   : orr__fail(orr__cpu_site(l), ORR_EINDEX, "point %lld of operand %d is not on the curve",
                               (long long)(first + off), operand);
}

static orr_status function(const orr__launch *l, const orr__curvekit *g, int64_t at, int64_t n)
{
    const int what = l->region->call.attr.index;
    const size_t from = (size_t)at * g->point;
    const char *x = (const char *)l->in[0] + from;
    char *z = (char *)l->out[0] + from;
    bool *yes = (bool *)l->out[0] + at;
    unsigned char *bytes = (unsigned char *)l->out[0] + (size_t)at * g->coordinate;
    if (what == ORR__POINTS_DECOMPRESS) {
        int64_t off = g->decompress(z, (const unsigned char *)l->in[0] + (size_t)at * g->coordinate, n);
        return off < 0 ? ORR_OK
                       : orr__fail(orr__cpu_site(l), ORR_EINDEX, "bytes number %lld are no point of the curve",
                                   (long long)(at + off));
    }
    orr_status st = what == ORR__POINTS_CONTAINS ? ORR_OK : check(l, g, 0, at, n);
    if (st == ORR_OK && what == ORR__POINTS_ADD)
        st = check(l, g, 1, at, n);
    if (st != ORR_OK)
        return st;
    switch (what) {
    case ORR__POINTS_ADD: g->add(z, x, 1, (const char *)l->in[1] + from, 1, n); break;
    case ORR__POINTS_DOUBLE: g->add(z, x, 1, x, 1, n); break;
    case ORR__POINTS_NEG: g->neg(z, x, n); break;
    case ORR__POINTS_MULTIPLY: g->multiply(z, x, 1, (const orr__fe *)l->in[1] + at, 1, n); break;
    case ORR__POINTS_COMPRESS: g->compress(bytes, x, n); break;
    case ORR__POINTS_CHECK: memcpy(z, x, (size_t)n * g->point); break;
    default:
        for (int64_t i = 0; i < n; i++) {
            const char *p = x + (size_t)i * g->point;
            yes[i] = (what == ORR__POINTS_CONTAINS ? g->check(p, 1) : g->check_order(p, 1)) < 0;
        }
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_field_points(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__curvekit *g = curve_of(l);
    orr_status st = ORR_OK;
    (void)kernel;
    for (int64_t at = l->lo; at < l->hi && st == ORR_OK; at += BLOCK)
        st = function(l, g, at, l->hi - at < BLOCK ? l->hi - at : BLOCK);
    return st;
}

/* -- sums of multiples --------------------------------------------------------------------------------------------------- */

orr_status orr__cpu_kernel_field_digits(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    orr__msm_scalars((orr__msmscalar *)l->out[0] + l->lo, (const orr__fe *)l->in[0] + l->lo, l->hi - l->lo,
                     l->region->call.attr.index);
    return ORR_OK;
}

/* Iteration: window · chunks + chunk. */
orr_status orr__cpu_kernel_field_windows(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__curvekit *g = curve_of(l);
    const orr__call *call = &l->region->call;
    const int c = call->attr.index;
    const int64_t n = call->in[0].dim[0], chunks = call->attr.start[0];
    const int64_t row = orr__shape_count(&call->out) / call->out.dim[0];
    (void)kernel;
    if (call->out.dim[0] != orr__msm_windows(c) * chunks || (size_t)row * sizeof(uint64_t) < g->sum)
        return orr__fail(orr__cpu_site(l), ORR_EINTERNAL, "windows of %d bits do not fit the result", c);
    char *work = orr__scratch(g->msm_work((n + chunks - 1) / chunks, c) + 64);
    if (!work)
        return ORR_ENOMEM;
    for (int64_t i = l->lo; i < l->hi; i++) {
        const int64_t chunk = i % chunks, from = n / chunks * chunk;
        const int64_t count = chunk == chunks - 1 ? n - from : n / chunks;
        g->msm_window((uint64_t *)l->out[0] + i * row, (const char *)l->in[0] + (size_t)from * g->point,
                      (const orr__msmscalar *)l->in[1] + from, count, (int)(i / chunks), c, work);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_field_join(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__curvekit *g = curve_of(l);
    (void)kernel;
    g->msm_join(l->out[0], l->in[0], l->region->call.attr.start[0], l->region->call.attr.index);
    return ORR_OK;
}

/* -- the pairing check ------------------------------------------------------------------------------------------------------ */

orr_status orr__cpu_kernel_field_pairing(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const int64_t n = l->region->call.in[0].dim[0];
    (void)kernel;
    orr_status st = check(l, k->g1, 0, 0, n);
    st = st == ORR_OK ? check(l, k->g2, 1, 0, n) : st;
    int64_t off = st == ORR_OK ? k->g2->check_order(l->in[1], n) : -1;
    if (off >= 0)
        st = orr__fail(orr__cpu_site(l), ORR_EINDEX, "point %lld of operand 1 is not of order r", (long long)off);
    if (st == ORR_OK)
        *(bool *)l->out[0] = k->pairing(l->in[0], l->in[1], n);
    return st;
}
