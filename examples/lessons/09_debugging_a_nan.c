/* Lesson 9: a loss is NaN; the line, the operation and the element that made it.
 * Must not know: anything but the public headers. */
#include <math.h>
#include <orrery.h>

/* Standardised columns. The second column is constant, so its deviation is 0. */
static orr_tensor *standardised(orr_tensor *x)
{
    orr_tensor *d = orr_sub(x, orr_mean(x, ORR_AXES(0), true));
    orr_tensor *deviation = orr_sqrt(orr_mean(orr_square(d), ORR_AXES(0), true));
    return orr_div(d, deviation);
}

int main(void)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(3, 2), (double[]){ 1, 5, 2, 5, 4, 5 });
    orr_tensor *loss = orr_sum(orr_tanh(standardised(x)), ORR_ALL_AXES, false);
    double value;
    if (orr_item(loss, &value) != ORR_OK)
        return orr_error_print(stderr);
    printf("the loss is %s\n", isnan(value) ? "NaN" : "a number");

    loss = orr_sum(orr_tanh(standardised(x)), ORR_ALL_AXES, false);
    if (orr_check(loss) != ORR_OK)
        printf("%s\n", orr_error_message());
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
