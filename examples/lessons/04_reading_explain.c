/* Lesson 4: the kernels of a graph, as orr_explain prints them before anything is computed.
 * Must not know: anything but the public headers. */
#include <orrery.h>

int main(void)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(512, 256)), *w = orr_ones(ORR_F32, ORR_SHAPE(256, 128));
    if (orr_eval_all(ORR_TENSORS(x, w)) != ORR_OK)
        return orr_error_print(stderr);

    orr_tensor *hidden = orr_relu(orr_matmul(x, w));                   /* the product's epilogue */
    orr_tensor *y = orr_softmax(orr_mul(hidden, orr_scalar(0.1)), -1); /* folds rows             */
    if (orr_explain(stdout, y) != ORR_OK)                              /* computes nothing       */
        return orr_error_print(stderr);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
