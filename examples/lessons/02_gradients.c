/* Lesson 2: gradients of a function, first and second, and Newton's method by them.
 * Must not know: anything but the public headers. */
#include <orrery.h>

/* f(x) = Σ (x − 3)² + eˣ */
static orr_tensor *f(orr_tensor *x)
{
    return orr_sum(orr_add(orr_square(orr_sub(x, orr_scalar(3))), orr_exp(x)), ORR_ALL_AXES, false);
}

int main(void)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_variable(orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 0, 2 }));
    for (int i = 0; i < 6; i++) {
        orr_scope *step = orr_scope_begin();
        orr_tensor *g, *h;
        double at[2], slope[2];
        orr_status st = orr_grad(f(x), ORR_TENSORS(x), &g);       /* 2(x − 3) + eˣ */
        st = st == ORR_OK ? orr_grad(g, ORR_TENSORS(x), &h) : st; /* of the sum of g: 2 + eˣ        */
        st = st == ORR_OK ? orr_read(x, at, sizeof at) : st;
        st = st == ORR_OK ? orr_read(g, slope, sizeof slope) : st;
        if (st == ORR_OK)
            printf("x = %.6f %.6f   slope = %+.6f %+.6f\n", at[0], at[1], slope[0], slope[1]);
        st = st == ORR_OK ? orr_assign(x, orr_sub(x, orr_div(g, h))) : st; /* lazy, too */
        if (st != ORR_OK)
            return orr_error_print(stderr);
        (void)orr_scope_end(step);
    }
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
