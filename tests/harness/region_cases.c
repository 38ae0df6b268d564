/* For tests of codelets: the required results of a backend of generated kernels, run by the backend's own launch.
 * Must not know: which backend. */
#include "config.h"

#include "tests/harness/region_cases.h"

int64_t rc_bad_index = -1;

unsigned long long rc_state = 1;

double rc_uniform(double lo, double hi)
{
    return lo + (hi - lo) * (double)(orr_test_rand(&rc_state) >> 11) * 0x1p-53;
}

orr__scalar rc_sample(const orr__ewrow *row, orr_dtype t, int operand, int k)
{
    static const double hard[] = { 0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 0.5, -2.0, 3.0, 1e-40, 1e30, -0.75 };
    static const int64_t whole[] = { 0, 1, -1, 2, -3, 7, INT64_MIN, INT64_MAX, 31, 64, 8, INT32_MIN, 127, -128 };
    enum { HARD = sizeof hard / sizeof *hard, WHOLE = sizeof whole / sizeof *whole };
    orr__scalar s;
    int pick = operand == 0 ? k : operand == 1 ? k / HARD : k / 3;
    if (t == ORR_BOOL) {
        s.u = orr_test_rand(&rc_state) & 1;
        return s;
    }
    if (!orr__is_float(t)) {
        int64_t far = (int64_t)orr_test_rand(&rc_state);
        s.i = k < WHOLE * WHOLE ? whole[(operand == 1 ? k / WHOLE : k) % WHOLE] : k & 1 ? far : far % 100;
        return orr__scalar_cast(s, ORR_I64, t);
    }
    s.f = k < HARD * (row->arity > 1 ? HARD : 1) ? hard[pick % HARD] : rc_uniform(row->lo, row->hi);
    return orr__scalar_cast(s, ORR_F64, t);
}

double rc_place(double v, orr_dtype t)
{
    static const int digits[ORR_DTYPE_COUNT] = { [ORR_F16] = 11, [ORR_BF16] = 8, [ORR_F32] = 24, [ORR_F64] = 53 };
    static const int least[ORR_DTYPE_COUNT] = {
        [ORR_F16] = -13, [ORR_BF16] = -125, [ORR_F32] = -125, [ORR_F64] = -1021
    };
    int e = least[t];
    if (v != 0)
        (void)frexp(v, &e);
    return ldexp(1.0, (e < least[t] ? least[t] : e) - digits[t]);
}

double rc_distance(orr__scalar got, orr__scalar want, orr_dtype t)
{
    if (!orr__is_float(t))
        return got.u == want.u ? 0 : INFINITY;
    if (isnan(got.f) || isnan(want.f))
        return isnan(got.f) && isnan(want.f) ? 0 : INFINITY;
    if (got.f == want.f)
        return got.f != 0 || !signbit(got.f) == !signbit(want.f) ? 0 : INFINITY;
    if (isinf(want.f) || isinf(got.f)) { /* rounding at the limit of the range */
        double m = t == ORR_F64    ? 0x1.fffffffffffffp1023
                   : t == ORR_F16  ? 65504
                   : t == ORR_BF16 ? 0x1.fep127
                                   : 0x1.fffffep127;
        double finite = isinf(want.f) ? got.f : want.f;
        return fabs(finite) == m && signbit(got.f) == signbit(want.f) ? 1 : INFINITY;
    }
    return fabs(got.f - want.f) / rc_place(want.f, t);
}

bool rc_same(const char *what, orr_dtype t, const void *got, const void *want, int64_t n, double ulp)
{
    return rc_same_terms(what, t, got, want, n, ulp, 0);
}

static double unit(orr_dtype t)
{
    return t == ORR_F64 ? 0x1p-52 : t == ORR_F16 ? 0x1p-10 : t == ORR_BF16 ? 0x1p-7 : 0x1p-23;
}

bool rc_same_terms(const char *what, orr_dtype t, const void *got, const void *want, int64_t n, double ulp,
                   double terms)
{
    size_t size = orr_dtype_size(t);
    for (int64_t i = 0; i < n; i++) {
        orr__scalar g = orr__scalar_load((const char *)got + (size_t)i * size, t);
        orr__scalar w = orr__scalar_load((const char *)want + (size_t)i * size, t);
        if (rc_distance(g, w, t) <= ulp || (terms > 0 && fabs(g.f - w.f) <= ulp * unit(t) * terms))
            continue;
        ORR_CHECK_MSG(false, "%s %s: element %lld is %.17g, should be %.17g", what, orr_dtype_name(t), (long long)i,
                      orr__scalar_f64(g, t), orr__scalar_f64(w, t));
        return false;
    }
    ORR_CHECK(n >= 0);
    return true;
}

void rc_fill(void *p, orr_dtype t, int64_t n, double lo, double hi)
{
    for (int64_t i = 0; i < n; i++) {
        orr__scalar s = { .f = rc_uniform(lo, hi) };
        orr__scalar_store((char *)p + (size_t)i * orr_dtype_size(t), t, orr__scalar_cast(s, ORR_F64, t));
    }
}

void *rc_new(orr_dtype t, int64_t n)
{
    void *p = calloc((size_t)n + 1, orr_dtype_size(t));
    if (!p)
        abort();
    return p;
}

void rc_check(const char *what, rb *b, int cuts, double lo, double hi, double ulp)
{
    rc_run run = { .b = b };
    void *want[ORR__REGION_OUTS] = { NULL };
    rc_bad_index = -1;
    for (int i = 0; i < b->r.nin; i++) {
        run.in_n[i] = b->in_count[i];
        run.in[i] = rc_new((orr_dtype)b->in_dtype[i], b->in_count[i]);
        rc_fill(run.in[i], (orr_dtype)b->in_dtype[i], b->in_count[i], lo, hi);
    }
    for (int k = 0; k < b->r.nout; k++) {
        run.out_n[k] = b->r.out_count;
        run.out[k] = rc_new((orr_dtype)b->r.out_dtype[k], b->r.out_count);
        want[k] = rc_new((orr_dtype)b->r.out_dtype[k], b->r.out_count);
    }
    bool ok = orr_test_drawn();
    for (int c = 0; c < cuts && ok; c++) {
        run.lo = b->r.dim[0] * c / cuts;
        run.hi = b->r.dim[0] * (c + 1) / cuts;
        const void *in[RB_INPUTS];
        memcpy(in, run.in, sizeof in);
        rb_reference(b, run.lo, run.hi, in, want);
        ok = rc_launch(&run);
        for (int k = 0; k < b->r.nout && ok; k++)
            ok = rc_same(what, (orr_dtype)b->r.out_dtype[k], run.out[k], want[k], b->r.out_count, ulp);
    }
    for (int i = 0; i < b->r.nin; i++)
        free(run.in[i]);
    for (int k = 0; k < b->r.nout; k++) {
        free(run.out[k]);
        free(want[k]);
    }
}
