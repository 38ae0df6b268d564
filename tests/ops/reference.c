/* The reference evaluation itself, on known results.
 * Must not know: engines. */
#include "config.h"

#include <math.h>
#include "runtime/base/env.h"
#include "tests/harness/ops_help.h"

static void integer_sums_widen_and_wrap(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_I8, ORR_SHAPE(3), 100);
    help_check_values(orr_sum(x, ORR_ALL_AXES, false), ORR_I64, ORR_SHAPE_0D, (double[]){ 300 });
    help_check_values(orr_add(x, x), ORR_I8, ORR_SHAPE(3), (double[]){ -56, -56, -56 });
    help_check_values(orr_prod(orr_full(ORR_U8, ORR_SHAPE(2), 255), ORR_ALL_AXES, false), ORR_U64, ORR_SHAPE_0D,
                      (double[]){ 65025 });
    help_check_values(orr_sum(orr_ones(ORR_BOOL, ORR_SHAPE(5)), ORR_ALL_AXES, false), ORR_I64, ORR_SHAPE_0D,
                      (double[]){ 5 });
    (void)orr_scope_end(s);
}

static void f32_sums_are_wider_than_f32(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(4), (float[]){ 1e8f, 1, 1, -1e8f });
    help_check_values(orr_sum(x, ORR_ALL_AXES, false), ORR_F32, ORR_SHAPE_0D, (double[]){ 2 });
    (void)orr_scope_end(s);
}

static void f16_is_rounded_after_every_op(void)
{
    bool kept = orr__env.excess_precision;
    orr__env.excess_precision = false;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_F16, ORR_SHAPE(1), 2048);
    orr_tensor *y = orr_sub(orr_add(x, orr_scalar(1)), orr_scalar(2048)); /* 2049 is not in f16 */
    help_check_values(y, ORR_F16, ORR_SHAPE(1), (double[]){ 0 });
    (void)orr_scope_end(s);
    orr__env.excess_precision = kept;
}

static void chained_views_see_the_right_elements(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_reshape(orr_arange(ORR_I32, 0, 24, 1), ORR_SHAPE(2, 3, 4));
    orr_tensor *y = orr_permute(x, ORR_AXES(2, 0, 1));                                /* y[i,j,k] = 12j + 4k + i */
    y = orr_slice(y, ORR_INDEX(ORR_END, 1), ORR_INDEX(ORR_END, 2), ORR_INDEX(-2, 1)); /* i = 3, 1; j = 1 */
    help_check_values(orr_reshape(y, ORR_SHAPE(3, 2)), ORR_I32, ORR_SHAPE(3, 2), (double[]){ 15, 19, 23, 13, 17, 21 });
    (void)orr_scope_end(s);
}

static void first_of_equals_and_nan_win_in_argmax(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2, 4), (float[]){ 1, 7, 7, 0, 2, NAN, 9, NAN });
    help_check_values(orr_argmax(x, 1, false), ORR_I64, ORR_SHAPE(2), (double[]){ 1, 1 });
    help_check_values(orr_argmin(x, 1, false), ORR_I64, ORR_SHAPE(2), (double[]){ 3, 1 });
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(integer_sums_widen_and_wrap),           ORR_TEST(f32_sums_are_wider_than_f32),
        ORR_TEST(f16_is_rounded_after_every_op),         ORR_TEST(chained_views_see_the_right_elements),
        ORR_TEST(first_of_equals_and_nan_win_in_argmax), { 0 }
    };
    return help_main(argc, argv, "ops.reference", tests);
}
