/* The element-wise rows on single values, against values computed elsewhere in higher precision.
 * Must not know: engines. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "ops/ew_id.h"
#include "tests/ops/golden_ew.h"
#include "tests/harness/harness.h"

typedef struct {
    int cases, wrong;
    bool seen[ORR__EW_END - ORR__OP_EW];
    double worst[ORR__EW_END - ORR__OP_EW];
} tally;

static void compare(const golden_block *b, void *user)
{
    static const orr__scalar none = { .u = 0 };
    tally *t = user;
    int at = b->row->op.id - ORR__OP_EW, bad = 0;
    t->seen[at] = true;
    for (int i = 0; i < b->n; i++) {
        double ulps;
        char text[200];
        orr__scalar got =
            orr__ew_eval(b->row, b->dtype, b->in[0][i], b->in[1] ? b->in[1][i] : none, b->in[2] ? b->in[2][i] : none);
        bool ok = golden_close(b, i, got, &ulps);
        t->cases++;
        t->wrong += !ok;
        t->worst[at] = fmax(t->worst[at], ulps);
        if (!ok && bad++ < 5)
            ORR_CHECK_MSG(ok, "%s (%.1f ulp)", golden_text(b, i, got, text, sizeof text), ulps);
    }
}

static void against(const char *file, unsigned types)
{
    static const orr_dtype some[] = { ORR_F32, ORR_I32, ORR_BOOL };
    tally t = { 0 };
    ORR_REQUIRE(golden_each(file, compare, &t));
    ORR_CHECK_MSG(t.wrong == 0, "%s: %d of %d wrong", file, t.wrong, t.cases);
    for (int i = 0; i < orr__ew_count(); i++) {
        const orr__ewrow *row = orr__ew(ORR__OP_EW + i);
        for (size_t k = 0; k < sizeof some / sizeof *some; k++)
            if ((types >> k & 1) && orr__ew_takes_scalars(row, some[k]) && !(types == 1 && row->types == ORR__TWIDE))
                ORR_CHECK_MSG(t.seen[i], "%s has no rows for %s", file, row->op.name);
        if (getenv("ORR_TEST_ULPS") && t.worst[i] > 0)
            printf("%s %s %.2f\n", file, row->op.name, t.worst[i]);
    }
}

static void f32_is_within_the_promised_ulps(void)
{
    against("f32.txt", 1);
}
static void f64_is_within_the_promised_ulps(void)
{
    against("f64.txt", 1);
}
static void f16_is_the_rounded_f32_value(void)
{
    against("f16.txt", 1);
}
static void bf16_is_the_rounded_f32_value(void)
{
    against("bf16.txt", 1);
}
static void ints_and_bools_are_as_in_numpy(void)
{
    against("ints.txt", 6);
}

static void rows_know_themselves(void)
{
    for (int i = 0; i < orr__ew_count(); i++) {
        const orr__ewrow *row = orr__ew(ORR__OP_EW + i);
        ORR_CHECK(row && row->op.id == ORR__OP_EW + i && orr__ew_find(row->op.name) == row);
        ORR_CHECK_MSG(row->lo < row->hi && row->flops > 0 && row->doc[0] && row->value[0], "%s", row->op.name);
    }
    ORR_CHECK(!orr__ew(ORR__OP_EW - 1) && !orr__ew(ORR__EW_END) && !orr__ew_find("no such row"));
}

static void primitives_have_names(void)
{
    for (int i = 0; i < orr__structural_count(); i++)
        ORR_CHECK_MSG(orr__structural[i]->id == ORR__OP_ROLES + i && orr__structural[i]->name, "%d", i);
}

/* Exhaustive where it is cheap: every i8 and u8 pair against wide arithmetic. */
static void small_ints_wrap_for_all_pairs(void)
{
    static const orr__scalar none = { .u = 0 };
    int wrong = 0;
    for (int x = -128; x < 256; x++)
        for (int y = -128; y < 256; y++) {
            bool s = x < 128 && y < 128, u = x >= 0 && y >= 0;
            orr__scalar a = { .i = x }, b = { .i = y };
            if (s && y != 0) {
                int m = x % y, q = x / y, move = m != 0 && (m < 0) != (y < 0);
                wrong += orr__ew_eval(orr__ew(ORR__EW_floor_divide), ORR_I8, a, b, none).i != (int8_t)(q - move);
                wrong += orr__ew_eval(orr__ew(ORR__EW_remainder), ORR_I8, a, b, none).i != m + move * y;
            }
            if (s)
                wrong += orr__ew_eval(orr__ew(ORR__EW_mul), ORR_I8, a, b, none).i != (int8_t)(x * y);
            if (u)
                wrong += orr__ew_eval(orr__ew(ORR__EW_mul), ORR_U8, a, b, none).u != (uint8_t)(x * y);
            if (u)
                wrong += orr__ew_eval(orr__ew(ORR__EW_sub), ORR_U8, a, b, none).u != (uint8_t)(x - y);
        }
    ORR_CHECK_MSG(wrong == 0, "%d wrong", wrong);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(rows_know_themselves),
                                      ORR_TEST(primitives_have_names),
                                      ORR_TEST(f32_is_within_the_promised_ulps),
                                      ORR_TEST(f64_is_within_the_promised_ulps),
                                      ORR_TEST(f16_is_the_rounded_f32_value),
                                      ORR_TEST(bf16_is_the_rounded_f32_value),
                                      ORR_TEST(ints_and_bools_are_as_in_numpy),
                                      ORR_TEST(small_ints_wrap_for_all_pairs),
                                      { 0 } };
    return orr_test_main(argc, argv, "ops.elementwise", tests);
}
