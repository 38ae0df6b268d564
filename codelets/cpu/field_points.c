/* Kernels on points of BN254's curves: functions of points, the steps of sums of multiples, the pairing check.
 * Must not know: plans, StarPU, instruction sets. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/field.h"
#include "codelets/field/msm.h"

enum { BLOCK = 512 };

static const orr__curvekit *curve_of(const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    return l->region->call.attr.axis == ORR_G1 ? k->g1 : k->g2;
}

/* n points of an operand, from number `first` on, in Montgomery's form and on their curve. */
static orr_status enter(const orr__launch *l, const orr__curvekit *g, int operand, void *to, int64_t first, int64_t n,
                        bool on_curve)
{
    const int64_t elements = (int64_t)(g->point / sizeof(orr__fe));
    const orr__fe *x = (const orr__fe *)l->in[operand] + first * elements;
    orr_status st = orr__cpu_field_check(l, ORR__FQ, operand, x, first * elements, n * elements);
    if (st != ORR_OK)
        return st;
    orr__cpu_field_enter(ORR__FQ, to, x, n * elements);
    int64_t off = on_curve ? g->check(to, n) : -1;
    return off < 0 ? ORR_OK
                   : orr__fail(orr__cpu_site(l), ORR_EINDEX, "point %lld of operand %d is not on the curve",
                               (long long)(first + off), operand);
}

static orr_status function(const orr__launch *l, const orr__curvekit *g, int64_t at, int64_t n, char *a, char *b,
                           orr__fe *k)
{
    const int what = l->region->call.attr.index;
    const int64_t elements = (int64_t)(g->point / sizeof(orr__fe));
    orr__fe *z = (orr__fe *)l->out[0] + at * elements;
    bool *yes = (bool *)l->out[0] + at;
    unsigned char *bytes = (unsigned char *)l->out[0] + (size_t)at * g->coordinate;
    const orr__fe *scalar = what == ORR__POINTS_MULTIPLY ? (const orr__fe *)l->in[1] + at : NULL;
    orr_status st = ORR_OK;
    if (what == ORR__POINTS_DECOMPRESS) {
        int64_t off = g->decompress(z, (const unsigned char *)l->in[0] + (size_t)at * g->coordinate, n);
        if (off >= 0)
            return orr__fail(orr__cpu_site(l), ORR_EINDEX, "bytes number %lld are no point of the curve",
                             (long long)(at + off));
        orr__cpu_field_leave(ORR__FQ, z, z, n * elements);
        return ORR_OK;
    }
    st = enter(l, g, 0, a, at, n, what != ORR__POINTS_CONTAINS);
    if (st == ORR_OK && what == ORR__POINTS_ADD)
        st = enter(l, g, 1, b, at, n, true);
    if (st == ORR_OK && scalar)
        st = orr__cpu_field_check(l, ORR__FR, 1, scalar, at, n);
    if (st != ORR_OK)
        return st;
    switch (what) {
    case ORR__POINTS_ADD: g->add(z, a, 1, b, 1, n); break;
    case ORR__POINTS_DOUBLE: g->add(z, a, 1, a, 1, n); break;
    case ORR__POINTS_NEG: g->neg(z, a, n); break;
    case ORR__POINTS_MULTIPLY:
        orr__cpu_field_enter(ORR__FR, k, scalar, n);
        g->multiply(z, a, 1, k, 1, n);
        break;
    case ORR__POINTS_COMPRESS: g->compress(bytes, a, n); return ORR_OK;
    case ORR__POINTS_ENTER: memcpy(z, a, (size_t)n * g->point); return ORR_OK;
    default:
        for (int64_t i = 0; i < n; i++) {
            const char *p = a + (size_t)i * g->point;
            yes[i] = (what == ORR__POINTS_CONTAINS ? g->check(p, 1) : g->check_order(p, 1)) < 0;
        }
        return ORR_OK;
    }
    orr__cpu_field_leave(ORR__FQ, z, z, n * elements);
    return ORR_OK;
}

orr_status orr__cpu_kernel_field_points(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__curvekit *g = curve_of(l);
    char *a = orr__scratch(BLOCK * (2 * g->point + sizeof(orr__fe)));
    orr_status st = a ? ORR_OK : ORR_ENOMEM;
    (void)kernel;
    for (int64_t at = l->lo; at < l->hi && st == ORR_OK; at += BLOCK)
        st = function(l, g, at, l->hi - at < BLOCK ? l->hi - at : BLOCK, a, a + BLOCK * g->point,
                      (orr__fe *)(void *)(a + 2 * BLOCK * g->point));
    return st;
}

/* -- sums of multiples --------------------------------------------------------------------------------------------------- */

orr_status orr__cpu_kernel_field_digits(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fe *x = l->in[0];
    orr__fe k[BLOCK];
    (void)kernel;
    orr_status st = orr__cpu_field_check(l, ORR__FR, 0, x + l->lo, l->lo, l->hi - l->lo);
    for (int64_t at = l->lo; at < l->hi && st == ORR_OK; at += BLOCK) {
        int64_t n = l->hi - at < BLOCK ? l->hi - at : BLOCK;
        orr__cpu_field_enter(ORR__FR, k, x + at, n);
        orr__msm_scalars((orr__msmscalar *)l->out[0] + at, k, n, l->region->call.attr.index);
    }
    return st;
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
    orr__cpu_field_leave(ORR__FQ, l->out[0], l->out[0], (int64_t)(g->point / sizeof(orr__fe)));
    return ORR_OK;
}

/* -- the pairing check ------------------------------------------------------------------------------------------------------ */

orr_status orr__cpu_kernel_field_pairing(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__fieldkit *k = orr__cpu_fieldkit();
    const int64_t n = l->region->call.in[0].dim[0];
    orr__g1 *p = orr__scratch((size_t)(n + 1) * (sizeof(orr__g1) + sizeof(orr__g2)));
    (void)kernel;
    if (!p)
        return ORR_ENOMEM;
    orr__g2 *q = (orr__g2 *)(void *)(p + n);
    orr_status st = enter(l, k->g1, 0, p, 0, n, true);
    st = st == ORR_OK ? enter(l, k->g2, 1, q, 0, n, true) : st;
    int64_t off = st == ORR_OK ? k->g2->check_order(q, n) : -1;
    if (off >= 0)
        st = orr__fail(orr__cpu_site(l), ORR_EINDEX, "point %lld of operand 1 is not of order r", (long long)off);
    if (st == ORR_OK)
        *(bool *)l->out[0] = k->pairing(p, q, n);
    return st;
}
