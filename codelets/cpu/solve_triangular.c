/* Solves against triangles, by groups of rows of the right-hand side.
 * Must not know: how one solve is computed. */
#include "config.h"

#include <stdio.h>
#include "codelets/cpu/cpu.h"
#include "ops/matrix.h"
#include "codelets/cpu/factor.h"
#include "codelets/cpu/call.h"

#define CHUNK ((int64_t)1 << 30) /* rows of one BLAS call: its dimensions are int */

orr__which orr__cpu_which(const orr__region *r, int64_t q)
{
    orr__which w = { "the matrix" };
    const orr_shape *s = &r->call.in[0];
    int batch = s->rank - 2, at = 0;
    int64_t index[ORR_MAX_RANK];
    for (int d = batch - 1; d >= 0; d--) {
        index[d] = q % s->dim[d];
        q /= s->dim[d];
    }
    for (int d = 0; d < batch && at < (int)sizeof w.s; d++)
        at += snprintf(w.s + at, sizeof w.s - (size_t)at, "%s%lld%s", d ? ", " : "matrix (", (long long)index[d],
                       d + 1 < batch ? "" : ") of the batch");
    return w;
}

/* The index of the first zero on the diagonal of a (order n); n: none. */
static int64_t first_zero(orr_dtype t, const void *a, int64_t n)
{
    int64_t i = 0;
    size_t z = orr_dtype_size(t);
    if (orr__is_complex(t))
        for (const char *p = a; i < n; i++) {
            const char *at = p + (size_t)(i * (n + 1)) * z;
            if (orr__scalar_load(at, orr__part_dtype(t)).f == 0 &&
                orr__scalar_load(at + z / 2, orr__part_dtype(t)).f == 0)
                break;
        }
    else if (t == ORR_F64)
        while (i < n && ((const double *)a)[i * (n + 1)] != 0)
            i++;
    else
        while (i < n && ((const float *)a)[i * (n + 1)] != 0)
            i++;
    return i;
}

/* Rows [from, to) of x·op(A) = b for one matrix. The region's label is the function's name in messages. */
static orr_status solve_one(const orr__launch *l, int64_t q, int64_t from, int64_t to)
{
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->out_dtype[0];
    size_t z = orr_dtype_size(t);
    int64_t n = r->dim[r->rank - 1], m = r->dim[r->rank - 2], row = q * m + from, zero;
    bool turned = (r->call.attr.mask & ORR__TRI_TRANSPOSE) != 0, lower = (r->call.attr.mask & ORR__TRI_LOWER) != 0;
    orr__triangle a = { .p = (const char *)l->in[0] + (size_t)(q * n * n) * z,
                        .n = n,
                        .rs = turned ? 1 : n,
                        .cs = turned ? n : 1,
                        .upper = lower == turned,
                        .unit = (r->call.attr.mask & ORR__TRI_UNIT) != 0 };
    if (!a.unit && (zero = first_zero(t, a.p, n)) < n)
        return orr__fail(orr__cpu_site(l), ORR_ENUMERIC, "%s is singular: element %lld of its diagonal is 0",
                         orr__cpu_which(r, q).s, (long long)zero);
    char *x = (char *)l->out[0] + (size_t)(row * n) * z;
    memcpy(x, (const char *)l->in[1] + (size_t)(row * n) * z, (size_t)((to - from) * n) * z);
    bool plain = n <= ORR__PLAIN;
    int place = plain ? 1 : orr__cpu_blas_enter();
    if (!place)
        return orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for the buffers of BLAS");
    for (int64_t i = 0; i < to - from; i += CHUNK)
        orr__factor_of(t)->solve(&a, x + (size_t)(i * n) * z, to - from - i < CHUNK ? to - from - i : CHUNK, n);
    if (!plain)
        orr__cpu_blas_leave(place, to - from > 1);
    return ORR_OK;
}

/* Matrices [lo, hi) of the batch; of a region of one matrix, its rows [lo, hi). */
orr_status orr__cpu_kernel_solve_triangular(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    bool batched = r->rank > 2;
    orr_status st = ORR_OK;
    if (r->out_count == 0)
        return ORR_OK;
    if (!batched)
        return solve_one(l, 0, l->lo, l->hi);
    for (int64_t q = l->lo; q < l->hi && st == ORR_OK; q++)
        st = solve_one(l, q, 0, r->dim[1]);
    return st;
}
