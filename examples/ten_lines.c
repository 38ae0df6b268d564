/* The program of the README: a row of scores becomes probabilities, in a graph that runs when it is asked for.
 * Must not know: anything but the public headers. */
#include <orrery.h>

int main(void)
{
    if (orr_init(NULL) != ORR_OK) /* NULL: the environment decides */
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin(); /* owns all that is made below  */
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(4, 784), 0.0, 1.0);
    orr_tensor *w = orr_randn(ORR_F32, ORR_SHAPE(784, 10), 0.0, 0.05);
    orr_tensor *y = orr_softmax(orr_matmul(x, w), -1); /* a graph; nothing has run     */
    if (orr_print(stdout, y) != ORR_OK)                /* fuse, plan, submit, wait     */
        return orr_error_print(stderr);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
