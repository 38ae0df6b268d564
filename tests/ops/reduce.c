/* Reductions, against NumPy.
 * Must not know: how a value is computed. */
#include "config.h"

#include "tests/harness/ops_help.h"

static void reductions_agree_with_numpy(void)
{
    help_numpy("numpy/reduce.txt", NULL);
}

static void bf16_is_computed_in_f32_and_rounded_once(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_BF16, ORR_SHAPE(300), 1);
    help_check_values(orr_mean(x, ORR_ALL_AXES, false), ORR_BF16, ORR_SHAPE_0D, (double[]){ 1 });
    help_check_values(orr_norm(orr_full(ORR_F16, ORR_SHAPE(4), 300), ORR_ALL_AXES, false), ORR_F16, ORR_SHAPE_0D,
                      (double[]){ 600 });
    (void)orr_scope_end(s);
}

static void long_sum_of_f32_keeps_its_digits(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(1 << 17, 3), 0.1);
    double want = (double)0.1f * (1 << 17);
    help_check(orr_sum(x, ORR_AXES(0), false), ORR_F32, ORR_SHAPE(3),
               (orr__scalar[]){ { .f = want }, { .f = want }, { .f = want } }, 1, "sum");
    (void)orr_scope_end(s);
}

static void reductions_over_broadcast_and_flipped_views(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_broadcast_to(orr_flip(orr_arange(ORR_F64, 0, 3, 1), ORR_ALL_AXES), ORR_SHAPE(2, 3));
    help_check_values(orr_sum(x, ORR_AXES(0), false), ORR_F64, ORR_SHAPE(3), (double[]){ 4, 2, 0 });
    help_check_values(orr_argmax(x, 1, true), ORR_I64, ORR_SHAPE(2, 1), (double[]){ 0, 0 });
    help_check_values(orr_max(orr_transpose(x), ORR_AXES(1), false), ORR_F64, ORR_SHAPE(3), (double[]){ 2, 1, 0 });
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(reductions_agree_with_numpy),
                                      ORR_TEST(bf16_is_computed_in_f32_and_rounded_once),
                                      ORR_TEST(long_sum_of_f32_keeps_its_digits),
                                      ORR_TEST(reductions_over_broadcast_and_flipped_views),
                                      { 0 } };
    return help_main(argc, argv, "ops.reduce", tests);
}
