/* The element-wise rows, as each tier computes them, keep their documented bounds: against exact values by MPFR.
 * docs/accuracy.md is made by the same functions, from many more arguments.
 * Must not know: how a value is computed. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "tests/ops/accuracy.h"
#include "tests/harness/harness.h"

#ifdef HAVE_MPFR

#include <math.h>
#include <string.h>

typedef struct {
    double *got;
    acc_exact *want;
    int rows, others, said;
} work;

static void complain(work *w, const char *tier, const orr__ewrow *row, orr_dtype d, const acc_args *a, int i, double u)
{
    char at[100];
    if (w->said++ > 60)
        return;
    ORR_CHECK_MSG(false, "%s, %s %s at %s: %a, not %La: %.3g ulp", tier, row->op.name, orr_dtype_name(d),
                  acc_args_text(a, i, at, sizeof at), w->got[i], w->want[i].hi, u);
}

/* Processors without fused multiply-adds use the C library's f64 trigonometric functions: the error of glibc 2.36 at the
 * double closest to a multiple of π/2. */
static double known(const orr__ewrow *row, orr_dtype d, double x)
{
    bool there = d == ORR_F64 && fabs(x) == 6381956970095103 * 0x1p797;
    return there && !strcmp(row->op.name, "cos") ? 8 : there && !strcmp(row->op.name, "tan") ? 16 : 0;
}

/* Compares one row and dtype: the worst argument, and the first wrong special value. */
static void compare(work *w, const char *tier, const orr__ewrow *row, orr_dtype d, const acc_args *a)
{
    int worst = -1, special = -1;
    double most = acc_bound(row, d);
    for (int i = 0; i < a->n; i++) {
        double in[3] = { a->in[0][i], a->in[1] ? a->in[1][i] : 0, a->in[2] ? a->in[2][i] : 0 };
        double u = acc_ulps(d, w->got[i], &w->want[i], acc_scale(row, in));
        if (u <= most || u <= known(row, d, in[0]))
            continue;
        if (isinf(u)) {
            special = special < 0 ? i : special;
        } else {
            most = u;
            worst = i;
        }
    }
    if (worst >= 0)
        complain(w, tier, row, d, a, worst, most);
    if (special >= 0)
        complain(w, tier, row, d, a, special, INFINITY);
}

static void one(work *w, acc_tier *tiers, const int *which, int ntier, const orr__ewrow *row, orr_dtype d)
{
    acc_args a;
    ORR_REQUIRE(acc_args_make(row, d, acc_test_size, &a));
    w->got = malloc((size_t)a.n * sizeof *w->got);
    w->want = malloc((size_t)a.n * sizeof *w->want);
    for (int i = 0; w->got && w->want && i < a.n; i++) {
        double in[3] = { a.in[0][i], a.in[1] ? a.in[1][i] : 0, a.in[2] ? a.in[2][i] : 0 };
        acc_exactly(row, d, in, &w->want[i]);
    }
    for (int t = 0; w->got && w->want && t < ntier; t++) {
        char how = acc_tier_next(&tiers[t], a.n, w->got);
        ORR_CHECK_MSG(how != 'x', "%s cannot compute %s %s", acc_tier_name[which[t]], row->op.name, orr_dtype_name(d));
        w->others += how == 'o';
        w->rows++;
        if (how != 'x')
            compare(w, acc_tier_name[which[t]], row, d, &a);
    }
    free(w->got);
    free(w->want);
    acc_args_free(&a);
}

/* All tiers of a test use the same arguments, whose exact values are computed once. */
static void judge(const int *which, int ntier)
{
    acc_tier tiers[ACC_TIERS];
    work w = { 0 };
    bool there = true;
    for (int t = 0; t < ntier; t++) {
        acc_tier_start(&tiers[t], which[t], acc_test_size, orr_test_kernels());
        there = there && tiers[t].there;
    }
    for (int i = 0; there && acc_row(i); i++)
        for (int d = 0; d < 4; d++)
            if (acc_takes(acc_row(i), acc_dtype[d]))
                one(&w, tiers, which, ntier, acc_row(i), acc_dtype[d]);
    for (int t = 0; t < ntier; t++) {
        if (!tiers[t].there)
            printf("    %s: %s\n", acc_tier_name[which[t]], tiers[t].what);
        acc_tier_end(&tiers[t]);
    }
    acc_done();
    if (!there)
        ORR_SKIP("a tier is missing, see above");
    printf("    %d rows and dtypes, %d of them not by the tier itself\n", w.rows, w.others);
}

static void every_tier_keeps_its_promises(void)
{
    char part[16];
    unsigned due = 0;
    while (!orr_test_due(due, ACC_PARTS))
        due++;
    (void)snprintf(part, sizeof part, "%u", due);
    if (!orr_test_full())
        (void)setenv(ACC_PART, part, 1);
    judge((const int[]){ ACC_TIER0, ACC_BASE, ACC_TIER1 }, 3);
}

static void distances_are_in_units_of_the_last_place(void)
{
    acc_exact one = { .hi = 1, .lo = 0 }, tiny = { .hi = 0x1p-1200L }, third = { .hi = 1 / 3.0L };
    ORR_CHECK(acc_ulps(ORR_F32, 1, &one, 0) == 0);
    ORR_CHECK(acc_ulps(ORR_F32, 1 + 0x1p-23, &one, 0) == 1);
    ORR_CHECK(acc_ulps(ORR_F64, 1 + 0x1p-52, &one, 0) == 1);
    ORR_CHECK(acc_ulps(ORR_F16, 1 - 0x1p-11, &one, 0) == 0.5);
    ORR_CHECK(acc_ulps(ORR_BF16, 1 + 0x1p-7, &one, 0) == 1);
    ORR_CHECK(isinf(acc_ulps(ORR_F32, -1, &one, 0)) && isinf(acc_ulps(ORR_F32, NAN, &one, 0)));
    ORR_CHECK(acc_ulps(ORR_F32, 0, &tiny, 0) < 0.01 && isinf(acc_ulps(ORR_F32, -0.0, &tiny, 0)));
    ORR_CHECK(acc_ulps(ORR_F32, 0x1p-149, &tiny, 0) > 0.99);
    ORR_CHECK(acc_ulps(ORR_F32, (double)(1 / 3.0f), &third, 0) < 0.5);
    acc_exact over = { .hi = 0x1p1030L }, most = { .hi = 0x1.fffffep127L }, inf = { .hi = INFINITY };
    ORR_CHECK(acc_ulps(ORR_F32, INFINITY, &over, 0) == 0 && acc_ulps(ORR_F32, 0x1.fffffep127, &over, 0) == 1);
    ORR_CHECK(acc_ulps(ORR_F32, INFINITY, &most, 0) == 1 && isinf(acc_ulps(ORR_F32, 0x1.fffffep127, &inf, 0)));
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(distances_are_in_units_of_the_last_place),
                                      ORR_TEST(every_tier_keeps_its_promises),
                                      { 0 } };
    int status;
    return acc_tier_main(&status) ? status : orr_test_main(argc, argv, "ops.accuracy", tests);
}

#else

static void rows_keep_their_promises(void)
{
    ORR_SKIP("configure found no MPFR (Debian, Ubuntu: libmpfr-dev), which gives the exact values");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(rows_keep_their_promises), { 0 } };
    return orr_test_main(argc, argv, "ops.accuracy", tests);
}

#endif
