/* For tests of codelets: every element-wise row on every dtype, many rows per kernel, beside orr__ew_eval.
 * Must not know: which backend. */
#include "config.h"
#include "tests/harness/region_rows.h"
#include "tests/harness/region_tests.h"

int rt_group(rb *b, orr_dtype t, const orr__ewrow *const *row, int n)
{
    const int64_t dim[2] = { n, SAMPLES }, by_row[2] = { 1, 0 };
    int reg[3], acc = -1;
    rb_begin(b, RB_MAP, 2, dim);
    for (int o = 0; o < 3; o++)
        reg[o] = rb_load(b, rb_linear(b, rb_input(b, t, (int64_t)n * SAMPLES)));
    int cond = rb_load(b, rb_linear(b, rb_input(b, ORR_BOOL, (int64_t)n * SAMPLES)));
    int number = rb_iota(b, ORR_I32, rb_access(b, -1, 0, by_row), (orr__scalar){ .i = 0 }, (orr__scalar){ .i = 1 });
    for (int k = 0; k < n; k++) {
        int v = row[k]->cond ? rb_row(b, row[k], cond, reg[1], reg[2]) : rb_row(b, row[k], reg[0], reg[1], reg[2]);
        if (row[k]->to_bool && t != ORR_BOOL)
            v = rb_cast(b, t, v);
        int mine = rb_ew(b, "equal", number, rb_scalar(b, ORR_I32, (orr__scalar){ .i = k }), -1);
        acc = acc < 0 ? v : rb_ew(b, "where", mine, v, acc);
    }
    rb_out(b, t, acc);
    return acc;
}

orr__scalar rt_truth(const orr__ewrow *row, orr_dtype t, const orr__scalar *x)
{
    bool by_hand = row->ulp > 0 && orr__is_float(t) && t != ORR_F64 && !row->to_bool;
    orr__scalar v = orr__ew_eval(row, by_hand ? ORR_F64 : t, x[0], x[1], x[2]);
    if (by_hand)
        return orr__scalar_cast(v, ORR_F64, t);
    return row->to_bool && t != ORR_BOOL ? orr__scalar_cast(v, ORR_BOOL, t) : v;
}

double rt_slack(const orr__ewrow *row, orr_dtype t, const orr__scalar *x, orr__scalar want)
{
    double big = fmax(fabs(x[0].f), fabs(x[1].f));
    if (strcmp(row->op.name, "logaddexp") != 0 || !isfinite(big) || !isfinite(want.f))
        return 1;
    return fmax(1, rc_place(big, t) / rc_place(want.f, t));
}

static void rt_check_group(orr_dtype t, const orr__ewrow *const *row, int n)
{
    static rb b;
    size_t size = orr_dtype_size(t);
    int64_t all = (int64_t)n * SAMPLES;
    rt_group(&b, t, row, n);
    rc_run run = { .b = &b, .lo = 0, .hi = n, .in_n = { all, all, all, all }, .out_n = { all } };
    for (int i = 0; i < 4; i++)
        run.in[i] = rc_new(i < 3 ? t : ORR_BOOL, all);
    run.out[0] = rc_new(t, all);
    orr__scalar(*x)[3] = calloc((size_t)all, sizeof *x);
    for (int64_t e = 0; e < all && x; e++)
        for (int o = 0; o < 3; o++) {
            const orr__ewrow *w = row[e / SAMPLES];
            bool cond = w->cond && o == 0;
            x[e][o] = rc_sample(w, cond ? ORR_BOOL : t, o, (int)(e % SAMPLES));
            orr__scalar_store((char *)run.in[cond ? 3 : o] + (size_t)e * (cond ? 1 : size), cond ? ORR_BOOL : t,
                              x[e][o]);
        }
    int wrong = 0;
    if (x && orr_test_drawn() && rc_launch(&run))
        for (int64_t e = 0; e < all && wrong < 4; e++) {
            const orr__ewrow *w = row[e / SAMPLES];
            orr__scalar got = orr__scalar_load((char *)run.out[0] + (size_t)e * size, t), want = rt_truth(w, t, x[e]);
            double far = rc_distance(got, want, t),
                   may = orr__is_float(t) ? rc_ulp(w, t) * rt_slack(w, t, x[e], want) : 0;
            bool ok = far <= may;
            wrong += !ok;
            ORR_CHECK_MSG(ok, "%s %s(%.9g, %.9g, %.9g) = %.17g, should be %.17g: %.1f places, may be %.1f", w->op.name,
                          orr_dtype_name(t), orr__scalar_f64(x[e][0], t), orr__scalar_f64(x[e][1], t),
                          orr__scalar_f64(x[e][2], t), orr__scalar_f64(got, t), orr__scalar_f64(want, t), far, may);
        }
    free(x);
    for (int i = 0; i < 4; i++)
        free(run.in[i]);
    free(run.out[0]);
}

static void rt_rows_of(orr_dtype t)
{
    const orr__ewrow *row[GROUP];
    int n = 0;
    for (int i = 0; i < orr__ew_count(); i++) {
        const orr__ewrow *w = orr__ew(ORR__OP_EW + i);
        if (orr__ew_takes_scalars(w, t))
            row[n++] = w;
        if (n == GROUP || (n > 0 && i == orr__ew_count() - 1)) {
            rt_check_group(t, row, n);
            n = 0;
        }
    }
}

void every_row_on_f32(void)
{
    rt_rows_of(ORR_F32);
}

void every_row_on_f64(void)
{
    rt_rows_of(ORR_F64);
}

void every_row_on_f16_and_bf16(void)
{
    rt_rows_of(ORR_F16);
    rt_rows_of(ORR_BF16);
}

void every_row_on_ints_and_bool(void)
{
    static const orr_dtype t[] = { ORR_BOOL, ORR_I8, ORR_I16, ORR_I32, ORR_I64, ORR_U8, ORR_U16, ORR_U32, ORR_U64 };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        rt_rows_of(t[i]);
}
