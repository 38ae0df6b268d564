/* For tests of the CPU backend's whole-array kernels: operands of small numbers, one launch.
 * Must not know: what is computed. */
#ifndef ORR_TESTS_CPU_LAUNCH_H
#define ORR_TESTS_CPU_LAUNCH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/harness/harness.h"
#include "codelets/cpu/cpu.h"

static unsigned long long state = 7;

static int64_t draw(int64_t below)
{
    return (int64_t)(orr_test_rand(&state) % (uint64_t)below);
}

/* Small whole numbers: exact in every dtype. */
static void *numbers(orr_dtype t, int64_t n)
{
    char *p = calloc((size_t)n + 8, orr_dtype_size(t));
    if (!p)
        abort();
    for (int64_t i = 0; i < n; i++)
        orr__scalar_store(p + (size_t)i * orr_dtype_size(t), t,
                          orr__scalar_cast((orr__scalar){ .i = draw(7) - (orr__is_unsigned(t) ? 0 : 3) }, ORR_I64, t));
    return p;
}

static double at(const void *p, orr_dtype t, int64_t i)
{
    return orr__scalar_f64(orr__scalar_load((const char *)p + i * (int64_t)orr_dtype_size(t), t), t);
}

static orr_status run(const orr__region *r, int64_t lo, int64_t hi, void *const *in, void *out, const orr__scalar *s)
{
    orr__kernel *k = NULL;
    orr__launch l = { .region = r, .lo = lo, .hi = hi, .in = in, .out = &out, .scalar = s };
    orr_status st = orr__cpu.prepare(r, &k);
    if (st == ORR_OK)
        st = orr__cpu.launch(k, &l);
    orr__cpu.release(k);
    return st;
}

#endif
