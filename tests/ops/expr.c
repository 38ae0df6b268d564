/* Expressions over table rows: the grammar and its messages; every derivative against finite differences.
 * Must not know: graphs' evaluation. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "ops/expr.h"
#include "tests/harness/harness.h"

static double eval(const char *text, double x, double y)
{
    static const bool none[5] = { false };
    orr__scalar v[5] = { { .f = x }, { .f = y }, { .f = 0 }, { .f = 0 }, { .f = 1 } };
    orr__expr e;
    char message[160];
    if (!orr_test_check(orr__expr_parse(text, &e, message, sizeof message) == ORR_OK, text, __FILE__, __LINE__, "%s",
                        message))
        return NAN;
    return orr__expr_eval(&e, ORR_F64, v, none).f;
}

static void operators_bind_as_usual(void)
{
    ORR_CHECK(eval("1+2*3", 0, 0) == 7);
    ORR_CHECK(eval("(1+2)*3", 0, 0) == 9);
    ORR_CHECK(eval("10-4-3", 0, 0) == 3);
    ORR_CHECK(eval("24/4/2*3", 0, 0) == 9);
    ORR_CHECK(eval("-x*y", 3, 4) == -12);
    ORR_CHECK(eval("2*-x", 3, 0) == -6);
    ORR_CHECK(eval("--x", 3, 0) == 3);
    ORR_CHECK(eval(" x\t- y ", 3, 4) == -1);
    ORR_CHECK(eval("1.5e2", 0, 0) == 150);
    ORR_CHECK(eval("-2", 0, 0) == -2);
}

static void comparisons_and_calls_choose(void)
{
    ORR_CHECK(eval("where(x<y, 10, 20)", 1, 2) == 10);
    ORR_CHECK(eval("where(x+1<=y, 10, 20)", 1, 2) == 10);
    ORR_CHECK(eval("where(x>=y, 10, 20)", 1, 2) == 20);
    ORR_CHECK(eval("where(x==y, 10, 20)", 2, 2) == 10);
    ORR_CHECK(eval("where(x!=y, 10, 20)", 2, 2) == 20);
    ORR_CHECK(eval("where(logical_and(x>0, y>0), maximum(x, y), 0)", 2, 3) == 3);
    ORR_CHECK(eval("hypot(x, y)", 3, 4) == 5);
}

static void equal_parts_are_one_node(void)
{
    orr__expr e;
    char message[160];
    ORR_REQUIRE(orr__expr_parse("exp(x)*exp(x)+exp(x)", &e, message, sizeof message) == ORR_OK);
    ORR_CHECK_MSG(e.n == 4, "%d", e.n); /* x, exp, mul, add */
}

static void says(const char *text, const char *want)
{
    orr__expr e;
    char message[160];
    orr_status st = orr__expr_parse(text, &e, message, sizeof message);
    ORR_CHECK_MSG(st == ORR_EFORMAT && strstr(message, want), "'%s' gives '%s', not '%s'", text, message, want);
}

static void mistakes_are_named_with_their_column(void)
{
    says("", "column 1: a value expected, not the end");
    says("x +", "column 4: a value expected");
    says("x * (y", "column 7: ')' expected");
    says("x y", "column 3: 'y' where the end or an operator should be");
    says("q", "column 1: q is none of the names x, y, z, r, g");
    says("2*frob(x)", "column 3: no function is called frob");
    says("exp(x, y)", "exp takes 1 operand");
    says("1 + hypot(x)", "column 5: hypot takes 2 operands, not 1");
    says("x + * y", "column 5: '*' where a value should start");
    says("x < y < z", "column 7: '<'");
    says("1e5.3", "column 4: '.'");
    says(".", "a number expected");
}

static void hostile_text_ends_with_a_message(void)
{
    char deep[4000], wide[4000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    says(deep, "nested too deeply");
    memset(deep, '-', sizeof deep - 1);
    says(deep, "nested too deeply");
    wide[0] = '\0';
    for (int i = 0; i < 200; i++)
        (void)snprintf(wide + strlen(wide), sizeof wide - strlen(wide), i ? "+%d*x" : "%d*x", i);
    says(wide, "too long");
    char tiny[4] = "";
    orr__expr e;
    ORR_CHECK(orr__expr_parse("(", &e, tiny, sizeof tiny) == ORR_EFORMAT && strlen(tiny) < sizeof tiny);
    ORR_CHECK(orr__expr_parse("(", &e, NULL, 0) == ORR_EFORMAT);
}

static void every_derivative_parses(void)
{
    int n = 0;
    for (int i = 0; i < orr__ew_count(); i++) {
        const orr__ewrow *row = orr__ew(ORR__OP_EW + i);
        for (int k = 0; k < row->arity; k++) {
            orr__expr e;
            char message[160];
            if (!row->deriv[k][0])
                continue;
            ORR_CHECK_MSG(orr__expr_parse(row->deriv[k], &e, message, sizeof message) == ORR_OK, "%s: %s", row->op.name,
                          message);
            n++;
        }
    }
    ORR_CHECK(n > 60);
}

static double value(const orr__ewrow *row, const double v[3])
{
    orr__scalar s[3] = { { .f = v[0] }, { .f = v[1] }, { .f = v[2] } };
    if (row->cond)
        s[0] = (orr__scalar){ .u = v[0] > 0 };
    return orr__ew_eval(row, ORR_F64, s[0], s[1], s[2]).f;
}

/* Central differences of two widths. If they do not agree, the point is at a kink or an edge, and is skipped. */
static bool slope(const orr__ewrow *row, const double at[3], int k, double *out)
{
    double d[2];
    for (int i = 0; i < 2; i++) {
        double lo[3] = { at[0], at[1], at[2] }, hi[3] = { at[0], at[1], at[2] };
        double h = (i ? 1e-5 : 2e-5) * fmax(fabs(at[k]), 1e-2);
        lo[k] -= h;
        hi[k] += h;
        d[i] = (value(row, hi) - value(row, lo)) / (hi[k] - lo[k]);
    }
    *out = d[1];
    return isfinite(d[0]) && isfinite(d[1]) && fabs(d[0] - d[1]) <= 1e-6 * fmax(1, fabs(d[1]));
}

static void check_derivative(const orr__ewrow *row, int k)
{
    unsigned long long seed = 17 + (unsigned)row->op.id;
    int good = 0;
    orr__expr e;
    char message[160];
    ORR_REQUIRE(orr__expr_parse(row->deriv[k], &e, message, sizeof message) == ORR_OK);
    for (int i = 0; i < 200; i++) {
        double at[3], want;
        for (int j = 0; j < 3; j++)
            at[j] = row->lo + (row->hi - row->lo) * (double)(orr_test_rand(&seed) >> 11) * 0x1p-53;
        if (!slope(row, at, k, &want))
            continue;
        orr__scalar v[5] = { { .f = at[0] }, { .f = at[1] }, { .f = at[2] }, { .f = value(row, at) }, { .f = 0.75 } };
        bool is_bool[5] = { row->cond, false, false, false, false };
        if (row->cond)
            v[0] = (orr__scalar){ .u = at[0] > 0 };
        double got = orr__expr_eval(&e, ORR_F64, v, is_bool).f / 0.75;
        double scale = fmax(1e-3, fmax(fabs(want), fabs(v[3].f) * 1e-3 / fmax(fabs(at[k]), 1e-2)));
        ORR_CHECK_MSG(fabs(got - want) <= 2e-5 * scale, "d%d %s at %g, %g, %g: %.12g, by differences %.12g", k,
                      row->op.name, at[0], at[1], at[2], got, want);
        good++;
    }
    ORR_CHECK_MSG(good > 100, "%s: %d usable points", row->op.name, good);
}

static void derivatives_agree_with_finite_differences(void)
{
    for (int i = 0; i < orr__ew_count(); i++) {
        const orr__ewrow *row = orr__ew(ORR__OP_EW + i);
        for (int k = 0; k < row->arity; k++)
            if (row->deriv[k][0] && row->result != ORR__EW_PAIR)
                check_derivative(row, k);
    }
}

/* A row without a derivative in the table must be flat, or not a function of real numbers. */
static void rows_without_derivative_are_flat(void)
{
    for (int i = 0; i < orr__ew_count(); i++) {
        const orr__ewrow *row = orr__ew(ORR__OP_EW + i);
        bool smooth = orr__ew_takes_scalars(row, ORR_F64) && !row->to_bool && strcmp(row->op.name, "nextafter") != 0;
        unsigned long long seed = 5;
        for (int k = row->cond ? 1 : 0; smooth && k < row->arity; k++)
            for (int j = 0; j < 50 && !row->deriv[k][0]; j++) {
                double at[3], d;
                for (int c = 0; c < 3; c++)
                    at[c] = row->lo + (row->hi - row->lo) * (double)(orr_test_rand(&seed) >> 11) * 0x1p-53;
                if (slope(row, at, k, &d))
                    ORR_CHECK_MSG(d == 0, "%s has slope %g by operand %d", row->op.name, d, k);
            }
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(operators_bind_as_usual),
                                      ORR_TEST(comparisons_and_calls_choose),
                                      ORR_TEST(equal_parts_are_one_node),
                                      ORR_TEST(mistakes_are_named_with_their_column),
                                      ORR_TEST(hostile_text_ends_with_a_message),
                                      ORR_TEST(every_derivative_parses),
                                      ORR_TEST(derivatives_agree_with_finite_differences),
                                      ORR_TEST(rows_without_derivative_are_flat),
                                      { 0 } };
    return orr_test_main(argc, argv, "ops.expr", tests);
}
