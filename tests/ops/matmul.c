/* Matmul, against NumPy.
 * Must not know: how a value is computed. */
#include "config.h"

#include <string.h>
#include "runtime/graph/node.h"
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

/* x (2, 3, 2) times one factor (2, 2): the gradient of Σ y·g by the factor is Σ over the stack of xᵀ·g, one product of (2, 6) and (6, 2). */
static void gradient_of_one_factor_of_a_stack(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_reshape(orr_arange(ORR_F32, 0, 12, 1), ORR_SHAPE(2, 3, 2)), *grad = NULL;
    orr_tensor *w = orr_full(ORR_F32, ORR_SHAPE(2, 2), 1), *g = orr_sub(x, orr_scalar(5));
    orr_tensor *y = orr_sum(orr_mul(orr_matmul(x, w), g), ORR_ALL_AXES, false);
    ORR_REQUIRE(orr_grad(y, &w, 1, &grad) == ORR_OK);
    const orr__node *n = orr__handle_node(grad);
    while (strcmp(n->op->name, "matmul") != 0 && n->nin == 1)
        n = n->in[0];
    ORR_CHECK(strcmp(n->op->name, "matmul") == 0 && n->shape.rank == 2); /* one product for the whole stack */
    /* column sums of x: 30, 36; of squares 220, 286; of neighbours 250 */
    help_check_values(grad, ORR_F32, ORR_SHAPE(2, 2), (double[]){ 220 - 150, 250 - 150, 250 - 180, 286 - 180 });
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(matmul_agrees_with_numpy),
                                      ORR_TEST(matmul_of_views),
                                      ORR_TEST(half_accumulates_wider),
                                      ORR_TEST(gradient_of_one_factor_of_a_stack),
                                      { 0 } };
    return help_main(argc, argv, "ops.matmul", tests);
}
