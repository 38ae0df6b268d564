/* ORRERY_CHECK=overflow,bounds: integers that are not the true value, and indices out of range, are named by line, operation, element and
 * operands; results are those of an evaluation without the check.
 * Must not know: how the line is found. */
#include "config.h"
#include <math.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/check_help.h"
#include "tests/harness/harness.h"

enum { N = 1000000, PLACE = 771234 };

/* One line was logged, and it is this one. */
static void said(int line, const char *text)
{
    char place[300];
    (void)snprintf(place, sizeof place, "check_integers.c:%d: %s", line, text);
    ORR_CHECK_MSG(orr_test_heard.n == 1 && strstr(orr_test_heard.last, place), "%d: \"%s\" should have \"%s\"",
                  orr_test_heard.n, orr_test_heard.last, place);
    orr_test_unhear();
}

static orr_tensor *whole(int64_t v)
{
    return orr_full(ORR_I32, ORR_SHAPE_0D, (double)v);
}

/* 0, and `v` at PLACE. */
static orr_tensor *planted(int64_t v)
{
    return orr_where(orr_equal(orr_arange(ORR_I32, 0, N, 1), whole(PLACE)), whole(v), whole(0));
}

static void value_is(orr_tensor *t, double want)
{
    double v = 0;
    ORR_CHECK_MSG(orr_item(orr_sum(orr_cast(t, ORR_F64), ORR_ALL_AXES, false), &v) == ORR_OK && v == want,
                  "%g, not %g: %s", v, want, orr_error_message());
}

/* In the lanes and tiers, each of which has to name another line, as a line is named once. */
static void sum_overflows(void)
{
    value_is(orr_sub(orr_add(planted(2147483500), whole(500)), whole(500)), 2147483500.0);
    said(__LINE__ - 1, "add: element [771234] is -2147483296, made from 2147483500 and 500: int32 has no such value");
}

static void product_overflows(void)
{
    value_is(orr_square(planted(50000)), -1794967296.0);
    said(__LINE__ - 1, "square: element [771234] is -1794967296, made from 50000: int32 has no such value");
}

static void cast_loses(void)
{
    value_is(orr_cast(planted(-3), ORR_U8), 253);
    said(__LINE__ - 1, "cast: element [771234] is 253, made from -3: uint8 has no such value");
}

static void shift_loses(void)
{
    value_is(orr_bitwise_left_shift(planted(3), whole(31)), -2147483648.0);
    said(__LINE__ - 1, "bitwise_left_shift: element [771234] is -2147483648, made from 3 and 31");
}

static void one_element_of_a_million_is_named(void)
{
    static const char *const lane[] = { NULL, "0", NULL, "0" }, *const jit[] = { "off", "wait", "off", "off" };
    static void (*const plant[])(void) = { sum_overflows, product_overflows, cast_loses, shift_loses };
    for (int k = 0; k < 4; k++) {
        orr_test_check_begin(k % 2 ? "nonfinite,overflow,bounds" : "overflow", lane[k], jit[k]);
        orr_scope *s = orr_scope_begin();
        plant[k]();
        (void)orr_scope_end(s);
        orr_test_check_end();
    }
}

static void every_kind_is_named(void)
{
    orr_test_check_begin("overflow", NULL, "off");
    orr_scope *s = orr_scope_begin();
    value_is(orr_neg(planted(INT32_MIN)), INT32_MIN);
    said(__LINE__ - 1, "neg: element [771234] is -2147483648, made from -2147483648");
    value_is(orr_floor_divide(whole(7), orr_sub(planted(1), whole(1))), -7.0 * (N - 1));
    said(__LINE__ - 1, "floor_divide: element [771234] is 0, made from 7 and 0");
    value_is(orr_cast(orr_log(orr_cast(orr_sub(whole(1), planted(1)), ORR_F32)), ORR_I64), (double)INT64_MIN);
    said(__LINE__ - 1, "cast: element [771234] is -9223372036854775808, made from -inf");
    int64_t many[] = { 1, 2, INT64_MAX, 3 };
    value_is(orr_sum(orr_from(ORR_I64, ORR_SHAPE(2, 2), many), ORR_AXES(1), false), (double)(INT64_MIN + 2) + 3);
    said(__LINE__ - 1,
         "sum: element [1, 0] is -9223372036854775806, and not about 9.22337204e+18: int64 has no such value");
    value_is(orr_matmul(orr_full(ORR_I8, ORR_SHAPE(1, 4), 11), orr_full(ORR_I8, ORR_SHAPE(4, 1), 10)), -72);
    said(__LINE__ - 1, "cast: element [0, 0] is -72, made from 440: int8");
    orr_tensor *three = orr_full(ORR_U8, ORR_SHAPE(3), 100);
    orr_tensor *ones = orr_from(ORR_I64, ORR_SHAPE(2), (int64_t[]){ 1, 1 });
    value_is(orr_scatter_add(three, ones, orr_full(ORR_U8, ORR_SHAPE(2), 90), 0), 224);
    said(__LINE__ - 1, "scatter_add: element [1] is 24, and not about 280: uint8");
    ORR_CHECK(orr_test_heard.n == 0);
    (void)orr_scope_end(s);
    orr_test_check_end();
}

static void indices_are_named(void)
{
    orr_test_check_begin("bounds", NULL, "off");
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_arange(ORR_F32, 0, 5, 1), *index = orr_add(planted(9), whole(-4));
    ORR_CHECK(orr_eval(orr_take(x, index, 0)) == ORR_EINDEX);
    ORR_CHECK_MSG(strstr(orr_error_message(), "index 5 "), "%s", orr_error_message());
    said(__LINE__ - 2, "take: element [771234] of the indices is 5, out of range for axis 0 of length 5");
    orr_tensor *pair = orr_full(ORR_I64, ORR_SHAPE(3, 1), 4); /* a composition: x as flat is taken */
    ORR_CHECK(orr_eval(orr_take_along_axis(orr_ones(ORR_F32, ORR_SHAPE(3, 4)), pair, 1)) == ORR_EINDEX);
    said(__LINE__ - 1, "take_along_axis: element [0, 0] of the indices is out of range");
    orr_tensor *unread = orr_slice(orr_take(x, index, 0), ORR_INDEX(0), ORR_INDEX(10), ORR_INDEX(1));
    value_is(unread, 10);
    said(__LINE__ - 2, "take: element [771234] of the indices is 5");
    orr_tensor *labels = orr_from(ORR_I32, ORR_SHAPE(2, 2), (int32_t[]){ 0, 3, -1, 2 });
    value_is(orr_one_hot(labels, 3, ORR_F32), 2);
    said(__LINE__ - 1, "one_hot: element [0, 1] of the indices is 3, which names none of 3 classes");
    orr_tensor *logits = orr_zeros(ORR_F32, ORR_SHAPE(2, 2, 4));
    orr_class_options ignore = { .ignores = true, .ignored = -1 };
    ORR_CHECK(orr_eval(orr_cross_entropy_with(logits, labels, &ignore)) == ORR_OK && orr_test_heard.n == 0);
    ORR_CHECK(orr_eval(orr_cross_entropy(logits, labels)) == ORR_OK);
    said(__LINE__ - 1, "cross_entropy: element [1, 0] of the indices is -1, which names none of 4 classes");
    (void)orr_scope_end(s);
    orr_test_check_end();
}

/* Values at the bounds, unsigned indices from the end, masks, and gradients of integers' neighbours. */
static void right_programs_are_not_blamed(void)
{
    orr_test_check_begin("nonfinite,overflow,bounds", NULL, "off");
    orr_scope *s = orr_scope_begin();
    value_is(orr_add(planted(INT32_MAX - 5), whole(5)), (double)INT32_MAX + 5.0 * (N - 1));
    value_is(orr_take(orr_arange(ORR_I32, 0, 5, 1), orr_from(ORR_I64, ORR_SHAPE(3), (int64_t[]){ -5, 4, -1 }), 0), 8);
    value_is(orr_cumulative_prod(planted(3), 0, false), 0);
    value_is(orr_cast(orr_full(ORR_F32, ORR_SHAPE(3), -0.5), ORR_U8), 0);
    value_is(orr_bitwise_xor(whole(-1), whole(5)), -6);
    orr_tensor *v = orr_variable(orr_ones(ORR_F32, ORR_SHAPE(4))), *g = NULL;
    orr_tensor *taken = orr_take(v, orr_from(ORR_I64, ORR_SHAPE(2), (int64_t[]){ 0, -1 }), 0);
    ORR_CHECK(orr_grad(orr_sum(taken, ORR_ALL_AXES, false), &v, 1, &g) == ORR_OK);
    value_is(g, 2);
    ORR_CHECK_MSG(orr_test_heard.n == 0, "%s", orr_test_heard.last);
    (void)orr_scope_end(s);
    orr_test_check_end();
}

/* A loop that assigns; an explicit graph; another thread's doubts do not count. */
static void steps_and_graphs_are_checked(void)
{
    orr_test_check_begin("overflow", NULL, "off");
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_full(ORR_I32, ORR_SHAPE(100), 3));
    for (int i = 0; i < 8; i++)
        ORR_CHECK(orr_assign(v, orr_mul(v, whole(19))) == ORR_OK && orr_eval(v) == ORR_OK);
    said(__LINE__ - 1, "mul: element [0] is -1613352079, made from 141137643 and 19");
    value_is(orr_slice(v, ORR_INDEX(0), ORR_INDEX(1), ORR_INDEX(1)), -588918429.0);
    orr_tensor *in = orr_placeholder(ORR_I32, ORR_SHAPE(3)), *twice = orr_add(in, in), *y;
    orr_graph *graph = orr_graph_build(&in, 1, &twice, 1);
    ORR_REQUIRE(graph);
    for (int i = 0; i < 2; i++) {
        orr_tensor *x = orr_from(ORR_I32, ORR_SHAPE(3), (int32_t[]){ 1, i * 1500000000, 2 });
        ORR_CHECK(orr_graph_submit(graph, &x, 1, &y, 1, NULL) == ORR_OK && orr_test_heard.n == i);
        value_is(y, i ? -1294967290.0 : 6);
    }
    said(__LINE__ - 8, "add: element [1] is -1294967296, made from 1500000000 and 1500000000");
    ORR_CHECK(orr_graph_free(graph) == ORR_OK);
    (void)orr_scope_end(s);
    orr_test_check_end();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(one_element_of_a_million_is_named),
                                      ORR_TEST(every_kind_is_named),
                                      ORR_TEST(indices_are_named),
                                      ORR_TEST(right_programs_are_not_blamed),
                                      ORR_TEST(steps_and_graphs_are_checked),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.check_integers", tests);
}
