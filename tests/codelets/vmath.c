/* The mathematical functions of the interpreter's loops, for each instruction set, beside long double functions of
 * the C library.
 * Must not know: regions, kernels. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cpu/cpu.h"
#include "ops/ops.h"
#include "tests/harness/harness.h"

typedef long double unary(long double), binary(long double, long double);

static const struct {
    const char *row;
    unary *f;
    binary *g;
} cases[] = {
    { "exp", expl, NULL },     { "expm1", expm1l, NULL }, { "log", logl, NULL },     { "log1p", log1pl, NULL },
    { "log2", log2l, NULL },   { "log10", log10l, NULL }, { "sin", sinl, NULL },     { "cos", cosl, NULL },
    { "tan", tanl, NULL },     { "asin", asinl, NULL },   { "acos", acosl, NULL },   { "atan", atanl, NULL },
    { "sinh", sinhl, NULL },   { "cosh", coshl, NULL },   { "tanh", tanhl, NULL },   { "asinh", asinhl, NULL },
    { "acosh", acoshl, NULL }, { "atanh", atanhl, NULL }, { "erf", erfl, NULL },     { "erfc", erfcl, NULL },
    { "pow", NULL, powl },     { "atan2", NULL, atan2l }, { "hypot", NULL, hypotl },
};
enum { CASES = sizeof cases / sizeof *cases, N = 4000 };
static const char *const isa[] = { "base", "v3", "v4", "sve" };
static unsigned long long state = 5;

static const double special[] = { 0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  -0.5,
                                  2.0,
                                  -2.0,
                                  3.0,
                                  -3.0,
                                  (double)INFINITY,
                                  -(double)INFINITY,
                                  (double)NAN,
                                  0x1p-1074,
                                  -0x1p-1074,
                                  0x1p-149,
                                  -0x1p-149,
                                  DBL_MAX,
                                  -DBL_MAX,
                                  (double)FLT_MAX,
                                  0x1.921fb54442d18p1,
                                  0x1p53,
                                  0x1p53 + 2.0 };
enum { SPECIALS = sizeof special / sizeof *special };

/* An argument of any bit pattern, from the row's domain, or a special value; in pairs. */
static double argument(const orr__ewrow *row, bool wide, int i, bool second)
{
    unsigned long long bits = orr_test_rand(&state);
    double u = (double)(bits >> 11) * 0x1p-53, d;
    float f;
    uint32_t low = (uint32_t)bits;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    if (i < SPECIALS * SPECIALS)
        return special[second ? i % SPECIALS : i / SPECIALS];
    return i % 3 == 0 ? (wide ? d : (double)f) : row->lo + (row->hi - row->lo) * u * (i % 3 == 1 ? 1.0 : 0x1p-9);
}

/* The error in units in the last place of the correct value. */
static double places(double got, long double want, int digits, int least, double most)
{
    int e = 0;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : HUGE_VAL;
    if (fabsl(want) > (long double)most || isinf(got)) /* one unit below infinity may be as good */
        return (double)want == got || (isinf(got) && fabsl(want) > 0.9999999L * (long double)most) ? 0 : HUGE_VAL;
    if (want == 0 || got == 0)
        if (!signbit(want) != !signbit(got))
            return HUGE_VAL;
    (void)frexpl(want, &e);
    e = want == 0 || e < least ? least : e;
    return (double)fabsl(ldexpl((long double)got - want, digits - e));
}

static bool fill(const orr__ewrow *row, bool wide, double x[N], double y[N])
{
    for (int i = 0; i < N; i++) {
        x[i] = argument(row, wide, i, false);
        y[i] = argument(row, wide, i, true);
        if (!wide) {
            x[i] = (double)(float)x[i];
            y[i] = (double)(float)y[i];
        }
    }
    return true;
}

static void apply(orr__vecfn *fn, bool wide, const double *x, const double *y, double *got)
{
    static float a[N], b[N], c[N];
    if (wide) {
        fn(got, x, y, NULL, N);
        return;
    }
    for (int i = 0; i < N; i++) {
        a[i] = (float)x[i];
        b[i] = (float)y[i];
    }
    fn(c, a, b, NULL, N);
    for (int i = 0; i < N; i++)
        got[i] = (double)c[i];
}

static void one_case(int c, bool wide)
{
    static double x[N], y[N], got[N];
    const orr__ewrow *row = orr__ew_find(cases[c].row);
    ORR_REQUIRE(row && fill(row, wide, x, y));
    for (int s = 0; s < (int)(sizeof isa / sizeof *isa); s++) {
        double worst = 0, at = 0, to = 0;
        if (!orr__cpu_use(isa[s]))
            continue;
        apply(orr__cpu_vec()->row[wide ? ORR_F64 : ORR_F32][row->op.id - ORR__OP_EW], wide, x, y, got);
        for (int i = 0; i < N; i++) {
            long double want =
                cases[c].f ? cases[c].f((long double)x[i]) : cases[c].g((long double)x[i], (long double)y[i]);
            double d =
                wide ? places(got[i], want, 53, -1021, DBL_MAX) : places(got[i], want, 24, -125, (double)FLT_MAX);
            if (d > worst) {
                worst = d;
                at = x[i];
                to = y[i];
            }
        }
        ORR_CHECK_MSG(worst <= row->ulp, "%s, %s: %s(%a, %a) is %g places off", isa[s], wide ? "f64" : "f32",
                      row->op.name, at, to, worst);
    }
    (void)orr__cpu_use(NULL);
}

static void f32_values_are_close(void)
{
    for (int c = 0; c < CASES; c++)
        one_case(c, false);
}

static void f64_values_are_close(void)
{
    if (LDBL_MANT_DIG < 64)
        ORR_SKIP("long double is no wider than double here");
    for (int c = 0; c < CASES; c++)
        one_case(c, true);
}

/* The f64 closest to a multiple of π/2; the C library is off by 8 units there. */
static void hardest_trig_argument_is_reduced(void)
{
    const double x = 0x1.6ac5b262ca1ffp849;
    int seen = 0;
    for (int s = 1; s < (int)(sizeof isa / sizeof *isa); s++) {
        double got = 0;
        if (!orr__cpu_use(isa[s]))
            continue;
        seen++;
        orr__cpu_vec()->row[ORR_F64][orr__ew_find("cos")->op.id - ORR__OP_EW](&got, &x, NULL, NULL, 1);
        ORR_CHECK_MSG(fabs(got + 0x1.14ae72e6ba22fp-61) <= 0x1p-113, "%s: %a", isa[s], got);
    }
    (void)orr__cpu_use(NULL);
    if (!seen)
        ORR_SKIP("the C library's");
}

/* A product with the lost bits would show a loss. */
static void subnormal_numbers_pass_whole(void)
{
    static const char *const row[] = {
        "expm1", "log1p", "sinh", "tanh", "sin", "tan", "asin", "atan", "asinh", "atanh"
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const float x[] = { 0x1p-149f, -0x3p-149f, -0.0f };
        const double y[] = { 0x1p-1074, -0x3p-1074, -0.0 };
        const int at = orr__ew_find(row[k])->op.id - ORR__OP_EW;
        float got[3];
        double wide[3];
        orr__cpu_vec()->row[ORR_F32][at](got, x, NULL, NULL, 3);
        orr__cpu_vec()->row[ORR_F64][at](wide, y, NULL, NULL, 3);
        ORR_CHECK_MSG(memcmp(got, x, sizeof x) == 0, "%s: %a, %a, %a", row[k], (double)got[0], (double)got[1],
                      (double)got[2]);
        ORR_CHECK_MSG(memcmp(wide, y, sizeof y) == 0, "%s: %a, %a, %a", row[k], wide[0], wide[1], wide[2]);
    }
}

/* A probability computed from it must not exceed 1. */
static void erf_reaches_and_never_exceeds_one(void)
{
    static double x[N], got[N];
    for (int i = 0; i < N; i++)
        x[i] = (double)(float)((i & 1 ? -1 : 1) * (i < 8 ? exp2(i * i * 2 + 2) : 3 + i * (1.5 / N)));
    x[0] = (double)INFINITY;
    for (int s = 0; s < (int)(sizeof isa / sizeof *isa); s++) {
        if (!orr__cpu_use(isa[s]))
            continue;
        apply(orr__cpu_vec()->row[ORR_F32][orr__ew_find("erf")->op.id - ORR__OP_EW], false, x, x, got);
        for (int i = 0; i < N; i++)
            ORR_CHECK_MSG(fabs(got[i]) <= 1 && (fabs(x[i]) < 4 || got[i] == copysign(1, x[i])), "%s: erf(%a) is %a",
                          isa[s], x[i], got[i]);
    }
    (void)orr__cpu_use(NULL);
}

/* Tiles end anywhere: a value is the same in the middle of a vector and among the last few of a block. */
static void value_does_not_depend_on_block_position(void)
{
    enum { M = 67 };
    static double x[N], y[N];
    for (int k = 0; k < orr__ew_count(); k++)
        for (int wide = 0; wide < 2; wide++) {
            const orr__ewrow *row = orr__ew(ORR__OP_EW + k);
            orr_dtype t = wide ? ORR_F64 : ORR_F32;
            size_t size = orr_dtype_size(t), out = orr_dtype_size(orr__ew_result(row, t));
            orr__vecfn *fn = orr__cpu_vec()->row[t][k];
            unsigned char in[3][M * 8], all[M * 16], one[16];
            if (!fn || row->cond || !fill(row, wide != 0, x, y))
                continue;
            for (int i = 0; i < M; i++)
                for (int o = 0; o < 3; o++)
                    orr__scalar_store(in[o] + (size_t)i * size, t,
                                      (orr__scalar){ .f = o == 1 ? y[i + 600] : x[i + 600] });
            fn(all, in[0], in[1], in[2], M);
            for (int i = 0; i < M; i++) {
                size_t p = (size_t)i * size;
                fn(one, in[0] + p, in[1] + p, in[2] + p, 1);
                ORR_CHECK_MSG(memcmp(one, all + (size_t)i * out, out) == 0, "%s %s, element %d", row->op.name,
                              orr_dtype_name(t), i);
            }
        }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(f32_values_are_close),
                                      ORR_TEST(f64_values_are_close),
                                      ORR_TEST(hardest_trig_argument_is_reduced),
                                      ORR_TEST(subnormal_numbers_pass_whole),
                                      ORR_TEST(erf_reaches_and_never_exceeds_one),
                                      ORR_TEST(value_does_not_depend_on_block_position),
                                      { 0 } };
    return orr_test_main(argc, argv, "codelets.vmath", tests);
}
