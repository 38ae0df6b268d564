/* For tests of codelets: the tested behaviours of every backend of generated kernels.
 * Must not know: which backend. */
#include "config.h"
#include "tests/harness/region_tests.h"

void strided_broadcast_and_negative_accesses(void)
{
    static rb b;
    const int64_t dim[3] = { 6, 7, 5 };
    rb_begin(&b, RB_MAP, 3, dim);
    int a = rb_input(&b, ORR_F32, 5 * 7 * 6), row = rb_input(&b, ORR_F16, 5), col = rb_input(&b, ORR_I16, 7 * 2);
    int one = rb_input(&b, ORR_F64, 3);
    int x = rb_load(&b, rb_access(&b, a, 5, (int64_t[]){ -1, 6, 42 }));
    int y = rb_cast(&b, ORR_F32, rb_load(&b, rb_access(&b, row, 0, (int64_t[]){ 0, 0, 1 })));
    int z = rb_cast(&b, ORR_F32, rb_load(&b, rb_access(&b, col, 12, (int64_t[]){ 0, -2, 0 })));
    int w = rb_cast(&b, ORR_F32, rb_load(&b, rb_access(&b, one, 2, (int64_t[]){ 0, 0, 0 })));
    int s = rb_ew(&b, "fma", x, y, z), m = rb_ew(&b, "mul", s, w, -1);
    rb_out(&b, ORR_F32, m);
    rb_out(&b, ORR_BOOL, rb_ew(&b, "greater", s, z, -1));
    rb_out(&b, ORR_I16, rb_load(&b, 2));
    rb_out(&b, ORR_BF16, rb_cast(&b, ORR_BF16, m));
    rc_check("accesses", &b, 1, -9, 9, 0);
    rc_check("accesses in three ranges", &b, 3, -9, 9, 0);
}

void axes_of_any_size_are_told_apart(void)
{
    static const int64_t size[] = { 1, 2, 3, 5, 7, 127, 128, 641, 1023, 65537 };
    static rb b;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const int64_t dim[3] = { 3, size[i], size[i] > 1000 ? 2 : size[sizeof size / sizeof *size - 3 - i] };
        rb_begin(&b, RB_MAP, 3, dim);
        int64_t n = dim[1] * dim[2];
        int x = rb_load(&b, rb_access(&b, rb_input(&b, ORR_I32, 3 * n), 3 * n - 1, (int64_t[]){ -n, -dim[2], -1 }));
        rb_out(&b, ORR_I32, x);
        rc_check("axes", &b, 1, -1e9, 1e9, 0);
    }
}

void more_arguments_than_fit_by_value(void)
{
    static rb b;
    const int64_t dim[8] = { 3, 2, 2, 2, 2, 2, 2, 2 };
    rb_begin(&b, RB_MAP, 8, dim);
    int in = rb_input(&b, ORR_I32, 1024), acc = -1;
    for (int k = 0; k < 24; k++) {
        int64_t stride[8];
        for (int d = 0; d < 8; d++)
            stride[d] = (k * 7 + d * 5) % 11 * (d % 2 ? 4 : -3);
        int64_t offset = 512;
        int v = rb_load(&b, rb_access(&b, in, offset, stride));
        acc = acc < 0 ? v : rb_ew(&b, k % 2 ? "add" : "mul", acc, v, -1);
    }
    rb_out(&b, ORR_I32, acc);
    rc_check("many words", &b, 2, -1e9, 1e9, 0);
}

void arrays_that_begin_at_an_offset(void)
{
    static rb b;
    const int64_t dim[2] = { 10, 4 };
    rb_begin(&b, RB_MAP, 2, dim);
    int in = rb_input(&b, ORR_I64, 40), bias = rb_input(&b, ORR_I64, 4);
    int x = rb_load(&b, rb_linear(&b, in)), y = rb_load(&b, rb_access(&b, bias, 3, (int64_t[]){ 0, -1 }));
    rb_out(&b, ORR_I64, rb_ew(&b, "add", x, y, -1));
    int64_t a[40], c[4] = { 1000, 2000, 3000, 4000 }, got[12], want[40];
    for (int i = 0; i < 40; i++)
        a[i] = i;
    const void *whole[] = { a, c };
    rb_reference(&b, 3, 6, whole, (void *[]){ want });
    rc_run run = { .b = &b,
                   .lo = 3,
                   .hi = 6,
                   .in = { a + 8, c },
                   .in_off = { 8, 0 },
                   .in_n = { 24, 4 },
                   .out = { got },
                   .out_off = { 12 },
                   .out_n = { 12 } };
    memset(got, 0, sizeof got);
    if (rc_launch(&run))
        (void)rc_same("offsets", ORR_I64, got, want + 12, 12, 0);
}

/* -- reductions --------------------------------------------------------------------------------------------- */

static void rt_reduce(orr_dtype t, orr_dtype out, int rop, uint32_t mask, int cuts)
{
    static rb b;
    static const char *const name[] = { "sum", "prod", "max", "min", "any", "all" };
    const int64_t dim[3] = { 6, 5, 9 };
    char what[64];
    rb_begin(&b, RB_REDUCE, 3, dim);
    b.r.rop[0] = rop;
    b.r.rmask = mask;
    int x = rb_load(&b, rb_linear(&b, rb_input(&b, t, 270)));
    if (rop == ORR__RANY || rop == ORR__RALL)
        x = rb_ew(&b, "greater", x, rb_scalar(&b, t, orr__scalar_cast((orr__scalar){ .f = 2.9 }, ORR_F64, t)), -1);
    rb_out(&b, out, x);
    (void)snprintf(what, sizeof what, "%s of axes %#x in %d ranges,", name[rop], (unsigned)mask, cuts);
    /* Sums in f64 of numbers of both signs, in another order. */
    double ulp = t == ORR_F64 && rop == ORR__RSUM ? 64 : 0;
    rc_check(what, &b, cuts, rop == ORR__RPROD ? 0.8 : orr__is_unsigned(t) ? 0 : -3, 3, ulp);
}

void reductions_over_any_axes(void)
{
    static const uint32_t mask[] = { 1, 2, 4, 6, 5, 7 };
    for (size_t m = 0; m < sizeof mask / sizeof *mask; m++)
        rt_reduce(ORR_F32, ORR_F32, ORR__RSUM, mask[m], m % 2 ? 1 : 2);
    for (int rop = ORR__RPROD; rop <= ORR__RMIN; rop++)
        rt_reduce(ORR_F32, ORR_F32, rop, 4, 1);
    rt_reduce(ORR_F32, ORR_BOOL, ORR__RANY, 2, 1);
    rt_reduce(ORR_F32, ORR_BOOL, ORR__RALL, 6, 2);
}

void reductions_of_any_dtype(void)
{
    rt_reduce(ORR_F64, ORR_F64, ORR__RSUM, 6, 1);
    rt_reduce(ORR_F16, ORR_F16, ORR__RSUM, 6, 1);
    rt_reduce(ORR_BF16, ORR_BF16, ORR__RSUM, 3, 1);
    rt_reduce(ORR_I8, ORR_I64, ORR__RSUM, 6, 1);
    rt_reduce(ORR_U32, ORR_U64, ORR__RSUM, 1, 1);
    rt_reduce(ORR_I32, ORR_I64, ORR__RPROD, 7, 1);
    rt_reduce(ORR_BOOL, ORR_U64, ORR__RSUM, 4, 1);
    rt_reduce(ORR_U8, ORR_U8, ORR__RMAX, 4, 1);
    rt_reduce(ORR_I64, ORR_I64, ORR__RMIN, 3, 1);
    rt_reduce(ORR_BF16, ORR_BF16, ORR__RMAX, 4, 1);
}

void chains_into_reductions(void)
{
    static rb b;
    const int64_t dim[2] = { 9, 33 };
    rb_begin(&b, RB_REDUCE, 2, dim);
    b.r.rop[0] = ORR__RSUM;
    b.r.rmask = 2;
    int x = rb_load(&b, rb_access(&b, rb_input(&b, ORR_F32, 9 * 33), 32, (int64_t[]){ 33, -1 }));
    int y = rb_load(&b, rb_access(&b, rb_input(&b, ORR_F32, 9), 0, (int64_t[]){ 1, 0 }));
    int d = rb_ew(&b, "sub", x, y, -1);
    rb_out(&b, ORR_F32, rb_ew(&b, "square", d, -1, -1));
    rc_check("sum of squares", &b, 2, -5, 5, 0);
}

static void rt_arg(orr_dtype t, int rop, uint32_t mask)
{
    static rb b;
    const int64_t dim[2] = { 8, 12 };
    rb_begin(&b, RB_ARGREDUCE, 2, dim);
    b.r.rop[0] = rop;
    b.r.rmask = mask;
    rb_out(&b, ORR_I64, rb_load(&b, rb_linear(&b, rb_input(&b, t, 96))));
    rc_check(rop == ORR__RMAX ? "argmax" : "argmin", &b, 1, orr__is_unsigned(t) ? 0 : -3, 3, 0);
}

void arg_reductions_take_the_first_of_equals(void)
{
    rt_arg(ORR_I16, ORR__RMAX, 2); /* values -3 … 3, with many equal ones */
    rt_arg(ORR_I16, ORR__RMIN, 1);
    rt_arg(ORR_F16, ORR__RMIN, 2);
    rt_arg(ORR_F64, ORR__RMAX, 1);
}

void nan_wins_in_max_and_argmax(void)
{
    static rb b;
    const int64_t dim[2] = { 3, 4 };
    float x[12] = { 1, NAN, 3, NAN, -INFINITY, -INFINITY, -INFINITY, -INFINITY, 1, 5, 5, NAN };
    for (int arg = 0; arg < 2; arg++) {
        rb_begin(&b, arg ? RB_ARGREDUCE : RB_REDUCE, 2, dim);
        b.r.rop[0] = ORR__RMAX;
        b.r.rmask = 2;
        rb_out(&b, arg ? ORR_I64 : ORR_F32, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 12))));
        int64_t got[3] = { 9, 9, 9 };
        rc_run run = { .b = &b, .lo = 0, .hi = 3, .in = { x }, .in_n = { 12 }, .out = { got }, .out_n = { 3 } };
        const float most[3] = { NAN, -INFINITY, NAN };
        const int64_t where[3] = { 1, 0, 3 };
        if (rc_launch(&run))
            (void)rc_same(arg ? "argmax with NaN" : "max with NaN", arg ? ORR_I64 : ORR_F32, got,
                          arg ? (const void *)where : (const void *)most, 3, 0);
    }
}

void iota_in_every_dtype(void)
{
    static rb b;
    const int64_t dim[2] = { 5, 30 };
    for (int t = ORR_I8; t < ORR__SCALAR_DTYPES; t += 3) {
        rb_begin(&b, RB_MAP, 2, dim);
        for (int k = 0; k < 3 && t + k < ORR__SCALAR_DTYPES; k++) {
            bool isf = orr__is_float((orr_dtype)(t + k));
            orr__scalar start = { .i = 100 }, step = { .i = -7 };
            if (isf)
                start.f = 0.1, step.f = 0.3;
            rb_out(&b, (orr_dtype)(t + k),
                   rb_iota(&b, (orr_dtype)(t + k), rb_access(&b, -1, 149, (int64_t[]){ -30, -1 }), start, step));
        }
        rc_check("iota", &b, 2, 0, 1, 0);
    }
}

static void rt_random(int dist, orr_dtype t, double ulp)
{
    static rb b;
    const int64_t dim[2] = { 7, 11 };
    rb_begin(&b, RB_MAP, 2, dim);
    int a = rb_access(&b, -1, 3, (int64_t[]){ 11, 1 });
    uint64_t s1 = dist == ORR__DPERMUTATION ? 1000 : (uint64_t)-50, s2 = 1000003;
    rb_out(&b, t, rb_random(&b, dist, t, a, 0x123456789abcdef0u, s1, s2));
    rc_check("random", &b, 2, 0, 1, ulp);
}

void random_numbers_are_the_same_bits(void)
{
    rt_random(ORR__DBITS, ORR_U32, 0);
    rt_random(ORR__DBITS, ORR_U64, 0);
    rt_random(ORR__DUNIFORM, ORR_F16, 0);
    rt_random(ORR__DUNIFORM, ORR_BF16, 0);
    rt_random(ORR__DUNIFORM, ORR_F32, 0);
    rt_random(ORR__DUNIFORM, ORR_F64, 0);
    rt_random(ORR__DINTEGERS, ORR_I64, 0);
    rt_random(ORR__DINTEGERS, ORR_I32, 0);
    rt_random(ORR__DPERMUTATION, ORR_I64, 0);
}

void normal_random_numbers_are_close(void)
{
    rt_random(ORR__DNORMAL, ORR_F32, 1);
    rt_random(ORR__DNORMAL, ORR_F64, 16);
    rt_random(ORR__DNORMAL, ORR_BF16, 1);
}

static orr__scalar rt_cast_sample(orr_dtype from, int i)
{
    static const double edge[] = { 0,      -0.5,  0.99,  -1,       127.5,        128,           -128.9,
                                   255.9,  256,   32768, 65520,    2147483648.0, -2147483649.0, 4294967296.0,
                                   1e19,   -1e19, 1e-8,  3e-8,     65519.9,      2049,          2051,
                                   257,    259,   1e300, INFINITY, -INFINITY,    NAN,           1e-40,
                                   5.96e-8 };
    orr__scalar v = { .u = orr_test_rand(&rc_state) };
    if (i < (int)(sizeof edge / sizeof *edge))
        return orr__scalar_cast((orr__scalar){ .f = edge[i] }, ORR_F64, from);
    if (orr__is_float(from))
        return orr__scalar_cast((orr__scalar){ .f = ldexp(rc_uniform(-1, 1), i - 60) }, ORR_F64, from);
    return orr__scalar_cast((orr__scalar){ .u = v.u >> i % 64 }, ORR_U64, from);
}

static void rt_casts(orr_dtype from, orr_dtype to)
{
    static rb b;
    enum { N = 160 };
    const int64_t dim[1] = { N };
    rb_begin(&b, RB_MAP, 1, dim);
    int x = rb_load(&b, rb_linear(&b, rb_input(&b, from, N)));
    for (int k = 0; k < ORR__REGION_OUTS && (int)to + k < ORR__SCALAR_DTYPES; k++)
        rb_out(&b, (orr_dtype)((int)to + k), rb_cast(&b, (orr_dtype)((int)to + k), x));
    rc_run run = { .b = &b, .lo = 0, .hi = N, .in_n = { N } };
    run.in[0] = rc_new(from, N);
    for (int i = 0; i < N; i++)
        orr__scalar_store((char *)run.in[0] + (size_t)i * orr_dtype_size(from), from, rt_cast_sample(from, i));
    void *want[ORR__REGION_OUTS];
    for (int k = 0; k < b.r.nout; k++) {
        run.out_n[k] = N;
        run.out[k] = rc_new((orr_dtype)b.r.out_dtype[k], N);
        want[k] = rc_new((orr_dtype)b.r.out_dtype[k], N);
    }
    rb_reference(&b, 0, N, (const void *[]){ run.in[0] }, want);
    bool ok = orr_test_drawn() && rc_launch(&run);
    for (int k = 0; k < b.r.nout; k++) {
        if (ok)
            (void)rc_same(orr_dtype_name(from), (orr_dtype)b.r.out_dtype[k], run.out[k], want[k], N, 0);
        free(run.out[k]);
        free(want[k]);
    }
    free(run.in[0]);
}

void casts_between_dtypes(void)
{
    static const orr_dtype source[] = { ORR_BOOL, ORR_I8,  ORR_I32,  ORR_I64, ORR_U16,
                                        ORR_U64,  ORR_F16, ORR_BF16, ORR_F32, ORR_F64 };
    for (size_t i = 0; i < sizeof source / sizeof *source; i++)
        for (int to = 0; to < ORR__SCALAR_DTYPES; to += ORR__REGION_OUTS)
            rt_casts(source[i], (orr_dtype)to);
}

void empty_ranges_are_nothing(void)
{
    static rb b;
    rb_begin(&b, RB_MAP, 2, (const int64_t[]){ 0, 4 });
    rb_out(&b, ORR_F32, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 0))));
    rc_check("no elements", &b, 1, 0, 1, 0);
    rb_begin(&b, RB_REDUCE, 2, (const int64_t[]){ 4, 0 });
    b.r.rop[0] = ORR__RSUM;
    b.r.rmask = 2;
    rb_out(&b, ORR_F32, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 0))));
    rc_run run = {
        .b = &b, .lo = 0, .hi = 4, .in = { (float[1]){ 7 } }, .out = { (float[4]){ 9, 9, 9, 9 } }, .out_n = { 4 }
    };
    const float zero[4] = { 0, 0, 0, 0 };
    if (rc_launch(&run))
        (void)rc_same("sum of nothing", ORR_F32, run.out[0], zero, 4, 0);
}

void long_sums_are_compensated(void)
{
    static rb b;
    enum { N = 1000003 };
    const int64_t n = N;
    for (int t = ORR_F32; t <= ORR_F64; t++) {
        rb_begin(&b, RB_REDUCE, 1, &n);
        b.r.rop[0] = ORR__RSUM;
        b.r.rmask = 1;
        rb_out(&b, ORR_F64, rb_load(&b, rb_linear(&b, rb_input(&b, (orr_dtype)t, N))));
        void *x = rc_new((orr_dtype)t, N);
        double got = 0;
        long double want = 0;
        for (int64_t i = 0; i < N; i++) {
            orr__scalar s = { .f = i == 5 ? 1e9 : i == N - 5 ? -1e9 : rc_uniform(0, 1) };
            orr__scalar_store((char *)x + (size_t)i * orr_dtype_size((orr_dtype)t), (orr_dtype)t, s);
            want += (long double)orr__scalar_load((char *)x + (size_t)i * orr_dtype_size((orr_dtype)t), (orr_dtype)t).f;
        }
        rc_run run = { .b = &b, .hi = N, .in = { x }, .in_n = { N }, .out = { &got }, .out_n = { 1 } };
        if (rc_launch(&run))
            ORR_CHECK_MSG(fabs(got - (double)want) < 3e-6, "%.17g, should be %.17Lg", got, want);
        free(x);
    }
}
