/* For tests of codelets: f16 and bf16 values of every kind through every row, including NaN with any payload.
 * Must not know: which backend. */
#include "config.h"
#include "tests/harness/region_rows.h"
#include "tests/harness/region_tests.h"

enum { KINDS = 14 };

/* Quiet and signalling NaN of both signs, with the least and the largest payload, among numbers of all sizes. */
static uint16_t rn_kind(orr_dtype t, int i)
{
    static const uint16_t bf16[KINDS] = { 0x7fc0, 0xffc0, 0x7fff, 0xffff, 0x7f81, 0xff81, 0xffbf,
                                          0x7f80, 0xff80, 0x0000, 0x8000, 0x3f81, 0x0001, 0x7f7f };
    static const uint16_t f16[KINDS] = { 0x7e00, 0xfe00, 0x7fff, 0xffff, 0x7c01, 0xfc01, 0xfdff,
                                         0x7c00, 0xfc00, 0x0000, 0x8000, 0x3c01, 0x0001, 0x7bff };
    return (t == ORR_F16 ? f16 : bf16)[i % KINDS];
}

/* Functions such as pow and hypot may distinguish signalling NaN from quiet ones; their operands are quiet ones
 * only. */
static uint16_t rn_operand(const orr__ewrow *row, orr_dtype t, int i)
{
    uint16_t bits = rn_kind(t, i), infinite = t == ORR_F16 ? 0x7c00 : 0x7f80, quiet = t == ORR_F16 ? 0x0200 : 0x0040;
    bool nan = (bits & 0x7fff) > infinite, function = row->arity > 1 && row->ulp > 0;
    return (uint16_t)(nan && function ? bits | quiet : bits);
}

static bool rn_same(const orr__ewrow *row, orr_dtype t, const uint16_t *operand, uint16_t bits, uint16_t squared)
{
    orr__scalar x[3], got = orr__scalar_load(&bits, t), twice = orr__scalar_load(&squared, t);
    for (int o = 0; o < 3; o++)
        x[o] = orr__scalar_load(&operand[o], row->cond && o == 0 ? ORR_BOOL : t);
    orr__scalar want = rt_truth(row, t, x);
    double far = rc_distance(got, want, t);
    bool ok = far <= rc_ulp(row, t) * rt_slack(row, t, x, want) && !isnan(got.f) == !isnan(twice.f);
    ORR_CHECK_MSG(ok, "%s %s(%04x, %04x, %04x) = %04x, squared %04x, should be %.9g", row->op.name, orr_dtype_name(t),
                  operand[0], operand[1], operand[2], bits, squared, want.f);
    return ok;
}

static void rn_group(orr_dtype t, const orr__ewrow *const *row, int n)
{
    static rb b;
    static uint16_t in[3][GROUP * SAMPLES], out[2][GROUP * SAMPLES];
    static uint8_t cond[GROUP * SAMPLES];
    int64_t all = (int64_t)n * SAMPLES;
    int acc = rt_group(&b, t, row, n);
    rb_out(&b, t, rb_ew(&b, "mul", acc, acc, -1));
    rc_run run = { .b = &b,
                   .hi = n,
                   .in = { in[0], in[1], in[2], cond },
                   .in_n = { all, all, all, all },
                   .out = { out[0], out[1] },
                   .out_n = { all, all } };
    for (int e = 0; e < n * SAMPLES; e++) {
        int i = e % SAMPLES;
        const orr__ewrow *w = row[e / SAMPLES];
        in[0][e] = rn_operand(w, t, i);
        in[1][e] = rn_operand(w, t, i / KINDS);
        in[2][e] = rn_operand(w, t, 5 * i + i / KINDS);
        cond[e] = (uint8_t)(i & 1);
    }
    if (!orr_test_drawn() || !rc_launch(&run))
        return;
    int wrong = 0;
    for (int e = 0; e < n * SAMPLES && wrong < 4; e++) {
        const orr__ewrow *w = row[e / SAMPLES];
        const uint16_t operand[3] = { w->cond ? cond[e] : in[0][e], in[1][e], in[2][e] };
        wrong += !rn_same(w, t, operand, out[0][e], out[1][e]);
    }
}

void nan_of_any_payload_stays_nan(void)
{
    static const orr_dtype type[] = { ORR_F16, ORR_BF16 };
    for (int k = 0; k < 2; k++) {
        const orr__ewrow *row[GROUP];
        int n = 0;
        for (int i = 0; i < orr__ew_count(); i++) {
            const orr__ewrow *w = orr__ew(ORR__OP_EW + i);
            if (orr__ew_takes_scalars(w, type[k]))
                row[n++] = w;
            if (n == GROUP || (n > 0 && i == orr__ew_count() - 1)) {
                rn_group(type[k], row, n);
                n = 0;
            }
        }
    }
}

void nan_bounds_win_in_clip(void)
{
    static rb b;
    static const double bound[] = { 0.0, -0.0, 1.0, NAN, INFINITY, -INFINITY };
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_BF16, ORR_F16 };
    const int64_t n = 20;
    for (int k = 0; k < 4 * 36; k++) {
        orr_dtype t = type[k % 4];
        double x[20];
        orr__scalar lo = { .f = bound[k / 4 % 6] }, hi = { .f = bound[k / 24] };
        rb_begin(&b, RB_MAP, 1, &n);
        int v = rb_cast(&b, t, rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F64, n))));
        int s = rb_scalar(&b, t, lo), u = rb_scalar(&b, t, hi);
        int m = rb_ew(&b, "maximum", v, s, -1);
        rb_out(&b, t, m);
        rb_out(&b, t, rb_ew(&b, "minimum", m, u, -1));
        rb_out(&b, t, rb_ew(&b, "clip", v, s, u));
        for (int i = 0; i < n; i++)
            x[i] = i < 6 ? bound[i] : i * 0.25 - 2;
        uint64_t got[3][20], want[3][20];
        const void *in[RB_INPUTS] = { x };
        void *to[ORR__REGION_OUTS] = { want[0], want[1], want[2] };
        rb_reference(&b, 0, n, in, to);
        rc_run run = { .b = &b, .hi = n, .in = { x }, .in_n = { n } };
        for (int o = 0; o < 3; o++) {
            run.out[o] = got[o];
            run.out_n[o] = n;
        }
        if (rc_launch(&run))
            for (int o = 0; o < 3; o++)
                (void)rc_same("bounds", t, got[o], want[o], n, 0);
    }
}
