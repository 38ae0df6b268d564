/* Rates of one core: vector math, matrix products.
 * Must not know: the use of the numbers. */
#include "config.h"

#include <cblas.h>
#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product.h"
#include "codelets/cpu/call.h"
#include "ops/ops.h"
#include "runtime/base/clock.h"
#include "runtime/base/exit.h"
#include "runtime/base/minmax.h"

enum { BLOCK = 1024, SIDE = 320, ADDITIONS_OF_EXP = 20, RUNS = 12, CALLS = 200 }; /* limit of a measurement */

/* The best of a few runs: other load on the machine only slows it down. */
static double math_rate(const atomic_bool *stop)
{
    static _Alignas(64) float x[BLOCK], y[BLOCK];
    const orr__ewrow *row = orr__ew_find("exp");
    orr__vecfn *f = row ? orr__cpu_vec()->row[ORR_F32][row->op.id - ORR__OP_EW] : NULL;
    double best = 0;
    for (int i = 0; i < BLOCK; i++)
        x[i] = (float)(i % 64) / 8;
    for (int k = 0; f && k < RUNS && !atomic_load(stop); k++) {
        double t0 = orr__now();
        for (int i = 0; i < CALLS; i++)
            f(y, x, NULL, NULL, BLOCK);
        double rate = 1.0 * CALLS * BLOCK * ADDITIONS_OF_EXP / ((orr__now() - t0) * 1e6);
        best = ORR__MAX(rate, best);
    }
    return best;
}

static double gemm_rate(bool wide, const atomic_bool *stop)
{
    size_t n = (size_t)SIDE * SIDE;
    double *room = malloc(3 * n * sizeof *room), best = 0;
    int call = room ? orr__cpu_blas_enter() : 0;
    for (size_t i = 0; room && i < 3 * n; i++)
        room[i] = 0; /* zeros multiply at full speed, as floats too */
    for (int k = 0; call && k < 4 && !atomic_load(stop); k++) {
        double t0 = orr__now();
        if (wide)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, room, SIDE, room + n, SIDE, 0,
                        room + 2 * n, SIDE);
        else
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, (const void *)room, SIDE,
                        (const void *)(room + n), SIDE, 0, (void *)(room + 2 * n), SIDE);
        double rate = 2.0 * SIDE * SIDE * SIDE / ((orr__now() - t0) * 1e6);
        best = ORR__MAX(rate, best);
    }
    if (call)
        orr__cpu_blas_leave(call, true);
    free(room);
    return best;
}

orr__cpu_rates orr__cpu_measure(const atomic_bool *stop)
{
    orr__work_begins(ORR__WORK_COMPUTES);
    orr__cpu_rates r = { .math = math_rate(stop) };
    if (!atomic_load(stop))
        r.gemm32 = gemm_rate(false, stop);
    if (!atomic_load(stop))
        r.gemm64 = gemm_rate(true, stop);
    if (!atomic_load(stop))
        orr__gemm_measure(stop);
    orr__work_ends(ORR__WORK_COMPUTES);
    return r;
}
