/* Lesson 1: tensors, broadcasting, and the moment at which something is computed.
 * Must not know: anything but the public headers. */
#include <orrery.h>

int main(void)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();

    double heights[] = { 1.60, 1.75, 1.82 }, mean;
    orr_tensor *h = orr_from(ORR_F64, ORR_SHAPE(3), heights);                       /* a copy of the array    */
    orr_tensor *w = orr_reshape(orr_arange(ORR_F64, 60, 100, 10), ORR_SHAPE(4, 1)); /* 60 70 80 90     */
    orr_tensor *bmi = orr_div(w, orr_square(h));                                    /* (4, 1) / (3) → (4, 3)  */
    if (orr_print(stdout, bmi) != ORR_OK)                                           /* computed here          */
        return orr_error_print(stderr);
    if (orr_item(orr_mean(bmi, ORR_ALL_AXES, false), &mean) != ORR_OK) /* from the value, again here */
        return orr_error_print(stderr);
    printf("mean %.3f\n", mean);

    orr_tensor *wrong = orr_add(bmi, orr_zeros(ORR_F64, ORR_SHAPE(5))); /* no check needed …      */
    if (orr_eval(orr_exp(wrong)) != ORR_OK)                             /* … the error arrives here */
        printf("%s\n", orr_error_message());
    (void)orr_scope_end(s); /* frees all of them      */
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
