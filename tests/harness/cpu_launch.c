/* For tests of the CPU backend's whole-array kernels: operands of small integers, one launch.
 * Must not know: what is computed. */
#include "config.h"

#include "tests/harness/cpu_launch.h"

static unsigned long long state = 7;

int64_t small_number(int64_t below)
{
    return (int64_t)(orr_test_rand(&state) % (uint64_t)below);
}

void *small_numbers(orr_dtype t, int64_t n)
{
    char *p = calloc((size_t)n + 8, orr_dtype_size(t));
    if (!p)
        abort();
    for (int64_t i = 0; i < n; i++)
        orr__scalar_store(
            p + (size_t)i * orr_dtype_size(t), t,
            orr__scalar_cast((orr__scalar){ .i = small_number(7) - (orr__is_unsigned(t) ? 0 : 3) }, ORR_I64, t));
    return p;
}

double value_at(const void *p, orr_dtype t, int64_t i)
{
    return orr__scalar_f64(orr__scalar_load((const char *)p + i * (int64_t)orr_dtype_size(t), t), t);
}

orr_status launch_rows(const orr__region *r, int64_t lo, int64_t hi, void *const *in, void *out, const orr__scalar *s)
{
    orr__kernel *k = NULL;
    orr__launch l = { .region = r, .lo = lo, .hi = hi, .in = in, .out = &out, .scalar = s };
    orr_status st = orr__cpu.prepare(r, &k);
    if (st == ORR_OK)
        st = orr__cpu.launch(k, &l);
    orr__cpu.release(k);
    return st;
}
