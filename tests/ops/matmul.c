/* Matmul, against NumPy.
 * Must not know: how a value is computed. */
#include "config.h"

#include "tests/harness/ops_help.h"

static void matmul_agrees_with_numpy(void)
{
    help_numpy("numpy/matmul.txt", NULL);
}

static void matmul_of_views(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_reshape(orr_arange(ORR_F32, 0, 12, 1), ORR_SHAPE(3, 4));
    orr_tensor *part = orr_slice(a, ORR_INDEX(0, 0), ORR_INDEX(3, 4), ORR_INDEX(2, 2)); /* 0 2; 8 10 */
    orr_tensor *back = orr_flip(part, ORR_AXES(1));                                     /* 2 0; 10 8 */
    help_check_values(orr_matmul(part, back), ORR_F32, ORR_SHAPE(2, 2), (double[]){ 20, 16, 116, 80 });
    orr_tensor *row = orr_broadcast_to(orr_arange(ORR_F32, 1, 3, 1), ORR_SHAPE(2, 2)); /* 1 2; 1 2 */
    help_check_values(orr_matmul(row, orr_transpose(part)), ORR_F32, ORR_SHAPE(2, 2), (double[]){ 4, 28, 4, 28 });
    (void)orr_scope_end(s);
}

static void half_accumulates_wider(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_BF16, ORR_SHAPE(1, 1024), 1);
    help_check_values(orr_matmul(x, orr_transpose(x)), ORR_BF16, ORR_SHAPE(1, 1), (double[]){ 1024 });
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(matmul_agrees_with_numpy), ORR_TEST(matmul_of_views), ORR_TEST(half_accumulates_wider), { 0 }
    };
    return help_main(argc, argv, "ops.matmul", tests);
}
